#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduling/order/descent.hpp"

namespace mirab::scheduling {

/// Who could lose a task for whom by guarantee or share, at the most: bounds in doubles, by which most
/// waiting tasks, and most of those that run, are passed over before anything is tried. See givers.cpp.
class Givers {
 public:
  /// As things stand. Requires the ledger to stay as it is. O(nodes m).
  explicit Givers(const Precedence& precedence);

  /// Could anybody lose a task for this one of user b? False only when nobody could. Requires that b loses
  /// nothing itself, and to be asked before begin(). O(depth m).
  bool any(const TreeCandidate& gain) const;

  /// From now on could_lose() is about this task. The same answer.
  bool begin(const TreeCandidate& gain);
  /// Could the user lose a task for it, on a server where these resources are missing, or, with none, on any?
  /// False only when it could not. O(depth + m).
  bool could_lose(UserIndex user, std::span<const std::size_t> missing) const;

 private:
  /// The two largest numbers of members of a group.
  struct Largest {
    double first = kNothing;
    double second = kNothing;
    TreeNode of_first = {};
    double without(TreeNode member) const { return member == of_first ? second : first; }
    void add(TreeNode member, double number);
  };
  /// What b would have at a level of its path: c.
  struct Level {
    TreeNode own;              // c
    GroupIndex group;          // whose member it is
    std::size_t with;          // where in with_ over_c with the task is, per weight, then the largest of them
    bool has_weight;           // φ_c > 0
    bool is_within_guarantee;  // could be, of some missing resource, or a node below it
    bool loses_below;          // others below c could lose tasks too: that is no bound
  };
  static constexpr double kNothing = -1;  // where nothing runs

  Amounts add(TreeNode node);
  bool write_levels(const TreeCandidate& gain) const;
  bool may_miss(const TreeCandidate& gain, std::size_t r) const { return gain.demand[r] > least_free_[r]; }
  bool is_within_guarantee(const TreeCandidate& gain, TreeNode node) const;
  bool has_no_more(const TreeCandidate& gain, const Level& level, std::span<const std::size_t> missing,
                   const auto& most) const;
  bool is_seen_no_higher(const TreeCandidate& gain, std::size_t level, double most) const;
  bool any_gives(const TreeCandidate& gain, std::size_t level) const;
  bool gives(const TreeCandidate& gain, std::size_t level, TreeNode member,
             std::span<const std::size_t> missing) const;
  bool is_beyond(TreeNode node, std::size_t r) const {
    return ledger_.used(node)[r] > ledger_.guarantee(node)[r];
  }

  std::span<double> left(TreeNode node) {
    return node.is_user() ? std::span(of_users_).subspan(node.user.number() * width_, width_)
                          : std::span(of_groups_).subspan(node.group.number() * width_, width_);
  }
  std::span<const double> left(TreeNode node) const { return const_cast<Givers*>(this)->left(node); }

  Precedence precedence_;
  const Ledger& ledger_;
  std::size_t width_;  // components, and one for the largest of them
  // What a node would have beyond its guarantee, per weight, had it lost its least task; infinite with a
  // weight of 0.
  std::vector<double> of_users_;       // [user × width]
  std::vector<double> of_groups_;      // [group × width]
  std::vector<Largest> largest_;       // of the members of a group [group × width]
  std::vector<std::uint32_t> beyond_;  // members with more of r than is guaranteed [group × m]

  Amounts least_free_;  // of each resource, on any server

  // Of the task that was asked about last: of begin(), once there was one.
  mutable std::vector<Level> levels_;  // from b up
  mutable std::vector<double> with_;
  mutable std::vector<double>
      seen_;  // c in the exact view of b with the task, by level; empty until it is asked for
  TreeCandidate gain_;
  struct OnPath {
    std::uint64_t gain = 0;
    std::size_t level = 0;
  };
  std::uint64_t gains_ = 0;
  IndexedVector<GroupIndex, OnPath> on_path_;
};

}  // namespace mirab::scheduling
