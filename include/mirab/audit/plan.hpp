#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// A kind of server that can be bought.
struct ServerKind {
  std::string name;                  ///< a server entry of the problem, or of none
  std::optional<Server> fresh = {};  ///< of a kind that the problem has not: capacity and labels
  Quantity price{1};                 ///< of one, > 0
};

/// A number of tasks of a user, or of one task shape.
struct WantedTasks {
  std::size_t user;  ///< of the problem: a task shape is one
  Quantity tasks;    ///< > 0
};

/// What is wanted for a user or a group: at least this number of tasks, of each of its task shapes, or of
/// each user and task shape below the group.
struct PlanGoal {
  std::string user;                     ///< its name, or that of the group; of one task shape `user/shape`
  std::vector<WantedTasks> tasks = {};  ///< at least one

  double all_tasks() const;                             ///< Σ of what is wanted
  double tasks_of(const Allocation& allocation) const;  ///< what they have of it together
};

/// Tasks for a user or a group of the problem, or all that it asks for. Of a user with task shapes, they are
/// divided in the proportions in which it asks for tasks of each shape; of a group, in those of all below it.
/// Errors: no number of tasks, or one of the shapes, or users of the group, has none; more than it asks for.
Result<PlanGoal> plan_goal(const Problem& problem, const std::string& user,
                           const std::optional<Quantity>& tasks);

struct PlanOptions {
  /// > 0; purchases tried, at most, to prove that none is cheaper. Without a value 1,000 where that proves
  /// it, and 200 where it does not.
  std::optional<std::size_t> solves = {};
  /// Search on a cluster in which servers count together whose amounts differ by at most this part, each with
  /// the least that one of them has; without a value: on the servers as they are.
  std::optional<Quantity> alike = {};
  Execution execution = {};
  std::function<void(std::size_t done)> progress = {};  ///< called now and then
};

/// What to change so that a user gets a number of tasks. K kinds.
struct Plan {
  Outcome before;
  Problem problem;  ///< after the change
  Outcome after;
  std::vector<std::int64_t> bought = {};  ///< of each kind, [k]; empty for a weight
  double price = 0;
  double least_price = 0;     ///< no purchase below it is enough; `price` where the plan is exact
  bool exact = true;          ///< no cheaper purchase is enough; never of a weight
  std::size_t uncertain = 0;  ///< cheaper purchases of which it is not known whether they are enough
  std::optional<Quantity> weight = {};  ///< the user's new weight
  Quantity weight_before{1};            ///< of a weight: what it is now
  std::optional<Quantity> too_little =
      {};              ///< the next smaller weight of as many digits, which is not enough
  bool steady = true;  ///< in all weights that were tried more never brought less
  /// Of one kind: counts n and n + 1 of which the second brings the user less. Where there is one, more is
  /// not always better, and each count below the plan's was tried.
  std::optional<std::int64_t> falls_after = {};
  std::size_t solved = 0;  ///< changed problems
  /// Was it searched on servers that count together, and then divided on the servers as they are, where it is
  /// enough? Of a purchase with one server less of any kind it is then known that it is not enough.
  bool checked = false;
};

/// The cheapest purchase of servers of these kinds with which the mechanism gives the user its tasks, to a
/// millionth. Nothing is bought when it has them.
///
/// Getting more servers may bring a user less (no mechanism here is resource-monotone in general), so the
/// least count cannot be found by halving. Purchases are tried in the order of their price, those left out
/// with which the user alone on the cluster would not have its tasks; the first that is enough is the
/// cheapest. Before that a purchase that is enough is sought by doubling and halving, of each kind alone, as
/// long as that can be cheaper than what was found, and of all together: it is the plan where `solves` are
/// not enough to prove a better one, and `least_price` bounds how far it is from the cheapest. Of one kind
/// all counts below such a purchase are tried, whatever `solves` says, so the plan is exact. A cheaper
/// purchase that cannot be divided, or does not converge, is counted in `uncertain`, and the plan is not
/// exact. At most 2^20 servers of each kind are bought.
///
/// With `alike` what is divided in the search are the servers that count together. `before` and `after` are
/// of the servers as they are all the same: what is enough now is found there, and the purchase that was
/// found is lessened as long as one server less is enough there. It is not exact then. Where the purchase is
/// not enough there, all is searched on the servers as they are.
///
/// Requires a user of the problem and kinds of a price > 0. Errors: as for allocate(); a mechanism that is no
/// rule; a user who asks for fewer tasks, or whose limits allow fewer; a goal that no purchase reaches; a
/// kind that is an overfull server; a new kind that does not go with the problem. Cost: that of the mechanism
/// for each purchase that is tried; where nothing is bought, once.
Result<Plan> plan_purchase(const Problem& problem, const Choice& choice, const PlanGoal& goal,
                           const std::vector<ServerKind>& kinds, const PlanOptions& options = {});

/// The smallest weight of the user (of all its task shapes together) or group, in four digits, with which the
/// mechanism gives it its tasks: by doubling and halving, with 32 more weights between as a test that no
/// smaller one is enough. It is a sample and never `exact`; `steady` when in all that were tried more weight
/// never brought less. With `alike` the weight that was found is divided on the servers as they are, as
/// above. Errors: as above; a mechanism without weights, or of task shapes one that takes each for a user of
/// its own.
Result<Plan> plan_weight(const Problem& problem, const Choice& choice, const PlanGoal& goal,
                         const PlanOptions& options = {});

}  // namespace mirab
