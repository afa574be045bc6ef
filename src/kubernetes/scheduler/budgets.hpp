#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/objects.hpp"
#include "kubernetes/placement_rules.hpp"

namespace mirab::kubernetes {

/// A PodDisruptionBudget: how many of the pods that it picks may be evicted now.
struct Budget {
  std::string space;
  std::string name;
  std::vector<Requirement> selector = {};  ///< all of them
  bool picks_none = false;                 ///< of policy/v1beta1 without a selector
  std::int64_t allowed = 0;                ///< status.disruptionsAllowed
};

/// `version` is that of the API: `v1` or `v1beta1`. Errors: no name.
Result<Budget> read_budget(const Object& budget, std::string_view version);

/// The disruption budgets of a cluster, by namespace and name.
class Budgets {
 public:
  using Key = std::pair<std::string, std::string>;

  /// True: pods may be protected otherwise than before.
  bool put(Budget budget);
  bool lose(const std::string& space, const std::string& name);
  std::vector<Key> all() const;

  /// The budgets that pick a pod. O(budgets of the namespace).
  std::vector<const Budget*> of(const std::string& space, const NodeLabels& labels) const;
  /// May a pod be evicted? No, where a budget allows none; and the API server evicts no pod of two budgets.
  bool allow(const std::string& space, const NodeLabels& labels) const;

 private:
  std::map<Key, Budget> budgets_ = {};
};

}  // namespace mirab::kubernetes
