#pragma once

#include <string>
#include <vector>

#include <mirab/audit/plan.hpp>

#include "audit/what_if.hpp"

namespace mirab {

/// min over the goal's users of what each has of what is wanted of it; tasks [n]. 1 where the goal is just
/// reached.
double part_of_goal(const PlanGoal& goal, const std::vector<double>& tasks);

/// Is this part of the goal all of it, to a millionth?
bool is_enough(double part);

/// Is it less than another part, by more than a millionth?
bool is_less(double part, double than);

/// What a part of the goal is, in a sentence: `3.5 tasks`; of task shapes the part of each.
std::string most_words(const PlanGoal& goal, double part);

/// What may never be: more than a user asks for, or than the limits around the users of the goal allow them
/// together.
Check check_goal(const Problem& problem, const Mechanism& row, const PlanGoal& goal);

/// `the limit of 'research' on gpu (10 is all that is asked for there)`: all limits that stop the users of
/// the goal who lack tasks of it; nothing where something else stops one of them.
std::string limits_that_hold(const Problem& problem, const Outcome& outcome, const PlanGoal& goal);

/// A problem in which the server entries that no user can tell apart are one, and kinds by the names of the
/// entries that are left: to divide it costs what its classes of servers cost. With `alike`, those are one
/// too that differ by at most this part (model/counted_together.hpp). Users are as they were; what runs is
/// left out. Errors: more servers than can be counted; guarantees that do not fit into servers that count
/// together.
struct SearchedCluster {
  Problem problem;
  std::vector<ServerKind> kinds;
};
Result<SearchedCluster> searched_cluster(const Problem& problem, std::vector<ServerKind> kinds,
                                         const std::optional<Quantity>& alike);

/// The same without a search on servers that count together.
PlanOptions as_they_are(PlanOptions options);

/// The changed problem, divided.
Result<Plan> finished_plan(const Choice& choice, Result<Problem> changed, Outcome before,
                           const Execution& execution);

}  // namespace mirab
