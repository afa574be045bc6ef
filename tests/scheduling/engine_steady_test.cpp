// With endless demand for small tasks, the engine ends near the divisible allocation of the mechanism.
//
// The bound, on one server where everybody demands everything. The disciplines serve the lowest key, and keys
// are in proportion to X_n / X*_n, X* being the divisible allocation. So, when somebody's task first fits no
// more, there is a t with t X*_n ≤ X_n ≤ t X*_n + 1 for all n. A resource r that X* uses up is then used for
// at least t C_r, hence t ≤ 1. And the task that did not fit lacked a resource r, of which at most t C_r +
// Σ_m d_{m,r} is used: t ≥ 1 - e_r, e_r = (Σ_m d_{m,r} + max_m d_{m,r}) / C_r. From then on nobody has less,
// and of an r that X* uses up at most e_r C_r is left for somebody to have more:
//
//   (1 - max_r e_r) X*_n ≤ X_n ≤ X*_n + 1 + min_{r used up} e_r C_r / d_{n,r}.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "random_cases.hpp"
#include "scheduling/clusters.hpp"
#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

/// One large server and small tasks.
Problem random_server(Random& random) {
  const auto number = [&](std::uint64_t least, std::uint64_t most) {
    return fmt::format("{}", least + random.below(most - least + 1));
  };
  const std::size_t resources = 1 + random.below(3);
  std::vector<std::string> capacity;
  for (std::size_t r = 0; r < resources; ++r) capacity.push_back(number(5'000, 20'000));
  std::vector<User> users;
  for (std::uint64_t n = 0, count = 2 + random.below(5); n < count; ++n) {
    std::vector<std::string> demand;
    for (std::size_t r = 0; r < resources; ++r) demand.push_back(number(1, 9));
    users.push_back(scheduling::weighted(scheduling::user(fmt::format("u{}", n), demand), number(1, 3)));
  }
  return scheduling::problem({scheduling::server("s", capacity)}, users);
}

/// The tasks of each user when nothing fits any more.
std::vector<double> steady_filled(const Problem& problem, const std::string& discipline,
                                  const std::string& placement) {
  SmallEngine small(discipline, placement, problem.resource_count());
  for (const Server& server : problem.servers()) small.server(units(server.capacity), server.name);
  std::vector<UserId> users;
  for (const User& user : problem.users()) {
    users.push_back(small.user(user.weight));
    small.job(users.back(), units(user.demand), 1'000'000'000);
  }
  while (small.step()) {
  }
  std::vector<double> tasks;
  for (const UserId user : users) tasks.push_back(static_cast<double>(small.engine.user(user)->running));
  return tasks;
}

void expect_near_the_divisible(const std::string& discipline, const std::string& mechanism) {
  for (std::uint64_t seed = 1; seed <= random_cases(40); ++seed) {
    SCOPED_TRACE(fmt::format("replay: {}, seed {}", discipline, seed));
    Random random(seed);
    const Problem problem = random_server(random);
    const Result<Outcome> divisible = allocate(problem, mechanism);
    ASSERT_TRUE(divisible);
    const std::vector<double>& ideal = divisible->allocation.tasks;
    const std::vector<double> tasks = steady_filled(problem, discipline, "first-fit");

    const auto demand = [&](std::size_t n, std::size_t r) { return problem.users()[n].demand[r].value(); };
    std::vector<double> error;  // e_r C_r
    double most = 0;            // max e_r
    std::vector<bool> used_up;
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      const double capacity = problem.servers()[0].capacity[r].value();
      double sum = 0, largest = 0, used = 0;
      for (std::size_t n = 0; n < problem.user_count(); ++n) {
        sum += demand(n, r);
        largest = std::max(largest, demand(n, r));
        used += ideal[n] * demand(n, r);
      }
      error.push_back(sum + largest);
      most = std::max(most, error[r] / capacity);
      used_up.push_back(used > capacity * (1 - 1e-9));
    }
    ASSERT_LT(most, 0.02) << "the tasks are not small";
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      double more = 1e9;
      for (std::size_t r = 0; r < problem.resource_count(); ++r) {
        if (used_up[r]) more = std::min(more, 1 + error[r] / demand(n, r));
      }
      EXPECT_GE(tasks[n], (1 - most) * ideal[n] - 1e-6) << "user " << n;
      EXPECT_LE(tasks[n], ideal[n] + more + 1e-6) << "user " << n;
    }
  }
}

TEST(EngineInTheLongRun, DrfIsNearDominantResourceFairness) { expect_near_the_divisible("drf", "drf"); }
TEST(EngineInTheLongRun, PfIsNearProportionalFairness) { expect_near_the_divisible("pf", "pf"); }
TEST(EngineInTheLongRun, PsDsfIsNearPerServerDominantShareFairness) {
  expect_near_the_divisible("ps-dsf", "ps-dsf");
}

// docs/explanation/mathematics.md, section 4: each of two users has a server that suits it, and fills it to
// within a task. With ps-dsf the first task of a user, when all its keys are 0, goes to the first server,
// suited or not, where it takes the room of max_r d_{m,r} / d_{n,r} = 5 tasks of the other user.
TEST(EngineInTheLongRun, UsersEndOnTheServersThatSuitThem) {
  const Problem problem = scheduling::problem(
      {scheduling::server("a", {"2000", "12000"}), scheduling::server("b", {"12000", "2000"})},
      {scheduling::user("left", {"2", "10"}), scheduling::user("right", {"10", "2"})});
  const auto expect = [&](const std::string& discipline, const std::string& placement,
                          const std::string& mechanism, double error) {
    SCOPED_TRACE(discipline);
    const Result<Outcome> divisible = allocate(problem, mechanism);
    ASSERT_TRUE(divisible);
    const std::vector<double> tasks = steady_filled(problem, discipline, placement);
    for (std::size_t n = 0; n < 2; ++n) EXPECT_NEAR(tasks[n], divisible->allocation.tasks[n], error);
  };
  expect("drf", "best-fit", "drfh", 1);
  expect("ps-dsf", "first-fit", "ps-dsf", 1 + 5);
}

}  // namespace
}  // namespace mirab::scheduling
