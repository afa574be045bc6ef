// The linear complementarity problem z ≥ 0, w = A z + b ≥ 0, z·w = 0 by an active set.
//
// Source: Lawson and Hanson, Solving Least Squares Problems, chapter 23 (NNLS): solve over the free
// coordinates; walk there until the first of them is zero, hold it and solve again; at the solution let go
// the held coordinate of most negative w. Each round lowers a convex quadratic, so no set comes twice; the
// number of rounds is bounded all the same, since rounding knows no theorem, and the last z is feasible
// whatever happened.
#include "numerics/complementarity.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <vector>

namespace mirab::numerics {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int kRoundsEach = 10;     // per coordinate; NNLS rarely needs two
constexpr double kClearly = 1e-13;  // negative, relative to b

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

VectorXd solve_complementarity(const Eigen::MatrixXd& a, const VectorXd& b) {
  const Index m = b.size();
  VectorXd z = VectorXd::Ones(m);
  std::vector<Index> free;
  for (Index i = 0; i < m; ++i) free.push_back(i);
  for (Index round = 0; round < kRoundsEach * m; ++round) {
    const VectorXd goal = solve_free(a, b, free);
    if (!walk(z, goal, free)) continue;
    const VectorXd w = a * z + b;
    Index worst = -1;
    for (Index i = 0; i < m; ++i) {
      const bool held = std::find(free.begin(), free.end(), i) == free.end();
      if (held && w[i] < -kClearly * b.cwiseAbs().maxCoeff() && (worst < 0 || w[i] < w[worst])) worst = i;
    }
    if (worst < 0) break;
    free.push_back(worst);
  }
  return z;
}

}  // namespace mirab::numerics
