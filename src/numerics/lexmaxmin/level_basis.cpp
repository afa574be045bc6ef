// Generalised upper bounding for the linear program of levels.
//
// Source: Dantzig and Van Slyke, Generalized Upper Bounding Techniques, 1967. Every column of a row n is
// taken relative to the key j of the row, y_{n,j} = floor_n + rate_n t - Σ_{i≠j} y_{n,i}: the columns of W
// are
//
//     y_{n,i}:  a_{n,i} - a_{n,j}        t:  Σ_n rate_n a_{n,key(n)}        q_{i,r}:  a unit vector,
//
// and every change of the basis is a change of W of rank one.
#include "numerics/lexmaxmin/level_basis.hpp"

#include <Eigen/LU>
#include <type_traits>
#include <utility>

#include "numerics/base/big_float.hpp"

namespace mirab::numerics {

using Eigen::Index;

template <class Number>
LevelBasisOf<Number>::LevelBasisOf(const ServerRowsOf<Number>& rows, ArrayOf<Number> unit,
                                   std::vector<Index> keys, const LevelTuning& tuning)
    : rows_(&rows),
      tuning_(tuning),
      unit_(std::move(unit)),
      floor_(ArrayOf<Number>::Zero(rows.rows())),
      rate_(ArrayOf<Number>::Zero(rows.rows())),
      per_capacity_((rows.capacity > 0).select(rows.capacity.inverse(), 0)),
      keys_(std::move(keys)),
      inverse_(RowMajor::Identity(rows.capacity.size(), rows.capacity.size())),
      level_use_(Vector::Zero(rows.capacity.size())) {
  for (Index r = 0; r < rows.resources(); ++r) {
    for (Index i = 0; i < rows.servers(); ++i)
      basics_.push_back({.kind = Kind::slack, .server = i, .resource = r});
  }
}

template <class Number>
void LevelBasisOf<Number>::add_use(Index row, Index server, const Number& amount, Vector& sum) const {
  const Index servers = rows_->servers();
  for (Index r = 0; r < rows_->resources(); ++r)
    sum[server + servers * r] += amount * demand(row, server, r) * per_capacity_(server, r);
}

template <class Number>
typename LevelBasisOf<Number>::Vector LevelBasisOf<Number>::column(const LevelVariable& variable) const {
  if (variable.kind == Kind::level) return level_use_;
  Vector of = Vector::Zero(order());
  if (variable.kind == Kind::slack) {
    of[variable.server + rows_->servers() * variable.resource] = 1;
  } else {
    add_use(variable.row, variable.server, 1, of);
    add_use(variable.row, key(variable.row), -1, of);
  }
  return of;
}

template <class Number>
void LevelBasisOf<Number>::set_row(Index row, const Number& floor, const Number& rate) {
  add_use(row, key(row), rate - rate_[row], level_use_);
  floor_[row] = floor;
  rate_[row] = rate;
}

template <class Number>
typename LevelBasisOf<Number>::Vector LevelBasisOf<Number>::in_basis(const LevelVariable& variable) const {
  const Index servers = rows_->servers();
  if (variable.kind == Kind::level) return inverse_ * level_use_;
  if (variable.kind == Kind::slack) return inverse_.col(variable.server + servers * variable.resource);
  Vector alpha = Vector::Zero(order());
  const Index key_server = key(variable.row);
  for (Index r = 0; r < rows_->resources(); ++r) {
    const Number on = demand(variable.row, variable.server, r) * per_capacity_(variable.server, r);
    const Number from = demand(variable.row, key_server, r) * per_capacity_(key_server, r);
    alpha += on * inverse_.col(variable.server + servers * r) - from * inverse_.col(key_server + servers * r);
  }
  return alpha;
}

// What is left over is worth nothing: exactly, since rounding there would be worth more than small users are.
template <class Number>
TableOf<Number> LevelBasisOf<Number>::worth() const {
  TableOf<Number> worth =
      inverse_.row(level_position_).array().reshaped(rows_->servers(), rows_->resources());
  for (const LevelVariable& basic : basics_) {
    if (basic.kind == Kind::slack) worth(basic.server, basic.resource) = 0;
  }
  return worth;
}

template <class Number>
bool LevelBasisOf<Number>::may_cost(const TableOf<bool>& priced, Index row, Index server) const {
  return (priced.row(server) && rows_->demand_on(server).row(row) > 0).any();
}

// If a row's tasks cost nothing on one of the servers where it is split, they cost nothing on the others.
template <class Number>
void LevelBasisOf<Number>::spread_free(TableOf<bool>& priced) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (const LevelVariable& share : basics_) {
      if (share.kind != Kind::share) continue;
      const Index key_server = key(share.row);
      const bool may_cost_here = may_cost(priced, share.row, share.server);
      if (may_cost_here == may_cost(priced, share.row, key_server)) continue;
      const Index free_too = may_cost_here ? share.server : key_server;
      priced.row(free_too) = priced.row(free_too) && !(rows_->demand_on(free_too).row(share.row) > 0);
      changed = true;
    }
  }
}

// What rounding may make of λ_{i,r} c_{i,r}, by |λ| |W| |W⁻¹|.
template <class Number>
TableOf<Number> LevelBasisOf<Number>::worth_noise() const {
  const auto worth = inverse_.row(level_position_).cwiseAbs();
  Vector size(order());
  for (Index p = 0; p < order(); ++p) size[p] = worth.dot(column(basic(p)).cwiseAbs());
  const Vector noise = tolerance<Number>(tuning_.worth_noise) * (inverse_.cwiseAbs().transpose() * size);
  return noise.array().reshaped(rows_->servers(), rows_->resources());
}

// Whether what a row that is split pays somewhere has a part that is lost in the rest of it.
template <class Number>
bool LevelBasisOf<Number>::loses_parts(const TableOf<Number>& worth) const {
  for (const LevelVariable& share : basics_) {
    if (share.kind != Kind::share) continue;
    for (const Index server : {share.server, key(share.row)}) {
      const ArrayOf<Number> paid =
          (worth.row(server) * per_capacity_.row(server) * rows_->demand_on(server).row(share.row))
              .transpose();
      if ((paid > 0 && paid < tolerance<Number>(tuning_.lost_part) * paid.maxCoeff()).any()) return true;
    }
  }
  return false;
}

template <class Number>
TableOf<bool> LevelBasisOf<Number>::priced() const {
  TableOf<bool> priced = TableOf<bool>::Constant(rows_->servers(), rows_->resources(), true);
  for (const LevelVariable& basic : basics_) {
    if (basic.kind == Kind::slack) priced(basic.server, basic.resource) = false;
  }
  spread_free(priced);
  const TableOf<Number> found = worth();
  TableOf<Number> noise = worth_noise();
  if constexpr (!std::is_same_v<Number, double>)
    noise = noise.max(Number(tolerance<Number>(tuning_.min_worth) * found.maxCoeff())).eval();
  const TableOf<bool> nothing =
      found.abs() <= noise && noise <= tolerance<Number>(tuning_.max_noise) * found.maxCoeff();
  const TableOf<Number> sure = (priced && !nothing).select(found, 0);
  if (loses_parts(sure)) return priced;
  priced = priced && !nothing;
  spread_free(priced);
  return priced;
}

template <class Number>
void LevelBasisOf<Number>::exchange(Index position, const LevelVariable& entering, const Vector& alpha) {
  inverse_.row(position) /= alpha[position];
  const Eigen::RowVector<Number, Eigen::Dynamic> pivot_row = inverse_.row(position);
  for (Index p = 0; p < order(); ++p) {
    if (p != position && alpha[p] != 0) inverse_.row(p) -= alpha[p] * pivot_row;
  }
  if (position == level_position_) level_position_ = -1;
  if (entering.kind == Kind::level) level_position_ = position;
  basics_[static_cast<std::size_t>(position)] = entering;
}

template <class Number>
void LevelBasisOf<Number>::swap_key(Index position) {
  LevelVariable& share = basics_[static_cast<std::size_t>(position)];
  inverse_.row(position) *= -1;
  for (Index p = 0; p < order(); ++p) {
    if (p != position && basic(p).kind == Kind::share && basic(p).row == share.row)
      inverse_.row(position) -= inverse_.row(p);
  }
  if (level_position_ >= 0) inverse_.row(position) += rate_[share.row] * inverse_.row(level_position_);
  add_use(share.row, share.server, rate_[share.row], level_use_);
  add_use(share.row, key(share.row), -rate_[share.row], level_use_);
  std::swap(share.server, keys_[static_cast<std::size_t>(share.row)]);
}

template <class Number>
void LevelBasisOf<Number>::replace_key(const LevelVariable& entering, const Vector& alpha) {
  const Number rate = rate_[entering.row];
  if (level_position_ >= 0 && rate != 0) {
    const Eigen::RowVector<Number, Eigen::Dynamic> change =
        inverse_.row(level_position_) * (rate / (1 + rate * alpha[level_position_]));
    inverse_ -= alpha * change;
  }
  add_use(entering.row, entering.server, rate, level_use_);
  add_use(entering.row, key(entering.row), -rate, level_use_);
  keys_[static_cast<std::size_t>(entering.row)] = entering.server;
}

template <class Number>
void LevelBasisOf<Number>::sum_rates() {
  level_use_.setZero();
  for (Index n = 0; n < rate_.size(); ++n) {
    if (rate_[n] != 0) add_use(n, key(n), rate_[n], level_use_);
  }
}

template <class Number>
void LevelBasisOf<Number>::refresh() {
  sum_rates();
  Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> working(order(), order());
  for (Index p = 0; p < order(); ++p) working.col(p) = column(basic(p));
  inverse_ = working.partialPivLu().inverse();
}

template <class Number>
typename LevelBasisOf<Number>::Vector LevelBasisOf<Number>::values(const Number& level) const {
  Vector left = Vector::Ones(order());
  for (Index n = 0; n < floor_.size(); ++n) {
    if (floor_[n] != 0) add_use(n, key(n), -floor_[n], left);
  }
  if (level_position_ < 0) left -= level * level_use_;
  return inverse_ * left;
}

template class LevelBasisOf<double>;
template class LevelBasisOf<BigFloat>;

}  // namespace mirab::numerics
