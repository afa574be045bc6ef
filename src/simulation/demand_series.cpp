// Demands that change with every iteration, and an allocation for each: the time series of Hamzeh's thesis.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 7. In iteration t every user
// has one demand (demand_generator.hpp), and each mechanism divides the servers anew, without memory.
// Iterations are independent, so that they run on any number of threads; what repeats add up is added in
// their order. Cost: iterations · repeats · that of the mechanisms, and their measures kept until the end.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>
#include <mirab/simulation/demand_series.hpp>

#include "simulation/demand_generator.hpp"
#include "simulation/demand_measures.hpp"
#include "simulation/streams.hpp"
#include "simulation/sweep.hpp"

namespace mirab::simulation {
namespace {

using Profiles = std::vector<DemandProfile>;

constexpr std::int64_t kMostUsers = 1'000'000;
constexpr std::int64_t kMostIterations = 10'000'000;  // times repeats
constexpr double kLeastScale = 1e-6;
constexpr double kLeastDemand = 0.01;  // before it is scaled
constexpr double kMost = 1e9;          // of any amount, radius or stretch

// What one iteration gave, [contender]: mechanisms and disciplines; and its demands.
struct Iteration {
  Check error = {};
  std::vector<DemandMeasures> measures = {};
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
  const auto keep = [&](const Allocation& allocation) {
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
    keep(outcome->allocation);
  }
  for (const Choice& choice : scenario.disciplines) {
    const Result<FillOutcome> outcome =
        fill(*problem, {.discipline = choice, .placement = *choose_placement("first-fit")}, random);
    if (!outcome) return {.error = outcome.error()};
    keep(outcome->allocation);
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

// All zero: T iterations, m resources, so many shown users.
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
  if (scenario.iterations > kMostIterations / scenario.repeats)
    return bad(fmt::format("with repeats, must be at most {}", kMostIterations), "iterations");
  std::int64_t users = 0;
  for (std::size_t g = 0; g < scenario.users.size(); ++g) {
    const std::string key = fmt::format("users[{}]", g);
    if (Check error = check_group(scenario.users[g], key)) return error;
    if (scenario.users[g].count > kMostUsers - users)
      return bad(fmt::format("makes more than {} users", kMostUsers), key + ".count");
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
    for (std::size_t k = 0; k < outcome.mechanisms.size(); ++k)
      add(outcome.mechanisms[k], index % T, all[index].measures[k], part);
    add(outcome.dominated, index % T, all[index].measures[0].dominated, part);
    if (index < T) show(outcome, all[index], index);
  }
  return outcome;
}

}  // namespace mirab::simulation
