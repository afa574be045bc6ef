// Gangs, and tasks that do not go wherever there is room.
//
// A decision starts a batch: the tasks that the gang of the job lacks, or one task. Whether it has room is
// known before the first one is placed (gang_feasibility.cpp), and the placement then chooses for one task
// after the other, of the servers that leave room for the rest. A batch is one turn in the rounds of lines.
// With server classes the first task goes to a server of the tournament, the others wherever the placement
// puts them.
//
// Cost: O(servers m + running tasks of the job) for each task of a batch, and for each time a job finds no
// room.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "scheduling/constraints/gang_feasibility.hpp"
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

/// The servers for the first task of a batch that is served in the tournament, by way of the task class.
std::vector<ServerSet> Engine::State::first_of_batch(const GangFeasibility& gang, std::int64_t batch,
                                                     std::uint32_t task_class,
                                                     TournamentId tournament) const {
  std::vector<ServerSet> servers = gang.first_of(batch, tournaments.server_class(tournament));
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  for (std::size_t at = 0; at < servers.size(); ++at) {
    if (!tournaments.serves(tournament, task_class, alternatives[at])) servers[at] = {};
  }
  return servers;
}

/// `servers` by way of the task class; the search goes on with them until the next.
std::optional<std::uint32_t> Engine::State::find_server_among(const std::vector<ServerSet>& servers,
                                                              std::uint32_t task_class, Random& random) {
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  search_alternatives.clear();
  for (std::size_t alternative = 0; alternative < alternatives.size(); ++alternative)
    search_alternatives.push_back(
        {.demand = alternatives[alternative].demand, .among = &servers[alternative]});
  return find_among_variants(random);
}

/// Another task of a batch starts; what is compared by shares is brought up to date after the last one.
Companion Engine::State::place_companion(std::uint32_t job, std::uint32_t server) {
  const std::uint32_t task = ledger.start(job, server, now);
  last_used = server;
  if (balance)
    balance->task_started(ledger.server_pool, task, server,
                          ledger.task_classes.demand_on(ledger.task_class_of(job), server));
  return {.task = ledger.tasks.id(task), .server = ledger.servers.id(server)};
}

std::optional<Placed> Engine::State::place_batch(Entry entry, Random& random, WhyPlaced* why) {
  const QueueRow& queue = ledger.queues[entry.queue];
  const std::uint32_t job = queue.first_job;
  std::int64_t batch = batch_of(ledger, job);
  std::vector<ServerSet> servers =
      first_of_batch(GangFeasibility(ledger, job), batch, queue.task_class, entry.tournament);
  auto server = find_server_among(servers, queue.task_class, random);
  if (!server) return {};
  const std::uint32_t first = *server;
  if (why != nullptr) {
    *why = why_placed(entry, first, random);
    why->together = batch;
  }
  Placed placed = place(entry, first);
  while (--batch > 0) {
    servers = GangFeasibility(ledger, job).first_of(batch, {});
    server = find_server_among(servers, queue.task_class, random);
    MIRAB_ASSERT(server.has_value(), "a gang starts in part");
    placed.with.push_back(place_companion(job, *server));
  }
  if (why != nullptr) why->free_after = free_on(first);
  share_changed(queue.user);
  if (queue.first_job == kNone && ready.holds(entry.queue)) ready.leave(entry.queue);
  ready.rekey(ledger.users[queue.user].queues);
  ready.retry(queue.task_class);  // what runs of it has changed where others of its tasks may go
  return placed;
}

/// A task of the task class has ended on the server: jobs with terms of which a task fits there are tried
/// again, and the task's own.
void Engine::State::retry_constrained(std::uint32_t task_class, std::uint32_t server) {
  ready.retry_constrained_if(ledger.server_pool.free(server),
                             [&](std::uint32_t other) { return ledger.has_room(other, server); });
  if (ledger.task_classes.terms(task_class) != nullptr) ready.retry(task_class);
}

bool Engine::State::batch_fits(std::uint32_t job, std::optional<TournamentId> tournament,
                               const OpenServers& open) const {
  const GangFeasibility gang(ledger, job, open);
  const std::int64_t batch = batch_of(ledger, job);
  const std::vector<ServerSet> servers =
      tournament ? first_of_batch(gang, batch, ledger.task_class_of(job), *tournament) : gang.first_of(batch, {});
  return std::any_of(servers.begin(), servers.end(), [](const ServerSet& of_alternative) {
    return std::any_of(of_alternative.words().begin(), of_alternative.words().end(),
                       [](std::uint64_t word) { return word != 0; });
  });
}

/// Could the gang start if nothing ran? PlacementConstraints are added one after the other, so that the error
/// names the first one with which it cannot.
Check Engine::State::check_constraints_possible(const JobSubmitted& job, std::uint32_t task_class) const {
  const std::optional<PlacementConstraints> all = constraints_of(job);
  if (!all) return {};
  struct Stage {
    const char* key;
    PlacementConstraints terms;
  };
  std::array<Stage, 4> stages = {Stage{.key = "gang", .terms = {.gang = all->gang}}};
  const auto more = [&](std::size_t stage, const char* key) -> PlacementConstraints& {
    stages[stage] = {.key = key, .terms = stages[stage - 1].terms};
    return stages[stage].terms;
  };
  more(1, "per_server").per_server = all->per_server;
  more(2, "pack").pack = all->pack;
  more(3, "spread").spread = all->spread;
  for (const auto& [key, terms] : stages) {
    // A server that is drained is a domain less, so that fewer servers may have room for more.
    const std::int64_t most =
        std::max(GangFeasibility(ledger, task_class, terms, GangFeasibility::Emptied::all).most(),
                 GangFeasibility(ledger, task_class, terms, GangFeasibility::Emptied::open).most());
    if (most >= all->gang) continue;
    return Error{.message = fmt::format("{} tasks of the job could start together if nothing ran, not {}",
                                        most, all->gang),
                 .key = key};
  }
  return {};
}

}  // namespace mirab::scheduling
