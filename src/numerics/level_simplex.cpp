// The simplex method for lexicographic max-min, round by round on one basis.
//
// Sources: Dantzig and Van Slyke, Generalized Upper Bounding Techniques, 1967 (level_basis);
// docs/mathematics.md, section 4.
//
// Every row has exactly its level or its cap: who could have more needs no variable for it, since demands are
// ≥ 0 and less is always possible. So t = 0 is a basis to begin with, t never falls, and a round begins at
// the vertex where the last one ended: t leaves the basis there in exchange for a slack of a capacity with a
// price, which is 0, the rows that pay are fixed, and t enters again. At the next cap t leaves as well, as at
// an upper bound. What a value is and how fast it falls is measured in all that its row has, or its capacity:
// levels may differ by any factor.
//
// Known failures: none met that cycles; after too many pivots it gives up. A row whose tasks take less than
// 1e-9 of what it competes for is lost in the rounding of the others: its level may be off, and a caller who
// wants to know has to check what comes out (mechanisms/levels does).
#include "numerics/level_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::VectorXd;
using Kind = LevelVariable::Kind;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRefreshEvery = 64;
constexpr Index kPivotsMost = 1'000;  // a round, and so many times the rows and capacities:
constexpr Index kPivotsMostEach = 20;

// The level that the capacities of all servers together would allow.
double pooled_level(const ServerRows& rows, const ArrayXd& unit) {
  double level = kInfinity;
  for (Index r = 0; r < rows.resources(); ++r) {
    const double wanted = (unit * rows.demand[0].col(r)).sum();
    const double capacity = rows.capacity.col(r).sum();
    if (wanted > 0 && capacity > 0) level = std::min(level, capacity / wanted);
  }
  return std::isfinite(level) ? level : 1;
}

}  // namespace

LevelSimplex::LevelSimplex(const ServerRows& rows, const ArrayXd& unit, std::vector<Index> keys)
    : rows_(&rows),
      scale_(pooled_level(rows, unit)),
      basis_(rows, unit * scale_, std::move(keys)),
      pricing_(rows),
      active_(rows.rows()),
      cap_(ArrayXd::Constant(rows.rows(), kInfinity)),
      by_cap_(static_cast<std::size_t>(rows.cap.size())),
      price_(ArrayXXd::Zero(rows.servers(), rows.resources())),
      fall_(ArrayXd::Zero(rows.rows())) {
  if (rows.cap.size() > 0) cap_ = rows.cap / (unit * scale_);
  std::iota(by_cap_.begin(), by_cap_.end(), 0);
  std::stable_sort(by_cap_.begin(), by_cap_.end(), [&](Index a, Index b) { return cap_[a] < cap_[b]; });
  for (Index n = 0; n < rows.rows(); ++n) basis_.set_row(n, 0, 1);
  reach_caps();
  value_ = basis_.values(level_);
}

double LevelSimplex::next_cap() const { return next_ < by_cap_.size() ? cap_[by_cap_[next_]] : kInfinity; }

void LevelSimplex::reach_caps() {
  for (; next_ < by_cap_.size() && next_cap() <= level_; ++next_) {
    const Index n = by_cap_[next_];
    if (!active(n)) continue;
    basis_.set_row(n, cap_[n], 0);
    --active_;
  }
  basis_.sum_rates();
}

double LevelSimplex::key_value(Index row) const {
  double value = basis_.total(row, level_);
  for (Index p = 0; p < basis_.order(); ++p) {
    if (basis_.basic(p).kind == Kind::share && basis_.basic(p).row == row) value -= value_[p];
  }
  return value;
}

void LevelSimplex::refresh() {
  since_refresh_ = 0;
  basis_.refresh();
  value_ = basis_.values(level_);
  if (basis_.level_position() >= 0) level_ = value_[basis_.level_position()];
}

// All that falls, or t where it rises towards a cap. Keys of rows without another basic share only rise.
void LevelSimplex::find_limits(const LevelVariable& entering, const VectorXd& alpha) {
  limits_.clear();
  split_.clear();
  const Index level_position = basis_.level_position();
  const double rise = entering.kind == Kind::level ? 1 : -alpha[level_position];
  const auto take_from_key = [&](Index row, double amount) {
    if (std::find(split_.begin(), split_.end(), row) == split_.end()) {
      split_.push_back(row);
      fall_[row] = -basis_.rate()[row] * rise;
    }
    fall_[row] += amount;
  };
  for (Index p = 0; p < basis_.order(); ++p) {
    const LevelVariable& basic = basis_.basic(p);
    if (basic.kind == Kind::level) limits_.add(next_cap() - level_, -alpha[p], level_, {.position = p});
    if (basic.kind == Kind::slack) limits_.add(value_[p], alpha[p], 1, {.position = p});
    if (basic.kind != Kind::share) continue;
    limits_.add(value_[p], alpha[p], basis_.total(basic.row, level_), {.position = p});
    take_from_key(basic.row, -alpha[p]);
  }
  if (entering.kind == Kind::share) take_from_key(entering.row, 1);
  for (const Index n : split_) limits_.add(key_value(n), fall_[n], basis_.total(n, level_), {.row = n});
}

void LevelSimplex::leave_key(Index row, const LevelVariable& entering, const VectorXd& alpha, double value) {
  Index largest = -1;
  for (Index p = 0; p < basis_.order(); ++p) {
    const bool of_row = basis_.basic(p).kind == Kind::share && basis_.basic(p).row == row;
    if (of_row && (largest < 0 || value_[p] > value_[largest])) largest = p;
  }
  if (largest < 0) {
    basis_.replace_key(entering, alpha);
    return;
  }
  basis_.swap_key(largest);
  basis_.exchange(largest, entering, basis_.in_basis(entering));
  value_[largest] = value;
}

// One pivot. False when nothing limits it, which rounding alone can bring about.
bool LevelSimplex::enter(const LevelVariable& entering) {
  if (since_refresh_ >= kRefreshEvery) refresh();
  const VectorXd alpha = basis_.in_basis(entering);
  if (!alpha.allFinite()) return false;
  const Index level_position = basis_.level_position();
  find_limits(entering, alpha);
  const auto [length, leaving] =
      limits_.longest_step(entering.kind == Kind::level ? next_cap() - level_ : kInfinity);
  if (!(length < kInfinity)) return false;
  ++pivots_;
  ++since_refresh_;
  value_ -= length * alpha;
  if (level_position >= 0) level_ = value_[level_position];
  if (entering.kind == Kind::level) level_ += length;
  const double entered = entering.kind == Kind::level ? level_ : length;
  const bool at_cap = leaving.position < 0 ? leaving.row < 0 : leaving.position == level_position;
  if (leaving.row >= 0) leave_key(leaving.row, entering, alpha, entered);
  if (leaving.position >= 0) {
    basis_.exchange(leaving.position, entering, alpha);
    value_[leaving.position] = entered;
  }
  if (at_cap) {
    level_ = next_cap();
    reach_caps();
  }
  return true;
}

void LevelSimplex::find_price() {
  price_ = (rows_->capacity > 0).select(basis_.worth() / rows_->capacity, 0);
}

// Enters the best candidate, then the best of those that are still worthwhile, and so on.
bool LevelSimplex::raise_by(const std::vector<LevelVariable>& candidates) {
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const LevelVariable* best = k == 0 ? candidates.data() : nullptr;
    double most = 0;
    for (const LevelVariable& candidate : candidates) {
      const double gain = k == 0 ? 0 : pricing_.gain(basis_, price_, candidate);
      if (gain <= most || !pricing_.worthwhile(basis_, level_, price_, candidate)) continue;
      most = gain;
      best = &candidate;
    }
    if (best == nullptr) return true;
    if (!enter(*best)) return false;
    if (basis_.level_position() < 0) return true;
    find_price();
  }
  return true;
}

bool LevelSimplex::raise() {
  const Index most = pivots_ + kPivotsMost + kPivotsMostEach * (rows_->rows() + basis_.order());
  while (anybody_active() && pivots_ < most) {
    if (basis_.level_position() < 0) {
      if (!enter({.kind = Kind::level})) return false;
      continue;
    }
    find_price();
    const std::vector<LevelVariable> candidates = pricing_.entering(basis_, level_, price_);
    if (!candidates.empty()) {
      if (!raise_by(candidates)) return false;
      continue;
    }
    if (since_refresh_ == 0) return true;
    refresh();
  }
  return !anybody_active();
}

ArrayXXd LevelSimplex::price() const { return price_.max(0); }

void LevelSimplex::fix(const std::vector<Index>& rows) {
  const Index position = basis_.level_position();
  if (position >= 0) {
    LevelVariable slack{.kind = Kind::slack};
    basis_.worth().maxCoeff(&slack.server, &slack.resource);
    basis_.exchange(position, slack, basis_.in_basis(slack));
    value_[position] = 0;
    ++since_refresh_;
  }
  for (const Index n : rows) {
    if (!active(n)) continue;
    basis_.set_row(n, level_, 0);
    --active_;
  }
  basis_.sum_rates();
}

ArrayXXd LevelSimplex::amount() const {
  ArrayXXd shares = ArrayXXd::Zero(rows_->rows(), rows_->servers());
  for (Index p = 0; p < basis_.order(); ++p) {
    const LevelVariable& share = basis_.basic(p);
    if (share.kind == Kind::share) shares(share.row, share.server) = std::max(0.0, value_[p]);
  }
  for (Index n = 0; n < shares.rows(); ++n) {
    const double rest = basis_.total(n, level_) - shares.row(n).sum();
    shares(n, basis_.key(n)) = std::max(0.0, rest);
  }
  return shares.colwise() * basis_.unit();
}

}  // namespace mirab::numerics
