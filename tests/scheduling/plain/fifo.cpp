// First come, first served: users come in the order of the cluster and each comes with all its tasks, so the
// key is the user's position and tasks do not move it. No user ties with another. Fair to nobody but the
// first; Östman's section 4.1 uses it as the worst case.
#include "scheduling/plain/disciplines.hpp"

namespace mirab::plain {

Key fifo_key(const CountedProblem& cluster, std::size_t task) {
  return {.start = cluster.user_of_task(task), .step = 0};
}

}  // namespace mirab::plain
