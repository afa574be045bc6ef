#include "numerics/level_schur.hpp"

#include <cmath>

#include "numerics/blocks.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;

// Equations of full capacities may depend on each other: prices then have directions that change nothing.
constexpr double kDependent = 1e-12;

// What a block of rows adds.
struct Part {
  MatrixXd matrix;  // [i m + r][j m + r'] for j ≤ i, by server
  MatrixXd b;       // [r][i]
  double kappa = 0;
};

// H, and -θ_i θ_j / H for j < i or θ_i (H - θ_i) / H for j = i, as columns [pair of servers].
MatrixXd pair_weights(const Eigen::Ref<const ArrayXXd>& theta, const Eigen::Ref<const ArrayXd>& slack,
                      Eigen::Ref<ArrayXd> pivot) {
  const Index servers = theta.cols();
  ArrayXXd others(theta.rows(), servers);  // H - θ_i: what stands before i, then what stands after
  ArrayXd sum = slack;
  for (Index i = 0; i < servers; ++i) {
    others.col(i) = sum;
    sum += theta.col(i);
  }
  pivot = sum;
  sum.setZero();
  for (Index i = servers; i-- > 0;) {
    others.col(i) += sum;
    sum += theta.col(i);
  }
  MatrixXd weights(theta.rows(), servers * (servers + 1) / 2);
  Index pair = 0;
  for (Index i = 0; i < servers; ++i) {
    const ArrayXd part = theta.col(i) / pivot;
    for (Index j = 0; j < i; ++j) weights.col(pair++) = -part * theta.col(j);
    weights.col(pair++) = part * others.col(i);
  }
  return weights;
}

// [row][pair of resources r' ≤ r]: d_r d_r'.
MatrixXd demand_products(const Eigen::Ref<const ArrayXXd>& demand) {
  const Index m = demand.cols();
  MatrixXd products(demand.rows(), m * (m + 1) / 2);
  Index pair = 0;
  for (Index r = 0; r < m; ++r) {
    for (Index s = 0; s <= r; ++s) products.col(pair++) = demand.col(r) * demand.col(s);
  }
  return products;
}

// Every row demands the same everywhere: one product for all pairs of servers and of resources.
void add_equal_demands(const ArrayXXd& demand, const Block& block, const MatrixXd& weights, Index servers,
                       MatrixXd& matrix) {
  const Index m = demand.cols();
  const MatrixXd sums = weights.transpose() * demand_products(demand.middleRows(block.first, block.rows));
  Index servers_pair = 0;
  for (Index i = 0; i < servers; ++i) {
    for (Index j = 0; j <= i; ++j, ++servers_pair) {
      Index resources_pair = 0;
      for (Index r = 0; r < m; ++r) {
        for (Index s = 0; s <= r; ++s, ++resources_pair) {
          const double sum = sums(servers_pair, resources_pair);
          matrix(i + servers * r, j + servers * s) = sum;
          matrix(i + servers * s, j + servers * r) = sum;
        }
      }
    }
  }
}

void add_unequal_demands(const ServerRows& rows, const Block& block, const MatrixXd& weights,
                         MatrixXd& matrix) {
  const Index servers = rows.servers();
  const Index m = rows.resources();
  Index pair = 0;
  for (Index i = 0; i < servers; ++i) {
    const auto demand_i = rows.demand_on(i).middleRows(block.first, block.rows);
    for (Index j = 0; j <= i; ++j, ++pair) {
      const MatrixXd weighted =
          rows.demand_on(j).middleRows(block.first, block.rows).colwise() * weights.col(pair).array();
      const MatrixXd sums = demand_i.matrix().transpose() * weighted;
      for (Index r = 0; r < m; ++r) {
        for (Index s = 0; s < m; ++s) matrix(i + servers * r, j + servers * s) = sums(r, s);
      }
    }
  }
}

}  // namespace

ArrayXXd demanded_by(const ServerRows& rows, const ArrayXXd& y, int threads) {
  std::vector<MatrixXd> parts(static_cast<std::size_t>(block_count(rows.rows())));
  for_each_block(rows.rows(), threads, [&](const Block& block) {
    MatrixXd& part = parts[static_cast<std::size_t>(block.index)];
    const auto of_block = y.middleRows(block.first, block.rows).matrix();
    if (rows.demand.size() == 1) {
      part = of_block.transpose() * rows.demand[0].middleRows(block.first, block.rows).matrix();
      return;
    }
    part.resize(rows.servers(), rows.resources());
    for (Index i = 0; i < rows.servers(); ++i) {
      part.row(i) =
          of_block.col(i).transpose() * rows.demand_on(i).middleRows(block.first, block.rows).matrix();
    }
  });
  ArrayXXd sum = ArrayXXd::Zero(rows.servers(), rows.resources());
  for (const MatrixXd& part : parts) sum += part.array();
  return sum;
}

LevelSchur::LevelSchur(const ServerRows& rows, const ArrayXXd& theta, const ArrayXd& slack,
                       const ArrayXd& rate, const ArrayXXd& q_by_price, int threads)
    : pivot_(rows.rows()) {
  const Index servers = rows.servers();
  const Index order = servers * rows.resources();
  std::vector<MatrixXd> parts(static_cast<std::size_t>(block_count(rows.rows())));
  for_each_block(rows.rows(), threads, [&](const Block& block) {
    MatrixXd& part = parts[static_cast<std::size_t>(block.index)];
    part.resize(order, order);
    const MatrixXd weights =
        pair_weights(theta.middleRows(block.first, block.rows), slack.segment(block.first, block.rows),
                     pivot_.segment(block.first, block.rows));
    if (rows.demand.size() == 1) {
      add_equal_demands(rows.demand[0], block, weights, servers, part);
    } else {
      add_unequal_demands(rows, block, weights, part);
    }
  });
  matrix_ = MatrixXd::Zero(order, order);
  // Pairs of servers j ≤ i were written; the others are their mirror images.
  for (const MatrixXd& part : parts) {
    for (Index column = 0; column < order; ++column) {
      for (Index row = 0; row < order; ++row) {
        const bool written = row % servers >= column % servers;
        matrix_(row, column) += written ? part(row, column) : part(column, row);
      }
    }
  }
  matrix_.diagonal() += q_by_price.reshaped().matrix();
  const ArrayXXd share = theta.colwise() * (rate / pivot_);
  b_ = demanded_by(rows, share, threads).reshaped().matrix();
  kappa_ = (rate.square() / pivot_).sum();
  matrix_.noalias() += b_ * b_.transpose() / kappa_;
  scale_ = matrix_.diagonal().array().sqrt().inverse();
  MatrixXd scaled = scale_.matrix().asDiagonal() * matrix_ * scale_.matrix().asDiagonal();
  for (double ridge = q_by_price.minCoeff() > 0 ? 0 : kDependent;; ridge = std::max(1e-15, ridge * 10)) {
    factor_.compute(scaled + ridge * MatrixXd::Identity(order, order));
    if (factor_.info() == Eigen::Success || !(ridge < 1))
      break;  // or a step that is no number: the caller stops
  }
}

LevelSchur::Step LevelSchur::solve(const ArrayXXd& u, double v) const {
  const Eigen::VectorXd right = u.reshaped().matrix() + b_ * (v / kappa_);
  Eigen::VectorXd step = Eigen::VectorXd::Zero(right.size());
  for (int refinement = 0; refinement < 2; ++refinement) {
    const Eigen::VectorXd left = right - matrix_ * step;
    step += (scale_ * factor_.solve((scale_ * left.array()).matrix()).array()).matrix();
  }
  const double level = (v - b_.dot(step)) / kappa_;
  return {.price = Eigen::Map<const ArrayXXd>(step.data(), u.rows(), u.cols()), .level = level};
}

}  // namespace mirab::numerics
