#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mirab/model/random.hpp>

#include "lab/simulation/base/event_queue.hpp"
#include "lab/simulation/overlay/network.hpp"
#include "overlay/gossiper.hpp"

namespace mirab::bench {

/// The exchange on Mirab's virtual network: every message is encoded, queued, decoded and heard.
class VirtualGossip {
 public:
  VirtualGossip(std::size_t nodes, std::uint64_t seed);

  /// Runs for `ticks` more ticks.
  void run(std::int64_t ticks);

  std::int64_t heard() const { return heard_; }

 private:
  struct Event {
    overlay::NodeId node = 0;
    bool shuffle = false;
    std::uint32_t letter = 0;
  };
  void happen(const Event& event);
  void send(overlay::NodeId from);

  Random random_;
  std::vector<Gossiper> nodes_;
  simulation::Network network_;
  simulation::CalendarQueue<Event> agenda_;
  overlay::Effects effects_;
  Time end_{};
  std::int64_t heard_ = 0;
};

}  // namespace mirab::bench
