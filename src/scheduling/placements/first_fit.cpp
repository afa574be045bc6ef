// First-fit: the first server, in the order of the cluster, where the task fits (Östman, sections 2.1.4
// and 4.1). O(K m), but many servers at once: scheduling/columns.hpp.
//
// It fills the first servers to the brim, so that a search has to pass all of them by.
#include <algorithm>

#include "scheduling/placements.hpp"

namespace mirab::scheduling {

std::optional<std::uint32_t> first_fit(const Search& search) {
  std::optional<std::uint32_t> first;
  for (const Variant& variant : search.variants) {
    const std::optional<std::uint32_t> server = search.park.first_with_room(variant, 0);
    if (server) first = std::min(first.value_or(*server), *server);
  }
  return first;
}

}  // namespace mirab::scheduling
