// The pool and the classes of random traffic as a cluster with users.
#include "simulation/traffic/cluster.hpp"

#include <fmt/format.h>
#include <span>
#include <utility>

#include "simulation/traffic/load.hpp"

namespace mirab::simulation {
namespace {

Result<ResourceVector> exactly(std::span<const double> amounts, std::string key) {
  ResourceVector exact;
  for (const double amount : amounts) {
    Result<Quantity> quantity = Quantity::from(amount);
    if (!quantity) return Error{.message = quantity.error().message, .key = std::move(key)};
    exact.push_back(*std::move(quantity));
  }
  return exact;
}

}  // namespace

Result<Cluster> cluster_of(const TrafficScenario& scenario) {
  Result<ResourceVector> capacity = exactly(scenario.capacity, "capacity");
  if (!capacity) return capacity.error();
  Cluster cluster{.resources = scenario.resources,
                  .servers = {{.name = "pool", .capacity = *std::move(capacity)}},
                  .users = {}};
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    Result<ResourceVector> demand = exactly(claims_of(job_class), fmt::format("classes[{}]", k));
    if (!demand) return demand.error();
    cluster.users.push_back({.name = job_class.name, .demand = *std::move(demand)});
  }
  return cluster;
}

}  // namespace mirab::simulation
