// Partial pricing with a list of candidates for the simplex method of levels.
//
// Under prices λ a row's share on server i costs λ_i·d_{n,i}. Where it costs less than on the row's key, the
// level gains by moving there: t rises by the difference for a unit moved. A row offers its cheapest server
// only. The search stops at the first blocks of rows that offer enough, and goes on there the next time.
#include "numerics/level_pricing.hpp"

#include <algorithm>
#include <limits>

namespace mirab::numerics {

using Eigen::ArrayXXd;
using Eigen::Index;
using Kind = LevelVariable::Kind;

namespace {

constexpr Index kRowsOfBlock = 256;
constexpr std::size_t kEnough = 64;  // so many end the search
constexpr std::size_t kKept = 32;    // and so many of them are tried
constexpr double kCheaper = 1e-12;   // of a key's cost, and
constexpr double kRounding = 1e-15;  // of all that the capacities are worth: less is no gain
constexpr double kNegative = 1e-13;  // of the same: less is no price below 0

}  // namespace

ArrayXXd level_costs(const ServerRows& rows, const ArrayXXd& price) {
  ArrayXXd cost = ArrayXXd::Zero(rows.rows(), rows.servers());
  for (Index i = 0; i < rows.servers(); ++i) {
    for (Index r = 0; r < rows.resources(); ++r) cost.col(i) += rows.demand_on(i).col(r) * price(i, r);
  }
  return (rows.alone > 0).select(cost, std::numeric_limits<double>::infinity());
}

double LevelPricing::cost(const LevelBasis& basis, const ArrayXXd& price, Index row, Index server) const {
  double sum = 0;
  for (Index r = 0; r < price.cols(); ++r) sum += basis.demand(row, server, r) * price(server, r);
  return sum;
}

double LevelPricing::gain(const LevelBasis& basis, const ArrayXXd& price,
                          const LevelVariable& variable) const {
  const auto& [kind, row, server, resource] = variable;
  if (kind == Kind::slack) return -price(server, resource) * rows_->capacity(server, resource);
  return cost(basis, price, row, basis.key(row)) - cost(basis, price, row, server);
}

bool LevelPricing::worthwhile(const LevelBasis& basis, double level, const ArrayXXd& price,
                              const LevelVariable& variable) const {
  const double worth = (price * rows_->capacity).abs().sum();
  const double gained = gain(basis, price, variable);
  if (variable.kind == Kind::slack) return gained > kNegative * worth;
  const double total = basis.total(variable.row, level);
  const double spent = total * cost(basis, price, variable.row, basis.key(variable.row));
  return total * gained > kRounding * worth + kCheaper * spent;
}

void LevelPricing::add_slacks(const LevelBasis& basis, double level, const ArrayXXd& price,
                              std::vector<Found>& found) const {
  for (Index i = 0; i < price.rows(); ++i) {
    for (Index r = 0; r < price.cols(); ++r) {
      const LevelVariable slack{.kind = Kind::slack, .server = i, .resource = r};
      if (worthwhile(basis, level, price, slack)) found.push_back({gain(basis, price, slack), slack});
    }
  }
}

void LevelPricing::add_shares(const LevelBasis& basis, double level, const ArrayXXd& price, Index first,
                              std::vector<Found>& found) {
  const Index count = std::min(kRowsOfBlock, rows_->rows() - first);
  costs_.resize(kRowsOfBlock, price.rows());
  Eigen::ArrayXd least = Eigen::ArrayXd::Constant(count, std::numeric_limits<double>::infinity());
  for (Index i = 0; i < price.rows(); ++i) {
    auto cost = costs_.col(i).head(count);
    cost = rows_->demand_on(i).col(0).segment(first, count) * price(i, 0);
    for (Index r = 1; r < price.cols(); ++r)
      cost += rows_->demand_on(i).col(r).segment(first, count) * price(i, r);
    least = (rows_->alone.col(i).segment(first, count) > 0 && cost < least).select(cost, least);
  }
  for (Index k = 0; k < count; ++k) {
    const Index n = first + k;
    const bool has_tasks = basis.floor()[n] + basis.rate()[n] > 0;
    if (!has_tasks || !(least[k] < (1 - kCheaper) * costs_(k, basis.key(n)))) continue;
    Index cheapest = 0;
    while (costs_(k, cheapest) != least[k] || rows_->alone(n, cheapest) <= 0) ++cheapest;
    const LevelVariable share{.kind = Kind::share, .row = n, .server = cheapest};
    if (worthwhile(basis, level, price, share)) found.push_back({gain(basis, price, share), share});
  }
}

std::vector<LevelVariable> LevelPricing::entering(const LevelBasis& basis, double level,
                                                  const ArrayXXd& price) {
  std::vector<Found> found;
  add_slacks(basis, level, price, found);
  const Index blocks = (rows_->rows() + kRowsOfBlock - 1) / kRowsOfBlock;
  for (Index seen = 0; seen < blocks && found.size() < kEnough; ++seen) {
    block_ = (block_ + 1) % blocks;
    add_shares(basis, level, price, block_ * kRowsOfBlock, found);
  }
  const std::size_t kept = std::min(found.size(), kKept);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                    [](const Found& a, const Found& b) { return a.gain > b.gain; });
  std::vector<LevelVariable> best;
  for (std::size_t k = 0; k < kept; ++k) best.push_back(found[k].variable);
  return best;
}

}  // namespace mirab::numerics
