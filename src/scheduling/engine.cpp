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

Engine::State::State(EngineOptions chosen, const Whom& whom_chosen, const Where& where_chosen)
    : options(std::move(chosen)),
      whom(whom_chosen),
      where(where_chosen),
      accounts(options.resources.size()),
      standing{.accounts = accounts,
               .kinds = kinds,
               .rounds = Rounds(options.resources.size()),
               .prices = std::vector<double>(options.resources.size(), 0.0),
               .scale = *ShareScale::from(options.share_scale, options.resources.size())},
      race(*whom.discipline, options.tie, standing) {
  if (whom.discipline->places) balance.emplace();
  if (options.half_life) standing.usage.emplace(*options.half_life);
  if (options.reservations) reservations.emplace(Reservations{.rule = *options.reservations});
  if (options.preemption) preemption.emplace(*options.preemption);
}

namespace {

/// The discipline as the options want it.
Result<Whom> with_shares(Whom whom, const EngineOptions& options) {
  const Result<ShareScale> scale = ShareScale::from(options.share_scale, options.resources.size());
  if (!scale) return scale.error();
  const std::string_view name = whom.discipline->info.name;
  if (!options.share_scale.empty() && !whom.discipline->scaled)
    return Error{.message = fmt::format("{} has no shares to scale; drf, asset and ps-dsf have", name),
                 .key = "share_scale"};
  if (!options.half_life) return whom;
  if (options.half_life->count() <= 0)
    return Error{.message = "a half-life must be above 0; leave it out for present shares",
                 .key = "half_life"};
  if (whom.discipline->share == nullptr)
    return Error{.message = fmt::format("{} knows no usage that decays; drf and asset do", name),
                 .key = "half_life"};
  whom.discipline = over_time(*whom.discipline);
  return whom;
}

/// What keeps users from starving, as the options want it.
Check check_patience(const Whom& whom, const EngineOptions& options) {
  if (options.reservations) {
    if (Check bad = check(*options.reservations)) return bad;
  }
  if (!options.preemption) return {};
  if (whom.discipline->level == nullptr)
    return Error{
        .message = options.half_life
                       ? std::string("with a half-life the order of users changes with time, and "
                                     "tasks that are preempted for one user would be preempted back")
                       : fmt::format("{} does not order users by a key that rises with their use; drf, "
                                     "asset, tsf, round-robin and pf do",
                                     whom.discipline->info.name),
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
  const Result<Whom> chosen = scheduling::whom(options.discipline);
  if (!chosen) return chosen.error();
  const Result<Whom> whom = with_shares(*chosen, options);
  if (!whom) return whom.error();
  if (Check bad = check_patience(*whom, options)) return *std::move(bad);
  const Result<Where> where = scheduling::where(options.placement);
  if (!where) return where.error();
  return Engine(std::make_unique<State>(std::move(options), *whom, *where));
}

std::optional<Placed> Engine::step(Time now, Random& random) {
  state_->now = std::max(state_->now, now);
  return state_->step(random, nullptr);
}

std::size_t Engine::server_count() const { return state_->accounts.servers.size(); }
std::size_t Engine::user_count() const { return state_->accounts.users.size(); }
std::size_t Engine::job_count() const { return state_->accounts.jobs.size(); }
std::size_t Engine::running_count() const { return state_->accounts.tasks.size(); }

const EngineOptions& Engine::options() const { return state_->options; }

std::optional<Time> Engine::now() const {
  return state_->now == Time::min() ? std::nullopt : std::optional(state_->now);
}

std::optional<Engine::JobState> Engine::job(JobId job) const {
  const Accounts& accounts = state_->accounts;
  const auto number = accounts.jobs.find(job);
  if (!number) return {};
  const JobRow& row = accounts.jobs[*number];
  return JobState{.user = accounts.users.id(accounts.queues[row.queue].user),
                  .waiting = row.waiting,
                  .running = row.running};
}

std::optional<Engine::UserState> Engine::user(UserId user) const {
  const Accounts& accounts = state_->accounts;
  const auto number = accounts.users.find(user);
  if (!number) return {};
  const std::span<const std::int64_t> used = accounts.used(*number);
  return UserState{.used = Amounts(used.begin(), used.end()),
                   .running = accounts.users[*number].running,
                   .dominant_share = dominant_part(used, accounts.park.pool(), state_->standing.scale),
                   .decayed_share = state_->standing.usage
                                        ? std::optional(state_->standing.usage->usage(*number, state_->now))
                                        : std::nullopt};
}

std::optional<Engine::ServerState> Engine::server(ServerId server) const {
  const Accounts& accounts = state_->accounts;
  const auto number = accounts.servers.find(server);
  if (!number) return {};
  const auto amounts = [](std::span<const std::int64_t> units) {
    return Amounts(units.begin(), units.end());
  };
  return ServerState{.capacity = amounts(accounts.park.capacity(*number)),
                     .free = amounts(accounts.park.free(*number)),
                     .drained = accounts.servers[*number].drained};
}

bool Engine::fits(JobId job) const {
  const Accounts& accounts = state_->accounts;
  const auto number = accounts.jobs.find(job);
  if (!number || accounts.jobs[*number].waiting == 0) return false;
  if (accounts.shapes.terms(state_->shape_of(*number)) != nullptr)
    return state_->batch_fits(*number, {}, state_->open_servers());
  const std::uint32_t queue = accounts.jobs[*number].queue;
  const Reservations::Kept* const kept =
      state_->reservations ? state_->reservations->of_queue(queue) : nullptr;
  return (kept != nullptr && state_->has_kept_room(*kept)) ||
         state_->fits_somewhere(accounts.queues[queue].shape, state_->open_servers());
}

std::string Engine::broken_invariant() const {
  std::string broken = state_->accounts.broken();
  if (broken.empty()) broken = broken_constraint(state_->accounts);
  return broken.empty() && state_->reservations ? state_->broken_reservation() : broken;
}

}  // namespace mirab::scheduling
