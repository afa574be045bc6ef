// Metrics of an allocation: inequality of shares, utilisation, and the figures of users with the same
// dominant resource.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <mirab/audit/metrics.hpp>

#include "audit/persons.hpp"
#include "fairness/share.hpp"
#include "model/eligibility.hpp"

namespace mirab {
namespace {

// Relative, of sums of amounts. Derived: what solvers leave; at 1e-12 equal parts would count as different.
constexpr double kRounding = 1e-9;

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

// a / C_r, and 0 for a resource that the cluster lacks (no user holds any of it).
double part_of_pool(const Problem& problem, double amount, std::size_t r) {
  return problem.pool()[r] > 0 ? amount / problem.pool()[r] : 0;
}

// Shares per unit of weight, scaled so that they are the shares themselves when all weights are equal; of
// those who have a weight.
std::vector<double> shares_per_weight(std::span<const Person> compared) {
  double weights = 0, weighted = 0;
  for (const Person& person : compared) {
    weights += person.weight;
    weighted += person.weight > 0 ? 1 : 0;
  }
  const double mean = weights / weighted;
  std::vector<double> per_weight;
  for (const Person& person : compared) {
    if (person.weight > 0) per_weight.push_back(person.share * (mean / person.weight));
  }
  return per_weight;
}

void measure_inequality(std::span<const Person> compared, Metrics& metrics) {
  const std::vector<double> fair = shares_per_weight(compared);
  metrics.jain = jain(fair);
  metrics.gini = gini(fair);
  metrics.ratio_20_20 = ratio_20_20(fair);
  metrics.sample_standard_deviation = sample_standard_deviation(fair);
}

// Requires at least one.
double lowest_share(std::span<const Person> of) {
  return std::min_element(of.begin(), of.end(),
                          [](const Person& a, const Person& b) { return a.share < b.share; })
      ->share;
}

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

}  // namespace

double gini(std::span<const double> shares) { return fairness::gini(shares); }

double jain(std::span<const double> shares) {
  const double total = sum(shares);
  if (total <= 0) return 1;
  double squares = 0;
  for (const double s : shares) squares += s * s;
  return total * total / (static_cast<double>(shares.size()) * squares);
}

double ratio_20_20(std::span<const double> shares) {
  if (sum(shares) <= 0) return 1;
  const std::vector<double> s = sorted(shares);
  const std::size_t fifth = (s.size() + 4) / 5;
  const double lowest = sum(std::span(s).first(fifth));
  const double highest = sum(std::span(s).last(fifth));
  return lowest > 0 ? highest / lowest : std::numeric_limits<double>::infinity();
}

double sample_standard_deviation(std::span<const double> shares) {
  if (shares.size() < 2) return 0;
  const double mean = sum(shares) / static_cast<double>(shares.size());
  double squares = 0;
  for (const double s : shares) squares += (s - mean) * (s - mean);
  return std::sqrt(squares / static_cast<double>(shares.size() - 1));
}

std::vector<std::size_t> dominant_resources(const Problem& problem) {
  const ExactVector pool = exact_pool(problem);
  const std::vector<bool> is_eligible = eligible_somewhere(problem);
  std::vector<std::size_t> dominant;
  dominant.reserve(problem.user_count());
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const std::vector<std::size_t> lacking =
        is_eligible[n] ? std::vector<std::size_t>() : lack_of(problem, n).resources;
    dominant.push_back(lacking.empty()
                           ? fairness::dominant_resource<mpq_class>(problem.users()[n].demand, pool)
                           : lacking.front());
  }
  return dominant;
}

namespace {

// A pool does not know where tasks run.
bool is_pooled(const Problem& problem, const Allocation& allocation) {
  return allocation.servers.size() != problem.server_count();
}

// Of one task of the grant, where it runs; in a pool as the user says for all servers.
const ResourceVector& demand_there(const Problem& problem, const Allocation& allocation, const Grant& grant) {
  return is_pooled(problem, allocation) ? problem.users()[grant.user].demand
                                        : problem.demand(grant.user, grant.server);
}

// What the tasks of these users demand where they run, Σ_n Σ_i x_{n,i} d_{n,i}, [m].
std::vector<double> demanded_there(const Problem& problem, const Allocation& allocation,
                                   std::span<const std::size_t> users) {
  std::vector<double> taken(problem.resource_count());
  for (const std::size_t user : users) {
    for (const Grant& grant : allocation.grants.of(user)) {
      const ResourceVector& demand = demand_there(problem, allocation, grant);
      for (std::size_t r = 0; r < taken.size(); ++r) taken[r] += grant.tasks * demand[r].value();
    }
  }
  return taken;
}

// Of which `taken` is the largest part of the pool: `expected` unless another is more than rounding larger.
std::size_t dominant_unless_more(const Problem& problem, std::span<const double> taken,
                                 std::size_t expected) {
  const double most = fairness::dominant_share<double>(taken, problem.pool());
  const bool as_expected = part_of_pool(problem, taken[expected], expected) >= most * (1 - kRounding);
  return as_expected ? expected : fairness::dominant_resource<double>(taken, problem.pool());
}

// Of what a task of each shape takes together, compared exactly; of a user without shapes, its task.
std::size_t dominant_of_one_each(const Problem& problem, const Person& person, const ExactVector& pool) {
  ExactVector together(pool.size());
  for (const std::size_t n : person.users) {
    const ExactVector demand = exact(problem.users()[n].demand);
    for (std::size_t r = 0; r < together.size(); ++r) together[r] += demand[r];
  }
  return fairness::dominant_resource<mpq_class>(together, pool);
}

// The resource that dominates a user, [n]: a task shape is dominated by that of which all tasks of its user
// together take the largest part of the pool where they run. `of_users`, [n], is dominant_resources().
std::vector<std::size_t> dominant_of_persons(const Problem& problem, const Allocation& allocation,
                                             std::span<const Person> persons,
                                             std::vector<std::size_t> of_users) {
  const ExactVector pool = exact_pool(problem);
  for (const Person& person : persons) {
    if (person.users.size() == 1) continue;
    const std::size_t dominant =
        dominant_unless_more(problem, demanded_there(problem, allocation, person.users),
                             dominant_of_one_each(problem, person, pool));
    for (const std::size_t n : person.users) of_users[n] = dominant;
  }
  return of_users;
}

}  // namespace

std::vector<std::size_t> dominant_resources(const Problem& problem, const Allocation& allocation) {
  std::vector<std::size_t> dominant = dominant_resources(problem);
  if (is_pooled(problem, allocation) || !problem.has_demand_on()) return dominant;
  for (std::size_t n = 0; n < dominant.size(); ++n) {
    if (problem.users()[n].demand_on.empty()) continue;
    const std::vector<double> taken = demanded_there(problem, allocation, std::array{n});
    dominant[n] = dominant_unless_more(problem, taken, dominant[n]);
  }
  return dominant;
}

std::vector<double> dominant_shares(const Problem& problem, const Allocation& allocation) {
  std::vector<double> shares;
  std::vector<double> held(problem.resource_count());
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    held.assign(held.size(), 0.0);
    for (const Grant& grant : allocation.grants.of(n)) {
      for (std::size_t r = 0; r < held.size(); ++r) held[r] += grant.resources[r];
    }
    shares.push_back(fairness::dominant_share<double>(held, problem.pool()));
  }
  return shares;
}

Metrics measure(const Problem& problem, const Allocation& allocation) {
  const std::size_t resources = problem.resource_count();
  Metrics metrics{.dominant_shares = dominant_shares(problem, allocation),
                  .dominant_resources = dominant_resources(problem, allocation),
                  .utilization = std::vector<double>(resources)};
  const std::vector<Person> compared = eligible_persons(problem, allocation);
  measure_inequality(compared, metrics);
  metrics.min_dominant_share = lowest_share(compared);
  const std::vector<std::size_t> dominant =
      dominant_of_persons(problem, allocation, compared, metrics.dominant_resources);
  std::vector<double> held_by_dominated(resources);
  std::vector<double> held_by_others(resources);
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < resources; ++r) {
      const double part = part_of_pool(problem, grant.resources[r], r);
      metrics.utilization[r] += part;
      (dominant[grant.user] == r ? held_by_dominated : held_by_others)[r] += part;
    }
  }
  metrics.beta_dominant = spread(held_by_dominated);
  metrics.beta_non_dominant = spread(held_by_others);
  return metrics;
}

bool Satisfaction::any_asked() const {
  return std::any_of(asked.begin(), asked.end(), [](const auto& tasks) { return tasks.has_value(); });
}

namespace {

constexpr double kAllWithin = 1e-6;  // relative: what certificates and rounding may leave

double share_of_a_task(const Problem& problem, const ResourceVector& demand) {
  double share = 0;
  for (std::size_t r = 0; r < demand.size(); ++r)
    share = std::max(share, part_of_pool(problem, demand[r].value(), r));
  return share;
}

// Of a user whose tasks take different amounts on different servers: what they take on average where they
// run; where none runs, what one takes on the server on which that is least, and where none may run, what the
// user says for all servers.
double share_of_a_task(const Problem& problem, const Allocation& allocation, std::size_t user) {
  const User& asking = problem.users()[user];
  if (asking.demand_on.empty() || is_pooled(problem, allocation))
    return share_of_a_task(problem, asking.demand);
  double running = 0;
  for (const Grant& grant : allocation.grants.of(user)) running += grant.tasks;
  if (running > 0) {
    const std::vector<double> taken = demanded_there(problem, allocation, std::array{user});
    return fairness::dominant_share<double>(taken, problem.pool()) / running;
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (problem.eligible(user, i)) least = std::min(least, share_of_a_task(problem, problem.demand(user, i)));
  }
  return std::isinf(least) ? share_of_a_task(problem, asking.demand) : least;
}

}  // namespace

Satisfaction satisfaction(const Problem& problem, const Outcome& outcome) {
  Satisfaction result;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const User& user = problem.users()[n];
    std::optional<double> asked;
    if (user.tasks) asked = outcome.filling ? std::floor(user.tasks->value()) : user.tasks->value();
    const bool satisfied = asked && outcome.allocation.tasks[n] >= *asked * (1 - kAllWithin);
    result.asked.push_back(asked);
    result.asked_shares.push_back(
        asked ? std::optional(*asked * share_of_a_task(problem, outcome.allocation, n)) : std::nullopt);
    result.satisfied.push_back(satisfied);
  }
  std::vector<Person> everyone = persons(problem, outcome.allocation);
  result.users = everyone.size();
  std::erase_if(everyone, [&](const Person& person) { return has_all(person, result.satisfied); });
  result.satisfied_users = result.users - everyone.size();
  std::erase_if(everyone, [](const Person& person) { return !person.is_eligible; });
  if (!everyone.empty()) result.lowest_short_share = lowest_share(everyone);
  return result;
}

std::optional<Metrics> of_short_users(const Problem& problem, const Allocation& allocation,
                                      const Metrics& metrics, const Satisfaction& satisfaction) {
  if (!satisfaction.lowest_short_share) return {};
  std::vector<Person> compared = eligible_persons(problem, allocation);
  std::erase_if(compared, [](const Person& person) { return !(person.weight > 0); });
  double least = std::numeric_limits<double>::infinity();  // per weight, of those who are short
  for (const Person& person : compared) {
    if (!has_all(person, satisfaction.satisfied)) least = std::min(least, person.share / person.weight);
  }
  std::erase_if(compared, [&](const Person& person) {
    return has_all(person, satisfaction.satisfied) &&
           person.share / person.weight <= least * (1 + kAllWithin);
  });
  if (compared.size() < 2) return {};
  Metrics of_short = metrics;
  measure_inequality(compared, of_short);
  of_short.min_dominant_share = *satisfaction.lowest_short_share;
  return of_short;
}

namespace {

constexpr double kWithin = 1e-9;  // of a fair share

using Table = std::vector<std::vector<double>>;

double total_weight(std::span<const Person> persons) {
  double total = 0;
  for (const Person& person : persons) total += person.weight;
  return total;
}

// What a user holds, of all its shapes, [m]; `held` is bundles(), [n][m].
std::vector<double> held_together(const Table& held, const Person& person) {
  std::vector<double> together(held[person.users[0]].size());
  for (const std::size_t n : person.users) {
    for (std::size_t r = 0; r < together.size(); ++r) together[r] += held[n][r];
  }
  return together;
}

// What each of the allocation's servers has, one of an entry, or the pool.
std::vector<ExactVector> capacities(const Problem& problem, bool pooled) {
  if (pooled) return {exact_pool(problem)};
  std::vector<ExactVector> capacities;
  for (const Server& server : problem.servers()) capacities.push_back(exact(server.capacity));
  return capacities;
}

void measure_consumption(const Problem& problem, const Allocation& allocation, GroupMetrics& metrics) {
  const std::size_t m = problem.resource_count();
  const std::vector<ExactVector> capacity = capacities(problem, is_pooled(problem, allocation));
  Table tasks(allocation.servers.size(), std::vector<double>(m, 0.0));
  Table demand = tasks;
  for (const Grant& grant : allocation.grants) {
    const ResourceVector& of_task = demand_there(problem, allocation, grant);
    const std::size_t dominant = fairness::dominant_resource<mpq_class>(of_task, capacity[grant.server]);
    tasks[grant.server][dominant] += grant.tasks;
    demand[grant.server][dominant] += grant.tasks * of_task[dominant].value();
  }
  metrics.consumption = tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const ServerUse& server = allocation.servers[i];
    std::vector<double> there;
    for (std::size_t k = 0; k < m; ++k) {
      const double of_one = server.capacity[k] / static_cast<double>(server.count);
      double& lambda = metrics.consumption[i][k];
      lambda = tasks[i][k] > 0 ? demand[i][k] / tasks[i][k] / of_one : 0;
      if (of_one > 0) there.push_back(lambda);
    }
    const auto [least, most] = std::minmax_element(there.begin(), there.end());
    metrics.penalty.push_back(there.empty() ? 0 : *most - *least);
  }
}

}  // namespace

GroupMetrics measure_groups(const Problem& problem, const Allocation& allocation) {
  const std::size_t m = problem.resource_count();
  const Table held = bundles(problem, allocation);
  const std::vector<Person> everyone = eligible_persons(problem, allocation);
  const double weights = total_weight(everyone);
  GroupMetrics metrics{.pareto_index = std::vector<std::optional<double>>(m),
                       .jain_dominant = {},
                       .jain_non_dominant = {},
                       .consumption = {},
                       .penalty = {}};
  Table dominated(m);
  Table others(m);
  double satisfied = 0;
  const std::vector<std::size_t> dominants =
      dominant_of_persons(problem, allocation, everyone, dominant_resources(problem, allocation));
  for (const Person& person : everyone) {
    const std::size_t dominant = dominants[person.users[0]];
    const std::vector<double> has = held_together(held, person);
    for (std::size_t r = 0; r < m; ++r) (r == dominant ? dominated : others)[r].push_back(has[r]);
    const double fair = weights > 0 ? problem.pool()[dominant] * person.weight / weights : 0;
    const double beyond = has[dominant] - fair;
    std::optional<double>& index = metrics.pareto_index[dominant];
    index = index ? std::max(*index, beyond) : beyond;
    if (beyond >= -kWithin * fair) ++satisfied;
  }
  metrics.sharing_incentive_index = satisfied / static_cast<double>(everyone.size());
  for (std::size_t r = 0; r < m; ++r) {
    metrics.jain_dominant.push_back(jain(dominated[r]));
    metrics.jain_non_dominant.push_back(jain(others[r]));
  }
  measure_consumption(problem, allocation, metrics);
  return metrics;
}

}  // namespace mirab
