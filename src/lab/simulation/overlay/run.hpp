#pragma once

#include <optional>

#include "lab/simulation/overlay/record.hpp"
#include "lab/simulation/overlay/world.hpp"

namespace mirab::simulation {

/// Would the present task of any user fit on any server that runs, if nothing were held? A user that does not
/// know yet what became of its tasks wants room too: it may have lost some. It remembers a pair that fits and
/// looks for another only when that is gone: O(m) mostly, O(N K m) when nothing fits.
class Room {
 public:
  Room(const World& world, const Ledger& ledger) : world_(world), ledger_(ledger) {}

  bool is_left();

 private:
  bool fits(overlay::NodeId n, overlay::NodeId server) const;
  bool wants(overlay::NodeId n) const;

  const World& world_;
  const Ledger& ledger_;
  overlay::NodeId user_ = 0;
  overlay::NodeId server_ = 0;
};

/// Has the run come to rest with room left because of a user without a task that is the poorest
/// (Idle::block)? Only where tasks do not end and no duration cuts the run off, and to schedulers who wait
/// for such a user. Of the tasks that would fit those of the first users are counted first, each on the first
/// servers. O(N K m).
std::optional<LeftOver> left_over(const World& world, const Ledger& ledger, const OverlayRules& rules,
                                  const OverlayScenario& scenario);

}  // namespace mirab::simulation
