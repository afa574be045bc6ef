#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/bracket.hpp"
#include "scheduling/order/descent.hpp"
#include "scheduling/order/tournament_rules.hpp"
#include "scheduling/order/waiting_queues.hpp"
#include "scheduling/placement/placement_search.hpp"

namespace mirab::scheduling {

/// What the dispatcher decides: the next task of the queue starts on the server, and with it as many others
/// of its job as have to start together.
struct Dispatch {
  TournamentEntry entry;
  ServerIndex server;
  bool has_terms;          ///< the job has
  std::int64_t batch;      ///< tasks that start together
  std::uint32_t role = 0;  ///< of the first task, in a job with roles
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

  /// The same of a queue with terms, in whichever tournament. Of a job with roles the servers of `first` come
  /// before the others.
  std::optional<Dispatch> find_in_any(QueueIndex queue, std::span<const ServerIndex> first, Random& random);

  /// Where the tasks of the job with roles go that was found latest, in the order in which they choose.
  RolePlace place_of_role(std::size_t at) const { return role_places_[at]; }

  /// The server of the next one of a job's tasks that are still to start together. There is one.
  ServerIndex server_of_companion(JobIndex job, Random& random);

  /// Is there room for the next tasks of a job with terms that start together, the first one on a server of
  /// the tournament? Cost as for GangFeasibility::first_of, whatever runs of the job.
  bool batch_fits(TournamentId tournament, JobIndex job);

  // What has happened. Tasks that start it sees itself.
  void task_ended(TaskClassIndex task_class, ServerIndex server);
  void servers_changed() { kept_.clear(); }  ///< those that take tasks, their capacities, or their labels

  /// The ways to run the task of the latest search, with the servers among which one was searched.
  std::span<const SearchAlternative> alternatives() const { return alternatives_; }

 private:
  /// What the terms of a job leave, which is kept from one decision about it to the next.
  struct Kept {
    JobIndex job;
    std::uint64_t sequence;  // of the job
    GangFeasibility gang;
  };
  GangFeasibility& gang_of(JobIndex job);
  std::optional<Dispatch> find_roles(QueueIndex queue, std::optional<TournamentId> tournament,
                                     std::span<const ServerIndex> first);
  bool write_batch(std::optional<TournamentId> tournament, JobIndex job);
  void write_alternatives(TaskClassIndex task_class, TournamentId tournament);

  const Ledger& ledger_;
  const TournamentRules& tournaments_;
  PlacementSearch& placement_;
  AdmittedServers admitted_;
  std::vector<SearchAlternative> alternatives_;  // of the latest search
  ServerSet batch_servers_;                      // to which they point, of a job with terms
  std::vector<ServerSet> way_servers_;           // the same, by way
  std::vector<RolePlace> role_places_;           // of the latest job with roles that was found
  std::unordered_map<TaskClassIndex, Kept> kept_;
};

/// Is there room now, on these servers, for the next tasks of a job with terms that start together, the first
/// one on a server of the tournament? As batch_fits().
bool batch_fits_in(const Ledger& ledger, const TournamentRules& tournaments, TournamentId tournament,
                   JobIndex job, const OpenServers& open);

/// Is there room now, on these servers, for a task of the class without terms that is served in the
/// tournament? O(a search).
bool has_room_in(TournamentId tournament, const Ledger& ledger, const TournamentRules& tournaments,
                 TaskClassIndex task_class, const OpenServers& open);

/// Which task classes that wait have room, in each of their tournaments: for each a server is remembered that
/// has, so that a change of a server concerns the few task classes that it is remembered for. One that fitted
/// nowhere when it was searched may fit on servers where something was released since: these are kept for
/// who is to ask, until they are dropped or tried. Task classes with terms are searched again after every
/// change.
class RoomByClass {
 public:
  /// Requires them to outlive it.
  RoomByClass(const Ledger& ledger, const TournamentRules& tournaments, RoomSearch& room_search)
      : ledger_(ledger), tournaments_(tournaments), room_search_(room_search) {}

  // What has happened.
  void entered(TaskClassIndex task_class);  ///< some of its queues wait
  void left(TaskClassIndex task_class);     ///< none waits any more
  void room_released(ServerIndex server) {
    released_.add(server);
    is_other_ = true;
  }
  void room_taken(ServerIndex server) {
    taken_.push_back(server);
    is_other_ = true;
  }
  void all_changed() { all_changed_ = true; }
  void begin();  ///< nothing waits as yet

  /// What is done with servers with released room: they are kept, unless there are many, or tried.
  enum class Released { kept, tried };

  /// Brings it up to date, and visits the task classes for which it is another than it was. A search for each
  /// that has lost its server; where servers are tried O(m) for each of them and each that fits nowhere.
  template <class Visit>
  void refresh(const WaitingQueues& waiting, Released released, Visit changed) {
    changed_.clear();
    find_changes(waiting, released);
    for (const TaskClassIndex task_class : changed_) changed(task_class);
  }

  bool has_room(TaskClassIndex task_class, std::size_t tournament) const {
    const std::vector<ServerIndex>& servers = classes_[task_class].servers;
    return tournament < servers.size() && servers[tournament] != kNone;
  }

  /// Those on which something was released since the task classes that fit nowhere were tried there.
  ReleasedServers& released() { return released_; }

 private:
  struct OfClass {
    bool waits = false;
    bool is_known = false;
    std::vector<ServerIndex> servers = {};  // with room, [tournament]; kNone: there is none
  };
  struct InTournament {
    TaskClassIndex task_class;
    std::size_t tournament;
    friend auto operator<=>(const InTournament&, const InTournament&) = default;
  };

  void find_changes(const WaitingQueues& waiting, Released released);
  void try_released(const WaitingQueues& waiting);
  void forget_those_with_room();
  bool waits_at(InTournament at, ServerIndex server) const;
  void search_all_of(TaskClassIndex task_class, const WaitingQueues& waiting);
  void set(InTournament at, ServerIndex server);
  ServerIndex search(TaskClassIndex task_class, TournamentId tournament, const WaitingQueues& waiting);
  bool has_room_on(TaskClassIndex task_class, TournamentId tournament, ServerIndex server) const {
    return ledger_.has_room(task_class, server) && tournaments_.admits(tournament, task_class, server);
  }

  const Ledger& ledger_;
  const TournamentRules& tournaments_;
  RoomSearch& room_search_;
  AdmittedServers admitted_;
  IndexedVector<TaskClassIndex, OfClass> classes_;
  std::vector<TaskClassIndex> new_;  // not searched as yet
  std::vector<TaskClassIndex> with_terms_;
  std::vector<InTournament> without_room_;  // and some that have room again, or wait no more
  std::size_t kept_without_room_ = 64;      // of these at the most, before they are looked through
  IndexedVector<ServerIndex, std::vector<InTournament>> by_server_;  // the same
  std::vector<InTournament> remembered_;                             // of one server that was taken
  ReleasedServers released_;
  std::vector<ServerIndex> taken_;
  bool is_other_ = false;  // has something been released or taken since the latest refresh?
  std::vector<TaskClassIndex> changed_;
  std::uint64_t searches_ = 0;
  bool all_changed_ = false;
};

/// The waiting tasks that may start, as a tree looks at them (order/descent.hpp): the first of each queue in
/// each of its tournaments, if it has room, or with freeze whether or not, where no limit and no reserve is
/// in the way. O(task classes × tournaments × (a search) + queues × tournaments × depth m).
///
/// What a task takes, where that depends on the server: under ps-dsf what it takes in the tournament; else,
/// and of a gang, of each resource the most that it takes on any server.
class TreeCandidates {
 public:
  /// Those that the queues entered, or those that the next step will have entered them into.
  enum class Tournaments { entered, present };

  TreeCandidates(const Ledger& ledger, const TournamentRules& tournaments, const WaitingQueues& waiting,
                 const OpenServers& open, Blocking blocking, Tournaments which = Tournaments::entered);
  TreeCandidates(const TreeCandidates&) = delete;
  TreeCandidates& operator=(const TreeCandidates&) = delete;

  std::span<const TreeCandidate> all() const { return all_; }

 private:
  std::vector<TreeCandidate> all_;
  std::deque<Amounts> demands_;  // of those that are of no task class alone
};

/// Those of one user, whose demands may stand in `demands`, and those that wait for room (TreeCandidate), of
/// task classes without terms. `has_room(task class, tournament by its number)`.
template <class HasRoom>
void write_candidates(const Ledger& ledger, const TournamentRules& tournaments, const WaitingQueues& waiting,
                      UserIndex user, HasRoom has_room, std::vector<TreeCandidate>& candidates,
                      std::vector<Amounts>& demands);

/// The queue's next task in the tournament, whether or not it may start. What it takes is written to `demand`
/// where it is not what the task class takes.
TreeCandidate tree_candidate(const Ledger& ledger, const TournamentRules& tournaments, TournamentEntry entry,
                             Amounts& demand);

/// May its task run on every server that has room for what it takes, and is it served there in the
/// tournament?
bool runs_anywhere(const Ledger& ledger, const TournamentRules& tournaments, TournamentEntry entry);

template <class HasRoom>
void write_candidates(const Ledger& ledger, const TournamentRules& tournaments, const WaitingQueues& waiting,
                      UserIndex user, HasRoom has_room, std::vector<TreeCandidate>& candidates,
                      std::vector<Amounts>& demands) {
  for (const QueueIndex queue : ledger.users[user].queues) {
    if (!waiting.holds(queue)) continue;
    const TaskClassIndex task_class = ledger.queues[queue].task_class;
    const std::vector<TournamentId>& entered = waiting.tournaments(task_class);
    for (std::size_t at = 0; at < entered.size(); ++at) {
      const bool waits_for_room = !has_room(task_class, at);
      if (waits_for_room && ledger.task_classes.terms(task_class) != nullptr) continue;
      Amounts demand;
      TreeCandidate candidate =
          tree_candidate(ledger, tournaments, {.queue = queue, .tournament = entered[at]}, demand);
      const bool is_stopped = quota_in_the_way(ledger, user, candidate.demand).has_value();
      if (is_stopped && !waits_for_room) continue;
      if (waits_for_room) {
        candidate.waits_for_room = true;
        candidate.is_stopped = is_stopped;
        candidate.runs_anywhere = runs_anywhere(ledger, tournaments, candidate.entry);
      }
      if (!demand.empty()) candidate.demand = demands.emplace_back(std::move(demand));
      candidate.is_covered = covering(ledger, user, candidate.demand).has_value();
      candidates.push_back(candidate);
    }
  }
}

/// What the next batch of a queue takes together, of that many tasks, of each resource the most on any
/// server, and no more than can be counted. O(ways m). [m]
Amounts most_together(const Ledger& ledger, const QueueRow& queue, std::int64_t tasks);

/// Of a queue whose task, of that role in a job with roles, goes to the server without a search.
TournamentEntry entry_on(const Ledger& ledger, const TournamentRules& tournaments, QueueIndex queue,
                         ServerIndex server, std::uint32_t role = 0);

}  // namespace mirab::scheduling
