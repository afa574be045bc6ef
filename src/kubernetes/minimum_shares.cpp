// A fair division in which every user has at least one task (its request).
#include "kubernetes/minimum_shares.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/model/problem.hpp>

#include "numerics/base/floors.hpp"

namespace mirab::kubernetes {

// A floor for shares that are no multiples of the demands: bundles, and what a mechanism cannot be made to
// raise.
//
//   held_{n,r} = d_{n,r} + k_r max(0, bundle_{n,r} - d_{n,r})
//   k_r = min(1, (C_r - Σ_n d_{n,r}) / Σ_n max(0, bundle_{n,r} - d_{n,r}))
//
// Example: C = 10, bundles 2, 5 and 3, demands 4, 2 and 1: 4, 5 and 3 are 2 too many; above the demands are
// 0, 3 and 2, of which 3/5 stay: 4, 3.8 and 2.2.

namespace {

double demand(const Problem& problem, std::size_t n, std::size_t r) {
  return problem.users()[n].demand[r].value();
}

}  // namespace

void raise_to_requests(const Problem& problem, std::vector<std::vector<double>>& held) {
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    double floors = 0, above = 0;
    for (std::size_t n = 0; n < held.size(); ++n) {
      floors += demand(problem, n, r);
      above += std::max(0.0, held[n][r] - demand(problem, n, r));
    }
    const double room = std::max(0.0, problem.pool()[r] - floors);
    const double part = above > room ? room / above : 1;
    for (std::size_t n = 0; n < held.size(); ++n) {
      const double floor = demand(problem, n, r);
      held[n][r] = floor + part * std::max(0.0, held[n][r] - floor);
    }
  }
}

// A fair division in which no user falls below one task: X_n ≥ 1.
//
// Source: Hamzeh, thesis, section 4.5.3, (4.77): limits are maximised under xp_r ≤ lp_r, the request below
// the limit. The floor is our reading of it: for a mechanism of the one equation
// (docs/explanation/mathematics.md, section 1)
//
//   max Σ_n φ_n g_α(X_n / (φ_n u_n))   under Σ_n X_n d_n ≤ C, X ≥ 1
//
// which at α = ∞ is the lexicographic max-min with floors; on one resource X_n = max(1, t φ_n u_n). Users at
// their floor are held there through what every mechanism understands: a cap of one task, and a weight so
// large that they are served first. C stays what it is, and with it the yardstick.
//
// Users with equal demand and weight are held and released together; which of them are at the floor is found
// by an active set (numerics/base/floors.hpp).
//
// A mechanism that grants bundles, or takes no caps, or cannot run a task of everybody at once although they
// fit (time division counts dominant shares), gives max(demand, bundle); where that is more than there is,
// the excess is taken from what all hold above their demands, in proportion.
//
// Example: C = 10, demands 4, 1 and 1 under DRF: 10/3 each would leave the first below 4; so 4, 3 and 3.

namespace {

constexpr double kWithin = numerics::FloorTuning{}.within;  // of one task
// How much faster than all others those held are served, at first and at most. Derived: they then take a
// thousandth from others on the way, and what a double can still hold of a weight next to another.
constexpr double kFirst = 1e3;
constexpr double kMaxFaster = 1e15;

using Held = std::vector<bool>;

class MinimumShareSearch {
 public:
  MinimumShareSearch(const Problem& problem, const Choice& mechanism, const Execution& execution)
      : problem_(problem), mechanism_(mechanism), execution_(execution), faster_(problem.user_count(), 0) {
    std::map<std::vector<double>, std::size_t> groups;
    for (const User& user : problem.users()) {
      std::vector<double> key{user.weight.value()};
      for (const Quantity& amount : user.demand) key.push_back(amount.value());
      const std::size_t group = groups.emplace(std::move(key), groups.size()).first->second;
      group_.push_back(group);
    }
    groups_ = groups.size();
  }

  /// Nothing when some held users cannot be served in full.
  Result<std::optional<Outcome>> search(Outcome first) {
    std::optional<Error> error;
    const auto divide_with = [&](const Held& held) -> std::optional<Outcome> {
      Result<Outcome> outcome = divide(held);
      if (!outcome) error = outcome.error();
      return outcome && reachable_ ? std::optional(*std::move(outcome)) : std::nullopt;
    };
    auto found = numerics::hold_floors(std::move(first), divide_with,
                                       [&](const Outcome& outcome) { return tasks_of_groups(outcome); });
    if (error) return *std::move(error);
    if (!found) return std::optional<Outcome>();
    if (!found->report.converged()) found->division.status = Status::not_converged;
    return std::optional(std::move(found->division));
  }

 private:
  std::vector<double> tasks_of_groups(const Outcome& outcome) const {
    std::vector<double> tasks(groups_);
    for (std::size_t n = 0; n < group_.size(); ++n) tasks[group_[n]] = outcome.allocation.tasks[n];
    return tasks;
  }

  // The mechanism's division with these groups at one task for each of their users.
  Result<Outcome> divide(const Held& held) {
    while (true) {
      Result<Problem> problem = with_held(held);
      if (!problem) return problem.error();
      Result<Outcome> outcome = allocate(*problem, mechanism_, execution_);
      if (!outcome) return outcome;
      if (!serve_faster(held, *outcome)) return outcome;
    }
  }

  Result<Problem> with_held(const Held& held) {
    Cluster cluster = problem_.cluster();
    for (std::size_t n = 0; n < cluster.users.size(); ++n) {
      if (!held[group_[n]]) continue;
      if (faster_[n] == 0) faster_[n] = kFirst;
      const Result<Quantity> weight = Quantity::from(cluster.users[n].weight.value() * faster_[n]);
      if (!weight) {
        return Error{.message = fmt::format(
                         "the weight of '{}' is too large to be raised until the pod has its request; "
                         "give smaller weights in the same proportions",
                         cluster.users[n].name)};
      }
      cluster.users[n].weight = *weight;
      cluster.users[n].tasks = Quantity(1);
    }
    return Problem::from(std::move(cluster));
  }

  // Whether a user that is held is not served in full, and can be served faster.
  bool serve_faster(const Held& held, const Outcome& outcome) {
    bool any = false;
    for (std::size_t n = 0; n < group_.size(); ++n) {
      const double tasks = outcome.allocation.tasks[n];
      if (!held[group_[n]] || tasks >= 1 - kWithin) continue;
      if (faster_[n] >= kMaxFaster) {
        reachable_ = false;
        return false;
      }
      faster_[n] = std::min(kMaxFaster, faster_[n] * kFirst / std::max(tasks, 1 / kFirst));
      any = true;
    }
    return any;
  }

  const Problem& problem_;
  const Choice& mechanism_;
  const Execution& execution_;
  std::vector<std::size_t> group_;  // of each user, [n]
  std::size_t groups_ = 0;
  bool reachable_ = true;
  std::vector<double> faster_;  // by how much a held user's weight is raised; 0 when it never was, [n]
};

// Does every user hold exactly its number of tasks times its demand?
bool grants_tasks(const Problem& problem, const Outcome& outcome,
                  const std::vector<std::vector<double>>& held) {
  for (std::size_t n = 0; n < held.size(); ++n) {
    for (std::size_t r = 0; r < held[n].size(); ++r) {
      const double of_tasks = outcome.allocation.tasks[n] * problem.users()[n].demand[r].value();
      if (std::abs(held[n][r] - of_tasks) > kWithin * problem.pool()[r]) return false;
    }
  }
  return true;
}

}  // namespace

Result<MinimumShares> share_with_minimum(const Problem& problem, const Choice& mechanism,
                                         const Execution& execution) {
  Result<Outcome> outcome = allocate(problem, mechanism, execution);
  if (!outcome) return std::move(outcome).error();
  std::vector<std::vector<double>> held = bundles(problem, outcome->allocation);
  const Accepts& accepts = mechanism_of(mechanism).accepts;
  if (!accepts.caps || !accepts.weights || !grants_tasks(problem, *outcome, held)) {
    raise_to_requests(problem, held);
    return MinimumShares{.held = std::move(held), .tasks = {}, .outcome = *std::move(outcome)};
  }
  MinimumShareSearch search(problem, mechanism, execution);
  Result<std::optional<Outcome>> floored = search.search(*outcome);
  if (!floored) return std::move(floored).error();
  if (!*floored) {
    outcome->notices.emplace_back(
        "it cannot give every user one task at once: shares are raised to the requests");
    raise_to_requests(problem, held);
    return MinimumShares{.held = std::move(held), .tasks = {}, .outcome = *std::move(outcome)};
  }
  outcome = **std::move(floored);
  held = bundles(problem, outcome->allocation);
  raise_to_requests(problem, held);  // by a rounding error, if at all
  return MinimumShares{
      .held = std::move(held), .tasks = outcome->allocation.tasks, .outcome = *std::move(outcome)};
}

}  // namespace mirab::kubernetes
