#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "scheduling/ledger/ledger.hpp"

namespace mirab::scheduling {

/// Visits the nodes of the user's path from the user up, without the root, until one returns true. Has one?
template <class Visit>
bool any_on_path(const Ledger& ledger, UserIndex user, Visit visit) {
  if (visit(TreeNode{.user = user})) return true;
  for (GroupIndex group = ledger.users[user].group; group != kRoot; group = ledger.groups[group].parent) {
    if (visit(TreeNode{.group = group})) return true;
  }
  return false;
}

/// All of them.
inline std::vector<TreeNode> path_of(const Ledger& ledger, UserIndex user) {
  std::vector<TreeNode> path;
  any_on_path(ledger, user, [&](TreeNode node) {
    path.push_back(node);
    return false;
  });
  return path;
}

/// How many nodes, from the top, two paths have in common.
inline std::size_t nodes_in_common(std::span<const TreeNode> path_a, std::span<const TreeNode> path_b) {
  return static_cast<std::size_t>(
      std::mismatch(path_a.rbegin(), path_a.rend(), path_b.rbegin(), path_b.rend()).first - path_a.rbegin());
}

}  // namespace mirab::scheduling
