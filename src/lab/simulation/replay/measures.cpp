#include "lab/simulation/replay/measures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fairness/share.hpp"
#include "lab/simulation/replay.hpp"
#include "model/seconds.hpp"
#include "scheduling/ledger/slots.hpp"

namespace mirab::simulation {

double quantile(const std::vector<double>& ascending, double q) {
  MIRAB_ASSERT(!ascending.empty() && q >= 0 && q <= 1, "a quantile of nothing, or beyond the ends");
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(ascending.size())));
  return ascending[std::max<std::size_t>(rank, 1) - 1];
}

namespace {

/// The distribution function of values in ascending order, at ranks ⌈j n / steps⌉, j = 1, 2, …; one step for
/// equal values.
std::vector<CdfStep> cdf_of(const std::vector<double>& ascending, std::size_t most_steps) {
  const std::size_t steps = std::min(ascending.size(), most_steps);
  std::vector<CdfStep> cdf;
  for (std::size_t j = 1; j <= steps; ++j) {
    // Up to the last of equal values: the part that is at most this value, not the part before the rank.
    const double value = ascending[(j * ascending.size() + steps - 1) / steps - 1];
    if (!cdf.empty() && cdf.back().value == value) continue;
    const auto above = std::upper_bound(ascending.begin(), ascending.end(), value);
    cdf.push_back(
        {.value = value,
         .part = static_cast<double>(above - ascending.begin()) / static_cast<double>(ascending.size())});
  }
  return cdf;
}

}  // namespace

Quantiles quantiles_of(std::vector<double> values, std::size_t most_steps) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  // Summed in ascending order, so that the mean does not depend on the order in which tasks ended.
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {.count = static_cast<std::int64_t>(values.size()),
          .mean = sum / static_cast<double>(values.size()),
          .p10 = quantile(values, 0.10),
          .p50 = quantile(values, 0.50),
          .p90 = quantile(values, 0.90),
          .p99 = quantile(values, 0.99),
          .most = values.back(),
          .cdf = cdf_of(values, most_steps)};
}

void ReplayFragmentation::server_added(scheduling::ServerId server, std::uint32_t kind) {
  const std::uint32_t number = scheduling::number(server);
  if (number >= rows_.size()) rows_.resize(number + 1);
  rows_[number].id = server;
  rows_[number].kind = kind;
  pool_changed_ = true;
}

void ReplayFragmentation::touch(std::uint32_t server) {
  if (rows_[server].is_touched) return;
  rows_[server].is_touched = true;
  touched_.push_back(server);
}

ReplayFragmentation::Room ReplayFragmentation::room(const Row& server) const {
  const std::span<const std::int64_t> f = engine_.free(server.id);  // none of a server that has gone
  const std::span<const std::int64_t> pool = engine_.pool();
  const auto part = [&](std::size_t r) {
    return pool[r] > 0 ? static_cast<double>(f[r]) / static_cast<double>(pool[r]) : 0.0;
  };
  Room room;
  if (f.empty()) return room;
  for (std::size_t r = 0; r < f.size(); ++r) room.free += part(r);
  for (const TypicalTask& w : input_.typical) {
    bool fits = w.may_use[server.kind];
    double not_demanded = 0;
    for (std::size_t r = 0; r < f.size(); ++r) {
      if (w.demand[r] > f[r]) fits = false;
      if (w.demand[r] == 0) not_demanded += part(r);
    }
    room.unusable += w.popularity * (fits ? not_demanded : room.free);
  }
  return room;
}

double ReplayFragmentation::now() {
  if (pool_changed_) {
    for (std::uint32_t server = 0; server < rows_.size(); ++server) touch(server);
  }
  pool_changed_ = false;
  for (const std::uint32_t server : touched_) {
    rows_[server].room = room(rows_[server]);
    rows_[server].is_touched = false;
  }
  touched_.clear();
  Room all;
  for (const Row& server : rows_) {
    all.free += server.room.free;
    all.unusable += server.room.unusable;
  }
  return all.free > 0 ? all.unusable / all.free : 0;
}

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

}  // namespace

EntitledParts::EntitledParts(const ReplayInput& input) : nodes_(input.teams.size() + 1) {
  const std::size_t cluster = input.teams.size();
  for (std::size_t v = 0; v < cluster; ++v) {
    nodes_[v].weight = input.teams[v].weight.value();
    nodes_[v].parent = input.teams[v].parent.value_or(cluster);
  }
  for (std::size_t n = 0; n < input.users.size(); ++n) {
    team_.push_back(cluster < 1 ? cluster : input.team_of[n].value_or(cluster));
    weight_.push_back(input.users[n].weight.value());
  }
}

void EntitledParts::count(std::uint32_t user, int more) {
  double weight = weight_[user];
  for (std::size_t v = team_[user];; v = nodes_[v].parent) {
    Node& node = nodes_[v];
    node.weights += more * weight;
    if (weight > 0) node.weighted += static_cast<std::size_t>(more);
    if (node.weighted == 0) node.weights = 0;  // what rounding left
    const bool had = node.present > 0;
    node.present += static_cast<std::size_t>(more);
    if (had == (node.present > 0) || v + 1 == nodes_.size()) return;
    weight = node.weight;
  }
}

double EntitledParts::part(double weight, std::size_t parent) const {
  const Node& node = nodes_[parent];
  return node.weights > 0 ? weight / node.weights : 1 / static_cast<double>(node.present);
}

double EntitledParts::of(std::uint32_t user) const {
  double part_of_cluster = part(weight_[user], team_[user]);
  for (std::size_t v = team_[user]; v + 1 < nodes_.size(); v = nodes_[v].parent)
    part_of_cluster *= part(nodes_[v].weight, nodes_[v].parent);
  return part_of_cluster;
}

ReplayUsers::ReplayUsers(const ReplayInput& input, const scheduling::Engine& engine)
    : engine_(engine),
      users_(input.users.size()),
      pool_(input.resources.size(), 0),
      entitled_(input),
      is_touched_(input.users.size(), false),
      waiter_at_(input.users.size(), kNone) {
  for (std::size_t n = 0; n < users_.size(); ++n) users_[n].weight = input.users[n].weight.value();
}

void ReplayUsers::touch(std::uint32_t user) {
  if (is_touched_[user]) return;
  is_touched_[user] = true;
  touched_.push_back(user);
}

void ReplayUsers::count(std::uint32_t n, std::int64_t waiting, std::int64_t running) {
  touch(n);
  User& user = users_[n];
  const bool had = user.has_demand();
  user.waiting += waiting;
  user.running += running;
  waiting_ += waiting;
  running_ += running;
  if (user.has_demand() == had) return;
  population_changed_ = true;
  if (had) {
    entitled_.go(n);
  } else {
    entitled_.come(n);
  }
}

double ReplayUsers::share_of(std::uint32_t user) const {
  return fairness::dominant_share<double>(engine_.used(ids_[user]), pool_);
}

void ReplayUsers::integrate(User& user, Duration now) {
  const double elapsed = in_seconds(now - user.since);
  user.share_integral += user.share * elapsed;
  user.unfairness_integral += user.unfairness * elapsed;
  user.since = now;
}

void ReplayUsers::settle_user(std::uint32_t n, Duration now) {
  User& user = users_[n];
  integrate(user, now);
  user.share = share_of(n);
  const double entitled = user.waiting > 0 ? entitled_.of(n) : 0;
  user.unfairness = entitled * std::max(0.0, entitled - user.share);

  const bool is_hungry = user.waiting > 0 && user.running == 0;
  if (is_hungry && !user.hungry_since) user.hungry_since = now;
  if (!is_hungry && user.hungry_since) {
    user.starvation = std::max(user.starvation, now - *user.hungry_since);
    user.hungry_since.reset();
  }
}

/// Whether the user stands among those with waiting tasks.
void ReplayUsers::follow_waiting(std::uint32_t n) {
  if ((users_[n].waiting > 0) == (waiter_at_[n] != kNone)) return;
  if (waiter_at_[n] == kNone) {
    waiter_at_[n] = static_cast<std::uint32_t>(waiters_.size());
    waiters_.push_back(n);
    return;
  }
  waiters_[waiter_at_[n]] = waiters_.back();
  waiter_at_[waiters_.back()] = waiter_at_[n];
  waiters_.pop_back();
  waiter_at_[n] = kNone;
}

void ReplayUsers::settle(Duration now) {
  const std::span<const std::int64_t> pool = engine_.pool();
  if (!std::equal(pool.begin(), pool.end(), pool_.begin())) {
    std::copy(pool.begin(), pool.end(), pool_.begin());
    for (std::uint32_t n = 0; n < users_.size(); ++n) touch(n);
  }
  for (const std::uint32_t n : touched_) follow_waiting(n);
  if (population_changed_) {
    for (const std::uint32_t n : waiters_) touch(n);
  }
  for (const std::uint32_t n : touched_) {
    settle_user(n, now);
    is_touched_[n] = false;
  }
  touched_.clear();
  population_changed_ = false;
}

void ReplayUsers::close(Duration end) {
  for (User& user : users_) {
    integrate(user, end);
    if (!user.hungry_since) continue;
    user.starvation = std::max(user.starvation, end - *user.hungry_since);
    user.hungry_since.reset();
  }
}

ReplayTeams::ReplayTeams(const ReplayInput& input, const scheduling::Engine& engine)
    : input_(input),
      engine_(engine),
      teams_(input.teams.size(), {.used = Amounts(input.resources.size(), 0)}),
      pool_(input.resources.size(), 0) {}

void ReplayTeams::change(const ReplayJob& job, std::int64_t tasks) {
  if (teams_.empty()) return;
  const Amounts& demand = input_.requests[job.request].demand;
  for (std::optional<std::size_t> at = input_.team_of[job.user]; at; at = input_.teams[*at].parent) {
    Team& team = teams_[*at];
    for (std::size_t r = 0; r < demand.size(); ++r) team.used[r] += tasks * demand[r];
    if (!team.is_touched) touched_.push_back(*at);
    team.is_touched = true;
  }
}

void ReplayTeams::settle(Duration now) {
  if (teams_.empty()) return;
  const std::span<const std::int64_t> pool = engine_.pool();
  if (!std::equal(pool.begin(), pool.end(), pool_.begin())) {
    std::copy(pool.begin(), pool.end(), pool_.begin());
    touched_.resize(teams_.size());
    std::iota(touched_.begin(), touched_.end(), std::size_t{0});
  }
  for (const std::size_t at : touched_) {
    Team& team = teams_[at];
    team.integral += team.share * in_seconds(now - team.since);
    team.since = now;
    team.share = fairness::dominant_share<double>(team.used, pool_);
    team.is_touched = false;
  }
  touched_.clear();
}

double ReplayTeams::mean_share(std::size_t at, Duration end) const {
  const Team& team = teams_[at];
  return (team.integral + team.share * in_seconds(end - team.since)) / in_seconds(end);
}

void ReplayTasks::finished(std::uint32_t user, Duration waiting, Duration runtime) {
  Times& times = users_[user];
  ++times.tally.finished;
  times.waiting.push_back(in_seconds(waiting));
  times.completion.push_back(in_seconds(waiting + runtime));
  times.slowdown.push_back(static_cast<double>((waiting + runtime).count()) /
                           static_cast<double>(runtime.count()));
}

void ReplayTasks::still_running(std::uint32_t user, Duration waiting) {
  ++users_[user].tally.still_running;
  users_[user].waiting.push_back(in_seconds(waiting));
}

void ReplayTasks::still_waiting(std::uint32_t user, Duration waiting_so_far, std::int64_t tasks) {
  Times& times = users_[user];
  times.tally.still_waiting += tasks;
  times.waiting_so_far.insert(times.waiting_so_far.end(), static_cast<std::size_t>(tasks),
                              in_seconds(waiting_so_far));
}

ReplayTally ReplayTasks::with_quantiles(const Times& times, std::size_t cdf_steps) {
  ReplayTally tally = times.tally;
  tally.waiting = quantiles_of(times.waiting, cdf_steps);
  tally.slowdown = quantiles_of(times.slowdown, cdf_steps);
  tally.completion = quantiles_of(times.completion, cdf_steps);
  tally.waiting_so_far = quantiles_of(times.waiting_so_far, cdf_steps);
  return tally;
}

void ReplayTasks::add(const Times& user, Times& sum) {
  for (const auto count :
       {&ReplayTally::submitted, &ReplayTally::started, &ReplayTally::finished, &ReplayTally::still_running,
        &ReplayTally::still_waiting, &ReplayTally::lost, &ReplayTally::preempted})
    sum.tally.*count += user.tally.*count;
  for (const auto times : {&Times::waiting, &Times::slowdown, &Times::completion, &Times::waiting_so_far})
    (sum.*times).insert((sum.*times).end(), (user.*times).begin(), (user.*times).end());
}

ReplayTally ReplayTasks::tally(std::span<const std::uint32_t> users) const {
  Times sum;
  for (const std::uint32_t user : users) add(users_[user], sum);
  return with_quantiles(sum, kCdfStepsOfUser);
}

ReplayTally ReplayTasks::tally_all() {
  Times all;
  for (Times& user : users_) {
    add(user, all);
    user.waiting = user.slowdown = user.completion = user.waiting_so_far = {};  // used up
  }
  return with_quantiles(all, kCdfSteps);
}

namespace {

/// The step that lasts after so much time; the last one goes on.
std::size_t step_at(const Usage& usage, Duration since_start) {
  const auto step = static_cast<std::size_t>(since_start / usage.step);
  return std::min(step, usage.of.size() - 1);
}

}  // namespace

ReplayUsage::ReplayUsage(const ReplayInput& input) : input_(input), integral_(input.resources.size(), 0.0) {
  for (const Usage& usage : input.usages) {
    std::vector<std::vector<double>> sums = {std::vector<double>(integral_.size(), 0.0)};
    for (const std::vector<double>& amounts : usage.of) {
      sums.push_back(sums.back());
      for (std::size_t r = 0; r < amounts.size(); ++r) sums.back()[r] += amounts[r] * in_seconds(usage.step);
    }
    before_.push_back(std::move(sums));
  }
}

void ReplayUsage::start(std::uint32_t task, const ReplayJob& job, Duration now) {
  if (job.usage == kNoUsage) return;
  running_[task] = {.usage = job.usage, .request = job.request, .since = now};
}

void ReplayUsage::end(std::uint32_t task, Duration now) {
  const auto running = running_.find(task);
  if (running == running_.end()) return;
  integrate(running->second, now, integral_);
  running_.erase(running);
}

std::vector<double> ReplayUsage::surplus(Duration now) const {
  std::vector<double> surplus(integral_.size(), 0.0);
  for (const auto& [number, task] : running_) {
    const Usage& usage = input_.usages[task.usage];
    const std::vector<double>& amounts = usage.of[step_at(usage, now - task.since)];
    for (std::size_t r = 0; r < surplus.size(); ++r) surplus[r] += amounts[r] - granted(task, r);
  }
  return surplus;
}

void ReplayUsage::integrate(const Running& task, Duration now, std::vector<double>& integral) const {
  const Usage& usage = input_.usages[task.usage];
  const Duration ran = now - task.since;
  const std::size_t step = step_at(usage, ran);
  const double in_step = in_seconds(ran - static_cast<std::int64_t>(step) * usage.step);
  for (std::size_t r = 0; r < integral.size(); ++r)
    integral[r] +=
        before_[task.usage][step][r] + usage.of[step][r] * in_step - granted(task, r) * in_seconds(ran);
}

std::vector<double> ReplayUsage::surplus_integral(Duration now) const {
  std::vector<double> integral = integral_;
  for (const auto& [number, task] : running_) integrate(task, now, integral);
  return integral;
}

}  // namespace mirab::simulation
