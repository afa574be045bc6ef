// What the containers of a pod ask for.
//
// A request that is not written is the container's limit, as in Kubernetes. Where that is not written either,
// or the request is 0, it is what the caller gives for such containers, or an error: a share in proportion to
// nothing would be a limit of 0, and that is no limit at all to Kubernetes.
//
// Known failure: requests of the pod as a whole (spec.resources) are refused.
#include "kubernetes/container_needs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {
namespace {

class NeedReader {
 public:
  NeedReader(const std::string& file, const PodReading& reading) : file_(file), reading_(reading) {}

  Check read(const Node& pod_spec, const std::string& pointer, Workload& workload) {
    if (const Node* whole = pod_spec.find("resources"); whole != nullptr && !whole->entries.empty())
      fail(pointer + "/resources", "requests of a pod as a whole are not known here; write its containers'",
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

}  // namespace mirab::kubernetes
