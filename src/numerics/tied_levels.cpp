// Levels that agree between servers, by a primal-dual interior point.
//
// Source: docs/mathematics.md, section 5. With g(n,i) the full resource of lowest level
// among those that row n demands on server i, the conditions are a linear complementarity problem in x, z, k,
// t and the levels (tied_rows.hpp). The products x z and k t are driven to zero together (tie_step.hpp);
// those of a row's pairs stay in proportion to what it could hold on each server, or small servers would be
// swamped at the start. When a resource that stopped nobody overflows it takes over from the fullest that its
// rows stop at. As the products fall, rows with one clear winner leave the system. At the end ties are made
// exact.
//
// Known failures: the problem is neither monotone nor has it one solution, so nothing is promised; the caller
// checks. Clusters in which most rows are tied exactly or at their cap may leave it stuck.
#include "numerics/tied_levels.hpp"

#include <cmath>

#include "numerics/clear_winners.hpp"
#include "numerics/settle_ties.hpp"
#include "numerics/tie_centre.hpp"
#include "numerics/tie_step.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kLastProduct = 1e-12;
constexpr double kBalanced = 1e-9;  // of a capacity
constexpr double kWindow = 20;      // a gap of so many √μ is a clear defeat
constexpr double kWidestWindow = 0.1;
constexpr double kGoodStep = 0.5;
constexpr int kStepsBetween = 2;  // two times that rows leave
constexpr Index kFewRows = 200;
constexpr double kStuckStep = 1e-3;
constexpr int kStuckSteps = 8;
constexpr int kIterations = 150;

// Steps until all products are next to zero, or there is no getting on; gives their number.
int follow(TiedSystem& system) {
  TieStep newton(system, kLastProduct);
  int since = 0, stuck = 0;
  for (int iteration = 1; iteration <= kIterations; ++iteration) {
    measure_use(system);
    take_over(system);
    const double mu = newton.mean_product();
    if (system.rows.pairs() == 0 || (mu <= kLastProduct && imbalance(system) < kBalanced)) return iteration;
    const double step = newton.advance(mu);
    stuck = step < kStuckStep ? stuck + 1 : 0;
    if (step == 0 || stuck == kStuckSteps) return iteration;
    const double window = kWindow * std::sqrt(mu);
    if (++since > kStepsBetween && step > kGoodStep && imbalance(system) < window / 10 &&
        window < kWidestWindow && system.rows.size() > kFewRows) {
      take_out_winners(system, window);
      since = 0;
    }
  }
  return kIterations;
}

}  // namespace

TiedLevels tie_levels(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& levels, double centring) {
  TiedSystem system = tied_system(rows, rate, levels);
  centre(system, centring);
  TiedLevels found;
  found.iterations = follow(system);
  const Index m = rows.resources();
  found.levels.resize(rows.servers(), m);
  for (Index j = 0; j < found.levels.size(); ++j)
    found.levels(j / m, j % m) = system.level[j] * system.scale[j / m];
  found.x = settle_ties(rows, rate, system.rows, found.levels);
  return found;
}

}  // namespace mirab::numerics
