// A pod as the scheduler of Kubernetes sees it: what it reserves, and by which rules it chooses a node.
#include "kubernetes/pod_requests.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace mirab::kubernetes {
namespace {

class RequestReader {
 public:
  RequestReader(const Object& pod, const std::string& file, const std::vector<Amount>& default_request,
                std::string_view spec)
      : pod_(pod), file_(file), default_request_(default_request), spec_(spec), key_(key_of(spec)) {}

  Result<Amounts> read() {
    const Node* spec = value_at(*pod_.root, spec_);
    if (spec == nullptr || spec->kind != Node::Kind::map) {
      fail(key_, "missing: the specification of the pod", pod_.root->line);
      return *error_;
    }
    read_list(*spec, "initContainers");
    const std::size_t before = roles_.size();
    read_list(*spec, "containers");
    if (roles_.size() == before) fail(key_ + ".containers", "missing: a pod has at least one", spec->line);
    Amounts requests = together();
    Amounts of_pod = requests_of(*spec, key_);
    if (!of_pod.empty()) keep_resized(of_pod, {.node = value_at(*pod_.root, "/status"), .key = "status"});
    for (const auto& [resource, units] : of_pod) requests[resource] = units;
    for (const auto& [resource, units] : amounts(spec->find("overhead"), key_ + ".overhead"))
      requests[resource] = capped_sum(requests[resource], units);
    if (error_) return *error_;
    std::erase_if(requests, [](const auto& each) { return each.second == 0; });
    return requests;
  }

 private:
  void read_list(const Node& spec, const std::string& list) {
    const Node* containers = spec.find(list);
    if (containers == nullptr || containers->kind == Node::Kind::null) return;
    if (containers->kind != Node::Kind::list) {
      fail(key_ + "." + list, "must be a list of containers", containers->line);
      return;
    }
    for (std::size_t i = 0; i < containers->entries.size() && !error_; ++i) {
      const Node& container = containers->entries[i].value;
      const Node* restart = container.find("restartPolicy");
      const bool is_sidecar = restart != nullptr && restart->text == "Always";
      roles_.push_back(list == "containers" ? Role::main : is_sidecar ? Role::sidecar : Role::init);
      Amounts requests = requests_of(container, fmt::format("{}.{}[{}]", key_, list, i));
      // An init container that ends is not resized.
      if (roles_.back() != Role::init)
        keep_resized(requests, status_of(container, list == "containers" ? "containerStatuses"
                                                                         : "initContainerStatuses"));
      for (const Amount& given : default_request_) requests.emplace(given.resource, given.units);
      requests_.push_back(std::move(requests));
    }
  }

  // What the kubelet says of a container, or of the pod: where it stands, and its key.
  struct Said {
    const Node* node = nullptr;
    std::string key = {};
  };

  Said status_of(const Node& container, const std::string& list) const {
    const Node* name = container.find("name");
    const Node* statuses = value_at(*pod_.root, "/status/" + list);
    if (name == nullptr || statuses == nullptr || statuses->kind != Node::Kind::list) return {};
    for (std::size_t i = 0; i < statuses->entries.size(); ++i) {
      const Node& each = statuses->entries[i].value;
      const Node* its = each.find("name");
      if (its != nullptr && its->text == name->text)
        return {.node = &each, .key = fmt::format("status.{}[{}]", list, i)};
    }
    return {};
  }

  // What is resized in place takes the most of what it asks for, what the kubelet has set aside for it, and
  // what it has: until a resize is done the larger size counts. What a node can never give does not count.
  void keep_resized(Amounts& requests, const Said& said) {
    if (said.node == nullptr) return;
    const Node* resources = said.node->find("resources");
    const Node* actual = resources == nullptr ? nullptr : resources->find("requests");
    if (actual != nullptr && is_resize_infeasible()) requests.clear();
    for (const auto& [node, key] : {std::pair(actual, "resources.requests"),
                                    std::pair(said.node->find("allocatedResources"), "allocatedResources")}) {
      for (const auto& [resource, units] : amounts(node, fmt::format("{}.{}", said.key, key))) {
        Units& request = requests[resource];
        request = std::max(request, units);
      }
    }
  }

  bool is_resize_infeasible() const {
    const Node* conditions = value_at(*pod_.root, "/status/conditions");
    if (conditions == nullptr) return false;
    return std::any_of(conditions->entries.begin(), conditions->entries.end(), [](const Node::Entry& each) {
      const Node* type = each.value.find("type");
      const Node* reason = each.value.find("reason");
      return type != nullptr && type->text == "PodResizePending" && reason != nullptr &&
             reason->text == "Infeasible";
    });
  }

  // Requests, and limits of what has none.
  Amounts requests_of(const Node& owner, const std::string& key) {
    const Node* resources = owner.find("resources");
    if (resources == nullptr || resources->kind == Node::Kind::null) return {};
    Amounts requests = amounts(resources->find("requests"), key + ".resources.requests");
    for (const auto& [resource, units] : amounts(resources->find("limits"), key + ".resources.limits"))
      requests.emplace(resource, units);
    return requests;
  }

  Amounts amounts(const Node* map, const std::string& key) {
    Amounts amounts;
    if (map == nullptr || map->kind == Node::Kind::null) return amounts;
    if (map->kind != Node::Kind::map) {
      fail(key, "must be a map of keys and values", map->line);
      return amounts;
    }
    for (const Node::Entry& each : map->entries) {
      const Result<Units> units = read_capped_units(each.key, each.value.text, Rounding::up);
      if (!units) fail(fmt::format("{}.{}", key, each.key), units.error().message, each.line);
      amounts.emplace(each.key, units ? *units : 0);
    }
    return amounts;
  }

  Amounts together() const {
    std::set<std::string_view> resources;
    for (const Amounts& each : requests_) {
      for (const auto& [resource, units] : each) resources.insert(resource);
    }
    Amounts sums;
    for (const std::string_view resource : resources) {
      std::vector<Units> each;
      for (const Amounts& of_container : requests_) {
        const auto found = of_container.find(std::string(resource));
        each.push_back(found == of_container.end() ? 0 : found->second);
      }
      sums.emplace(resource, taken_by_containers(roles_, each));
    }
    return sums;
  }

  void fail(const std::string& key, std::string message, int line) {
    if (!error_)
      error_ = Error{.message = std::move(message), .key = pod_.key(key), .file = file_, .line = line};
  }

  const Object& pod_;
  const std::string& file_;
  const std::vector<Amount>& default_request_;
  std::string_view spec_;
  std::string key_;                // the same as errors show it
  std::vector<Role> roles_;        // [c]
  std::vector<Amounts> requests_;  // [c]
  Check error_;
};

}  // namespace

Result<Amounts> scheduled_requests(const Object& pod, const std::string& file,
                                   const std::vector<Amount>& default_request, std::string_view spec) {
  return RequestReader(pod, file, default_request, spec).read();
}

// What a cluster file cannot say.

namespace {

bool is_there(const Object& pod, std::string_view pointer) {
  const Node* node = value_at(*pod.root, pointer);
  return node != nullptr && node->kind != Node::Kind::null &&
         (node->kind == Node::Kind::scalar ? !node->text.empty() : !node->entries.empty());
}

bool has_host_port(const Object& pod) {
  const Node* containers = value_at(*pod.root, "/spec/containers");
  if (containers == nullptr) return false;
  return std::any_of(containers->entries.begin(), containers->entries.end(), [](const Node::Entry& each) {
    const Node* ports = each.value.find("ports");
    return ports != nullptr &&
           std::any_of(ports->entries.begin(), ports->entries.end(),
                       [](const auto& port) { return port.value.find("hostPort") != nullptr; });
  });
}

// Volumes that may be on one node or in one zone only.
bool has_claim(const Object& pod) {
  const Node* volumes = value_at(*pod.root, "/spec/volumes");
  return volumes != nullptr &&
         std::any_of(volumes->entries.begin(), volumes->entries.end(), [](const Node::Entry& each) {
           return each.value.find("persistentVolumeClaim") != nullptr ||
                  each.value.find("ephemeral") != nullptr;
         });
}

bool has_priority(const Object& pod) {
  const Node* priority = value_at(*pod.root, "/spec/priority");
  return priority != nullptr ? priority->text != "0" && !priority->text.empty()
                             : is_there(pod, "/spec/priorityClassName");
}

struct UnsaidField {
  std::string_view pointer;
  std::string_view words;
};

constexpr std::array kUnsaidFields = {
    UnsaidField{"/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution",
                "preferred node affinity"},
    UnsaidField{"/spec/affinity/podAffinity", "pod affinity"},
    UnsaidField{"/spec/affinity/podAntiAffinity", "pod anti-affinity"},
    UnsaidField{"/spec/topologySpreadConstraints", "topology spread"},
    UnsaidField{"/spec/resourceClaims", "resource claims"},
    UnsaidField{"/spec/schedulingGates", "scheduling gates"},
};

}  // namespace

std::vector<std::string_view> unsaid_rules(const Object& pod) {
  std::vector<std::string_view> words;
  for (const UnsaidField& each : kUnsaidFields) {
    if (is_there(pod, each.pointer)) words.push_back(each.words);
  }
  if (has_host_port(pod)) words.emplace_back("host ports");
  if (has_claim(pod)) words.emplace_back("volumes");
  if (has_priority(pod)) words.emplace_back("priorities");
  const Node* scheduler = value_at(*pod.root, "/spec/schedulerName");
  if (scheduler != nullptr && !scheduler->text.empty() && scheduler->text != "default-scheduler")
    words.emplace_back("other schedulers");
  return words;
}

}  // namespace mirab::kubernetes
