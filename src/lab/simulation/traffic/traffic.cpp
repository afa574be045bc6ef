// Is a scenario of random traffic one? Errors carry the key of the scenario file.
#include "lab/simulation/traffic.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "fairness/share.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/points.hpp"

namespace mirab::simulation {
namespace {

constexpr std::int64_t kTrafficFewestJobs = 10 * kTrafficBatches;  // as many as a class needs in each batch
constexpr std::int64_t kMostJobs = 10'000'000'000;                 // an hour or more of divisions
constexpr std::int64_t kTrafficMostPermanent = 1'000'000'000'000;  // well within what a double counts
constexpr double kRounding = 1e-9;  // of parts that are to add up to 1: thirds may be written with ten digits

bool is_amount(double amount) { return std::isfinite(amount) && amount >= 0; }

Check check_pool(const TrafficScenario& scenario) {
  if (scenario.capacity.empty() || scenario.capacity.size() != scenario.resources.size())
    return Error{.message = "there must be a capacity for every resource, and one resource at least",
                 .key = "capacity"};
  for (std::size_t r = 0; r < scenario.capacity.size(); ++r) {
    if (is_amount(scenario.capacity[r]) && scenario.capacity[r] > 0) continue;
    return Error{.message = "a capacity must be a finite number greater than 0",
                 .key = "capacity." + scenario.resources[r]};
  }
  return {};
}

Check check_amounts(const TrafficScenario& scenario, const std::vector<double>& amounts,
                    const std::string& key) {
  if (amounts.size() != scenario.resources.size())
    return Error{.message = "there must be an amount for every resource", .key = key};
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (!is_amount(amounts[r]))
      return Error{.message = "an amount must be a finite number of at least 0",
                   .key = key + '.' + scenario.resources[r]};
  }
  return {};
}

Check check_claims(const TrafficScenario& scenario, const TrafficClass& job_class, const std::string& key) {
  if (job_class.claims.empty()) return {};
  if (const Check amounts = check_amounts(scenario, job_class.claims, key + ".claims")) return amounts;
  for (std::size_t r = 0; r < job_class.claims.size(); ++r) {
    if (job_class.claims[r] >= job_class.demand[r]) continue;
    return Error{.message = fmt::format("less is claimed than is used, {} of {}: the pool could overflow",
                                        job_class.claims[r], job_class.demand[r]),
                 .key = key + ".claims." + scenario.resources[r]};
  }
  return {};
}

Check check_class(const TrafficScenario& scenario, std::size_t k) {
  const TrafficClass& job_class = scenario.classes[k];
  const std::string key = fmt::format("classes[{}]", k);
  if (const Check demand = check_amounts(scenario, job_class.demand, key + ".demand")) return demand;
  if (fairness::dominant_share<double>(job_class.demand, scenario.capacity) == 0)
    return Error{.message = "a task must demand something", .key = key + ".demand"};
  if (const Check claims = check_claims(scenario, job_class, key)) return claims;
  if (!is_amount(job_class.arrivals) || job_class.arrivals > 1 + kRounding)
    return Error{.message = "a part of all arrivals lies between 0 and 1", .key = key + ".arrivals"};
  if (job_class.permanent < 0)
    return Error{.message = "there cannot be fewer than 0 permanent jobs", .key = key + ".permanent"};
  if (job_class.permanent > kTrafficMostPermanent)
    return Error{.message = fmt::format("more than {} permanent jobs are too many", kTrafficMostPermanent),
                 .key = key + ".permanent"};
  if (job_class.arrivals == 0 && job_class.permanent == 0)
    return Error{.message = "a class without arrivals must have permanent jobs", .key = key};
  return {};
}

Check check_classes(const TrafficScenario& scenario) {
  if (scenario.classes.empty())
    return Error{.message = "there must be one class of jobs at least", .key = "classes"};
  double arrivals = 0;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    if (const Check job_class = check_class(scenario, k)) return job_class;
    arrivals += scenario.classes[k].arrivals;
  }
  if (std::abs(arrivals - 1) > kRounding)
    return Error{.message = fmt::format("the arrivals of all classes must add up to 1, not to {}", arrivals),
                 .key = "classes"};
  return {};
}

Check check_loads(const TrafficScenario& scenario) {
  if (scenario.load_resource >= scenario.resources.size())
    return Error{.message = "there is no such resource", .key = "load.resource"};
  double asked = 0;
  for (const TrafficClass& job_class : scenario.classes)
    asked += job_class.arrivals * job_class.demand[scenario.load_resource];
  if (asked == 0)
    return Error{.message = fmt::format("no job that arrives demands any {}",
                                        scenario.resources[scenario.load_resource]),
                 .key = "load.resource"};
  if (scenario.loads.empty()) return Error{.message = "there must be one load at least", .key = "load.at"};
  for (std::size_t i = 0; i < scenario.loads.size(); ++i) {
    if (is_amount(scenario.loads[i]) && scenario.loads[i] > 0) continue;
    return Error{.message = "a load must be a finite number greater than 0",
                 .key = fmt::format("load.at[{}]", i)};
  }
  return {};
}

Check check_work(const TrafficScenario& scenario) {
  if (scenario.mechanisms.empty())
    return Error{.message = "there must be one mechanism at least", .key = "mechanisms"};
  if (scenario.jobs < kTrafficFewestJobs)
    return Error{
        .message = fmt::format("at least {} jobs must be measured, for an interval", kTrafficFewestJobs),
        .key = "jobs"};
  if (scenario.jobs > kMostJobs)
    return Error{.message = fmt::format("more than {} jobs take too long", kMostJobs), .key = "jobs"};
  return check_sizes(scenario.sizes);
}

}  // namespace

Check check(const TrafficScenario& scenario) {
  for (const auto part : {check_pool, check_classes, check_loads, check_work}) {
    if (const Check found = part(scenario)) return found;
  }
  return scenario.model == TrafficModel::fluid ? check_fluid_traffic(scenario) : check_task_traffic(scenario);
}

// Random traffic: every stable load under every mechanism is one independent simulation.

namespace {

struct Simulated {
  std::vector<TrafficPoint> points;
  std::int64_t events = 0;
  std::int64_t not_converged = 0;
};

Simulated simulate(const TrafficScenario& scenario, double load, std::size_t mechanism, std::uint64_t seed,
                   const Progress& progress) {
  if (!is_stable(scenario, load)) return {.points = unstable_points(scenario, load, mechanism)};
  const TrafficRun run{.scenario = scenario,
                       .mechanism = mechanism,
                       .load = load,
                       .arrivals = arrival_rates(scenario, load),
                       .seed = seed,
                       .progress = progress};
  const TrafficMeasured measured =
      scenario.model == TrafficModel::fluid ? simulate_fluid_traffic(run) : simulate_task_traffic(run);
  return {
      .points = points_of(run, measured), .events = measured.events, .not_converged = measured.not_converged};
}

}  // namespace

Result<TrafficOutcome> simulate_traffic(const TrafficScenario& scenario, std::uint64_t seed, int threads,
                                        const Progress& progress) {
  if (const Check found = check(scenario)) return *found;
  const std::size_t mechanisms = scenario.mechanisms.size();
  std::vector<Simulated> simulated(scenario.loads.size() * mechanisms);
  const auto simulate_one = [&](std::size_t task, const Progress& of_task) {
    const std::size_t one = simulated.size() - 1 - task;  // high loads take longest, and are written last
    simulated[one] = simulate(scenario, scenario.loads[one / mechanisms], one % mechanisms, seed, of_task);
  };
  sweep(simulated.size(), threads, simulate_one, progress);
  TrafficOutcome outcome{.points = {}, .events = 0, .seed = seed, .not_converged = {}};
  outcome.not_converged.resize(mechanisms);
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const Simulated& one = simulated[i];
    outcome.not_converged[i % mechanisms] += one.not_converged;
    outcome.points.insert(outcome.points.end(), one.points.begin(), one.points.end());
    outcome.events += one.events;
  }
  return outcome;
}

}  // namespace mirab::simulation
