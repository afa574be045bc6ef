// The simplex method for the highest common level over servers: ratio test, pricing, pivots, and the basis
// to start from.
#include "numerics/lexmaxmin/level_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "numerics/base/big_float.hpp"
#include "numerics/base/rows.hpp"

namespace mirab::numerics {

// The ratio test of the simplex method of levels.
//
// Source: Harris, Pivot Selection Methods of the Devex LP Code, 1973. Among the limits that are reached
// within a slip of each other the one that falls fastest leaves. Everything counts in its own size, a share
// in what its row has in all and a slack in its capacity, so that nothing depends on the units in which
// demands, levels and capacities are given; only what changes by next to nothing compared with the largest
// change is taken for rounding.
//
// Known failures: a change below 1e-12 of the largest is rounding here even where it is none. The variable
// then falls below 0 by that part of its size.

template <class Number>
void LevelLimitsOf<Number>::clear() {
  limits_.clear();
  largest_ = 0;
}

template <class Number>
void LevelLimitsOf<Number>::add(const Number& value, const Number& fall, const Number& size,
                                const LeavingVariable& leaving) {
  using std::abs;
  largest_ = std::max<Number>(largest_, abs(fall) / size);
  if (fall > 0) limits_.push_back({std::max<Number>(value, 0) / size, fall / size, leaving});
}

template <class Number>
typename LevelLimitsOf<Number>::Step LevelLimitsOf<Number>::longest_step(const Number& max_length,
                                                                         const LevelTuning& tuning) const {
  const Number slip = tolerance<Number>(tuning.slip);
  const Number flat = tolerance<Number>(tuning.flat) * largest_;
  Number furthest = max_length;
  for (const Limit& limit : limits_) {
    if (limit.fall > flat) furthest = std::min<Number>(furthest, (limit.value + slip) / limit.fall);
  }
  Step step{.length = max_length, .leaving = {}};
  Number fastest = flat;
  for (const auto& [value, fall, leaving] : limits_) {
    if (fall <= fastest || value / fall > furthest) continue;
    fastest = fall;
    step = {.length = value / fall, .leaving = leaving};
  }
  return step;
}

template class LevelLimitsOf<double>;
template class LevelLimitsOf<BigFloat>;

// Partial pricing with a list of candidates for the simplex method of levels.
//
// Under prices λ a row's share on server i costs λ_i·d_{n,i}. Where it costs less than on the row's key, the
// level gains by moving there: t rises by the difference for a unit moved. A row offers its cheapest server
// only. The search stops at the first blocks of rows that offer enough, and goes on there the next time.
// Candidates grow stale with every pivot: where pivots cost more than a search, one is tried.

using Eigen::Index;
using Kind = LevelVariable::Kind;

template <class Number>
TableOf<Number> level_costs(const ServerRowsOf<Number>& rows, const TableOf<Number>& price) {
  TableOf<Number> cost(rows.rows(), rows.servers());
  for (Index i = 0; i < rows.servers(); ++i) {
    cost.col(i).setZero();
    for (Index r = 0; r < rows.resources(); ++r) {
      if (price(i, r) != 0) cost.col(i) += rows.demand_on(i).col(r) * price(i, r);
    }
  }
  return (rows.alone > 0).select(cost, infinity_of<Number>());
}

template <class Number>
Number LevelPricingOf<Number>::cost(const LevelBasisOf<Number>& basis, const TableOf<Number>& price,
                                    Index row, Index server) const {
  Number sum = 0;
  for (Index r = 0; r < price.cols(); ++r) {
    if (price(server, r) != 0) sum += basis.demand(row, server, r) * price(server, r);
  }
  return sum;
}

template <class Number>
Number LevelPricingOf<Number>::gain(const LevelBasisOf<Number>& basis, const TableOf<Number>& price,
                                    const LevelVariable& variable) const {
  const auto& [kind, row, server, resource] = variable;
  if (kind == Kind::slack) return -price(server, resource) * rows_->capacity(server, resource);
  return cost(basis, price, row, basis.key(row)) - cost(basis, price, row, server);
}

template <class Number>
bool LevelPricingOf<Number>::worthwhile(const LevelBasisOf<Number>& basis, const Number& level,
                                        const TableOf<Number>& price, const Number& worth,
                                        const LevelVariable& variable) const {
  const Number gained = gain(basis, price, variable);
  if (variable.kind == Kind::slack) return gained > tolerance<Number>(tuning_.negative) * worth;
  const Number total = basis.size(variable.row, level);
  const Number spent = total * cost(basis, price, variable.row, basis.key(variable.row));
  return total * gained >
         tolerance<Number>(tuning_.no_gain) * worth + tolerance<Number>(tuning_.cheaper) * spent;
}

template <class Number>
void LevelPricingOf<Number>::add_slacks(const LevelBasisOf<Number>& basis, const Number& level,
                                        const TableOf<Number>& price, const Number& worth,
                                        std::vector<Found>& found) const {
  for (Index i = 0; i < price.rows(); ++i) {
    for (Index r = 0; r < price.cols(); ++r) {
      const LevelVariable slack{.kind = Kind::slack, .server = i, .resource = r};
      if (worthwhile(basis, level, price, worth, slack)) found.push_back({gain(basis, price, slack), slack});
    }
  }
}

template <class Number>
void LevelPricingOf<Number>::add_shares(const LevelBasisOf<Number>& basis, const Number& level,
                                        const TableOf<Number>& price, const Number& worth, Index first,
                                        std::vector<Found>& found) {
  const Index count = std::min(tuning_.priced_rows, rows_->rows() - first);
  costs_.resize(tuning_.priced_rows, price.rows());
  ArrayOf<Number> lowest = ArrayOf<Number>::Constant(count, infinity_of<Number>());
  for (Index i = 0; i < price.rows(); ++i) {
    auto cost = costs_.col(i).head(count);
    cost = rows_->demand_on(i).col(0).segment(first, count) * price(i, 0);
    for (Index r = 1; r < price.cols(); ++r) {
      if (price(i, r) != 0) cost += rows_->demand_on(i).col(r).segment(first, count) * price(i, r);
    }
    lowest = (rows_->alone.col(i).segment(first, count) > 0 && cost < lowest).select(cost, lowest);
  }
  const Number clearly_cheaper = 1 - tolerance<Number>(tuning_.cheaper);
  for (Index k = 0; k < count; ++k) {
    const Index n = first + k;
    const bool has_tasks = basis.floor()[n] + basis.rate()[n] > 0;
    if (!has_tasks || !(lowest[k] < clearly_cheaper * costs_(k, basis.key(n)))) continue;
    Index cheapest = 0;
    while (costs_(k, cheapest) != lowest[k] || rows_->alone(n, cheapest) <= 0) ++cheapest;
    const LevelVariable share{.kind = Kind::share, .row = n, .server = cheapest};
    if (worthwhile(basis, level, price, worth, share)) found.push_back({gain(basis, price, share), share});
  }
}

template <class Number>
std::vector<LevelVariable> LevelPricingOf<Number>::entering(const LevelBasisOf<Number>& basis,
                                                            const Number& level, const TableOf<Number>& price,
                                                            const Number& worth) {
  std::vector<Found> found;
  add_slacks(basis, level, price, worth, found);
  const Index blocks = (rows_->rows() + tuning_.priced_rows - 1) / tuning_.priced_rows;
  for (Index seen = 0; seen < blocks && found.size() < tuning_.enough; ++seen) {
    block_ = (block_ + 1) % blocks;
    add_shares(basis, level, price, worth, block_ * tuning_.priced_rows, found);
  }
  const std::size_t tried = basis.order() < tuning_.large_from ? tuning_.kept : 1;
  const std::size_t kept = std::min(found.size(), tried);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                    [](const Found& a, const Found& b) { return a.gain > b.gain; });
  std::vector<LevelVariable> best;
  for (std::size_t k = 0; k < kept; ++k) best.push_back(found[k].variable);
  return best;
}

template class LevelPricingOf<double>;
template class LevelPricingOf<BigFloat>;
template TableOf<double> level_costs(const ServerRowsOf<double>& rows, const TableOf<double>& price);
template TableOf<BigFloat> level_costs(const ServerRowsOf<BigFloat>& rows, const TableOf<BigFloat>& price);

// The simplex method for lexicographic max-min, round by round on one basis.
//
// Sources: Dantzig and Van Slyke, Generalized Upper Bounding Techniques, 1967 (level_basis);
// docs/explanation/mathematics.md, section 4.
//
// Every row has exactly its level or its cap: who could have more needs no variable for it, since demands are
// ≥ 0 and less is always possible. So t = 0 is a basis to begin with, t never falls, and a round begins at
// the vertex where the last one ended: t leaves the basis there in exchange for a slack of a capacity with a
// price, which is 0, the rows that pay are fixed, and t enters again. At the next cap t leaves as well, as at
// an upper bound. What a value is and how fast it falls is measured in all that its row has, or its capacity:
// levels may differ by any factor.
//
// Known failures: none met that cycles; after too many pivots it gives up. A row whose tasks take less than
// 1e-9 of what it competes for is lost in the rounding of the others: its level may be off, and a caller who
// wants to know has to check what comes out (levels.cpp does).

using Eigen::Index;
using Kind = LevelVariable::Kind;

namespace {

// Whether rounding adds up to something: not within any number of pivots of longer numbers.
template <class Number>
constexpr bool kRoundsOff = std::is_same_v<Number, double>;

// The level that the capacities of all servers together would allow.
template <class Number>
Number pooled_level(const ServerRowsOf<Number>& rows, const ArrayOf<Number>& unit) {
  using std::isfinite;
  Number level = infinity_of<Number>();
  for (Index r = 0; r < rows.resources(); ++r) {
    const Number wanted = (unit * rows.demand[0].col(r)).sum();
    const Number capacity = rows.capacity.col(r).sum();
    if (wanted > 0 && capacity > 0) level = std::min<Number>(level, capacity / wanted);
  }
  return isfinite(level) ? level : Number(1);
}

}  // namespace

template <class Number>
LevelSimplexOf<Number>::LevelSimplexOf(const ServerRowsOf<Number>& rows, const ArrayOf<Number>& unit,
                                       std::vector<Index> keys, const LevelTuning& tuning)
    : rows_(&rows),
      tuning_(tuning),
      scale_(pooled_level(rows, unit)),
      basis_(rows, unit * scale_, std::move(keys), tuning),
      pricing_(rows, tuning),
      active_(rows.rows()),
      cap_(ArrayOf<Number>::Constant(rows.rows(), infinity_of<Number>())),
      by_cap_(static_cast<std::size_t>(rows.cap.size())),
      price_(TableOf<Number>::Zero(rows.servers(), rows.resources())),
      is_split_(ArrayOf<bool>::Constant(rows.rows(), false)),
      key_value_(ArrayOf<Number>::Zero(rows.rows())),
      fall_(ArrayOf<Number>::Zero(rows.rows())) {
  if (rows.cap.size() > 0) cap_ = rows.cap / (unit * scale_);
  std::iota(by_cap_.begin(), by_cap_.end(), 0);
  std::stable_sort(by_cap_.begin(), by_cap_.end(), [&](Index a, Index b) { return cap_[a] < cap_[b]; });
  for (Index n = 0; n < rows.rows(); ++n) basis_.set_row(n, 0, 1);
  reach_caps();
  value_ = basis_.values(level_);
}

template <class Number>
Number LevelSimplexOf<Number>::next_cap() const {
  return next_ < by_cap_.size() ? cap_[by_cap_[next_]] : end_;
}

template <class Number>
void LevelSimplexOf<Number>::reach_caps() {
  for (; next_ < by_cap_.size() && next_cap() <= level_; ++next_) {
    const Index n = by_cap_[next_];
    if (!active(n)) continue;
    basis_.set_row(n, cap_[n], 0);
    --active_;
  }
  if (kRoundsOff<Number>) basis_.sum_rates();
}

template <class Number>
Index LevelSimplexOf<Number>::refresh_every() const {
  return basis_.order() < tuning_.large_from ? tuning_.refresh_every : basis_.order();
}

template <class Number>
void LevelSimplexOf<Number>::refresh() {
  since_refresh_ = 0;
  basis_.refresh();
  value_ = basis_.values(level_);
  if (basis_.level_position() >= 0) level_ = value_[basis_.level_position()];
}

// All that falls, or t where it rises towards a cap. Keys of rows without another basic share only rise.
template <class Number>
void LevelSimplexOf<Number>::find_limits(const LevelVariable& entering, const Vector& alpha) {
  limits_.clear();
  split_.clear();
  const Index level_position = basis_.level_position();
  const Number rise = entering.kind == Kind::level ? Number(1) : Number(-alpha[level_position]);
  const auto take_from_key = [&](Index row, const Number& amount, const Number& value) {
    if (!is_split_(row)) {
      is_split_(row) = true;
      split_.push_back(row);
      key_value_[row] = basis_.total(row, level_);
      fall_[row] = -basis_.rate()[row] * rise;
    }
    key_value_[row] -= value;
    fall_[row] += amount;
  };
  for (Index p = 0; p < basis_.order(); ++p) {
    const LevelVariable& basic = basis_.basic(p);
    if (basic.kind == Kind::level) {
      const Number size = std::max<Number>(level_, basis_.smallest());
      limits_.add(next_cap() - level_, -alpha[p], size, {.position = p});
    }
    if (basic.kind == Kind::slack) limits_.add(value_[p], alpha[p], 1, {.position = p});
    if (basic.kind != Kind::share) continue;
    limits_.add(value_[p], alpha[p], basis_.size(basic.row, level_), {.position = p});
    take_from_key(basic.row, -alpha[p], value_[p]);
  }
  if (entering.kind == Kind::share) take_from_key(entering.row, 1, 0);
  for (const Index n : split_) {
    limits_.add(key_value_[n], fall_[n], basis_.size(n, level_), {.row = n});
    is_split_(n) = false;
  }
}

template <class Number>
void LevelSimplexOf<Number>::leave_key(Index row, const LevelVariable& entering, const Vector& alpha,
                                       const Number& value) {
  Index largest = -1;
  for (Index p = 0; p < basis_.order(); ++p) {
    const bool of_row = basis_.basic(p).kind == Kind::share && basis_.basic(p).row == row;
    if (of_row && (largest < 0 || value_[p] > value_[largest])) largest = p;
  }
  if (largest < 0) {
    basis_.replace_key(entering, alpha);
    return;
  }
  basis_.swap_key(largest);
  basis_.exchange(largest, entering, basis_.in_basis(entering));
  value_[largest] = value;
}

// One pivot. False when nothing limits it, which rounding alone can bring about.
template <class Number>
bool LevelSimplexOf<Number>::enter(const LevelVariable& entering) {
  if (kRoundsOff<Number> && since_refresh_ >= refresh_every()) refresh();
  const Vector alpha = basis_.in_basis(entering);
  if (!alpha.array().isFinite().all()) return false;
  const Index level_position = basis_.level_position();
  find_limits(entering, alpha);
  const auto [length, leaving] = limits_.longest_step(
      entering.kind == Kind::level ? Number(next_cap() - level_) : infinity_of<Number>(), tuning_);
  if (!(length < infinity_of<Number>())) return false;
  ++pivots_;
  ++since_refresh_;
  work_ += static_cast<double>((alpha.array() != 0).count() * basis_.order());
  value_ -= length * alpha;
  if (level_position >= 0) level_ = value_[level_position];
  if (entering.kind == Kind::level) level_ += length;
  const Number entered = entering.kind == Kind::level ? level_ : length;
  const bool at_cap = leaving.position < 0 ? leaving.row < 0 : leaving.position == level_position;
  if (leaving.row >= 0) leave_key(leaving.row, entering, alpha, entered);
  if (leaving.position >= 0) {
    basis_.exchange(leaving.position, entering, alpha);
    value_[leaving.position] = entered;
  }
  if (at_cap) {
    level_ = next_cap();
    reach_caps();
  }
  return true;
}

template <class Number>
void LevelSimplexOf<Number>::find_price() {
  price_ = (rows_->capacity > 0).select(basis_.worth() / rows_->capacity, 0);
  worth_ = (price_ * rows_->capacity).abs().sum();
}

// Enters the best candidate, then the best of those that are still worthwhile, and so on.
template <class Number>
bool LevelSimplexOf<Number>::raise_by(const std::vector<LevelVariable>& candidates) {
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const LevelVariable* best = k == 0 ? candidates.data() : nullptr;
    Number best_gain = 0;
    for (const LevelVariable& candidate : candidates) {
      const Number gain = k == 0 ? Number(0) : pricing_.gain(basis_, price_, candidate);
      if (gain <= best_gain || !pricing_.worthwhile(basis_, level_, price_, worth_, candidate)) continue;
      best_gain = gain;
      best = &candidate;
    }
    if (best == nullptr) return true;
    if (!enter(*best)) return false;
    if (basis_.level_position() < 0) return true;
    find_price();
  }
  return true;
}

template <class Number>
Stop LevelSimplexOf<Number>::raise() {
  const Index limit = pivots_ + tuning_.min_pivots + tuning_.pivots_each * (rows_->rows() + basis_.order());
  while (anybody_active() && pivots_ < limit && work_ < max_work_) {
    if (basis_.level_position() < 0) {
      if (level_ >= end_) return Stop::target;
      if (!enter({.kind = Kind::level})) return Stop::stalled;
      continue;
    }
    find_price();
    work_ += static_cast<double>((price_ != 0).count() * rows_->rows());
    const std::vector<LevelVariable> candidates = pricing_.entering(basis_, level_, price_, worth_);
    if (!candidates.empty()) {
      if (!raise_by(candidates)) return Stop::stalled;
      continue;
    }
    if (since_refresh_ == 0 || !kRoundsOff<Number>) return Stop::target;
    refresh();
  }
  return anybody_active() ? Stop::limit : Stop::target;
}

template <class Number>
TableOf<Number> LevelSimplexOf<Number>::price() const {
  return price_.max(0);
}

template <class Number>
TableOf<bool> LevelSimplexOf<Number>::priced() const {
  if (basis_.level_position() >= 0) return basis_.priced();
  return TableOf<bool>::Constant(rows_->servers(), rows_->resources(), false);
}

// t leaves the basis, in exchange for a slack of a capacity with a price, which is 0.
template <class Number>
void LevelSimplexOf<Number>::drop_level() {
  const Index position = basis_.level_position();
  if (position < 0) return;
  LevelVariable slack{.kind = Kind::slack};
  basis_.worth().maxCoeff(&slack.server, &slack.resource);
  basis_.exchange(position, slack, basis_.in_basis(slack));
  value_[position] = 0;
  ++since_refresh_;
}

template <class Number>
void LevelSimplexOf<Number>::grow(const ArrayOf<Number>& from, const ArrayOf<Number>& by) {
  drop_level();
  next_ = by_cap_.size();
  end_ = 1;
  level_ = 0;
  active_ = 0;
  basis_.set_smallest(tuning_.smallest);
  for (Index n = 0; n < from.size(); ++n) {
    basis_.set_row(n, from[n] / basis_.unit()[n], by[n] / basis_.unit()[n]);
    if (by[n] > 0) ++active_;
  }
  if (kRoundsOff<Number>) basis_.sum_rates();
  value_ = basis_.values(level_);
}

template <class Number>
void LevelSimplexOf<Number>::fix(const std::vector<Index>& rows) {
  drop_level();
  for (const Index n : rows) {
    if (!active(n)) continue;
    basis_.set_row(n, level_, 0);
    --active_;
  }
  if (kRoundsOff<Number>) basis_.sum_rates();
}

template <class Number>
TableOf<Number> LevelSimplexOf<Number>::amount() const {
  TableOf<Number> shares(rows_->rows(), rows_->servers());
  for (Index i = 0; i < shares.cols(); ++i) shares.col(i).setZero();
  for (Index p = 0; p < basis_.order(); ++p) {
    const LevelVariable& share = basis_.basic(p);
    if (share.kind == Kind::share) shares(share.row, share.server) = std::max<Number>(0, value_[p]);
  }
  for (Index n = 0; n < shares.rows(); ++n) {
    const Number rest = basis_.total(n, level_) - shares.row(n).sum();
    shares(n, basis_.key(n)) = std::max<Number>(0, rest);
  }
  return shares.colwise() * basis_.unit();
}

template class LevelSimplexOf<double>;
template class LevelSimplexOf<BigFloat>;

// A start for the simplex method of levels, by a sample.
//
// The prices of an eighth of the rows, on an eighth of the capacities, are nearly those of all, and tell
// where a row costs lowest. Where many servers cost about the same, which is so when one resource is short
// everywhere, it is the room that must decide: rows are dealt out one after the other, to the server that is
// lowest full with it. The eighth has a start of the same kind. From one server for each row, chosen by what
// it holds alone, 10,000 rows on 10 servers take 20,000 pivots; from here some hundreds.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

ServerRows sample_of(const ServerRows& rows, const LevelTuning& tuning) {
  const Index count = (rows.rows() + tuning.sample_every - 1) / tuning.sample_every;
  const double share = static_cast<double>(count) / static_cast<double>(rows.rows());
  const auto chosen = Eigen::seqN(0, count, tuning.sample_every);
  ServerRows sample;
  for (const ArrayXXd& demand : rows.demand) sample.demand.emplace_back(demand(chosen, Eigen::all));
  sample.capacity = rows.capacity * share;
  sample.alone = rows.alone(chosen, Eigen::all) * share;
  if (rows.cap.size() > 0) sample.cap = rows.cap(chosen);
  return sample;
}

// [n][i], infinite where a row may not go. Without prices a unit costs its part of what a server holds alone.
ArrayXXd costs(const ServerRows& rows, const ArrayXd& unit, const LevelTuning& tuning) {
  if (rows.rows() >= tuning.sampled_from) {
    const ServerRows sample = sample_of(rows, tuning);
    const ArrayXd sample_unit = unit(Eigen::seqN(0, sample.rows(), tuning.sample_every));
    LevelSimplex simplex(sample, sample_unit, starting_keys(sample, sample_unit, tuning), tuning);
    if (simplex.raise() == Stop::target && simplex.anybody_active())
      return level_costs(rows, simplex.price());
  }
  return (rows.alone > 0).select(rows.alone.inverse(), kInfinity);
}

// One row after the other to the server that is lowest full with it, of those where it costs about the least.
std::vector<Index> deal_out(const ServerRows& rows, const ArrayXd& unit, const ArrayXXd& cost,
                            const LevelTuning& tuning) {
  const ArrayXd cheap = tuning.about_same * cost.rowwise().minCoeff();
  const ArrayXXd per_capacity = (rows.capacity > 0).select(rows.capacity.inverse(), 0);
  ArrayXXd used = ArrayXXd::Zero(rows.servers(), rows.resources());
  std::vector<Index> keys;
  for (Index n = 0; n < rows.rows(); ++n) {
    Index key = 0;
    double lowest_use = kInfinity;
    for (Index i = 0; i < rows.servers(); ++i) {
      if (!(cost(n, i) <= cheap[n]) || rows.alone(n, i) <= 0) continue;
      double fullest = 0;
      for (Index r = 0; r < rows.resources(); ++r) {
        const double with_it = used(i, r) + unit[n] * rows.demand_on(i)(n, r);
        fullest = std::max(fullest, with_it * per_capacity(i, r));
      }
      if (fullest >= lowest_use) continue;
      lowest_use = fullest;
      key = i;
    }
    used.row(key) += unit[n] * rows.demand_on(key).row(n);
    keys.push_back(key);
  }
  return keys;
}

}  // namespace

std::vector<Index> starting_keys(const ServerRows& rows, const ArrayXd& unit, const LevelTuning& tuning) {
  return deal_out(rows, unit, costs(rows, unit, tuning), tuning);
}

std::vector<Index> keys_by_room(const ServerRows& rows, const ArrayXd& amount, const LevelTuning& tuning) {
  return deal_out(rows, amount,
                  (rows.alone > 0).select(ArrayXXd::Zero(rows.rows(), rows.servers()), kInfinity), tuning);
}

}  // namespace mirab::numerics
