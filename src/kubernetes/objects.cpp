// API objects of a text, and how many pods each runs.
#include "kubernetes/objects.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

#include <mirab/kubernetes/amounts.hpp>

namespace mirab::kubernetes {
namespace {

std::string_view text_at(const Node& map, std::string_view key) {
  const Node* value = map.find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

void collect(const Node& node, std::string_view implied_kind, const std::string& pointer,
             std::size_t document, std::vector<Object>& objects) {
  if (node.kind != Node::Kind::map) return;
  const std::string_view written = text_at(node, "kind");
  const std::string_view kind = written.empty() ? implied_kind : written;
  const Node* items = node.find("items");
  if (!kind.ends_with("List") || items == nullptr || items->kind != Node::Kind::list) {
    objects.push_back({.kind = std::string(kind), .root = &node, .pointer = pointer, .document = document});
    return;
  }
  for (std::size_t i = 0; i < items->entries.size(); ++i) {
    collect(items->entries[i].value, kind.substr(0, kind.size() - 4), fmt::format("{}/items/{}", pointer, i),
            document, objects);
  }
}

// One step down; an index into a list or a key of a map.
const Node* step(const Node& node, std::string_view name) {
  if (node.kind != Node::Kind::list) return node.find(name);
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool there =
      failure == std::errc{} && end == name.data() + name.size() && index < node.entries.size();
  return there ? &node.entries[index].value : nullptr;
}

// Calls `visit` with each step of a pointer, while it returns true.
template <class Visit>
void for_each_step(std::string_view pointer, const Visit& visit) {
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view name = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(name.size());
    if (!visit(name)) return;
  }
}

}  // namespace

std::string_view Object::metadata(std::string_view key) const {
  const Node* map = root->find("metadata");
  return map == nullptr ? std::string_view() : text_at(*map, key);
}

std::string Object::key(std::string_view within) const {
  const std::string own = key_of(pointer);
  return own.empty() ? std::string(within) : fmt::format("{}.{}", own, within);
}

bool is_name(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string_view::npos;
}

bool is_dns_label(std::string_view text) {
  constexpr std::size_t kMostCharacters = 63;
  return !text.empty() && text.size() <= kMostCharacters && is_name(text) &&
         text.find('.') == std::string_view::npos && text.front() != '-' && text.back() != '-';
}

namespace {

// The items of a `List`, and of the lists in it, are lists; or null, as an empty one is written.
Check check_lists(const Node& node, const std::string& pointer) {
  if (node.kind != Node::Kind::map || !text_at(node, "kind").ends_with("List")) return {};
  const Node* items = node.find("items");
  if (items == nullptr || items->kind == Node::Kind::null) return {};
  if (items->kind != Node::Kind::list)
    return Error{
        .message = "must be a list of objects", .key = key_of(pointer + "/items"), .line = items->line};
  for (std::size_t i = 0; i < items->entries.size(); ++i) {
    if (Check wrong = check_lists(items->entries[i].value, fmt::format("{}/items/{}", pointer, i)))
      return wrong;
  }
  return {};
}

constexpr std::string_view kStartOfLog = "\n==== START logs for container ";

// kubectl prints a log as it is: where that has no line end of its own, the last mark follows it at once.
std::string without_logs(std::string_view text) {
  constexpr std::string_view kEnd = "==== END logs for container ";
  std::string kept;
  while (true) {
    const std::size_t log = text.find(kStartOfLog);
    kept += text.substr(0, log);
    if (log == std::string_view::npos) return kept;
    const std::size_t end = text.find('\n', std::min(text.find(kEnd, log), text.size()));
    const std::string_view passed = text.substr(log, end == std::string_view::npos ? end : end - log);
    kept.append(static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n')), '\n');
    text.remove_prefix(log + passed.size());
  }
}

// JSON where it begins so.
Syntax syntax_of(std::string_view text, Syntax otherwise) {
  constexpr std::string_view kBlank = " \t\r\n";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos || text[first] != '{') return otherwise;
  const std::size_t second = text.find_first_not_of(kBlank, first + 1);
  return second != std::string_view::npos && text[second] == '"' ? Syntax::json : otherwise;
}

}  // namespace

ObjectsText objects_text(std::string_view text, Syntax syntax) {
  return {.text = without_logs(text), .syntax = syntax_of(text, syntax)};
}

Result<std::vector<Node>> read_object_documents(std::string_view text, Syntax syntax,
                                                const std::string& file) {
  const bool has_logs = text.find(kStartOfLog) != std::string_view::npos;
  const std::string kept = has_logs ? without_logs(text) : std::string();
  Result<std::vector<Node>> documents =
      read_documents(has_logs ? std::string_view(kept) : text, syntax_of(text, syntax), file);
  if (!documents) return documents;
  if (Check wrong = check_lists(*documents, file)) return *std::move(wrong);
  return documents;
}

Check check_lists(const std::vector<Node>& documents, const std::string& file) {
  for (const Node& document : documents) {
    Check wrong = check_lists(document, std::string());
    if (!wrong) continue;
    wrong->file = file;
    return wrong;
  }
  return {};
}

std::vector<Object> objects_of(const std::vector<Node>& documents) {
  std::vector<Object> objects;
  for (std::size_t i = 0; i < documents.size(); ++i) collect(documents[i], "", "", i, objects);
  return objects;
}

const Node* value_at(const Node& root, std::string_view pointer) {
  const Node* node = &root;
  for_each_step(pointer, [&](std::string_view name) { return (node = step(*node, name)) != nullptr; });
  return node;
}

Node* value_at(Node& root, std::string_view pointer) {
  return const_cast<Node*>(value_at(std::as_const(root), pointer));
}

std::string key_of(std::string_view pointer) {
  std::string key;
  for_each_step(pointer, [&](std::string_view name) {
    const bool index = name.find_first_not_of("0123456789") == std::string_view::npos;
    key += index ? fmt::format("[{}]", name) : fmt::format("{}{}", key.empty() ? "" : ".", name);
    return true;
  });
  return key;
}

// How many pods an object runs at once.
//
//   replicas                                  of Deployments and the like, 1 where it is not written
//   min(parallelism, completions - succeeded) of Jobs; without completions, parallelism
//   0                                         of what is suspended
//
// Source: Kubernetes, "Jobs", parallel execution and suspending; "CronJob", schedule suspension.
// Known failure: a CronJob counts as one of its jobs, also where concurrencyPolicy lets several overlap.

namespace {

constexpr std::string_view kParallelism = "/parallelism";
constexpr std::int64_t kMostCompletions = std::numeric_limits<std::int32_t>::max();  // int32 in Kubernetes

std::string_view text_at(const Object& object, std::string_view pointer) {
  const Node* node = value_at(*object.root, pointer);
  return node == nullptr ? std::string_view() : std::string_view(node->text);
}

bool is_true(std::string_view text) { return text == "true" || text == "True" || text == "TRUE"; }

// Where none is written, `otherwise`.
Result<std::int64_t> number_at(const Object& object, std::string_view pointer, std::int64_t most,
                               std::int64_t otherwise, const std::string& file) {
  const Node* node = value_at(*object.root, pointer);
  if (node == nullptr || node->kind == Node::Kind::null) return otherwise;
  const Result<Quantity> number = read_number(node->text);
  const std::optional<std::int64_t> whole =
      number && number->exponent() >= 0 ? count_units(*number, 0, Rounding::down) : std::nullopt;
  if (whole && *whole <= most) return *whole;
  return Error{.message = fmt::format("must be a whole number from 0 to {}, not '{}'", most,
                                      std::string_view(node->text).substr(0, 40)),
               .key = key_of(object.pointer + std::string(pointer)),
               .file = file,
               .line = node->line};
}

// `job` is where the job's spec stands. What succeeded is known of jobs that run, not of a CronJob's
// template.
Result<std::int64_t> remaining_of_job(const Object& object, const std::string& job, const std::string& file) {
  const Result<std::int64_t> completions =
      number_at(object, job + "/completions", kMostCompletions, kMostCompletions, file);
  if (!completions || *completions == kMostCompletions || object.kind != "Job") return completions;
  const Result<std::int64_t> succeeded = number_at(object, "/status/succeeded", kMostCompletions, 0, file);
  if (!succeeded) return succeeded;
  return std::max<std::int64_t>(0, *completions - *succeeded);
}

}  // namespace

Result<std::int64_t> pods_run_by(const Object& object, std::string_view count, const std::string& file) {
  if (count.empty()) return std::int64_t{1};
  Result<std::int64_t> pods = number_at(object, count, kMaxContainers, 1, file);
  if (!pods || !count.ends_with(kParallelism)) return pods;
  const std::string job(count.substr(0, count.size() - kParallelism.size()));
  const Result<std::int64_t> remaining = remaining_of_job(object, job, file);
  if (!remaining) return remaining;
  if (is_true(text_at(object, job + "/suspend")) || is_true(text_at(object, "/spec/suspend")))
    return std::int64_t{0};
  return std::min(*pods, *remaining);
}

bool is_done(const Object& object) {
  const std::string_view phase = text_at(object, "/status/phase");
  if (object.kind == "Pod") return phase == "Succeeded" || phase == "Failed";
  const Node* conditions = object.kind == "Job" ? value_at(*object.root, "/status/conditions") : nullptr;
  if (conditions == nullptr) return false;
  const auto text_of = [](const Node& condition, std::string_view key) {
    const Node* value = condition.find(key);
    return value == nullptr ? std::string_view() : std::string_view(value->text);
  };
  return std::any_of(
      conditions->entries.begin(), conditions->entries.end(), [&](const Node::Entry& condition) {
        const std::string_view type = text_of(condition.value, "type");
        return (type == "Complete" || type == "Failed") && is_true(text_of(condition.value, "status"));
      });
}

std::string_view deployment_of(std::string_view replica_set, const Object& pod) {
  const std::string_view hash = text_at(pod, "/metadata/labels/pod-template-hash");
  if (hash.empty() || !replica_set.ends_with(hash)) return {};
  replica_set.remove_suffix(hash.size());
  if (!replica_set.ends_with('-')) return {};
  return replica_set.substr(0, replica_set.size() - 1);
}

bool is_static(const Object& pod) {
  const Node* annotations = value_at(*pod.root, "/metadata/annotations");
  return annotations != nullptr && annotations->find("kubernetes.io/config.mirror") != nullptr;
}

Owner owner_of(const Object& pod) {
  const Owner itself{"Pod", std::string(pod.name())};
  const Node* owners = value_at(*pod.root, "/metadata/ownerReferences");
  if (owners == nullptr || owners->kind != Node::Kind::list || owners->entries.empty()) return itself;
  const Node* owner = &owners->entries[0].value;
  for (const Node::Entry& each : owners->entries) {
    if (is_true(text_at(each.value, "controller"))) owner = &each.value;
  }
  const std::string_view kind = text_at(*owner, "kind"), name = text_at(*owner, "name");
  if (kind.empty() || name.empty()) return itself;
  if (const std::string_view deployment = deployment_of(name, pod);
      kind == "ReplicaSet" && !deployment.empty())
    return {"Deployment", std::string(deployment)};
  // A CronJob names its jobs after the minute for which they are meant, since 1970.
  constexpr std::size_t kMinuteDigits = 8;
  const std::size_t before = name.find_last_not_of("0123456789");
  if (kind == "Job" && before != std::string_view::npos && before > 0 && name[before] == '-' &&
      name.size() - before - 1 >= kMinuteDigits)
    return {"CronJob", std::string(name.substr(0, before))};
  return {std::string(kind), std::string(name)};
}

Result<Quantity> read_number(std::string_view text) {
  const bool whole = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (whole && text.size() > 1 && text.front() == '0') {
    return Error{.message = fmt::format("'{}' begins with 0: YAML 1.1 reads such a number with the base 8, "
                                        "others with the base 10; write it without that 0",
                                        text.substr(0, 40))};
  }
  return Quantity::parse(text);
}

}  // namespace mirab::kubernetes
