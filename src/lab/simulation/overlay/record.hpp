#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay.hpp"
#include "lab/simulation/overlay/roster.hpp"
#include "lab/simulation/overlay/world.hpp"
#include "scheduling/order/tournament.hpp"

namespace mirab::simulation {

/// What runs where, for what a run tells: shares, and room as if nothing were held. It believes every fact
/// and finds no fault. Whether promises are kept is the matter of another ledger (audit_ledger.hpp), which
/// also knows what is held and what users believe; they are two so that neither inherits a mistake of the
/// other. They agree on what runs, but for a task that lost its lease: to them it has ended, and here it runs
/// until its server says so or, when that is down, its user gives it up. No node of the overlay knows all
/// this.
class Ledger {
 public:
  explicit Ledger(const Roster& roster);

  /// Started, Stopped and Lost; other facts change nothing. O(1); O(tasks of the server) to stop one, O(all
  /// tasks) to lose one.
  void on_fact(overlay::NodeId node, const overlay::Fact& fact);
  /// All that ran there is over. The users it took tasks from, one for each task; valid until the next call.
  std::span<const overlay::TaskId> on_death(overlay::NodeId server);

  std::uint64_t running(overlay::NodeId n) const { return running_[n]; }
  /// G_i = running · max_r D_ir / C_r. [N]
  std::vector<double> shares() const;
  double least_share() const;
  /// Capacity − running. [m]
  std::span<const std::int64_t> free(overlay::NodeId server) const;
  /// max_r of the part of the server's capacity in use.
  double used_part(overlay::NodeId server) const;
  /// Part of the cluster in use. [m]
  std::vector<double> used() const;

 private:
  bool stop(overlay::NodeId server, const overlay::TaskId& task);
  void change(overlay::NodeId server, const overlay::TaskId& task, std::int64_t tasks);

  const Roster& roster_;
  std::vector<std::uint64_t> running_;               // [N]
  std::vector<std::int64_t> free_;                   // [K × m]
  std::vector<std::vector<overlay::TaskId>> tasks_;  // that run there. [K]
  std::vector<overlay::TaskId> dead_;                // of the server that died last
};

/// Were it the poorest who were served? (Östman, 5.3: an error is a task that is placed when its user did not
/// have the lowest share.)
///
/// A turn begins when a home serves a task (again, for one on its way: still the same turn) and ends when the
/// task runs or the home gives it up. A user's share counts what runs and its turn on the way. The placement
/// is out of turn by the tolerance t when its user's share before it is more than (1 + t) times the lowest
/// share of the users that count: all, but those without a present task under Idle::skip and, under
/// Stuck::leave, those for whom nothing was found, as long as their homes leave them out (coordinator.hpp):
/// until what they run or want changes, or Patience::walk after their turn. Equal shares are right: all nodes
/// compute the same doubles. It is counted when its task runs. Cost: O(log N) a fact.
class Turns {
 public:
  /// Tolerances ≥ 0. The ledger learns everything before this does, and outlives it.
  Turns(const Roster& roster, const Ledger& ledger, const overlay::OverlayOptions& options, Duration tick,
        std::span<const double> tolerances);

  void on_fact(Time now, const overlay::Fact& fact);
  /// What runs of the user has changed without a word of its host, which died.
  void refresh(overlay::NodeId n);
  /// Does the user have a present task?
  void set_present(overlay::NodeId n, bool present);

  std::int64_t placements() const { return static_cast<std::int64_t>(ranks_.size()); }
  /// Placements out of turn, by tolerance as given.
  std::vector<std::int64_t> wrong() const;
  /// Their part of the placements so far, at `points` evenly spread moments. [tolerances][points]
  std::vector<std::vector<double>> wrong_over_time(std::size_t points) const;

 private:
  double share(overlay::NodeId n) const;
  bool counts(overlay::NodeId n) const;
  void enter(overlay::NodeId n);
  void serve(Time now, overlay::NodeId n, std::uint64_t number);
  void take_back(overlay::NodeId n, const overlay::Unserved& unserved);
  void try_again(Time now);
  void start(overlay::NodeId n, std::uint64_t number);
  std::uint16_t rank_of(double share) const;
  std::size_t place_of(double tolerance) const;

  struct Standing {
    std::uint64_t turn = 0;  // the task that has its turn; 0: none
    Time served_at{};        // last
    std::uint16_t rank = 0;  // of the last turn
    bool stuck = false;
    bool present = false;
  };

  const Roster& roster_;
  const Ledger& ledger_;
  bool skip_idle_;
  bool skip_stuck_;
  Duration walk_;
  std::vector<double> tolerances_;                         // as given
  std::vector<double> ascending_;                          // the same, sorted
  std::vector<Standing> users_;                            // [N]
  scheduling::Tournament<scheduling::UserIndex> poorest_;  // of those that count
  std::vector<overlay::NodeId> stuck_;                     // those that are, and perhaps some that were
  std::vector<std::uint16_t>
      ranks_;  // of each placement: how many of the tolerances, from the lowest, it is above
};

/// Pictures of a world, evenly spread over a time whose end is not known: of the moments offered, every one
/// is kept at first, then every second, every fourth … At most twice as many as wanted are held.
class FrameRecorder {
 public:
  /// `of_all`: what a utility as the servers tell it is multiplied by to be of the cluster's capacity.
  FrameRecorder(std::uint32_t frames, double of_all) : frames_(frames), of_all_(of_all) {}

  /// `tick`: when this is, in ticks.
  void offer(const World& world, const Ledger& ledger, double tick, std::int64_t placements);
  /// As many as wanted, the first and the last among them; fewer when fewer were offered.
  std::vector<OverlayFrame> take_frames() &&;

 private:
  std::uint32_t frames_;
  double of_all_;
  std::uint64_t offered_ = 0;
  std::uint64_t stride_ = 1;
  std::vector<OverlayFrame> kept_;
};

/// What a run tells, kept by watching a world from its beginning.
class Record {
 public:
  /// Watches the world, which neither may outlive nor be outlived by it; both stay where they are.
  Record(World& world, const OverlayRules& rules, const OverlayScenario& scenario);
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  const Ledger& ledger() const { return ledger_; }
  /// When a task was placed last that had never been before: those that are lost and placed over and over
  /// again do not count.
  Time last_new_placement() const { return last_new_; }

  /// The warm-up is over: messages count from here.
  void begin();
  /// A moment for the courses and the pictures; one a tick.
  void sample();
  /// All that was measured; at the end.
  OverlayRun tell() &&;

 private:
  void on_fact(Time now, overlay::NodeId node, const overlay::Fact& fact);
  void on_started(Time now, const overlay::TaskId& task);
  void on_server_event(overlay::NodeId server, ServerEvent server_event);
  void after_event(overlay::NodeId node);
  void tell_traffic(OverlayRun& run) const;
  double ticks(Time at) const;

  World& world_;
  const OverlayScenario& scenario_;
  bool users_have_homes_;
  Ledger ledger_;
  Turns turns_;
  FrameRecorder warm_up_;
  FrameRecorder frame_recorder_;
  Traffic sent_before_;
  Losses losses_before_;
  Time last_placement_, last_new_;
  std::vector<std::uint64_t> started_;                // the highest number of the user's tasks. [N]
  std::vector<double> least_share_;                   // at every sample
  std::vector<std::optional<overlay::NodeId>> home_;  // as last seen. [N]
  std::int64_t moved_ = 0;
  std::int64_t restarted_ = 0;
};

}  // namespace mirab::simulation
