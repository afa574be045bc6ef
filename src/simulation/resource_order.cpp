// A workload's file and its cluster's name the same resources, each in an order of its own: the cluster's
// counts.
#include "simulation/resource_order.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

namespace mirab::simulation {

std::vector<std::size_t> resource_order(const Problem& cluster, const Workload& workload) {
  std::vector<std::size_t> order;
  for (const std::string& name : cluster.resources()) {
    const auto place = std::find(workload.resources.begin(), workload.resources.end(), name);
    MIRAB_ASSERT(place != workload.resources.end(), "the workload was checked");
    order.push_back(static_cast<std::size_t>(place - workload.resources.begin()));
  }
  return order;
}

ResourceVector reordered(const ResourceVector& vector, const std::vector<std::size_t>& order) {
  ResourceVector in_order;
  for (const std::size_t place : order) in_order.push_back(vector[place]);
  return in_order;
}

std::vector<Request> reordered(std::vector<Request> requests, const std::vector<std::size_t>& order) {
  for (Request& request : requests) request.demand = reordered(request.demand, order);
  return requests;
}

}  // namespace mirab::simulation
