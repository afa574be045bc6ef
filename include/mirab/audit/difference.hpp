#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// One of two allocations that are compared.
struct Side {
  const Problem& problem;
  const Allocation& allocation;
};

/// What a user has on one side.
struct UserShare {
  double tasks;
  double dominant_share;       ///< G_n, of the side's own cluster
  double share_of_before = 0;  ///< the same in parts of the cluster before: more servers do not make it less
};

/// A user of one side or of both. Users are known by their names.
struct UserChange {
  std::string user;
  std::optional<UserShare> before;
  std::optional<UserShare> after;
  double change = 0;  ///< tasks after over tasks before, less 1; infinite from nothing; 0 on one side only
  bool same_task = true;  ///< a task demands the same on both sides, so that tasks can be compared
};

/// What a group has on one side. Amounts are by resource, [m] of its problem.
struct GroupShare {
  std::optional<std::string> parent;  ///< without a value: the cluster
  double weight;
  double share;  ///< the largest part of any one resource that its users have, of the side's cluster
  double share_of_before;  ///< the same in parts of the cluster before
  double beyond;           ///< the share beyond its guarantee, per weight
  std::vector<double> used, guarantee, borrowed, lent;
  std::vector<double> limit;  ///< infinite where there is none; empty: none
};

/// A group of one side or of both, known by its name. A user with task shapes is a group.
struct GroupChange {
  std::string group;
  bool is_user = false;
  std::optional<GroupShare> before;
  std::optional<GroupShare> after;
  double gain = 0;     ///< of share_of_before; 0 within kSameWithin, and on one side only
  bool moved = false;  ///< it has another parent
  /// Which of `weight`, `guarantee`, `limit` and `reserved` differ, as they are given.
  std::vector<std::string> settings = {};
};

/// How much of a resource is used. Resources are known by their names; no value where there is none.
struct UseChange {
  std::string resource;
  std::optional<double> before;  ///< used over capacity
  std::optional<double> after;
};

/// Whether a team has more than before. A user without task shapes is a team of one, and its tasks are
/// compared. Of a user with task shapes the dominant share is compared, in parts of the cluster before; where
/// that is the same, the tasks of each shape.
enum class Direction {
  gain,
  lose,
  mixed,  ///< the same dominant share, with more of one shape and less of another
  unchanged
};

/// A user with all its task shapes, of one side or of both. Known by its name.
struct TeamChange {
  UserChange whole;                     ///< tasks: of all its shapes together
  Direction direction;                  ///< `unchanged` on one side only
  std::vector<UserChange> shapes = {};  ///< in the order of before, then those that only after has; or none
  /// Of both sides: of its share of the cluster before, over its weight after where that is above 0.
  double gain = 0;
};

/// How many users of both sides have more than before, or less. A user with task shapes is one.
struct ChangedUsers {
  std::size_t gain = 0;
  std::size_t lose = 0;
  std::size_t mixed = 0;
  std::size_t unchanged = 0;
};

/// Who gains and who loses. In `users`, `gone` and `come` a task shape is a user.
struct Difference {
  std::vector<UserChange> users;  ///< on both sides, the greatest gain first
  std::vector<UserChange> gone;   ///< only before, in the order of their problem
  std::vector<UserChange> come;   ///< only after
  std::size_t gainers = 0;        ///< of `users`, by more than kSameWithin
  std::size_t losers = 0;
  /// Those of both sides: who gain, the greatest `gain` first, and who lose, the greatest loss last, with all
  /// others between. Then those of one side, as they stand.
  std::vector<TeamChange> teams;
  ChangedUsers changed;  ///< of `teams` on both sides
  /// The fewest tasks of any user who may run somewhere, and the lowest shares, for which a user with task
  /// shapes is one.
  UserShare lowest_before{};
  UserShare lowest_after{};
  bool same_pool = true;    ///< do both clusters have as much of every resource?
  double tasks_before = 0;  ///< of all users together
  double tasks_after = 0;
  std::vector<GroupChange> groups;   ///< those of before in their order, then those that only after has
  std::vector<UseChange> resources;  ///< those of before, then those that only after has
};

/// What the cluster before has of each resource of another problem, by their names; 0 of what it lacks. [m].
std::vector<double> pool_of_before(const Problem& before, const Problem& problem);

/// A change that counts as none, relative of tasks and absolute of shares: two decimals of a percentage do
/// not show it. Certificates and rounding leave less.
inline constexpr double kSameWithin = 5e-5;

/// Compares two allocations user by user and resource by resource. O((N + K) m + N log N).
Difference difference(const Side& before, const Side& after);

}  // namespace mirab
