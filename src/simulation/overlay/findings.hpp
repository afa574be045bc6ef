#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// Promises that were broken: the first few, and how many there were.
struct Findings {
  static constexpr std::size_t kKept = 10;

  Time origin{};  ///< from which their times count
  std::vector<Violation> first = {};
  std::int64_t count = 0;

  void add(std::string promise, std::string what, Time at) {
    ++count;
    if (first.size() < kKept) first.push_back({std::move(promise), std::move(what), at - origin});
  }
};

}  // namespace mirab::simulation
