// The queues of MLF-DRS: users wait in a line for each dominant resource. A round serves one task of the head
// of every line, in the order of arrival, which is that of the cluster; who has no task left makes room for
// the next of its line. The key is the round, then the arrival.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2 and table 4.1: arrivals
// 0 to 9, dominated by memory, CPU, CPU, disk, CPU, memory, disk, CPU, CPU, memory, are served in the order
// 0, 1, 3, 2, 5, 6, 4, 9, 7, 8. (Line 7 of its algorithm 1, taken literally, is first come, first served.)
// Known failure: what a task takes does not count, only what dominates it.
#include "scheduling/plain/disciplines.hpp"
#include "scheduling/plain/share.hpp"

namespace mirab::plain {

Key mlf_drs_key(const CountedProblem& cluster, std::size_t task) {
  return {.start = cluster.user_of_task(task), .step = cluster.user_count()};
}

std::size_t dominant_line(const CountedProblem& cluster, std::size_t user) {
  std::size_t dominant = 0;
  mpq_class largest = -1;
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    if (cluster.pool(r) == 0 || part(cluster, user, r) <= largest) continue;
    largest = part(cluster, user, r);
    dominant = r;
  }
  return dominant;
}

}  // namespace mirab::plain
