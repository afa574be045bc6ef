// First-fit: the first server, in the order of the cluster, where the task fits (Östman, sections 2.1.4
// and 4.1). The filling knows it already, because it must know whether a task fits anywhere: O(1) here.
#include "scheduling/plain/placements.hpp"

namespace mirab::plain {

std::size_t first_fit(const Search& search) { return search.first_fit; }

}  // namespace mirab::plain
