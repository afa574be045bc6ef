#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/tournament_rules.hpp"
#include "scheduling/placement/placement_search.hpp"

namespace mirab::scheduling {

/// What the dispatcher decides: the next task of the queue starts on the server, and with it as many others
/// of its job as have to start together.
struct Dispatch {
  TournamentEntry entry;
  ServerIndex server;
  bool has_terms;      ///< the job has
  std::int64_t batch;  ///< tasks that start together
};

/// Where the next tasks of a queue start, as things stand. It knows nothing of who is next.
class RoomSearch {
 public:
  /// Requires the other parts to outlive it.
  RoomSearch(const Ledger& ledger, const TournamentRules& tournaments, PlacementSearch& placement)
      : ledger_(ledger), tournaments_(tournaments), placement_(placement) {}

  /// Where the queue's next task goes that is served in the tournament; nothing when it has no room, or the
  /// others that have to start together with it.
  std::optional<Dispatch> find(TournamentEntry entry, Random& random);

  /// The server of the next one of a job's `left` tasks that are still to start together. There is one.
  ServerIndex server_of_companion(JobIndex job, std::int64_t left, Random& random);

  /// The ways to run the task of the latest search, with the servers among which one was searched.
  std::span<const SearchAlternative> alternatives() const { return alternatives_; }

 private:
  std::optional<ServerIndex> find_on_some(const std::vector<ServerSet>& servers, TaskClassIndex task_class,
                                          Random& random);
  void write_alternatives(TaskClassIndex task_class, TournamentId tournament);

  const Ledger& ledger_;
  const TournamentRules& tournaments_;
  PlacementSearch& placement_;
  AdmittedServers admitted_;
  std::vector<SearchAlternative> alternatives_;  // of the latest search
  std::vector<ServerSet> batch_servers_;         // to which they point, of a job with terms
};

/// Is there room now, on these servers, for the next tasks of a job with terms that start together, the first
/// one on a server of the tournament? O(servers m + running tasks of the job).
bool batch_fits_in(const Ledger& ledger, const TournamentRules& tournaments, TournamentId tournament,
                   JobIndex job, const OpenServers& open);

/// Of a queue whose task goes to the server without a search.
TournamentEntry entry_on(const Ledger& ledger, const TournamentRules& tournaments, QueueIndex queue,
                         ServerIndex server);

}  // namespace mirab::scheduling
