// Distributed DRF (Zhu and Oh 2015; Östman, 4.3 and Algorithm 5).

#include "overlay/ddrf.hpp"

#include <algorithm>
#include <cmath>

namespace mirab::overlay {

bool ddrf_may_serve(const Descriptor& own, std::span<const Descriptor> neighbours) {
  if (std::isinf(own.utility)) return false;
  return std::ranges::all_of(neighbours, [&](const Descriptor& q) { return ranks_before(own, q); });
}

void Ddrf::choose(std::span<const NodeId> neighbours) {
  neighbours_.clear();
  neighbours_.reserve(neighbours.size());
  for (const NodeId node : neighbours) neighbours_.push_back({.node = node});
  chosen_ = true;
}

void Ddrf::ask(Effects& effects) const {
  for (const Descriptor& neighbour : neighbours_) effects.sends.push_back({neighbour.node, ShareRequest{}});
}

void Ddrf::hear(NodeId from, const ShareAnswer& answer) {
  const auto known = std::ranges::find(neighbours_, from, &Descriptor::node);
  if (known != neighbours_.end()) known->utility = answer.utility;
}

void Ddrf::forget(NodeId node) {
  std::erase_if(neighbours_, [&](const Descriptor& neighbour) { return neighbour.node == node; });
}

}  // namespace mirab::overlay
