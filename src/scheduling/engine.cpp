#include <algorithm>
#include <fmt/format.h>
#include <set>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/constraints/gang_feasibility.hpp"
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Engine::State::State(EngineOptions chosen, const DisciplineChoice& discipline,
                     const PlacementChoice& where_chosen)
    : options(std::move(chosen)),
      discipline_choice(discipline),
      where(where_chosen),
      ledger(options.resources.size()),
      context{.ledger = ledger,
              .server_classes = ledger.server_classes,
              .rounds = Rounds(options.resources.size()),
              .prices = std::vector<double>(options.resources.size(), 0.0),
              .scale = *fairness::ShareScale::from(options.share_scale, options.resources.size())},
      tournaments(discipline_choice.discipline->tournaments, ledger),
      ready(*discipline_choice.discipline, options.tie, context) {
  if (discipline_choice.discipline->places) balance.emplace();
  if (options.half_life) context.usage.emplace(*options.half_life);
  if (options.reservations) reservations.emplace(Reservations{.rule = *options.reservations});
  if (options.preemption) preemption.emplace(*options.preemption);
}

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

std::size_t Engine::server_count() const { return state_->ledger.servers.size(); }
std::size_t Engine::user_count() const { return state_->ledger.users.size(); }
std::size_t Engine::job_count() const { return state_->ledger.jobs.size(); }
std::size_t Engine::running_count() const { return state_->ledger.tasks.size(); }

const EngineOptions& Engine::options() const { return state_->options; }

std::optional<Time> Engine::now() const {
  return state_->now == Time::min() ? std::nullopt : std::optional(state_->now);
}

std::optional<Engine::JobState> Engine::job(JobId job) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.jobs.find(job);
  if (!number) return {};
  const JobRow& row = ledger.jobs[*number];
  return JobState{
      .user = ledger.users.id(ledger.queues[row.queue].user), .waiting = row.waiting, .running = row.running};
}

std::optional<Engine::UserState> Engine::user(UserId user) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.users.find(user);
  if (!number) return {};
  const std::span<const std::int64_t> used = ledger.used(*number);
  return UserState{.used = Amounts(used.begin(), used.end()),
                   .running = ledger.users[*number].running,
                   .dominant_share = fairness::dominant_share<double>(used, ledger.server_pool.pool(),
                                                                      state_->context.scale),
                   .decayed_share = state_->context.usage
                                        ? std::optional(state_->context.usage->usage(*number, state_->now))
                                        : std::nullopt};
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

bool Engine::fits(JobId job) const {
  const Ledger& ledger = state_->ledger;
  const auto number = ledger.jobs.find(job);
  if (!number || ledger.jobs[*number].waiting == 0) return false;
  if (ledger.task_classes.terms(ledger.task_class_of(*number)) != nullptr)
    return state_->batch_fits(*number, {}, state_->open_servers());
  const std::uint32_t queue = ledger.jobs[*number].queue;
  const Reservations::Kept* const kept =
      state_->reservations ? state_->reservations->of_queue(queue) : nullptr;
  return (kept != nullptr && state_->has_kept_room(*kept)) ||
         ledger.fits_somewhere(ledger.queues[queue].task_class, state_->open_servers());
}

std::string Engine::broken_invariant() const {
  std::string broken = state_->ledger.broken();
  if (broken.empty()) broken = broken_constraint(state_->ledger);
  return broken.empty() && state_->reservations ? state_->broken_reservation() : broken;
}

}  // namespace mirab::scheduling
