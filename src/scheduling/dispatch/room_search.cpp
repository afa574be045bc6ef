// Where the next tasks of a queue start: the placement is asked, among the servers of the tournament.
#include "scheduling/dispatch/room_search.hpp"

#include <algorithm>

namespace mirab::scheduling {
namespace {

/// The servers for the first task of a batch that is served in the tournament, by way of the task class.
std::vector<ServerSet> first_of_batch(const GangFeasibility& gang, std::int64_t batch,
                                      TaskClassIndex task_class, const Ledger& ledger,
                                      const TournamentRules& tournaments, TournamentId tournament) {
  std::vector<ServerSet> servers = gang.first_of(batch, tournaments.server_class(tournament));
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  for (std::size_t at = 0; at < servers.size(); ++at) {
    if (!tournaments.serves(tournament, task_class, alternatives[at])) servers[at] = {};
  }
  return servers;
}

}  // namespace

/// The ways to run a task of the task class, on the servers of the tournament.
void RoomSearch::write_alternatives(TaskClassIndex task_class, TournamentId tournament) {
  const std::optional<ServerClassIndex> server_class = tournaments_.server_class(tournament);
  const Eligibility& eligibility = ledger_.task_classes.eligibility;
  alternatives_.clear();
  for (const DemandAlternative& alternative : ledger_.task_classes.alternatives(task_class)) {
    if (!tournaments_.serves(tournament, task_class, alternative)) continue;
    alternatives_.push_back({.demand = alternative.demand,
                             .among = server_class ? admitted_.of(ledger_.server_classes, *server_class,
                                                                  alternative.servers, eligibility)
                                                   : eligibility.servers(alternative.servers)});
  }
}

/// `servers` by way of the task class.
std::optional<ServerIndex> RoomSearch::find_on_some(const std::vector<ServerSet>& servers,
                                                    TaskClassIndex task_class, Random& random) {
  const std::span<const DemandAlternative> ways = ledger_.task_classes.alternatives(task_class);
  alternatives_.clear();
  for (std::size_t way = 0; way < ways.size(); ++way)
    alternatives_.push_back({.demand = ways[way].demand, .among = &servers[way]});
  return placement_.find(alternatives_, random);
}

std::optional<Dispatch> RoomSearch::find(TournamentEntry entry, Random& random) {
  const QueueRow& queue = ledger_.queues[entry.queue];
  if (ledger_.task_classes.terms(queue.task_class) == nullptr) {
    write_alternatives(queue.task_class, entry.tournament);
    const std::optional<ServerIndex> server = placement_.find(alternatives_, random);
    if (!server) return {};
    return Dispatch{.entry = entry, .server = *server, .has_terms = false, .batch = 1};
  }
  const std::int64_t batch = batch_of(ledger_, queue.first_job);
  batch_servers_ = first_of_batch(GangFeasibility(ledger_, queue.first_job), batch, queue.task_class, ledger_,
                                  tournaments_, entry.tournament);
  const std::optional<ServerIndex> server = find_on_some(batch_servers_, queue.task_class, random);
  if (!server) return {};
  return Dispatch{.entry = entry, .server = *server, .has_terms = true, .batch = batch};
}

ServerIndex RoomSearch::server_of_companion(JobIndex job, std::int64_t left, Random& random) {
  batch_servers_ = GangFeasibility(ledger_, job).first_of(left, {});
  const std::optional<ServerIndex> server = find_on_some(batch_servers_, ledger_.task_class_of(job), random);
  MIRAB_ASSERT(server.has_value(), "a gang starts in part");
  return *server;
}

bool batch_fits_in(const Ledger& ledger, const TournamentRules& tournaments, TournamentId tournament,
                   JobIndex job, const OpenServers& open) {
  const std::vector<ServerSet> servers =
      first_of_batch(GangFeasibility(ledger, job, open), batch_of(ledger, job), ledger.task_class_of(job),
                     ledger, tournaments, tournament);
  return std::any_of(servers.begin(), servers.end(), [](const ServerSet& set) { return any(set); });
}

TournamentEntry entry_on(const Ledger& ledger, const TournamentRules& tournaments, QueueIndex queue,
                         ServerIndex server) {
  return {.queue = queue, .tournament = tournaments.of(ledger.queues[queue].task_class, server)};
}

}  // namespace mirab::scheduling
