// What a step would find and do, computed without a step: the queues that wait, and the tasks that it would
// end by force. Nothing in the engine changes, so that the question may be asked at any time, by several
// threads at once.
#include <algorithm>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/explain/explainer.hpp"

namespace mirab::scheduling {
namespace {

/// The tournaments in which queues of a task class wait, and whether their next task has room there, or all
/// that start together.
struct Rooms {
  std::vector<TournamentId> tournaments;
  std::vector<bool> have_room;  ///< [tournament]
};

bool has_room_in(TournamentId tournament, const Ledger& ledger, const TournamentRules& tournaments,
                 TaskClassIndex task_class, const OpenServers& open) {
  const std::optional<ServerClassIndex> server_class = tournaments.server_class(tournament);
  if (!server_class) return fits_somewhere(ledger, task_class, open);
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const DemandAlternative& alternative) {
    if (!tournaments.serves(tournament, task_class, alternative)) return false;
    const ServerSet among =
        ledger.server_classes.admitted(*server_class, alternative.servers, ledger.task_classes.eligibility);
    return open.any_with_room({.demand = alternative.demand, .among = &among});
  });
}

Rooms rooms_of(const Ledger& ledger, const TournamentRules& tournaments, QueueIndex queue,
               const OpenServers& open) {
  const TaskClassIndex task_class = ledger.queues[queue].task_class;
  Rooms rooms{.tournaments = tournaments.of(task_class), .have_room = {}};
  for (const TournamentId tournament : rooms.tournaments) {
    rooms.have_room.push_back(
        ledger.task_classes.terms(task_class) != nullptr
            ? batch_fits_in(ledger, tournaments, tournament, ledger.queues[queue].first_job, open)
            : has_room_in(tournament, ledger, tournaments, task_class, open));
  }
  return rooms;
}

}  // namespace

std::vector<Contender> contenders(const EngineView& view, Precedence precedence, const OpenServers& open) {
  const Ledger& ledger = view.ledger;
  std::vector<QueueIndex> queues;
  for (const QueueIndex queue : ledger.queues.indices()) {
    if (view.dispatcher.waiting().holds(queue)) queues.push_back(queue);
  }
  // Until the next step the queues may wait in other tournaments than these.
  IndexedVector<TaskClassIndex, std::optional<Rooms>> rooms(ledger.task_classes.index_count());
  QueuesByPlace waiting;
  for (const QueueIndex queue : queues) {
    std::optional<Rooms>& of_class = rooms[ledger.queues[queue].task_class];
    if (!of_class) of_class = rooms_of(ledger, view.shares.tournaments, queue, open);
    waiting.enter(of_class->tournaments);
  }
  precedence.waiting = &waiting;
  // With freeze the queue with the lowest key is next, with room or without.
  const auto is_better = [&](const Contender& a, const Contender& b) {
    if (view.dispatcher.choice().blocking == Blocking::skip && a.has_room != b.has_room) return a.has_room;
    return precedence.before(a.keyed, b.keyed);
  };
  std::vector<Contender> all;
  for (const QueueIndex queue : queues) {
    const Rooms& of_class = *rooms[ledger.queues[queue].task_class];
    std::optional<Contender> best;
    for (std::size_t index = 0; index < of_class.tournaments.size(); ++index) {
      const TournamentEntry entry{.queue = queue, .tournament = of_class.tournaments[index]};
      const double key = precedence.discipline->key->rounded(*precedence.context, entry);
      const Contender here{.keyed = {.entry = entry, .key = key}, .has_room = of_class.have_room[index]};
      if (!best || is_better(here, *best)) best = here;
    }
    if (best) all.push_back(*best);
  }
  return all;
}

WhyWaiting::Other other_of(const Ledger& ledger, const Contender& contender) {
  const QueueRow& queue = ledger.queues[contender.keyed.entry.queue];
  return {.user = ledger.users.id(queue.user),
          .user_name = ledger.users[queue.user].name,
          .job = ledger.jobs.id(queue.first_job),
          .key = contender.keyed.key};
}

const std::string& name_of_server(const Ledger& ledger, ServerIndex server) {
  return ledger.task_classes.eligibility.description_of(server).name;
}

// What a step would end by force, and by which keys: those of the user that gains and of all that
// lose, before and after. The search is that of the step (preemption.cpp).

ByForce by_force(const PreemptionCandidate& candidate, const Precedence& precedence) {
  const Ledger& ledger = precedence.context->ledger;
  const auto key = [&](const UsageAfter& after) {
    return precedence.discipline->share->rounded(*precedence.context, after.usage(), after.weight());
  };
  const ServerIndex server = candidate.victims.server;
  const QueueRow& queue = ledger.queues[candidate.queue];
  UsageAfter gainer(ledger, queue.user);
  ByForce force{.server = ledger.servers.id(server),
                .server_name = name_of_server(ledger, server),
                .key_before = key(gainer),
                .key_after = 0,
                .losers = {},
                .ends = {}};
  gainer.add(queue.task_class, ledger.demand(queue, server), 1);
  force.key_after = key(gainer);

  std::vector<UsageAfter> left;  // of the losers
  for (const TaskIndex task : candidate.victims.tasks) {
    const JobIndex job = ledger.tasks[task].job;
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

}  // namespace mirab::scheduling
