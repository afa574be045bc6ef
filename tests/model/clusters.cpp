#include "model/clusters.hpp"

#include <fmt/format.h>

namespace mirab::testing {

ResourceVector amounts(const std::vector<double>& values) {
  ResourceVector vector;
  for (const double value : values) {
    Result<Quantity> amount = Quantity::from(value);
    MIRAB_ASSERT(static_cast<bool>(amount), describe(amount.error()).c_str());
    vector.push_back(*amount);
  }
  return vector;
}

Cluster cluster_of(const std::vector<std::vector<double>>& capacities,
                   const std::vector<std::vector<double>>& demands) {
  constexpr const char* kResources[] = {"cpu", "memory", "disk", "gpu"};
  Cluster cluster;
  for (std::size_t r = 0; r < capacities[0].size(); ++r) cluster.resources.emplace_back(kResources[r]);
  for (std::size_t i = 0; i < capacities.size(); ++i)
    cluster.servers.push_back({.name = fmt::format("s{}", i + 1), .capacity = amounts(capacities[i])});
  for (std::size_t n = 0; n < demands.size(); ++n)
    cluster.users.push_back(
        {.name = std::string(1, static_cast<char>('A' + n)), .demand = amounts(demands[n])});
  return cluster;
}

Cluster slides() {
  Cluster cluster = cluster_of({{9, 18}}, {{1, 4}, {3, 1}});
  cluster.servers[0].name = "pool";
  return cluster;
}

Problem problem_of(const Cluster& cluster) {
  Result<Problem> problem = Problem::from(cluster);
  MIRAB_ASSERT(static_cast<bool>(problem), describe(problem.error()).c_str());
  return *std::move(problem);
}

Problem pool_of(const std::vector<double>& capacity, const std::vector<std::vector<double>>& demands) {
  return problem_of(cluster_of({capacity}, demands));
}

std::vector<EditedGrant> rows_of(const Grants& grants) {
  std::vector<EditedGrant> rows;
  for (const Grant& grant : grants)
    rows.push_back({grant.user, grant.server, grant.tasks, {grant.resources.begin(), grant.resources.end()}});
  return rows;
}

Grants grants_of(const std::vector<EditedGrant>& rows) {
  Grants grants;
  for (const EditedGrant& row : rows) grants.add(row.user, row.server, row.tasks, row.resources);
  return grants;
}

Grants edited(const Grants& grants, const std::function<void(EditedGrant&)>& edit) {
  std::vector<EditedGrant> rows = rows_of(grants);
  for (EditedGrant& row : rows) edit(row);
  return grants_of(rows);
}

}  // namespace mirab::testing
