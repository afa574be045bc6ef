#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <mirab/scheduling/events.hpp>

#include "scheduling/eligibility.hpp"

namespace mirab::scheduling {

/// One way to run a task of a shape: what it takes, and on which servers it may.
struct Way {
  Amounts demand;
  std::uint32_t servers;  ///< of Eligibility
  friend bool operator==(const Way&, const Way&) = default;
  friend auto operator<=>(const Way&, const Way&) = default;
};

/// What tasks ask for, each different wish once: tasks of equal shape fit or do not fit together, whoever's
/// they are.
class Shapes {
 public:
  /// The shape of the job's tasks; counts one more holder of it. O(log shapes).
  std::uint32_t hold(const JobSubmitted& job);
  void retain(std::uint32_t shape) { ++rows_[shape].holders; }  ///< one holder more
  void release(std::uint32_t shape);  ///< one holder less; the last one takes it along

  /// A job that has the shape, of nobody.
  JobSubmitted job_of(std::uint32_t shape) const;
  std::uint32_t holders(std::uint32_t shape) const { return rows_[shape].holders; }  ///< 0: there is none

  /// The numbers that are given again, the last one first.
  std::span<const std::uint32_t> vacant() const { return vacant_; }
  void add_vacant() { rows_.emplace_back(); }  ///< the next number has no shape
  void set_vacant(std::vector<std::uint32_t> numbers) { vacant_ = std::move(numbers); }

  std::span<const Way> ways(std::uint32_t shape) const { return rows_[shape].ways; }
  std::uint32_t end() const { return static_cast<std::uint32_t>(rows_.size()); }  ///< above every number

  /// What a task takes there. Requires that it may run there. [m]
  std::span<const std::int64_t> demand_on(std::uint32_t shape, std::uint32_t server) const {
    const std::vector<Way>& ways = rows_[shape].ways;
    if (ways.size() == 1) return ways.front().demand;
    return way_on(shape, server)->demand;
  }

  /// How a task may run on the server; nothing when it may not.
  const Way* way_on(std::uint32_t shape, std::uint32_t server) const;

  Eligibility eligibility;

 private:
  struct Row {
    std::vector<Way> ways;
    std::uint32_t holders = 0;
  };
  std::vector<Row> rows_;  // [shape]
  std::map<std::vector<Way>, std::uint32_t> numbers_;
  std::vector<std::uint32_t> vacant_;
};

}  // namespace mirab::scheduling
