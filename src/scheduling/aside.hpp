#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduling/columns.hpp"

namespace mirab::scheduling {

/// The shapes of a lane whose tasks fit nowhere, until something is freed: laid out so that those that fit
/// into what was freed, and of these the one that is next, are found without looking at each.
class Aside {
 public:
  explicit Aside(std::size_t resources) : resources_(resources), rows_(resources) {}

  std::size_t size() const { return shapes_.size(); }
  std::uint32_t shape(std::size_t at) const { return shapes_[at]; }
  double key(std::size_t at) const { return keys_[at]; }
  void set_key(std::size_t at, double key) { keys_[at] = key; }

  /// `least` is what a task of the shape takes at the least, [m]. O(m) amortised.
  void add(std::uint32_t shape, double key, std::span<const std::int64_t> least);

  /// The shape that stands there goes, and the last one takes its place. O(m).
  void remove(std::size_t at);

  /// Visits, in no particular order, all places whose shapes may fit into what is free, and some others.
  /// O(size m), many at once.
  template <class Visit>
  void for_each_that_may_fit(std::span<const std::int64_t> free, Visit visit) const {
    rows_.any(rows_.at_most(free), 0, nullptr, [&](std::size_t at) {
      visit(at);
      return false;
    });
  }

 private:
  std::span<const std::int64_t> amounts(std::size_t at) const {
    return std::span(amounts_).subspan(at * resources_, resources_);
  }

  std::size_t resources_;  // m
  std::vector<std::uint32_t> shapes_;
  std::vector<double> keys_;
  std::vector<std::int64_t> amounts_;  // [place × m]
  Columns rows_;
};

}  // namespace mirab::scheduling
