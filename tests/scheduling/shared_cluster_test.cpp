// A cluster that others change too: tasks that run already, amounts that others hold, capacities below use,
// other labels, sets of servers, and the order of a user's jobs.
#include <gmock/gmock.h>

#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Time at_ns(std::int64_t ns) { return Time(Duration(ns)); }

/// The key of the error, and the engine as it was.
template <class Event>
std::string refused(Engine& engine, const Event& event, Time now) {
  const std::string before = snapshot(engine);
  const auto result = engine.apply(event, now);
  EXPECT_EQ(snapshot(engine), before);
  if constexpr (std::is_same_v<decltype(result), const Check>) {
    return result ? result->key : "";
  } else {
    return result ? "" : result.error().key;
  }
}

// Adoption.

TEST(SharedCluster, AnAdoptedTaskCountsForItsUserAndOnItsServer) {
  SmallEngine small("drf");
  const ServerId server = small.server({4});
  const UserId user = small.user();
  const JobId job = small.job(user, {3}, 2);
  const Result<TaskId> task =
      small.engine.apply(TaskAdopted{.job = job, .server = server, .since = at_ns(-7)}, {});
  ASSERT_TRUE(task);
  EXPECT_EQ(small.engine.user(user)->used, Amounts{3});
  EXPECT_EQ(small.engine.server(server)->free, Amounts{1});
  EXPECT_EQ(small.engine.job(job)->waiting, 1);
  EXPECT_EQ(small.engine.job(job)->running, 1);
  small.engine.for_each_task(job, [&](const Engine::TaskState& state) {
    EXPECT_EQ(state.task, *task);
    EXPECT_EQ(state.started, at_ns(-7));
  });
  EXPECT_FALSE(small.step());
  EXPECT_FALSE(small.engine.apply(TaskFinished{*task}, {}));
  EXPECT_TRUE(small.step());
  EXPECT_EQ(small.engine.broken_invariant(), "");
}

TEST(SharedCluster, AdoptionAsksForNoRoomLabelTermOrDrain) {
  SmallEngine small("drf");
  const ServerId first = small.server({4}, "a", {{"zone", "a"}});
  const ServerId second = small.server({4}, "b");
  const JobId job = small.job({.user = small.user(),
                               .demand = {3},
                               .tasks = 4,
                               .select = {{"zone", {"a"}}},
                               .demand_on = {{"b", {2}}},
                               .per_server = 1});
  ASSERT_FALSE(small.engine.apply(ServerDrained{second}, {}));
  for (const ServerId server : {first, first, second})
    ASSERT_TRUE(small.engine.apply(TaskAdopted{.job = job, .server = server, .since = {}}, {}));
  EXPECT_EQ(small.engine.server(first)->free, Amounts{0});
  EXPECT_EQ(small.engine.server(second)->free, Amounts{2}) << "what the task takes there goes by the name";
  EXPECT_EQ(small.engine.used()[0], 8);
  EXPECT_EQ(small.engine.broken_invariant(), "");
  EXPECT_FALSE(small.step());
}

TEST(SharedCluster, NothingStartsOnAnOverfullServerBeforeEnoughHasEnded) {
  SmallEngine small("drf");
  const ServerId server = small.server({4});
  const JobId adopted = small.job(small.user(), {3}, 2);
  std::vector<TaskId> tasks;
  for (int task = 0; task < 2; ++task)
    tasks.push_back(*small.engine.apply(TaskAdopted{.job = adopted, .server = server, .since = {}}, {}));
  small.job(small.user(), {1}, 9);
  EXPECT_THAT(small.run(), ElementsAre());
  ASSERT_FALSE(small.engine.apply(TaskFinished{tasks.front()}, {}));
  EXPECT_EQ(small.engine.server(server)->free, Amounts{1});
  EXPECT_EQ(small.run().size(), 1U);
}

TEST(SharedCluster, AnOverfullServerHasRoomForATaskThatTakesNothingOfWhatIsShort) {
  SmallEngine small("drf", "first-fit", 2);
  const ServerId server = small.server({4, 4});
  const JobId adopted = small.job(small.user(), {3, 1}, 2);
  for (int task = 0; task < 2; ++task)
    ASSERT_TRUE(small.engine.apply(TaskAdopted{.job = adopted, .server = server, .since = {}}, {}));
  small.job(small.user(), {0, 1}, 9);
  EXPECT_EQ(small.run().size(), 2U);
}

TEST(SharedCluster, AGangIsFilledUpAroundItsAdoptedTasks) {
  SmallEngine small("drf");
  const ServerId server = small.server({2});
  small.server({2});
  const JobId job = small.job({.user = small.user(), .demand = {1}, .tasks = 4, .gang = 4});
  ASSERT_TRUE(small.engine.apply(TaskAdopted{.job = job, .server = server, .since = {}}, {}));
  const std::optional<Placed> placed = small.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->with.size(), 2U);
}

TEST(SharedCluster, APackedJobWithTasksInTwoDomainsWaits) {
  SmallEngine small("drf");
  const ServerId first = small.server({4}, "s", {{"rack", "1"}});
  const ServerId second = small.server({4}, "s", {{"rack", "2"}});
  const JobId job = small.job({.user = small.user(), .demand = {1}, .tasks = 3, .pack = "rack"});
  const TaskId task = *small.engine.apply(TaskAdopted{.job = job, .server = first, .since = {}}, {});
  ASSERT_TRUE(small.engine.apply(TaskAdopted{.job = job, .server = second, .since = {}}, {}));
  EXPECT_FALSE(small.step());
  EXPECT_EQ(small.engine.why_not_on(job, second)->reason, InTheWay::pack);
  ASSERT_FALSE(small.engine.apply(TaskFinished{task}, {}));
  const std::optional<Placed> placed = small.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->server, second);
}

// The tasks of one engine are adopted by another: then both decide alike.
TEST(SharedCluster, WhoAdoptsWhatRunsGoesOnAlike) {
  for (const char* const discipline : {"round-robin", "drf", "asset", "pf", "tsf", "ps-dsf"}) {
    SCOPED_TRACE(discipline);
    SmallEngine was(discipline, "best-fit", 2);
    SmallEngine now(discipline, "best-fit", 2);
    std::vector<JobSubmitted> jobs;
    for (SmallEngine* const each : {&was, &now}) {
      for (std::int64_t s = 0; s < 5; ++s) each->server({8 + s, 12 - s});
      for (std::int64_t u = 0; u < 3; ++u)
        jobs.push_back({.user = each->user(Quantity(u + 1)), .demand = {1 + u, 3 - u}, .tasks = 30});
    }
    for (std::int64_t u = 0; u < 3; ++u) was.job(jobs[static_cast<std::size_t>(u)]);
    std::vector<Placed> running;
    for (int step = 0; step < 9; ++step) running.push_back(*was.step());
    for (std::int64_t u = 0; u < 3; ++u) now.job(jobs[static_cast<std::size_t>(3 + u)]);
    for (const Placed& task : running)
      ASSERT_EQ(*now.engine.apply(TaskAdopted{.job = task.job, .server = task.server, .since = {}}, {}),
                task.task);
    EXPECT_EQ(now.run(), was.run());
  }
}

TEST(SharedCluster, ATaskThatNoServerCouldHoldCountsAsTheWholeClusterInTsf) {
  SmallEngine small("tsf", "first-fit", 2, Tie::first, Oversized::wait);
  const ServerId server = small.server({4, 0});
  const UserId rich = small.user();
  const UserId poor = small.user();
  const JobId job = small.job(rich, {1, 1}, 1);
  ASSERT_TRUE(small.engine.apply(TaskAdopted{.job = job, .server = server, .since = {}}, {}));
  small.job(rich, {1, 0}, 2);
  small.job(poor, {1, 0}, 2);
  EXPECT_EQ(small.step()->user, poor);
  EXPECT_EQ(small.step()->user, poor);
  EXPECT_EQ(small.step()->user, rich);
}

TEST(SharedCluster, WhatCannotBeAdoptedIsRefused) {
  SmallEngine small("drf", "first-fit", 1, Tie::first, Oversized::wait);
  const ServerId server = small.server({4});
  small.server({7});
  const JobId job = small.job(small.user(), {INT64_MAX - 9}, 3);
  const JobId other = small.job(small.user(), {1}, 1);
  EXPECT_EQ(refused(small.engine, TaskAdopted{.job = JobId{9}, .server = server, .since = {}}, {}), "job");
  EXPECT_EQ(refused(small.engine, TaskAdopted{.job = job, .server = ServerId{9}, .since = {}}, {}), "server");
  EXPECT_EQ(refused(small.engine, TaskAdopted{.job = job, .server = server, .since = at_ns(1)}, {}), "since");
  ASSERT_TRUE(small.engine.apply(TaskAdopted{.job = other, .server = server, .since = {}}, {}));
  EXPECT_EQ(refused(small.engine, TaskAdopted{.job = other, .server = server, .since = {}}, {}), "job");
  ASSERT_TRUE(small.engine.apply(TaskAdopted{.job = job, .server = server, .since = {}}, {}));
  EXPECT_EQ(refused(small.engine, TaskAdopted{.job = job, .server = server, .since = {}}, {}), "server")
      << "2^63 units and more cannot be counted";
  EXPECT_EQ(refused(small.engine, ServerAdded{.name = "s", .capacity = {9}}, {}), "capacity.r0")
      << "nor the room for as many";
}

// Held amounts.

TEST(SharedCluster, FreeIsWhatNeitherTasksNorOthersTakeAndNeverBelowZero) {
  SmallEngine small("drf", "first-fit", 2);
  const ServerId server = small.server({8, 8});
  small.job(small.user(), {2, 1}, 1);
  ASSERT_TRUE(small.step());
  ASSERT_FALSE(small.engine.apply(ServerHeld{.server = server, .amounts = {3, 0}}, {}));
  EXPECT_EQ(small.engine.server(server)->free, (Amounts{3, 7}));
  ASSERT_FALSE(small.engine.apply(ServerHeld{.server = server, .amounts = {7, INT64_MAX}}, {}));
  EXPECT_EQ(small.engine.server(server)->free, (Amounts{0, 0}));
  EXPECT_EQ(small.engine.broken_invariant(), "");
  ASSERT_FALSE(small.engine.apply(ServerHeld{.server = server, .amounts = {0, 1}}, {}));
  EXPECT_EQ(small.engine.server(server)->free, (Amounts{6, 6})) << "it takes the place of the amounts before";
}

TEST(SharedCluster, ATaskThatWaitsStartsAsSoonAsOthersHoldLess) {
  for (const std::int64_t gang : {1, 2}) {
    SmallEngine small("drf");
    const ServerId server = small.server({4});
    ASSERT_FALSE(small.engine.apply(ServerHeld{.server = server, .amounts = {3}}, {}));
    small.job({.user = small.user(), .demand = {2}, .tasks = 2, .gang = gang});
    EXPECT_FALSE(small.step());
    ASSERT_FALSE(small.engine.apply(ServerHeld{.server = server, .amounts = {0}}, {}));
    EXPECT_TRUE(small.step());
  }
}

TEST(SharedCluster, AServerIsNotKeptWhereOthersLeaveNoRoomForTheTask) {
  EngineOptions options{.resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  options.reservations = Reserving{.after = Duration(10), .servers = 2};
  Engine engine = *Engine::from(options);
  Random random(1);
  const ServerId first = *engine.apply(ServerAdded{.name = "a", .capacity = {4}}, {});
  const ServerId second = *engine.apply(ServerAdded{.name = "b", .capacity = {4}}, {});
  const UserId user = *engine.apply(UserAdded{.name = "u"}, {});
  ASSERT_TRUE(engine.apply(JobSubmitted{.user = user, .demand = {2}, .tasks = 4}, {}));
  while (engine.step({}, random)) continue;
  ASSERT_TRUE(engine.apply(JobSubmitted{.user = user, .demand = {4}}, {}));
  ASSERT_FALSE(engine.apply(ServerHeld{.server = first, .amounts = {1}}, {}));
  ASSERT_FALSE(engine.step(at_ns(20), random));
  ASSERT_EQ(engine.reservations().size(), 1U);
  EXPECT_EQ(engine.reservations().front().server, second);
  ASSERT_FALSE(engine.apply(ServerHeld{.server = second, .amounts = {1}}, at_ns(20)));
  EXPECT_TRUE(engine.reservations().empty());
  EXPECT_EQ(engine.broken_invariant(), "");
}

TEST(SharedCluster, PreemptionFreesWhatTheServerHasTooMuchOfToo) {
  EngineOptions options{.resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  options.preemption = Preempting{.tasks = 9, .per = Duration(1)};
  Engine engine = *Engine::from(options);
  Random random(1);
  const ServerId server = *engine.apply(ServerAdded{.name = "s", .capacity = {8}}, {});
  const UserId rich = *engine.apply(UserAdded{.name = "rich"}, {});
  ASSERT_TRUE(engine.apply(JobSubmitted{.user = rich, .demand = {1}, .tasks = 8}, {}));
  while (engine.step({}, random)) continue;
  ASSERT_FALSE(engine.apply(ServerHeld{.server = server, .amounts = {2}}, {}));
  const UserId poor = *engine.apply(UserAdded{.name = "poor"}, {});
  ASSERT_TRUE(engine.apply(JobSubmitted{.user = poor, .demand = {1}}, {}));
  const std::optional<Placed> placed = engine.step(at_ns(1), random);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->preempted.size(), 3U) << "two for what others hold, and one for the task";
  EXPECT_EQ(engine.server(server)->free, Amounts{0});
}

TEST(SharedCluster, HeldAmountsThatCannotBeAreRefused) {
  SmallEngine small("drf");
  const ServerId server = small.server({4});
  EXPECT_EQ(refused(small.engine, ServerHeld{.server = ServerId{9}, .amounts = {1}}, {}), "server");
  EXPECT_EQ(refused(small.engine, ServerHeld{.server = server, .amounts = {1, 1}}, {}), "amounts");
  EXPECT_EQ(refused(small.engine, ServerHeld{.server = server, .amounts = {-1}}, {}), "amounts.r0");
}

// Capacities.

TEST(SharedCluster, ACapacityBelowUseIsTakenWhereThatIsAllowedAndNothingStartsUntilItFits) {
  SmallEngine small("drf");
  const ServerId server = small.server({4});
  const JobId job = small.job(small.user(), {2}, 3);
  const std::vector<Placed> running = small.run();
  ASSERT_EQ(running.size(), 2U);
  EXPECT_EQ(refused(small.engine, ServerChanged{.server = server, .capacity = {3}}, {}), "capacity.r0");
  ASSERT_FALSE(
      small.engine.apply(ServerChanged{.server = server, .capacity = {3}, .allow_below_use = true}, {}));
  EXPECT_EQ(small.engine.job(job)->running, 2);
  EXPECT_EQ(small.engine.server(server)->free, Amounts{0});
  EXPECT_EQ(small.engine.why_waiting(job, {})->nearest_miss->to_free, Amounts{3});
  ASSERT_FALSE(small.engine.apply(TaskFinished{running[0].task}, {}));
  EXPECT_EQ(small.engine.server(server)->free, Amounts{1});
  EXPECT_FALSE(small.step());
  ASSERT_FALSE(small.engine.apply(TaskFinished{running[1].task}, {}));
  EXPECT_TRUE(small.step());
}

// Labels and sets.

TEST(SharedCluster, OtherLabelsLetOthersInAndKeepWhatRuns) {
  for (const char* const discipline : {"drf", "ps-dsf"}) {
    SmallEngine small(discipline, "first-fit", 1, Tie::first, Oversized::wait);
    const ServerId server = small.server({4}, "s", {{"zone", "a"}});
    const UserId user = small.user();
    const JobId of_a = small.job({.user = user, .demand = {1}, .tasks = 2, .select = {{"zone", {"a"}}}});
    const JobId of_b = small.job({.user = user, .demand = {1}, .tasks = 1, .select = {{"zone", {"b"}}}});
    EXPECT_EQ(small.step()->job, of_a);
    ASSERT_FALSE(small.engine.apply(ServerRelabelled{.server = server, .labels = {{"zone", "b"}}}, {}));
    EXPECT_EQ(small.engine.job(of_a)->running, 1);
    const std::vector<Placed> placed = small.run();
    ASSERT_EQ(placed.size(), 1U);
    EXPECT_EQ(placed.front().job, of_b);
    EXPECT_EQ(small.engine.broken_invariant(), "");
  }
}

TEST(SharedCluster, AJobWithinASetRunsOnNoOtherServer) {
  for (const char* const discipline : {"fifo", "drf", "ps-dsf", "mrfs"}) {
    SCOPED_TRACE(discipline);
    SmallEngine small(discipline, "first-fit", 1, Tie::first, Oversized::wait);
    const ServerId first = small.server({2});
    const ServerId second = small.server({2});
    const JobId job = small.job({.user = small.user(), .demand = {1}, .tasks = 5, .within = "ours"});
    EXPECT_FALSE(small.step()) << "a set that nobody named is empty";
    ASSERT_FALSE(small.engine.apply(SetChanged{.set = "ours", .add = {second}}, {}));
    std::vector<Placed> placed = small.run();
    ASSERT_EQ(placed.size(), 2U);
    EXPECT_EQ(placed[0].server, second);
    EXPECT_EQ(small.engine.why_not_on(job, first)->reason, InTheWay::set);
    ASSERT_FALSE(small.engine.apply(SetChanged{.set = "ours", .add = {first}, .remove = {second}}, {}));
    EXPECT_EQ(small.engine.job(job)->running, 2) << "what runs stays";
    ASSERT_FALSE(small.engine.apply(TaskFinished{placed[0].task}, {}));
    placed = small.run();
    ASSERT_EQ(placed.size(), 2U);
    EXPECT_EQ(placed[0].server, first);
    EXPECT_EQ(placed[1].server, first);
    EXPECT_EQ(small.engine.broken_invariant(), "");
  }
}

TEST(SharedCluster, AServerThatGoesLeavesItsSets) {
  SmallEngine small("drf", "first-fit", 1, Tie::first, Oversized::wait);
  const ServerId server = small.server({2});
  ASSERT_FALSE(small.engine.apply(SetChanged{.set = "ours", .add = {server}}, {}));
  ASSERT_FALSE(small.engine.apply(ServerRemoved{server}, {}));
  small.server({2});  // it has the number of the one that went
  small.job({.user = small.user(), .demand = {1}, .tasks = 1, .within = "ours"});
  EXPECT_FALSE(small.step());
}

TEST(SharedCluster, TheWordsNameTheSetThatKeepsAJobFromAServer) {
  SmallEngine small("drf", "first-fit", 1, Tie::first, Oversized::wait);
  const ServerId server = small.server({2});
  const JobId job = small.job({.user = small.user(), .demand = {1}, .tasks = 1, .within = "ours"});
  const WhyWaiting why = *small.engine.why_waiting(job, {});
  EXPECT_EQ(why.servers.not_allowed, 1);
  EXPECT_THAT(why.constraints,
              ElementsAre(WhyWaiting::Constraint{.label = "", .excludes = 1, .alone = 1, .set = "ours"}));
  EXPECT_THAT(describe(why, small.engine.options().resources),
              HasSubstr("1 server is excluded by the set ours, 1 by that alone\n"));
  EXPECT_EQ(describe(*small.engine.why_not_on(job, server), small.engine.options().resources),
            "it is not in the set ours\n");
}

TEST(SharedCluster, AnImpossibleChangeOfASetIsRefused) {
  SmallEngine small("drf");
  const ServerId server = small.server({4});
  EXPECT_EQ(refused(small.engine, SetChanged{.set = "x", .add = {server, ServerId{9}}}, {}), "add");
  EXPECT_EQ(refused(small.engine, SetChanged{.set = "x", .add = {}, .remove = {ServerId{9}}}, {}), "remove");
  EXPECT_EQ(refused(small.engine, SetChanged{.set = "x", .add = {server}, .remove = {server}}, {}), "remove");
  EXPECT_EQ(refused(small.engine, ServerRelabelled{.server = ServerId{9}, .labels = {}}, {}), "server");
  EXPECT_EQ(refused(small.engine, JobSubmitted{.user = small.user(), .demand = {1}, .within = "x"}, {}),
            "demand");
}

// Ranks, and who may be preempted.

/// The jobs in the order in which tasks of them start, one after the other on a server for one.
std::vector<JobId> order_of(SmallEngine& small) {
  std::vector<JobId> order;
  while (const std::optional<Placed> placed = small.step()) {
    order.push_back(placed->job);
    EXPECT_FALSE(small.engine.apply(TaskFinished{placed->task}, small.now));
  }
  return order;
}

TEST(SharedCluster, TheJobsOfAUserAreServedByRankWheneverTheyCame) {
  for (const char* const discipline : {"round-robin", "drf", "asset", "pf", "tsf"}) {
    for (const std::int64_t kinds : {1, 2}) {
      SCOPED_TRACE(testing::Message() << discipline << ", kinds of tasks: " << kinds);
      SmallEngine small(discipline, "first-fit", 2);
      small.server({2, 2});
      const UserId user = small.user();
      std::int64_t count = 0;
      const auto job = [&](std::optional<Rank> rank) {
        return small.job({.user = user, .demand = {1 + count++ % kinds, 1}, .tasks = 1, .rank = rank});
      };
      const JobId plain = job({});
      const JobId late = job(Rank{.priority = 1, .time = at_ns(9)});
      const JobId tied = job(Rank{.priority = 1, .time = at_ns(5), .tie = 2});
      const JobId first = job(Rank{.priority = 7, .time = at_ns(99), .tie = 99});
      const JobId early = job(Rank{.priority = 1, .time = at_ns(5), .tie = -1});
      const JobId low = job(Rank{.priority = -1});
      const JobId last_plain = job(Rank{});
      EXPECT_THAT(order_of(small), ElementsAre(first, early, tied, late, plain, last_plain, low));
    }
  }
}

TEST(SharedCluster, ALaterJobOfAKindThatWaitsBringsItBeforeOtherKinds) {
  SmallEngine small("drf");
  small.server({2});
  const UserId user = small.user();
  const JobId plain = small.job({.user = user, .demand = {1}, .tasks = 1});
  const JobId middle = small.job({.user = user, .demand = {2}, .tasks = 1, .rank = Rank{.priority = 1}});
  const JobId high = small.job({.user = user, .demand = {1}, .tasks = 1, .rank = Rank{.priority = 9}});
  EXPECT_THAT(order_of(small), ElementsAre(high, middle, plain));
}

TEST(SharedCluster, RanksDoNotCountAmongUsers) {
  SmallEngine small("drf");
  small.server({1});
  const JobId first = small.job({.user = small.user(), .demand = {1}, .tasks = 1});
  const JobId second =
      small.job({.user = small.user(), .demand = {1}, .tasks = 1, .rank = Rank{.priority = 9}});
  EXPECT_THAT(order_of(small), ElementsAre(first, second));
}

TEST(SharedCluster, ATaskThatFailedStandsByItsRankAgain) {
  SmallEngine small("drf");
  small.server({1});
  const UserId user = small.user();
  const JobId low = small.job({.user = user, .demand = {1}, .tasks = 1});
  const Placed placed = *small.step();
  const JobId high = small.job({.user = user, .demand = {1}, .tasks = 1, .rank = Rank{.priority = 1}});
  ASSERT_FALSE(small.engine.apply(TaskFailed{placed.task}, {}));
  EXPECT_THAT(order_of(small), ElementsAre(high, low));
}

TEST(SharedCluster, WhoMayNotBePreemptedGoesOn) {
  EngineOptions options{.resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  options.preemption = Preempting{.tasks = 9, .per = Duration(1)};
  Engine engine = *Engine::from(options);
  Random random(1);
  ASSERT_TRUE(engine.apply(ServerAdded{.name = "s", .capacity = {4}}, {}));
  const UserId rich = *engine.apply(UserAdded{.name = "rich"}, {});
  const JobId kept =
      *engine.apply(JobSubmitted{.user = rich, .demand = {1}, .tasks = 3, .may_be_preempted = false}, {});
  const JobId lost = *engine.apply(JobSubmitted{.user = rich, .demand = {1}, .tasks = 1}, {});
  while (engine.step({}, random)) continue;
  const UserId poor = *engine.apply(UserAdded{.name = "poor"}, {});
  ASSERT_TRUE(engine.apply(JobSubmitted{.user = poor, .demand = {1}, .tasks = 2}, {}));
  const std::optional<Placed> placed = engine.step(at_ns(1), random);
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->preempted.size(), 1U);
  EXPECT_EQ(placed->preempted.front().job, lost);
  EXPECT_FALSE(engine.step(at_ns(1), random));
  EXPECT_EQ(engine.job(kept)->running, 3);
}

// In logs.

TEST(SharedCluster, TheLinesOfTheLogAreThese) {
  const auto line = [](const Event& event, std::optional<Outcome> outcome = {}) {
    return *log_line({.now = at_ns(5), .what = event, .outcome = std::move(outcome)});
  };
  EXPECT_EQ(line(TaskAdopted{.job = JobId{1}, .server = ServerId{2}, .since = at_ns(-3)}, TaskId{4}),
            R"({"event":"task-adopted","gives":4,"job":1,"now":5,"server":2,"since":-3})");
  EXPECT_EQ(line(ServerHeld{.server = ServerId{2}, .amounts = {0, 7}}),
            R"({"amounts":[0,7],"event":"server-held","now":5,"server":2})");
  EXPECT_EQ(line(ServerChanged{.server = ServerId{2}, .capacity = {1}, .allow_below_use = true}),
            R"({"allow_below_use":true,"capacity":[1],"event":"server-changed","now":5,"server":2})");
  EXPECT_EQ(line(ServerChanged{.server = ServerId{2}, .capacity = {1}}),
            R"({"capacity":[1],"event":"server-changed","now":5,"server":2})");
  EXPECT_EQ(line(ServerRelabelled{.server = ServerId{2}, .labels = {{"a", "b"}}}),
            R"({"event":"server-relabelled","labels":{"a":"b"},"now":5,"server":2})");
  EXPECT_EQ(line(SetChanged{.set = "x", .add = {ServerId{1}}, .remove = {ServerId{2}}}),
            R"({"add":[1],"event":"set-changed","now":5,"remove":[2],"set":"x"})");
  const JobSubmitted job{.user = UserId{0},
                         .demand = {1},
                         .within = "x",
                         .rank = Rank{.priority = -2, .time = at_ns(3), .tie = 0},
                         .may_be_preempted = false};
  EXPECT_EQ(line(job), R"({"demand":[1],"event":"job-submitted","may_be_preempted":false,"now":5,)"
                       R"("rank":{"priority":-2,"tie":0,"time":3},"tasks":1,"user":0,"within":"x"})");
  EXPECT_EQ(std::get<JobSubmitted>(std::get<Event>(read_log_line(line(job))->what)), job);
}

}  // namespace
}  // namespace mirab::scheduling
