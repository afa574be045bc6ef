// Water-filling (progressive filling): the lexicographic max-min of x_n / rate_n in a pool.
//
// Source: Bertsekas and Gallager, Data Networks, section 6.5.2; with several resources Bonald and Roberts,
// Enhanced Cluster Computing Performance through Proportional Fairness, 2014, section 2.3.
//
//   use_r(level) = fixed_r + slope_r · level,   slope_r = Σ_{n rises} rate_n d_{n,r}
//
// Resource r is full at level (C_r - fixed_r) / slope_r, a row reaches its cap at level cap_n / rate_n; the
// lowest of these is the next event. A full resource stops every row that takes it, so at most m events are
// of that kind and there is no search; the caps are sorted once.
//
// Rounding: subtracting capped rows from the slopes one by one would leave its rounding behind when little
// remains, so a slope that has lost half its worth is summed again from the rows that still rise, ever fewer
// of them.
//
// Example: C = (9, 18), d = (1, 4), (3, 1), rates (18/4, 9/3): slopes (13.5, 21), level 2/3, x = (3, 2).
#include "numerics/pool/water_filling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <mirab/model/assert.hpp>

#include "numerics/base/rows.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr std::int32_t kRising = -2;

// Invariant: amount[n] is rate_n while row n rises, x_n once it has stopped.
class WaterFiller {
 public:
  WaterFiller(const Demands& demand, const ArrayXd& capacity, const RowValues& cap, const RateFunction& rate,
              const WaterTuning& tuning)
      : tuning_(tuning),
        demand_(demand),
        capacity_(capacity),
        cap_(cap),
        risers_left_(demand.rows()),
        fixed_(ArrayXd::Zero(demand.cols())),
        slope_(ArrayXd::Zero(demand.cols())),
        full_(ArrayXd::Zero(demand.cols())) {
    levels_.amount.resize(demand.rows());
    levels_.stopped_by.assign(static_cast<std::size_t>(demand.rows()), kRising);
    for (Index first = 0; first < demand.rows(); first += kBlockRows) {
      const Index count = std::min(kBlockRows, demand.rows() - first);
      auto rates = levels_.amount.segment(first, count);
      rate(first, rates);
      slope_.matrix().noalias() += demand.middleRows(first, count).matrix().transpose() * rates.matrix();
    }
    slope_when_summed_ = slope_;
    sort_caps();
  }

  WaterLevels fill() {
    while (risers_left_ > 0) {
      ++iterations_;
      const auto [resource, full_level] = next_full();
      const double cap_level = next_cap_level();
      if (cap_level <= full_level && cap_level < kInfinity) {
        stop_at_cap();
      } else {
        MIRAB_ASSERT(resource >= 0, "a row that takes nothing and has no cap would rise without end");
        stop_takers(resource, full_level);
      }
    }
    measure();
    return std::move(levels_);
  }

 private:
  std::int32_t& stopped_by(Index n) { return levels_.stopped_by[static_cast<std::size_t>(n)]; }

  void sort_caps() {
    for (Index n = 0; n < cap_.size(); ++n) {
      if (cap_[n] < kInfinity) capped_.push_back(n);
    }
    std::sort(capped_.begin(), capped_.end(), [this](Index a, Index b) {
      return std::pair(cap_[a] / levels_.amount[a], a) < std::pair(cap_[b] / levels_.amount[b], b);
    });
  }

  // The resource that is full at the lowest level, and that level; (-1, ∞) when none will be.
  std::pair<int, double> next_full() const {
    std::pair<int, double> next{-1, kInfinity};
    for (Index r = 0; r < demand_.cols(); ++r) {
      if (slope_[r] <= 0) continue;
      const double level = std::max(level_, (capacity_[r] - fixed_[r]) / slope_[r]);
      if (level < next.second) next = {static_cast<int>(r), level};
    }
    return next;
  }

  double next_cap_level() {
    while (next_capped_ < capped_.size() && stopped_by(capped_[next_capped_]) != kRising) ++next_capped_;
    if (next_capped_ == capped_.size()) return kInfinity;
    const Index n = capped_[next_capped_];
    return cap_[n] / levels_.amount[n];
  }

  void stop_at_cap() {
    const Index n = capped_[next_capped_];
    level_ = std::max(level_, cap_[n] / levels_.amount[n]);
    fixed_ += cap_[n] * demand_.row(n).transpose();
    slope_ -= levels_.amount[n] * demand_.row(n).transpose();
    levels_.amount[n] = cap_[n];
    stopped_by(n) = kStoppedByCap;
    --risers_left_;
    if ((slope_ < tuning_.resum_below * slope_when_summed_).any()) sum_slopes();
  }

  void stop_takers(int resource, double level) {
    level_ = level;
    full_[resource] = 1;
    const ArrayXd use_now = fixed_ + level * slope_;
    const bool all_rise = risers_left_ == demand_.rows();
    if (all_rise) {
      for (Index first = 0; first < demand_.rows(); first += kBlockRows)
        stop_takers_in_block(resource, first);
    } else {
      for (Index n = 0; n < demand_.rows(); ++n) stop_if_taker(resource, n);
    }
    sum_slopes();
    fixed_ = fixed_.max(use_now - level * slope_);
    stopped_at_once_ = all_rise && risers_left_ == 0;
  }

  // The common case of a block in which everybody rises and takes the resource, without a branch for each
  // row.
  void stop_takers_in_block(int resource, Index first) {
    const Index count = std::min(kBlockRows, demand_.rows() - first);
    if (demand_.col(resource).segment(first, count).minCoeff() > 0) {
      levels_.amount.segment(first, count) *= level_;
      std::fill_n(levels_.stopped_by.begin() + first, count, static_cast<std::int32_t>(resource));
      risers_left_ -= count;
    } else {
      for (Index n = first; n < first + count; ++n) stop_if_taker(resource, n);
    }
  }

  void stop_if_taker(int resource, Index n) {
    if (stopped_by(n) != kRising || demand_(n, resource) <= 0) return;
    levels_.amount[n] *= level_;
    stopped_by(n) = static_cast<std::int32_t>(resource);
    --risers_left_;
  }

  void sum_slopes() {
    slope_.setZero();
    if (risers_left_ > 0) {
      if (risers_.empty()) {
        risers_.resize(static_cast<std::size_t>(demand_.rows()));
        std::iota(risers_.begin(), risers_.end(), Index{0});
      }
      std::erase_if(risers_, [this](Index n) { return stopped_by(n) != kRising; });
      for (const Index n : risers_) slope_ += levels_.amount[n] * demand_.row(n).transpose();
    }
    slope_when_summed_ = slope_;
  }

  // What the amounts use, summed from them: a slip in the bookkeeping above would show in the residual. When
  // all rows stopped at once that sum is level · Σ rate_n d_n, which was just made.
  void measure() {
    double residual = 0;
    levels_.used =
        stopped_at_once_ ? fixed_ : (demand_.matrix().transpose() * levels_.amount.matrix()).array();
    for (Index r = 0; r < demand_.cols(); ++r) {
      const double over = capacity_[r] > 0 ? levels_.used[r] / capacity_[r] - 1 : levels_.used[r];
      residual = std::max(residual, full_[r] > 0 ? std::abs(over) : over);
    }
    levels_.report = report_of(residual, tuning_.accuracy, Stop::stalled, iterations_);
    if (!levels_.report.converged()) scale_to_fit();
  }

  // What is given away must be there, though the levels are wrong: the report keeps what they were off by.
  void scale_to_fit() {
    const double most = (capacity_ > 0).select(levels_.used / capacity_, 0.0).maxCoeff();
    if (!(most > 1)) return;
    levels_.amount /= most;
    levels_.used /= most;
  }

  const WaterTuning& tuning_;
  const Demands& demand_;
  const ArrayXd& capacity_;
  const RowValues& cap_;
  WaterLevels levels_;
  Index risers_left_;
  std::vector<Index> risers_;  // empty until the slopes are summed again
  std::vector<Index> capped_;  // by the level at which they reach their caps
  std::size_t next_capped_ = 0;
  ArrayXd fixed_, slope_, slope_when_summed_, full_;  // full_[r] is 1 once r has stopped rows
  bool stopped_at_once_ = false;
  double level_ = 0;
  int iterations_ = 0;
};

}  // namespace

WaterLevels fill_with_water(const Demands& demand, const ArrayXd& capacity, const RowValues& cap,
                            const RateFunction& rate, const WaterTuning& tuning) {
  MIRAB_ASSERT(capacity.size() == demand.cols(), "a capacity for each resource");
  MIRAB_ASSERT(cap.size() == 0 || cap.size() == demand.rows(), "a cap for each row, or none at all");
  return WaterFiller(demand, capacity, cap, rate, tuning).fill();
}

}  // namespace mirab::numerics
