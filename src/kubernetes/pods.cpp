// Pods from a text: which objects run pods, how many, and what each of their containers asks for.
//
// Source: the Kubernetes API, core/v1, apps/v1 and batch/v1; "Resource Management for Pods and Containers"
// for requests that are not written; "Sidecar Containers" for what init containers take.

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>

#include <mirab/kubernetes/pods.hpp>

#include "kubernetes/container_needs.hpp"
#include "kubernetes/objects.hpp"
#include "kubernetes/pod_count.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

// Where an object of a kind keeps its pods' spec, and how many pods there are.
struct Kind {
  std::string_view name;
  std::string_view pod_spec;
  std::string_view count;  // empty: one pod, on a node
};

constexpr std::array kKinds = {
    Kind{"Pod", "/spec", ""},
    Kind{"Deployment", "/spec/template/spec", "/spec/replicas"},
    Kind{"StatefulSet", "/spec/template/spec", "/spec/replicas"},
    Kind{"ReplicaSet", "/spec/template/spec", "/spec/replicas"},
    Kind{"ReplicationController", "/spec/template/spec", "/spec/replicas"},
    Kind{"DaemonSet", "/spec/template/spec", ""},
    Kind{"Job", "/spec/template/spec", "/spec/parallelism"},
    Kind{"CronJob", "/spec/jobTemplate/spec/template/spec", "/spec/jobTemplate/spec/parallelism"}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string_view text_of(const Node* node) {
  return node == nullptr ? std::string_view() : std::string_view(node->text);
}

// The Deployment of a ReplicaSet, by what it puts behind its name; empty when it is not of one.
std::string_view deployment_of(std::string_view replica_set, const Object& pod) {
  const std::string_view hash = text_of(value_at(*pod.root, "/metadata/labels/pod-template-hash"));
  if (hash.empty() || !replica_set.ends_with(hash)) return {};
  replica_set.remove_suffix(hash.size());
  if (!replica_set.ends_with('-')) return {};
  return replica_set.substr(0, replica_set.size() - 1);
}

// Is its controller in the text too, or that of its ReplicaSet? Then it is counted there.
bool is_owned(const Object& object, const std::set<std::string>& known) {
  const Node* owners = value_at(*object.root, "/metadata/ownerReferences");
  if (owners == nullptr) return false;
  const auto is_known = [&](std::string_view kind, std::string_view name) {
    return known.contains(fmt::format("{}/{}/{}", object.metadata("namespace"), kind, name));
  };
  return std::any_of(owners->entries.begin(), owners->entries.end(), [&](const Node::Entry& owner) {
    const std::string_view kind = text_of(owner.value.find("kind")), name = text_of(owner.value.find("name"));
    return is_known(kind, name) ||
           (kind == "ReplicaSet" && is_known("Deployment", deployment_of(name, object)));
  });
}

// spec.priority, or what the system's classes stand for; another class is not in the manifest, and counts 0.
Result<std::int64_t> priority_of(const Node& pod_spec) {
  const std::string_view written = text_of(pod_spec.find("priority"));
  if (written.empty()) {
    const std::string_view named = text_of(pod_spec.find("priorityClassName"));
    if (named == "system-node-critical") return 2'000'001'000;
    return std::int64_t{named == "system-cluster-critical" ? 2'000'000'000 : 0};
  }
  const bool negative = written.starts_with('-');
  const Result<Quantity> size = Quantity::parse(written.substr(negative ? 1 : 0));
  const std::optional<std::int64_t> number =
      size && size->exponent() >= 0 ? count_units(*size, 0, Rounding::down) : std::nullopt;
  if (!number) return Error{.message = fmt::format("'{}' is not a whole number", written.substr(0, 40))};
  return negative ? -*number : *number;
}

// Has it the annotation by which the kubelet marks the mirrors of its own pods?
bool is_static(const Object& object) {
  const Node* annotations = value_at(*object.root, "/metadata/annotations");
  return annotations != nullptr && annotations->find("kubernetes.io/config.mirror") != nullptr;
}

class PodReader {
 public:
  PodReader(const std::vector<Node>& documents, std::string file, const PodReading& reading)
      : objects_(objects_of(documents)), file_(std::move(file)), reading_(reading) {}

  Result<Pods> read() {
    pods_.resources = reading_.resources;
    std::set<std::string> known;
    for (const Object& object : objects_) {
      if (!object.name().empty())
        known.insert(fmt::format("{}/{}/{}", object.metadata("namespace"), object.kind, object.name()));
    }
    for (const Object& object : objects_) {
      const auto* kind = std::find_if(kKinds.begin(), kKinds.end(),
                                      [&](const Kind& each) { return each.name == object.kind; });
      if (kind == kKinds.end()) continue;
      if (is_owned(object, known)) {
        owned_.push_back(object.name());
      } else if (Check wrong = add(object, *kind)) {
        return *std::move(wrong);
      }
    }
    if (pods_.workloads.empty() && left_out() == 0)
      return Error{.message = "there is no pod in it, nor anything that runs pods", .file = file_};
    if (pods_.workloads.empty())
      return Error{.message = "all pods in it are done or elsewhere", .file = file_};
    if (Check wrong = name_them()) return *std::move(wrong);
    add_notices();
    return std::move(pods_);
  }

 private:
  Check add(const Object& object, const Kind& kind) {
    const Node* spec = value_at(*object.root, kind.pod_spec);
    if (spec == nullptr || spec->kind != Node::Kind::map)
      return wrong(object, kind.pod_spec, "missing: it says what a pod runs", object.root->line);
    if (object.name().empty())
      return wrong(object, "/metadata/name", "missing: limits are shown by name", object.root->line);
    for (const std::string_view key : {"name", "namespace"}) {
      if (!is_name(object.metadata(key)))
        return wrong(object, fmt::format("/metadata/{}", key), kNotAName, object.root->line);
    }
    if (is_done(object)) return done_.push_back(object.name()), Check{};
    const std::string_view node = text_of(spec->find("nodeName"));
    if (!reading_.node.empty() && !node.empty() && node != reading_.node)
      return elsewhere_.push_back(object.name()), Check{};

    Workload workload{.name = {},
                      .kind = object.kind,
                      .object = std::string(object.name()),
                      .space = std::string(object.metadata("namespace")),
                      .overhead = {},
                      .containers = {},
                      .document = object.document,
                      .line = object.root->line};
    const Result<std::int64_t> count = pods_run_by(object, kind.count, file_);
    if (!count) return count.error();
    workload.pods = *count;
    if (workload.pods == 0) return none_.push_back(object.name()), Check{};
    const Result<std::int64_t> priority = priority_of(*spec);
    if (!priority)
      return wrong(object, fmt::format("{}/priority", kind.pod_spec), priority.error().message, spec->line);
    workload.priority = *priority;
    workload.is_static = is_static(object);
    workload.is_windows = text_of(value_at(*spec, "/os/name")) == "windows";
    const std::string pointer = object.pointer + std::string(kind.pod_spec);
    Check fault = read_containers(*spec, pointer, file_, reading_, workload);
    if (fault) return fault;
    containers_ += workload.pods * static_cast<std::int64_t>(workload.containers.size());
    if (containers_ > kMostContainers) {
      return wrong(
          object, kind.count.empty() ? kind.pod_spec : kind.count,
          fmt::format("more than {} containers in all are more than a node can run", kMostContainers),
          spec->line);
    }
    pods_.workloads.push_back(std::move(workload));
    return {};
  }

  // `frontend` for a pod, `deployment/web` for others; with the namespace before it where names meet.
  Check name_them() {
    std::map<std::string, int> times;
    for (Workload& workload : pods_.workloads) {
      workload.name = workload.kind == "Pod" ? workload.object : lower(workload.kind) + "/" + workload.object;
      ++times[workload.name];
    }
    std::map<std::string, int> lines;
    for (Workload& workload : pods_.workloads) {
      if (times[workload.name] > 1 && !workload.space.empty())
        workload.name = workload.space + "/" + workload.name;
      const auto [earlier, is_new] = lines.emplace(workload.name, workload.line);
      if (is_new) continue;
      return Error{.message = fmt::format("a second {} '{}'; the first stands on line {}",
                                          lower(workload.kind), workload.object, earlier->second),
                   .key = "metadata.name",
                   .file = file_,
                   .line = workload.line};
    }
    return {};
  }

  void add_notices() {
    constexpr std::size_t kMostNamed = 3;
    const auto note = [&](const std::vector<std::string_view>& names, std::string_view why) {
      if (!names.empty())
        pods_.notices.push_back(fmt::format("left out, since {}: {}", why, first_names(names, kMostNamed)));
    };
    note(owned_, "their owners are counted");
    note(done_, "they are done");
    note(elsewhere_, "they are on another node");
    note(none_, "they run no pods");
  }

  std::size_t left_out() const { return owned_.size() + done_.size() + elsewhere_.size() + none_.size(); }

  Error wrong(const Object& object, std::string_view pointer, std::string message, int line) const {
    return {.message = std::move(message),
            .key = key_of(object.pointer + std::string(pointer)),
            .file = file_,
            .line = line};
  }

  std::vector<Object> objects_;
  std::string file_;
  const PodReading& reading_;
  Pods pods_;
  std::int64_t containers_ = 0;
  std::vector<std::string_view> owned_, done_, elsewhere_, none_;  // names of what is left out
};

}  // namespace

Result<Pods> read_pods(std::string_view text, Syntax syntax, const std::string& file,
                       const PodReading& reading) {
  std::istringstream input{std::string(text)};
  const Result<std::vector<Node>> documents = read_documents(input, syntax, file);
  if (!documents) return documents.error();
  return PodReader(*documents, file, reading).read();
}

}  // namespace mirab::kubernetes
