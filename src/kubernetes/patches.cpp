// `kubectl patch` for what Kubernetes lets change, and a comment for what it does not.
//
// A pod that runs is resized in place (kubectl patch --subresource resize). The API server, Kubernetes 1.35:
//   - the pod's class must stay as it is (Guaranteed, Burstable, BestEffort): or else there is no patch;
//   - CPUs and memory only;
//   - not init containers, but sidecars;
//   - no static pods, and none of Windows.
// It takes a lower memory limit, which waits until less is used; 1.33 refuses one unless the container's
// resizePolicy of memory is RestartContainer. A template can be patched, but for a Job's; the pods of a
// ReplicaSet or ReplicationController stay as they are.
//
// Source: Kubernetes 1.35, "Resize CPU and Memory Resources assigned to Containers", limitations;
// ValidatePodResize in its pkg/apis/core/validation; KEP 1287.
// Known failure: nodes with a static policy of the CPU or memory manager, which resize no Guaranteed pods,
// and memory of pods that use swap, are not in a manifest.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mirab/kubernetes/manifests.hpp>

#include "kubernetes/eviction.hpp"
#include "kubernetes/objects.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRecreate = "recreate it from its manifest, or its controller's, with the new limits";

bool can_be_resized(const std::string& resource) { return resource == "cpu" || resource == "memory"; }

// One workload with its new limits.
class Patch {
 public:
  Patch(const Pods& pods, const Workload& workload, const std::vector<std::vector<Units>>& limits)
      : resources_(pods.resources), workload_(workload), limits_(limits), kind_(lower_case(workload.kind)) {}

  std::string of_pod() {
    if (workload_.is_static)
      return comment("a static pod is not resized; write the limits into its file on the node");
    if (workload_.is_windows) return comment(fmt::format("a pod of Windows is not resized; {}", kRecreate));
    const QualityOfService present = quality_of(workload_), resized = quality_of(as_resized());
    if (present != resized) {
      return comment(fmt::format("not resized: it is {} and would be {}, and no pod can change its class; {}",
                                 quality_name(present), quality_name(resized), kRecreate));
    }
    const Json spec = spec_of([&](const Container& container, std::size_t r) {
      return container.role != Role::init && can_be_resized(resources_[r]);
    });
    const std::string remarks = on_storage() + on_init_containers() + on_lowered_memory();
    return spec.empty() ? remarks : remarks + command(" --subresource resize", {{"spec", spec}});
  }

  std::string of_template() {
    if (workload_.kind == "Job") {
      return comment("its template cannot be changed; delete it and recreate it with --format manifest");
    }
    const bool replaces = workload_.kind != "ReplicaSet" && workload_.kind != "ReplicationController";
    const Json spec = spec_of([](const Container&, std::size_t) { return true; });
    Json patch{{"spec", {{"template", {{"spec", spec}}}}}};
    if (workload_.kind == "CronJob") patch = {{"spec", {{"jobTemplate", std::move(patch)}}}};
    return (replaces ? "" : comment("pods that run keep their limits until they are deleted")) +
           command("", patch);
  }

 private:
  std::string comment(const std::string& text) const {
    return fmt::format("# {} {}: {}\n", kind_, workload_.object, text);
  }

  std::string command(std::string_view subresource, const Json& patch) const {
    return fmt::format("kubectl patch {} {}{}{} --patch '{}'\n", kind_, workload_.object,
                       workload_.space.empty() ? "" : " --namespace " + workload_.space, subresource,
                       patch.dump());
  }

  // The containers with the limits that `is_in(container, r)` lets in, and requests that are not written.
  template <class IsIn>
  Json spec_of(const IsIn& is_in) const {
    Json spec = Json::object();
    for (std::size_t c = 0; c < workload_.containers.size(); ++c) {
      const Container& container = workload_.containers[c];
      Json amounts = Json::object();
      for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (!is_in(container, r)) continue;
        const Need& need = container.needs[r];
        amounts["limits"][resources_[r]] = units_text(resources_[r], limits_[c][r]);
        if (need.request_written) continue;
        amounts["requests"][resources_[r]] = units_text(resources_[r], need.request);
      }
      if (amounts.empty()) continue;
      spec[container.role == Role::main ? "containers" : "initContainers"].push_back(
          {{"name", container.name}, {"resources", std::move(amounts)}});
    }
    return spec;
  }

  Workload as_resized() const {
    Workload resized = workload_;
    for (std::size_t c = 0; c < resized.containers.size(); ++c) {
      Container& container = resized.containers[c];
      for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (container.role == Role::init || !can_be_resized(resources_[r])) continue;
        auto& amounts = resources_[r] == "cpu" ? container.cpu : container.memory;
        amounts = {container.needs[r].request, limits_[c][r]};
      }
    }
    return resized;
  }

  // The containers of which `holds(c)`, by name.
  template <class Holds>
  std::string names(const Holds& holds) const {
    std::string text;
    for (std::size_t c = 0; c < workload_.containers.size(); ++c) {
      if (holds(c)) text += (text.empty() ? "" : ", ") + workload_.containers[c].name;
    }
    return text;
  }

  bool changes(std::size_t c, std::size_t r) const {
    return workload_.containers[c].needs[r].limit != limits_[c][r];
  }

  std::string on_storage() const {
    std::string text;
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      if (can_be_resized(resources_[r]) || names([&](std::size_t c) { return changes(c, r); }).empty())
        continue;
      text += comment(fmt::format("{} cannot be resized in place; {}", resources_[r], kRecreate));
    }
    return text;
  }

  std::string on_init_containers() const {
    const std::string kept = names([&](std::size_t c) {
      bool changed = false;
      for (std::size_t r = 0; r < resources_.size(); ++r)
        changed = changed || (can_be_resized(resources_[r]) && changes(c, r));
      return changed && workload_.containers[c].role == Role::init;
    });
    if (kept.empty()) return {};
    return comment(fmt::format("init containers cannot be resized in place ({}); {}", kept, kRecreate));
  }

  std::string on_lowered_memory() const {
    const auto memory = std::find(resources_.begin(), resources_.end(), "memory");
    if (memory == resources_.end()) return {};
    const auto r = static_cast<std::size_t>(memory - resources_.begin());
    const std::string lowered = names([&](std::size_t c) {
      const Container& container = workload_.containers[c];
      return container.role != Role::init && !container.restarts_for_memory && container.needs[r].limit &&
             limits_[c][r] < *container.needs[r].limit;
    });
    if (lowered.empty()) return {};
    return comment(
        fmt::format("lowers memory limits ({}): Kubernetes 1.33 refuses the patch unless their "
                    "resizePolicy is RestartContainer; 1.35 waits until less is used",
                    lowered));
  }

  const std::vector<std::string>& resources_;
  const Workload& workload_;
  const std::vector<std::vector<Units>>& limits_;  // [c][r]
  std::string kind_;
};

}  // namespace

std::string patch_commands(const Pods& pods, const Limits& limits) {
  if (!limits.recalculated) return "# the present limits fit on the node\n";
  std::string commands;
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    Patch patch(pods, pods.workloads[w], limits.workloads[w].limits);
    commands += pods.workloads[w].kind == "Pod" ? patch.of_pod() : patch.of_template();
  }
  return commands;
}

}  // namespace mirab::kubernetes
