#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/wire.hpp>

#include "simulation/overlay/books.hpp"
#include "simulation/overlay/bounds.hpp"
#include "simulation/overlay/confirmations.hpp"
#include "simulation/overlay/liveness.hpp"
#include "simulation/overlay/observer.hpp"

namespace mirab::simulation {

/// What the nodes say of themselves.
struct Insight {
  std::function<std::span<const overlay::Descriptor>(overlay::NodeId server)> view;
  std::function<std::span<const std::int64_t>(overlay::NodeId server)> free;
  std::function<Want(overlay::NodeId user)> want;
};

/// Checks the promises of docs/overlay-faults.md after every event of a run. It is told of everything and
/// changes nothing.
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
///   confirmed      DGDRF gives a turn only with a confirmation that was true (confirmations.hpp)
///   liveness       after the last fault nobody waits for longer than `placement` without any placement while
///                  the task whose turn it is fits (liveness.hpp)
///
/// The bounds are those of bounds.hpp. Cost: O(log tasks) a fact, O(N + K) a tick, O(tasks) when a server
/// stops or starts.
class Promises {
 public:
  /// All that it is given must outlive it. `first_tick`: from when on the plan of faults counts.
  Promises(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario, Time first_tick,
           Insight insight);

  // What an Observer is told of (observer.hpp).
  void on_fact(Time now, overlay::NodeId node, const overlay::Fact& fact);
  void on_message(const overlay::Letter& letter);
  void on_fate(Time now, overlay::NodeId server, Fate fate);
  void after_event(Time now, overlay::NodeId node);

  const Findings& findings() const { return findings_; }
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
  Insight insight_;
  Bounds bounds_;
  Time calm_;  // the last fault is over
  bool live_;
  Books books_;
  Confirmations confirmations_;
  std::vector<bool> up_, here_;               // its daemon runs; and takes tasks. [K]
  std::vector<Time> up_since_;                // [K]
  std::vector<std::optional<Time>> died_at_;  // lost its memory last. [K]
  std::priority_queue<Due, std::vector<Due>, std::greater<>> dues_;
  bool counted_ = false;  // this event changed what a server holds or runs
  Time next_check_{};
  bool placed_ = false;   // since the last check
  Time waiting_since_{};  // since when somebody must get a place and nobody does
  Findings findings_;
};

}  // namespace mirab::simulation
