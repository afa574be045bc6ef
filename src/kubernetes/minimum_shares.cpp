// A fair division in which every user has at least one task (its request).
#include "kubernetes/minimum_shares.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <vector>

#include <mirab/model/problem.hpp>

namespace mirab::kubernetes {

/// Raises what users hold, [n][r], to their demands, which fit on the problem's servers together: max(demand,
/// held). Where that is more than there is, the excess is taken from all in proportion to what they hold
/// above their demands. O(N m).
void raise_to_requests(const Problem& problem, std::vector<std::vector<double>>& held);

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

// A fair division in which nobody falls below one task: X_n ≥ 1.
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
// Who is at the floor is found by an active set. A user that falls below one task is held, until none does.
// Then each is let go in turn: if it rises, it did not belong there (with several resources a user held later
// can make room for one held earlier), and the division moves towards the new one until somebody meets its
// floor. The objective grows with every such step, so no set comes twice. Users with equal demand and weight
// are held and let go together. One run of the mechanism for each group that is held, mostly.
//
// A mechanism that grants bundles, or takes no caps, or cannot run a task of everybody at once although they
// fit (time division counts dominant shares), gives max(demand, bundle); where that is more than there is,
// the excess is taken from what all hold above their demands, in proportion.
//
// Example: C = 10, demands 4, 1 and 1 under DRF: 10/3 each would leave the first below 4; so 4, 3 and 3.

namespace {

constexpr double kWithin = 1e-7;  // of one task: mechanisms over servers are no more exact
constexpr double kFirst = 1e3;    // how much faster than all others those held are served, at first
constexpr double kMostFaster = 1e15;

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

  Result<Outcome> search(Outcome first) {
    Held held(groups_, false);
    Result<Outcome> now = std::move(first);
    while (hold_those_below(*now, held)) {
      now = divide(held);
      if (!now || !reachable_) return now;
    }
    const std::size_t most_steps = 4 * groups_ * groups_;
    std::size_t steps = 0;
    for (std::size_t g = 0; g < groups_; ++g) {
      if (!held[g]) continue;
      Held freed = held;
      freed[g] = false;
      Result<Outcome> next = divide(freed);
      if (!next || !reachable_) return next;
      if (of_group(*next, g) <= 1 + kWithin) continue;
      now = move_towards(*std::move(next), tasks_of_groups(*now), freed);
      if (!now || !reachable_ || ++steps > most_steps) break;
      held = freed;
      g = static_cast<std::size_t>(-1);  // from the first group again
    }
    if (now && steps > most_steps) now->status = Status::not_converged;
    return now;
  }

  /// Could everybody whom the search held be served in full?
  bool reachable() const { return reachable_; }

 private:
  double of_group(const Outcome& outcome, std::size_t g) const {
    const auto member = std::find(group_.begin(), group_.end(), g);
    return outcome.allocation.tasks[static_cast<std::size_t>(member - group_.begin())];
  }

  std::vector<double> tasks_of_groups(const Outcome& outcome) const {
    std::vector<double> tasks(groups_);
    for (std::size_t n = 0; n < group_.size(); ++n) tasks[group_[n]] = outcome.allocation.tasks[n];
    return tasks;
  }

  bool hold_those_below(const Outcome& outcome, Held& held) {
    bool any = false;
    const std::vector<double> tasks = tasks_of_groups(outcome);
    for (std::size_t g = 0; g < groups_; ++g) {
      if (held[g] || tasks[g] >= 1 - kWithin) continue;
      any = held[g] = true;
    }
    return any;
  }

  // From a division that keeps all floors towards `next`, which may not: the first that meets its floor on
  // the way is held, and `next` computed again.
  Result<Outcome> move_towards(Outcome next, std::vector<double> from, Held& held) {
    while (true) {
      const std::vector<double> to = tasks_of_groups(next);
      double part = 1;
      std::size_t first = groups_;
      for (std::size_t g = 0; g < groups_; ++g) {
        if (held[g] || to[g] >= 1 - kWithin) continue;
        const double until_floor = std::clamp((from[g] - 1) / (from[g] - to[g]), 0.0, 1.0);
        if (first == groups_ || until_floor < part) part = until_floor, first = g;
      }
      if (first == groups_) return next;
      for (std::size_t g = 0; g < groups_; ++g) from[g] += part * (to[g] - from[g]);
      held[first] = true;
      Result<Outcome> again = divide(held);
      if (!again || !reachable_) return again;
      next = *std::move(again);
    }
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
    Cluster cluster{problem_.resources(), problem_.servers(), problem_.users()};
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

  // Was somebody who is held not served in full, and can it be served faster?
  bool serve_faster(const Held& held, const Outcome& outcome) {
    bool any = false;
    for (std::size_t n = 0; n < group_.size(); ++n) {
      const double tasks = outcome.allocation.tasks[n];
      if (!held[group_[n]] || tasks >= 1 - kWithin) continue;
      if (faster_[n] >= kMostFaster) {
        reachable_ = false;
        return false;
      }
      faster_[n] = std::min(kMostFaster, faster_[n] * kFirst / std::max(tasks, 1 / kFirst));
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

const Mechanism& row_of(const Choice& mechanism) {
  const auto rows = mechanisms();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Mechanism& each) { return each.name == mechanism.name; });
  MIRAB_ASSERT(row != rows.end(), "a mechanism that has divided");
  return *row;
}

}  // namespace

Result<MinimumShares> share_with_minimum(const Problem& problem, const Choice& mechanism,
                                         const Execution& execution) {
  Result<Outcome> outcome = allocate(problem, mechanism, execution);
  if (!outcome) return std::move(outcome).error();
  std::vector<std::vector<double>> held = bundles(problem, outcome->allocation);
  const Accepts& accepts = row_of(mechanism).accepts;
  if (!accepts.caps || !accepts.weights || !grants_tasks(problem, *outcome, held)) {
    raise_to_requests(problem, held);
    return MinimumShares{.held = std::move(held), .tasks = {}, .outcome = *std::move(outcome)};
  }
  MinimumShareSearch search(problem, mechanism, execution);
  Result<Outcome> floored = search.search(*outcome);
  if (!floored) return std::move(floored).error();
  if (!search.reachable()) {
    outcome->notices.emplace_back(
        "it cannot give every user one task at once: shares are raised to the requests");
    raise_to_requests(problem, held);
    return MinimumShares{.held = std::move(held), .tasks = {}, .outcome = *std::move(outcome)};
  }
  outcome = std::move(floored);
  held = bundles(problem, outcome->allocation);
  raise_to_requests(problem, held);  // by a rounding error, if at all
  return MinimumShares{
      .held = std::move(held), .tasks = outcome->allocation.tasks, .outcome = *std::move(outcome)};
}

}  // namespace mirab::kubernetes
