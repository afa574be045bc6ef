#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/placement.hpp>
#include <mirab/model/result.hpp>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {

using NodeLabels = std::map<std::string, std::string>;

/// One condition on a node: on a label, or on its name.
struct Requirement {
  enum class Operator { in, not_in, exists, does_not_exist, above, below };
  std::string key;
  Operator op;
  std::vector<std::string> values = {};
  bool of_field = false;  ///< on metadata.name
};

/// Is the condition true of an object of this name with these labels? What is not there is in no list of
/// values.
bool holds(const Requirement& requirement, std::string_view name, const NodeLabels& labels);

/// Where a pod may be scheduled, as far as nodes alone decide it.
struct PlacementRule {
  NodeLabels selector;  ///< spec.nodeSelector
  std::optional<std::vector<std::vector<Requirement>>>
      terms;  ///< required node affinity: any of them, all in one
  std::vector<Toleration> tolerations;
};

/// Reads spec.nodeSelector, the required node affinity and the tolerations of a pod. Errors name file, line
/// and key: what is no such thing, an operator or effect that there is not.
Result<PlacementRule> read_placement_rule(const Object& pod, const std::string& file);

/// Reads the taints of a node.
/// Errors name file, line and key.
Result<std::vector<Taint>> read_taints(const Object& node, const std::string& file);

/// May a pod with this rule be scheduled on the node? PreferNoSchedule excludes no pod. As kube-scheduler's
/// filters NodeAffinity and TaintToleration.
bool allows(const PlacementRule& rule, std::string_view node, const NodeLabels& labels,
            const std::vector<Taint>& taints);

/// What keeps such a pod off the node, as one clause for people: `the node has the taint
/// dedicated=gpu:NoSchedule, which the pod does not tolerate`. Empty: the rule allows the node.
std::string objection(const PlacementRule& rule, std::string_view node, const NodeLabels& labels,
                      const std::vector<Taint>& taints);

/// The rule for people: `node selector pool=gpu; node affinity zone in (a, b); tolerates no taints`.
std::string describe(const PlacementRule& rule);

/// The rule in words that no other rule has: rules of the same words allow the same nodes.
std::string words_of(const PlacementRule& rule);

/// What the rule asks of labels, as a cluster file says it; nothing when it cannot: several terms of which
/// one must hold, a node by its name, no node at all, or a number that is none.
std::optional<std::map<std::string, LabelCondition>> selected_labels(const PlacementRule& rule);

/// The node that the rule names, as those of daemon sets do; empty when it names none.
std::string_view named_node(const PlacementRule& rule);

}  // namespace mirab::kubernetes
