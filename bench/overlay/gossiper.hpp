#pragma once

#include <cstddef>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>

#include "overlay/gossip.hpp"

namespace mirab::bench {

/// The exchange that two simulators run, for each node the same state machine: once a tick it sends itself
/// and its view, of ten, to a neighbour drawn at random, which merges that and answers with its own, which
/// the first merges.
class Gossiper {
 public:
  Gossiper(overlay::Descriptor own, std::vector<overlay::Descriptor> acquaintances);

  void shuffle(Random& random, overlay::Effects& effects);
  void hear(overlay::NodeId from, const overlay::Message& message, overlay::Effects& effects);

 private:
  overlay::Descriptor own_;
  std::vector<overlay::Descriptor> acquaintances_;  // to begin with
  overlay::Gradient gradient_;
};

/// `count` gossipers, each with its own utility and ten acquaintances, all drawn.
std::vector<Gossiper> gossipers(std::size_t count, Random& random);

/// When in its tick each begins, drawn from the first eight tenths, so that every exchange ends in its tick.
std::vector<Duration> offsets(std::size_t count, Random& random);

inline constexpr Duration kGossipTick = std::chrono::milliseconds(100);
inline constexpr Duration kGossipLatency = std::chrono::microseconds(5500);

}  // namespace mirab::bench
