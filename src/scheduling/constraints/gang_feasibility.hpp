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
  GangFeasibility(const Ledger& ledger, std::uint32_t job, const OpenServers& open);
  GangFeasibility(const Ledger& ledger, std::uint32_t job)
      : GangFeasibility(ledger, job, OpenServers(ledger.server_pool)) {}

  /// The same for a job of this task class, without tasks as yet, on the servers that are not drained if
  /// nothing ran there, or on all of them.
  enum class Emptied { open, all };
  GangFeasibility(const Ledger& ledger, std::uint32_t task_class, const PlacementConstraints& terms,
                  Emptied emptied);

  /// The most tasks that can start now, one after the other, each where the terms allow it then; INT64_MAX if
  /// there are more.
  std::int64_t most() const;

  /// The servers to which the first of `batch` tasks may go, so that the others find room after it wherever
  /// the terms allow them to be put; by way of the task class. Only servers of the kind, if one is given.
  std::vector<ServerSet> first_of(std::int64_t batch, std::optional<std::uint32_t> kind) const;

  /// What of the terms keeps one more task from a server, whatever is free there: the first that does.
  struct Objection {
    enum class Term { none, pack, per_server, spread };
    Term term = Term::none;
    std::int64_t running = 0;  ///< per_server, spread: tasks of the job on the server, or in its domain
    std::int64_t at_most = 0;  ///< how many may run there now
  };
  /// Requires a server that is not drained and could hold a task of the job, with the labels of the terms.
  Objection objection(std::uint32_t server) const;

 private:
  using Wide = fairness::Wide;  // sums over servers of 63-bit numbers

  struct Server {
    std::uint32_t number;
    std::uint32_t alternative;
    std::uint32_t domain;
  };
  /// The servers with one value of the label of spread, and one of that of pack.
  struct Domain {
    std::uint32_t pack;        // of packs_
    bool is_present = false;   // with a server, not drained, that holds one task when it is empty
    std::int64_t running = 0;  // c_d
    Wide room = 0;             // room_d
  };
  /// The servers with one value of the label of pack.
  struct Pack {
    bool is_excluded = false;  // the job runs in another one
    std::int64_t least = 0;    // m = min_d c_d
    Wide most = 0;             // more tasks of the job
  };

  std::uint32_t domain_of(std::uint32_t server);
  std::uint32_t new_domain(const std::map<std::string, std::string>& labels);
  void add_running(std::uint32_t job);
  void add_server(std::uint32_t server, std::span<const std::int64_t> free);
  std::int64_t room_on(std::uint32_t server, const DemandAlternative& alternative,
                       std::span<const std::int64_t> free) const;
  void count_packs();
  bool may_be_next_in(const Domain& domain) const;
  std::int64_t most_in(const Domain& domain) const;

  const Ledger& ledger_;
  std::uint32_t shape_;
  const PlacementConstraints& terms_;
  std::vector<std::int64_t> running_on_;   // [server], shorter when the last ones have none
  std::vector<std::uint32_t> domains_of_;  // [description]
  std::vector<Domain> domains_;
  std::vector<Pack> packs_;
  std::map<std::string_view, std::uint32_t> pack_numbers_;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> domain_numbers_;
  std::vector<Server> servers_;  // with room for one task at least
};

/// The next tasks of the job start together: those that its gang lacks, or one. Requires that it has terms
/// and that some wait.
std::int64_t batch_of(const Ledger& ledger, std::uint32_t job);

/// The first term that a running job breaks, in words; nothing when none is broken. O(everything).
std::string broken_constraint(const Ledger& ledger);

}  // namespace mirab::scheduling
