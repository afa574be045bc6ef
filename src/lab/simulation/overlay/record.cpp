// The ledger of an observer: which tasks run on which server.
#include "lab/simulation/overlay/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include <mirab/audit/metrics.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::simulation {

using overlay::NodeId;
using overlay::TaskId;

Ledger::Ledger(const Roster& roster)
    : roster_(roster), running_(roster.users(), 0), tasks_(roster.servers()) {
  free_.reserve(roster.capacity.size() * roster.total.size());
  for (const overlay::Amounts& capacity : roster.capacity)
    free_.insert(free_.end(), capacity.begin(), capacity.end());
}

void Ledger::on_fact(NodeId node, const overlay::Fact& fact) {
  if (const auto* started = std::get_if<overlay::Started>(&fact)) {
    tasks_[node].push_back(started->task);
    change(node, started->task, 1);
  } else if (const auto* stopped = std::get_if<overlay::Stopped>(&fact)) {
    stop(node, stopped->task);
  } else if (const auto* lost = std::get_if<overlay::Lost>(&fact)) {
    for (NodeId server = 0; server < roster_.servers(); ++server)
      if (stop(server, lost->task)) return;
  }
}

// False: it does not run there, or no longer.
bool Ledger::stop(NodeId server, const TaskId& task) {
  std::vector<TaskId>& here = tasks_[server];
  const auto at = std::ranges::find(here, task);
  if (at == here.end()) return false;
  *at = here.back();
  here.pop_back();
  change(server, task, -1);
  return true;
}

std::span<const TaskId> Ledger::on_death(NodeId server) {
  dead_.clear();
  std::swap(dead_, tasks_[server]);
  for (const TaskId& task : dead_) change(server, task, -1);
  return dead_;
}

void Ledger::change(NodeId server, const TaskId& task, std::int64_t tasks) {
  const NodeId n = task.user - roster_.servers();
  running_[n] += static_cast<std::uint64_t>(tasks);
  const overlay::Amounts& demand = roster_.demand[n];
  for (std::size_t r = 0; r < demand.size(); ++r) free_[server * demand.size() + r] -= tasks * demand[r];
}

std::vector<double> Ledger::shares() const {
  std::vector<double> shares;
  shares.reserve(running_.size());
  for (std::size_t n = 0; n < running_.size(); ++n)
    shares.push_back(static_cast<double>(running_[n]) * roster_.dominant[n]);
  return shares;
}

double Ledger::least_share() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < running_.size(); ++n)
    least = std::min(least, static_cast<double>(running_[n]) * roster_.dominant[n]);
  return least;
}

std::span<const std::int64_t> Ledger::free(NodeId server) const {
  const std::size_t resources = roster_.total.size();
  return std::span(free_).subspan(server * resources, resources);
}

double Ledger::used_part(NodeId server) const {
  double part = 0;
  for (std::size_t r = 0; r < roster_.total.size(); ++r)
    if (const std::int64_t capacity = roster_.capacity[server][r]; capacity > 0)
      part = std::max(part, 1 - static_cast<double>(free(server)[r]) / static_cast<double>(capacity));
  return part;
}

std::vector<double> Ledger::used() const {
  const std::size_t resources = roster_.total.size();
  std::vector<double> used(resources, 0);
  for (std::size_t r = 0; r < resources; ++r) {
    std::int64_t free = 0;
    for (std::size_t server = 0; server < tasks_.size(); ++server) free += free_[server * resources + r];
    if (roster_.total[r] > 0) used[r] = 1 - static_cast<double>(free) / static_cast<double>(roster_.total[r]);
  }
  return used;
}

// Turns against the lowest share in the whole cluster, which no node knows.

using overlay::NodeId;

Turns::Turns(const Roster& roster, const Ledger& ledger, const overlay::OverlayOptions& options,
             Duration tick, std::span<const double> tolerances)
    : roster_(roster),
      ledger_(ledger),
      skip_idle_(options.idle == overlay::Idle::skip),
      skip_stuck_(options.stuck == overlay::Stuck::leave),
      walk_(options.patience.walk * tick),
      tolerances_(tolerances.begin(), tolerances.end()),
      ascending_(tolerances_),
      users_(roster.users()) {
  std::ranges::sort(ascending_);
  for (NodeId n = 0; n < roster.users(); ++n) refresh(n);
}

void Turns::on_fact(Time now, const overlay::Fact& fact) {
  const auto user_of = [&](const overlay::TaskId& task) { return task.user - roster_.servers(); };
  if (const auto* served = std::get_if<overlay::Served>(&fact))
    serve(now, user_of(served->task), served->task.number);
  else if (const auto* unserved = std::get_if<overlay::Unserved>(&fact))
    take_back(user_of(unserved->task), *unserved);
  else if (const auto* started = std::get_if<overlay::Started>(&fact))
    start(user_of(started->task), started->task.number);
  else if (const auto* stopped = std::get_if<overlay::Stopped>(&fact))
    refresh(user_of(stopped->task));
  else if (const auto* lost = std::get_if<overlay::Lost>(&fact))
    refresh(user_of(lost->task));
}

void Turns::serve(Time now, NodeId n, std::uint64_t number) {
  try_again(now);
  Standing& user = users_[n];
  user.served_at = now;
  if (user.turn == number) return;
  user.turn = 0;  // that of another task was forgotten with its home
  refresh(n);
  user.rank = rank_of(share(n));
  user.turn = number;
  enter(n);
}

void Turns::take_back(NodeId n, const overlay::Unserved& unserved) {
  Standing& user = users_[n];
  if (user.turn != unserved.task.number) return;
  user.turn = 0;
  if (skip_stuck_ && unserved.why == overlay::Unserved::Why::no_room) {
    user.stuck = true;
    stuck_.push_back(n);
  }
  enter(n);
}

// As their homes let them at their ticks.
void Turns::try_again(Time now) {
  std::erase_if(stuck_, [&](NodeId n) {
    if (users_[n].stuck && now - users_[n].served_at < walk_) return false;
    refresh(n);
    return true;
  });
}

void Turns::start(NodeId n, std::uint64_t number) {
  ranks_.push_back(users_[n].rank);
  if (users_[n].turn == number) users_[n].turn = 0;
  refresh(n);
}

void Turns::refresh(NodeId n) {
  users_[n].stuck = false;
  enter(n);
}

void Turns::set_present(NodeId n, bool present) {
  if (users_[n].present == present) return;
  users_[n].present = present;
  refresh(n);
}

void Turns::enter(NodeId n) {
  using scheduling::UserIndex;
  const auto poorer = [&](UserIndex a, UserIndex b) { return share(a.number()) < share(b.number()); };
  if (counts(n))
    poorest_.play(UserIndex(n), poorer);
  else
    poorest_.leave(UserIndex(n), poorer);
}

double Turns::share(NodeId n) const {
  const std::uint64_t counted = ledger_.running(n) + (users_[n].turn != 0 ? 1 : 0);
  return static_cast<double>(counted) * roster_.dominant[n];
}

bool Turns::counts(NodeId n) const {
  const Standing& user = users_[n];
  return !user.stuck && (!skip_idle_ || user.present || user.turn != 0);
}

// How many of the tolerances are below the distance of the share from the lowest one.
std::uint16_t Turns::rank_of(double share) const {
  if (poorest_.empty()) return 0;
  const double least = this->share(poorest_.winner().number());
  const auto right =
      std::ranges::find_if(ascending_, [&](double tolerance) { return share <= (1 + tolerance) * least; });
  return static_cast<std::uint16_t>(right - ascending_.begin());
}

std::vector<std::int64_t> Turns::wrong() const {
  std::vector<std::int64_t> above(ascending_.size() + 1, 0);  // [rank]
  for (const std::uint16_t rank : ranks_) ++above[rank];
  for (std::size_t rank = ascending_.size(); rank-- > 0;) above[rank] += above[rank + 1];
  std::vector<std::int64_t> wrong;
  for (const double tolerance : tolerances_) wrong.push_back(above[place_of(tolerance) + 1]);
  return wrong;
}

std::vector<std::vector<double>> Turns::wrong_over_time(std::size_t points) const {
  std::vector<std::vector<double>> parts(tolerances_.size());
  if (ranks_.empty()) return parts;
  for (std::size_t t = 0; t < tolerances_.size(); ++t) {
    const std::size_t place = place_of(tolerances_[t]);
    std::size_t seen = 0, wrong = 0;
    for (std::size_t point = 1; point <= points; ++point) {
      const std::size_t until = std::max<std::size_t>(1, ranks_.size() * point / points);
      for (; seen < until; ++seen) wrong += ranks_[seen] > place ? 1 : 0;
      parts[t].push_back(static_cast<double>(wrong) / static_cast<double>(seen));
    }
  }
  return parts;
}

std::size_t Turns::place_of(double tolerance) const {
  return static_cast<std::size_t>(std::ranges::find(ascending_, tolerance) - ascending_.begin());
}

// Pictures for the report page: who knows whom, how poor, how full.

namespace {

using overlay::NodeId;

OverlayFrame picture(const World& world, const Ledger& ledger, double of_all, double tick,
                     std::int64_t placements) {
  OverlayFrame frame{.tick = tick, .utility = {}, .view = {}, .used = {}, .placements = placements};
  for (NodeId node = 0; node < world.roster().servers(); ++node) {
    const overlay::Server* const server = world.server(node);
    frame.utility.push_back(server ? of_all * server->utility() : -std::numeric_limits<double>::infinity());
    std::vector<std::uint32_t>& view = frame.view.emplace_back();
    if (server)
      for (const overlay::Descriptor& neighbour : server->view()) view.push_back(neighbour.node);
    frame.used.push_back(ledger.used_part(node));
  }
  return frame;
}

}  // namespace

void FrameRecorder::offer(const World& world, const Ledger& ledger, double tick, std::int64_t placements) {
  if (frames_ == 0 || offered_++ % stride_ != 0) return;
  kept_.push_back(picture(world, ledger, of_all_, tick, placements));
  if (kept_.size() < 2 * std::size_t{frames_}) return;
  for (std::size_t i = 1; i < frames_; ++i) kept_[i] = std::move(kept_[2 * i]);
  kept_.resize(frames_);
  stride_ *= 2;
}

std::vector<OverlayFrame> FrameRecorder::take_frames() && {
  if (kept_.size() <= frames_) return std::move(kept_);
  std::vector<OverlayFrame> frames;
  for (std::size_t i = 0; i < frames_; ++i) {
    const std::size_t at = frames_ == 1 ? kept_.size() - 1 : i * (kept_.size() - 1) / (frames_ - 1);
    frames.push_back(std::move(kept_[at]));
  }
  return frames;
}

// From what nodes do to what a run tells.

namespace {

using overlay::NodeId;
using overlay::Scheduler;

constexpr std::size_t kMoments = 50;  // of wrong_over_time

// The others' users go to another server for every task, or to the only one.
bool with_homes(Scheduler scheduler) {
  return scheduler != Scheduler::probes && !overlay::row_of(scheduler).is_central;
}

double mean_after_first_tenth(std::span<const double> course) {
  const std::span<const double> rest = course.subspan(course.size() / 10);
  return rest.empty() ? 0 : std::accumulate(rest.begin(), rest.end(), 0.0) / static_cast<double>(rest.size());
}

/// Of estimated totals, which are those of the mean server, a share is as many times too large as there are
/// servers.
double of_all(const Roster& roster, const OverlayRules& rules) {
  return rules.options.total == overlay::Total::push_sum ? 1.0 / roster.servers() : 1;
}

/// Views converge within the first shuffles, so these are pictured one by one, and not the rest of the
/// warm-up.
Time recorded_warm_up(const OverlayScenario& scenario) {
  const double ticks = scenario.frames / 4 / scenario.shuffles_per_tick;
  return Time(static_cast<std::int64_t>(std::ceil(ticks)) * scenario.tick);
}

}  // namespace

Record::Record(World& world, const OverlayRules& rules, const OverlayScenario& scenario)
    : world_(world),
      scenario_(scenario),
      users_have_homes_(with_homes(rules.scheduler)),
      ledger_(world.roster()),
      turns_(world.roster(), ledger_, rules.options, scenario.tick, scenario.tolerances),
      warm_up_(scenario.frames / 4, of_all(world.roster(), rules)),
      frame_recorder_(scenario.frames - scenario.frames / 4, of_all(world.roster(), rules)),
      last_placement_(world.first_tick()),
      last_new_(world.first_tick()),
      started_(world.roster().users(), 0),
      home_(world.roster().users()) {
  world.watch({.fact = [this](Time now, NodeId node, const overlay::Fact& fact) { on_fact(now, node, fact); },
               .server_event = [this](Time, NodeId server,
                                      ServerEvent server_event) { on_server_event(server, server_event); },
               .after_event = [this](Time, NodeId node) { after_event(node); }});
}

void Record::on_fact(Time now, NodeId node, const overlay::Fact& fact) {
  ledger_.on_fact(node, fact);
  turns_.on_fact(now, fact);
  if (const auto* started = std::get_if<overlay::Started>(&fact)) on_started(now, started->task);
  if (std::holds_alternative<overlay::Lost>(fact)) ++restarted_;
}

// Tasks start first in the order of their numbers: those that were submitted before go before new ones.
void Record::on_started(Time now, const overlay::TaskId& task) {
  last_placement_ = now;
  std::uint64_t& highest = started_[task.user - world_.roster().servers()];
  if (task.number <= highest) return;
  highest = task.number;
  last_new_ = now;
}

void Record::on_server_event(NodeId server, ServerEvent server_event) {
  if (server_event != ServerEvent::died) return;
  for (const overlay::TaskId& task : ledger_.on_death(server))
    turns_.refresh(task.user - world_.roster().servers());
}

void Record::after_event(NodeId node) {
  if (!world_.roster().is_user(node)) return;
  const overlay::User& user = world_.user(node);
  const NodeId n = node - world_.roster().servers();
  turns_.set_present(n, user.present().has_value());
  const std::optional<NodeId> home = user.home();
  if (!home || home == home_[n]) return;
  if (home_[n] && users_have_homes_) ++moved_;
  home_[n] = home;
}

void Record::begin() {
  sent_before_ = world_.network().sent();
  losses_before_ = world_.network().losses();
}

void Record::sample() {
  const Time now = world_.now();
  if (now < world_.first_tick()) {
    if (now < recorded_warm_up(scenario_)) warm_up_.offer(world_, ledger_, ticks(now), 0);
    return;
  }
  least_share_.push_back(ledger_.least_share());
  frame_recorder_.offer(world_, ledger_, ticks(now), turns_.placements());
}

double Record::ticks(Time at) const {
  return static_cast<double>((at - world_.first_tick()).count()) /
         static_cast<double>(scenario_.tick.count());
}

void Record::tell_traffic(OverlayRun& run) const {
  const Network& network = world_.network();
  for (std::size_t kind = 0; kind < Traffic::kKinds; ++kind) {
    const MessageCount count{.kind = std::string(overlay::name_of_kind(kind)),
                             .messages = network.sent().messages[kind] - sent_before_.messages[kind],
                             .bytes = network.sent().bytes[kind] - sent_before_.bytes[kind]};
    run.messages += count.messages;
    run.bytes += count.bytes;
    if (count.messages > 0) run.kinds.push_back(count);
  }
  const double node_ticks = ticks(world_.now()) * world_.roster().servers();
  if (node_ticks > 0) {
    run.messages_per_tick_and_node = static_cast<double>(run.messages) / node_ticks;
    run.bytes_per_tick_and_node = static_cast<double>(run.bytes) / node_ticks;
  }
  const Losses& losses = network.losses();
  for (std::size_t reason = 0; reason < losses.dropped.size(); ++reason)
    run.dropped.push_back(losses.dropped[reason] - losses_before_.dropped[reason]);
  run.lost = losses.lost - losses_before_.lost;
}

OverlayRun Record::tell() && {
  OverlayRun run;
  run.shares = ledger_.shares();
  run.min_share = ledger_.least_share();
  run.gini = gini(run.shares);
  run.deviation = sample_standard_deviation(run.shares);
  run.placements = turns_.placements();
  run.wrong = turns_.wrong();
  run.wrong_over_time = turns_.wrong_over_time(kMoments);
  run.ticks = ticks(last_placement_);
  run.mean_min_share = mean_after_first_tenth(least_share_);
  tell_traffic(run);
  run.moved = moved_;
  run.restarted = restarted_;
  run.used = ledger_.used();
  run.frames = std::move(warm_up_).take_frames();
  for (OverlayFrame& frame : std::move(frame_recorder_).take_frames()) run.frames.push_back(std::move(frame));
  return run;
}

}  // namespace mirab::simulation
