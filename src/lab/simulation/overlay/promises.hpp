#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>
#include <mirab/overlay/wire.hpp>

#include "lab/simulation/overlay/audit_ledger.hpp"
#include "lab/simulation/overlay/faults.hpp"
#include "lab/simulation/overlay/roster.hpp"
#include "lab/simulation/overlay/world.hpp"

namespace mirab::simulation {

/// DGDRF's promise (Östman, 3.3.1): a server r gives a turn only when its neighbour p of lowest utility, or
/// each of its neighbours p (Confirm), has confirmed, in that very round, that (S_r \ {p}) ∪ {r} is its view;
/// when that was so as p was asked; and when r's view is still the one that it asked about. A server that
/// knows no other needs no confirmation. Keeps the last round of each server.
class Confirmations {
 public:
  using View = std::span<const overlay::Descriptor>;

  explicit Confirmations(overlay::Confirm confirm) : confirm_(confirm) {}

  /// A node is about to act on this message; its gradient view as it is then.
  void on_message(overlay::NodeId from, overlay::NodeId to, const overlay::Message& message, View view);
  /// It gave a turn; its view as it did.
  void on_served(Time now, overlay::NodeId server, const overlay::Served& served, View view,
                 ViolationLog& findings) const;
  void on_lost_memory(overlay::NodeId server) { rounds_.erase(server); }

 private:
  struct Question {
    std::vector<overlay::NodeId> neighbours;  ///< (S_r \ {p}) ∪ {r}, ascending
    bool true_there = false;                  ///< that was p's view
    bool confirmed = false;                   ///< r heard p say so
  };
  struct Round {
    std::uint64_t number = 0;
    std::map<overlay::NodeId, Question> asked;  ///< by p
  };
  /// What is wrong with a turn of this round; null: nothing.
  const char* wrong(overlay::NodeId server, std::uint64_t number, View view) const;

  overlay::Confirm confirm_;
  std::map<overlay::NodeId, Round> rounds_;  // by r
};

/// What a user wants, as it is.
struct Want {
  bool present = false;       ///< a task of it waits for a place; else it is idle
  std::uint64_t running = 0;  ///< G_i = running · max_r D_ir / C_r
  std::uint64_t owed = 0;     ///< submitted before, and will be again
};

/// Is it promised under these rules and faults that some task is placed? Not where a task looks at a few
/// servers only (probes); where users who found nothing are left out (Stuck::leave); where a user waits
/// without end for the answer of a server that never comes back (no lease); or where fixed neighbours are
/// never forgotten, and one is gone for good (DDRF).
bool is_live(const OverlayRules& rules, const Faults& faults);

/// The users of whom one must get a place: those of the lowest share (of a FIFO all who wait), when each of
/// them has a task that waits and fits on a server that is here. Empty: nothing is promised at this moment.
///
/// Who is the poorest to the nodes is one of the users of the lowest share: which one of several is left to
/// them, and the others may be blocked by it, so that all of them must fit.
std::vector<overlay::NodeId> promised(const AuditLedger& books, const Roster& roster,
                                      const std::vector<Want>& wants, const std::vector<bool>& here,
                                      overlay::Scheduler scheduler, overlay::Idle idle);

/// What the nodes say of themselves.
struct NodeInspector {
  std::function<std::span<const overlay::Descriptor>(overlay::NodeId server)> view;
  std::function<std::span<const std::int64_t>(overlay::NodeId server)> free;
  std::function<Want(overlay::NodeId user)> want;
};

/// Checks the promises of docs/explanation/overlay-faults.md after every event of a run. It observes
/// everything and changes nothing.
///
///   capacity       no server holds and runs more than it has, and what it says is free is free
///   one place      no task runs at two places at once
///   once           a task that is over is never wanted, nor does it start, again; every other that its user
///                  ever wanted, the user wants, knows to run, or owes
///   not forgotten  a task that its user was told runs, runs; or its user learns within `agreed` that it does
///                  not, and submits it again or takes its end. Without a lease a user never hears of what
///                  died with its server's memory: that is the price of none
///   no leak        nothing is held for longer than `held`; nothing runs for longer than `agreed` that its
///                  user does not know of
///   confirmed      DGDRF gives a turn only with a confirmation that was true
///   liveness       after the last fault no user waits for longer than `placement` without any placement
///   while
///                  the task whose turn it is fits
///
/// The bounds are those of faults.hpp. Cost: O(log tasks) a fact, O(N + K) a tick, O(tasks) when a server
/// stops or starts.
class Promises {
 public:
  /// All that it is given must outlive it. `first_tick`: from when on the plan of faults counts.
  Promises(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario, Time first_tick,
           NodeInspector inspector);

  // What an Observer sees (world.hpp).
  void on_fact(Time now, overlay::NodeId node, const overlay::Fact& fact);
  void on_message(const overlay::AddressedMessage& letter);
  void on_server_event(Time now, overlay::NodeId server, ServerEvent server_event);
  void after_event(Time now, overlay::NodeId node);

  const ViolationLog& findings() const { return findings_; }
  /// Would a lack of placements be found before `end`?
  bool watches_liveness(Time end) const { return live_ && calm_ + bounds_.placement < end; }

 private:
  /// Something should have been put right by then.
  struct Due {
    Time at;
    overlay::TaskId task;
    std::optional<HeldKey> held;  ///< a reservation; none: host and user disagree on the task
    friend bool operator>(const Due& a, const Due& b) { return a.at > b.at; }
  };

  bool died_unheard(const TaskRecord& record) const;
  Time agreement_due(Time since) const;
  Time answer_due(const HeldKey& key, const HeldRecord& held) const;
  void expect_agreement(Time since, const overlay::TaskId& task);
  void expect_answer(const HeldKey& key);
  void expire(Time now);
  void on_started(Time now, overlay::NodeId server);
  void check_agreement(const Due& due);
  void check_answer(const Due& due);
  void check_free(Time now, overlay::NodeId server);
  void check_open(Time now, overlay::NodeId user);
  void check_placement(Time now);

  const Roster& roster_;
  const OverlayRules& rules_;
  const OverlayScenario& scenario_;
  NodeInspector inspector_;
  Bounds bounds_;
  Time calm_;  // the last fault is over
  bool live_;
  AuditLedger audit_ledger_;
  Confirmations confirmations_;
  std::vector<bool> up_, here_;               // its daemon runs; and takes tasks. [K]
  std::vector<Time> up_since_;                // [K]
  std::vector<std::optional<Time>> died_at_;  // lost its memory last. [K]
  std::priority_queue<Due, std::vector<Due>, std::greater<>> dues_;
  bool counted_ = false;  // this event changed what a server holds or runs
  Time next_check_{};
  bool placed_ = false;   // since the last check
  Time waiting_since_{};  // since when some user must get a place and none does
  ViolationLog findings_;
};

/// An observer that tells the promises everything. They must outlive it.
Observer observer_of(Promises& promises);

/// What the nodes of a world say of themselves. It must outlive that.
NodeInspector inspector_of(const World& world);

}  // namespace mirab::simulation
