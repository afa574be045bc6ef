#include "scheduling/plain/lines.hpp"

#include <algorithm>

namespace mirab::plain {

Lines::Lines(LineRule rule, const CountedProblem& cluster) {
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    const std::size_t line = rule == nullptr ? n : rule(cluster, n);
    line_.push_back(line);
    if (line >= waiting_.size()) waiting_.resize(line + 1);
    waiting_[line].push_back(n);
  }
  served_.assign(waiting_.size(), 0);
}

std::optional<std::size_t> Lines::leave(std::size_t user) {
  std::deque<std::size_t>& line = waiting_[line_[user]];
  const auto place = std::find(line.begin(), line.end(), user);
  if (place == line.end()) return {};
  const bool headed = place == line.begin();
  line.erase(place);
  if (!headed || line.empty()) return {};
  return line.front();
}

}  // namespace mirab::plain
