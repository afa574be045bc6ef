#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "model/seconds.hpp"
#include "scheduling/constraints/constraints.hpp"
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Engine::State::State(EngineOptions chosen, const DisciplineChoice& discipline,
                     const PlacementChoice& placement_choice)
    : options(std::move(chosen)),
      ledger(options.resources.size()),
      shares(ledger, *discipline.discipline,
             *fairness::ShareScale::from(options.share_scale, options.resources.size()), options.half_life),
      placement(ledger, placement_choice, discipline.discipline->places),
      room_search(ledger, shares.tournaments, placement),
      dispatcher(ledger, shares, room_search, discipline, options.tie) {
  if (options.reservations) reservations.emplace(*options.reservations);
  if (options.preemption) preemption.emplace(*options.preemption);
}

Engine::State::State(const State& other)
    : options(other.options),
      now(other.now),
      ledger(other.ledger),
      shares(other.shares, ledger),
      placement(other.placement, ledger),
      room_search(ledger, shares.tournaments, placement),
      dispatcher(other.dispatcher, ledger, shares, room_search),
      reservations(other.reservations),
      preemption(other.preemption) {}

Engine Engine::copy() const { return Engine(std::make_unique<State>(*state_)); }

namespace {

/// Can the discipline do what the options want of its shares?
Check check_shares(const DisciplineChoice& discipline_choice, const EngineOptions& options) {
  const Result<fairness::ShareScale> scale =
      fairness::ShareScale::from(options.share_scale, options.resources.size());
  if (!scale) return scale.error();
  const std::string_view name = discipline_choice.discipline->info.name;
  if (!options.share_scale.empty() && !discipline_choice.discipline->scaled)
    return Error{.message = fmt::format("{} has no shares to scale; drf, asset and ps-dsf have", name),
                 .key = "share_scale"};
  if (!options.half_life) return {};
  if (options.half_life->count() <= 0)
    return Error{.message = "a half-life must be above 0; leave it out for present shares",
                 .key = "half_life"};
  if (!discipline_choice.discipline->decays)
    return Error{.message = fmt::format("{} knows no usage that decays; drf and asset do", name),
                 .key = "half_life"};
  return {};
}

/// What keeps users from starving, as the options want it.
Check check_patience(const DisciplineChoice& discipline_choice, const EngineOptions& options) {
  if (options.reservations) {
    if (Check bad = check(*options.reservations)) return bad;
  }
  if (!options.preemption) return {};
  if (discipline_choice.discipline->share == nullptr || options.half_life)
    return Error{
        .message = options.half_life
                       ? std::string("with a half-life the order of users changes with time, and "
                                     "tasks that are preempted for one user would be preempted back")
                       : fmt::format("{} does not order users by a key that rises with their use; drf, "
                                     "asset, tsf, round-robin and pf do",
                                     discipline_choice.discipline->info.name),
        .key = "preemption"};
  return check(*options.preemption);
}

}  // namespace

Result<Engine> Engine::from(EngineOptions options) {
  if (options.resources.empty())
    return Error{.message = "at least one resource is needed", .key = "resources"};
  std::set<std::string> seen;
  for (const std::string& name : options.resources) {
    if (!seen.insert(name).second)
      return Error{.message = fmt::format("duplicate resource name '{}'", name), .key = "resources"};
  }
  const Result<DisciplineChoice> discipline_choice = scheduling::discipline_choice(options.discipline);
  if (!discipline_choice) return discipline_choice.error();
  if (Check bad = check_shares(*discipline_choice, options)) return *std::move(bad);
  if (Check bad = check_patience(*discipline_choice, options)) return *std::move(bad);
  const Result<PlacementChoice> where = scheduling::where(options.placement);
  if (!where) return where.error();
  return Engine(std::make_unique<State>(std::move(options), *discipline_choice, *where));
}

std::optional<Placed> Engine::step(Time now, Random& random) {
  state_->now = std::max(state_->now, now);
  return state_->step(random, nullptr);
}

namespace {

bool any_waits(const WaitingQueues& waiting) {
  const Indices<QueueIndex> queues = waiting.indices();
  return std::any_of(queues.begin(), queues.end(), [&](QueueIndex queue) { return waiting.holds(queue); });
}

/// Whose queues wait, each user once, with their weights.
std::vector<DecayedUsage::Weighted> waiting_users(const Ledger& ledger, const WaitingQueues& waiting) {
  std::set<UserIndex> users;
  for (const QueueIndex queue : waiting.indices()) {
    if (waiting.holds(queue)) users.insert(ledger.queues[queue].user);
  }
  std::vector<DecayedUsage::Weighted> weighted;
  for (const UserIndex user : users) weighted.push_back({user, ledger.users[user].weight.value()});
  return weighted;
}

}  // namespace

std::optional<Time> Engine::next_by_time() const {
  const State& state = *state_;
  std::optional<Time> first;
  const auto consider = [&](std::optional<Time> time) {
    if (time && (!first || *time < *first)) first = std::max(*time, state.now);
  };
  if (state.reservations)
    consider(state.reservations->next_by_time(state.ledger, state.dispatcher.waiting()));
  if (state.preemption) consider(state.preemption->next_by_time());
  // Who fits is placed at once, but for those behind the first who does not.
  if (state.shares.context.usage && state.dispatcher.choice().blocking == Blocking::freeze)
    consider(state.shares.context.usage->next_order(waiting_users(state.ledger, state.dispatcher.waiting()),
                                                    state.now));
  return first && any_waits(state.dispatcher.waiting()) ? first : std::nullopt;
}

std::size_t Engine::server_count() const { return state_->ledger.servers.size(); }
std::size_t Engine::user_count() const { return state_->ledger.users.size(); }
std::size_t Engine::job_count() const { return state_->ledger.jobs.size(); }
std::size_t Engine::running_count() const { return state_->ledger.tasks.size(); }

const EngineOptions& Engine::options() const { return state_->options; }

std::optional<Time> Engine::now() const {
  return state_->now == Time::min() ? std::nullopt : std::optional(state_->now);
}

std::optional<Engine::UserState> Engine::user(UserId user) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.users.find(user);
  if (!number) return {};
  const std::span<const std::int64_t> used = ledger.used(*number);
  const std::optional<DecayedUsage>& usage = state_->shares.context.usage;
  return UserState{.used = Amounts(used.begin(), used.end()),
                   .running = ledger.users[*number].running,
                   .dominant_share = fairness::dominant_share<double>(used, ledger.server_pool.pool(),
                                                                      state_->shares.context.scale),
                   .decayed_share = usage ? std::optional(usage->usage(*number, state_->now)) : std::nullopt};
}

std::size_t Engine::group_count() const { return state_->ledger.groups.size() - 1; }

std::optional<Engine::GroupState> Engine::group(GroupId group) const {
  const Ledger& ledger = state_->ledger;
  const auto index = ledger.groups.find(group);
  if (!index) return {};
  const GroupRow& row = ledger.groups[*index];
  const std::span<const std::int64_t> used = ledger.used(*index);
  const std::span<const std::int64_t> guarantee = ledger.guarantee({.group = *index});
  const std::span<const std::int64_t> pool = ledger.server_pool.pool();
  const fairness::ShareScale& scale = state_->shares.context.scale;
  GroupState state{.name = row.name,
                   .parent = *index == kRoot ? std::nullopt : std::optional(ledger.groups.id(row.parent)),
                   .used = Amounts(used.begin(), used.end()),
                   .running = ledger.running(TreeNode{.group = *index}),
                   .guarantee = Amounts(guarantee.begin(), guarantee.end()),
                   .unused = {},
                   .lent = {},
                   .share = fairness::dominant_share<double>(used, pool, scale),
                   .key = 0};
  Amounts beyond;
  for (std::size_t r = 0; r < used.size(); ++r) {
    const std::int64_t unused = std::max<std::int64_t>(0, guarantee[r] - used[r]);
    const std::int64_t free = std::max<std::int64_t>(0, pool[r] - ledger.used()[r]);
    state.unused.push_back(unused);
    state.lent.push_back(std::max<std::int64_t>(0, unused - free));
    beyond.push_back(std::max<std::int64_t>(0, used[r] - guarantee[r]));
  }
  const double weight = row.weight.numerator > 0 ? row.weight.value() : 1;
  state.key = fairness::dominant_share<double>(beyond, pool, scale) / weight;
  return state;
}

std::optional<Engine::ServerState> Engine::server(ServerId server) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.servers.find(server);
  if (!number) return {};
  const auto amounts = [](std::span<const std::int64_t> units) {
    return Amounts(units.begin(), units.end());
  };
  return ServerState{.capacity = amounts(ledger.server_pool.capacity(*number)),
                     .free = amounts(ledger.server_pool.free(*number)),
                     .drained = ledger.servers[*number].drained};
}

std::span<const std::int64_t> Engine::pool() const { return state_->ledger.server_pool.pool(); }

std::span<const std::int64_t> Engine::used() const { return state_->ledger.used(); }

std::span<const std::int64_t> Engine::used(UserId user) const {
  const auto number = state_->ledger.users.find(user);
  return number ? state_->ledger.used(*number) : std::span<const std::int64_t>{};
}

std::span<const std::int64_t> Engine::capacity(ServerId server) const {
  const auto number = state_->ledger.servers.find(server);
  return number ? state_->ledger.server_pool.capacity(*number) : std::span<const std::int64_t>{};
}

std::span<const std::int64_t> Engine::free(ServerId server) const {
  const auto number = state_->ledger.servers.find(server);
  return number ? state_->ledger.server_pool.free(*number) : std::span<const std::int64_t>{};
}

namespace {

Engine::TaskState task_state(const Ledger& ledger, TaskIndex task) {
  const TaskRow& row = ledger.tasks[task];
  return {.task = ledger.tasks.id(task),
          .job = ledger.jobs.id(row.job),
          .server = ledger.servers.id(row.server),
          .started = row.started,
          .role = ledger.role_of(task)};
}

Engine::JobState job_state(const Ledger& ledger, JobIndex job) {
  const JobRow& row = ledger.jobs[job];
  return {
      .user = ledger.users.id(ledger.queues[row.queue].user), .waiting = row.waiting, .running = row.running};
}

}  // namespace

std::optional<Engine::TaskState> Engine::task(TaskId task) const {
  const auto number = state_->ledger.tasks.find(task);
  if (!number) return {};
  return task_state(state_->ledger, *number);
}

void Engine::for_each_task(JobId job, const std::function<void(const TaskState&)>& visit) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.jobs.find(job);
  if (!number) return;
  ledger.for_each_task_of(*number, [&](TaskIndex task) { visit(task_state(ledger, task)); });
}

void Engine::for_each_task(ServerId server, const std::function<void(const TaskState&)>& visit) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.servers.find(server);
  if (!number) return;
  ledger.for_each_task_on(*number, [&](TaskIndex task) { visit(task_state(ledger, task)); });
}

void Engine::for_each_task(JobId job, std::optional<TaskId> behind,
                           const std::function<bool(const TaskState&)>& visit) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.jobs.find(job);
  if (!number) return;
  TaskIndex task = ledger.jobs[*number].first_task;
  const auto known = behind ? ledger.tasks.find(*behind) : std::nullopt;
  if (known && ledger.tasks[*known].job == *number) task = ledger.tasks[*known].next_of_job;
  while (task != kNone && visit(task_state(ledger, task))) task = ledger.tasks[task].next_of_job;
}

void Engine::for_each_job(UserId user, const std::function<void(JobId, const JobState&)>& visit) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.users.find(user);
  if (!number) return;
  for (const JobIndex job : ledger.jobs.indices()) {
    if (ledger.jobs.holds(job) && ledger.queues[ledger.jobs[job].queue].user == *number)
      visit(ledger.jobs.id(job), job_state(ledger, job));
  }
}

std::optional<Engine::JobState> Engine::job(JobId job) const {
  const auto number = state_->ledger.jobs.find(job);
  return number ? std::optional(job_state(state_->ledger, *number)) : std::nullopt;
}

bool Engine::fits(JobId job) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.jobs.find(job);
  if (!number || ledger.jobs[*number].waiting == 0) return false;
  const TaskClassIndex task_class = ledger.task_class_of(*number);
  if (ledger.task_classes.terms(task_class) != nullptr) {
    const OpenServers open = state_->open_servers();
    if (!state_->reservations) return batch_fits(ledger, *number, open);
    const Reservations& present = state_->reservations->present();
    const QueueIndex queue = ledger.jobs[*number].queue;
    return batch_fits(ledger, *number, present.open_to(queue, open), present.servers_of(queue));
  }
  const Reservations::Kept* const kept =
      state_->reservations ? state_->reservations->present().of_queue(ledger.jobs[*number].queue) : nullptr;
  return (kept != nullptr && has_room(ledger, *kept)) ||
         fits_somewhere(ledger, task_class, state_->open_servers());
}

std::vector<Reservation> Engine::reservations() const {
  std::vector<Reservation> all;
  if (!state_->reservations) return all;
  const Ledger& ledger = state_->ledger;
  for (const Reservations::Kept& kept : state_->reservations->present().kept) {
    const QueueRow& queue = ledger.queues[kept.queue];
    all.push_back({.server = ledger.servers.id(kept.server),
                   .job = ledger.jobs.id(queue.first_job),
                   .user = ledger.users.id(queue.user),
                   .since = kept.since});
  }
  return all;
}

std::optional<Placed> Engine::step(Time now, Random& random, WhyPlaced& why) {
  state_->now = std::max(state_->now, now);
  return state_->step(random, &why);
}

std::optional<WhyWaiting> Engine::why_waiting(JobId job, Time now) const {
  const auto number = state_->ledger.jobs.find(job);
  if (!number || state_->ledger.jobs[*number].waiting == 0) return {};
  return scheduling::why_waiting(state_->view(), *number, std::max(now, state_->now));
}

std::optional<WhyNotOn> Engine::why_not_on(JobId job, ServerId server) const {
  const Ledger& ledger = state_->ledger;
  const auto of_job = ledger.jobs.find(job);
  const auto there = ledger.servers.find(server);
  if (!of_job || !there) return {};
  const Reservations kept = state_->reservations ? state_->reservations->present() : Reservations{};
  return scheduling::why_not_on(ledger, state_->open_servers(), kept, *of_job, *there);
}

std::string Engine::broken_invariant() const {
  std::string broken = scheduling::broken_invariant(state_->ledger);
  if (broken.empty()) broken = state_->dispatcher.broken();
  if (broken.empty()) broken = broken_constraint(state_->ledger);
  return broken.empty() && state_->reservations
             ? state_->reservations->broken(state_->ledger, state_->dispatcher.waiting())
             : broken;
}

}  // namespace mirab::scheduling
