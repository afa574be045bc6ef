// One task of each user in turn: the key is X_n, the number of its tasks, and the tie rule is the order
// within a round. Weights do not count, nor does the size of a task: a user with large tasks gets a large
// part of the cluster.
#include "scheduling/plain/disciplines.hpp"

namespace mirab::plain {

Key round_robin_key(const CountedProblem& /*cluster*/, std::size_t /*task*/) {
  return {.start = 0, .step = 1};
}

}  // namespace mirab::plain
