#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

class Problem;

/// The groups and users of a problem as a tree: users are leaves, groups are inner nodes, the root is the
/// cluster (docs/explanation/teams.md).
///
/// Node 0 is the root, nodes 1 to G are the groups in the order of Problem::groups(), the N nodes after them
/// the users. A parent comes before its members.
class Tree {
 public:
  std::size_t size() const { return parent_.size(); }       ///< nodes: 1 + G + N
  std::size_t group_count() const { return group_count_; }  ///< G
  std::size_t node_of_group(std::size_t group) const { return 1 + group; }
  std::size_t node_of_user(std::size_t user) const { return 1 + group_count_ + user; }
  bool is_user(std::size_t node) const { return node > group_count_; }
  bool is_group(std::size_t node) const { return node > 0 && !is_user(node); }
  std::size_t user_at(std::size_t node) const { return node - 1 - group_count_; }  ///< of a user's node
  std::size_t group_at(std::size_t node) const { return node - 1; }                ///< of a group's node

  std::size_t parent(std::size_t node) const { return parent_[node]; }  ///< of the root: itself
  /// Child nodes, ascending; none of a user.
  std::span<const std::size_t> members(std::size_t node) const {
    return std::span(members_).subspan(first_member_[node], first_member_[node + 1] - first_member_[node]);
  }
  double weight(std::size_t node) const { return weight_[node]; }  ///< φ_v ≥ 0

  /// ĝ_v, effective: as given, else Σ ĝ of the members. [m]; empty: 0 of everything.
  std::span<const double> guarantee(std::size_t node) const { return quota(node).guarantee; }
  /// k̂_v = max(k_v, Σ k̂ of the members). [m]; empty: 0 of everything.
  std::span<const double> reserve(std::size_t node) const { return quota(node).reserve; }
  /// L_v, infinite where there is none. [m]; empty: none.
  std::span<const double> limit(std::size_t node) const { return quota(node).limit; }

  /// Without groups, guarantees, limits and reserves: every user is a member of the root.
  bool is_flat() const { return group_count_ == 0 && quotas_.size() == 1; }

  /// The way from the root down to a node, without the root: the groups around it, then the node itself.
  std::vector<std::size_t> path(std::size_t node) const;

 private:
  friend class Problem;

  struct EffectiveQuota {
    std::vector<double> guarantee = {}, reserve = {}, limit = {};
  };
  const EffectiveQuota& quota(std::size_t node) const { return quotas_[quota_of_[node]]; }

  std::size_t group_count_ = 0;
  std::vector<std::size_t> parent_;                          // [node]
  std::vector<double> weight_;                               // [node]
  std::vector<std::size_t> first_member_;                    // [node], where its members begin; and their end
  std::vector<std::size_t> members_;                         // all nodes but the root, by parent
  std::vector<std::uint32_t> quota_of_;                      // [node], an index into quotas_
  std::vector<EffectiveQuota> quotas_ = {EffectiveQuota{}};  // the first is that of nodes without one
};

/// Guarantees into which no task of any user below fits, so that they cover no task: each with
/// the key of the guarantee. A resource that a guarantee does not name is 0 in it. O(N depth m).
std::vector<Error> unusable_guarantees(const Problem& problem);

}  // namespace mirab
