#pragma once

#include <cstdint>
#include <vector>

#include <mirab/simulation/overlay.hpp>

#include "simulation/overlay/ledger.hpp"
#include "simulation/overlay/world.hpp"

namespace mirab::simulation {

/// Pictures of a world, evenly spread over a time whose end is not known: of the moments offered, every one
/// is kept at first, then every second, every fourth … At most twice as many as wanted are held.
class Film {
 public:
  /// `of_all`: what a utility as the servers tell it is multiplied by to be of the cluster's capacity.
  Film(std::uint32_t frames, double of_all) : frames_(frames), of_all_(of_all) {}

  /// `tick`: when this is, in ticks.
  void offer(const World& world, const Ledger& ledger, double tick, std::int64_t placements);
  /// As many as wanted, the first and the last among them; fewer when fewer were offered.
  std::vector<OverlayFrame> develop() &&;

 private:
  std::uint32_t frames_;
  double of_all_;
  std::uint64_t offered_ = 0;
  std::uint64_t stride_ = 1;
  std::vector<OverlayFrame> kept_;
};

}  // namespace mirab::simulation
