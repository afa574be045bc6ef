// The rows of each node of a TreeFilling: which rise, which wait, and which stop at a bound or because they
// are covered no more.
#include <algorithm>
#include <utility>

#include "numerics/hierarchy/tree_filling.hpp"

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::Index;

void TreeFilling::sum_rows(Index v) {
  double* sum = &row_sum_(v, 0);
  Index* takers = &takers_(v, 0);
  std::fill_n(sum, resources_, 0.0);
  std::fill_n(takers, resources_, Index{0});
  if (nodes_[as_size(v)].rising > 0) {
    for (Index k = first_row_[as_size(v)]; k < first_row_[as_size(v) + 1]; ++k) {
      if (state_[as_size(k)] != State::rising) continue;
      const double* growth = &growth_(k, 0);
      for (Index r = 0; r < resources_; ++r) {
        sum[r] += growth[r];
        takers[r] += growth[r] > 0 ? 1 : 0;
      }
    }
  }
  row_sum_whole_.row(v) = row_sum_.row(v);
}

void TreeFilling::rise(Node& node, Index v, Index k) {
  state_[as_size(k)] = State::rising;
  --node.waiting;
  ++node.rising;
  row_sum_.row(v) += growth_.row(k);
  for (Index r = 0; r < resources_; ++r) takers_(v, r) += growth_(k, r) > 0 ? 1 : 0;
  row_sum_whole_.row(v) = row_sum_whole_.row(v).max(row_sum_.row(v));
}

void TreeFilling::leave(Node& node, Index v, Index k, State state) {
  const State before = std::exchange(state_[as_size(k)], state);
  if (state >= State::frozen) --node.open;
  if (before == State::waiting) --node.waiting;
  if (before != State::rising) return;
  --node.rising;
  key_[k] = node.row_level;
  bool sum_again = false;
  for (Index r = 0; r < resources_; ++r) {
    if (growth_(k, r) <= 0) continue;
    row_sum_(v, r) -= growth_(k, r);
    if (--takers_(v, r) == 0) row_sum_(v, r) = 0;
    sum_again = sum_again || row_sum_(v, r) < tuning_.resum_below * row_sum_whole_(v, r);
  }
  if (sum_again) sum_rows(v);
}

// Rows that wait where the others are; if there are none, at the lowest of their own keys.
void TreeFilling::release_queue(Node& node, Index v) {
  const auto drop_frozen = [&] {
    while (!node.queue.empty() && is_stopped(node.queue.back())) node.queue.pop_back();
  };
  drop_frozen();
  if (node.queue.empty()) return;
  if (node.rising == 0) node.row_level = key_[node.queue.back()];
  while (!node.queue.empty()) {
    const Index k = node.queue.back();
    if (key_[k] - node.row_level > tuning_.slip * key_[k]) return;
    rise(node, v, k);
    node.queue.pop_back();
    drop_frozen();
  }
}

void TreeFilling::skip_caps(Node& node) {
  const auto passed = [this](Index k) { return is_stopped(k) || state_[as_size(k)] == State::uncovered; };
  while (node.next_cap < node.by_cap.size() && passed(node.by_cap[node.next_cap])) ++node.next_cap;
}

bool TreeFilling::covers(Index v, Index k) const {
  for (; v > 0; v = tree_.nodes[as_size(v)].parent) {
    bool all = true;
    for (Index r = 0; r < resources_ && all; ++r) all = growth_(k, r) <= 0 || below_(v, r);
    if (all) return true;
  }
  return false;
}

// Rows that rise and are covered no more.
void TreeFilling::uncover() {
  any_less_covered_ = false;
  change_all();
  for (std::size_t v = 1; v < nodes_.size(); ++v) {
    less_covered_[v] = less_covered_[v] || less_covered_[as_size(tree_.nodes[v].parent)];
    if (!less_covered_[v] || nodes_[v].rising == 0) continue;
    for (Index k = first_row_[v]; k < first_row_[v + 1]; ++k) {
      if (state_[as_size(k)] == State::rising && !covers(static_cast<Index>(v), k))
        leave(nodes_[v], static_cast<Index>(v), k, State::uncovered);
    }
  }
  std::fill(less_covered_.begin(), less_covered_.end(), false);
}

// Freezes all rows, growing or not, that could have no more of something that they take: a limit above them
// is met; or the capacity is, and no node above them is still within a reserve.
void TreeFilling::apply_walls() {
  any_wall_ = false;
  change_all();
  Flags full = met_;  // what is used here is charged to a capacity that is met
  Flags limited = Flags::Constant(full.rows(), resources_, false);
  for (Index v = 0; v < static_cast<Index>(nodes_.size()); ++v) {
    if (v > 0) {
      const Index parent = tree_.nodes[as_size(v)].parent;
      full.row(v) = full.row(parent) && !kept_.row(v);
      limited.row(v) = limited.row(parent) || met_.row(v);
    }
    Node& node = nodes_[as_size(v)];
    const Eigen::Array<bool, 1, Eigen::Dynamic> blocked = full.row(v) || limited.row(v);
    if (node.open == 0 || (blocked == blocked_.row(v)).all()) continue;
    blocked_.row(v) = blocked;
    if (!looks_at_rows_) {
      const auto takes = [&](Index takers) { return takers > 0; };
      const auto& takers = takers_.row(v);
      if (!(blocked && takers.unaryExpr(takes)).any()) continue;
      if ((blocked && takers == node.rising).any()) {
        node.open = node.rising = 0;
        row_sum_.row(v).setZero();
        takers_.row(v).setZero();
        continue;
      }
      look_at_rows();
    }
    for (Index k = first_row_[as_size(v)]; k < first_row_[as_size(v) + 1]; ++k) {
      State& state = state_[as_size(k)];
      if (state >= State::frozen) continue;
      const double* growth = &growth_(k, 0);
      bool stops = false;
      for (Index r = 0; r < resources_; ++r) stops = stops || (blocked[r] && growth[r] > 0);
      if (!stops) continue;
      if (state == State::rising) {
        key_[k] = node.row_level;
        --node.rising;
      }
      if (state == State::waiting) --node.waiting;
      --node.open;
      state = State::frozen;
    }
    sum_rows(v);
  }
}

void TreeFilling::freeze(const std::vector<Index>& rows) {
  change_all();
  for (const Index n : rows) {
    if (is_frozen(n)) continue;
    const Index v = tree_.node_of[as_size(n)];
    leave(nodes_[as_size(v)], v, place_[as_size(n)], State::frozen);
  }
}

}  // namespace mirab::numerics
