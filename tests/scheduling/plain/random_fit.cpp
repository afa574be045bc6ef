// Random placement: each server where the task fits is equally likely. One draw for a task. O(K' m).
#include "scheduling/plain/placements.hpp"

namespace mirab::plain {

std::size_t random_fit(const Search& search) {
  std::uint64_t fitting = 0;
  search.ledger.for_each_fit(search.user, search.first_fit, [&](std::size_t) { ++fitting; });

  std::uint64_t ahead = search.random.below(fitting);
  std::size_t drawn = search.first_fit;
  search.ledger.any_fit(search.user, search.first_fit, [&](std::size_t server) {
    drawn = server;
    return ahead-- == 0;
  });
  return drawn;
}

}  // namespace mirab::plain
