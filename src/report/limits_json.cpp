#include <nlohmann/json.hpp>

#include "model/names.hpp"
#include "report/comparison.hpp"
#include "report/limits.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using kubernetes::Container;
using kubernetes::Role;
using kubernetes::Units;
using kubernetes::units_text;
using kubernetes::Workload;

// An amount by resource; `amount` gives it for each, or nothing.
template <class Amount>
Json by_resource(const std::vector<std::string>& resources, const Amount& amount) {
  Json json = Json::object();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const std::optional<Units> units = amount(r);
    json[resources[r]] = units ? Json(units_text(resources[r], *units)) : Json();
  }
  return json;
}

std::string_view role_name(Role role) {
  return role == Role::init ? "init" : role == Role::sidecar ? "sidecar" : "main";
}

Json container_json(const std::vector<std::string>& resources, const Container& container,
                    const std::vector<Units>& limits) {
  return {{"name", container.name},
          {"role", role_name(container.role)},
          {"request",
           by_resource(resources, [&](std::size_t r) { return std::optional(container.needs[r].request); })},
          {"old_limit", by_resource(resources, [&](std::size_t r) { return container.needs[r].limit; })},
          {"limit", by_resource(resources, [&](std::size_t r) { return std::optional(limits[r]); })}};
}

Json pods_json(const PodLimits& all) {
  Json pods = Json::array();
  for (std::size_t w = 0; w < all.pods.workloads.size(); ++w) {
    const Workload& workload = all.pods.workloads[w];
    const kubernetes::WorkloadLimits& limits = all.limits.workloads[w];
    Json containers = Json::array();
    for (std::size_t c = 0; c < workload.containers.size(); ++c)
      containers.push_back(container_json(all.pods.resources, workload.containers[c], limits.limits[c]));
    Json share = Json::object();
    for (std::size_t r = 0; r < all.pods.resources.size(); ++r)
      share[all.pods.resources[r]] = kubernetes::plain_number(all.pods.resources[r], limits.share[r]);
    pods.push_back({{"name", workload.name},
                    {"kind", workload.kind},
                    {"namespace", workload.space},
                    {"pods", workload.pods},
                    {"weight", limits.weight},
                    {"share", std::move(share)},
                    {"containers", std::move(containers)}});
  }
  return pods;
}

Json evictions_json(const PodLimits& all) {
  Json evictions = Json::array();
  for (const kubernetes::Eviction& each : all.limits.evictions) {
    evictions.push_back({{"name", all.pods.workloads[each.workload].name},
                         {"pods", each.pods},
                         {"resource", each.resource},
                         {"above_request", units_text(each.resource, each.above)},
                         {"qos", quality_name(each.quality)},
                         {"priority", all.pods.workloads[each.workload].priority}});
  }
  return evictions;
}

}  // namespace

Json limits_json(const PodLimits& all) {
  const kubernetes::Limits& limits = all.limits;
  const std::vector<std::string>& resources = all.pods.resources;
  return {{"version", 1},
          {"mechanism", limits.mechanism},
          {"status", status_name(limits.status)},
          {"certificate", {{"kind", limits.certificate.kind}, {"value", limits.certificate.value}}},
          {"recalculated", limits.recalculated},
          {"node", all.node.node},
          {"allocatable",
           by_resource(resources, [&](std::size_t r) { return std::optional(all.node.units[r]); })},
          {"requested",
           by_resource(resources, [&](std::size_t r) { return std::optional(limits.requested[r]); })},
          {"old_limits", by_resource(resources, [&](std::size_t r) { return limits.limited_before[r]; })},
          {"limits", by_resource(resources, [&](std::size_t r) { return std::optional(limits.limited[r]); })},
          {"pods", pods_json(all)},
          {"evictions", evictions_json(all)},
          {"notices", limits.notices}};
}

}  // namespace mirab::report
