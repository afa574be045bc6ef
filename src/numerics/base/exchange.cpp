#include "numerics/base/exchange.hpp"

#include <limits>

namespace mirab::numerics {

Source highest_source(const Holdings& holdings, std::size_t row) {
  std::vector<bool> seen_row(holdings.level.size());
  std::vector<bool> seen_server(holdings.holders.size());
  std::vector<std::size_t> queue{row};
  seen_row[row] = true;
  Source highest;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (std::size_t i = 0; i < holdings.holders.size(); ++i) {
      if (seen_server[i] || !holdings.may_use(queue[at], i)) continue;
      seen_server[i] = true;
      if (holdings.has_room[i])
        return {.level = std::numeric_limits<double>::infinity(), .server = i, .row = 0};
      for (const std::size_t k : holdings.holders[i]) {
        if (seen_row[k]) continue;
        seen_row[k] = true;
        queue.push_back(k);
        if (holdings.level[k] > highest.level) highest = {.level = holdings.level[k], .server = i, .row = k};
      }
    }
  }
  return highest;
}

}  // namespace mirab::numerics
