#include "lab/simulation/replay/measures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fairness/share.hpp"
#include "lab/simulation/replay.hpp"
#include "model/seconds.hpp"

namespace mirab::simulation {

double quantile(const std::vector<double>& ascending, double q) {
  MIRAB_ASSERT(!ascending.empty() && q >= 0 && q <= 1, "a quantile of nothing, or beyond the ends");
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(ascending.size())));
  return ascending[std::max<std::size_t>(rank, 1) - 1];
}

Quantiles quantiles_of(std::vector<double> values) {
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
          .most = values.back()};
}

ReplayServers::ReplayServers(const ReplayInput& input)
    : input_(input), pool_(input.resources.size(), 0), granted_(pool_) {}

void ReplayServers::add(std::uint32_t server, std::uint32_t kind) {
  if (server >= kinds_.size()) {
    kinds_.resize(server + 1, kGone);
    free_.resize(kinds_.size() * pool_.size(), 0);
    rooms_.resize(kinds_.size());
    is_touched_.resize(kinds_.size(), false);
  }
  kinds_[server] = kind;
  for (std::size_t r = 0; r < pool_.size(); ++r) {
    free(server)[r] = input_.capacity[kind][r];
    pool_[r] += input_.capacity[kind][r];
  }
  pool_changed_ = true;
}

void ReplayServers::remove(std::uint32_t server) {
  for (std::size_t r = 0; r < pool_.size(); ++r) {
    MIRAB_ASSERT(free(server)[r] == input_.capacity[kinds_[server]][r], "a server goes with its tasks");
    pool_[r] -= free(server)[r];
    free(server)[r] = 0;
  }
  kinds_[server] = kGone;
  pool_changed_ = true;
}

void ReplayServers::take(std::uint32_t server, std::span<const std::int64_t> demand) {
  const std::span<std::int64_t> room = free(server);
  for (std::size_t r = 0; r < room.size(); ++r) {
    room[r] -= demand[r];
    granted_[r] += demand[r];
  }
  touch(server);
}

void ReplayServers::give(std::uint32_t server, std::span<const std::int64_t> demand) {
  const std::span<std::int64_t> room = free(server);
  for (std::size_t r = 0; r < room.size(); ++r) {
    room[r] += demand[r];
    granted_[r] -= demand[r];
  }
  touch(server);
}

void ReplayServers::touch(std::uint32_t server) {
  if (is_touched_[server]) return;
  is_touched_[server] = true;
  touched_.push_back(server);
}

ReplayServers::Room ReplayServers::room(std::uint32_t server) {
  const std::uint32_t kind = kinds_[server];
  if (kind == kGone) return {};
  const std::span<const std::int64_t> f = free(server);
  const auto part = [&](std::size_t r) {
    return pool_[r] > 0 ? static_cast<double>(f[r]) / static_cast<double>(pool_[r]) : 0.0;
  };
  Room room;
  for (std::size_t r = 0; r < f.size(); ++r) room.free += part(r);
  for (const TypicalTask& w : input_.typical) {
    bool fits = w.may_use[kind];
    double not_demanded = 0;
    for (std::size_t r = 0; r < f.size(); ++r) {
      if (w.demand[r] > f[r]) fits = false;
      if (w.demand[r] == 0) not_demanded += part(r);
    }
    room.unusable += w.popularity * (fits ? not_demanded : room.free);
  }
  return room;
}

double ReplayServers::fragmentation() {
  if (pool_changed_) {
    for (std::uint32_t server = 0; server < kinds_.size(); ++server) touch(server);
  }
  pool_changed_ = false;
  for (const std::uint32_t server : touched_) {
    rooms_[server] = room(server);
    is_touched_[server] = false;
  }
  touched_.clear();
  Room all;
  for (const Room& room : rooms_) {
    all.free += room.free;
    all.unusable += room.unusable;
  }
  return all.free > 0 ? all.unusable / all.free : 0;
}

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

}  // namespace

ReplayUsers::ReplayUsers(const ReplayInput& input)
    : users_(input.users.size()),
      used_(input.users.size() * input.resources.size(), 0),
      pool_(input.resources.size(), 0),
      is_touched_(input.users.size(), false),
      waiter_at_(input.users.size(), kNone) {
  for (std::size_t n = 0; n < users_.size(); ++n) users_[n].weight = input.users[n].weight.value();
}

void ReplayUsers::submit(std::uint32_t user, std::int64_t tasks) {
  touch(user);
  count_demand(users_[user], tasks, 0);
}

void ReplayUsers::start(std::uint32_t user, std::span<const std::int64_t> demand) {
  touch(user);
  count_demand(users_[user], -1, 1);
  use(user, demand, 1);
}

void ReplayUsers::finish(std::uint32_t user, std::span<const std::int64_t> demand) {
  touch(user);
  count_demand(users_[user], 0, -1);
  use(user, demand, -1);
}

void ReplayUsers::lose(std::uint32_t user, std::span<const std::int64_t> demand) {
  touch(user);
  count_demand(users_[user], 1, -1);
  use(user, demand, -1);
}

void ReplayUsers::touch(std::uint32_t user) {
  if (is_touched_[user]) return;
  is_touched_[user] = true;
  touched_.push_back(user);
}

void ReplayUsers::count_demand(User& user, std::int64_t waiting, std::int64_t running) {
  const bool had = user.has_demand();
  user.waiting += waiting;
  user.running += running;
  waiting_ += waiting;
  running_ += running;
  if (user.has_demand() == had) return;
  population_changed_ = true;
  if (had) {
    --with_demand_;
    weights_ -= user.weight;
  } else {
    ++with_demand_;
    weights_ += user.weight;
  }
  if (with_demand_ == 0) weights_ = 0;  // what rounding left
}

void ReplayUsers::use(std::uint32_t user, std::span<const std::int64_t> demand, std::int64_t times) {
  for (std::size_t r = 0; r < demand.size(); ++r) used_[user * demand.size() + r] += times * demand[r];
}

double ReplayUsers::share_of(std::uint32_t user) const {
  return fairness::dominant_share<double>(std::span(used_).subspan(user * pool_.size(), pool_.size()), pool_);
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
  const double entitled = user.waiting > 0 ? user.weight / weights_ : 0;
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

void ReplayUsers::settle(Duration now, std::span<const std::int64_t> pool) {
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

namespace {

void move_to_end(std::vector<double>& from, std::vector<double>& to) {
  to.insert(to.end(), from.begin(), from.end());
  from = {};
}

}  // namespace

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

ReplayTally ReplayTasks::with_quantiles(const Times& times) {
  ReplayTally tally = times.tally;
  tally.waiting = quantiles_of(times.waiting);
  tally.slowdown = quantiles_of(times.slowdown);
  tally.completion = quantiles_of(times.completion);
  tally.waiting_so_far = quantiles_of(times.waiting_so_far);
  return tally;
}

ReplayTally ReplayTasks::tally_all() {
  Times all;
  for (Times& user : users_) {
    all.tally.submitted += user.tally.submitted;
    all.tally.started += user.tally.started;
    all.tally.finished += user.tally.finished;
    all.tally.still_running += user.tally.still_running;
    all.tally.still_waiting += user.tally.still_waiting;
    all.tally.lost += user.tally.lost;
    move_to_end(user.waiting, all.waiting);
    move_to_end(user.slowdown, all.slowdown);
    move_to_end(user.completion, all.completion);
    move_to_end(user.waiting_so_far, all.waiting_so_far);
  }
  return with_quantiles(all);
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
