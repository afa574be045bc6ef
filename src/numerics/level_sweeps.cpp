// Sweeps of best responses, with leaps where they creep.
//
// Source: the PS-DSF paper's server procedure, server after server (docs/mathematics.md, section 5). The
// answer of all servers is a piecewise linear map of x. Rows that are nearly tied between two servers move
// the same sliver every sweep until one of them has left a server: thousands of sweeps along one straight
// line. When two steps in a row, d' and d, agree, with ratio ρ = d·d' / d'·d', the sweeps to come add up to d
// ρ / (1 - ρ) (Aitken's Δ²), endless for ρ ≥ 1; x leaps there at once, or to where the first row leaves a
// server, whichever is nearer. Any x is a start for the next sweep, so a leap can do no harm but cost time.
//
// Known failures: with thousands of rows and no exact ties, one row after the other has to leave: tied_levels
// is far faster there. Dozens of rows that are tied but for 1e-6 may still take thousands of sweeps. Leaps
// may go in circles.
#include "numerics/level_sweeps.hpp"

#include <algorithm>
#include <limits>

#include "numerics/best_filling.hpp"
#include "numerics/level_violation.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSettled = 1e-13;
constexpr double kAgree = 0.2;  // of a step's length
constexpr double kAgreeBest = 1e-4;
constexpr int kSweepsToAgree = 3;  // after a leap: the first ones smooth what it has bent
constexpr double kSettling = 0.5;
constexpr double kRelax = 1.5;
constexpr double kShortest = 2;  // sweeps that a leap should save
constexpr double kFurthest = 1e9;

// How often x + step, x + 2 step, … is without negative entries.
double room(const ArrayXXd& x, const ArrayXXd& step) {
  return (step < 0 && x > 0).select(-x / step, kInfinity).minCoeff();
}

}  // namespace

LevelSweeps::LevelSweeps(const ServerRows& rows, const ArrayXXd& rate)
    : rows_(rows),
      rate_(rate),
      x_(ArrayXXd::Zero(rate.rows(), rate.cols())),
      levels_(ArrayXXd::Constant(rows.servers(), rows.resources(), kInfinity)),
      agree_(kAgree) {}

// To where the last two steps point, if they agree.
void LevelSweeps::leap() {
  if (since_leap_ < kSweepsToAgree) return;
  const double change = (relative_ - last_relative_).square().sum();
  if (change > agree_ * agree_ * relative_.square().sum()) return;
  const double ratio = (relative_ * last_relative_).sum() / last_relative_.square().sum();
  const double all = ratio < 1 ? std::min(kFurthest, ratio / (1 - ratio)) : kFurthest;
  const double length = std::min(all, room(x_, step_));
  if (length < kShortest) return;
  to_the_end_ = length == all;
  x_ = (x_ + length * step_).max(0.0);
  since_leap_ = 0;
}

// max |Δx_{n,i}| / X_n, the stop rule: totals can stand still while tasks still move.
void LevelSweeps::sweep() {
  const ArrayXXd before = x_;
  ArrayXd total = x_.rowwise().sum();
  ArrayXd room;
  for (Index turn = 0; turn < rows_.servers(); ++turn) {
    const Index i = backwards_ ? rows_.servers() - 1 - turn : turn;
    const ArrayXd elsewhere = (total - x_.col(i)).max(0.0);
    if (rows_.cap.size() > 0) room = (rows_.cap - elsewhere).max(0.0);
    const Filling filling =
        fill_best(rows_.demand_on(i), rows_.capacity.row(i).transpose(), rate_.col(i), elsewhere, room);
    total = elsewhere + filling.x;
    x_.col(i) = filling.x;
    levels_.row(i) = filling.levels.transpose();
  }
  ++sweeps_;
  ++since_leap_;
  const ArrayXd unit = (total > 0).select(total, 1.0);
  step_ = x_ - before;
  last_relative_ = std::move(relative_);
  relative_ = step_.colwise() / unit;
  moved_ = relative_.abs().maxCoeff();
}

// A leap to the end of the line should settle something; if it does not, the steps agreed too little.
void LevelSweeps::judge(double before) {
  if (since_leap_ != 1) return;
  const bool in_vain = to_the_end_ && moved_ > kSettling * before;
  agree_ = in_vain ? std::max(kAgreeBest, agree_ / 2) : std::min(kAgree, agree_ * kRelax);
}

void LevelSweeps::run(int most, double within) {
  for (int s = 0; s < most; ++s) {
    leap();
    const double before = moved_;
    sweep();
    judge(before);
    if (moved_ <= kSettled || (moved_ <= within && level_violation(rows_, rate_, x_) <= within)) return;
  }
}

}  // namespace mirab::numerics
