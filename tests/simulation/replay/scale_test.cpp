// What is cut or multiplied before a replay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "lab/simulation/replay/input.hpp"
#include "lab/simulation/replay/machines.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

using testing::ElementsAre;

TEST(ScaledCounts, GiveWhatIsLeftToTheLargestRemainders) {
  EXPECT_THAT(scaled_counts(std::vector<std::int64_t>{5, 3, 2}, 0.5), ElementsAre(3, 1, 1));
  EXPECT_THAT(scaled_counts(std::vector<std::int64_t>{1, 7, 0}, 0.25), ElementsAre(0, 2, 0));
  EXPECT_THAT(scaled_counts(std::vector<std::int64_t>{1, 1}, 2.5), ElementsAre(3, 2));
  EXPECT_THAT(scaled_counts(std::vector<std::int64_t>{4, 4}, 0.01), ElementsAre(1, 0)) << "never nothing";
  EXPECT_THAT(scaled_counts(std::vector<std::int64_t>{}, 2), ElementsAre());
}

TEST(ScaledCounts, AddUpToTheWholeTimesTheFactorAndStayWithinOneOfTheirOwn) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    std::vector<std::int64_t> counts;
    for (std::uint64_t n = 1 + random.below(8); n > 0; --n)
      counts.push_back(1 + static_cast<std::int64_t>(random.below(1000)));
    const double factor = 0.5 + 3 * random.unit();
    const std::vector<std::int64_t> scaled = scaled_counts(counts, factor);
    const auto sum = [](const auto& all) { return std::accumulate(all.begin(), all.end(), std::int64_t{0}); };
    EXPECT_EQ(sum(scaled), std::llround(static_cast<double>(sum(counts)) * factor)) << "seed " << seed;
    for (std::size_t i = 0; i < counts.size(); ++i)
      EXPECT_LT(std::abs(static_cast<double>(scaled[i]) - static_cast<double>(counts[i]) * factor),
                1.0 + 1e-9);
    EXPECT_EQ(scaled_counts(counts, 1), counts);
  }
}

std::vector<Submitter> users_named(const std::vector<std::string>& names) {
  std::vector<Submitter> users;
  for (const std::string& name : names) users.push_back({.name = name});
  return users;
}

TEST(ScaledUsers, BelowOneAreDrawnAndKeepTheirOrder) {
  std::set<std::vector<std::string>> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto scaled = scaled_users(users_named({"a", "b", "c", "d"}), 0.5, random);
    ASSERT_EQ(scaled->users.size(), 2U);
    EXPECT_LT(scaled->users[0].name, scaled->users[1].name);
    seen.insert({scaled->users[0].name, scaled->users[1].name});
  }
  EXPECT_EQ(seen.size(), 6U) << "every pair is drawn now and then";
}

TEST(ScaledUsers, AboveOneAreCopiedUnderNewNames) {
  Random random(1);
  const auto twice = scaled_users(users_named({"a", "b"}), 2, random);
  ASSERT_EQ(twice->users.size(), 4U);
  EXPECT_EQ(twice->users[1].name, "a#2");
  EXPECT_THAT(twice->of, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_EQ(scaled_users(users_named({"a", "b", "c", "d"}), 1.5, random)->users.size(), 6U);
  EXPECT_FALSE(scaled_users(users_named({"a", "a#2"}), 2, random)) << "two users of one name";
}

SmallTrace machines_that_come_and_go() {
  Workload workload{.resources = {"cpu"}, .users = {{"a"}}, .requests = {{whole({1})}}, .jobs = {}};
  workload.jobs = {job_of("j", at_second(4), 0, 0, 1, at_second(3))};
  workload.changes = {{ServerChange::Kind::down, at_second(1), "s", 0},
                      {ServerChange::Kind::up, at_second(2), "new", 900, whole({7})},
                      {ServerChange::Kind::up, at_second(3), "s", 0}};
  workload.span = at_second(10);
  return {.cluster = cluster_of({"cpu"}, {{.name = "s", .capacity = whole({4}), .count = 2}}),
          .workload = std::move(workload)};
}

TEST(ReplayInput, CopiesOfAMachineComeAndGoWithIt) {
  const SmallTrace trace = machines_that_come_and_go();
  const auto input = replay_input(trace.cluster, trace.workload, {.machines = 2}, 1);
  EXPECT_EQ(input->machines.first.size(), 4U);
  EXPECT_EQ(input->machines.count, 6U);
  std::vector<std::uint32_t> machines;
  for (const MachineChange& change : input->machines.changes) machines.push_back(change.machine);
  EXPECT_THAT(machines, ElementsAre(0, 2, 4, 5, 0, 2));
  EXPECT_THAT(input->capacity, ElementsAre(Amounts{4}, Amounts{7}));
}

TEST(ReplayInput, OfFewerMachinesTheFirstOnesOfEachEntryAreKept) {
  const SmallTrace trace = machines_that_come_and_go();
  const auto input = replay_input(trace.cluster, trace.workload, {.machines = 0.5}, 1);
  EXPECT_EQ(input->machines.count, 2U) << "round(3 / 2)";
  EXPECT_EQ(input->machines.first.size(), 1U);
}

TEST(ReplayInput, LoadDividesArrivalTimesAndTheSpanButNeitherRuntimesNorChanges) {
  const SmallTrace trace = machines_that_come_and_go();
  const auto input = replay_input(trace.cluster, trace.workload, {.load = 2}, 1);
  EXPECT_EQ(input->jobs[0].submitted, at_second(2));
  EXPECT_EQ(input->jobs[0].runtime, at_second(3));
  EXPECT_EQ(input->span, at_second(5));
  EXPECT_EQ(input->machines.changes[2].at, at_second(3));
}

TEST(ReplayInput, CopiedUsersSubmitTheSameJobs) {
  const SmallTrace trace = machines_that_come_and_go();
  const auto input = replay_input(trace.cluster, trace.workload, {.users = 3}, 1);
  ASSERT_EQ(input->jobs.size(), 3U);
  EXPECT_EQ(input->jobs[2].user, 2U);
  EXPECT_EQ(input->users[2].name, "a#3");
}

TEST(ReplayInput, CountsAmountsInAPowerOfTenInWhichAllAreWhole) {
  SmallTrace trace = machines_that_come_and_go();
  trace.workload.requests[0].demand = {*Quantity::parse("0.125")};
  const auto input = replay_input(trace.cluster, trace.workload, {}, 1);
  EXPECT_EQ(input->requests[0].demand, Amounts{125});
  EXPECT_THAT(input->capacity, ElementsAre(Amounts{4000}, Amounts{7000}));
  EXPECT_DOUBLE_EQ(input->unit[0], 1e-3);
  EXPECT_TRUE(input->notices.empty());
}

TEST(ReplayInput, SaysSoWhereAmountsHadToBeRounded) {
  SmallTrace trace = machines_that_come_and_go();
  trace.workload.requests[0].demand = {*Quantity::parse("0.000000000000000001")};
  trace.workload.changes[1].capacity = {*Quantity::parse("1000000000")};
  const auto input = replay_input(trace.cluster, trace.workload, {}, 1);
  EXPECT_EQ(input->requests[0].demand, Amounts{1}) << "rounded up";
  EXPECT_EQ(input->notices.size(), 1U);
}

TEST(ReplayInput, TakesTheResourcesInTheOrderOfTheCluster) {
  Workload workload{
      .resources = {"memory", "cpu"}, .users = {{"a"}}, .requests = {{whole({5, 1})}}, .jobs = {}};
  workload.usages = {{.step = at_second(1), .of = {{4, 2}}}};
  workload.jobs = {job_of("j", at_second(0), 0, 0, 1, at_second(3))};
  workload.span = at_second(1);
  const auto input = replay_input(cluster_of({"cpu", "memory"}, {{.name = "s", .capacity = whole({4, 8})}}),
                                  workload, {}, 1);
  EXPECT_EQ(input->requests[0].demand, (Amounts{1, 5}));
  EXPECT_THAT(input->usages[0].of[0], ElementsAre(2, 4));
}

}  // namespace
}  // namespace mirab::simulation
