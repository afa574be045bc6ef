// What a step would find and do, computed without a step: the queues that wait, and the tasks that it would
// end by force. Both explanations, of waiting and of placed tasks, read it.
#include <algorithm>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

// All who wait, as the next step would find them: nothing in the engine changes, so that the question may be
// put at any time, and as often as one likes. What a step would bring up to date first, the prices, what
// tasks would run alone, the tournaments and the usage, is brought up to date in a copy.

/// The standing as a step at this time would see it; nothing when it is that already.
std::optional<ShareContext> Engine::State::refreshed_context(Time at) const {
  const bool usage_is_due = context.usage && context.usage->is_due(at);
  if (!usage_is_due && !keys_are_stale) return {};
  std::optional<ShareContext> fresh(context);
  if (usage_is_due) fresh->usage->refresh(at);
  if (keys_are_stale && discipline_choice.discipline->priced) fresh->prices = pool_prices(ledger);
  // Task classes that have gone since may have been the last ones.
  const std::size_t task_classes = std::min<std::size_t>(fresh->alone.size(), ledger.task_classes.end());
  for (std::uint32_t task_class = 0; keys_are_stale && task_class < task_classes; ++task_class) {
    if (ledger.task_classes.alternatives(task_class).empty()) continue;
    fresh->alone[task_class] = tasks_alone(ledger, ledger.server_classes, task_class);
    fresh->alone_value[task_class] = fresh->alone[task_class].get_d();
  }
  return fresh;
}

bool Engine::State::has_room_in(TournamentId tournament, std::uint32_t task_class,
                                const OpenServers& open) const {
  const std::optional<std::uint32_t> kind = tournaments.server_class(tournament);
  if (!kind) return ledger.fits_somewhere(task_class, open);
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const DemandAlternative& alternative) {
    if (!tournaments.serves(tournament, task_class, alternative)) return false;
    const ServerSet among =
        ledger.server_classes.admitted(*kind, alternative.servers, ledger.task_classes.eligibility);
    return open.any_with_room({.demand = alternative.demand, .among = &among});
  });
}

/// The tournaments in which the queue waits, and whether its next task has room there, or all that start
/// together.
std::vector<Engine::State::Room> Engine::State::rooms_of(std::uint32_t queue, const OpenServers& open) const {
  const std::uint32_t task_class = ledger.queues[queue].task_class;
  const std::uint32_t job = ledger.queues[queue].first_job;
  std::vector<Room> rooms;
  for (const TournamentId tournament : tournaments.of(task_class)) {
    if (ledger.task_classes.terms(task_class) != nullptr) {
      rooms.push_back({.tournament = tournament, .has_room = batch_fits(job, tournament, open)});
      continue;
    }
    rooms.push_back({.tournament = tournament, .has_room = has_room_in(tournament, task_class, open)});
  }
  return rooms;
}

std::vector<Contender> Engine::State::contenders(const Precedence& precedence,
                                                 const OpenServers& open) const {
  std::vector<std::optional<std::vector<Room>>> rooms(ledger.task_classes.end());
  // With freeze the queue with the lowest key is next, with room or without.
  const auto is_better = [&](const Contender& a, const Contender& b) {
    if (discipline_choice.blocking == Blocking::skip && a.has_room != b.has_room) return a.has_room;
    return precedence.before(a.keyed, b.keyed);
  };
  std::vector<Contender> all;
  for (std::uint32_t queue = 0; queue < ledger.queues.size(); ++queue) {
    if (!ready.holds(queue)) continue;
    const std::uint32_t task_class = ledger.queues[queue].task_class;
    if (!rooms[task_class]) rooms[task_class] = rooms_of(queue, open);
    std::optional<Contender> best;
    for (const auto& [tournament, has_room] : *rooms[task_class]) {
      const Entry entry{.queue = queue, .tournament = tournament};
      const double key = discipline_choice.discipline->key->rounded(*precedence.context, entry);
      const Contender here{.keyed = {.entry = entry, .key = key}, .has_room = has_room};
      if (!best || is_better(here, *best)) best = here;
    }
    if (best) all.push_back(*best);
  }
  return all;
}

WhyWaiting::Other Engine::State::named(const Contender& contender) const {
  const QueueRow& queue = ledger.queues[contender.keyed.entry.queue];
  return {.user = ledger.users.id(queue.user),
          .user_name = ledger.users[queue.user].name,
          .job = ledger.jobs.id(queue.first_job),
          .key = contender.keyed.key};
}

// What a step would end by force, and by which keys: those of who gains and of everybody who loses,
// before and after. The search is that of the step (preemption.cpp); what it remembers is a copy.

ByForce Engine::State::by_force(const PreemptionCandidate& gain, const Precedence& precedence) const {
  const auto key = [&](const UsageAfter& after) {
    return discipline_choice.discipline->share->rounded(*precedence.context, after.usage(), after.weight());
  };
  const std::uint32_t server = gain.victims.server;
  const QueueRow& queue = ledger.queues[gain.queue];
  UsageAfter gainer(ledger, queue.user);
  ByForce force{.server = ledger.servers.id(server),
                .server_name = name_of_server(server),
                .key_before = key(gainer),
                .key_after = 0,
                .losers = {},
                .ends = {}};
  gainer.add(queue.task_class, ledger.demand(queue, server), 1);
  force.key_after = key(gainer);

  std::vector<UsageAfter> left;  // of the losers
  for (const std::uint32_t task : gain.victims.tasks) {
    const std::uint32_t job = ledger.tasks[task].job;
    const QueueRow& of = ledger.queues[ledger.jobs[job].queue];
    const auto known = std::find_if(left.begin(), left.end(),
                                    [&](const UsageAfter& each) { return each.user() == of.user; });
    const auto loser = static_cast<std::size_t>(known - left.begin());
    if (known == left.end()) {
      left.emplace_back(ledger, of.user);
      force.losers.push_back({.user = ledger.users.id(of.user),
                              .user_name = ledger.users[of.user].name,
                              .key_before = key(left.back()),
                              .key_after = 0,
                              .tasks = 0});
    }
    left[loser].add(of.task_class, ledger.demand(of, server), -1);
    ++force.losers[loser].tasks;
    force.losers[loser].key_after = key(left[loser]);
    force.ends.push_back({.task = ledger.tasks.id(task), .job = ledger.jobs.id(job)});
  }
  return force;
}

/// Requires that nothing else can be placed.
std::optional<Engine::State::PreemptionCandidate> Engine::State::foreseen_gain(
    const Precedence& precedence, const ReservationPreview& step) const {
  Preemption remembered = *preemption;
  if (!step.ended_for.empty()) remembered.something_changed();
  if (remembered.is_futile(step.at)) return {};
  const std::int64_t left = remembered.left(step.at);
  if (left == 0) return {};
  VictimSearch search(*precedence.context, *discipline_choice.discipline->share,
                      reservations ? &*reservations : nullptr, step.at);
  return first_gain(search, left, precedence, step.open, step.kept());
}

}  // namespace mirab::scheduling
