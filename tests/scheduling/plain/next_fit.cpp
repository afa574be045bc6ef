// Next-fit: the server that was used last, by whomever, if the task fits there, otherwise the next one in the
// order of the cluster where it does, and after the last server the first. It spreads tasks without looking
// at every server. O(K' m) at worst.
#include "scheduling/plain/placements.hpp"

namespace mirab::plain {

std::size_t next_fit(const Search& search) {
  return search.ledger.first_fit(search.user, search.last_used).value_or(search.first_fit);
}

}  // namespace mirab::plain
