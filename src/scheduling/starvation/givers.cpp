// Bounds of who could lose a task (reclaim.cpp). A node that loses some keeps, of each resource, at most what
// it uses but for the least that one of its tasks takes: over_{c'} after the move is at most that. What c
// has with b's task, it has after the move too, unless others below it lose tasks for the same one. So c'
// gives nothing by share where c has more per weight with the task, of each resource that may be missing and
// by the largest of all, or where c stands higher in the exact view of b than all of c'; and nothing by
// guarantee where no node from b up to c would be within its guarantee of one of these resources, or where c'
// has no more than its own.
//
// Where someone below c could lose a task, this bounds nothing above c, and all are taken to give.
//
// Cost: the bounds of all nodes are worked out at once, O(nodes m). Of each group the two members that could
// keep most are known, so that most tasks are passed over in O(depth m).
#include "scheduling/starvation/givers.hpp"

#include <algorithm>
#include <limits>

#include "scheduling/ledger/paths.hpp"

namespace mirab::scheduling {

namespace {

constexpr double kSlack = 1 + 1e-9;  // far more than sums of doubles are rounded by

}  // namespace

Givers::Givers(const Precedence& precedence)
    : precedence_(precedence),
      ledger_(precedence.context->ledger),
      width_(Descent(precedence).components() + 1),
      of_users_(ledger_.users.index_count() * width_, kNothing),
      of_groups_(ledger_.groups.index_count() * width_, kNothing),
      largest_(ledger_.groups.index_count() * width_),
      beyond_(ledger_.groups.index_count() * ledger_.resource_count()),
      least_free_(ledger_.resource_count(), INT64_MAX),
      on_path_(ledger_.groups.index_count()) {
  for (const ServerIndex server : ledger_.servers.present()) {
    const Amounts free = ledger_.server_pool.balance(server);
    for (std::size_t r = 0; r < free.size(); ++r) least_free_[r] = std::min(least_free_[r], free[r]);
  }
  for (const GroupIndex member : ledger_.groups[kRoot].groups) add({.group = member});
  for (const UserIndex member : ledger_.groups[kRoot].users) add({.user = member});
}

void Givers::Largest::add(TreeNode member, double number) {
  if (number > first) {
    second = first;
    first = number;
    of_first = member;
  } else {
    second = std::max(second, number);
  }
}

/// The node and those below it. The least that one of their running tasks takes; nothing: none runs.
Amounts Givers::add(TreeNode node) {
  Amounts least;
  const auto take = [&](const Amounts& demand) {
    if (least.empty()) least.assign(demand.size(), INT64_MAX);
    for (std::size_t r = 0; r < demand.size(); ++r) least[r] = std::min(least[r], demand[r]);
  };
  if (ledger_.running(node) == 0) return least;
  if (node.is_user()) {
    for (const QueueIndex queue : ledger_.users[node.user].queues) {
      if (ledger_.queues[queue].running > 0)
        ledger_.task_classes.for_each_demand(ledger_.queues[queue].task_class, take);
    }
  } else {
    const GroupRow& row = ledger_.groups[node.group];
    for (const GroupIndex member : row.groups) {
      if (const Amounts of_member = add({.group = member}); !of_member.empty()) take(of_member);
    }
    for (const UserIndex member : row.users) {
      if (const Amounts of_member = add({.user = member}); !of_member.empty()) take(of_member);
    }
  }
  const bool counts_tasks_alone = precedence_.discipline->tree == TreeMeasure::tasks_alone;
  const std::vector<double> over = Descent(precedence_)
                                       .beyond<double>({.entry = {}, .user = node.user, .demand = least},
                                                       node, counts_tasks_alone ? 0 : -1);
  const std::span<double> left = this->left(node);
  for (std::size_t k = 0; k + 1 < width_; ++k)
    left[k] = ledger_.weight(node).numerator > 0 ? over[k] : std::numeric_limits<double>::infinity();
  left.back() = *std::max_element(left.begin(), left.end() - 1);
  const std::size_t parent = ledger_.parent(node).number();
  for (std::size_t k = 0; k < width_; ++k) largest_[parent * width_ + k].add(node, left[k]);
  for (std::size_t r = 0; r < least.size(); ++r)
    beyond_[parent * least.size() + r] += is_beyond(node, r) ? 1 : 0;
  return least;
}

// A task of b.

/// With it, could the node use at most what it is guaranteed of a resource that the task takes?
bool Givers::is_within_guarantee(const TreeCandidate& gain, TreeNode node) const {
  const std::span<const std::int64_t> used = ledger_.used(node), guarantee = ledger_.guarantee(node);
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (gain.demand[r] > 0 && guarantee[r] >= gain.demand[r] && used[r] <= guarantee[r] - gain.demand[r])
      return true;
  }
  return false;
}

/// Writes the levels from b up. Could anybody lose a task at one of them?
bool Givers::write_levels(const TreeCandidate& gain) const {
  levels_.clear();
  with_.clear();
  seen_.clear();
  const Descent descent(precedence_);
  bool is_within = false, any = false;
  any_on_path(ledger_, gain.user, [&](TreeNode node) {
    is_within = is_within || is_within_guarantee(gain, node);
    const Level level{.own = node,
                      .group = ledger_.parent(node),
                      .with = with_.size(),
                      .has_weight = ledger_.weight(node).numerator > 0,
                      .is_within_guarantee = is_within,
                      .loses_below = any};
    with_.resize(with_.size() + width_);
    const std::span<double> with = std::span(with_).last(width_);
    descent.write_beyond(gain, node, 1, with.first(width_ - 1));
    if (level.has_weight) {
      for (double& each : with.first(width_ - 1)) each /= ledger_.weight(node).value();
    }
    with.back() = *std::max_element(with.begin(), with.end() - 1);
    levels_.push_back(level);
    any = any || any_gives(gain, levels_.size() - 1);
    return false;
  });
  return any;
}

/// `most(k)` is what others keep of a component; of the last one their largest. With nothing missing: of
/// some resource that may be.
bool Givers::has_no_more(const TreeCandidate& gain, const Level& level, std::span<const std::size_t> missing,
                         const auto& most) const {
  if (!level.has_weight) return false;
  const auto is_no_more = [&](std::size_t k) { return with_[level.with + k] <= most(k) * kSlack; };
  if (is_no_more(width_ - 1)) return true;
  if (width_ - 1 != gain.demand.size()) return false;
  if (!missing.empty()) return std::all_of(missing.begin(), missing.end(), is_no_more);
  for (std::size_t r = 0; r < gain.demand.size(); ++r) {
    if (may_miss(gain, r) && is_no_more(r)) return true;
  }
  return false;
}

/// Is c, in the exact view of b with the task, no higher than this?
bool Givers::is_seen_no_higher(const TreeCandidate& gain, std::size_t level, double most) const {
  if (seen_.empty()) {
    for (const TreeKey<double>& key : Descent(precedence_).path(gain)) seen_.push_back(key.kappa_with);
  }
  return seen_[level] <= most * kSlack;
}

bool Givers::any_gives(const TreeCandidate& gain, std::size_t at) const {
  const Level level = levels_[at];
  const Largest* const largest = &largest_[level.group.number() * width_];
  const auto most = [&](std::size_t k) { return largest[k].without(level.own); };
  if (most(width_ - 1) == kNothing) return false;
  if (level.loses_below ||
      (has_no_more(gain, level, {}, most) && is_seen_no_higher(gain, at, most(width_ - 1))))
    return true;
  if (!level.is_within_guarantee) return false;
  const bool own_runs = left(level.own).back() != kNothing;
  for (std::size_t r = 0; r < gain.demand.size(); ++r) {
    const std::uint32_t beyond = beyond_[level.group.number() * gain.demand.size() + r];
    if (may_miss(gain, r) && beyond > (own_runs && is_beyond(level.own, r) ? 1 : 0)) return true;
  }
  return false;
}

bool Givers::gives(const TreeCandidate& gain, std::size_t at, TreeNode member,
                   std::span<const std::size_t> missing) const {
  const Level level = levels_[at];
  const std::span<const double> left = this->left(member);
  if (left.back() == kNothing) return false;
  if (level.loses_below || (has_no_more(gain, level, missing, [&](std::size_t k) { return left[k]; }) &&
                            is_seen_no_higher(gain, at, left.back())))
    return true;
  if (!level.is_within_guarantee) return false;
  for (std::size_t r = 0; r < gain.demand.size(); ++r) {
    if (may_miss(gain, r) && is_beyond(member, r)) return true;
  }
  return false;
}

bool Givers::any(const TreeCandidate& gain) const { return write_levels(gain); }

bool Givers::begin(const TreeCandidate& gain) {
  gain_ = gain;
  ++gains_;
  const bool any = write_levels(gain);
  for (std::size_t at = 0; at < levels_.size(); ++at)
    on_path_[levels_[at].group] = {.gain = gains_, .level = at};
  return any;
}

bool Givers::could_lose(UserIndex user, std::span<const std::size_t> missing) const {
  TreeNode node{.user = user};
  while (on_path_[ledger_.parent(node)].gain != gains_) node = {.group = ledger_.parent(node)};
  return gives(gain_, on_path_[ledger_.parent(node)].level, node, missing);
}

}  // namespace mirab::scheduling
