// Next-fit: the server that was used last, by whomever, if the task fits there, otherwise the next one in the
// order of the cluster where it does, and after the last server the first. It spreads tasks without looking
// at every server: O(K m) at worst.
//
// On a full cluster it is first-fit that begins somewhere else, and leaves holes in all servers alike.
#include <algorithm>

#include "scheduling/placements.hpp"

namespace mirab::scheduling {
namespace {

std::optional<std::uint32_t> first_from(const Search& search, std::uint32_t from) {
  std::optional<std::uint32_t> first;
  for (const Variant& variant : search.variants) {
    const std::optional<std::uint32_t> server = search.park.first_with_room(variant, from);
    if (server) first = std::min(first.value_or(*server), *server);
  }
  return first;
}

}  // namespace

std::optional<std::uint32_t> next_fit(const Search& search) {
  const std::optional<std::uint32_t> next = first_from(search, search.last_used);
  return next ? next : first_from(search, 0);
}

}  // namespace mirab::scheduling
