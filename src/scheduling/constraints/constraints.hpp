#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduling/ledger/columns.hpp"
#include "scheduling/ledger/ledger.hpp"

namespace mirab::scheduling {

/// Where a job with terms may start tasks, as things stand. O(servers m + running tasks of the job).
class GangFeasibility {
 public:
  /// Requires that the job has terms. Valid until anything changes.
  GangFeasibility(const Ledger& ledger, JobIndex job, const OpenServers& open);
  GangFeasibility(const Ledger& ledger, JobIndex job)
      : GangFeasibility(ledger, job, OpenServers(ledger.server_pool)) {}

  /// The same for a job of this task class, without tasks as yet, on the servers that are not drained if
  /// nothing ran there, or on all of them.
  enum class Emptied { open, all };
  GangFeasibility(const Ledger& ledger, TaskClassIndex task_class, const PlacementConstraints& terms,
                  Emptied emptied);

  /// The most tasks that can start now, one after the other, each where the terms allow it then; INT64_MAX if
  /// there are more.
  std::int64_t max_tasks() const;

  /// The servers to which the first of `batch` tasks may go, so that the others find room after it wherever
  /// the terms allow them to be put; by way of the task class. Only servers of the server class, if one is
  /// given.
  std::vector<ServerSet> first_of(std::int64_t batch, std::optional<ServerClassIndex> server_class) const;

  /// What of the terms keeps one more task from a server, whatever is free there: the first that does.
  struct Objection {
    enum class Term { none, pack, per_server, spread };
    Term term = Term::none;
    std::int64_t running = 0;  ///< per_server, spread: tasks of the job on the server, or in its domain
    std::int64_t at_most = 0;  ///< how many may run there now
  };
  /// Requires a server that is not drained and could hold a task of the job, with the labels of the terms.
  Objection objection(ServerIndex server) const;

 private:
  using Wide = fairness::Wide;  // sums over servers of 63-bit numbers

  using DomainIndex = Index<struct DomainTag>;
  using PackIndex = Index<struct PackTag>;

  struct Server {
    ServerIndex index;
    AlternativeIndex alternative;
    DomainIndex domain;
  };
  /// The servers with one value of the label of spread, and one of that of pack.
  struct Domain {
    PackIndex pack;
    bool is_present = false;   // with a server, not drained, that holds one task when it is empty
    std::int64_t running = 0;  // c_d
    Wide room = 0;             // room_d
  };
  /// The servers with one value of the label of pack.
  struct Pack {
    bool is_excluded = false;  // some task of the job runs elsewhere
    std::int64_t running = 0;
    std::int64_t min_running = 0;  // m = min_d c_d
    Wide max_more = 0;             // more tasks of the job
  };

  DomainIndex domain_of(ServerIndex server);
  DomainIndex new_domain(const std::map<std::string, std::string>& labels);
  void add_running(JobIndex job);
  void add_server(ServerIndex server, std::span<const std::int64_t> free);
  std::int64_t room_on(ServerIndex server, const DemandAlternative& alternative,
                       std::span<const std::int64_t> free) const;
  void count_packs();
  bool may_be_next_in(const Domain& domain) const;
  std::int64_t max_in(const Domain& domain) const;

  const Ledger& ledger_;
  TaskClassIndex task_class_;
  const PlacementConstraints& terms_;
  static constexpr DomainIndex kNowhere{UINT32_MAX - 1};  // of a server without a label that is needed
  IndexedVector<ServerIndex, std::int64_t> running_on_;   // shorter when the last ones have none
  IndexedVector<DescriptionIndex, DomainIndex> domains_of_;
  IndexedVector<DomainIndex, Domain> domains_;
  IndexedVector<PackIndex, Pack> packs_;
  std::map<std::string_view, PackIndex> known_packs_;
  std::map<std::pair<PackIndex, std::string_view>, DomainIndex> known_domains_;
  std::vector<Server> servers_;  // with room for one task at least
  std::int64_t running_ = 0;     // tasks of the job
  // Those on servers with the label of pack, by its value, and without that of spread: a decision places none
  // there, but labels change, and tasks are adopted.
  std::map<std::string_view, std::int64_t> running_nowhere_;
};

/// The next tasks of the job start together: those that its gang lacks, or one. Requires that it has terms
/// and that some wait.
std::int64_t batch_of(const Ledger& ledger, JobIndex job);

/// Is there room now, on these servers, for the next tasks of a job with terms that start together? O(servers
/// m + running tasks of the job).
bool batch_fits(const Ledger& ledger, JobIndex job, const OpenServers& open);

/// Is there a server in the set?
bool any(const ServerSet& servers);

/// Could the job run, and start as it wants to, if nothing else did? Errors: its tasks are too large for
/// every server that it may use; the first term with which its gang cannot start.
Check check_possible(const Ledger& ledger, const JobSubmitted& job, TaskClassIndex task_class);

/// The first term that a running job breaks, in words; nothing when none is broken, or when they need not
/// hold (Ledger::adopts). O(everything).
std::string broken_constraint(const Ledger& ledger);

}  // namespace mirab::scheduling
