// Which pool mechanism is which yardstick u_k and α (docs/explanation/mathematics.md, section 1). A class is
// one user of weight n_k: jobs that are alike get alike shares under every one of these rules.
#include "lab/simulation/traffic/fluid_rates.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <mirab/model/assert.hpp>

#include "fairness/share.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "numerics/pool/dual.hpp"

namespace mirab::simulation {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// 1 / u_k: the share that one task is.
using ShareOfTask = double (*)(std::span<const double> demand, std::span<const double> capacity);

double task_share(std::span<const double>, std::span<const double>) { return 1; }
double dominant_share_of(std::span<const double> demand, std::span<const double> capacity) {
  return fairness::dominant_share<double>(demand, capacity);
}
double asset_share_of(std::span<const double> demand, std::span<const double> capacity) {
  return fairness::asset_share<double>(demand, capacity);
}

struct Kind {
  ShareOfTask share;
  double alpha;
};

Result<Kind> alpha_fair(const Choice& mechanism) {
  constexpr std::string_view yardsticks[] = {"tasks", "dominant"};
  const Result<double> alpha = number_option(mechanism, "alpha", 0);
  if (!alpha) return alpha.error();
  if (*alpha <= 0)
    return Error{.message = "option 'alpha' of 'alpha-fair' must be given as a number greater than 0"};
  const Result<std::size_t> yardstick = word_option(mechanism, "yardstick", yardsticks);
  if (!yardstick) return yardstick.error();
  return Kind{.share = *yardstick == 0 ? task_share : dominant_share_of, .alpha = *alpha};
}

Result<Kind> kind_of(const Choice& mechanism) {
  if (mechanism.name == "drf") return Kind{dominant_share_of, kEndless};
  if (mechanism.name == "max-min") return Kind{task_share, kEndless};
  if (mechanism.name == "asset") return Kind{asset_share_of, kEndless};
  if (mechanism.name == "pf") return Kind{task_share, 1};
  if (mechanism.name == "alpha-fair") return alpha_fair(mechanism);
  return Error{.message =
                   fmt::format("'{}' does not divide a pool among jobs that come and go; drf, max-min, "
                               "asset, pf and alpha-fair do",
                               mechanism.name)};
}

}  // namespace

Result<FluidRule> fluid_rule(const TrafficScenario& scenario, const Choice& mechanism) {
  const Result<Kind> kind = kind_of(mechanism);
  if (!kind) return kind.error();
  const std::size_t m = scenario.capacity.size();
  FluidRule rule;
  rule.resources = m;
  rule.alpha = kind->alpha;
  std::vector<double> parts(m);
  for (const TrafficClass& job_class : scenario.classes) {
    const std::span<const double> claims = claims_of(job_class);
    for (std::size_t r = 0; r < m; ++r) parts[r] = claims[r] / scenario.capacity[r];
    const double u = 1 / kind->share(claims, scenario.capacity);
    for (const double part : parts) rule.demand.push_back(u * part);
    rule.yardstick.push_back(u);
  }
  return rule;
}

// A memory of divisions, mapped directly: a state has one slot, by a multiplicative hash (Knuth, The Art of
// Computer Programming, volume 3, section 6.4), and the last state that came there is in it.

namespace {

constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio, odd
constexpr std::int64_t kEmptySlot = -1;

std::variant<numerics::ClassLevels, numerics::ClassPrices> divider_of(const FluidRule& rule) {
  if (std::isinf(rule.alpha)) return numerics::ClassLevels(rule);
  return numerics::ClassPrices(rule);
}

}  // namespace

FluidRates::FluidRates(FluidRule rule, int kept_log2)
    : rule_(std::move(rule)), divider_(divider_of(rule_)), kept_log2_(kept_log2) {
  const std::size_t slots = kept_log2 < 0 ? 1 : std::size_t{1} << kept_log2;
  kept_jobs_.assign(slots * rule_.classes(), kEmptySlot);
  kept_tasks_.assign(slots * rule_.classes(), 0);
}

std::span<const double> FluidRates::at(std::span<const std::int64_t> jobs) {
  const std::size_t k_count = rule_.classes();
  const std::size_t slot = kept_log2_ <= 0 ? 0 : slot_of(jobs);
  const std::span<std::int64_t> kept = std::span(kept_jobs_).subspan(slot * k_count, k_count);
  const std::span<double> tasks = std::span(kept_tasks_).subspan(slot * k_count, k_count);
  if (kept_log2_ < 0 || !std::equal(jobs.begin(), jobs.end(), kept.begin())) {
    divide(jobs, tasks);
    std::copy(jobs.begin(), jobs.end(), kept.begin());
  }
  return tasks;
}

std::size_t FluidRates::slot_of(std::span<const std::int64_t> jobs) const {
  std::uint64_t hash = 0;
  for (const std::int64_t n : jobs) hash = (hash ^ static_cast<std::uint64_t>(n)) * kHashFactor;
  return hash >> (64 - kept_log2_);
}

void FluidRates::divide(std::span<const std::int64_t> jobs, std::span<double> tasks) {
  ++divisions_;
  if (std::all_of(jobs.begin(), jobs.end(), [](std::int64_t n) { return n == 0; })) {
    std::fill(tasks.begin(), tasks.end(), 0.0);
    return;
  }
  std::visit([&](auto& divider) { divider.divide(jobs, tasks); }, divider_);
  for (std::size_t k = 0; k < tasks.size(); ++k) tasks[k] *= rule_.yardstick[k];
}

// Prices ν of the divisible proportionally fair shares of the jobs that are there: the two ways to find them,
// for those who compare. A class of n jobs is one user of weight n.

namespace {

using Eigen::ArrayXd;
using Eigen::Index;

// Derived: as exact as the mechanism pf is for many users (mechanisms/pool.cpp).
constexpr numerics::Accuracy kPriceAccuracy{.target = 1e-9, .accepted = 1e-9};
// Of the gradient: a limit on time, a fifth of a second for two classes.
constexpr int kMostPriceIterations = 1'000'000;

struct Population {
  Eigen::ArrayXXd demand;  // in parts of the resources, [class that is there][m]
  ArrayXd jobs;
};

Population population_of(const TrafficScenario& scenario, std::span<const std::int64_t> jobs) {
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] > 0) present.push_back(k);
  }
  MIRAB_ASSERT(!present.empty(), "prices of an empty population");
  const auto m = static_cast<Index>(scenario.capacity.size());
  Population population{Eigen::ArrayXXd(static_cast<Index>(present.size()), m),
                        ArrayXd(static_cast<Index>(present.size()))};
  for (Index row = 0; row < population.jobs.size(); ++row) {
    const std::size_t k = present[static_cast<std::size_t>(row)];
    population.jobs[row] = static_cast<double>(jobs[k]);
    for (Index r = 0; r < m; ++r) {
      const auto at = static_cast<std::size_t>(r);
      population.demand(row, r) = claims_of(scenario.classes[k])[at] / scenario.capacity[at];
    }
  }
  return population;
}

}  // namespace

SolvedPrices prices_by_newton(const TrafficScenario& scenario, std::span<const std::int64_t> jobs) {
  const Population population = population_of(scenario, jobs);
  const ArrayXd capacity = ArrayXd::Ones(population.demand.cols());
  const ArrayXd no_cap(0);
  const numerics::PricedAmounts found =
      numerics::solve_dual({population.demand, capacity, population.jobs, no_cap, 1.0}, kPriceAccuracy);
  const ArrayXd price = found.log_price.exp();
  return {found.report, {price.begin(), price.end()}};
}

SolvedPrices prices_by_gradient(const TrafficScenario& scenario, std::span<const std::int64_t> jobs,
                                double step) {
  const Population population = population_of(scenario, jobs);
  const numerics::GradientPrices found = numerics::descend_to_prices(population.demand, population.jobs, step,
                                                                     kPriceAccuracy, kMostPriceIterations);
  return {found.report, {found.price.begin(), found.price.end()}};
}

}  // namespace mirab::simulation
