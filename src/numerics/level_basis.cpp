// Generalised upper bounding for the linear program of levels.
//
// Source: Dantzig and Van Slyke, Generalized Upper Bounding Techniques, 1967. Every column of a row n is
// taken relative to the key j of the row, y_{n,j} = floor_n + rate_n t - Σ_{i≠j} y_{n,i}: the columns of W
// are
//
//     y_{n,i}:  a_{n,i} - a_{n,j}        t:  Σ_n rate_n a_{n,key(n)}        q_{i,r}:  a unit vector,
//
// and every change of the basis is a change of W of rank one.
#include "numerics/level_basis.hpp"

#include <Eigen/LU>
#include <utility>

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::VectorXd;

LevelBasis::LevelBasis(const ServerRows& rows, ArrayXd unit, std::vector<Index> keys)
    : rows_(&rows),
      unit_(std::move(unit)),
      floor_(ArrayXd::Zero(rows.rows())),
      rate_(ArrayXd::Zero(rows.rows())),
      per_capacity_((rows.capacity > 0).select(rows.capacity.inverse(), 0)),
      keys_(std::move(keys)),
      inverse_(RowMajor::Identity(rows.capacity.size(), rows.capacity.size())),
      level_use_(VectorXd::Zero(rows.capacity.size())) {
  for (Index r = 0; r < rows.resources(); ++r) {
    for (Index i = 0; i < rows.servers(); ++i)
      basics_.push_back({.kind = Kind::slack, .server = i, .resource = r});
  }
}

void LevelBasis::add_use(Index row, Index server, double amount, Eigen::Ref<VectorXd> sum) const {
  const Index servers = rows_->servers();
  for (Index r = 0; r < rows_->resources(); ++r)
    sum[server + servers * r] += amount * demand(row, server, r) * per_capacity_(server, r);
}

VectorXd LevelBasis::column(const LevelVariable& variable) const {
  if (variable.kind == Kind::level) return level_use_;
  VectorXd of = VectorXd::Zero(order());
  if (variable.kind == Kind::slack) {
    of[variable.server + rows_->servers() * variable.resource] = 1;
  } else {
    add_use(variable.row, variable.server, 1, of);
    add_use(variable.row, key(variable.row), -1, of);
  }
  return of;
}

void LevelBasis::set_row(Index row, double floor, double rate) {
  add_use(row, key(row), rate - rate_[row], level_use_);
  floor_[row] = floor;
  rate_[row] = rate;
}

VectorXd LevelBasis::in_basis(const LevelVariable& variable) const {
  const Index servers = rows_->servers();
  if (variable.kind == Kind::level) return inverse_ * level_use_;
  if (variable.kind == Kind::slack) return inverse_.col(variable.server + servers * variable.resource);
  VectorXd alpha = VectorXd::Zero(order());
  const Index key_server = key(variable.row);
  for (Index r = 0; r < rows_->resources(); ++r) {
    const double on = demand(variable.row, variable.server, r) * per_capacity_(variable.server, r);
    const double from = demand(variable.row, key_server, r) * per_capacity_(key_server, r);
    alpha += on * inverse_.col(variable.server + servers * r) - from * inverse_.col(key_server + servers * r);
  }
  return alpha;
}

// What is left over is worth nothing: exactly, since rounding there would be worth more than small users are.
ArrayXXd LevelBasis::worth() const {
  ArrayXXd worth = inverse_.row(level_position_).array().reshaped(rows_->servers(), rows_->resources());
  for (const LevelVariable& basic : basics_) {
    if (basic.kind == Kind::slack) worth(basic.server, basic.resource) = 0;
  }
  return worth;
}

void LevelBasis::exchange(Index position, const LevelVariable& entering, const VectorXd& alpha) {
  inverse_.row(position) /= alpha[position];
  const Eigen::RowVectorXd pivot_row = inverse_.row(position);
  for (Index p = 0; p < order(); ++p) {
    if (p != position && alpha[p] != 0) inverse_.row(p) -= alpha[p] * pivot_row;
  }
  if (position == level_position_) level_position_ = -1;
  if (entering.kind == Kind::level) level_position_ = position;
  basics_[static_cast<std::size_t>(position)] = entering;
}

void LevelBasis::swap_key(Index position) {
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

void LevelBasis::replace_key(const LevelVariable& entering, const VectorXd& alpha) {
  const double rate = rate_[entering.row];
  if (level_position_ >= 0 && rate != 0) {
    const Eigen::RowVectorXd change =
        inverse_.row(level_position_) * (rate / (1 + rate * alpha[level_position_]));
    inverse_ -= alpha * change;
  }
  add_use(entering.row, entering.server, rate, level_use_);
  add_use(entering.row, key(entering.row), -rate, level_use_);
  keys_[static_cast<std::size_t>(entering.row)] = entering.server;
}

void LevelBasis::sum_rates() {
  level_use_.setZero();
  for (Index n = 0; n < rate_.size(); ++n) {
    if (rate_[n] != 0) add_use(n, key(n), rate_[n], level_use_);
  }
}

void LevelBasis::refresh() {
  sum_rates();
  Eigen::MatrixXd working(order(), order());
  for (Index p = 0; p < order(); ++p) working.col(p) = column(basic(p));
  inverse_ = Eigen::PartialPivLU<Eigen::MatrixXd>(working).inverse();
}

VectorXd LevelBasis::values(double level) const {
  VectorXd left = VectorXd::Ones(order());
  for (Index n = 0; n < floor_.size(); ++n) {
    if (floor_[n] != 0) add_use(n, key(n), -floor_[n], left);
  }
  if (level_position_ < 0) left -= level * level_use_;
  return inverse_ * left;
}

}  // namespace mirab::numerics
