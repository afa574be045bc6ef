// Servers that fill themselves by levels for what the others do: sweeps, ties, samples.
//
// Source: Khamse-Ashari et al., PS-DSF; docs/mathematics.md, section 5.
// Two methods take turns, each from where it is strong. Sweeps of best responses (level_sweeps.hpp) settle
// few rows, and clusters in which most rows are tied or at their cap. A path to levels that agree
// (tied_levels.hpp) settles thousands of rows that are all different; it needs about the right levels to
// start from, which a few sweeps give, or with many rows a sample of them.
//
// Known failures: neither is certain to arrive, alone or together. The violation says so.
#include "numerics/server_levels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "numerics/level_sweeps.hpp"
#include "numerics/level_violation.hpp"
#include "numerics/tied_levels.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kFewPairs = 200;
constexpr int kSweepsOfFew = 300;
constexpr int kFirstSweeps = 5;
constexpr int kPatience = 3000;  // sweeps, once ties have failed
constexpr double kEnough = 1e8;  // numbers that those sweeps may look at
constexpr Index kManyRows = 4000;
constexpr Index kSampleStep = 8;
constexpr double kCentring[] = {1e-2, 1e-3, 1e-1, 1e-4,
                                3e-2, 3e-3, 3e-1, 1e-5};  // of one try after the other

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

// Every kSampleStep-th row, on servers as much smaller.
ServerRows sample_of(const ServerRows& rows) {
  const auto every = Eigen::seq(0, Eigen::last, kSampleStep);
  ServerRows sample{
      .demand = {}, .capacity = rows.capacity, .alone = rows.alone(every, Eigen::all), .cap = {}};
  for (const ArrayXXd& demand : rows.demand) sample.demand.emplace_back(demand(every, Eigen::all));
  if (rows.cap.size() > 0) sample.cap = rows.cap(every);
  sample.capacity *= static_cast<double>(sample.rows()) / static_cast<double>(rows.rows());
  return sample;
}

struct Best {
  ServerLevels found{.x = {}, .levels = {}, .violation = kInfinity};

  // If it is better once it fits.
  void keep(const ServerRows& rows, const ArrayXXd& rate, ArrayXXd x, const ArrayXXd& levels) {
    shrink_to_fit(rows, x);
    const double violation = level_violation(rows, rate, x);
    if (found.x.size() > 0 && !(violation < found.violation)) return;
    found.x = std::move(x);
    found.levels = levels;
    found.violation = violation;
  }
};

ServerLevels search(const ServerRows& rows, const ArrayXXd& rate, double within);

// From the levels of a sample, which differ by about one over the root of its size.
void try_sample(const ServerRows& rows, const ArrayXXd& rate, double within, Best& best) {
  const ServerRows sample = sample_of(rows);
  const ServerLevels start =
      search(sample, rate(Eigen::seq(0, Eigen::last, kSampleStep), Eigen::all), within);
  const TiedLevels tied = tie_levels(rows, rate, start.levels, kCentring[0]);
  best.keep(rows, rate, tied.x, tied.levels);
  best.found.sweeps = start.sweeps;
  best.found.iterations = start.iterations + tied.iterations;
}

// Sweeps, ties from there, more sweeps the other way round.
void try_in_turns(const ServerRows& rows, const ArrayXXd& rate, double within, Best& best) {
  const int patience = static_cast<int>(
      std::min<double>(kPatience, kEnough / static_cast<double>(rate.size() * rows.resources())));
  int most = rate.size() <= kFewPairs ? kSweepsOfFew : kFirstSweeps;
  LevelSweeps sweeps(rows, rate);
  for (const double centring : kCentring) {
    const int before = sweeps.sweeps();
    sweeps.run(most, within);
    best.found.sweeps += sweeps.sweeps() - before;
    best.keep(rows, rate, sweeps.x(), sweeps.levels());
    if (best.found.violation <= within) return;
    const TiedLevels tied = tie_levels(rows, rate, sweeps.levels(), centring);
    best.found.iterations += tied.iterations;
    best.keep(rows, rate, tied.x, tied.levels);
    if (best.found.violation <= within) return;
    sweeps.turn_round();
    most = patience;
  }
}

ServerLevels search(const ServerRows& rows, const ArrayXXd& rate, double within) {
  Best best;
  if (rows.rows() > kManyRows) try_sample(rows, rate, within, best);
  if (!(best.found.violation <= within)) try_in_turns(rows, rate, within, best);
  return std::move(best.found);
}

}  // namespace

ServerLevels level_servers(const ServerRows& rows, const ArrayXd& weight, double within) {
  return search(rows, rows.alone.colwise() * weight, within);
}

}  // namespace mirab::numerics
