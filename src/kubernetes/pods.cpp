// Pods of a text: what each container requests, and what a pod takes of its node.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

#include <mirab/kubernetes/pods.hpp>
#include <mirab/model/assert.hpp>

#include "kubernetes/objects.hpp"
#include "kubernetes/pod_requests.hpp"
#include "model/document.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {

// What a pod takes of its node, from what its containers take.
//
//   pod_r = max( max_i (init_i + Σ sidecars before i),  Σ sidecars + Σ main ) + overhead_r
//
// Source: Kubernetes, "Sidecar Containers", resource sharing within containers. O(containers).
// Example: init 500m, main 100m and 200m: 500m.

Units taken_by_containers(std::span<const Role> roles, std::span<const Units> each) {
  MIRAB_ASSERT(each.size() == roles.size(), "an amount for each container");
  Units sidecars = 0;  // the sidecars so far
  Units starting = 0;
  Units main = 0;
  for (std::size_t c = 0; c < each.size(); ++c) {
    switch (roles[c]) {
      case Role::init:
        starting = std::max(starting, capped_sum(sidecars, each[c]));
        break;
      case Role::sidecar:
        sidecars = capped_sum(sidecars, each[c]);
        break;
      case Role::main:
        main = capped_sum(main, each[c]);
        break;
    }
  }
  return std::max(starting, capped_sum(sidecars, main));
}

Units taken_by_pod(const Workload& workload, std::size_t r, std::span<const Units> each) {
  std::vector<Role> roles;
  for (const Container& container : workload.containers) roles.push_back(container.role);
  return taken_by_containers(roles, each) + workload.overhead[r];
}

Units request_of_pod(const Workload& workload, std::size_t r) {
  std::vector<Units> each;
  for (const Container& container : workload.containers) each.push_back(container.needs[r].request);
  return taken_by_pod(workload, r, each);
}

std::optional<Units> limit_of_pod(const Workload& workload, std::size_t r) {
  std::vector<Units> each;
  for (const Container& container : workload.containers) {
    if (!container.needs[r].limit) return std::nullopt;
    each.push_back(*container.needs[r].limit);
  }
  return taken_by_pod(workload, r, each);
}

/// Adds the containers of a pod's spec, which stands at `pointer` of its document, and the pod's overhead to
/// the workload. Errors name file, line and key.
Check read_containers(const Node& pod_spec, const std::string& pointer, const std::string& file,
                      const PodReading& reading, Workload& workload);

// What the containers of a pod ask for.
//
// A request that is not written is the container's limit, as in Kubernetes. Where that is not written either,
// or the request is 0, it is what the caller gives for such containers, or an error: a share in proportion to
// nothing would be a limit of 0, and that is no limit at all to Kubernetes.
//
// Known failure: requests of the pod as a whole (spec.resources) are refused.

namespace {

class NeedReader {
 public:
  NeedReader(const std::string& file, const PodReading& reading) : file_(file), reading_(reading) {}

  Check read(const Node& pod_spec, const std::string& pointer, Workload& workload) {
    if (const Node* whole = pod_spec.find("resources"); whole != nullptr && !whole->entries.empty())
      fail(pointer + "/resources", "requests of a whole pod are not supported; set those of its containers",
           whole->line);
    read_list(pod_spec, pointer, "initContainers", workload);
    const std::size_t before = workload.containers.size();
    read_list(pod_spec, pointer, "containers", workload);
    if (workload.containers.size() == before)
      fail(pointer + "/containers", "missing: a pod has at least one", pod_spec.line);
    const Node* overhead = pod_spec.find("overhead");
    for (const std::string& resource : reading_.resources) {
      const Node* amount = overhead == nullptr ? nullptr : overhead->find(resource);
      workload.overhead.push_back(
          amount == nullptr ? 0 : read_amount(resource, *amount, pointer + "/overhead/" + resource));
    }
    return error_;
  }

 private:
  void read_list(const Node& pod_spec, const std::string& pointer, const std::string& list,
                 Workload& workload) {
    const Node* containers = pod_spec.find(list);
    if (containers == nullptr || containers->kind == Node::Kind::null) return;
    if (containers->kind != Node::Kind::list)
      return fail(fmt::format("{}/{}", pointer, list), "must be a list of containers", containers->line);
    std::set<std::string> names;
    for (std::size_t i = 0; i < containers->entries.size() && !error_; ++i) {
      Container container =
          read_container(containers->entries[i].value, fmt::format("{}/{}/{}", pointer, list, i));
      if (list == "initContainers" && container.role == Role::main) container.role = Role::init;
      if (!names.insert(container.name).second)
        fail(container.pointer + "/name", "a second container of this name", containers->entries[i].line);
      workload.containers.push_back(std::move(container));
    }
  }

  // An init container that is always restarted is a sidecar; of the others none may say so.
  Container read_container(const Node& node, const std::string& pointer) {
    Container container{.name = {}, .needs = {}, .pointer = pointer};
    const Node* name = node.find("name");
    if (name == nullptr || name->text.empty()) {
      fail(pointer + "/name", "missing: limits are given by the container's name", node.line);
      return container;
    }
    if (!is_name(name->text)) fail(pointer + "/name", kNotAName, name->line);
    container.name = name->text;
    if (const Node* restart = node.find("restartPolicy"); restart != nullptr && restart->text == "Always")
      container.role = Role::sidecar;
    const Node* resources = map_in(&node, "resources", pointer);
    for (const std::string& resource : reading_.resources) {
      container.needs.push_back(read_need(node, resources, resource, pointer));
    }
    container.cpu = read_known(resources, "cpu", pointer);
    container.memory = read_known(resources, "memory", pointer);
    container.restarts_for_memory = restarts_for_memory(node);
    return container;
  }

  static bool restarts_for_memory(const Node& container) {
    const Node* policies = container.find("resizePolicy");
    if (policies == nullptr) return false;
    return std::any_of(policies->entries.begin(), policies->entries.end(), [](const Node::Entry& policy) {
      const Node* resource = policy.value.find("resourceName");
      const Node* restart = policy.value.find("restartPolicy");
      return resource != nullptr && resource->text == "memory" && restart != nullptr &&
             restart->text == "RestartContainer";
    });
  }

  Known read_known(const Node* resources, const std::string& resource, const std::string& pointer) {
    const std::string within = pointer + "/resources";
    const Node* request = amount_of(map_in(resources, "requests", within), resource);
    const Node* limit = amount_of(map_in(resources, "limits", within), resource);
    Known known;
    if (limit != nullptr) known.limit = read_amount(resource, *limit, within + "/limits/" + resource);
    known.request =
        request == nullptr ? known.limit : read_amount(resource, *request, within + "/requests/" + resource);
    return known;
  }

  Need read_need(const Node& container, const Node* resources, const std::string& resource,
                 const std::string& pointer) {
    const Node* request = amount_of(map_in(resources, "requests", pointer + "/resources"), resource);
    const Node* limit = amount_of(map_in(resources, "limits", pointer + "/resources"), resource);
    const std::string request_at = fmt::format("{}/resources/requests/{}", pointer, resource);
    const Known known = read_known(resources, resource, pointer);
    Need need{.request = known.request,
              .request_written = request != nullptr && known.request > 0,
              .known_request = known.request};
    if (known.limit > 0) need.limit = known.limit;  // a limit of 0 is none
    const Node* written = request != nullptr ? request : limit;
    if (written != nullptr && resource != "cpu") need.step = written_in(written->text);
    if (need.request == 0) {
      need.request = given_for(container, resource, request, request_at);
      if (resource != "cpu") need.step = written_in(units_text(resource, need.request));
    }
    if (need.limit && *need.limit < need.request && !error_) {
      fail(fmt::format("{}/resources/limits/{}", pointer, resource),
           fmt::format("the limit {} is below the request {}", units_text(resource, *need.limit),
                       units_text(resource, need.request)),
           limit->line);
    }
    return need;
  }

  Units given_for(const Node& container, const std::string& resource, const Node* request,
                  const std::string& request_at) {
    const auto given = std::find_if(reading_.default_request.begin(), reading_.default_request.end(),
                                    [&](const Amount& amount) { return amount.resource == resource; });
    if (given != reading_.default_request.end()) return given->units;
    fail(request_at,
         fmt::format("{}, and shares go by requests; write one, or give one for all such containers with "
                     "--default-request {}={}",
                     request == nullptr ? "neither a request nor a limit" : "a request of 0", resource,
                     resource == "cpu" ? "100m" : "64Mi"),
         request == nullptr ? container.line : request->line);
    return 1;
  }

  // The map under a key, which may be missing or empty.
  const Node* map_in(const Node* parent, std::string_view key, const std::string& pointer) {
    const Node* map = parent == nullptr ? nullptr : parent->find(key);
    if (map == nullptr || map->kind == Node::Kind::null) return nullptr;
    if (map->kind == Node::Kind::map) return map;
    fail(fmt::format("{}/{}", pointer, key), "must be a map of keys and values", map->line);
    return nullptr;
  }

  static const Node* amount_of(const Node* amounts, const std::string& resource) {
    const Node* amount = amounts == nullptr ? nullptr : amounts->find(resource);
    return amount == nullptr || amount->kind == Node::Kind::null ? nullptr : amount;
  }

  Units read_amount(const std::string& resource, const Node& amount, const std::string& pointer) {
    const Result<Units> units = read_units(resource, amount.text, Rounding::up);
    if (units) return *units;
    fail(pointer, units.error().message, amount.line);
    return 1;
  }

  void fail(std::string_view pointer, std::string message, int line) {
    if (error_) return;
    error_ = Error{.message = std::move(message), .key = key_of(pointer), .file = file_, .line = line};
  }

  const std::string& file_;
  const PodReading& reading_;
  Check error_;
};

}  // namespace

Check read_containers(const Node& pod_spec, const std::string& pointer, const std::string& file,
                      const PodReading& reading, Workload& workload) {
  return NeedReader(file, reading).read(pod_spec, pointer, workload);
}

// Pods from a text: which objects run pods, how many, and what each of their containers asks for.
//
// Source: the Kubernetes API, core/v1, apps/v1 and batch/v1; "Resource Management for Pods and Containers"
// for requests that are not written; "Sidecar Containers" for what init containers take.

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

std::string_view text_of(const Node* node) {
  return node == nullptr ? std::string_view() : std::string_view(node->text);
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
  const Result<Quantity> size = read_number(written.substr(negative ? 1 : 0));
  const std::optional<std::int64_t> number =
      size && size->exponent() >= 0 ? count_units(*size, 0, Rounding::down) : std::nullopt;
  if (!number) return Error{.message = fmt::format("'{}' is not a whole number", written.substr(0, 40))};
  return negative ? -*number : *number;
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
      if (kind == kKinds.end() || (reading_.only_pods && object.kind != "Pod")) continue;
      if (is_owned(object, known)) {
        owned_.push_back(object.name());
      } else if (Check wrong = add(object, *kind)) {
        return *std::move(wrong);
      }
    }
    if (pods_.workloads.empty() && left_out() == 0)
      return Error{.message = "the file contains no pod and no object that runs pods", .file = file_};
    if (pods_.workloads.empty())
      return Error{.message = "all pods in the file are done, wait for a node, or are on other nodes",
                   .file = file_};
    if (Check wrong = name_them()) return *std::move(wrong);
    add_notices();
    return std::move(pods_);
  }

 private:
  Check add(const Object& object, const Kind& kind) {
    const Node* spec = value_at(*object.root, kind.pod_spec);
    if (spec == nullptr || spec->kind != Node::Kind::map)
      return wrong(object, kind.pod_spec, "missing: the specification of the pod", object.root->line);
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
    if (!reading_.node.empty() && node.empty() && is_waiting(object))
      return waiting_.push_back(object.name()), Check{};

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
    workload.node = node;
    const Owner owner = owner_of(object);
    workload.owner_kind = owner.kind;
    workload.owner = owner.name;
    const Result<Amounts> requests = scheduled_requests(object, file_, {}, kind.pod_spec);
    if (!requests) return requests.error();
    for (const auto& [resource, units] : *requests) {
      if (resource.find('/') == std::string::npos) continue;
      const Result<Units> countable = units_of(resource, Quantity(units), Rounding::up);
      if (!countable) return wrong(object, kind.pod_spec, countable.error().message, spec->line);
      workload.devices.emplace(resource, *countable);
    }
    workload.is_windows = text_of(value_at(*spec, "/os/name")) == "windows";
    const std::string pointer = object.pointer + std::string(kind.pod_spec);
    Check fault = read_containers(*spec, pointer, file_, reading_, workload);
    if (fault) return fault;
    containers_ += workload.pods * static_cast<std::int64_t>(workload.containers.size());
    if (containers_ > kMaxContainers) {
      return wrong(object, kind.count.empty() ? kind.pod_spec : kind.count,
                   fmt::format("more than {} containers in all are more than a node can run", kMaxContainers),
                   spec->line);
    }
    pods_.workloads.push_back(std::move(workload));
    return {};
  }

  // `frontend` for a pod, `deployment/web` for others; with the namespace before it where names meet.
  Check name_them() {
    std::map<std::string, int> times;
    for (Workload& workload : pods_.workloads) {
      workload.name =
          workload.kind == "Pod" ? workload.object : lower_case(workload.kind) + "/" + workload.object;
      ++times[workload.name];
    }
    std::map<std::string, int> lines;
    for (Workload& workload : pods_.workloads) {
      if (times[workload.name] > 1 && !workload.space.empty())
        workload.name = workload.space + "/" + workload.name;
      const auto [earlier, is_new] = lines.emplace(workload.name, workload.line);
      if (is_new) continue;
      return Error{.message = fmt::format("duplicate {} '{}'; the first is on line {}",
                                          lower_case(workload.kind), workload.object, earlier->second),
                   .key = "metadata.name",
                   .file = file_,
                   .line = workload.line};
    }
    return {};
  }

  void add_notices() {
    constexpr std::size_t kMaxNamed = 3;  // in one line
    const auto note = [&](const std::vector<std::string_view>& names, std::string_view why) {
      if (!names.empty())
        pods_.notices.push_back(fmt::format("left out, since {}: {}", why, first_names(names, kMaxNamed)));
    };
    note(owned_, "their owners are counted");
    note(done_, "they are done");
    note(waiting_, "they wait for a node");
    if (!elsewhere_.empty()) {
      pods_.notices.push_back(elsewhere_.size() == 1
                                  ? fmt::format("1 pod on another node skipped: {}", elsewhere_[0])
                                  : fmt::format("{} pods on other nodes skipped", elsewhere_.size()));
    }
    note(none_, "they run no pods");
  }

  // As kubectl prints a pod without a node; a manifest has no status.
  static bool is_waiting(const Object& object) {
    return object.kind == "Pod" && text_of(value_at(*object.root, "/status/phase")) == "Pending";
  }

  std::size_t left_out() const {
    return owned_.size() + done_.size() + waiting_.size() + elsewhere_.size() + none_.size();
  }

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
  std::vector<std::string_view> owned_, done_, waiting_, elsewhere_, none_;  // names of what is left out
};

}  // namespace

Result<Pods> read_pods(std::string_view text, Syntax syntax, const std::string& file,
                       const PodReading& reading) {
  const Result<std::vector<Node>> documents = read_object_documents(text, syntax, file);
  if (!documents) return documents.error();
  return PodReader(*documents, file, reading).read();
}

}  // namespace mirab::kubernetes
