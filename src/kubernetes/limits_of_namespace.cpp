// What one namespace sees of limits that were computed for all pods.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/kubernetes/limits.hpp>

#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

/// A namespace that is not written is `default`.
std::string_view space_of(const Workload& workload) {
  return workload.space.empty() ? std::string_view("default") : std::string_view(workload.space);
}

/// Of each workload the place that it gets; none where it is left out.
using Places = std::vector<std::optional<std::size_t>>;

Places places_in(const std::string& space, const Pods& pods) {
  Places places;
  std::size_t kept = 0;
  for (const Workload& workload : pods.workloads) {
    const bool is_kept = space_of(workload) == space;
    places.push_back(is_kept ? std::optional(kept++) : std::nullopt);
  }
  return places;
}

template <class Item>
void keep(const Places& places, std::vector<Item>& items) {
  std::size_t at = 0;
  std::erase_if(items, [&](const Item&) { return !places[at++]; });
}

/// Items that name a workload by its place.
template <class Item, class PlaceOf>
void keep_named(const Places& places, std::vector<Item>& items, const PlaceOf& workload_of) {
  std::erase_if(items, [&](Item& item) { return !places[workload_of(item)]; });
  for (Item& item : items) workload_of(item) = *places[workload_of(item)];
}

void keep_at(const Places& places, Pods& pods, Limits& limits) {
  keep(places, pods.workloads);
  keep(places, limits.workloads);
  keep_named(places, limits.evictions, [](Eviction& each) -> std::size_t& { return each.workload; });
}

Check check_any(const Places& places, const std::string& space, const Pods& pods) {
  if (std::any_of(places.begin(), places.end(), [](const auto& place) { return place.has_value(); }))
    return {};
  std::set<std::string_view> spaces;
  for (const Workload& each : pods.workloads) spaces.insert(space_of(each));
  const std::vector<std::string_view> known(spaces.begin(), spaces.end());
  return Error{
      .message = fmt::format("namespace {} has no pod that counts here{}", space, known_names(space, known))};
}

}  // namespace

Check keep_namespace(const std::string& space, Pods& pods, Limits& limits) {
  const Places places = places_in(space, pods);
  if (Check none = check_any(places, space, pods)) return none;
  keep_at(places, pods, limits);
  return {};
}

Check keep_namespace(const std::string& space, ClusterLimits& cluster) {
  const Places places = places_in(space, cluster.templates);
  if (Check none = check_any(places, space, cluster.templates)) return none;
  keep_at(places, cluster.templates, cluster.limits);
  for (NodePods& node : cluster.on_nodes)
    keep_named(places, node.pods, [](auto& each) -> std::size_t& { return each.first; });
  std::erase_if(cluster.on_nodes, [](const NodePods& node) { return node.pods.empty(); });
  return {};
}

}  // namespace mirab::kubernetes
