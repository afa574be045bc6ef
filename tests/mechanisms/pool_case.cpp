#include "mechanisms/pool_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mirab::testing {
namespace {

Quantity quantity(double value) {
  const Result<Quantity> exact = Quantity::from(value);
  MIRAB_ASSERT(static_cast<bool>(exact), "a test uses an amount that is no quantity");
  return *exact;
}

ResourceVector quantities(const std::vector<double>& values) {
  ResourceVector amounts;
  for (const double value : values) amounts.push_back(quantity(value));
  return amounts;
}

// Half of all amounts are small integers, so that ties and collinear columns come up.
double amount(Random& random, bool whole, double largest) {
  return whole ? 1.0 + static_cast<double>(random.below(static_cast<std::uint64_t>(largest)))
               : 0.1 + random.unit() * largest;
}

}  // namespace

Problem problem_of(const PoolCase& pool) {
  Cluster cluster;
  for (std::size_t r = 0; r < pool.capacity.size(); ++r) cluster.resources.push_back(fmt::format("r{}", r));
  Server server;
  server.name = "all";
  server.capacity = quantities(pool.capacity);
  cluster.servers.push_back(server);
  for (std::size_t n = 0; n < pool.demand.size(); ++n) {
    User user;
    user.name = fmt::format("u{}", n);
    user.demand = quantities(pool.demand[n]);
    user.weight = quantity(pool.weight_of(n));
    if (pool.has_cap(n)) user.tasks = quantity(pool.cap[n]);
    cluster.users.push_back(user);
  }
  Result<Problem> problem = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(problem), describe(problem.error()).c_str());
  return *std::move(problem);
}

std::vector<double> tasks_of(const PoolCase& pool, std::string_view mechanism) {
  const Result<Outcome> outcome = allocate(problem_of(pool), mechanism);
  MIRAB_ASSERT(static_cast<bool>(outcome), describe(outcome.error()).c_str());
  MIRAB_ASSERT(outcome->status != Status::not_converged, text_of(pool).c_str());
  return outcome->allocation.tasks;
}

PoolCase random_pool(Random& random, const PoolStyle& style) {
  PoolCase pool;
  const std::size_t users = 1 + random.below(style.users_max);
  const std::size_t resources = 1 + random.below(style.resources_max);
  const bool whole = random.below(2) == 0;
  const bool weighted = random.unit() < style.weighted;
  for (std::size_t r = 0; r < resources; ++r) pool.capacity.push_back(amount(random, whole, 20));
  for (std::size_t n = 0; n < users; ++n) {
    std::vector<double> demand;
    for (std::size_t r = 0; r < resources; ++r) {
      demand.push_back(random.unit() < style.zero_demands ? 0 : amount(random, whole, 5));
    }
    demand[random.below(resources)] += amount(random, whole, 5);
    pool.demand.push_back(demand);
    pool.weight.push_back(weighted ? amount(random, whole, 4) : 1);
    const bool capped = random.unit() < style.capped_users;
    pool.cap.push_back(capped ? 5 * random.unit() : -1);
  }
  return pool;
}

std::string text_of(const PoolCase& pool) {
  return fmt::format("{{.capacity = {}, .demand = {}, .weight = {}, .cap = {}}}", pool.capacity, pool.demand,
                     pool.weight, pool.cap);
}

}  // namespace mirab::testing
