#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include <mirab/kubernetes/manifests.hpp>

#include "kubernetes/objects.hpp"
#include "kubernetes/yaml_edit.hpp"

namespace mirab::kubernetes {
namespace {

using Json = nlohmann::ordered_json;

// What a container's manifest shall hold.
std::vector<Setting> settings_of(const std::vector<std::string>& resources, const Container& container,
                                 const std::vector<Units>& limits) {
  Setting limited{.key = "limits"}, requested{.key = "requests"};
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const Need& need = container.needs[r];
    limited.below.push_back({.key = resources[r], .scalar = units_text(resources[r], limits[r])});
    if (!need.request_written)
      requested.below.push_back({.key = resources[r], .scalar = units_text(resources[r], need.request)});
  }
  Setting all{.key = "resources", .below = {std::move(limited)}};
  if (!requested.below.empty()) all.below.push_back(std::move(requested));
  return {std::move(all)};
}

void set(Json& json, const std::vector<Setting>& settings) {
  for (const Setting& each : settings) {
    if (each.below.empty()) {
      json[each.key] = each.scalar;
    } else {
      set(json[each.key], each.below);
    }
  }
}

// Calls `visit` with every container and its settings.
template <class Visit>
void for_each_container(const Pods& pods, const Limits& limits, const Visit& visit) {
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const Workload& workload = pods.workloads[w];
    for (std::size_t c = 0; c < workload.containers.size(); ++c) {
      visit(workload, workload.containers[c],
            settings_of(pods.resources, workload.containers[c], limits.workloads[w].limits[c]));
    }
  }
}

void set(Node& map, const std::vector<Setting>& settings) {
  map.kind = Node::Kind::map;
  for (const Setting& each : settings) {
    auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                              [&](const Node::Entry& other) { return other.key == each.key; });
    if (entry == map.entries.end()) {
      map.entries.push_back({.key = each.key, .line = 0, .column = 0, .value = {}});
      entry = map.entries.end() - 1;
    }
    if (!each.below.empty()) {
      set(entry->value, each.below);
      continue;
    }
    entry->value.kind = Node::Kind::scalar;
    entry->value.text = each.scalar;
  }
}

// Do both hold the same, wherever it stands and whatever the order of keys?
bool same(const Node& one, const Node& other) {
  if (one.kind != other.kind || one.text != other.text || one.entries.size() != other.entries.size())
    return false;
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    const bool keyed = one.kind == Node::Kind::map;
    const Node* counterpart = keyed ? other.find(one.entries[i].key) : &other.entries[i].value;
    if (counterpart == nullptr || !same(one.entries[i].value, *counterpart)) return false;
  }
  return true;
}

// The text edited, and read again: it must hold the same documents with the settings in them, and no more.
std::optional<std::string> edited_and_read_again(std::string_view text, std::vector<Node>& documents,
                                                 const std::vector<MapEdit>& edits) {
  std::string edited = edited_yaml(text, edits);
  std::istringstream input(edited);
  const Result<std::vector<Node>> again = read_documents(input, Syntax::yaml, "");
  for (const MapEdit& edit : edits) set(*edit.map, edit.settings);
  if (!again || !std::equal(documents.begin(), documents.end(), again->begin(), again->end(), same))
    return std::nullopt;
  return edited;
}

Result<std::string> edited_json(std::string_view text, const std::string& file, const Pods& pods,
                                const Limits& limits) {
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return Error{.message = "is not JSON", .file = file};
  for_each_container(pods, limits, [&](const Workload&, const Container& container, const auto& settings) {
    set(document[Json::json_pointer(container.pointer)], settings);
  });
  constexpr int kIndentOfKubectl = 4;
  return document.dump(kIndentOfKubectl) + "\n";
}

}  // namespace

Result<std::string> with_limits(std::string_view text, Syntax syntax, const std::string& file,
                                const Pods& pods, const Limits& limits) {
  if (!limits.recalculated) return std::string(text);
  if (syntax == Syntax::json) return edited_json(text, file, pods, limits);
  std::istringstream input{std::string(text)};
  Result<std::vector<Node>> documents = read_documents(input, syntax, file);
  if (!documents) return std::move(documents).error();
  std::vector<MapEdit> edits;
  for_each_container(pods, limits, [&](const Workload& workload, const Container& container, auto settings) {
    Node* map = value_at((*documents)[workload.document], container.pointer);
    edits.push_back({map, std::move(settings)});
  });
  if (std::optional<std::string> edited = edited_and_read_again(text, *documents, edits))
    return *std::move(edited);
  return Error{.message = "the limits cannot be written into this text; print them with --patch instead",
               .file = file};
}

}  // namespace mirab::kubernetes
