// A pod as the API server has it, and what of it the scheduler reads.
#include "kubernetes/scheduler/seen_pod.hpp"

#include <algorithm>
#include <charconv>

#include "kubernetes/node_rows.hpp"
#include "kubernetes/scheduler/pod_fields.hpp"

namespace mirab::kubernetes {
namespace {

constexpr const char* kSource = "API server";  // in place of a file

std::string_view text_of_pod(const Object& pod, std::string_view pointer) {
  const Node* node = value_at(*pod.root, pointer);
  return node == nullptr ? std::string_view() : std::string_view(node->text);
}

bool has_entries(const Object& pod, std::string_view pointer) {
  const Node* node = value_at(*pod.root, pointer);
  return node != nullptr && !node->entries.empty();
}

void note_fault(SeenPod& seen, const Error& error) {
  if (!seen.unsupported.empty()) return;
  seen.unsupported = error.key;
  seen.fault = error.message;
}

// spec.os asks for the label by which nodes name theirs.
void ask_for_os(const Object& pod, PlacementRule& rule) {
  const std::string_view os = text_of_pod(pod, "/spec/os/name");
  if (os.empty()) return;
  const std::string label = "kubernetes.io/os";
  const auto [own, is_new] = rule.selector.emplace(label, os);
  if (!is_new && own->second != os) {
    // Two values of one label are on no node.
    rule.terms = std::vector<std::vector<Requirement>>();
  }
}

}  // namespace

Result<SeenPod> read_seen_pod(const Object& pod) {
  SeenPod seen{.uid = std::string(pod.metadata("uid")),
               .space = std::string(pod.metadata("namespace")),
               .name = std::string(pod.name()),
               .scheduler = std::string(text_of_pod(pod, "/spec/schedulerName")),
               .node = std::string(text_of_pod(pod, "/spec/nodeName"))};
  if (seen.uid.empty()) return Error{.message = "missing", .key = "metadata.uid", .file = kSource};
  if (seen.name.empty() || !is_name(seen.name) || !is_name(seen.space))
    return Error{.message = kNotAName, .key = "metadata.name", .file = kSource};
  if (seen.space.empty()) seen.space = "default";
  const std::string_view priority = text_of_pod(pod, "/spec/priority");
  std::from_chars(priority.data(), priority.data() + priority.size(), seen.priority);
  seen.created = wall_of(pod.metadata("creationTimestamp")).value_or(Wall());
  seen.is_done = is_done(pod);
  seen.is_ending = !pod.metadata("deletionTimestamp").empty();
  seen.is_gated = has_entries(pod, "/spec/schedulingGates");
  seen.labels = labels_of(pod);
  seen.repels = anti_affinities_of(pod);
  seen.preferences = preferences_of(pod);
  if (std::optional<std::string> field = unsupported_field(pod)) seen.unsupported = *std::move(field);

  if (Result<Amounts> requests = scheduled_requests(pod, kSource, {})) {
    seen.requests = *std::move(requests);
    // More than any node has; sums stay countable.
    for (auto& [resource, units] : seen.requests) units = std::min(units, kMaxUnits);
  } else {
    note_fault(seen, requests.error());
  }
  seen.requests[kPodsResource] = 1;
  if (Result<PlacementRule> rule = read_placement_rule(pod, kSource)) {
    seen.rule = *std::move(rule);
    ask_for_os(pod, seen.rule);
  } else {
    note_fault(seen, rule.error());
  }
  return seen;
}

}  // namespace mirab::kubernetes
