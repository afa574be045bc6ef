// Where a pod may be scheduled: node selector, required node affinity, taints and tolerations.
//
// Source: the Kubernetes API, core/v1, NodeSelectorTerm, Taint and Toleration; "Assigning Pods to Nodes";
// "Taints and Tolerations"; KEP 5471 for tolerations with Gt and Lt.
#include "kubernetes/placement_rules.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "model/names.hpp"
#include "model/placement_text.hpp"

namespace mirab::kubernetes {
namespace {

using Operator = Requirement::Operator;
using Tolerates = Toleration::Operator;

struct OperatorName {
  std::string_view name;
  Operator op;
};

struct ToleratesName {
  std::string_view name;
  Tolerates op;
};

constexpr std::array kOperators = {
    OperatorName{"In", Operator::in},         OperatorName{"NotIn", Operator::not_in},
    OperatorName{"Exists", Operator::exists}, OperatorName{"DoesNotExist", Operator::does_not_exist},
    OperatorName{"Gt", Operator::above},      OperatorName{"Lt", Operator::below}};

constexpr std::array kTolerates = {
    ToleratesName{"", Tolerates::equal}, ToleratesName{"Equal", Tolerates::equal},
    ToleratesName{"Exists", Tolerates::exists}, ToleratesName{"Gt", Tolerates::above},
    ToleratesName{"Lt", Tolerates::below}};

constexpr std::string_view kRequired =
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

/// Reads parts of one object and remembers the first thing that is wrong.
class PartReader {
 public:
  PartReader(const Object& object, const std::string& file) : object_(object), file_(file) {}

  const Check& error() const { return error_; }

  PlacementRule rule() {
    PlacementRule rule;
    for (const Node::Entry& each : entries(at("/spec/nodeSelector"), Node::Kind::map, "spec.nodeSelector"))
      rule.selector.emplace(each.key, text(each.value, "spec.nodeSelector." + each.key));
    const std::string affinity = key_of(kRequired);
    if (const Node* required = at(kRequired)) {
      const std::string key = affinity + ".nodeSelectorTerms";
      rule.terms.emplace();
      for (const Node::Entry& term : entries(required->find("nodeSelectorTerms"), Node::Kind::list, key))
        rule.terms->push_back(requirements(term.value, fmt::format("{}[{}]", key, rule.terms->size())));
    }
    for (const Node::Entry& each : entries(at("/spec/tolerations"), Node::Kind::list, "spec.tolerations"))
      rule.tolerations.push_back(
          toleration(each.value, fmt::format("spec.tolerations[{}]", rule.tolerations.size())));
    return rule;
  }

  std::vector<Taint> taints() {
    std::vector<Taint> taints;
    for (const Node::Entry& each : entries(at("/spec/taints"), Node::Kind::list, "spec.taints")) {
      const std::string key = fmt::format("spec.taints[{}]", taints.size());
      taints.push_back({.key = text_in(each.value, "key", key),
                        .value = text_in(each.value, "value", key),
                        .effect = effect(each.value, key)});
      if (taints.back().key.empty()) fail(key + ".key", "missing", each.value.line);
      if (taints.back().effect.empty()) fail(key + ".effect", "missing", each.value.line);
    }
    return taints;
  }

 private:
  const Node* at(std::string_view pointer) const {
    const Node* node = value_at(*object_.root, pointer);
    return node == nullptr || node->kind == Node::Kind::null ? nullptr : node;
  }

  const std::vector<Node::Entry>& entries(const Node* node, Node::Kind kind, const std::string& key) {
    static const std::vector<Node::Entry> kNone;
    if (node == nullptr || node->kind == Node::Kind::null) return kNone;
    if (node->kind == kind) return node->entries;
    fail(key, kind == Node::Kind::list ? "must be a list" : "must be a map of keys and values", node->line);
    return kNone;
  }

  std::string text(const Node& node, const std::string& key) {
    if (node.kind == Node::Kind::list || node.kind == Node::Kind::map) fail(key, "must be a text", node.line);
    return node.text;
  }

  std::string text_in(const Node& map, std::string_view name, const std::string& key) {
    const Node* node = map.find(name);
    return node == nullptr ? std::string() : text(*node, fmt::format("{}.{}", key, name));
  }

  std::vector<Requirement> requirements(const Node& term, const std::string& key) {
    std::vector<Requirement> all;
    for (const auto& [list, of_field] :
         {std::pair("matchExpressions", false), std::pair("matchFields", true)}) {
      const std::string list_key = fmt::format("{}.{}", key, list);
      std::size_t number = 0;
      for (const Node::Entry& each : entries(term.find(list), Node::Kind::list, list_key))
        all.push_back(requirement(each.value, of_field, fmt::format("{}[{}]", list_key, number++)));
    }
    return all;
  }

  Requirement requirement(const Node& node, bool of_field, const std::string& key) {
    Requirement read{.key = text_in(node, "key", key), .op = Operator::in, .of_field = of_field};
    const std::string written = text_in(node, "operator", key);
    const auto* op = std::find_if(kOperators.begin(), kOperators.end(),
                                  [&](const OperatorName& each) { return each.name == written; });
    if (op == kOperators.end()) {
      fail(key + ".operator",
           fmt::format("must be In, NotIn, Exists, DoesNotExist, Gt or Lt, not '{}'", written.substr(0, 40)),
           node.line);
      return read;
    }
    read.op = op->op;
    if (of_field && read.key != "metadata.name")
      fail(key + ".key", "of the fields only metadata.name can be matched", node.line);
    for (const Node::Entry& value : entries(node.find("values"), Node::Kind::list, key + ".values"))
      read.values.push_back(text(value.value, fmt::format("{}.values[{}]", key, read.values.size())));
    return read;
  }

  Toleration toleration(const Node& node, const std::string& key) {
    const std::string written = text_in(node, "operator", key);
    const auto* op = std::find_if(kTolerates.begin(), kTolerates.end(),
                                  [&](const ToleratesName& each) { return each.name == written; });
    if (op == kTolerates.end()) {
      fail(key + ".operator", fmt::format("must be Exists, Equal, Gt or Lt, not '{}'", written.substr(0, 40)),
           node.line);
    }
    return {.key = text_in(node, "key", key),
            .op = op == kTolerates.end() ? Tolerates::equal : op->op,
            .value = text_in(node, "value", key),
            .effect = effect(node, key)};
  }

  std::string effect(const Node& node, const std::string& key) {
    std::string read = text_in(node, "effect", key);
    if (const Check wrong = read.empty() ? Check() : check_effect(read))
      fail(key + ".effect", wrong->message, node.line);
    return read;
  }

  void fail(const std::string& key, std::string message, int line) {
    if (error_) return;
    error_ = Error{.message = std::move(message), .key = object_.key(key), .file = file_, .line = line};
  }

  const Object& object_;
  const std::string& file_;
  Check error_;
};

const Taint* first_untolerated(const PlacementRule& rule, const std::vector<Taint>& taints) {
  const auto found = std::find_if(taints.begin(), taints.end(), [&](const Taint& taint) {
    return taint.keeps_off() && !is_tolerated(taint, rule.tolerations);
  });
  return found == taints.end() ? nullptr : &*found;
}

/// The first label that the selector asks for, and the node does not have so.
const NodeLabels::value_type* first_other_label(const PlacementRule& rule, const NodeLabels& labels) {
  const auto found = std::find_if(rule.selector.begin(), rule.selector.end(), [&](const auto& asked) {
    const auto own = labels.find(asked.first);
    return own == labels.end() || own->second != asked.second;
  });
  return found == rule.selector.end() ? nullptr : &*found;
}

bool meets_affinity(const PlacementRule& rule, std::string_view node, const NodeLabels& labels) {
  if (!rule.terms) return true;
  return std::any_of(rule.terms->begin(), rule.terms->end(), [&](const std::vector<Requirement>& term) {
    return !term.empty() && std::all_of(term.begin(), term.end(),
                                        [&](const Requirement& each) { return holds(each, node, labels); });
  });
}

std::string few_of(const std::vector<std::string>& texts) {
  constexpr std::size_t kMostNamed = 8;
  return first_names(std::vector<std::string_view>(texts.begin(), texts.end()), kMostNamed);
}

std::string requirement_text(const Requirement& requirement) {
  const std::string& key = requirement.key;
  const std::string values = few_of(requirement.values);
  switch (requirement.op) {
    case Operator::in:
      return fmt::format("{} in ({})", key, values);
    case Operator::not_in:
      return fmt::format("{} not in ({})", key, values);
    case Operator::exists:
      return fmt::format("a label {}", key);
    case Operator::does_not_exist:
      return fmt::format("no label {}", key);
    case Operator::above:
      return fmt::format("{} > {}", key, values);
    case Operator::below:
      break;
  }
  return fmt::format("{} < {}", key, values);
}

/// `zone in (a, b) and a label ssd, or pool in (c)`.
std::string affinity_text(const std::vector<std::vector<Requirement>>& terms) {
  std::string text;
  for (const std::vector<Requirement>& term : terms) {
    std::string all;
    for (const Requirement& each : term) all += (all.empty() ? "" : " and ") + requirement_text(each);
    text += (text.empty() ? "" : ", or ") + (all.empty() ? "nothing" : all);
  }
  return text.empty() ? "no node" : text;
}

std::string_view word_of(Tolerates op) {
  switch (op) {
    case Tolerates::exists:
      return "*";
    case Tolerates::above:
      return ">";
    case Tolerates::below:
      return "<";
    case Tolerates::equal:
      break;
  }
  return "=";
}

/// As the cluster file writes it, but for `all taints`.
std::string tolerated_text(const Toleration& toleration) {
  if (!toleration.key.empty()) return toleration_text(toleration);
  if (toleration.op != Tolerates::exists) return "nothing";
  return toleration.effect.empty() ? "all taints" : "all taints:" + toleration.effect;
}

/// What the requirement asks of a label; nothing where it bounds it by no number, and so never holds.
std::optional<LabelCondition> condition_of(const Requirement& requirement) {
  LabelCondition condition;
  switch (requirement.op) {
    case Operator::in:
      condition.any_of = requirement.values;
      return condition;
    case Operator::not_in:
      condition.none_of = requirement.values;
      return condition;
    case Operator::exists:
    case Operator::does_not_exist:
      condition.exists = requirement.op == Operator::exists;
      return condition;
    case Operator::above:
    case Operator::below:
      break;
  }
  if (requirement.values.size() != 1) return {};
  const std::optional<std::int64_t> bound = whole_number(requirement.values[0]);
  if (!bound) return {};
  (requirement.op == Operator::above ? condition.above : condition.below) = bound;
  return condition;
}

}  // namespace

bool holds(const Requirement& requirement, std::string_view node, const NodeLabels& labels) {
  std::optional<std::string_view> value;
  if (requirement.of_field) {
    value = node;
  } else if (const auto found = labels.find(requirement.key); found != labels.end()) {
    value = found->second;
  }
  const auto is_listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), *value) !=
           requirement.values.end();
  };
  switch (requirement.op) {
    case Operator::in:
      return value && is_listed();
    case Operator::not_in:
      return !value || !is_listed();
    case Operator::exists:
      return value.has_value();
    case Operator::does_not_exist:
      return !value;
    case Operator::above:
    case Operator::below:
      break;
  }
  if (!value || requirement.values.size() != 1) return false;
  const std::optional<std::int64_t> number = whole_number(*value),
                                    bound = whole_number(requirement.values[0]);
  if (!number || !bound) return false;
  return requirement.op == Operator::above ? *number > *bound : *number < *bound;
}

Result<PlacementRule> read_placement_rule(const Object& pod, const std::string& file) {
  PartReader reader(pod, file);
  PlacementRule rule = reader.rule();
  if (reader.error()) return *reader.error();
  return rule;
}

Result<std::vector<Taint>> read_taints(const Object& node, const std::string& file) {
  PartReader reader(node, file);
  std::vector<Taint> taints = reader.taints();
  if (reader.error()) return *reader.error();
  return taints;
}

bool allows(const PlacementRule& rule, std::string_view node, const NodeLabels& labels,
            const std::vector<Taint>& taints) {
  return first_untolerated(rule, taints) == nullptr && first_other_label(rule, labels) == nullptr &&
         meets_affinity(rule, node, labels);
}

std::string objection(const PlacementRule& rule, std::string_view node, const NodeLabels& labels,
                      const std::vector<Taint>& taints) {
  if (const Taint* const taint = first_untolerated(rule, taints))
    return fmt::format("the node has the taint {}{}{}:{}, which the pod does not tolerate", taint->key,
                       taint->value.empty() ? "" : "=", taint->value, taint->effect);
  if (const auto* const asked = first_other_label(rule, labels)) {
    const auto found = labels.find(asked->first);
    return found == labels.end()
               ? fmt::format("the node has no label {}, and the pod's node selector asks for {}={}",
                             asked->first, asked->first, asked->second)
               : fmt::format("the node has {}={}, and the pod's node selector asks for {}={}", asked->first,
                             found->second, asked->first, asked->second);
  }
  if (!meets_affinity(rule, node, labels))
    return fmt::format("the node does not meet the pod's node affinity: {}", affinity_text(*rule.terms));
  return {};
}

std::string describe(const PlacementRule& rule) {
  std::string text;
  for (const auto& [label, value] : rule.selector)
    text += fmt::format("{}{}={}", text.empty() ? "node selector " : ", ", label, value);
  if (rule.terms)
    text += fmt::format("{}node affinity {}", text.empty() ? "" : "; ", affinity_text(*rule.terms));
  std::vector<std::string> tolerated;
  for (const Toleration& each : rule.tolerations) tolerated.push_back(tolerated_text(each));
  return fmt::format("{}tolerates {}", text.empty() ? "" : text + "; ",
                     tolerated.empty() ? "no taints" : few_of(tolerated));
}

std::string words_of(const PlacementRule& rule) {
  std::string words;
  const auto add = [&](std::string_view word) { words += fmt::format("{}:{} ", word.size(), word); };
  for (const auto& [label, value] : rule.selector) add(label), add(value);
  words += "| ";
  for (const Toleration& each : rule.tolerations) {
    add(each.key), add(word_of(each.op));
    add(each.value), add(each.effect);
  }
  if (!rule.terms) return words;
  for (const std::vector<Requirement>& term : *rule.terms) {
    words += "| ";
    for (const Requirement& each : term) {
      add(each.key);
      words +=
          fmt::format("{}{}{} ", static_cast<int>(each.op), each.of_field ? "f" : "", each.values.size());
      for (const std::string& value : each.values) add(value);
    }
  }
  return words + "|";
}

std::optional<std::map<std::string, LabelCondition>> selected_labels(const PlacementRule& rule) {
  std::map<std::string, LabelCondition> select;
  for (const auto& [label, value] : rule.selector) select.emplace(label, LabelCondition{value});
  if (!rule.terms) return select;
  if (rule.terms->size() != 1 || rule.terms->front().empty()) return {};
  for (const Requirement& each : rule.terms->front()) {
    const std::optional<LabelCondition> condition = each.of_field ? std::nullopt : condition_of(each);
    if (!condition) return {};
    LabelCondition& own = select[each.key];
    own = both(std::move(own), *condition);
    if (own.any_of && own.any_of->empty()) return {};
  }
  return select;
}

std::string_view named_node(const PlacementRule& rule) {
  if (!rule.terms || rule.terms->size() != 1) return {};
  for (const Requirement& each : rule.terms->front()) {
    if (each.of_field && each.op == Operator::in && each.values.size() == 1) return each.values[0];
  }
  return {};
}

}  // namespace mirab::kubernetes
