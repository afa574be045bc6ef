// The direction of a TreeFilling: at each node the members that are next by κ, and by ρ among those whose
// growth is flat, how fast each grows, and when that changes.
#include <algorithm>
#include <utility>

#include "numerics/hierarchy/tree_filling.hpp"

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::Index;

bool TreeFilling::find_direction() {
  const auto direct_changed = [this] {
    for (std::size_t v = nodes_.size(); v-- > 0;) {
      if (!std::exchange(nodes_[v].changed, false)) continue;
      if (v > 0) nodes_[as_size(tree_.nodes[v].parent)].changed = true;
      direct(static_cast<Index>(v));
    }
    return nodes_[0].active;
  };
  if (++steps_ > max_steps_) return false;
  if (direct_changed()) return true;
  if (phase_ == Phase::all) return false;
  begin_phase(Phase::all);
  return direct_changed();
}

// 1: after all others.
int TreeFilling::rank(const Node& member, Index m) const {
  const bool beyond = member.key > 0 || !member.flat;
  return tree_.nodes[as_size(m)].weight <= 0 && beyond ? 1 : 0;
}

// Who grows below v, by how much for its own parameter, and until when. The members are done.
void TreeFilling::direct(Index v) {
  Node& node = nodes_[as_size(v)];
  if (!node.queue.empty()) release_queue(node, v);
  const std::vector<Index>& members = members_[as_size(v)];
  node.active = node.rising > 0 || std::any_of(members.begin(), members.end(),
                                               [&](Index m) { return nodes_[as_size(m)].active; });
  if (!node.active) return;
  choose_members(node, v);

  auto rate = use_rate_.row(v);
  auto charge = charge_rate_.row(v);
  if (node.rows_grow) {
    rate = row_sum_.row(v);
  } else {
    rate.setZero();
  }
  if (has_reserves_) charge = rate;
  for (const Index m : members) {
    const Node& member = nodes_[as_size(m)];
    if (!member.active || !member.grows) continue;
    rate += member.scale * use_rate_.row(m);
    if (has_reserves_) charge += kept_.row(m).select(0.0, member.scale * charge_rate_.row(m));
  }
  node.slope = 0;
  for (Index r = 0; r < resources_; ++r) {
    if (on_top_(v, r)) node.slope = std::max(node.slope, rate[r]);
  }
  node.flat = node.slope <= 0;
  if (node.flat && v > 0) scale_flat(node, v);
  node.next = std::min(time_of_own_event(node, v), time_of_member(node, v));
  node.is_new = true;
}

void TreeFilling::choose_members(Node& node, Index v) {
  node.rank = node.rising > 0 ? 0 : 2;
  node.next_key = node.rising > 0 ? node.row_level : kInfinity;
  for (const Index m : members_[as_size(v)]) {
    const Node& member = nodes_[as_size(m)];
    if (!member.active) continue;
    if (const auto place = std::pair(rank(member, m), member.key);
        place < std::pair(node.rank, node.next_key))
      std::tie(node.rank, node.next_key) = place;
  }
  node.fills_flat = false;
  node.next_height = kInfinity;
  for (const Index m : members_[as_size(v)]) {
    Node& member = nodes_[as_size(m)];
    member.grows = member.active && rank(member, m) == node.rank && member.key == node.next_key;
    if (!member.grows || !member.flat) continue;
    node.fills_flat = true;
    node.next_height = std::min(node.next_height, member.height / weight(m));
  }
  node.rows_grow = !node.fills_flat && node.rising > 0 && node.rank == 0 && node.row_level == node.next_key;
  for (const Index m : members_[as_size(v)]) {
    Node& member = nodes_[as_size(m)];
    if (!member.grows) continue;
    if (node.fills_flat) {
      const double height = member.height / weight(m);
      member.grows = member.flat && height - node.next_height <= tuning_.alike * node.next_height;
    }
    member.scale = weight(m) / (node.fills_flat ? member.rise : member.slope);
  }
}

// ρ φ and its slope.
void TreeFilling::scale_flat(Node& node, Index v) {
  node.height = node.rise = 0;
  for (Index r = 0; r < resources_; ++r) {
    if (use_rate_(v, r) > 0) node.height = std::max(node.height, used_(v, r));
  }
  for (Index r = 0; r < resources_; ++r) {
    if (used_(v, r) >= (1 - tuning_.alike) * node.height) node.rise = std::max(node.rise, use_rate_(v, r));
  }
}

double TreeFilling::time_of_own_event(const Node& node, Index v) const {
  double next = kInfinity;
  const auto reach = [&](double distance, double speed) {
    if (speed > 0) next = std::min(next, std::max(0.0, distance) / speed);
  };
  const double top = node.key * weight(v);
  for (Index r = 0; r < resources_; ++r) {
    const double speed = use_rate_(v, r);
    if (v == 0) {
      if (!met_(v, r))
        reach(1 - (has_reserves_ ? charge_ : used_)(v, r), (has_reserves_ ? charge_rate_ : use_rate_)(v, r));
      continue;
    }
    if (speed <= 0) continue;
    if (!met_(v, r)) reach(limit_(v, r) - used_(v, r), speed);
    if (!on_top_(v, r)) reach(top - used_(v, r) + guarantee_(v, r), speed - node.slope);
    if (below_(v, r) && phase_ == Phase::covered) reach(guarantee_(v, r) - used_(v, r), speed);
    if (kept_(v, r)) reach(reserve_(v, r) - charge_(v, r), charge_rate_(v, r));
    if (node.flat) reach(node.height - used_(v, r), speed - node.rise);
  }
  return next;
}

double TreeFilling::time_of_member(const Node& node, Index v) {
  double next = kInfinity;
  for (const Index m : members_[as_size(v)]) {
    const Node& member = nodes_[as_size(m)];
    if (!member.active) continue;
    if (member.grows) {
      next = std::min(next, member.next / member.scale);
    } else if (node.fills_flat) {
      const bool level = member.flat && member.key == node.next_key && rank(member, m) == node.rank;
      if (level) next = std::min(next, member.height / weight(m) - node.next_height);
    } else if (rank(member, m) == node.rank) {
      next = std::min(next, member.key - node.next_key);
    }
  }
  if (node.fills_flat) return next;
  if (!node.rows_grow) {
    const bool awaited = node.rising > 0 && node.rank == 0;
    return awaited ? std::min(next, node.row_level - node.next_key) : next;
  }
  if (!node.queue.empty()) next = std::min(next, key_[node.queue.back()] - node.row_level);
  skip_caps(nodes_[as_size(v)]);
  if (node.next_cap < node.by_cap.size())
    next = std::min(next, std::max(0.0, cap_level(node.by_cap[node.next_cap]) - node.row_level));
  return next;
}

ArrayXd TreeFilling::rates() const {
  std::vector<double> by_parameter(nodes_.size(), 0.0);  // of the root
  by_parameter[0] = nodes_[0].active ? 1 : 0;
  for (std::size_t v = 1; v < nodes_.size(); ++v) {
    const Node& node = nodes_[v];
    if (node.active && node.grows)
      by_parameter[v] = by_parameter[as_size(tree_.nodes[v].parent)] * node.scale;
  }
  ArrayXd rates(demand_.rows());
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    for (Index k = first_row_[v]; k < first_row_[v + 1]; ++k) {
      const bool grows = state_[as_size(k)] == State::rising && nodes_[v].rows_grow;
      rates[row_at_[as_size(k)]] = grows ? rate_[k] * by_parameter[v] : 0;
    }
  }
  return rates;
}

}  // namespace mirab::numerics
