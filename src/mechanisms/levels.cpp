// Lexicographic max-min over servers in rounds: the core of DRFH, TSF and CMMF.
//
// Source: docs/mathematics.md, section 4. A round raises the level t of all active users,
//
//     max t,  X_n ≥ t w_n for the active, X_n ≥ what they have for the others,  Σ_n x_{n,i} d_{n,i} ≤ c_i,
//
// and its dual prices tell who is saturated, never tight rows alone: for any λ ≥ 0 and π_n = min_i
// λ_i·d_{n,i} every feasible y has Σ_n Y_n π_n ≤ C·λ, so that nobody can have more than gap / π_n more than
// at level t while all others keep what they are due, gap = C·λ - Σ_n min(X_n, t w_n) π_n. A user is fixed
// when that is next to nothing. Totals are fixed, placements are not; the part of the problem that cannot
// change any more is left out (level_part).
//
// Caps: X_n ≥ min(cap_n, t w_n). Who would pass its cap at the round's t is put at its cap, and the round is
// solved again; t only grows, so this ends, and after two or three times as a rule.
#include "mechanisms/levels.hpp"

#include <algorithm>
#include <limits>

#include "mechanisms/level_part.hpp"
#include "numerics/level_program.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using numerics::RowMask;
using numerics::ServerRows;

constexpr double kFixedWithin = 1e-6;  // a user who can gain less is saturated
constexpr double kRounding = 4e-15;    // of C·λ, what its difference from a sum over users may be off
constexpr double kRough = 1e-3;        // of a program that only finds who reaches its cap
constexpr double kFine = 2e-15;
constexpr double kPaysLeast = 1e-4;      // of the price of an average user's tasks
constexpr double kDear = 1e-6;           // of the level: what it would cost less if there were no such capacity
constexpr double kBelowCap = 1 - 2e-15;  // so that no sum of parts is above a cap by rounding
constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Standing { active, at_cap, fixed };

struct Rounds {
  const MergedServers& merged;
  const ArrayXd& unit;
  int threads;
  ArrayXd cap;                     // [n], infinite where there is none
  std::vector<Standing> standing;  // [n]
  ArrayXXd tasks;                  // x, [n][i]
  ArrayXd bound;                   // b, [n]
  ArrayXXd price = {};             // of the round before, [i][r]
  LevelFace face;
  LevelPart part;
  Levels levels = {};

  Standing of(Index n) const { return standing[static_cast<std::size_t>(n)]; }
  Index user(Index row) const { return part.users[static_cast<std::size_t>(row)]; }
  double weighted_cap(Index n) const { return cap[n] / unit[n]; }
};

struct Rise {
  double level;
  Index active;    // of so many users
  ArrayXXd price;  // [i][r] of the part
};

ArrayXd totals(const Rounds& rounds) { return rounds.tasks.rowwise().sum(); }

// Floors and rates of the part's users. When all the active are at their caps the caps themselves are raised:
// they are known to fit, and what is too much is cut.
numerics::LevelSolution solve_round(Rounds& rounds, double goal) {
  const Index users = rounds.part.rows.rows();
  ArrayXd floor = ArrayXd::Zero(users);
  ArrayXd rate = ArrayXd::Zero(users);
  RowMask held = RowMask::Constant(users, false);
  for (Index j = 0; j < users; ++j) {
    const Index n = rounds.user(j);
    if (rounds.of(n) == Standing::active) rate[j] = rounds.unit[n];
    if (rounds.of(n) == Standing::at_cap) floor[j] = rounds.cap[n];
    held[j] = rounds.of(n) == Standing::fixed;
    if (held[j]) floor[j] = rounds.tasks.row(n)(rounds.part.servers).sum();
  }
  if (!(rate > 0).any()) {
    for (Index j = 0; j < users; ++j) {
      if (rounds.of(rounds.user(j)) == Standing::at_cap) std::swap(rate[j], floor[j]);
    }
  }
  numerics::LevelSolution solution =
      numerics::solve_level_program({rounds.part.rows, floor, rate, held, rounds.part.full}, goal, rounds.threads);
  rounds.levels.programs += 1;
  rounds.levels.iterations += solution.iterations;
  return solution;
}

// Puts active users of the part at their caps where the level passes these. Whether there were any.
bool reach_caps(Rounds& rounds, double level) {
  bool any = false;
  for (const Index n : rounds.part.users) {
    if (rounds.of(n) != Standing::active || rounds.weighted_cap(n) > level) continue;
    rounds.standing[static_cast<std::size_t>(n)] = Standing::at_cap;
    any = true;
  }
  return any;
}

bool somebody_rises(const Rounds& rounds) {
  return std::any_of(rounds.part.users.begin(), rounds.part.users.end(),
                     [&](Index n) { return rounds.of(n) == Standing::active; });
}

Rise rise(Rounds& rounds) {
  reach_caps(rounds, 0);
  const bool capped = rounds.cap.isFinite().any();
  while (capped && somebody_rises(rounds) && reach_caps(rounds, solve_round(rounds, kRough).level)) {
  }
  numerics::LevelSolution solution = solve_round(rounds, kFine);
  while (somebody_rises(rounds) && reach_caps(rounds, solution.level)) solution = solve_round(rounds, kFine);
  const double level = somebody_rises(rounds) ? solution.level : kInfinity;
  const Index active = std::count(rounds.standing.begin(), rounds.standing.end(), Standing::active);
  for (Index j = 0; j < rounds.part.rows.rows(); ++j) {
    const Index n = rounds.user(j);
    rounds.tasks.row(n).setZero();
    rounds.tasks.row(n)(rounds.part.servers) = solution.amount.row(j);
    const double total = rounds.tasks.row(n).sum();
    if (total > rounds.cap[n]) rounds.tasks.row(n) *= kBelowCap * rounds.cap[n] / total;
  }
  return {.level = level, .active = active, .price = std::move(solution.price)};
}

// b_n of everybody at level t under prices of everything.
ArrayXd bounds(const Rounds& rounds, double level) {
  const ArrayXd least = level_costs(rounds.merged.rows, rounds.price).rowwise().minCoeff();
  const ArrayXd total = totals(rounds);
  const ArrayXd due = total.min(level * rounds.unit);
  const double worth = (rounds.merged.rows.capacity * rounds.price).sum();
  const double gap = std::max(worth - (due * least).sum(), 0.0) + kRounding * worth;
  const ArrayXd bound = gap / (least * total);
  return bound.isNaN().select(kInfinity, bound);
}

// Fixes who is saturated, or at its cap; the nearest to it when the prices say it of nobody.
void fix(Rounds& rounds, const RowMask& saturated, const ArrayXd& bound) {
  Index nearest = -1;
  bool any = false;
  for (Index n = 0; n < bound.size(); ++n) {
    Standing& standing = rounds.standing[static_cast<std::size_t>(n)];
    if (standing == Standing::at_cap) {
      standing = Standing::fixed;
      rounds.bound[n] = 0;
      any = true;
    }
    if (standing != Standing::active) continue;
    if (nearest < 0 || bound[n] < bound[nearest]) nearest = n;
    if (!saturated[n]) continue;
    standing = Standing::fixed;
    rounds.bound[n] = bound[n];
    any = true;
  }
  if (any || nearest < 0) return;
  rounds.standing[static_cast<std::size_t>(nearest)] = Standing::fixed;
  rounds.bound[nearest] = bound[nearest];
}

std::vector<bool> active(const Rounds& rounds) {
  std::vector<bool> active;
  for (const Standing standing : rounds.standing) active.push_back(standing == Standing::active);
  return active;
}

// What users of the part may pay too much per task and count as paying the least, [row]: next to nothing of
// what an active user pays, all of which together pay the level.
ArrayXd tolerable(const Rounds& rounds, const Rise& risen) {
  const ArrayXd total = totals(rounds)(rounds.part.users);
  return kPaysLeast * risen.level / static_cast<double>(risen.active) / total;
}

// Who pays more than nothing, [n].
RowMask saturated(const Rounds& rounds, const Rise& risen) {
  RowMask pays = RowMask::Constant(rounds.merged.rows.rows(), false);
  pays(rounds.part.users) = level_costs(rounds.part.rows, risen.price).rowwise().minCoeff() > tolerable(rounds, risen);
  return pays;
}

void next_round(Rounds& rounds) {
  const ServerRows& rows = rounds.merged.rows;
  const Rise risen = rise(rounds);
  rounds.levels.rounds += 1;
  if (risen.level == kInfinity) {
    fix(rounds, RowMask::Constant(rows.rows(), false), ArrayXd::Constant(rows.rows(), kInfinity));
    return;
  }
  rounds.price = lifted(rows, rounds.face, rounds.part, risen.price, rounds.price);
  const ArrayXd bb = bounds(rounds, risen.level);
#ifdef TRACE
  { double worst=0; int sat=0; double close=1e300; for (Index n=0;n<bb.size();++n) if(rounds.of(n)==Standing::active){ if(bb[n]<=kFixedWithin){worst=std::max(worst,bb[n]);++sat;} else close=std::min(close,bb[n]);}
  const double worth=(rows.capacity*rounds.price).sum(); const ArrayXd due=totals(rounds).min(risen.level*rounds.unit);
  printf("round %d part %ld x %ld level %.12g sat %d worst %.2g next %.2g relgap %.2g it %d full %d worth %g\n",rounds.levels.rounds,(long)rounds.part.users.size(),(long)rounds.part.servers.size(),risen.level,sat,worst,close,(worth-(due*level_costs(rows,rounds.price).rowwise().minCoeff()).sum())/worth,rounds.levels.iterations,(int)rounds.face.full.count(),worth); }
#endif
  fix(rounds, saturated(rounds, risen), bb);
  narrow(rounds.part, risen.price, tolerable(rounds, risen), kDear * risen.level, rounds.face);
  rounds.part = part_of(rows, rounds.face, rounds.tasks, active(rounds));
}

}  // namespace

Levels raise_levels(const MergedServers& merged, const ArrayXd& unit, int threads) {
  const ServerRows& rows = merged.rows;
  Rounds rounds{.merged = merged,
                .unit = unit,
                .threads = threads,
                .cap = rows.cap.size() > 0 ? rows.cap : ArrayXd::Constant(rows.rows(), kInfinity),
                .standing = std::vector(static_cast<std::size_t>(rows.rows()), Standing::active),
                .tasks = ArrayXXd::Zero(rows.rows(), rows.servers()),
                .bound = ArrayXd::Zero(rows.rows()),
                .face = widest_face(rows),
                .part = whole(rows)};
  while (std::find(rounds.standing.begin(), rounds.standing.end(), Standing::active) != rounds.standing.end())
    next_round(rounds);
  const double bound = rounds.bound.maxCoeff();
  Levels levels = std::move(rounds.levels);
  levels.shares.tasks = std::move(rounds.tasks);
  levels.shares.status = bound <= kFixedWithin ? Status::exact : Status::not_converged;
  levels.shares.certificate = {.kind = "level-bound", .value = bound};
  return levels;
}

}  // namespace mirab
