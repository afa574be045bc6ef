#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "scheduling/counted_problem.hpp"
#include "scheduling/plain/disciplines.hpp"

namespace mirab::plain {

using scheduling::CountedProblem;

/// Users who wait in lines, in the order of the cluster: of each line only the head is served, until it
/// leaves.
class Lines {
 public:
  /// Without a rule everybody is a line of its own.
  Lines(LineRule rule, const CountedProblem& cluster);

  bool is_head(std::size_t user) const { return waiting_[line_[user]].front() == user; }

  /// A task of the user, who is a head, was placed.
  void serve(std::size_t user) { ++served_[line_[user]]; }

  /// Tasks placed so far for the user's line.
  std::int64_t served(std::size_t user) const { return served_[line_[user]]; }

  /// The user is done. The new head of its line, if it was the head and somebody waits. O(users in the line).
  std::optional<std::size_t> leave(std::size_t user);

 private:
  std::vector<std::size_t> line_;                 // [n]
  std::vector<std::deque<std::size_t>> waiting_;  // [line], the head in front
  std::vector<std::int64_t> served_;              // [line]
};

}  // namespace mirab::plain
