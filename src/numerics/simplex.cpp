// The primal simplex method on a condensed tableau, from x = 0.
//
// Source: Dantzig 1963, with the rule of Bland (1977) while pivots do not move, so that none is repeated.
// The tableau holds a column for each variable that is zero, and the right-hand side; a row for each variable
// that is not, and the objective. Slack i is variable n + i.
#include "numerics/simplex.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include <mirab/model/assert.hpp>

namespace mirab::numerics {
namespace {

using Eigen::Index;

constexpr double kZero = 1e-12;
constexpr Index kNone = -1;

enum class Rule { steepest, bland };

struct Tableau {
  Eigen::MatrixXd entries;     // [k + 1][n + 1]
  std::vector<Index> zero;     // the variable of each column, [n]
  std::vector<Index> nonzero;  // the variable of each row, [k]

  Index columns() const { return entries.cols() - 1; }
  Index rows() const { return entries.rows() - 1; }
  double limit(Index row) const { return entries(row, columns()); }
};

Tableau start(const LinearProgram& program) {
  const Index n = program.rows.cols();
  const Index k = program.rows.rows();
  Tableau tableau{Eigen::MatrixXd::Zero(k + 1, n + 1), std::vector<Index>(static_cast<std::size_t>(n)),
                  std::vector<Index>(static_cast<std::size_t>(k))};
  tableau.entries.topLeftCorner(k, n) = program.rows;
  tableau.entries.topRightCorner(k, 1) = program.limit;
  tableau.entries.bottomLeftCorner(1, n) = -program.value.transpose();
  std::iota(tableau.zero.begin(), tableau.zero.end(), Index{0});
  std::iota(tableau.nonzero.begin(), tableau.nonzero.end(), n);
  return tableau;
}

// A column whose variable is worth raising, or none: then the vertex is the best.
Index entering(const Tableau& tableau, Rule rule) {
  Index best = kNone;
  for (Index j = 0; j < tableau.columns(); ++j) {
    const double slope = tableau.entries(tableau.rows(), j);
    if (slope >= -kZero) continue;
    const auto variable = [&](Index column) { return tableau.zero[static_cast<std::size_t>(column)]; };
    const bool better =
        best == kNone ||
        (rule == Rule::bland ? variable(j) < variable(best) : slope < tableau.entries(tableau.rows(), best));
    if (better) best = j;
  }
  return best;
}

// The row that first stops the column's variable; of several the one with the lowest variable.
Index leaving(const Tableau& tableau, Index column) {
  Index first = kNone;
  double step = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < tableau.rows(); ++i) {
    if (tableau.entries(i, column) <= kZero) continue;
    const double allowed = tableau.limit(i) / tableau.entries(i, column);
    const auto variable = [&](Index row) { return tableau.nonzero[static_cast<std::size_t>(row)]; };
    if (allowed > step || (allowed == step && variable(i) > variable(first))) continue;
    first = i;
    step = allowed;
  }
  MIRAB_ASSERT(first != kNone, "a bounded linear program");
  return first;
}

void exchange(Tableau& tableau, Index row, Index column) {
  Eigen::MatrixXd& entries = tableau.entries;
  const double pivot = entries(row, column);
  Eigen::RowVectorXd scaled = entries.row(row) / pivot;
  scaled[column] = 1 / pivot;
  const Eigen::VectorXd factors = entries.col(column);
  entries.col(column).setZero();
  entries.noalias() -= factors * scaled;
  entries.row(row) = scaled;
  for (Index i = 0; i < tableau.rows(); ++i) {  // rounding must not make a limit negative
    entries(i, tableau.columns()) = std::max(0.0, tableau.limit(i));
  }
  std::swap(tableau.zero[static_cast<std::size_t>(column)], tableau.nonzero[static_cast<std::size_t>(row)]);
}

LinearOptimum read(const Tableau& tableau) {
  const Index n = tableau.columns();
  LinearOptimum optimum{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(tableau.rows())};
  for (Index i = 0; i < tableau.rows(); ++i) {
    const Index variable = tableau.nonzero[static_cast<std::size_t>(i)];
    if (variable < n) optimum.amount[variable] = tableau.limit(i);
  }
  for (Index j = 0; j < n; ++j) {
    const Index variable = tableau.zero[static_cast<std::size_t>(j)];
    if (variable >= n) optimum.price[variable - n] = std::max(0.0, tableau.entries(tableau.rows(), j));
  }
  return optimum;
}

}  // namespace

LinearOptimum maximise(const LinearProgram& program) {
  MIRAB_ASSERT((program.limit.array() >= 0).all(), "a linear program that starts at zero");
  Tableau tableau = start(program);
  Rule rule = Rule::steepest;
  for (Index column = entering(tableau, rule); column != kNone; column = entering(tableau, rule)) {
    const Index row = leaving(tableau, column);
    rule = tableau.limit(row) > kZero ? Rule::steepest : Rule::bland;
    exchange(tableau, row, column);
  }
  return read(tableau);
}

}  // namespace mirab::numerics
