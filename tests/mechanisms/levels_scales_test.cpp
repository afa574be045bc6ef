// DRFH, TSF and CMMF where demands, capacities and levels are orders of magnitude apart.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

namespace mirab {
namespace {

constexpr long double kRoomRounding = 1e-15L;

// The most that anybody below its cap could still have in the room that is left, in its own tasks; each
// server is one. Rounding of what the others have is no room.
double most_room(const Problem& problem, const Allocation& allocation) {
  double most = 0;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    std::vector<long double> left;
    for (std::size_t r = 0; r < problem.resource_count(); ++r)
      left.push_back(problem.servers()[i].capacity[r].value() * (1 - kRoomRounding));
    for (const Grant& grant : allocation.grants) {
      for (std::size_t r = 0; grant.server == i && r < left.size(); ++r)
        left[r] -= static_cast<long double>(grant.tasks) * problem.users()[grant.user].demand[r].value();
    }
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      const User& user = problem.users()[n];
      const double tasks = allocation.tasks[n];
      long double more = user.tasks ? user.tasks->value() - tasks : std::numeric_limits<double>::infinity();
      for (std::size_t r = 0; r < left.size(); ++r) {
        if (user.demand[r].value() > 0) more = std::min(more, left[r] / user.demand[r].value());
      }
      most = std::max(most, static_cast<double>(more / tasks));
    }
  }
  return most;
}

Problem over_nine_orders(Random& random) {
  const auto draw = [&] {
    return *Quantity::parse(fmt::format("{:.3e}", std::pow(10, -4.5 + 9 * random.unit())));
  };
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  const std::uint64_t servers = 1 + random.below(3);
  for (std::uint64_t i = 0; i < servers; ++i)
    cluster.servers.push_back({.name = fmt::format("s{}", i), .capacity = {draw(), draw()}});
  const std::uint64_t users = 2 + random.below(8);
  for (std::uint64_t n = 0; n < users; ++n) {
    User user{.name = fmt::format("u{}", n), .demand = {draw(), draw()}};
    if (random.unit() < 0.3) user.demand[random.below(2)] = Quantity(0);
    if (random.unit() < 0.3) user.tasks = draw();
    cluster.users.push_back(user);
  }
  return *Problem::from(std::move(cluster));
}

// Demands, capacities and caps over nine orders of magnitude: a task can be worth so little
// that rounding hides its level in doubles. All are exact, and no user has room.
TEST(Levels, OverNineOrdersOfMagnitudeAllAreExactAndLeaveNoRoom) {
  constexpr std::uint64_t seed = 7;
  constexpr int kProblems = 500;
  Random random(seed);
  for (int i = 0; i < kProblems; ++i) {
    const Problem problem = over_nine_orders(random);
    for (const std::string mechanism : {"drfh", "tsf", "cmmf"}) {
      const std::string replay = fmt::format(
          "problem {} of seed {}, {}:\n{}", i, seed, mechanism,
          write_cluster_yaml(
              {.resources = problem.resources(), .servers = problem.servers(), .users = problem.users()}));
      const Outcome outcome = *allocate(problem, mechanism);
      ASSERT_EQ(outcome.status, Status::exact) << replay;
      ASSERT_LE(most_room(problem, outcome.allocation), 1e-6) << replay;
    }
  }
}

// One full resource at a time: the second level is a million times the first, and no capacity is out of
// sight.
TEST(Levels, CmmfIsMaxMinWhereLevelsAreAMillionTimesApart) {
  const auto amount = [](const char* text) { return *Quantity::parse(text); };
  const Problem problem = *Problem::from(
      {.resources = {"a", "b"},
       .servers = {{.name = "s", .capacity = {Quantity(1), Quantity(1)}}},
       .users = {{.name = "A", .demand = {amount("1e6"), Quantity(0)}},
                 {.name = "C", .demand = {Quantity(0), amount("0.5")}},
                 {.name = "B", .demand = {Quantity(0), amount("1e-7")}, .tasks = amount("1e8")}}});
  const Outcome outcome = *allocate(problem, "cmmf");
  const Outcome reference = *allocate(problem, "max-min");
  EXPECT_EQ(outcome.status, Status::exact);
  for (std::size_t n = 0; n < 3; ++n)
    EXPECT_NEAR(outcome.allocation.tasks[n], reference.allocation.tasks[n],
                1e-8 * reference.allocation.tasks[n]);
}

}  // namespace
}  // namespace mirab
