// Lexicographic max-min over servers in rounds: the core of DRFH, TSF and CMMF.
//
// Source: docs/explanation/mathematics.md, section 4. A round raises the level t of all active users,
//
//     max t,  X_n = min(cap_n, t w_n) for the active, X_n = what they have for the others,  Σ_n x_{n,i}
//     d_{n,i} ≤ c_i,
//
// and its dual prices tell who is saturated, never tight rows alone: for any λ ≥ 0 and π_n = min_i
// λ_i·d_{n,i} every feasible y has Σ_n Y_n π_n ≤ C·λ, so that no user can have more than gap / π_n more than
// at level t while all others keep what they are due, gap = C·λ - Σ_n min(X_n, t w_n) π_n. A user is fixed
// when that is next to nothing. Totals are fixed, placements are not. At a vertex with ambiguous prices some
// of the saturated are found in a later round, at the same level. The certificate is computed again from what
// is returned (levels.hpp): nothing that a round believed goes into it, but which capacities may have a
// price.
//
// Doubles lose users who take next to nothing of what is scarce: 1e-15 of a server is a reason to stop like
// any other, but looks like rounding. Then all rounds are done again in numbers of 192 digits, on the
// decimals as given, by the same simplex method, which begins with the servers where the tasks were in
// doubles.
#include "numerics/lexmaxmin/levels.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "numerics/lexmaxmin/level_simplex.hpp"

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

// What the rounds came to.
template <class Number>
struct Rounds {
  TableOf<Number> x;
  std::vector<LevelRound<Number>> rounds;
  int pivots = 0;
  bool gave_up = false;
};

ArrayXXd within_capacities(const ServerRows& rows, ArrayXXd x) {
  for (Index i = 0; i < rows.servers(); ++i) scale_to_fit(rows, i, x.col(i));
  return x;
}

// x within the caps, above which a sum of parts may be by rounding.
ArrayXXd within_caps(const ServerRows& rows, ArrayXXd x, double below_cap) {
  for (Index n = 0; n < rows.cap.size(); ++n) {
    const double total = x.row(n).sum();
    if (total > below_cap * rows.cap[n]) x.row(n) *= below_cap * rows.cap[n] / total;
  }
  return x;
}

// Active users whose gain is next to nothing; or, rather than none, those about the nearest to it.
template <class Number>
std::vector<Index> saturated(const LevelSimplexOf<Number>& simplex, const ArrayOf<Number>& gain,
                             const LevelTuning& tuning) {
  Number nearest = infinity_of<Number>();
  for (Index n = 0; n < gain.size(); ++n) {
    if (simplex.active(n)) nearest = std::min(nearest, gain[n]);
  }
  const Number threshold =
      std::max<Number>(tolerance<Number>(tuning.fixed_within), tuning.near_lowest * nearest);
  std::vector<Index> users;
  for (Index n = 0; n < gain.size(); ++n) {
    if (simplex.active(n) && gain[n] <= threshold) users.push_back(n);
  }
  return users;
}

template <class Number>
Rounds<Number> all_rounds(const ServerRowsOf<Number>& rows, LevelSimplexOf<Number> simplex,
                          const LevelTuning& tuning) {
  Rounds<Number> found;
  while (simplex.anybody_active()) {
    const bool ended = simplex.raise() == Stop::target;
    found.gave_up = found.gave_up || !ended;
    TableOf<bool> priced = simplex.priced();
    TableOf<Number> price = priced.select(simplex.price(), 0);
    LevelRound<Number>& round =
        found.rounds.emplace_back(level_round<Number>(rows, std::move(price), std::move(priced), tuning));
    TableOf<Number> x = simplex.amount();
    if constexpr (std::is_same_v<Number, double>) x = within_capacities(rows, std::move(x));
    const ArrayOf<Number> everybody = ArrayOf<Number>::Constant(rows.rows(), infinity_of<Number>());
    round.fixed = saturated<Number>(
        simplex, ended ? level_gains<Number>(rows, round, x.rowwise().sum(), tuning) : everybody, tuning);
    simplex.fix(round.fixed);
  }
  found.x = simplex.amount();
  found.pivots = simplex.pivots();
  return found;
}

// Where every user has most of its tasks.
std::vector<Index> fullest_servers(const ServerRows& rows, const ArrayXXd& x) {
  std::vector<Index> servers;
  for (Index n = 0; n < x.rows(); ++n) {
    Index fullest = 0;
    (rows.alone.row(n) > 0).select(x.row(n), -1).maxCoeff(&fullest);
    servers.push_back(fullest);
  }
  return servers;
}

// The farthest that any user's tasks are from those in more digits, as a part of these.
double largest_difference(const ArrayXXd& x, const TableOf<BigFloat>& in_full) {
  double worst = 0;
  for (Index n = 0; n < x.rows(); ++n) {
    BigFloat sum = 0, difference = 0;
    for (Index i = 0; i < x.cols(); ++i) {
      sum += in_full(n, i);
      difference += in_full(n, i) - BigFloat(x(n, i));
    }
    if (sum > 0) worst = std::max(worst, static_cast<double>(abs(difference) / sum));
  }
  return worst;
}

ArrayXXd within_all(const ServerRows& rows, const ArrayXXd& x, const LevelTuning& tuning) {
  return within_caps(rows, within_capacities(rows, x.isFinite().select(x, 0)), tuning.below_cap);
}

bool affordable_in_full(const ServerRows& rows, const LevelTuning& tuning) {
  const auto order = static_cast<double>(rows.capacity.size());
  const auto passes = tuning.big_passes * static_cast<double>(rows.rows());
  return tuning.big_filled * (order * order + passes) * order <= tuning.big_work;
}

// Leaves the levels as they are where that takes too long.
void raise_in_full(const ServerRows& rows, const LevelsInFull& program, const LevelTuning& tuning,
                   RaisedLevels& levels) {
  LevelSimplexOf<BigFloat> simplex(program.rows, program.unit, fullest_servers(rows, levels.amount), tuning);
  simplex.stop_after(tuning.big_work);
  const Rounds<BigFloat> found = all_rounds<BigFloat>(program.rows, std::move(simplex), tuning);
  if (found.gave_up) return;
  const BigFloat bound = level_bound<BigFloat>(program.rows, program.unit, found.x, found.rounds, tuning);
  levels.in_full = true;
  levels.amount = within_all(
      rows, found.x.unaryExpr([](const BigFloat& tasks) { return static_cast<double>(tasks); }), tuning);
  levels.report =
      report_of(std::min(1.0, static_cast<double>(bound) + largest_difference(levels.amount, found.x)),
                tuning.accuracy, Stop::stalled, levels.report.iterations + found.pivots);
}

}  // namespace

RaisedLevels raise_levels(const ServerRows& rows, const ArrayXd& unit,
                          const std::function<LevelsInFull()>& in_full, const LevelTuning& tuning) {
  Rounds<double> found =
      all_rounds<double>(rows, LevelSimplex(rows, unit, starting_keys(rows, unit, tuning), tuning), tuning);
  RaisedLevels levels{
      .report = {}, .amount = within_all(rows, found.x, tuning), .rounds = std::move(found.rounds)};
  levels.report = report_of(level_bound<double>(rows, unit, levels.amount, levels.rounds, tuning),
                            tuning.accuracy, Stop::limit, found.pivots);
  if (!levels.report.converged() && affordable_in_full(rows, tuning))
    raise_in_full(rows, in_full(), tuning, levels);
  return levels;
}

// Whether totals are lexicographically max-min already, by chains of exchanges.
Source highest_source(const Holdings& holdings, std::size_t row) {
  std::vector<bool> seen_row(holdings.level.size());
  std::vector<bool> seen_server(holdings.holders.size());
  std::vector<std::size_t> queue{row};
  seen_row[row] = true;
  Source highest;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (std::size_t i = 0; i < holdings.holders.size(); ++i) {
      if (seen_server[i] || !holdings.may_use(queue[at], i)) continue;
      seen_server[i] = true;
      if (holdings.has_room[i])
        return {.level = std::numeric_limits<double>::infinity(), .server = i, .row = 0};
      for (const std::size_t k : holdings.holders[i]) {
        if (seen_row[k]) continue;
        seen_row[k] = true;
        queue.push_back(k);
        if (holdings.level[k] > highest.level) highest = {.level = holdings.level[k], .server = i, .row = k};
      }
    }
  }
  return highest;
}

}  // namespace mirab::numerics
