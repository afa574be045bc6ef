#include "conformance/properties.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mirab::testing {
namespace {

using Bundle = std::vector<double>;
using Found = std::optional<std::string>;

constexpr double small = 1e-6;
constexpr double worth_a_lie = 1e-3;

Bundle scaled(const Bundle& bundle, double by) {
  Bundle result = bundle;
  for (double& amount : result) amount *= by;
  return result;
}

// V_n: the tasks that a user with this demand can run with a bundle.
double tasks_with(const Bundle& bundle, const Bundle& demand) {
  double tasks = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) tasks = std::min(tasks, bundle[r] / demand[r]);
  }
  return tasks;
}

double total_weight(const PoolCase& pool) {
  double total = 0;
  for (std::size_t n = 0; n < pool.demand.size(); ++n) total += pool.weight_of(n);
  return total;
}

Found find_worse_than_alone(const PoolCase& pool, const std::vector<double>& tasks) {
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const double alone =
        tasks_with(scaled(pool.capacity, pool.weight_of(n) / total_weight(pool)), pool.demand[n]);
    if (tasks[n] < alone * (1 - small))
      return fmt::format("user {} has {} tasks, alone {}", n, tasks[n], alone);
  }
  return {};
}

Found find_envy(const PoolCase& pool, const std::vector<double>& tasks) {
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      const Bundle other = scaled(pool.demand[k], tasks[k] * pool.weight_of(n) / pool.weight_of(k));
      if (tasks_with(other, pool.demand[n]) > tasks[n] * (1 + small))
        return fmt::format("user {} envies {}", n, k);
    }
  }
  return {};
}

// Efficient when every user needs a resource that is full (Bonald and Roberts, section 2.2).
Found find_room(const PoolCase& pool, const std::vector<double>& tasks) {
  Bundle used(pool.capacity.size(), 0.0);
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    for (std::size_t r = 0; r < used.size(); ++r) used[r] += tasks[n] * pool.demand[n][r];
  }
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    bool stopped = false;
    for (std::size_t r = 0; r < used.size(); ++r) {
      stopped = stopped || (pool.demand[n][r] > 0 && used[r] > pool.capacity[r] * (1 - small));
    }
    if (!stopped) return fmt::format("user {} could have more for nothing", n);
  }
  return {};
}

// Every coordinate times each factor, alone and against every other coordinate, and a little of what is not
// needed.
std::vector<Bundle> lies_about(const Bundle& demand, const Bundle& capacity) {
  constexpr double factors[] = {0.125, 0.5, 0.8, 0.95, 1.05, 1.25, 2, 8};
  std::vector<Bundle> lies;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    for (const double factor : factors) {
      Bundle lie = demand;
      lie[r] = demand[r] > 0 ? factor * demand[r] : factor * 1e-2 * capacity[r];
      lies.push_back(lie);
      for (std::size_t k = 0; k < r; ++k) {
        lies.push_back(lie);
        lies.back()[k] *= 1 / factor;
      }
    }
    Bundle hidden = demand;
    hidden[r] = 0;
    if (std::any_of(hidden.begin(), hidden.end(), [](double amount) { return amount > 0; }))
      lies.push_back(hidden);
  }
  return lies;
}

Found find_profitable_lie(const PoolCase& pool, const std::vector<double>& tasks,
                          const std::string& mechanism) {
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    for (const Bundle& lie : lies_about(pool.demand[n], pool.capacity)) {
      PoolCase told = pool;
      told.demand[n] = lie;
      const double gained = tasks_with(scaled(lie, tasks_of(told, mechanism)[n]), pool.demand[n]);
      if (gained > tasks[n] * (1 + worth_a_lie)) {
        return fmt::format("user {} has {} tasks, and {} by {}", n, tasks[n], gained, fmt::join(lie, ", "));
      }
    }
  }
  return {};
}

// With endless demand for resource r, max-min fairness is an equal part of all of it, for the weight.
Found find_uneven_parts(const PoolCase& pool, const std::vector<double>& tasks, std::size_t r) {
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const double fair = pool.capacity[r] * pool.weight_of(n) / total_weight(pool);
    const double held = tasks[n] * pool.demand[n][r];
    if (std::abs(held - fair) > small * fair)
      return fmt::format("user {} holds {}, fair is {}", n, held, fair);
  }
  return {};
}

// A resource of which every user demands the largest part.
std::optional<std::size_t> bottleneck_of(const PoolCase& pool) {
  for (std::size_t b = 0; b < pool.capacity.size(); ++b) {
    const bool largest = std::all_of(pool.demand.begin(), pool.demand.end(), [&](const Bundle& demand) {
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] / pool.capacity[r] > demand[b] / pool.capacity[b]) return false;
      }
      return true;
    });
    if (largest) return b;
  }
  return {};
}

Found find_loser_when_somebody_leaves(const PoolCase& pool, const std::vector<double>& tasks,
                                      const std::string& mechanism) {
  for (std::size_t leaver = 0; tasks.size() > 1 && leaver < tasks.size(); ++leaver) {
    PoolCase rest = pool;
    const auto at = static_cast<std::ptrdiff_t>(leaver);
    rest.demand.erase(rest.demand.begin() + at);
    if (!rest.weight.empty()) rest.weight.erase(rest.weight.begin() + at);
    if (!rest.cap.empty()) rest.cap.erase(rest.cap.begin() + at);
    const std::vector<double> after = tasks_of(rest, mechanism);
    for (std::size_t n = 0; n < after.size(); ++n) {
      if (after[n] < tasks[n < leaver ? n : n + 1] * (1 - small)) {
        return fmt::format("user {} loses when {} leaves", n < leaver ? n : n + 1, leaver);
      }
    }
  }
  return {};
}

Found find_loser_when_there_is_more(const PoolCase& pool, const std::vector<double>& tasks,
                                    const std::string& mechanism) {
  for (std::size_t r = 0; r < pool.capacity.size(); ++r) {
    PoolCase larger = pool;
    larger.capacity[r] *= 2;
    const std::vector<double> after = tasks_of(larger, mechanism);
    for (std::size_t n = 0; n < tasks.size(); ++n) {
      if (after[n] < tasks[n] * (1 - small))
        return fmt::format("user {} loses when there is more of {}", n, r);
    }
  }
  return {};
}

Found find_change_by_scale(const PoolCase& pool, const std::vector<double>& tasks,
                           const std::string& mechanism) {
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    for (const double k : {0.5, 3.0}) {
      PoolCase other = pool;
      other.demand[n] = scaled(pool.demand[n], k);
      if (pool.has_cap(n)) other.cap[n] /= k;
      const double after = k * tasks_of(other, mechanism)[n];
      if (std::abs(after - tasks[n]) > small * tasks[n])
        return fmt::format("user {} counts tasks {} times as large", n, k);
    }
  }
  return {};
}

}  // namespace

Found find_violation(Property property, const PoolCase& pool, const std::string& mechanism) {
  const std::vector<double> tasks = tasks_of(pool, mechanism);
  const std::optional<std::size_t> bottleneck = bottleneck_of(pool);
  switch (property) {
    case Property::feasible:
    case Property::non_wastefulness:
      return {};  // claimed by nobody
    case Property::sharing_incentive:
      return find_worse_than_alone(pool, tasks);
    case Property::envy_freeness:
      return find_envy(pool, tasks);
    case Property::pareto_efficiency:
      return find_room(pool, tasks);
    case Property::strategy_proofness:
      return find_profitable_lie(pool, tasks, mechanism);
    case Property::single_resource_fairness:
      return pool.capacity.size() == 1 ? find_uneven_parts(pool, tasks, 0) : Found{};
    case Property::bottleneck_fairness:
      return bottleneck ? find_uneven_parts(pool, tasks, *bottleneck) : Found{};
    case Property::population_monotonicity:
      return find_loser_when_somebody_leaves(pool, tasks, mechanism);
    case Property::resource_monotonicity:
      return find_loser_when_there_is_more(pool, tasks, mechanism);
    case Property::scale_invariance:
      return find_change_by_scale(pool, tasks, mechanism);
  }
  return "no predicate for this property";
}

}  // namespace mirab::testing
