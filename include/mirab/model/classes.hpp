#pragma once

#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// Server entries that no user can tell apart but by their size: equal or proportional capacity, the same
/// users who may run there, the same demands.
struct ServerClass {
  std::vector<std::size_t> members;  ///< server entries i, ascending
  std::vector<double> part;          ///< of the class's capacity that each member is; sums to 1. [member]
  std::vector<double> capacity;      ///< of all members together, [m]
};

/// Users whom a mechanism treats alike: the same eligible servers, demands that point the same way, equal cap
/// per weight.
struct UserClass {
  std::vector<std::size_t> members;  ///< users n, ascending
  std::vector<double> part;          ///< tasks of each member for one task of the class. [member]
  double weight = 0;                 ///< Σ φ_n
  double tasks = 0;                  ///< the cap, in tasks of the class; infinite without one
};

/// A problem with equal servers and users merged. The demand of a class is that of its first member.
struct Classes {
  std::vector<ServerClass> servers;  ///< [k], by first member
  std::vector<UserClass> users;      ///< [j], by first member
};

/// Which users are alike. `parallel`: demands d and 2d count as one direction, for mechanisms whose result
/// does not depend on the size of a task (all that measure shares). `equal`: demands must be equal, for those
/// that count tasks.
enum class MergeUsers { parallel, equal };

/// Which servers are alike. `equal`: the capacity of one of them is the same. `proportional`: a server of
/// twice the capacity counts as two, for mechanisms to which tasks are divisible.
enum class MergeServers { equal, proportional };

/// Merges exactly: equality and direction are decided on the decimals as given, not on doubles.
/// O((N + K) log(N + K) m + K E), E the number of eligibility classes. See docs/explanation/mathematics.md,
/// section 10.
Classes merge(const Problem& problem, MergeUsers users, MergeServers servers);

/// Splits an allocation to classes back over their members: users in proportion to weight, servers to
/// capacity. tasks[j][k] of user class j on server class k, ≥ 0. O(N K) at worst.
Allocation split(const Problem& problem, const Classes& classes,
                 const std::vector<std::vector<double>>& tasks);

}  // namespace mirab
