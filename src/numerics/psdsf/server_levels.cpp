// The level form of rows on servers that fill themselves, as the placements themselves show it.
//
// Source: docs/explanation/mathematics.md, section 5: x is a solution when there are levels L_{i,r},
// infinite unless r is full on i, with X_n / rate_{n,i} ≥ min_{r: d_{n,r} > 0} L_{i,r} wherever row n may go,
// equality where it is. The least levels that allow what is placed ask least of the others, so they decide.
#include "numerics/psdsf/server_levels.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "numerics/base/rows.hpp"
#include "numerics/psdsf/best_response.hpp"
#include "numerics/psdsf/tied_levels.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// L of one server, and by how much it is overused.
ArrayXd shown_levels(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& x, const ArrayXd& total,
                     Index i, double nothing, double& overuse) {
  ArrayXd levels(rows.resources());
  const ArrayXd own = (x.col(i) > nothing * total).select(total / rate.col(i), 0);
  for (Index r = 0; r < levels.size(); ++r) {
    const auto demand = rows.demand_on(i).col(r);
    const double capacity = rows.capacity(i, r);
    const double used = (demand * x.col(i)).sum();
    if (used > 0) overuse = std::max(overuse, used / capacity - 1);
    const bool full = capacity > 0 && used >= capacity * (1 - nothing);
    levels[r] = full ? (demand > 0).select(own, 0).maxCoeff() : kInfinity;
  }
  return levels;
}

}  // namespace

double level_violation(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& x, double nothing) {
  const ArrayXd total = x.rowwise().sum();
  if (!total.isFinite().all() || !(x >= 0).all()) return kInfinity;
  double worst = 0;
  ArrayXd stop(rows.rows());
  for (Index i = 0; i < rows.servers(); ++i) {
    const ArrayXd levels = shown_levels(rows, rate, x, total, i, nothing, worst);
    stop.setConstant(kInfinity);
    for (Index r = 0; r < levels.size(); ++r) {
      if (levels[r] < kInfinity) stop = (rows.demand_on(i).col(r) > 0).select(stop.min(levels[r]), stop);
    }
    for (Index n = 0; n < rows.rows(); ++n) {
      const bool enough = rows.cap.size() > 0 && total[n] >= rows.cap[n] * (1 - nothing);
      if (rate(n, i) > 0 && !enough) worst = std::max(worst, 1 - total[n] / (rate(n, i) * stop[n]));
    }
  }
  for (Index n = 0; n < rows.cap.size(); ++n) {
    if (total[n] > 0) worst = std::max(worst, total[n] / rows.cap[n] - 1);
  }
  return worst;
}

// Servers that fill themselves by levels for what the others do: sweeps, ties, samples.
//
// Source: Khamse-Ashari et al., PS-DSF; docs/explanation/mathematics.md, section 5.
// Two methods take turns, each from where it is strong. Sweeps of best responses (best_response.hpp) settle
// few rows, and clusters in which most rows are tied or at their cap. A path to levels that agree
// (tied_levels.hpp) settles thousands of rows that are all different; it needs about the right levels to
// start from, which a few sweeps give, or with many rows a sample of them.
//
// Known failures: neither is certain to arrive, alone or together. The violation says so.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// Rows that demand what is overused, and rows over their cap, shrink. The others keep what they have: a
// server that shrank as a whole would leave its other resources short of full.
void shrink_to_fit(const ServerRows& rows, ArrayXXd& x) {
  for (Index i = 0; i < rows.servers(); ++i) {
    for (Index r = 0; r < rows.resources(); ++r) {
      const auto demand = rows.demand_on(i).col(r);
      const double used = (demand * x.col(i)).sum();
      if (used > rows.capacity(i, r))
        x.col(i) *= (demand > 0).select(rows.capacity(i, r) / used, ArrayXd::Ones(x.rows()));
    }
  }
  if (rows.cap.size() == 0) return;
  const ArrayXd total = x.rowwise().sum();
  x.colwise() *= (total > rows.cap).select(rows.cap / total, ArrayXd::Ones(total.size()));
}

// Every sample_every-th row, on servers as much smaller.
ServerRows sample_of(const ServerRows& rows, Index step) {
  const auto every = Eigen::seq(0, Eigen::last, step);
  ServerRows sample{
      .demand = {}, .capacity = rows.capacity, .alone = rows.alone(every, Eigen::all), .cap = {}};
  for (const ArrayXXd& demand : rows.demand) sample.demand.emplace_back(demand(every, Eigen::all));
  if (rows.cap.size() > 0) sample.cap = rows.cap(every);
  sample.capacity *= static_cast<double>(sample.rows()) / static_cast<double>(rows.rows());
  return sample;
}

struct Best {
  ServerLevels found{.report = {}, .x = {}, .levels = {}};

  // If it is better once it fits.
  void keep(const ServerRows& rows, const ArrayXXd& rate, ArrayXXd x, const ArrayXXd& levels,
            double nothing) {
    shrink_to_fit(rows, x);
    const double violation = level_violation(rows, rate, x, nothing);
    if (found.x.size() > 0 && !(violation < found.report.error)) return;
    found.x = std::move(x);
    found.levels = levels;
    found.report.error = violation;
  }
};

ServerLevels search(const ServerRows& rows, const ArrayXXd& rate, double within,
                    const ServerLevelTuning& tuning);

// From the levels of a sample, which differ by about one over the root of its size.
void try_sample(const ServerRows& rows, const ArrayXXd& rate, double within, const ServerLevelTuning& tuning,
                Best& best) {
  const ServerRows sample = sample_of(rows, tuning.sample_every);
  const ServerLevels start =
      search(sample, rate(Eigen::seq(0, Eigen::last, tuning.sample_every), Eigen::all), within, tuning);
  const TiedLevels tied = tie_levels(rows, rate, start.levels, tuning.centring[0], tuning.tie);
  best.keep(rows, rate, tied.x, tied.levels, tuning.nothing);
  best.found.sweeps = start.sweeps;
  best.found.report.iterations = start.report.iterations + tied.report.iterations;
}

// Sweeps, ties from there, more sweeps the other way round.
void try_in_turns(const ServerRows& rows, const ArrayXXd& rate, double within,
                  const ServerLevelTuning& tuning, Best& best) {
  const int patience = static_cast<int>(std::min<double>(
      tuning.patience, tuning.sweep_work / static_cast<double>(rate.size() * rows.resources())));
  int max_sweeps = rate.size() <= tuning.few_pairs ? tuning.sweeps_of_few : tuning.first_sweeps;
  LevelSweeps sweeps(rows, rate, tuning.sweep);
  for (const double centring : tuning.centring) {
    const int before = sweeps.sweeps();
    std::ignore = sweeps.run(max_sweeps, within);  // what it reached is measured below
    best.found.sweeps += sweeps.sweeps() - before;
    best.keep(rows, rate, sweeps.x(), sweeps.levels(), tuning.nothing);
    if (best.found.report.error <= within) return;
    const TiedLevels tied = tie_levels(rows, rate, sweeps.levels(), centring, tuning.tie);
    best.found.report.iterations += tied.report.iterations;
    best.keep(rows, rate, tied.x, tied.levels, tuning.nothing);
    if (best.found.report.error <= within) return;
    sweeps.turn_round();
    max_sweeps = patience;
  }
}

ServerLevels search(const ServerRows& rows, const ArrayXXd& rate, double within,
                    const ServerLevelTuning& tuning) {
  Best best;
  if (rows.rows() > tuning.sampled_from) try_sample(rows, rate, within, tuning, best);
  if (!(best.found.report.error <= within)) try_in_turns(rows, rate, within, tuning, best);
  return std::move(best.found);
}

}  // namespace

ServerLevels level_servers(const ServerRows& rows, const ArrayXd& weight, const Accuracy& accuracy,
                           const ServerLevelTuning& tuning) {
  ServerLevels found = search(rows, rows.alone.colwise() * weight, accuracy.target, tuning);
  found.report = report_of(found.report.error, accuracy, Stop::limit, found.report.iterations);
  return found;
}

}  // namespace mirab::numerics
