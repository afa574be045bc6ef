// Small, dense problems: a linear program by the simplex method with a tableau, and a linear
// complementarity problem by an active set.
#include "numerics/base/dense_programs.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>

#include "numerics/base/rows.hpp"

namespace mirab::numerics {

// The primal simplex method on a condensed tableau, from x = 0.
//
// Source: Dantzig 1963, with the rule of Bland (1977) while pivots do not move, so that none is repeated.
// The tableau holds a column for each variable that is zero, and the right-hand side; a row for each variable
// that is not, and the objective. Slack i is variable n + i.

namespace {

using Eigen::Index;

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
Index entering(const Tableau& tableau, Rule rule, double zero) {
  Index best = kNone;
  for (Index j = 0; j < tableau.columns(); ++j) {
    const double slope = tableau.entries(tableau.rows(), j);
    if (slope >= -zero) continue;
    const auto variable = [&](Index column) { return tableau.zero[static_cast<std::size_t>(column)]; };
    const bool better =
        best == kNone ||
        (rule == Rule::bland ? variable(j) < variable(best) : slope < tableau.entries(tableau.rows(), best));
    if (better) best = j;
  }
  return best;
}

// The row that first stops the column's variable; of several the one with the lowest variable.
Index leaving(const Tableau& tableau, Index column, double zero) {
  Index first = kNone;
  double step = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < tableau.rows(); ++i) {
    if (tableau.entries(i, column) <= zero) continue;
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

LinearOptimum read(const Tableau& tableau, const LinearProgram& program, bool optimal, int pivots,
                   const Accuracy& accuracy) {
  const Index n = tableau.columns();
  LinearOptimum optimum{
      .report = {}, .amount = Eigen::VectorXd::Zero(n), .price = Eigen::VectorXd::Zero(tableau.rows())};
  for (Index i = 0; i < tableau.rows(); ++i) {
    const Index variable = tableau.nonzero[static_cast<std::size_t>(i)];
    if (variable < n) optimum.amount[variable] = tableau.limit(i);
  }
  for (Index j = 0; j < n; ++j) {
    const Index variable = tableau.zero[static_cast<std::size_t>(j)];
    if (variable >= n) optimum.price[variable - n] = std::max(0.0, tableau.entries(tableau.rows(), j));
  }
  const double value = program.value.dot(optimum.amount);
  const double gap = std::abs(program.limit.dot(optimum.price) - value);
  const double error = optimal ? (value != 0 ? gap / std::abs(value) : gap) : kInfinity;
  optimum.report = report_of(error, accuracy, optimal ? Stop::stalled : Stop::limit, pivots);
  return optimum;
}

}  // namespace

LinearOptimum maximise(const LinearProgram& program, const LinearTuning& tuning) {
  MIRAB_ASSERT((program.limit.array() >= 0).all(), "a linear program that starts at zero");
  Tableau tableau = start(program);
  Rule rule = Rule::steepest;
  const Index max_pivots = tuning.pivots_each * (program.rows.rows() + program.rows.cols());
  int pivots = 0;
  while (true) {
    const Index column = entering(tableau, rule, tuning.zero);
    const bool optimal = column == kNone;
    if (optimal || pivots == max_pivots) return read(tableau, program, optimal, pivots, tuning.accuracy);
    ++pivots;
    const Index row = leaving(tableau, column, tuning.zero);
    rule = tableau.limit(row) > tuning.zero ? Rule::steepest : Rule::bland;
    exchange(tableau, row, column);
  }
}

// The linear complementarity problem z ≥ 0, w = A z + b ≥ 0, z·w = 0 by an active set.
//
// Source: Lawson and Hanson, Solving Least Squares Problems, chapter 23 (NNLS): solve over the free
// coordinates; walk there until the first of them is zero, hold it and solve again; at the solution let go
// the held coordinate of most negative w. Each round lowers a convex quadratic, so no set comes twice; the
// number of rounds is bounded all the same, since rounding knows no theorem, and the last z is feasible
// whatever happened.

namespace {

using Eigen::Index;
using Eigen::VectorXd;

// The solution over the free coordinates, 0 elsewhere.
VectorXd solve_free(const Eigen::MatrixXd& a, const VectorXd& b, const std::vector<Index>& free) {
  VectorXd z = VectorXd::Zero(b.size());
  if (free.empty()) return z;
  const Eigen::MatrixXd a_free = a(free, free);
  const VectorXd b_free = b(free);
  const VectorXd solved = a_free.partialPivLu().solve(-b_free);
  z(free) = solved;
  return z;
}

// Walks from z towards `goal` until the first free coordinate is zero; true when it gets there with none.
// That coordinate is free no more.
bool walk(VectorXd& z, const VectorXd& goal, std::vector<Index>& free) {
  double step = 1;
  Index first = -1;
  for (const Index i : free) {
    if (goal[i] > 0) continue;
    const double until_zero = z[i] / (z[i] - goal[i]);
    if (first < 0 || until_zero < step) {
      step = until_zero;
      first = i;
    }
  }
  z += step * (goal - z);
  if (first < 0) return true;
  std::erase_if(free, [&](Index i) { return i == first || z[i] <= 0; });
  z = z.cwiseMax(0);
  z[first] = 0;
  return false;
}

}  // namespace

Complementarity solve_complementarity(const Eigen::MatrixXd& a, const VectorXd& b,
                                      const ComplementarityTuning& tuning) {
  const Index m = b.size();
  VectorXd z = VectorXd::Ones(m);
  std::vector<Index> free;
  for (Index i = 0; i < m; ++i) free.push_back(i);
  if (m == 0) return {.report = {.error = 0, .stop = Stop::target, .iterations = 0}, .z = std::move(z)};
  const double size = b.cwiseAbs().maxCoeff();
  double error = kInfinity;
  int rounds = 0;
  while (rounds < tuning.rounds_each * m) {
    ++rounds;
    const VectorXd goal = solve_free(a, b, free);
    if (!walk(z, goal, free)) continue;
    const VectorXd w = a * z + b;
    Index worst = -1;
    for (Index i = 0; i < m; ++i) {
      const bool held = std::find(free.begin(), free.end(), i) == free.end();
      if (held && w[i] < -tuning.clearly * size && (worst < 0 || w[i] < w[worst])) worst = i;
    }
    error = size > 0 ? std::max(0.0, -w.minCoeff() / size) : 0;
    if (worst < 0) {
      return {.report = {.error = error, .stop = Stop::target, .iterations = rounds}, .z = std::move(z)};
    }
    free.push_back(worst);
  }
  return {.report = {.error = error, .stop = Stop::limit, .iterations = rounds}, .z = std::move(z)};
}

}  // namespace mirab::numerics
