#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduling/ledger/columns.hpp"
#include "scheduling/ledger/ledger.hpp"

namespace mirab::scheduling {

/// A task of a job with roles starts there, of the role with this place among them.
struct RolePlace {
  std::uint32_t role;
  ServerIndex server;
};

/// Which waiting tasks of a job with roles find room, and where: roles.hpp.
struct RolePacking {
  std::vector<RolePlace> places = {};    ///< in the order in which they choose
  std::vector<std::int64_t> found = {};  ///< how many of each role find room, [role]
  bool is_whole = true;                  ///< do all?
};

/// Where a job with terms may start tasks, as things stand: what runs of it, and what that leaves. Room is
/// counted when it is asked for.
///
/// O(domains + running tasks of the job). Of jobs whose terms name no label there is one domain.
class GangFeasibility {
 public:
  /// Requires that the job has terms. Valid until anything changes that is not told.
  GangFeasibility(const Ledger& ledger, JobIndex job, OpenServers open);
  GangFeasibility(const Ledger& ledger, JobIndex job)
      : GangFeasibility(ledger, job, OpenServers(ledger.server_pool)) {}

  /// The same for a job of this task class, without tasks as yet, on the servers that are not drained if
  /// nothing ran there, or on all of them. `domains` are those of the labels of the terms, if they name any.
  enum class Emptied { open, all };
  GangFeasibility(const Ledger& ledger, TaskClassIndex task_class, const PlacementConstraints& terms,
                  const Domains* domains, Emptied emptied);

  /// The most tasks that can start now, one after the other, each where the terms allow it then; INT64_MAX if
  /// there are more. O(servers m).
  std::int64_t max_tasks() const;
  /// Can that many? O(servers with room m), and less where it soon shows.
  bool has_room_for(std::int64_t tasks) const;

  /// The servers to which the terms allow the next task; nullptr when they allow all. What they do not look
  /// at is not asked: labels and names, and room. Valid until the next call of task_started or task_ended.
  /// O(servers / 64) when a domain begins or ceases to take tasks, else O(1).
  const ServerSet* allowed();
  /// The same of the first of `batch` tasks, so that the others find room after it wherever the terms allow
  /// them to be put; nothing when there is no room for them. O(servers with room m + servers / 64).
  struct First {
    bool is_any = true;
    ServerSet servers = {};  ///< if not any
  };
  std::optional<First> first_of(std::int64_t batch) const;

  /// The servers on which `batch` more tasks would start if no task of another job ran there: each goes to
  /// the first of `candidates`, in their order, that has room for it then and where the terms allow it. With
  /// pack those in the domain where the fewest servers are needed, of equal ones where the lowest number is
  /// among them. Nothing when there is no room. Requires candidates that could hold a task of the job without
  /// tasks. O(candidates m + running tasks of the job + packs candidates + (batch + domains) log domains).
  std::optional<std::vector<ServerIndex>> servers_if_emptied(std::int64_t batch,
                                                             std::span<const ServerIndex> candidates) const;

  /// What is free there.
  using FreeOn = std::function<Amounts(ServerIndex)>;

  /// Of a job with roles, one for each pack that is not excluded: where that many tasks of each role find
  /// room, each on the first of `servers`, in their order, that has room for it then and where the terms
  /// allow it. Requires that `servers` take tasks. roles.cpp.
  std::vector<RolePacking> pack_roles(std::span<const std::int64_t> waiting,
                                      std::span<const ServerIndex> servers, const FreeOn& free_on) const;

  /// As servers_if_emptied(), of all waiting tasks of a job with roles. roles.cpp.
  std::optional<std::vector<ServerIndex>> servers_for_roles_if_emptied(
      std::span<const ServerIndex> candidates) const;

  /// A task of the job has started there, or ended. O(1), but for what allowed() does again; of a task that
  /// ends O(domains).
  void task_started(ServerIndex server);
  void task_ended(ServerIndex server);
  std::int64_t running() const { return running_; }  ///< tasks of the job

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

  struct Domain {
    PackIndex pack{0};
    bool takes_tasks = true;   // it has the labels of the terms
    bool is_present = true;    // with a server, not drained, that holds one task when it is empty
    std::int64_t running = 0;  // c_d
  };
  struct Pack {
    bool is_excluded = false;  // some task of the job runs elsewhere
    std::int64_t running = 0;
    std::int64_t min_running = 0;  // m = min_d c_d over the present domains d
    std::size_t at_min = 0;        // the domains with c_d = m
  };

  bool has_labels() const { return of_servers_ != nullptr; }
  DomainIndex domain_of(ServerIndex server) const {
    return has_labels() ? of_servers_->of(server) : DomainIndex(0);
  }
  std::int64_t running_on(ServerIndex server) const {
    const auto known = running_on_.find(server);
    return known == running_on_.end() ? 0 : known->second;
  }
  void find_domains();
  bool is_present(const Domains::Domain& domain) const;
  void count_packs();
  IndexedVector<PackIndex, Wide> max_more(std::int64_t at_most) const;
  Wide room_in(const std::vector<Domains::Word>& words, std::span<const Columns::Query> queries,
               std::int64_t at_most) const;
  Wide room_anywhere(std::int64_t at_most) const;
  std::int64_t room_on(ServerIndex server, const DemandAlternative& alternative,
                       std::span<const std::int64_t> free) const;
  struct Candidates {
    std::span<const ServerIndex> servers;
    IndexedVector<DomainIndex, std::vector<std::size_t>> by_domain;  // those with room, in their order
  };
  std::optional<std::vector<ServerIndex>> fill_pack(PackIndex pack, std::int64_t batch,
                                                    const Candidates& candidates,
                                                    std::vector<std::int64_t> rooms) const;
  RolePacking fill_with_roles(PackIndex pack, std::span<const std::int64_t> waiting,
                              const Candidates& candidates, const FreeOn& free_on) const;
  std::int64_t there_with(ServerIndex server, std::int64_t room, std::int64_t put) const;
  bool allows_all() const { return !has_labels() && !terms_->per_server; }
  template <class IsOpen>
  ServerSet allowed_in(IsOpen is_open) const;
  bool may_be_next_in(const Domain& domain) const;
  std::int64_t max_in(const Domain& domain) const;

  const Ledger* ledger_;
  JobIndex job_ = kNone;  // kNone: without tasks as yet
  TaskClassIndex task_class_;
  const PlacementConstraints* terms_;
  const Domains* of_servers_;  // nullptr: the terms name no label
  OpenServers open_;
  std::optional<Emptied> emptied_;
  std::unordered_map<ServerIndex, std::int64_t> running_on_;  // of a job with per_server
  IndexedVector<DomainIndex, Domain> domains_;
  IndexedVector<PackIndex, Pack> packs_;
  std::int64_t running_ = 0;  // tasks of the job
  bool is_allowed_known_ = false;
  ServerSet allowed_;
};

/// The next tasks of the job start together: those that its gang lacks, or one. Requires that it has terms
/// and that some wait.
std::int64_t batch_of(const Ledger& ledger, JobIndex job);

/// The ways to run a task of the task class on these servers (nullptr: on all), of those that pass the test
/// `serves`. What they point to stands in `sets`. O(ways × servers / 64).
template <class Serves>
void write_ways(const Ledger& ledger, TaskClassIndex task_class, const ServerSet* allowed, Serves serves,
                std::vector<SearchAlternative>& ways, std::vector<ServerSet>& sets);

/// Is there room now, on these servers, for the next tasks of a job with terms that start together? O(domains
/// + running tasks of the job + servers with room m). Of a job with roles `first` come before the others.
bool batch_fits(const Ledger& ledger, JobIndex job, const OpenServers& open,
                std::span<const ServerIndex> first = {});

/// Could the job run, and start as it wants to, if nothing else did? Errors: its tasks are too large for
/// every server that it may use; the first term with which its gang cannot start.
Check check_possible(const Ledger& ledger, const JobSubmitted& job, TaskClassIndex task_class);

/// The first term that a running job breaks, in words; nothing when none is broken, or when they need not
/// hold (Ledger::adopts). O(everything).
std::string broken_constraint(const Ledger& ledger);

template <class Serves>
void write_ways(const Ledger& ledger, TaskClassIndex task_class, const ServerSet* allowed, Serves serves,
                std::vector<SearchAlternative>& ways, std::vector<ServerSet>& sets) {
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  ways.clear();
  sets.resize(alternatives.size());  // the ways point to them
  for (std::size_t at = 0; at < alternatives.size(); ++at) {
    const ServerSet* among = ledger.task_classes.eligibility.servers(alternatives[at].servers);
    if (!serves(alternatives[at])) {
      among = &(sets[at] = {});
    } else if (allowed != nullptr && among != nullptr) {
      sets[at] = *among;
      sets[at].intersect(*allowed);
      among = &sets[at];
    } else if (allowed != nullptr) {
      among = allowed;
    }
    ways.push_back({.demand = alternatives[at].demand, .among = among});
  }
}

}  // namespace mirab::scheduling
