#pragma once

#include "simulation/overlay/ledger.hpp"
#include "simulation/overlay/world.hpp"

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

}  // namespace mirab::simulation
