#include "scheduling/clusters.hpp"

#include <fmt/format.h>

namespace mirab::scheduling {
namespace {

bool one_in(std::uint64_t cases, Random& random) { return random.below(cases) == 0; }

/// Tenths from `least` to `most`; every sixth is 0.
std::string tenths(std::uint64_t least, std::uint64_t most, Random& random) {
  if (one_in(6, random)) return "0";
  const std::uint64_t tenths = least + random.below(most - least + 1);
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

std::vector<std::string> demand(std::size_t resources, Random& random) {
  std::vector<std::string> demand;
  for (std::size_t r = 0; r < resources; ++r)
    demand.push_back(one_in(2, random) ? "1" : tenths(5, 20, random));
  return demand;
}

Server random_server(std::size_t i, std::size_t resources, Random& random) {
  std::vector<std::string> capacity;
  for (std::size_t r = 0; r < resources; ++r) capacity.push_back(tenths(10, 60, random));
  Server entry = server(fmt::format("s{}", i), capacity, 1 + static_cast<std::int64_t>(random.below(3)));
  entry.labels.emplace("zone", one_in(2, random) ? "a" : "b");
  return entry;
}

User random_user(std::size_t n, std::size_t resources, std::size_t servers, Random& random) {
  static constexpr const char* kWeights[] = {"1", "1", "2", "0.5", "3"};
  const auto some_server = [&] { return fmt::format("s{}", random.below(servers)); };
  User result = weighted(user(fmt::format("u{}", n), demand(resources, random)), kWeights[random.below(5)]);
  if (one_in(3, random)) result.tasks = amount(tenths(0, 50, random));
  if (one_in(5, random)) result.servers = {some_server(), some_server()};
  if (one_in(5, random)) result.select["zone"] = {"a"};
  if (one_in(5, random)) result.demand_on[some_server()] = amounts(demand(resources, random));
  return result;
}

}  // namespace

Problem random_problem(Random& random) {
  while (true) {
    const std::size_t resources = 1 + random.below(3);
    const std::size_t servers = 1 + random.below(3);
    const std::size_t users = 1 + random.below(5);
    Cluster cluster;
    for (std::size_t r = 0; r < resources; ++r) cluster.resources.push_back(fmt::format("r{}", r));
    for (std::size_t i = 0; i < servers; ++i) cluster.servers.push_back(random_server(i, resources, random));
    for (std::size_t n = 0; n < users; ++n) {
      cluster.users.push_back(waiting(random_user(n, resources, servers, random)));
    }
    Result<Problem> problem = Problem::from(std::move(cluster));
    if (problem) return *std::move(problem);
  }
}

}  // namespace mirab::scheduling
