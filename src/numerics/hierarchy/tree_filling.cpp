// Progressive filling down a tree: the static allocation of hierarchical DRF, made unique.
//
// Sources: Bhattacharya, Culler, Friedman, Ghodsi, Shenker and Stoica, Hierarchical Scheduling for Diverse
// Datacenter Workloads, SoCC 2013 (the static rule); docs/explanation/teams.md (what it leaves open). With
// u_v what the rows below node v use, ĝ_v its guarantee, all in parts of the capacity, e = u - ĝ:
//
//     κ_v = max(0, max_r e_{v,r}) / φ_v      ρ_v = max_r u_{v,r} / φ_v, over the r in which v grows
//
// Phase 1 lets covered rows grow, those with e_{v,r} < 0 for all that they take at some node v above them;
// phase 2 all. At every node those of its members grow, below which somebody may, that have the lowest κ;
// if the growth of some of these does not raise their κ (it is flat), of the flat ones those with the lowest
// ρ. Each is scaled so that its κ (its ρ) grows by 1. Members without weight that are beyond their guarantees
// come after all others. Everything is linear until a bound is met, a row has all that it wants, another
// resource becomes the largest of a node, a member reaches another, or a row is covered no more.
//
// Every node has a parameter of its own, in which its members grow at fixed rates: a change below a node
// changes how fast this parameter goes, and nothing else. The rows of a node have κ = x / rate and never
// differ in it while they rise, so that a row is touched when it stops, and not before.
//
// Ties are kept, not asked for: members that are level have the same key, which they got together; a resource
// that has reached the top of a node is flagged, and so is a bound that is met. Of members whose growth is
// flat those are taken that are lowest up to rounding: the others catch up in a step of no length.
//
// Example: CPUs and GPUs (1, 1); row n1 takes (1, 1), node n2 has rows that take (1, 0) and (0, 1). n2 grows
// by (1, 1) for its κ, and n1 by (1, 1): all is full at 1/2.
#include "numerics/hierarchy/tree_filling.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::Index;

TreeFilling::TreeFilling(const RowTree& tree, const Demands& demand, const ArrayXd& capacity,
                         const TreeTuning& tuning)
    : tree_(tree),
      demand_(demand),
      capacity_(capacity),
      tuning_(tuning),
      resources_(demand.cols()),
      nodes_(tree.nodes.size()),
      members_(tree.nodes.size()),
      less_covered_(tree.nodes.size()) {
  const auto count = static_cast<Index>(tree.nodes.size());
  MIRAB_ASSERT(static_cast<Index>(tree.node_of.size()) == demand.rows(), "a node for each row");
  guarantee_ = Table::Zero(count, resources_);
  reserve_ = Table::Zero(count, resources_);
  limit_ = Table::Constant(count, resources_, kInfinity);
  for (Table* zero : {&used_, &use_rate_, &charge_, &charge_rate_, &row_sum_, &row_sum_whole_})
    *zero = Table::Zero(count, resources_);
  takers_.setZero(count, resources_);
  for (Index v = 1; v < count; ++v) {
    const TreeNode& node = tree.nodes[as_size(v)];
    MIRAB_ASSERT(node.parent < v, "a parent comes before its members");
    members_[as_size(node.parent)].push_back(v);
    if (node.guarantee.size() > 0) guarantee_.row(v) = node.guarantee.transpose();
    if (node.reserve.size() > 0) reserve_.row(v) = node.reserve.transpose();
    if (node.limit.size() > 0) limit_.row(v) = node.limit.transpose();
  }
  has_guarantees_ = (guarantee_ > 0).any();
  has_reserves_ = (reserve_ > 0).any();
  on_top_ = guarantee_ <= 0;
  below_ = guarantee_ > 0;
  kept_ = reserve_ > 0;
  met_ = limit_ <= 0;
  blocked_ = Flags::Constant(count, resources_, false);
  // What is reserved is charged from the beginning.
  for (Index v = count - 1; v > 0 && has_reserves_; --v)
    charge_.row(tree.nodes[as_size(v)].parent) += charge_.row(v).max(reserve_.row(v));
  max_steps_ = 1'000 + tuning_.steps_each * (demand.rows() + count * resources_);
  collect_rates();
  phase_ = has_guarantees_ ? Phase::covered : Phase::all;
  if (has_guarantees_ || tree.cap.size() > 0) look_at_rows();
  met_.row(0) = charge_.row(0) >= 1 - tuning_.slip;
  if (met_.any()) apply_walls();
}

// Of the rows first … last - 1: what they grow by, and what those of a node do together. A number of
// resources that is known when this is compiled takes half the time.
template <int Resources>
void TreeFilling::collect_rates(Index first, Index last, const ArrayXd& per_capacity) {
  const Index resources = Resources > 0 ? Resources : resources_;
  const double* demand = demand_.data();
  const Index stride = demand_.outerStride();
  double least = kInfinity;
  for (Index n = first; n < last; ++n) {
    double share = 0;
    for (Index r = 0; r < resources; ++r) {
      share = std::max(share, demand[n + r * stride] * per_capacity[r]);
      least = std::min(least, demand[n + r * stride]);
    }
    rate_of_row_[n] = 1 / share;
  }
  if (tree_.weight.size() > 0)
    rate_of_row_.segment(first, last - first) *= tree_.weight.segment(first, last - first);
  for (Index n = first; n < last; ++n) {
    double* sum = row_sum_.data() + tree_.node_of[as_size(n)] * resources;
    for (Index r = 0; r < resources; ++r) sum[r] += rate_of_row_[n] * demand[n + r * stride];
  }
  if (least > 0) return;
  for (Index n = first; n < last; ++n) {
    for (Index r = 0; r < resources; ++r) {
      if (demand_(n, r) <= 0) --takers_(tree_.node_of[as_size(n)], r);
    }
  }
}

void TreeFilling::collect_rates() {
  const Index rows = demand_.rows();
  const ArrayXd per_capacity = capacity_.inverse();
  std::vector<Index> count(nodes_.size(), 0);
  for (const Index v : tree_.node_of) ++count[as_size(v)];
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    nodes_[v].rising = nodes_[v].open = count[v];
    takers_.row(static_cast<Index>(v)).setConstant(count[v]);
  }
  rate_of_row_.resize(rows);
  for (Index first = 0; first < rows; first += kBlockRows) {
    const Index last = std::min(first + kBlockRows, rows);
    if (resources_ == 4) {
      collect_rates<4>(first, last, per_capacity);
    } else {
      collect_rates<0>(first, last, per_capacity);
    }
  }
  row_sum_.rowwise() *= per_capacity.transpose();
  row_sum_whole_ = row_sum_;
}

// Rows by node; from here on a row is known by its place. Until here all rows of a node rise, or have stopped
// together.
void TreeFilling::look_at_rows() {
  if (looks_at_rows_) return;
  looks_at_rows_ = true;
  const Index rows = demand_.rows();
  first_row_.assign(nodes_.size() + 1, 0);
  for (const Index v : tree_.node_of) ++first_row_[as_size(v) + 1];
  for (std::size_t v = 0; v < nodes_.size(); ++v) first_row_[v + 1] += first_row_[v];
  place_.resize(as_size(rows));
  row_at_.resize(as_size(rows));
  std::vector<Index> next(first_row_.begin(), first_row_.end() - 1);
  rate_.resize(rows);
  key_.resize(rows);
  state_.resize(as_size(rows));
  growth_.resize(rows, resources_);
  const ArrayXd per_capacity = capacity_.inverse();
  for (Index n = 0; n < rows; ++n) {
    const Index v = tree_.node_of[as_size(n)];
    const Index k = next[as_size(v)]++;
    place_[as_size(n)] = k;
    row_at_[as_size(k)] = n;
    rate_[k] = rate_of_row_[n];
    const Node& node = nodes_[as_size(v)];
    key_[k] = node.row_level;
    state_[as_size(k)] = node.open > 0 ? State::rising : State::frozen;
    double* growth = &growth_(k, 0);
    for (Index r = 0; r < resources_; ++r) growth[r] = rate_[k] * demand_(n, r) * per_capacity[r];
  }
  collect_caps();
  if (phase_ == Phase::covered) begin_phase(phase_);
}

void TreeFilling::collect_caps() {
  if (tree_.cap.size() == 0) return;
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    std::vector<Index>& by_cap = nodes_[v].by_cap;
    for (Index k = first_row_[v]; k < first_row_[v + 1]; ++k) {
      if (cap_level(k) < kInfinity) by_cap.push_back(k);
    }
    std::sort(by_cap.begin(), by_cap.end(),
              [this](Index a, Index b) { return std::pair(cap_level(a), a) < std::pair(cap_level(b), b); });
  }
}

// Everybody who may grow in this phase. Those who could not in the last one wait at the keys that they had.
void TreeFilling::begin_phase(Phase phase) {
  phase_ = phase;
  change_all();
  for (Index v = 0; v < static_cast<Index>(nodes_.size()); ++v) {
    Node& node = nodes_[as_size(v)];
    node.rising = node.waiting = 0;
    node.next_cap = 0;
    node.queue.clear();
    double lowest = kInfinity, highest = 0;
    for (Index k = first_row_[as_size(v)]; k < first_row_[as_size(v) + 1]; ++k) {
      if (is_stopped(k)) continue;
      const bool may_rise = phase == Phase::all || covers(v, k);
      state_[as_size(k)] = may_rise ? State::rising : State::uncovered;
      if (!may_rise) continue;
      ++node.rising;
      lowest = std::min(lowest, key_[k]);
      highest = std::max(highest, key_[k]);
    }
    if (lowest == highest) node.row_level = lowest;
    if (lowest < highest) line_up(node, v);
    sum_rows(v);
  }
}

// Rows that were to rise stand at different keys: they wait, the lowest last.
void TreeFilling::line_up(Node& node, Index v) {
  for (Index k = first_row_[as_size(v)]; k < first_row_[as_size(v) + 1]; ++k) {
    if (state_[as_size(k)] != State::rising) continue;
    state_[as_size(k)] = State::waiting;
    node.queue.push_back(k);
  }
  node.waiting = std::exchange(node.rising, 0);
  std::sort(node.queue.begin(), node.queue.end(),
            [this](Index a, Index b) { return std::pair(key_[a], a) > std::pair(key_[b], b); });
}

double TreeFilling::weight(Index v) const {
  const double given = tree_.nodes[as_size(v)].weight;
  return given > 0 ? given : 1;
}

// ---------------------------------------------------------------------------------------- a step

void TreeFilling::advance(double step) {
  std::vector<bool> moves(nodes_.size(), false);
  moves[0] = true;
  nodes_[0].moved = step;
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    Node& node = nodes_[v];
    if (v > 0) {
      const auto parent = as_size(tree_.nodes[v].parent);
      moves[v] = moves[parent] && node.active && node.grows;
      if (moves[v]) node.moved = nodes_[parent].moved * node.scale;
    }
    if (!moves[v]) continue;
    const auto at = static_cast<Index>(v);
    double* used = &used_(at, 0);
    const double* rate = &use_rate_(at, 0);
    for (Index r = 0; r < resources_; ++r) used[r] += node.moved * rate[r];
    if (has_reserves_) charge_.row(at) += node.moved * charge_rate_.row(at);
    if (node.flat) node.height += node.moved * node.rise;
    node.next -= node.moved;
    node.changed = node.changed || node.next <= tuning_.slip * node.moved;
    if (node.is_new || node.changed) reach_bounds(node, at);
    node.is_new = node.is_new && node.moved <= 0;
    reach_members(node, at);
  }
  if (any_less_covered_) uncover();
  if (any_wall_) apply_walls();
}

void TreeFilling::change_all() {
  for (Node& node : nodes_) node.changed = true;
}

// Flags what the node has reached. Its key is that after the step.
void TreeFilling::reach_bounds(Node& node, Index v) {
  const double slip = tuning_.slip;
  const Table& charge = has_reserves_ ? charge_ : used_;
  const double top = node.key * weight(v);
  for (Index r = 0; r < resources_; ++r) {
    if (v == 0) {
      const double speed = (has_reserves_ ? charge_rate_ : use_rate_)(v, r);
      if (met_(v, r) || speed <= 0 || 1 - charge(v, r) > slip) continue;
      met_(v, r) = any_wall_ = true;
      continue;
    }
    const double speed = use_rate_(v, r);
    if (on_top_(v, r) && !node.flat && node.moved > 0 && speed < (1 - tuning_.alike) * node.slope)
      on_top_(v, r) = false;
    if (speed <= 0) continue;
    const double guarantee = guarantee_(v, r), used = used_(v, r);
    if (!met_(v, r) && limit_(v, r) - used <= slip * used) met_(v, r) = any_wall_ = true;
    if (!on_top_(v, r) && speed > node.slope && top - used + guarantee <= slip * (top + used + guarantee))
      on_top_(v, r) = node.changed = true;
    if (below_(v, r) && guarantee - used <= slip * guarantee) {
      below_(v, r) = false;
      if (phase_ == Phase::covered) less_covered_[as_size(v)] = any_less_covered_ = true;
    }
    if (kept_(v, r) && charge_rate_(v, r) > 0 && reserve_(v, r) - charge(v, r) <= slip * reserve_(v, r)) {
      kept_(v, r) = false;
      any_wall_ = true;
    }
  }
}

// Raises the members that grow, all to the same key, and those that they reach.
void TreeFilling::reach_members(Node& node, Index v) {
  if (node.fills_flat) {
    node.next_height += node.moved;
    return;
  }
  const double key = node.next_key += node.moved;
  for (const Index m : members_[as_size(v)]) {
    Node& member = nodes_[as_size(m)];
    if (!member.active || rank(member, m) != node.rank) continue;
    const bool reached = !member.grows && member.key - key <= tuning_.slip * member.key;
    if (member.grows || reached) member.key = key;
    node.changed = node.changed || reached;
  }
  const bool awaited = node.rising > 0 && node.rank == 0;
  const bool reached = !node.rows_grow && awaited && node.row_level - key <= tuning_.slip * node.row_level;
  if (node.rows_grow || reached) node.row_level = key;
  node.changed = node.changed || reached;
  if (!node.rows_grow) return;
  if (!node.queue.empty()) {
    const Index rising = node.rising;
    release_queue(node, v);
    node.changed = node.changed || node.rising > rising;
  }
  for (skip_caps(node); node.next_cap < node.by_cap.size(); skip_caps(node)) {
    const Index k = node.by_cap[node.next_cap];
    const double level = cap_level(k);
    if (state_[as_size(k)] != State::rising || level - key > tuning_.slip * level) break;
    leave(node, v, k, State::capped);
    node.changed = true;
  }
}

// ---------------------------------------------------------------------------------------- what came out

ArrayXd TreeFilling::amounts() const {
  ArrayXd x(demand_.rows());
  if (!looks_at_rows_) {
    for (Index n = 0; n < x.size(); ++n)
      x[n] = rate_of_row_[n] * nodes_[as_size(tree_.node_of[as_size(n)])].row_level;
    return x;
  }
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    for (Index k = first_row_[v]; k < first_row_[v + 1]; ++k) {
      const State state = state_[as_size(k)];
      const Index n = row_at_[as_size(k)];
      const double level = state == State::rising ? nodes_[v].row_level : key_[k];
      x[n] = state == State::capped ? tree_.cap[n] : rate_[k] * level;
    }
  }
  return x;
}

double TreeFilling::residual(const ArrayXd& x) const {
  Table used = Table::Zero(used_.rows(), resources_);
  Table charge = used;
  for (Index v = 0; v < used.rows(); ++v) {
    if (!looks_at_rows_) {  // all of a node at one level: the sum was made
      used.row(v) = nodes_[as_size(v)].row_level * row_sum_whole_.row(v);
      continue;
    }
    double* sum = &used(v, 0);
    for (Index k = first_row_[as_size(v)]; k < first_row_[as_size(v) + 1]; ++k) {
      const double level = x[row_at_[as_size(k)]] / rate_[k];
      const double* growth = &growth_(k, 0);
      for (Index r = 0; r < resources_; ++r) sum[r] += level * growth[r];
    }
  }
  charge = used;
  double worst = 0;
  for (Index v = used.rows() - 1; v > 0; --v) {
    const Index parent = tree_.nodes[as_size(v)].parent;
    used.row(parent) += used.row(v);
    charge.row(parent) += charge.row(v).max(reserve_.row(v));
    const double scale = used.row(v).maxCoeff() + guarantee_.row(v).maxCoeff();
    const double beyond = (used.row(v) - guarantee_.row(v)).maxCoeff();
    const double top = nodes_[as_size(v)].key * weight(v);
    if (scale > 0) worst = std::max(worst, std::abs(std::max(0.0, beyond) - top) / scale);
    for (Index r = 0; r < resources_; ++r) {
      const double limit = limit_(v, r);
      if (limit == kInfinity) continue;
      const double over = limit > 0 ? used(v, r) / limit - 1 : used(v, r);
      worst = std::max(worst, met_(v, r) ? std::abs(over) : over);
    }
  }
  for (Index r = 0; r < resources_; ++r) {
    const double over = charge(0, r) - 1;
    worst = std::max(worst, met_(0, r) ? std::abs(over) : over);
  }
  return worst;
}

TreeLevels fill_tree(const RowTree& tree, const Demands& demand, const ArrayXd& capacity,
                     const TreeTuning& tuning) {
  TreeFilling filling(tree, demand, capacity, tuning);
  while (filling.find_direction()) filling.advance(filling.longest_step());
  TreeLevels levels{.report = {}, .amount = filling.amounts(), .used = {}};
  levels.report =
      report_of(filling.residual(levels.amount), tuning.accuracy, Stop::stalled,
                static_cast<int>(std::min<std::int64_t>(filling.steps(), std::numeric_limits<int>::max())));
  if (filling.ran_out_of_steps()) levels.report.stop = Stop::limit;
  levels.used = (demand.matrix().transpose() * levels.amount.matrix()).array();
  const double most = (levels.used / capacity).maxCoeff();
  if (!levels.report.converged() && most > 1) {
    levels.amount /= most;
    levels.used /= most;
  }
  return levels;
}

}  // namespace mirab::numerics
