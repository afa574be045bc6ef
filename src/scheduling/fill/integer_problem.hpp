#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

namespace mirab::scheduling {

/// What one count of a resource stands for: 10^exponent of the cluster's own unit.
struct Unit {
  int exponent = 0;
  bool exact = true;  ///< every given capacity and demand is a whole number of units
};

/// What `count` equal servers have of a resource, each.
struct Offered {
  Quantity amount;
  std::int64_t count = 1;  ///< ≥ 1
};

/// The coarsest unit in which every amount is whole; where all that is offered would pass kMaxUnits in that
/// unit, the finest one in which it does not. O(E offered + asked), E the powers of ten tried.
Unit choose_unit(std::span<const Offered> offered, std::span<const Quantity> asked);

/// The same for every capacity and demand of a cluster. O(E (K + demands)).
Unit choose_unit(const Problem& problem, std::size_t resource);

/// The most units that the cluster may have of a resource. One less than 2^63 - 1, which stands for "more
/// than all".
inline constexpr std::int64_t kMaxUnits = INT64_MAX - 1;

/// capacity in units, rounded down: a server never gives more than it has.
std::int64_t units_offered(const Quantity& capacity, Unit unit);

/// demand in units, rounded up: a task never takes less than it asks. INT64_MAX when it passes kMaxUnits, so
/// that it fits nowhere.
std::int64_t units_asked(const Quantity& demand, Unit unit);

/// A problem in whole units: N users, K server entries, m resources. Immutable; outlived by its problem.
///
/// What a user's task takes may depend on the server (demand_on), so tasks are numbered: task n < N is what
/// user n runs on most servers, the numbers after N are the exceptions.
class IntegerProblem {
 public:
  explicit IntegerProblem(const Problem& problem);

  const Problem& problem() const { return *problem_; }
  std::size_t resource_count() const { return problem_->resource_count(); }
  std::size_t user_count() const { return problem_->user_count(); }

  /// c_i: what one server of the entry has. [m], units
  std::span<const std::int64_t> capacity(std::size_t entry) const { return row(capacities_, entry); }

  /// C_r: what all servers have together, units.
  std::int64_t pool(std::size_t resource) const { return pool_[resource]; }

  std::size_t task_count() const { return demands_.size() / resource_count(); }

  /// The task that the user runs on servers of the entry.
  std::size_t task(std::size_t user, std::size_t entry) const {
    return exceptions_[user].empty() ? user : exceptions_[user][entry];
  }

  /// d: what one such task takes. [m], units; at least one is positive
  std::span<const std::int64_t> demand(std::size_t task) const { return row(demands_, task); }

  /// How many tasks the user has, floored; INT64_MAX when without limit.
  std::int64_t task_limit(std::size_t user) const { return task_limits_[user]; }

  /// A given amount of the whole cluster in units, rounded down. Requires no more than there is, or nearly.
  std::int64_t units(std::size_t resource, const Quantity& amount) const {
    return count_units(amount, units_[resource].exponent, Rounding::down).value_or(INT64_MAX);
  }

  /// This many units of a resource in the cluster's own unit: the nearest double.
  double amount(std::size_t resource, std::int64_t units) const;

  /// One for each resource whose amounts had to be rounded.
  std::vector<std::string> notices() const;

 private:
  std::span<const std::int64_t> row(const std::vector<std::int64_t>& rows, std::size_t index) const {
    return std::span(rows).subspan(index * resource_count(), resource_count());
  }
  void count_servers();
  void count_tasks();
  void add_task(const ResourceVector& demand);

  const Problem* problem_;
  std::vector<Unit> units_;                           // [m]
  std::vector<std::int64_t> capacities_;              // [K × m]
  std::vector<std::int64_t> pool_;                    // [m]
  std::vector<std::int64_t> demands_;                 // [task × m]
  std::vector<std::vector<std::size_t>> exceptions_;  // [n][i], the task; empty where a user has one task
  std::vector<std::int64_t> task_limits_;             // [n]
};

// What a fill refuses or warns of beforehand.

/// Errors: more than 10^7 servers, counts spelled out. O(K).
Check check_server_count(const Problem& problem);

/// Errors: more than 10^10 tasks, of all users together, might be placed. The bound is at most m times what
/// fits where no user is limited. O(N K m).
Check check_ends_in_time(const IntegerProblem& cluster);

/// For every user with tasks of which no empty server holds one, what is short on the server that comes
/// nearest to it; after a few users only how many more there are. O(N K m) at worst, O(N m) where tasks fit.
std::vector<std::string> oversized_notices(const IntegerProblem& cluster);

}  // namespace mirab::scheduling
