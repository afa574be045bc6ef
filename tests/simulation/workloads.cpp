#include "simulation/workloads.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include <mirab/scheduling/fill.hpp>

namespace mirab::simulation {
namespace {

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

std::vector<Server> random_servers(Random& random) {
  std::vector<Server> servers;
  const std::int64_t entries = between(random, 1, 3);
  for (std::int64_t i = 0; i < entries; ++i)
    servers.push_back({.name = fmt::format("s{}", i),
                       .capacity = whole({between(random, 3, 12), between(random, 0, 12)}),
                       .count = between(random, 1, 3),
                       .labels = {{"zone", i % 2 == 0 ? "a" : "b"}}});
  return servers;
}

Request random_request(Random& random, std::size_t entries) {
  Request request{.demand = whole({between(random, 1, 5), between(random, 0, 5)})};
  if (random.below(4) == 0)
    request.servers = std::vector<std::string>{fmt::format("s{}", random.below(entries))};
  if (random.below(4) == 0) request.select = {{"zone", {"a"}}};
  return request;
}

/// Servers that are up go down, and those that are down come up, some of them for the first time.
std::vector<ServerChange> random_changes(Random& random, const std::vector<Server>& servers) {
  std::map<std::pair<std::string, std::int64_t>, bool> is_up;
  for (const Server& entry : servers) {
    for (std::int64_t instance = 0; instance <= entry.count; ++instance)
      is_up[{entry.name, instance}] = instance < entry.count;
  }
  std::vector<ServerChange> changes;
  const std::int64_t number = between(random, 0, 8);
  std::int64_t now = 0;
  for (std::int64_t i = 0; i < number; ++i) {
    now += between(random, 0, 5);
    auto which = is_up.begin();
    std::advance(which, static_cast<std::ptrdiff_t>(random.below(is_up.size())));
    changes.push_back({.kind = which->second ? ServerChange::Kind::down : ServerChange::Kind::up,
                       .at = at_second(now),
                       .server = which->first.first,
                       .instance = which->first.second});
    if (!which->second && random.below(2) == 0) {
      changes.back().capacity = whole({between(random, 3, 12), between(random, 1, 12)});
      changes.back().labels = {{"zone", "a"}};
    }
    which->second = !which->second;
  }
  return changes;
}

}  // namespace

ResourceVector whole(const std::vector<std::int64_t>& amounts) {
  ResourceVector vector;
  for (const std::int64_t amount : amounts) vector.emplace_back(amount);
  return vector;
}

Problem cluster_of(std::vector<std::string> resources, std::vector<Server> servers) {
  Cluster cluster{.resources = std::move(resources), .servers = std::move(servers), .users = {}};
  User user{.name = "nobody", .demand = ResourceVector(cluster.resources.size())};
  user.demand.front() = Quantity{1};
  cluster.users.push_back(std::move(user));
  return *Problem::from(std::move(cluster));
}

Job job_of(std::string name, Duration submitted, std::uint32_t user, std::uint32_t request,
           std::int64_t tasks, Duration runtime) {
  return {.name = std::move(name),
          .submitted = submitted,
          .user = user,
          .request = request,
          .tasks = tasks,
          .runtime = runtime};
}

ReplayContender contender(std::string_view discipline, std::string_view placement) {
  return {.discipline = *choose_discipline(discipline), .placement = *choose_placement(placement)};
}

SmallTrace random_trace(Random& random) {
  const std::vector<Server> servers = random_servers(random);
  Workload workload{.resources = {"cpu", "memory"}, .users = {}, .requests = {}, .jobs = {}};
  for (std::int64_t n = between(random, 1, 4); n > 0; --n)
    workload.users.push_back({.name = fmt::format("u{}", n), .weight = Quantity{between(random, 1, 3)}});
  for (std::int64_t i = between(random, 1, 4); i > 0; --i)
    workload.requests.push_back(random_request(random, servers.size()));
  std::int64_t now = 0;
  for (std::int64_t j = between(random, 1, 25); j > 0; --j) {
    now += between(random, 0, 2);
    workload.jobs.push_back({.name = fmt::format("j{}", j),
                             .submitted = at_second(now),
                             .user = static_cast<std::uint32_t>(random.below(workload.users.size())),
                             .request = static_cast<std::uint32_t>(random.below(workload.requests.size())),
                             .tasks = between(random, 1, 4),
                             .runtime = at_second(between(random, 1, 9))});
  }
  workload.changes = random_changes(random, servers);
  workload.span = at_second(between(random, 1, now + 20));
  return {.cluster = cluster_of(workload.resources, servers), .workload = std::move(workload)};
}

}  // namespace mirab::simulation
