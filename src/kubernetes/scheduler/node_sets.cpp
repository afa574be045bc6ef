// Where pods may run, as sets of nodes that follow the nodes.
#include "kubernetes/scheduler/node_sets.hpp"

#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

constexpr std::size_t kMostUnused = 64;  // sets that are kept for the next pod

std::string name_of(const PlacementRule& rule, const std::vector<std::string>& terms) {
  std::string name = words_of(rule);
  for (const std::string& each : terms) name += "& " + each;
  return name;
}

std::vector<NodeSetChange> listed(std::map<std::string, NodeSetChange> changes) {
  std::vector<NodeSetChange> list;
  for (auto& [name, change] : changes) list.push_back(std::move(change));
  return list;
}

}  // namespace

std::vector<std::string> NodeSets::terms_that_pick(const SeenPod& pod) const {
  std::vector<std::string> terms;
  for (const auto& [words, term] : terms_) {
    if (picks(term.term, pod.space, pod.labels)) terms.push_back(words);
  }
  return terms;
}

bool NodeSets::is_repelled(const Term& term, const NodeRow& node) {
  const auto own = node.labels.find(term.term.topology);
  return own != node.labels.end() && term.domains.contains(own->second);
}

void NodeSets::find_domains(Term& term) const {
  term.domains.clear();
  for (const auto& [name, pods] : term.on) {
    const auto node = nodes_.find(name);
    if (node == nodes_.end()) continue;
    const auto label = node->second.labels.find(term.term.topology);
    if (label != node->second.labels.end()) term.domains.insert(label->second);
  }
}

bool NodeSets::is_allowed(const Set& set, const NodeRow& node) const {
  return (set.named.empty() || set.named == node.name) &&
         allows(set.rule, node.name, node.labels, node.taints) &&
         std::none_of(set.terms.begin(), set.terms.end(), [&](const std::string& words) {
           const auto term = terms_.find(words);
           return term != terms_.end() && is_repelled(term->second, node);
         });
}

void NodeSets::evaluate(const std::string& name, Set& set, const NodeRow& node,
                        std::map<std::string, NodeSetChange>& changes) const {
  const bool was_in = set.nodes.contains(node.name);
  if (is_allowed(set, node) == was_in) return;
  NodeSetChange& change = changes[name];
  change.set = name;
  (was_in ? change.remove : change.add).push_back(node.name);
  if (was_in) {
    set.nodes.erase(node.name);
  } else {
    set.nodes.insert(node.name);
  }
}

std::vector<NodeSetChange> NodeSets::evaluate_all(const std::set<std::string>& terms) {
  std::map<std::string, NodeSetChange> changes;
  for (auto& [name, set] : sets_) {
    const bool is_meant = std::any_of(set.terms.begin(), set.terms.end(),
                                      [&](const std::string& each) { return terms.contains(each); });
    if (!is_meant) continue;
    for (const auto& [node_name, node] : nodes_) evaluate(name, set, node, changes);
  }
  return listed(std::move(changes));
}

std::vector<NodeSetChange> NodeSets::put(const NodeRow& node) {
  const auto known = nodes_.find(node.name);
  const bool has_other_labels = known == nodes_.end() || known->second.labels != node.labels;
  NodeRow& row = nodes_[node.name] = node;
  // Another domain for the pods on it: other nodes of the domains are open, or closed, from now on.
  std::set<std::string> moved;
  for (auto& [words, term] : terms_) {
    if (!has_other_labels || !term.on.contains(node.name)) continue;
    find_domains(term);
    moved.insert(words);
  }
  std::map<std::string, NodeSetChange> changes;
  for (auto& [name, set] : sets_) evaluate(name, set, row, changes);
  std::vector<NodeSetChange> list = listed(std::move(changes));
  for (NodeSetChange& each : evaluate_all(moved)) list.push_back(std::move(each));
  return list;
}

std::vector<NodeSetChange> NodeSets::remove(const std::string& node) {
  nodes_.erase(node);
  std::vector<NodeSetChange> changes;
  for (auto& [name, set] : sets_) {
    if (set.nodes.erase(node) > 0) changes.push_back({.set = name, .remove = {node}});
  }
  // What its pods repelled in its domain is open again.
  std::set<std::string> freed;
  for (auto& [words, term] : terms_) {
    if (!term.on.contains(node)) continue;
    find_domains(term);
    freed.insert(words);
  }
  for (NodeSetChange& each : evaluate_all(freed)) changes.push_back(std::move(each));
  return changes;
}

std::string NodeSets::set_of(const SeenPod& pod) const { return name_of(pod.rule, terms_that_pick(pod)); }

NodeSets::Use NodeSets::use(const SeenPod& pod) {
  std::vector<std::string> terms = terms_that_pick(pod);
  Use use{.set = name_of(pod.rule, terms)};
  const auto [found, is_new] = sets_.try_emplace(use.set);
  Set& set = found->second;
  if (!is_new && set.uses == 0) --unused_;
  ++set.uses;
  if (!is_new) return use;
  set.rule = pod.rule;
  set.named = std::string(named_node(pod.rule));
  set.terms = std::move(terms);
  std::map<std::string, NodeSetChange> changes;
  if (set.named.empty()) {
    for (const auto& [name, node] : nodes_) evaluate(use.set, set, node, changes);
  } else if (const auto named = nodes_.find(set.named); named != nodes_.end()) {
    evaluate(use.set, set, named->second, changes);
  }
  use.changes = listed(std::move(changes));
  return use;
}

std::vector<NodeSetChange> NodeSets::give_back(const std::string& name) {
  const auto found = sets_.find(name);
  MIRAB_ASSERT(found != sets_.end() && found->second.uses > 0, "a set of nodes that no pod uses");
  if (--found->second.uses > 0) return {};
  ++unused_;
  return unused_ > kMostUnused ? drop_unused() : std::vector<NodeSetChange>();
}

std::vector<NodeSetChange> NodeSets::drop_unused() {
  std::vector<NodeSetChange> changes;
  for (auto at = sets_.begin(); at != sets_.end();) {
    if (at->second.uses > 0) {
      ++at;
      continue;
    }
    NodeSetChange change{.set = at->first};
    change.remove.assign(at->second.nodes.begin(), at->second.nodes.end());
    if (!change.remove.empty()) changes.push_back(std::move(change));
    at = sets_.erase(at);
  }
  unused_ = 0;
  return changes;
}

NodeSets::Repelled NodeSets::repel(const std::vector<AntiAffinity>& terms, const std::string& node) {
  Repelled repelled;
  std::set<std::string> changed;
  for (const AntiAffinity& each : terms) {
    const std::string words = words_of(each);
    const auto [found, is_new] = terms_.try_emplace(words, Term{.term = each});
    repelled.asks_again = repelled.asks_again || is_new;
    if (++found->second.on[node] > 1) continue;
    changed.insert(words);
    const auto there = nodes_.find(node);
    if (there == nodes_.end()) continue;
    const auto label = there->second.labels.find(each.topology);
    if (label != there->second.labels.end()) found->second.domains.insert(label->second);
  }
  repelled.changes = evaluate_all(changed);
  return repelled;
}

NodeSets::Repelled NodeSets::stop_repelling(const std::vector<AntiAffinity>& terms, const std::string& node) {
  Repelled repelled;
  std::set<std::string> changed;
  for (const AntiAffinity& each : terms) {
    const std::string words = words_of(each);
    const auto found = terms_.find(words);
    MIRAB_ASSERT(found != terms_.end() && found->second.on.contains(node),
                 "an anti-affinity that no pod on the node has");
    if (--found->second.on[node] > 0) continue;
    found->second.on.erase(node);
    find_domains(found->second);
    changed.insert(words);
  }
  repelled.changes = evaluate_all(changed);
  for (const std::string& words : changed) {
    if (!terms_.at(words).on.empty()) continue;
    terms_.erase(words);
    repelled.asks_again = true;
  }
  return repelled;
}

bool NodeSets::has(const std::string& name, const std::string& node) const {
  const auto found = sets_.find(name);
  return found != sets_.end() && found->second.nodes.contains(node);
}

std::vector<std::string> NodeSets::names() const {
  std::vector<std::string> names;
  for (const auto& [name, set] : sets_) names.push_back(name);
  return names;
}

std::set<std::string> NodeSets::nodes_of(const std::string& name) const {
  const auto found = sets_.find(name);
  return found == sets_.end() ? std::set<std::string>() : found->second.nodes;
}

}  // namespace mirab::kubernetes
