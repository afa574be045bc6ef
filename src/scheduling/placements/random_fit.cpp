// Random placement: each server where the task fits is equally likely. One draw for a task, and none where it
// fits nowhere. O(K m).
#include <algorithm>
#include <vector>

#include "scheduling/placements.hpp"

namespace mirab::scheduling {

std::optional<std::uint32_t> random_fit(const Search& search) {
  std::vector<std::uint32_t> fitting;
  for (const Variant& variant : search.variants) {
    search.park.any_with_room(variant, 0, [&](std::uint32_t server) {
      fitting.push_back(server);
      return false;
    });
  }
  if (fitting.empty()) return std::nullopt;

  // The variants' servers stand one variant behind the other; the draw counts them in the order of the park.
  const auto drawn = fitting.begin() + static_cast<std::ptrdiff_t>(search.random.below(fitting.size()));
  if (search.variants.size() > 1) std::nth_element(fitting.begin(), drawn, fitting.end());
  return *drawn;
}

}  // namespace mirab::scheduling
