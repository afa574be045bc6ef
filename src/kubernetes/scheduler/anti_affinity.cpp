// Anti-affinity of pods that run, against pods that wait.
//
// Source: the Kubernetes API, core/v1, PodAntiAffinity and LabelSelector; "Assigning Pods to Nodes".
#include "kubernetes/scheduler/anti_affinity.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace mirab::kubernetes {
namespace {

constexpr std::string_view kRequired =
    "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution";

constexpr std::array<std::pair<std::string_view, Requirement::Operator>, 4> kSelectorOperators = {
    std::pair("In", Requirement::Operator::in), std::pair("NotIn", Requirement::Operator::not_in),
    std::pair("Exists", Requirement::Operator::exists),
    std::pair("DoesNotExist", Requirement::Operator::does_not_exist)};

bool is_given(const Node* node) { return node != nullptr && node->kind != Node::Kind::null; }

std::string text_under(const Node& map, std::string_view key) {
  const Node* found = map.find(key);
  return found == nullptr ? std::string() : found->text;
}

// An expression that is not understood is left out: the selector then picks more.
void read_expression(const Node& node, std::vector<Requirement>& selector) {
  const std::string op = text_under(node, "operator");
  const auto* const known = std::find_if(kSelectorOperators.begin(), kSelectorOperators.end(),
                                         [&](const auto& each) { return each.first == op; });
  if (known == kSelectorOperators.end()) return;
  Requirement read{.key = text_under(node, "key"), .op = known->second};
  if (const Node* values = node.find("values")) {
    for (const Node::Entry& each : values->entries) read.values.push_back(each.value.text);
  }
  selector.push_back(std::move(read));
}

AntiAffinity read_term(const Node& node, std::string_view space) {
  AntiAffinity term{.topology = text_under(node, "topologyKey"), .spaces = {}, .selector = {}};
  const Node* spaces = node.find("namespaces");
  if (spaces != nullptr) {
    for (const Node::Entry& each : spaces->entries) term.spaces.push_back(each.value.text);
  }
  term.all_spaces = is_given(node.find("namespaceSelector"));
  if (term.spaces.empty()) term.spaces.emplace_back(space);
  const Node* selector = node.find("labelSelector");
  term.none = !is_given(selector);
  if (!term.none) term.selector = read_selector(*selector);
  return term;
}

}  // namespace

std::vector<Requirement> read_selector(const Node& selector) {
  std::vector<Requirement> read;
  if (const Node* labels = selector.find("matchLabels")) {
    for (const Node::Entry& each : labels->entries)
      read.push_back({.key = each.key, .op = Requirement::Operator::in, .values = {each.value.text}});
  }
  if (const Node* expressions = selector.find("matchExpressions")) {
    for (const Node::Entry& each : expressions->entries) read_expression(each.value, read);
  }
  return read;
}

std::vector<AntiAffinity> anti_affinities_of(const Object& pod) {
  std::vector<AntiAffinity> terms;
  const Node* required = value_at(*pod.root, kRequired);
  if (required == nullptr) return terms;
  for (const Node::Entry& each : required->entries)
    terms.push_back(read_term(each.value, pod.metadata("namespace")));
  return terms;
}

bool picks(const AntiAffinity& term, std::string_view space, const NodeLabels& labels) {
  if (term.none) return false;
  if (!term.all_spaces && std::find(term.spaces.begin(), term.spaces.end(), space) == term.spaces.end())
    return false;
  return std::all_of(term.selector.begin(), term.selector.end(),
                     [&](const Requirement& each) { return holds(each, "", labels); });
}

std::string words_of(const AntiAffinity& term) {
  std::string words =
      fmt::format("{}:{} {} {} ", term.topology.size(), term.topology, term.all_spaces, term.none);
  for (const std::string& each : term.spaces) words += fmt::format("{}:{} ", each.size(), each);
  for (const Requirement& each : term.selector) {
    words += fmt::format("| {}:{} {} ", each.key.size(), each.key, static_cast<int>(each.op));
    for (const std::string& value : each.values) words += fmt::format("{}:{} ", value.size(), value);
  }
  return words;
}

}  // namespace mirab::kubernetes
