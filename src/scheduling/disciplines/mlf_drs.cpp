// The queues of MLF-DRS: users wait in a line for each dominant resource. A round serves one task of the head
// of every line, in the order of arrival; who has no task left, or none that fits, makes room for the next of
// its line. The key is the round, then the arrival. A line that was passed over goes on with the present
// round.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2 and table 4.1: arrivals
// 0 to 9, dominated by memory, CPU, CPU, disk, CPU, memory, disk, CPU, CPU, memory, are served in the order
// 0, 1, 3, 2, 5, 6, 4, 9, 7, 8. (Line 7 of its algorithm 1, taken literally, is first come, first served.)
// Known failures: what a task takes does not count, only what dominates it; weights do not count.
#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {

// The round belongs to the line, whose queues are not keyed anew when it goes on: only the comparison knows
// it.
double mlf_drs_key(const Standing& /*standing*/, Entry /*entry*/) { return 0; }

std::weak_ordering mlf_drs_compare(const Standing& standing, Entry a, Entry b) {
  if (standing.rounds.of(a.lane) != standing.rounds.of(b.lane))
    return standing.rounds.of(a.lane) <=> standing.rounds.of(b.lane);
  return standing.queue(a).arrival <=> standing.queue(b).arrival;
}

}  // namespace mirab::scheduling
