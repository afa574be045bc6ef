// A pod as the API server has it, and what of it the scheduler reads.
#include "kubernetes/scheduler/seen_pod.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <system_error>
#include <utility>

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

// Gangs as Mirab's guide has them, and those of Kueue.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kGangKeys = {
    std::pair("mirab.io/gang", "mirab.io/gang-size"),
    std::pair("kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count")};
constexpr std::int64_t kLargestGang = 100'000;  // of the engine

// A label, or else an annotation.
std::string mark_of(const Object& pod, std::string_view key) {
  for (const std::string_view map : {"/metadata/labels", "/metadata/annotations"}) {
    const Node* marks = value_at(*pod.root, map);
    const Node* mark = marks == nullptr ? nullptr : marks->find(key);
    if (mark != nullptr && !mark->text.empty()) return mark->text;
  }
  return {};
}

void read_gang(const Object& pod, SeenPod& seen) {
  for (const auto& [name_key, size_key] : kGangKeys) {
    seen.gang = mark_of(pod, name_key);
    if (seen.gang.empty()) continue;
    const std::string size = mark_of(pod, size_key);
    const char* end = size.data() + size.size();
    const auto [read, wrong] = std::from_chars(size.data(), end, seen.gang_size);
    if (wrong != std::errc() || read != end || seen.gang_size < 1 || seen.gang_size > kLargestGang) {
      seen.gang_size = 0;
      note_fault(seen, Error{.message = fmt::format("must be a whole number from 1 to {}", kLargestGang),
                             .key = fmt::format("metadata.labels[{}]", size_key)});
    }
    if (seen.gang_size == 1) seen.gang.clear();
    return;
  }
}

// Of the condition PodScheduled, when it is False.
std::string unscheduled_since(const Object& pod) {
  const Node* conditions = value_at(*pod.root, "/status/conditions");
  if (conditions == nullptr) return {};
  for (const Node::Entry& each : conditions->entries) {
    const auto text = [&](std::string_view key) {
      const Node* found = each.value.find(key);
      return found == nullptr ? std::string() : found->text;
    };
    if (text("type") == "PodScheduled" && text("status") == "False") return text("lastTransitionTime");
  }
  return {};
}

bool has_controller(const Object& pod) {
  const Node* owners = value_at(*pod.root, "/metadata/ownerReferences");
  if (owners == nullptr) return false;
  return std::any_of(owners->entries.begin(), owners->entries.end(), [](const Node::Entry& each) {
    const Node* controls = each.value.find("controller");
    return controls != nullptr && controls->text == "true";
  });
}

// The API server adds five random letters and digits to `generateName`, of which it takes 58 characters at
// most. A controller may set `generateName` and number its pods itself, as of a StatefulSet.
bool has_generated_name(const Object& pod) {
  constexpr std::size_t kRandom = 5;
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz";
  const std::string_view name = pod.name();
  const std::string_view base = pod.metadata("generateName").substr(0, 58);
  if (base.empty() || name.size() != base.size() + kRandom || !name.starts_with(base)) return false;
  const std::string_view end = name.substr(base.size());
  return end.find_first_not_of("bcdfghjklmnpqrstvwxz2456789") == std::string_view::npos &&
         end.find_first_of(kLetters) != std::string_view::npos;
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
  seen.has_generated_name = has_generated_name(pod);
  seen.created = wall_of(pod.metadata("creationTimestamp")).value_or(Wall());
  seen.is_done = is_done(pod);
  seen.is_ending = !pod.metadata("deletionTimestamp").empty();
  seen.is_gated = has_entries(pod, "/spec/schedulingGates");
  seen.labels = labels_of(pod);
  seen.repels = anti_affinities_of(pod);
  seen.preferences = preferences_of(pod);
  seen.has_controller = has_controller(pod);
  seen.never_preempts = text_of_pod(pod, "/spec/preemptionPolicy") == "Never";
  seen.unscheduled_since = unscheduled_since(pod);
  const std::string_view grace = text_of_pod(pod, "/spec/terminationGracePeriodSeconds");
  std::int64_t grace_s = 30;
  std::from_chars(grace.data(), grace.data() + grace.size(), grace_s);
  seen.grace = std::chrono::seconds(std::clamp<std::int64_t>(grace_s, 0, 24 * 3600));
  if (std::optional<std::string> field = unsupported_field(pod)) seen.unsupported = *std::move(field);
  read_gang(pod, seen);

  if (Result<Amounts> requests = scheduled_requests(pod, kSource, {})) {
    seen.requests = *std::move(requests);
    // One more than the largest node counts with; sums stay countable.
    for (auto& [resource, units] : seen.requests) units = std::min(units, kMaxUnits + 1);
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

bool is_rejected(const Object& pod) {
  const std::string_view reason = text_of_pod(pod, "/status/reason");
  return text_of_pod(pod, "/status/phase") == "Failed" && !text_of_pod(pod, "/spec/nodeName").empty() &&
         (reason.starts_with("OutOf") || reason == "NodeAffinity" || reason == "NodePorts");
}

}  // namespace mirab::kubernetes
