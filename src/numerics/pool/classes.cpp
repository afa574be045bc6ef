// The divisions of one pool again and again, for rows in classes of which more or fewer are there:
// water-filling, and prices from those of the last time.
#include "numerics/pool/classes.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <mirab/model/assert.hpp>

#include "numerics/pool/dual.hpp"

namespace mirab::numerics {

// Water-filling over classes: all amounts rise together until a resource is full; the classes that use it
// stop; and so on until all have stopped (Bonald and Roberts 2014, section 2.3). The same as
// water_filling.hpp, for a handful of classes and a million fillings a second.

namespace {

constexpr double kRises = -1;  // the amount of a class that has not stopped

}  // namespace

ClassLevels::ClassLevels(const RowClasses& classes)
    : classes_(&classes), left_(classes.resources), slope_(classes.resources) {}

void ClassLevels::divide(std::span<const std::int64_t> counts, std::span<double> amount) {
  const std::size_t m = classes_->resources;
  std::size_t rising = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    amount[k] = counts[k] > 0 ? kRises : 0;
    rising += counts[k] > 0 ? 1 : 0;
  }
  std::fill(left_.begin(), left_.end(), 1.0);
  while (rising > 0) {
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (amount[k] != kRises) continue;
      const double n = static_cast<double>(counts[k]);
      for (std::size_t r = 0; r < m; ++r) slope_[r] += n * classes_->row(k)[r];
    }
    double level = std::numeric_limits<double>::infinity();
    std::size_t full = 0;
    for (std::size_t r = 0; r < m; ++r) {
      if (slope_[r] == 0 || left_[r] / slope_[r] >= level) continue;
      level = left_[r] / slope_[r];
      full = r;
    }
    MIRAB_ASSERT(std::isfinite(level), "a class that takes something");
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (amount[k] != kRises || classes_->row(k)[full] == 0) continue;
      amount[k] = level;
      --rising;
      const double total = static_cast<double>(counts[k]) * level;
      for (std::size_t r = 0; r < m; ++r) left_[r] -= total * classes_->row(k)[r];
    }
  }
}

// Prices by an active-set Newton method on the dual, from the prices of the last time.
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
// every division starts from nothing (dual.hpp), at some microseconds. At a tiny one (1e-4) that
// does not converge either; such divisions are counted.

ClassPrices::ClassPrices(const RowClasses& classes, const ClassPriceTuning& tuning)
    : classes_(&classes),
      tuning_(tuning),
      direction_(classes.resources),
      matrix_(classes.resources * classes.resources) {
  for (Point* point : {&at_, &next_}) {
    point->price.resize(classes.resources);
    point->gap.resize(classes.resources);
    point->worth.resize(classes.classes());
    point->amount.resize(classes.classes());
  }
  free_.reserve(classes.resources);
}

void ClassPrices::divide(std::span<const std::int64_t> counts, std::span<double> amount) {
  if (!is_near_ || !descend(counts).converged()) return divide_from_nothing(counts, amount);
  std::copy(at_.amount.begin(), at_.amount.end(), amount.begin());
}

SolveReport ClassPrices::descend(std::span<const std::int64_t> counts) {
  rescale(counts);
  evaluate(counts, at_);
  int steps = 0;
  Stop otherwise = Stop::limit;
  while (steps < tuning_.max_steps && at_.residual > tuning_.accuracy.target) {
    ++steps;
    choose_free();
    if (find_direction(counts) && move(counts)) continue;
    otherwise = Stop::stalled;
    break;
  }
  steps_ += steps;
  return report_of(at_.residual, tuning_.accuracy, otherwise, steps);
}

void ClassPrices::divide_from_nothing(std::span<const std::int64_t> counts, std::span<double> amount) {
  ++cold_starts_;
  const auto m = static_cast<Eigen::Index>(classes_->resources);
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) present.push_back(k);
  }
  Eigen::ArrayXXd demand(static_cast<Eigen::Index>(present.size()), m);
  Eigen::ArrayXd weight(demand.rows());
  for (Eigen::Index i = 0; i < demand.rows(); ++i) {
    const std::size_t k = present[static_cast<std::size_t>(i)];
    demand.row(i) = Eigen::Map<const Eigen::ArrayXd>(classes_->row(k), m).transpose();
    weight[i] = static_cast<double>(counts[k]);
  }
  const Eigen::ArrayXd capacity = Eigen::ArrayXd::Ones(m);
  const Eigen::ArrayXd cap;
  const PricedAmounts found = solve_dual({demand, capacity, weight, cap, classes_->alpha},
                                         {.target = tuning_.accuracy.target, .accepted = tuning_.gap});
  if (!found.report.converged()) ++not_converged_;
  std::fill(amount.begin(), amount.end(), 0.0);
  for (Eigen::Index i = 0; i < demand.rows(); ++i)
    amount[present[static_cast<std::size_t>(i)]] = found.amount[i] / weight[i];
  is_near_ = found.log_price.maxCoeff() < tuning_.log_max && !found.log_price.isNaN().any();
  for (std::size_t r = 0; r < classes_->resources; ++r)
    at_.price[r] = std::exp(found.log_price[static_cast<Eigen::Index>(r)]);
}

void ClassPrices::evaluate(std::span<const std::int64_t> counts, Point& point) const {
  const std::size_t m = classes_->resources;
  std::fill(point.gap.begin(), point.gap.end(), 1.0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) {
      point.amount[k] = 0;
      continue;
    }
    const double* b = classes_->row(k);
    point.worth[k] = std::inner_product(b, b + m, point.price.begin(), 0.0);
    point.amount[k] =
        classes_->alpha == 1 ? 1 / point.worth[k] : std::pow(point.worth[k], -1 / classes_->alpha);
    const double total = static_cast<double>(counts[k]) * point.amount[k];
    for (std::size_t r = 0; r < m; ++r) {
      if (b[r] > 0) point.gap[r] -= total * b[r];
    }
  }
  const double scale = 1 / std::accumulate(point.price.begin(), point.price.end(), 0.0);
  point.residual = 0;
  for (std::size_t r = 0; r < m; ++r) {
    const double price = point.price[r] * scale;
    if (!std::isfinite(price) || !std::isfinite(point.gap[r])) {  // min and max would drop what is no number
      point.residual = std::numeric_limits<double>::infinity();
      return;
    }
    point.residual = std::max(point.residual, std::abs(std::min(price, point.gap[r])));
  }
}

double ClassPrices::dual(std::span<const std::int64_t> counts, const Point& point) const {
  const double alpha = classes_->alpha;
  double value = std::accumulate(point.price.begin(), point.price.end(), 0.0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    const double p = point.worth[k];
    value += static_cast<double>(counts[k]) *
             (alpha == 1 ? -std::log(p) : alpha / (1 - alpha) * p * point.amount[k]);
  }
  return value;
}

// Prices c λ use c^(-1/α) of what λ uses: Σ_r λ_r use_r = Σ_r λ_r at c = (Σ_r λ_r use_r / Σ_r λ_r)^α.
void ClassPrices::rescale(std::span<const std::int64_t> counts) {
  evaluate(counts, at_);
  double paid = 0;
  double all = 0;
  for (std::size_t r = 0; r < classes_->resources; ++r) {
    paid += at_.price[r] * (1 - at_.gap[r]);
    all += at_.price[r];
  }
  const double factor = classes_->alpha == 1 ? paid / all : std::pow(paid / all, classes_->alpha);
  const bool is_usable = std::isfinite(factor) && factor > 0;  // not when all that a class takes was free
  for (double& price : at_.price) price = is_usable ? price * factor : 1;
}

void ClassPrices::choose_free() {
  free_.clear();
  for (std::size_t r = 0; r < classes_->resources; ++r) {
    if (at_.price[r] > 0 || at_.gap[r] < 0) free_.push_back(r);
  }
}

// A price of 0 that would fall is no longer free. False when none is left.
bool ClassPrices::find_direction(std::span<const std::int64_t> counts) {
  while (!free_.empty()) {
    solve_free(counts);
    const auto stuck = std::find_if(free_.begin(), free_.end(),
                                    [&](std::size_t r) { return at_.price[r] == 0 && direction_[r] <= 0; });
    if (stuck == free_.end()) return true;
    free_.erase(stuck);
  }
  return false;
}

// Newton's equation over the free prices, by Cholesky's factors in place; the others do not move.
void ClassPrices::solve_free(std::span<const std::int64_t> counts) {
  const std::size_t f = free_.size();
  const auto h = [&](std::size_t i, std::size_t j) -> double& { return matrix_[i * f + j]; };
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    const double* b = classes_->row(k);
    const double bend = static_cast<double>(counts[k]) * at_.amount[k] / (classes_->alpha * at_.worth[k]);
    for (std::size_t i = 0; i < f; ++i) {
      for (std::size_t j = 0; j <= i; ++j) h(i, j) += bend * b[free_[i]] * b[free_[j]];
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < f; ++i) largest = std::max(largest, h(i, i));
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
    h(i, i) = std::sqrt(std::max(h(i, i), 0.0) + tuning_.ridge * largest);
    d /= h(i, i);
  }
  for (std::size_t i = f; i-- > 0;) {
    double& d = direction_[free_[i]];
    for (std::size_t j = i + 1; j < f; ++j) d -= h(j, i) * direction_[free_[j]];
    d /= h(i, i);
  }
}

// Along the direction until a price is 0. False when no step is good.
bool ClassPrices::move(std::span<const std::int64_t> counts) {
  double length = 1;
  std::size_t first_at_zero = classes_->resources;
  double slope = 0;
  for (const std::size_t r : free_) {
    slope += at_.gap[r] * direction_[r];
    if (at_.price[r] + length * direction_[r] >= 0) continue;
    length = at_.price[r] / -direction_[r];
    first_at_zero = r;
  }
  for (int halving = 0; halving < tuning_.max_halvings; ++halving, length /= 2) {
    for (std::size_t r = 0; r < classes_->resources; ++r)
      next_.price[r] = std::max(0.0, at_.price[r] + length * direction_[r]);
    if (halving == 0 && first_at_zero < classes_->resources) next_.price[first_at_zero] = 0;
    evaluate(counts, next_);
    const bool halves = next_.residual <= at_.residual / 2;
    if (!halves && !(dual(counts, next_) <= dual(counts, at_) + tuning_.armijo * length * slope)) continue;
    std::swap(at_, next_);
    return true;
  }
  return false;
}

}  // namespace mirab::numerics
