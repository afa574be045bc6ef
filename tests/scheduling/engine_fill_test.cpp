// Filling an empty cluster with the engine takes the steps of the plain fill, one by one.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "scheduling/clusters.hpp"
#include "scheduling/engines.hpp"
#include "scheduling/plain/counted_problem.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::uint64_t kProblems = 1'000;

Amounts owned(std::span<const std::int64_t> units) { return {units.begin(), units.end()}; }

/// An engine that holds the problem, and what it calls its servers and users.
struct Held {
  SmallEngine small;
  std::map<ServerId, std::pair<std::size_t, std::int64_t>> servers = {};
  std::map<UserId, std::size_t> users = {};

  Held(const Problem& problem, const plain::Filling& filling)
      : small(filling.discipline, filling.placement, problem.resource_count(), filling.tie, Oversized::wait) {
    const plain::CountedProblem counted(problem);  // in the units of the plain fill: rounding is the same
    for (std::size_t i = 0; i < problem.server_count(); ++i) {
      const Server& entry = problem.servers()[i];
      for (std::int64_t k = 0; k < entry.count; ++k)
        servers[small.server(owned(counted.capacity(i)), entry.name, entry.labels)] = {i, k};
    }
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      const User& user = problem.users()[n];
      const UserId id = small.user(user.weight);
      users[id] = n;
      JobSubmitted job{.user = id, .demand = owned(counted.demand(n)), .tasks = counted.task_limit(n), .servers = user.servers, .select = user.select};
      for (std::size_t i = 0; i < problem.server_count(); ++i) {
        const std::string& server = problem.servers()[i].name;
        if (user.demand_on.contains(server)) job.demand_on[server] = owned(counted.demand(counted.task(n, i)));
      }
      if (job.tasks > 0) small.job(job);
    }
  }
};

/// By what a user's tasks take the engine adds up what runs; the plain fill weighs the number of tasks with
/// what one takes at the most. Round-robin of the plain fill knows no weights.
bool mean_the_same(const std::string& discipline, const Problem& problem) {
  const bool by_amounts = discipline == "drf" || discipline == "asset";
  return std::all_of(problem.users().begin(), problem.users().end(), [&](const User& user) {
    if (discipline == "round-robin") return user.weight == Quantity{1};
    return !by_amounts || user.demand_on.empty();
  });
}

void expect_the_steps_of_the_plain_fill(const Problem& problem, const plain::Filling& filling) {
  const FillOutcome expected = plain::filled(problem, filling);
  Held held(problem, filling);
  held.small.random = Random(filling.seed);
  for (const FillStep& step : expected.steps) {
    const std::optional<Placed> placed = held.small.step();
    ASSERT_TRUE(placed);
    ASSERT_EQ(held.users.at(placed->user), step.user);
    ASSERT_EQ(held.servers.at(placed->server), std::pair(step.server, step.instance));
  }
  ASSERT_FALSE(held.small.step());
  ASSERT_EQ(held.small.engine.broken_invariant(), "");
}

void expect_the_same(const std::string& discipline) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; compared < kProblems; ++seed) {
    Random random(seed);
    const Problem problem = plain::random_problem(random);
    if (!mean_the_same(discipline, problem)) continue;
    ++compared;
    for (const char* placement : {"first-fit", "best-fit", "best-fit:published=true", "worst-fit", "next-fit", "random"}) {
      const Tie tie = seed % 2 == 0 ? Tie::first : Tie::last;
      const std::string with = discipline + (seed % 3 == 0 ? ":blocking=freeze" : "");
      SCOPED_TRACE(fmt::format("replay: {} {}, seed {}", with, placement, seed));
      ASSERT_NO_FATAL_FAILURE(expect_the_steps_of_the_plain_fill(
          problem, {.discipline = with, .placement = placement, .tie = tie, .seed = seed}));
    }
  }
}

TEST(EngineFill, FifoTakesTheStepsOfThePlainOne) { expect_the_same("fifo"); }
TEST(EngineFill, RoundRobinTakesTheStepsOfThePlainOne) { expect_the_same("round-robin"); }
TEST(EngineFill, DrfTakesTheStepsOfThePlainOne) { expect_the_same("drf"); }
TEST(EngineFill, AssetTakesTheStepsOfThePlainOne) { expect_the_same("asset"); }
TEST(EngineFill, MlfDrsTakesTheStepsOfThePlainOne) { expect_the_same("mlf-drs"); }

}  // namespace
}  // namespace mirab::scheduling
