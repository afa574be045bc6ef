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

#include "lab/simulation/traffic/arrivals.hpp"
#include "numerics/pool/dual.hpp"

namespace mirab::simulation {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// u_k of a task that takes these parts of the resources.
using Yardstick = double (*)(std::span<const double> parts);

double one_task(std::span<const double>) { return 1; }
double dominant_share_of_one(std::span<const double> parts) {
  return 1 / *std::max_element(parts.begin(), parts.end());
}
double asset_share_of_one(std::span<const double> parts) {
  return 1 / std::accumulate(parts.begin(), parts.end(), 0.0);
}

struct Kind {
  Yardstick yardstick;
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
  return Kind{.yardstick = *yardstick == 0 ? one_task : dominant_share_of_one, .alpha = *alpha};
}

Result<Kind> kind_of(const Choice& mechanism) {
  if (mechanism.name == "drf") return Kind{dominant_share_of_one, kEndless};
  if (mechanism.name == "max-min") return Kind{one_task, kEndless};
  if (mechanism.name == "asset") return Kind{asset_share_of_one, kEndless};
  if (mechanism.name == "pf") return Kind{one_task, 1};
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
  FluidRule rule{.resources = m, .demand = {}, .yardstick = {}, .alpha = kind->alpha};
  std::vector<double> parts(m);
  for (const TrafficClass& job_class : scenario.classes) {
    const std::span<const double> claims = claims_of(job_class);
    for (std::size_t r = 0; r < m; ++r) parts[r] = claims[r] / scenario.capacity[r];
    const double u = kind->yardstick(parts);
    for (const double part : parts) rule.demand.push_back(u * part);
    rule.yardstick.push_back(u);
  }
  return rule;
}

// Water-filling over classes: all shares rise together until a resource is full; the classes that use it
// stop; and so on until all have stopped (Bonald and Roberts 2014, section 2.3). The same as
// numerics/water_filling, for a handful of classes and a million fillings a second.

namespace {

constexpr double kRises = -1;  // the share of a class that has not stopped

}  // namespace

LevelShares::LevelShares(const FluidRule& rule)
    : rule_(&rule), left_(rule.resources), slope_(rule.resources) {}

void LevelShares::divide(std::span<const std::int64_t> jobs, std::span<double> share) {
  const std::size_t m = rule_->resources;
  std::size_t rising = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    share[k] = jobs[k] > 0 ? kRises : 0;
    rising += jobs[k] > 0 ? 1 : 0;
  }
  std::fill(left_.begin(), left_.end(), 1.0);
  while (rising > 0) {
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      if (share[k] != kRises) continue;
      const double n = static_cast<double>(jobs[k]);
      for (std::size_t r = 0; r < m; ++r) slope_[r] += n * rule_->row(k)[r];
    }
    double level = std::numeric_limits<double>::infinity();
    std::size_t full = 0;
    for (std::size_t r = 0; r < m; ++r) {
      if (slope_[r] == 0 || left_[r] / slope_[r] >= level) continue;
      level = left_[r] / slope_[r];
      full = r;
    }
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      if (share[k] != kRises || rule_->row(k)[full] == 0) continue;
      share[k] = level;
      --rising;
      const double total = static_cast<double>(jobs[k]) * level;
      for (std::size_t r = 0; r < m; ++r) left_[r] -= total * rule_->row(k)[r];
    }
  }
}

// Prices by an active-set Newton method on the dual, from the prices that were best a job ago.
//
// Source: Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, 2014,
// sections 2.4 and 2.5, equations 3, 4 and 7; docs/explanation/mathematics.md, section 3. With p_k = b_k·λ
// and s_k = p_k^(-1/α):
//
//   D(λ) = Σ_r λ_r + Σ_k n_k h(p_k),   h(p) = -ln p for α = 1, else α/(1-α) p^(1-1/α)
//   ∂D/∂λ_r = 1 - Σ_k n_k s_k b_k,r,   ∂²D/∂λ_r∂λ_q = Σ_k n_k s_k/(α p_k) b_k,r b_k,q
//   best:  min(λ_r, ∂D/∂λ_r) = 0 for every r
//
// The prices that may move are those above 0 and those that would rise. A Newton step stops where the first
// of them reaches 0; it is taken when it halves the residual, else when it makes D fall (Armijo). At a start,
// all prices are scaled so that Σ_r λ_r ∂D/∂λ_r = 0, which for PF is Σ_r λ_r = n, equation 5. Two or three
// steps are usual.
//
// Known failures: at a large α (some tens) prices leave the range of a double or of Newton's method; then
// every division starts from nothing (numerics/dual_newton), at some microseconds. At a tiny one (1e-4) that
// does not converge either; such divisions are counted.

namespace {

constexpr double kTolerance = 1e-13;  // of the residual: a few roundings
constexpr double kEnough = 1e-12;     // taken when it gets no better
constexpr double kConverged = 1e-9;   // of the relative duality gap, as for mechanisms
constexpr int kMaxSteps = 30;
constexpr int kMostHalvings = 20;
constexpr double kArmijo = 1e-4;
constexpr double kRidge = 1e-13;  // on the diagonal, relative: two resources of which all take alike
constexpr double kLogMost = 300;  // e^±300 and its products are normal doubles

}  // namespace

PricedShares::PricedShares(const FluidRule& rule)
    : rule_(&rule), direction_(rule.resources), matrix_(rule.resources * rule.resources) {
  for (Point* point : {&at_, &next_}) {
    point->price.resize(rule.resources);
    point->gap.resize(rule.resources);
    point->worth.resize(rule.classes());
    point->share.resize(rule.classes());
  }
  free_.reserve(rule.resources);
}

void PricedShares::divide(std::span<const std::int64_t> jobs, std::span<double> share) {
  if (!is_near_ || !descend(jobs)) return divide_from_nothing(jobs, share);
  std::copy(at_.share.begin(), at_.share.end(), share.begin());
}

bool PricedShares::descend(std::span<const std::int64_t> jobs) {
  rescale(jobs);
  evaluate(jobs, at_);
  for (int step = 0; step < kMaxSteps && at_.residual > kTolerance; ++step) {
    ++steps_;
    choose_free();
    if (!find_direction(jobs) || !move(jobs)) break;
  }
  return at_.residual <= kEnough;
}

void PricedShares::divide_from_nothing(std::span<const std::int64_t> jobs, std::span<double> share) {
  ++cold_starts_;
  const auto m = static_cast<Eigen::Index>(rule_->resources);
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] > 0) present.push_back(k);
  }
  Eigen::ArrayXXd demand(static_cast<Eigen::Index>(present.size()), m);
  Eigen::ArrayXd weight(demand.rows());
  for (Eigen::Index i = 0; i < demand.rows(); ++i) {
    const std::size_t k = present[static_cast<std::size_t>(i)];
    demand.row(i) = Eigen::Map<const Eigen::ArrayXd>(rule_->row(k), m).transpose();
    weight[i] = static_cast<double>(jobs[k]);
  }
  const Eigen::ArrayXd capacity = Eigen::ArrayXd::Ones(m);
  const Eigen::ArrayXd cap;
  const numerics::PricedAmounts found =
      numerics::solve_dual({demand, capacity, weight, cap, rule_->alpha}, kTolerance, kConverged);
  if (!found.converged) ++not_converged_;
  std::fill(share.begin(), share.end(), 0.0);
  for (Eigen::Index i = 0; i < demand.rows(); ++i)
    share[present[static_cast<std::size_t>(i)]] = found.amount[i] / weight[i];
  is_near_ = found.log_price.maxCoeff() < kLogMost && !found.log_price.isNaN().any();
  for (std::size_t r = 0; r < rule_->resources; ++r)
    at_.price[r] = std::exp(found.log_price[static_cast<Eigen::Index>(r)]);
}

void PricedShares::evaluate(std::span<const std::int64_t> jobs, Point& point) const {
  const std::size_t m = rule_->resources;
  std::fill(point.gap.begin(), point.gap.end(), 1.0);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] == 0) {
      point.share[k] = 0;
      continue;
    }
    const double* b = rule_->row(k);
    point.worth[k] = std::inner_product(b, b + m, point.price.begin(), 0.0);
    point.share[k] = rule_->alpha == 1 ? 1 / point.worth[k] : std::pow(point.worth[k], -1 / rule_->alpha);
    const double total = static_cast<double>(jobs[k]) * point.share[k];
    for (std::size_t r = 0; r < m; ++r) {
      if (b[r] > 0) point.gap[r] -= total * b[r];
    }
  }
  const double scale = 1 / std::accumulate(point.price.begin(), point.price.end(), 0.0);
  point.residual = 0;
  for (std::size_t r = 0; r < m; ++r) {
    const double off = std::abs(std::min(point.price[r] * scale, point.gap[r]));
    if (!(off <= point.residual)) point.residual = off;  // what is no number stays so, and is never taken
  }
}

double PricedShares::dual(std::span<const std::int64_t> jobs, const Point& point) const {
  const double alpha = rule_->alpha;
  double value = std::accumulate(point.price.begin(), point.price.end(), 0.0);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] == 0) continue;
    const double p = point.worth[k];
    value +=
        static_cast<double>(jobs[k]) * (alpha == 1 ? -std::log(p) : alpha / (1 - alpha) * p * point.share[k]);
  }
  return value;
}

// Prices c λ use c^(-1/α) of what λ uses: Σ_r λ_r use_r = Σ_r λ_r at c = (Σ_r λ_r use_r / Σ_r λ_r)^α.
void PricedShares::rescale(std::span<const std::int64_t> jobs) {
  evaluate(jobs, at_);
  double paid = 0;
  double all = 0;
  for (std::size_t r = 0; r < rule_->resources; ++r) {
    paid += at_.price[r] * (1 - at_.gap[r]);
    all += at_.price[r];
  }
  const double factor = rule_->alpha == 1 ? paid / all : std::pow(paid / all, rule_->alpha);
  const bool is_usable = std::isfinite(factor) && factor > 0;  // not when all that a class takes was free
  for (double& price : at_.price) price = is_usable ? price * factor : 1;
}

void PricedShares::choose_free() {
  free_.clear();
  for (std::size_t r = 0; r < rule_->resources; ++r) {
    if (at_.price[r] > 0 || at_.gap[r] < 0) free_.push_back(r);
  }
}

// A price of 0 that would fall is no longer free. False when none is left.
bool PricedShares::find_direction(std::span<const std::int64_t> jobs) {
  while (!free_.empty()) {
    solve_free(jobs);
    const auto stuck = std::find_if(free_.begin(), free_.end(),
                                    [&](std::size_t r) { return at_.price[r] == 0 && direction_[r] <= 0; });
    if (stuck == free_.end()) return true;
    free_.erase(stuck);
  }
  return false;
}

// Newton's equation over the free prices, by Cholesky's factors in place; the others do not move.
void PricedShares::solve_free(std::span<const std::int64_t> jobs) {
  const std::size_t f = free_.size();
  const auto h = [&](std::size_t i, std::size_t j) -> double& { return matrix_[i * f + j]; };
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] == 0) continue;
    const double* b = rule_->row(k);
    const double bend = static_cast<double>(jobs[k]) * at_.share[k] / (rule_->alpha * at_.worth[k]);
    for (std::size_t i = 0; i < f; ++i) {
      for (std::size_t j = 0; j <= i; ++j) h(i, j) += bend * b[free_[i]] * b[free_[j]];
    }
  }
  double most = 0;
  for (std::size_t i = 0; i < f; ++i) most = std::max(most, h(i, i));
  std::fill(direction_.begin(), direction_.end(), 0.0);
  for (std::size_t i = 0; i < f; ++i) {
    double& d = direction_[free_[i]];
    d = -at_.gap[free_[i]];
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t q = 0; q < j; ++q) h(i, j) -= h(i, q) * h(j, q);
      h(i, j) /= h(j, j);
      h(i, i) -= h(i, j) * h(i, j);
      d -= h(i, j) * direction_[free_[j]];
    }
    h(i, i) = std::sqrt(std::max(h(i, i), 0.0) + kRidge * most);
    d /= h(i, i);
  }
  for (std::size_t i = f; i-- > 0;) {
    double& d = direction_[free_[i]];
    for (std::size_t j = i + 1; j < f; ++j) d -= h(j, i) * direction_[free_[j]];
    d /= h(i, i);
  }
}

// Along the direction until a price is 0. False when no step is good.
bool PricedShares::move(std::span<const std::int64_t> jobs) {
  double length = 1;
  std::size_t first_at_zero = rule_->resources;
  double slope = 0;
  for (const std::size_t r : free_) {
    slope += at_.gap[r] * direction_[r];
    if (at_.price[r] + length * direction_[r] >= 0) continue;
    length = at_.price[r] / -direction_[r];
    first_at_zero = r;
  }
  for (int halving = 0; halving < kMostHalvings; ++halving, length /= 2) {
    for (std::size_t r = 0; r < rule_->resources; ++r)
      next_.price[r] = std::max(0.0, at_.price[r] + length * direction_[r]);
    if (halving == 0 && first_at_zero < rule_->resources) next_.price[first_at_zero] = 0;
    evaluate(jobs, next_);
    const bool halves = next_.residual <= at_.residual / 2;
    if (!halves && !(dual(jobs, next_) <= dual(jobs, at_) + kArmijo * length * slope)) continue;
    std::swap(at_, next_);
    return true;
  }
  return false;
}

// A memory of divisions, mapped directly: a state has one slot, by a multiplicative hash (Knuth, The Art of
// Computer Programming, volume 3, section 6.4), and the last state that came there is in it.

namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio, odd
constexpr std::int64_t kEmptySlot = -1;

std::variant<LevelShares, PricedShares> divider_of(const FluidRule& rule) {
  if (std::isinf(rule.alpha)) return LevelShares(rule);
  return PricedShares(rule);
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
  for (const std::int64_t n : jobs) hash = (hash ^ static_cast<std::uint64_t>(n)) * kGolden;
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

constexpr double kPriceTolerance = 1e-9;
constexpr int kMostIterations = 1'000'000;

struct Population {
  Eigen::ArrayXXd demand;  // in parts of the resources, [class that is there][m]
  ArrayXd jobs;
};

Population population_of(const TrafficScenario& scenario, std::span<const std::int64_t> jobs) {
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] > 0) present.push_back(k);
  }
  MIRAB_ASSERT(!present.empty(), "prices of no class");
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
  const numerics::PricedAmounts found = numerics::solve_dual(
      {population.demand, capacity, population.jobs, no_cap, 1.0}, kPriceTolerance, kPriceTolerance);
  const ArrayXd price = found.log_price.exp();
  return {{price.begin(), price.end()}, found.iterations, found.converged};
}

SolvedPrices prices_by_gradient(const TrafficScenario& scenario, std::span<const std::int64_t> jobs,
                                double step) {
  const Population population = population_of(scenario, jobs);
  const numerics::GradientPrices found =
      numerics::descend_to_prices(population.demand, population.jobs, step, kPriceTolerance, kMostIterations);
  return {{found.price.begin(), found.price.end()}, found.iterations, found.converged};
}

}  // namespace mirab::simulation
