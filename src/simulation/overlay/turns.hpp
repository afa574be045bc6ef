#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

#include "scheduling/tournament.hpp"
#include "simulation/overlay/ledger.hpp"

namespace mirab::simulation {

/// Were it the poorest who were served? (Östman, 5.3: an error is a task that is placed when its user did not
/// have the least share.)
///
/// A turn begins when a home serves a task (again, for one on its way: still the same turn) and ends when the
/// task runs or the home gives it up. A user's share counts what runs and its turn on the way. A turn is
/// wrong by the tolerance t when its user's share before it is more than (1 + t) times the least share of the
/// users that count: all, but those without a present task under Idle::skip and, under Stuck::leave, those
/// for whom nothing was found, as long as their homes leave them out (home.hpp): until what they run or want
/// changes, or Patience::walk after their turn. Equal shares are right: all nodes compute the same doubles.
/// It is counted when its task runs. Cost: O(log N) a fact.
class Turns {
 public:
  /// Tolerances ≥ 0. The ledger is told everything before this is, and outlives it.
  Turns(const Roster& roster, const Ledger& ledger, const overlay::OverlayOptions& options, Duration tick,
        std::span<const double> tolerances);

  void on_fact(Time now, const overlay::Fact& fact);
  /// What runs of the user has changed without a word of its host, which died.
  void refresh(overlay::NodeId n);
  /// Does the user have a present task?
  void set_present(overlay::NodeId n, bool present);

  std::int64_t placements() const { return static_cast<std::int64_t>(ranks_.size()); }
  /// Wrong placements, by tolerance as given.
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
  std::vector<double> tolerances_;      // as given
  std::vector<double> ascending_;       // the same, sorted
  std::vector<Standing> users_;         // [N]
  scheduling::Tournament poorest_;      // of those that count
  std::vector<overlay::NodeId> stuck_;  // those that are, and perhaps some that were
  std::vector<std::uint16_t>
      ranks_;  // of each placement: how many of the tolerances, from the least, it is above
};

}  // namespace mirab::simulation
