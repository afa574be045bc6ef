#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

/// The kinds of tasks below a node of the tree: the demands that they have had since the node is there. The
/// first kMost different ones are kept as they are; all others count together as one, with the largest
/// amount of each resource. Nothing is ever forgotten.
class DemandsSeen {
 public:
  static constexpr std::size_t kMost = 16;

  DemandsSeen() = default;
  /// Requires at most kMost + 1, of which the first kMost are different.
  explicit DemandsSeen(std::vector<Amounts> kinds) : kinds_(std::move(kinds)) {}

  /// True when the kinds are others now. O(kMost m).
  bool add(std::span<const std::int64_t> demand);
  /// All those of another node, in their order.
  bool add(const DemandsSeen& others);

  /// At most kMost + 1, in the order in which they came; a last one after kMost is that of all others. Each
  /// [m].
  const std::vector<Amounts>& kinds() const { return kinds_; }

 private:
  std::vector<Amounts> kinds_;
};

}  // namespace mirab::scheduling
