// The generator of random demands of Hamzeh's thesis.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, 7.1.1.1, equations 7.1 to 7.7 and
// listing 7.1:
//
//   θ = s / r                        (7.1)   s a distance, r a radius
//   degree = θ · 180 / π             (7.2)
//   deviation = sin(θ · degree)      (7.3)
//   P(x) = exp(-((x - μ) / δ)² / 2) / (δ √(2π))   (7.5), μ the median (7.6), δ the standard deviation (7.4)
//                                            times the stretch
//   Mips: a draw from P              (7.7)
//   RAM  = 260 + 100 · deviation · stretch
//   disk = Mips / 2
//
// What the thesis leaves open, and how it is read here: s grows by one with each iteration, so that the sine
// sweeps ever faster, since (7.3) multiplies the angle by itself; every user has a median, radius, start and
// stretch of its own, and the median and deviation that (7.4) and (7.6) take from observed workloads are
// parameters; "minimum CPU, disk and memory", of which section 7.1.1 speaks, is one floor; (7.7)
// calls the density itself Mips, which would be below one, so that a draw is meant.
// Known failures: with disk = Mips / 2 no user is dominated by a disk of more than half the CPU's capacity
// (docs/reference/reproduced.md); table 7.4, which prints five demands, does not keep this rule.
#include "lab/simulation/demands/series.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <utility>

#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "fairness/share.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/demand_series.hpp"

namespace mirab::simulation {
namespace {

double uniform(const Range& range, Random& random) {
  return range.low + (range.high - range.low) * random.unit();
}

// In hundredths, or for a scale below 1 in as many more decimals as keep their number of digits.
double rounded(double amount, double scale) {
  const double steps = std::pow(10.0, 2 + std::max(0.0, std::ceil(-std::log10(scale))));
  return std::round(amount * scale * steps) / steps;
}

}  // namespace

DemandProfile draw_profile(const DemandGroup& group, Random& random) {
  DemandProfile profile{};
  profile.median = uniform(group.cpu_median, random);
  profile.deviation = group.cpu_deviation;
  profile.radius = uniform(group.radius, random);
  profile.start = uniform(group.start, random);
  profile.stretch = uniform(group.stretch, random);
  profile.has_disk_median = group.disk_median.has_value();
  profile.disk_median = uniform(group.disk_median.value_or(Range{}), random);
  profile.disk_deviation = group.disk_deviation;
  profile.scale = group.scale;
  profile.least = group.least;
  return profile;
}

double demand_deviation(double s, double r) {
  const double theta = s / r;
  const double degree = theta * 180 / std::numbers::pi;
  return std::sin(theta * degree);
}

// Box and Muller 1958: two uniform draws, so that a demand takes the same number of draws everywhere.
double standard_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

std::vector<double> draw_demand(const DemandProfile& profile, std::int64_t iteration, Random& random) {
  const double s = profile.start + static_cast<double>(iteration);
  const double deviation = demand_deviation(s, profile.radius);
  const double delta = profile.deviation * profile.stretch;
  const double mips = std::max(profile.least, profile.median + delta * standard_normal(random));
  const double ram = std::max(profile.least, 260 + 100 * deviation * profile.stretch);
  const double own_disk =
      profile.disk_median + profile.disk_deviation * profile.stretch * standard_normal(random);
  const double disk = std::max(profile.least, profile.has_disk_median ? own_disk : mips / 2);
  return {rounded(mips, profile.scale), rounded(ram, profile.scale), rounded(disk, profile.scale)};
}

// Measures of one allocation as chapter 7 of Hamzeh's thesis takes them.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing: utilisation (7.8) of granted bundles,
// β (4.24, 4.25) as max - min over resources, Jain's index of groups (4.26, 4.27), tasks by lemma 4.14.
// A bundle need not be in proportion to a task, so that granted resources need not be of use: `run` and
// `tasks` count what can run, min_r bundle_r / d_{n,r}. Dominance is that on the server of a bundle (4.4.3),
// and that in the pool for Jain's index and the sharing incentive, which look at all that a user holds.
// Known failures: β is over resources that dominate a user (or a user not): where no user is dominated by
// a resource, no user can hold it as such, and the printed formula would be 1 at any allocation.

namespace {

constexpr double kEqual = 1e-12;  // parts of a capacity that differ by less are equal: by rounding
constexpr double kWithin = 1e-9;  // of a fair share: what solvers leave. As in audit/metrics.cpp.

std::size_t dominant_of(const ResourceVector& demand, const std::vector<double>& capacity) {
  return fairness::dominant_resource<double>(demand, capacity, kEqual);
}

// max - min over the resources that have such a group.
double spread(const std::vector<double>& parts, const std::vector<bool>& has_group) {
  std::vector<double> compared;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    if (has_group[r]) compared.push_back(parts[r]);
  }
  if (compared.empty()) return 0;
  const auto [least, most] = std::minmax_element(compared.begin(), compared.end());
  return *most - *least;
}

// What grants say: bundles, what runs, and the parts of the groups.
struct Sums {
  std::vector<bool> dominates, dominates_not;  // some user, where something is granted
};

Sums add_grants(const Problem& problem, const Allocation& allocation, DemandMeasures& measures) {
  const std::size_t m = problem.resource_count();
  const bool pooled = allocation.servers.size() != problem.server_count();
  Sums sums{std::vector<bool>(m), std::vector<bool>(m)};
  for (const Grant& grant : allocation.grants) {
    const ResourceVector& demand =
        pooled ? problem.users()[grant.user].demand : problem.demand(grant.user, grant.server);
    const std::size_t dominant = dominant_of(demand, allocation.servers[grant.server].capacity);
    measures.tasks += grant.tasks;
    measures.counted_tasks += grant.resources[dominant] / demand[dominant].value();
    for (std::size_t r = 0; r < m; ++r) {
      const double part = grant.resources[r] / problem.pool()[r];
      measures.bundles[grant.user][r] += grant.resources[r];
      measures.granted[r] += part;
      measures.run[r] += grant.tasks * demand[r].value() / problem.pool()[r];
      (r == dominant ? measures.dominant_part : measures.non_dominant_part)[r] += part;
      (r == dominant ? sums.dominates : sums.dominates_not)[r] = true;
    }
  }
  return sums;
}

void measure_groups_of_users(const Problem& problem, DemandMeasures& measures) {
  const std::size_t m = problem.resource_count();
  std::vector<std::vector<double>> dominated(m), others(m);
  const auto users = static_cast<double>(problem.user_count());
  const std::vector<std::size_t> dominants = pool_dominance(problem);
  double satisfied = 0;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const std::vector<double>& held = measures.bundles[n];
    for (std::size_t r = 0; r < m; ++r) (r == dominants[n] ? dominated : others)[r].push_back(held[r]);
    const double fair = problem.pool()[dominants[n]] / users;
    if (held[dominants[n]] >= fair * (1 - kWithin)) ++satisfied;
  }
  measures.sharing_incentive = satisfied / users;
  for (std::size_t r = 0; r < m; ++r) {
    measures.jain_dominant.push_back(jain(dominated[r]));
    measures.jain_non_dominant.push_back(jain(others[r]));
    measures.dominated.push_back(static_cast<double>(dominated[r].size()));
  }
}

}  // namespace

std::vector<std::size_t> pool_dominance(const Problem& problem) {
  std::vector<std::size_t> dominants;
  dominants.reserve(problem.user_count());
  for (const User& user : problem.users()) dominants.push_back(dominant_of(user.demand, problem.pool()));
  return dominants;
}

DemandMeasures measure_demands(const Problem& problem, const Allocation& allocation) {
  const std::size_t m = problem.resource_count();
  DemandMeasures measures;
  for (auto* sums : {&measures.granted, &measures.run, &measures.dominant_part, &measures.non_dominant_part})
    sums->assign(m, 0);
  measures.bundles.assign(problem.user_count(), std::vector<double>(m, 0.0));
  const Sums groups = add_grants(problem, allocation, measures);
  measures.beta_dominant = spread(measures.dominant_part, groups.dominates);
  measures.beta_non_dominant = spread(measures.non_dominant_part, groups.dominates_not);
  measure_groups_of_users(problem, measures);
  return measures;
}

// Demands that change with every iteration, and an allocation for each: the time series of Hamzeh's thesis.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 7. In iteration t every user
// has one demand (demands/series.hpp), and each mechanism divides the servers again, without memory.
// Iterations are independent, so that they run on any number of threads; what repeats add up is added in
// their order. Cost: iterations · repeats · that of the mechanisms, and their measures kept until the end.

namespace {

using Profiles = std::vector<DemandProfile>;

// Limits on memory: a user has a demand in every iteration, and an iteration keeps its measures until the
// end.
constexpr std::int64_t kMostSeriesUsers = 1'000'000;
constexpr std::int64_t kMostSeriesIterations = 10'000'000;  // times repeats
// Derived: the smallest demand, 1e-8, and the largest are then amounts of 17 digits or fewer.
constexpr double kLeastScale = 1e-6;
constexpr double kLeastDemand = 0.01;  // before it is scaled
constexpr double kMost = 1e9;          // of any amount, radius or stretch

// What one iteration gave, [contender]: mechanisms and disciplines; and its demands.
struct Iteration {
  Check error = {};
  std::vector<DemandMeasures> measures = {};
  std::vector<bool> converged = {};
  std::vector<std::vector<double>> user_tasks = {};  // [contender][n], of shown users
  std::vector<std::vector<double>> demands = {};     // [n][r], of shown users
};

Error bad(std::string message, std::string key) {
  return {.message = std::move(message), .key = std::move(key)};
}

Check check_range(const Range& range, double least, const std::string& key) {
  if (range.low > range.high) return bad("the lower end is above the upper one", key);
  if (!(range.low >= least)) return bad(fmt::format("must be at least {}", least), key);
  if (!(range.high <= kMost)) return bad(fmt::format("must be at most {:.0f}", kMost), key);
  return {};
}

Check check_group(const DemandGroup& group, const std::string& key) {
  if (group.count < 1) return bad("must be at least 1", key + ".count");
  if (!(group.radius.low > 0)) return bad("must be above 0", key + ".radius");
  if (Check error = check_range({group.scale, group.scale}, kLeastScale, key + ".scale")) return error;
  if (Check error = check_range({group.least, group.least}, kLeastDemand, key + ".least")) return error;
  if (Check error = check_range({group.cpu_deviation, group.cpu_deviation}, 0, key + ".cpu_deviation"))
    return error;
  if (Check error = check_range({group.disk_deviation, group.disk_deviation}, 0, key + ".disk_deviation"))
    return error;
  if (Check error = check_range(group.cpu_median, 0, key + ".cpu_median")) return error;
  if (Check error = check_range(group.radius, 0, key + ".radius")) return error;
  if (Check error = check_range(group.start, 0, key + ".start")) return error;
  if (Check error = check_range(group.stretch, 0, key + ".stretch")) return error;
  return check_range(group.disk_median.value_or(Range{}), 0, key + ".disk_median");
}

Profiles draw_profiles(const DemandSeriesScenario& scenario, Random& random) {
  Profiles profiles;
  for (const DemandGroup& group : scenario.users) {
    for (std::int64_t n = 0; n < group.count; ++n) profiles.push_back(draw_profile(group, random));
  }
  return profiles;
}

Result<Problem> problem_at(const DemandSeriesScenario& scenario, const Profiles& profiles, std::int64_t t,
                           Random& random) {
  Cluster cluster{.resources = scenario.resources, .servers = scenario.servers, .users = {}};
  cluster.users.reserve(profiles.size());
  for (std::size_t n = 0; n < profiles.size(); ++n) {
    User user{.name = std::to_string(n + 1), .demand = {}};
    const std::vector<double> amounts = draw_demand(profiles[n], t, random);
    for (std::size_t r = 0; r < scenario.resources.size(); ++r) {
      const Result<Quantity> amount = Quantity::from(amounts[r]);
      if (!amount) return amount.error();
      user.demand.push_back(*amount);
    }
    cluster.users.push_back(std::move(user));
  }
  return Problem::from(std::move(cluster));
}

Iteration run_iteration(const DemandSeriesScenario& scenario, const Profiles& profiles, std::int64_t t,
                        Random random, std::size_t shown) {
  Iteration iteration;
  const Result<Problem> problem = problem_at(scenario, profiles, t, random);
  if (!problem) return {.error = problem.error()};
  const auto keep = [&](const Outcome& outcome) {
    const Allocation& allocation = outcome.allocation;
    iteration.converged.push_back(outcome.status != Status::not_converged);
    DemandMeasures measures = measure_demands(*problem, allocation);
    measures.bundles.resize(shown);
    measures.bundles.shrink_to_fit();
    iteration.measures.push_back(std::move(measures));
    iteration.user_tasks.emplace_back(allocation.tasks.begin(),
                                      allocation.tasks.begin() + static_cast<std::ptrdiff_t>(shown));
  };
  for (const Choice& choice : scenario.mechanisms) {
    const Result<Outcome> outcome = allocate(*problem, choice);
    if (!outcome) return {.error = outcome.error()};
    keep(*outcome);
  }
  for (const Choice& choice : scenario.disciplines) {
    const Result<Outcome> outcome =
        fill(*problem, {.discipline = choice, .placement = *choose_placement("first-fit")}, random);
    if (!outcome) return {.error = outcome.error()};
    keep(*outcome);
  }
  for (std::size_t n = 0; n < shown; ++n) {
    std::vector<double>& demand = iteration.demands.emplace_back();
    for (const Quantity& amount : problem->users()[n].demand) demand.push_back(amount.value());
  }
  return iteration;
}

// courses[k][t] += values[k] · part
void add(std::vector<Course>& courses, std::size_t t, const std::vector<double>& values, double part) {
  for (std::size_t k = 0; k < values.size(); ++k) courses[k][t] += values[k] * part;
}

void add(MechanismCourse& course, std::size_t t, const DemandMeasures& measures, double part) {
  add(course.granted, t, measures.granted, part);
  add(course.run, t, measures.run, part);
  add(course.jain_dominant, t, measures.jain_dominant, part);
  add(course.jain_non_dominant, t, measures.jain_non_dominant, part);
  add(course.dominant_part, t, measures.dominant_part, part);
  add(course.non_dominant_part, t, measures.non_dominant_part, part);
  course.tasks[t] += measures.tasks * part;
  course.counted_tasks[t] += measures.counted_tasks * part;
  course.beta_dominant[t] += measures.beta_dominant * part;
  course.beta_non_dominant[t] += measures.beta_non_dominant * part;
  course.sharing_incentive[t] += measures.sharing_incentive * part;
}

// All zero: T iterations, m resources, `shown` users.
MechanismCourse flat_course(const std::string& mechanism, std::size_t T, std::size_t m, std::size_t shown) {
  const Course flat(T, 0.0);
  const std::vector<Course> each(m, flat);
  return {.mechanism = mechanism,
          .granted = each,
          .run = each,
          .tasks = flat,
          .counted_tasks = flat,
          .jain_dominant = each,
          .jain_non_dominant = each,
          .dominant_part = each,
          .non_dominant_part = each,
          .beta_dominant = flat,
          .beta_non_dominant = flat,
          .sharing_incentive = flat,
          .bundles = std::vector<std::vector<Course>>(shown, each),
          .user_tasks = std::vector<Course>(shown, flat)};
}

std::size_t user_count(const DemandSeriesScenario& scenario) {
  std::size_t users = 0;
  for (const DemandGroup& group : scenario.users) users += static_cast<std::size_t>(group.count);
  return users;
}

void show(DemandSeriesOutcome& outcome, const Iteration& iteration, std::size_t t) {
  for (std::size_t n = 0; n < outcome.demands.size(); ++n) {
    add(outcome.demands[n], t, iteration.demands[n], 1);
    for (std::size_t k = 0; k < outcome.mechanisms.size(); ++k)
      add(outcome.mechanisms[k].bundles[n], t, iteration.measures[k].bundles[n], 1);
  }
  for (std::size_t k = 0; k < outcome.mechanisms.size(); ++k)
    add(outcome.mechanisms[k].user_tasks, t, iteration.user_tasks[k], 1);
}

}  // namespace

Check check(const DemandSeriesScenario& scenario) {
  const std::size_t m = scenario.resources.size();
  if (m < 2 || m > 3) return bad("must be two resources, or three with a disk", "resources");
  if (scenario.users.empty()) return bad("must be at least one group", "users");
  if (scenario.mechanisms.empty() && scenario.disciplines.empty())
    return bad("must be at least one, or a discipline", "mechanisms");
  if (scenario.iterations < 1) return bad("must be at least 1", "iterations");
  if (scenario.repeats < 1) return bad("must be at least 1", "repeats");
  if (scenario.iterations > kMostSeriesIterations / scenario.repeats)
    return bad(fmt::format("with repeats, must be at most {}", kMostSeriesIterations), "iterations");
  std::int64_t users = 0;
  for (std::size_t g = 0; g < scenario.users.size(); ++g) {
    const std::string key = fmt::format("users[{}]", g);
    if (Check error = check_group(scenario.users[g], key)) return error;
    if (scenario.users[g].count > kMostSeriesUsers - users)
      return bad(fmt::format("makes more than {} users", kMostSeriesUsers), key + ".count");
    users += scenario.users[g].count;
  }
  return {};
}

Result<DemandSeriesOutcome> simulate_demands(const DemandSeriesScenario& scenario, std::uint64_t seed,
                                             int threads, const Progress& progress) {
  if (Check error = check(scenario)) return *error;
  const auto T = static_cast<std::size_t>(scenario.iterations);
  const auto repeats = static_cast<std::size_t>(scenario.repeats);
  const std::size_t shown = std::min(scenario.shown, user_count(scenario));
  std::vector<Profiles> profiles;
  for (std::size_t k = 0; k < repeats; ++k) {
    Random random = stream(seed, "profiles", {k});
    profiles.push_back(draw_profiles(scenario, random));
  }
  std::vector<Iteration> all(repeats * T);
  sweep(
      all.size(), threads,
      [&](std::size_t index) {
        const auto t = static_cast<std::int64_t>(index % T);
        all[index] = run_iteration(scenario, profiles[index / T], t, stream(seed, "demands", {index}), shown);
      },
      progress);
  const std::size_t m = scenario.resources.size();
  DemandSeriesOutcome outcome{
      .mechanisms = {},
      .dominated = std::vector<Course>(m, Course(T, 0.0)),
      .demands = std::vector<std::vector<Course>>(shown, std::vector<Course>(m, Course(T, 0.0))),
      .seed = seed};
  for (const Choice& choice : scenario.mechanisms)
    outcome.mechanisms.push_back(flat_course(choice.text, T, m, shown));
  for (const Choice& choice : scenario.disciplines)
    outcome.mechanisms.push_back(flat_course("fill:" + choice.text, T, m, shown));
  const double part = 1 / static_cast<double>(repeats);
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (all[index].error) return *all[index].error;
    for (std::size_t k = 0; k < outcome.mechanisms.size(); ++k) {
      add(outcome.mechanisms[k], index % T, all[index].measures[k], part);
      if (!all[index].converged[k]) ++outcome.mechanisms[k].not_converged;
    }
    add(outcome.dominated, index % T, all[index].measures[0].dominated, part);
    if (index < T) show(outcome, all[index], index);
  }
  return outcome;
}

}  // namespace mirab::simulation
