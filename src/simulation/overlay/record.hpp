#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulation/overlay/film.hpp"
#include "simulation/overlay/ledger.hpp"
#include "simulation/overlay/turns.hpp"
#include "simulation/overlay/world.hpp"

namespace mirab::simulation {

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
  void on_fate(overlay::NodeId server, Fate fate);
  void after_event(overlay::NodeId node);
  void tell_traffic(OverlayRun& run) const;
  double ticks(Time at) const;

  World& world_;
  const OverlayScenario& scenario_;
  bool users_have_homes_;
  Ledger ledger_;
  Turns turns_;
  Film warm_up_;
  Film film_;
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
