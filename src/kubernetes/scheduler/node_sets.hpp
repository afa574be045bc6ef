#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/node_rows.hpp"
#include "kubernetes/scheduler/seen_pod.hpp"

namespace mirab::kubernetes {

/// A set of nodes that has others than before.
struct NodeSetChange {
  std::string set;
  std::vector<std::string> add = {};     ///< nodes by name
  std::vector<std::string> remove = {};  ///< the same
};

/// On which nodes may each waiting pod run? Pods with the same rule of placement, which the same
/// anti-affinities pick, share one set of nodes. A set that no pod uses is kept for the next one, while there
/// are few of them.
class NodeSets {
 public:
  /// A node is there, or has changed; it is gone. O(sets).
  std::vector<NodeSetChange> put(const NodeRow& node);
  std::vector<NodeSetChange> remove(const std::string& node);

  /// A pod uses the set of its rule, until it gives it back. The first use fills the set: O(nodes).
  struct Use {
    std::string set;
    std::vector<NodeSetChange> changes = {};
  };
  Use use(const SeenPod& pod);
  std::vector<NodeSetChange> give_back(const std::string& set);

  /// Pods with these anti-affinities came to a node, or left it. `asks_again`: there is an anti-affinity
  /// more, or less, so the set of every waiting pod has to be looked up again.
  struct Repelled {
    std::vector<NodeSetChange> changes = {};
    bool asks_again = false;
  };
  Repelled repel(const std::vector<AntiAffinity>& terms, const std::string& node);
  Repelled stop_repelling(const std::vector<AntiAffinity>& terms, const std::string& node);

  /// The set that use() would give the pod.
  std::string set_of(const SeenPod& pod) const;

  bool has(const std::string& set, const std::string& node) const;
  std::vector<std::string> names() const;
  /// Of no set of that name: none.
  std::set<std::string> nodes_of(const std::string& set) const;
  std::size_t size() const { return sets_.size(); }

 private:
  struct Set {
    PlacementRule rule;
    std::string named;               // the only node that the rule allows, where it names one
    std::vector<std::string> terms;  // that pick its pods, in words
    std::int64_t uses = 0;
    std::set<std::string> nodes = {};
  };
  struct Term {
    AntiAffinity term;
    std::map<std::string, std::int64_t> on = {};  // pods that have it, by node
    std::set<std::string> domains = {};           // values of the topology label of those nodes
  };

  std::vector<std::string> terms_that_pick(const SeenPod& pod) const;
  bool is_allowed(const Set& set, const NodeRow& node) const;
  static bool is_repelled(const Term& term, const NodeRow& node);
  void find_domains(Term& term) const;
  void evaluate(const std::string& name, Set& set, const NodeRow& node,
                std::map<std::string, NodeSetChange>& changes) const;
  std::vector<NodeSetChange> evaluate_all(const std::set<std::string>& terms);
  std::vector<NodeSetChange> drop_unused();

  std::map<std::string, NodeRow> nodes_ = {};
  std::map<std::string, Set> sets_ = {};    // by name
  std::size_t unused_ = 0;                  // sets that no pod uses
  std::map<std::string, Term> terms_ = {};  // by words
};

}  // namespace mirab::kubernetes
