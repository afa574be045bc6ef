// Disruption budgets: which pods may not be evicted now.
//
// Source: the Kubernetes API, policy/v1 PodDisruptionBudget; of policy/v1beta1 an empty selector picks no
// pod.
#include "kubernetes/scheduler/budgets.hpp"

#include <algorithm>
#include <charconv>

#include "kubernetes/scheduler/anti_affinity.hpp"

namespace mirab::kubernetes {

Result<Budget> read_budget(const Object& object, std::string_view version) {
  Budget budget{.space = std::string(object.metadata("namespace")), .name = std::string(object.name())};
  if (budget.name.empty()) return Error{.message = "missing", .key = "metadata.name", .file = "API server"};
  const Node* selector = value_at(*object.root, "/spec/selector");
  const bool is_given = selector != nullptr && selector->kind != Node::Kind::null;
  if (is_given) budget.selector = read_selector(*selector);
  budget.picks_none = !is_given || (version == "v1beta1" && budget.selector.empty());
  if (const Node* allowed = value_at(*object.root, "/status/disruptionsAllowed"))
    std::from_chars(allowed->text.data(), allowed->text.data() + allowed->text.size(), budget.allowed);
  return budget;
}

bool Budgets::put(Budget budget) {
  const auto [known, is_new] = budgets_.try_emplace({budget.space, budget.name}, budget);
  if (is_new) return true;
  const auto words = [](const Budget& each) {
    return words_of(
        AntiAffinity{.topology = "", .spaces = {}, .selector = each.selector, .none = each.picks_none});
  };
  const bool changes =
      (known->second.allowed > 0) != (budget.allowed > 0) || words(known->second) != words(budget);
  known->second = std::move(budget);
  return changes;
}

bool Budgets::lose(const std::string& space, const std::string& name) {
  return budgets_.erase({space, name}) > 0;
}

std::vector<Budgets::Key> Budgets::all() const {
  std::vector<Key> keys;
  for (const auto& [key, budget] : budgets_) keys.push_back(key);
  return keys;
}

std::vector<const Budget*> Budgets::of(const std::string& space, const NodeLabels& labels) const {
  std::vector<const Budget*> found;
  for (auto each = budgets_.lower_bound({space, ""}); each != budgets_.end() && each->first.first == space;
       ++each) {
    const Budget& budget = each->second;
    const bool picks =
        !budget.picks_none && std::all_of(budget.selector.begin(), budget.selector.end(),
                                          [&](const Requirement& one) { return holds(one, "", labels); });
    if (picks) found.push_back(&budget);
  }
  return found;
}

bool Budgets::allow(const std::string& space, const NodeLabels& labels) const {
  const std::vector<const Budget*> found = of(space, labels);
  return found.empty() || (found.size() == 1 && found.front()->allowed > 0);
}

}  // namespace mirab::kubernetes
