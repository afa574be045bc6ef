#pragma once

#include <cstddef>
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
  struct Node {
    std::size_t parent = 0;                 ///< of the root: itself
    std::vector<std::size_t> members = {};  ///< child nodes, ascending; none of a user
    double weight = 1;                      ///< φ_v ≥ 0
    std::vector<double> guarantee = {};  ///< ĝ_v, effective: as given, else Σ ĝ of the members. [m]; empty: 0
    std::vector<double> reserve = {};  ///< k̂_v = max(k_v, Σ k̂ of the members). [m]; empty: 0
    std::vector<double> limit = {};    ///< L_v, infinite where there is none. [m]; empty: none
  };

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](std::size_t node) const { return nodes_[node]; }

  std::size_t group_count() const { return group_count_; }  ///< G
  std::size_t node_of_group(std::size_t group) const { return 1 + group; }
  std::size_t node_of_user(std::size_t user) const { return 1 + group_count_ + user; }
  bool is_user(std::size_t node) const { return node > group_count_; }
  std::size_t user_at(std::size_t node) const { return node - 1 - group_count_; }  ///< of a user's node

  /// Without groups, guarantees, limits and reserves: every user is a member of the root.
  bool is_flat() const { return flat_; }

  /// A path from the root down to a node, without the root: the groups around it, then the node itself.
  std::vector<std::size_t> path(std::size_t node) const;

 private:
  friend class Problem;

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::size_t group_count_ = 0;
  bool flat_ = true;
};

/// Guarantees into which no task of any user below fits, so that nobody is ever covered by them: each with
/// the key of the guarantee. A resource that a guarantee does not name is 0 in it. O(N depth m).
std::vector<Error> unusable_guarantees(const Problem& problem);

}  // namespace mirab
