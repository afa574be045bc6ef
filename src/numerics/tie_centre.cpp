// The central path for levels that are given, row by row.
//
// Source: docs/mathematics.md, section 5. V = top + y, top = max_i a_i L_i, is where
//   Σ_i μ part_i / (V - a_i L_i) = X,  and X = V, or (V - X)(cap - X) = μ with a cap.
// The left less the right is convex and falls with y: Newton's method from the left does not overshoot.
#include "numerics/tie_centre.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mirab::numerics {
namespace {

using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSteps = 40;
constexpr double kExact = 1e-12;

// X and k = V - X of a row that may have no more than its cap, for V - cap; dX/dV.
struct Capped {
  double total, k, slope;
};

Capped capped(double over, double cap, double mu) {
  const double root = std::sqrt(over * over + 4 * mu);
  const double k = over > 0 ? (over + root) / 2 : 2 * mu / (root - over);
  return {.total = cap - mu / k, .k = k, .slope = (1 - over / root) / 2};
}

void centre_row(TiedSystem& system, std::size_t n, double mu) {
  TiedRows& rows = system.rows;
  const auto begin = static_cast<std::size_t>(rows.first[n]),
             end = static_cast<std::size_t>(rows.first[n + 1]);
  double top = 0, part = 0;
  for (std::size_t p = begin; p < end; ++p) {
    const double reach = rows.a[p] * system.level_of(p);
    if (reach <= top) continue;
    top = reach;
    part = rows.part[p];
  }
  for (std::size_t p = begin; p < end; ++p) rows.z[p] = top - rows.a[p] * system.level_of(p);
  const double cap = rows.cap[n];
  double y = mu * part * std::max(2 / (top + std::sqrt(top * top + 4 * mu * part)), 1 / cap);
  for (int step = 0; step < kSteps; ++step) {
    double tasks = 0, fall = 0;
    for (std::size_t p = begin; p < end; ++p) {
      const double x = mu * rows.part[p] / (y + rows.z[p]);
      tasks += x;
      fall += x / (y + rows.z[p]);
    }
    const Capped goal = cap == kInfinity ? Capped{top + y, 0, 1} : capped(top + y - cap, cap, mu);
    const double change = (tasks - goal.total) / (goal.slope + fall);
    y += change;
    if (std::abs(change) <= kExact * y) break;
  }
  rows.total[n] = 0;
  for (std::size_t p = begin; p < end; ++p) {
    rows.z[p] += y;
    rows.x[p] = mu * rows.part[p] / rows.z[p];
    rows.total[n] += rows.x[p];
  }
  if (cap == kInfinity) return;
  rows.k[n] = capped(top + y - cap, cap, mu).k;
  rows.t[n] = mu / rows.k[n];
}

}  // namespace

void centre(TiedSystem& system, double mu) {
  for (std::size_t n = 0; n < system.rows.row.size(); ++n) centre_row(system, n, mu);
}

}  // namespace mirab::numerics
