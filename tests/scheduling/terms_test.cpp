// Gangs, limits of tasks per server, spread and pack: docs/reference/engine.md.
#include <gmock/gmock.h>

#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/engines.hpp"
#include "scheduling/ledger/task_classes.hpp"

namespace mirab::scheduling {
namespace {

using testing::HasSubstr;

std::map<std::string, std::string> zone(const std::string& value) { return {{"zone", value}}; }

/// Where the tasks of a decision go, the first one first.
std::vector<ServerId> servers_of(const Placed& placed) {
  std::vector<ServerId> servers = {placed.server};
  for (const Companion& companion : placed.with) servers.push_back(companion.server);
  return servers;
}

/// How many tasks run there, when all take one unit.
std::int64_t running_on(const SmallEngine& engine, ServerId server) {
  const auto there = *engine.engine.server(server);
  return there.capacity.front() - there.free.front();
}

std::int64_t running_of(const SmallEngine& engine, JobId job) { return engine.engine.job(job)->running; }

TEST(Gang, WaitsWhileTooFewOfItFitAndThenStartsWhole) {
  SmallEngine engine("drf");
  const ServerId server = engine.server({4});
  const UserId a = engine.user();
  const UserId b = engine.user();
  engine.job(b, {2});
  const TaskId first = engine.step()->task;
  const JobId gang = engine.job({.user = a, .demand = {1}, .tasks = 3, .gang = 3});
  EXPECT_FALSE(engine.step()) << "two of it fit";
  EXPECT_FALSE(engine.engine.fits(gang));
  EXPECT_FALSE(engine.engine.apply(TaskFinished{first}, engine.now));
  EXPECT_TRUE(engine.engine.fits(gang));
  const auto placed = engine.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(servers_of(*placed), std::vector<ServerId>(3, server));
  EXPECT_EQ(running_of(engine, gang), 3);
  EXPECT_FALSE(engine.step());
}

TEST(Gang, OthersAreServedWhileItWaits) {
  SmallEngine engine("fifo");
  engine.server({2});
  const ServerId drained = engine.server({1});
  ASSERT_FALSE(engine.engine.apply(ServerDrained{drained}, engine.now));
  const UserId user = engine.user();
  const JobId gang = engine.job({.user = user, .demand = {1}, .tasks = 3, .gang = 3});
  const JobId other = engine.job(user, {1}, 2);
  EXPECT_EQ(engine.run().size(), 2U);
  EXPECT_EQ(running_of(engine, other), 2);
  EXPECT_EQ(running_of(engine, gang), 0);
}

TEST(Gang, TheTasksBeyondItStartOneByOne) {
  SmallEngine engine("drf");
  engine.server({4});
  engine.job({.user = engine.user(), .demand = {1}, .tasks = 5, .gang = 3});
  EXPECT_EQ(engine.step()->with.size(), 2U);
  EXPECT_EQ(engine.step()->with.size(), 0U);
  EXPECT_FALSE(engine.step());
}

TEST(Gang, ALostTaskOfItRestartsAlone) {
  SmallEngine engine("drf");
  engine.server({3});
  const JobId gang = engine.job({.user = engine.user(), .demand = {1}, .tasks = 3, .gang = 3});
  const TaskId lost = engine.step()->with.front().task;
  ASSERT_FALSE(engine.engine.apply(TaskFailed{lost}, engine.now));
  EXPECT_EQ(running_of(engine, gang), 2) << "the others go on";
  const auto again = engine.step();
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->with.empty());
  EXPECT_EQ(running_of(engine, gang), 3);
}

TEST(Gang, ThatIsLostWholeRestartsWhole) {
  SmallEngine engine("drf");
  const ServerId first = engine.server({3});
  engine.server({2});
  const JobId gang = engine.job({.user = engine.user(), .demand = {1}, .tasks = 3, .gang = 3});
  EXPECT_EQ(engine.run().size(), 1U);
  EXPECT_EQ(engine.engine.apply(ServerFailed{first}, engine.now)->size(), 3U);
  EXPECT_FALSE(engine.step()) << "two of it fit";
  engine.server({1});
  EXPECT_EQ(engine.step()->with.size(), 2U);
  EXPECT_EQ(running_of(engine, gang), 3);
}

// Neither kind holds it alone: the first task goes to the kind that is served, the others where there is
// room.
TEST(Gang, LiesOverTwoKindsOfServersUnderPsDsf) {
  SmallEngine engine("ps-dsf");
  const ServerId small = engine.server({2});
  const ServerId large = engine.server({3});
  engine.job({.user = engine.user(), .demand = {1}, .tasks = 5, .gang = 5});
  const auto placed = engine.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->server, small);
  EXPECT_EQ(running_on(engine, small), 2);
  EXPECT_EQ(running_on(engine, large), 3);
}

TEST(Gang, OfMrfsKeepsServersInBalance) {
  SmallEngine engine("mrfs", "first-fit", 2);
  const ServerId first = engine.server({8, 8});
  const ServerId second = engine.server({8, 8});
  const auto placed = *[&] {
    engine.job({.user = engine.user(), .demand = {2, 1}, .tasks = 2, .gang = 2});
    return engine.step();
  }();
  EXPECT_EQ(servers_of(placed), (std::vector{first, second}));
}

TEST(Gang, IsOneTurnOfItsLine) {
  SmallEngine engine("mlf-drs", "first-fit", 2);
  engine.server({10, 10});
  const UserId user = engine.user();
  const JobId gang = engine.job({.user = user, .demand = {1, 0}, .tasks = 4, .gang = 2});
  const JobId other = engine.job(user, {0, 1}, 2);
  std::vector<JobId> order;
  for (int i = 0; i < 4; ++i) order.push_back(engine.step()->job);
  EXPECT_EQ(order, (std::vector{gang, other, gang, other}));
}

TEST(PerServer, SoManyTasksAtATimeAndNoMore) {
  SmallEngine engine("drf");
  const ServerId first = engine.server({9});
  const ServerId second = engine.server({9});
  const JobId job = engine.job({.user = engine.user(), .demand = {1}, .tasks = 9, .per_server = 2});
  const std::vector<Placed> placed = engine.run();
  EXPECT_EQ(placed.size(), 4U);
  EXPECT_EQ(running_on(engine, first), 2);
  EXPECT_EQ(running_on(engine, second), 2);
  ASSERT_FALSE(engine.engine.apply(TaskFinished{placed.back().task}, engine.now));
  EXPECT_EQ(engine.step()->server, second);
  EXPECT_EQ(running_of(engine, job), 4);
}

TEST(PerServer, IsOfEachJobAlone) {
  SmallEngine engine("drf");
  const ServerId server = engine.server({9});
  const UserId user = engine.user();
  for (int i = 0; i < 3; ++i) engine.job({.user = user, .demand = {1}, .tasks = 2, .per_server = 1});
  EXPECT_EQ(engine.run().size(), 3U);
  EXPECT_EQ(running_on(engine, server), 3);
}

TEST(SpreadOverDomains, FiveTasksOverThreeZonesAreTwoTwoAndOne) {
  SmallEngine engine("drf");
  std::vector<ServerId> servers;
  for (const char* const name : {"a", "b", "c"}) servers.push_back(engine.server({9}, "s", zone(name)));
  engine.server({9}, "s");
  engine.job({.user = engine.user(), .demand = {1}, .tasks = 5, .spread = Spread{.label = "zone"}});
  EXPECT_EQ(engine.run().size(), 5U);
  EXPECT_EQ(running_on(engine, servers[0]), 2);
  EXPECT_EQ(running_on(engine, servers[1]), 2);
  EXPECT_EQ(running_on(engine, servers[2]), 1);
}

TEST(SpreadOverDomains, AFullZoneStopsTheOthersWhileItIsADomain) {
  const auto running_after = [](auto gone) {
    SmallEngine engine("drf");
    const ServerId large = engine.server({9}, "s", zone("a"));
    const ServerId small = engine.server({1}, "s", zone("b"));
    const JobId job = engine.job({.user = engine.user(),
                                  .demand = {1},
                                  .tasks = 9,
                                  .spread = Spread{.label = "zone", .most_apart = 2}});
    EXPECT_EQ(engine.run().size(), 4U) << "one in b, and three in a";
    EXPECT_EQ(running_on(engine, small), 1);
    EXPECT_FALSE(engine.engine.fits(job));
    gone(engine, small);
    engine.run();
    return running_on(engine, large);
  };
  EXPECT_EQ(running_after([](SmallEngine& engine, ServerId small) {
              EXPECT_FALSE(engine.engine.apply(ServerDrained{small}, engine.now));
            }),
            8);
  EXPECT_EQ(running_after([](SmallEngine& engine, ServerId small) {
              EXPECT_TRUE(engine.engine.apply(ServerFailed{small}, engine.now));
            }),
            9);
  EXPECT_EQ(running_after([](SmallEngine& engine, ServerId small) {
              EXPECT_FALSE(engine.engine.apply(ServerChanged{small, {2}}, engine.now));
            }),
            4);
}

TEST(SpreadOverDomains, ATooSmallZoneStopsAGangUntilItIsRemoved) {
  SmallEngine engine("drf", "first-fit", 1, Tie::first, Oversized::wait);
  engine.server({9}, "s", zone("a"));
  const ServerId small = engine.server({1}, "s", zone("b"));
  engine.job(
      {.user = engine.user(), .demand = {1}, .tasks = 5, .gang = 5, .spread = Spread{.label = "zone"}});
  EXPECT_FALSE(engine.step());
  ASSERT_FALSE(engine.engine.apply(ServerRemoved{small}, engine.now));
  const auto placed = engine.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->with.size(), 4U);
}

TEST(SpreadOverDomains, AZoneWhoseServersAreAllTooSmallIsNoDomain) {
  SmallEngine engine("drf");
  engine.server({4}, "s", zone("a"));
  engine.server({1}, "s", zone("b"));
  engine.job({.user = engine.user(), .demand = {2}, .tasks = 2, .spread = Spread{.label = "zone"}});
  EXPECT_EQ(engine.run().size(), 2U);
}

TEST(SpreadOverDomains, AGangStartsOnlyWhereAllOfItKeepsTheDistance) {
  SmallEngine engine("drf");
  engine.server({9}, "s", zone("a"));
  const ServerId small = engine.server({2}, "s", zone("b"));
  const UserId user = engine.user();
  engine.job(
      {.user = user, .demand = {1}, .servers = std::vector<std::string>{"s"}, .select = {{"zone", {"b"}}}});
  const TaskId other = engine.step()->task;
  const JobId gang =
      engine.job({.user = user, .demand = {1}, .tasks = 5, .gang = 5, .spread = Spread{.label = "zone"}});
  EXPECT_FALSE(engine.step()) << "one in b, and two in a";
  ASSERT_FALSE(engine.engine.apply(TaskFinished{other}, engine.now));
  EXPECT_EQ(engine.step()->with.size(), 4U);
  EXPECT_EQ(running_on(engine, small), 2);
  EXPECT_EQ(running_of(engine, gang), 5);
}

TEST(Pack, AGangGoesToTheOneDomainThatHoldsAllOfIt) {
  SmallEngine engine("drf");
  engine.server({2}, "s", zone("a"));
  const ServerId b1 = engine.server({2}, "s", zone("b"));
  const ServerId b2 = engine.server({2}, "s", zone("b"));
  engine.server({9}, "s");
  engine.job({.user = engine.user(), .demand = {1}, .tasks = 4, .gang = 3, .pack = "zone"});
  EXPECT_EQ(servers_of(*engine.step()), (std::vector{b1, b1, b2}));
  EXPECT_EQ(servers_of(*engine.step()), (std::vector{b2}));
}

TEST(Pack, TheOthersWaitForRoomInTheDomainWhereItRuns) {
  SmallEngine engine("drf");
  const ServerId a = engine.server({2}, "s", zone("a"));
  const ServerId b = engine.server({9}, "s", zone("b"));
  const JobId job = engine.job({.user = engine.user(), .demand = {1}, .tasks = 4, .pack = "zone"});
  const std::vector<Placed> placed = engine.run();
  EXPECT_EQ(placed.size(), 2U);
  EXPECT_EQ(running_on(engine, a), 2);
  ASSERT_FALSE(engine.engine.apply(ServerDrained{a}, engine.now));
  EXPECT_FALSE(engine.step());
  for (const Placed& each : placed) ASSERT_FALSE(engine.engine.apply(TaskFinished{each.task}, engine.now));
  EXPECT_EQ(engine.run().size(), 2U) << "nothing of it runs, so it may begin elsewhere";
  EXPECT_EQ(running_on(engine, b), 2);
  EXPECT_EQ(engine.engine.broken_invariant(), "");
  EXPECT_EQ(running_of(engine, job), 2);
}

// Of the racks those in the zone count, so that the first zone, which has one, may fill it.
TEST(Pack, IntoAZoneAndSpreadOverItsRacks) {
  SmallEngine engine("drf");
  const auto rack = [&](const char* in, const char* name, std::int64_t units) {
    return engine.server({units}, "s", {{"zone", in}, {"rack", name}});
  };
  rack("a", "1", 2);
  const ServerId b1 = rack("b", "1", 9);
  const ServerId b2 = rack("b", "2", 9);
  engine.job({.user = engine.user(),
              .demand = {1},
              .tasks = 4,
              .gang = 4,
              .spread = Spread{.label = "rack"},
              .pack = "zone"});
  EXPECT_EQ(engine.step()->with.size(), 3U);
  EXPECT_EQ(running_on(engine, b1), 2);
  EXPECT_EQ(running_on(engine, b2), 2);
}

// --- what is refused

Error refused(const JobSubmitted& job, std::initializer_list<Amounts> servers = {{9}}) {
  SmallEngine engine("drf");
  for (const Amounts& capacity : servers)
    engine.server(capacity, "s", zone(std::to_string(capacity.front())));
  JobSubmitted of_user = job;
  of_user.user = engine.user();
  const auto submitted = engine.engine.apply(of_user, engine.now);
  EXPECT_FALSE(submitted);
  EXPECT_EQ(engine.engine.job_count(), 0U);
  return submitted ? Error{} : submitted.error();
}

TEST(TermsErrors, NumbersThatMeanNothingNameTheirKey) {
  const auto key = [](std::int64_t gang, std::optional<std::int64_t> per_server, std::optional<Spread> spread,
                      std::optional<std::string> pack) {
    return refused({.user = {},
                    .demand = {1},
                    .tasks = 2,
                    .gang = gang,
                    .per_server = per_server,
                    .spread = std::move(spread),
                    .pack = std::move(pack)})
        .key;
  };
  EXPECT_EQ(key(0, {}, {}, {}), "gang");
  EXPECT_EQ(key(3, {}, {}, {}), "gang");
  EXPECT_EQ(key(1, 0, {}, {}), "per_server");
  EXPECT_EQ(key(1, {}, Spread{.label = "zone", .most_apart = 0}, {}), "spread.most_apart");
  EXPECT_EQ(key(1, {}, Spread{.label = "zone"}, "zone"), "pack");
}

TEST(TermsErrors, WhatCouldNotStartOnTheEmptyClusterNamesTheTermAndHowManyCould) {
  JobSubmitted job{.user = {}, .demand = {1}, .tasks = 9, .gang = 9};
  EXPECT_EQ(refused(job, {{4}, {3}}).key, "gang");
  EXPECT_THAT(refused(job, {{4}, {3}}).message, HasSubstr("7 tasks of the job could start"));
  job.gang = 6;
  job.per_server = 2;
  EXPECT_EQ(refused(job, {{4}, {3}}).key, "per_server");
  EXPECT_THAT(refused(job, {{4}, {3}}).message, HasSubstr("4 tasks"));
  job.per_server = {};
  job.pack = "zone";
  EXPECT_EQ(refused(job, {{4}, {3}}).key, "pack");
  EXPECT_THAT(refused(job, {{4}, {3}}).message, HasSubstr("4 tasks"));
  job.pack = {};
  job.spread = Spread{.label = "zone"};
  EXPECT_EQ(refused(job, {{6}, {1}}).key, "spread");
  EXPECT_THAT(refused(job, {{6}, {1}}).message, HasSubstr("3 tasks"));
  job.demand = {10};
  EXPECT_EQ(refused(job, {{6}, {1}}).key, "demand");
}

TEST(TermsErrors, AJobThatCouldStartWhileAServerIsDrainedIsNotRefused) {
  SmallEngine engine("drf");
  engine.server({5}, "s", zone("a"));
  const ServerId small = engine.server({1}, "s", zone("b"));
  ASSERT_FALSE(engine.engine.apply(ServerDrained{small}, engine.now));
  engine.job(
      {.user = engine.user(), .demand = {1}, .tasks = 5, .gang = 5, .spread = Spread{.label = "zone"}});
  EXPECT_EQ(engine.step()->with.size(), 4U);
}

TEST(TermsErrors, WithOversizedWaitTheyWaitForServers) {
  SmallEngine engine("drf", "first-fit", 1, Tie::first, Oversized::wait);
  engine.job({.user = engine.user(), .demand = {1}, .tasks = 2, .gang = 2, .pack = "zone"});
  engine.server({9}, "s");
  engine.server({1}, "s", zone("a"));
  EXPECT_FALSE(engine.step());
  engine.server({1}, "s", zone("a"));
  EXPECT_EQ(engine.step()->with.size(), 1U);
}

// --- logs and snapshots

TEST(TermsInLogs, AJobAndItsGangAreReadAsTheyWereWritten) {
  const LogEntry submitted{.now = {},
                           .what = Event(JobSubmitted{.user = {},
                                                      .demand = {1},
                                                      .tasks = 5,
                                                      .gang = 3,
                                                      .per_server = 2,
                                                      .spread = Spread{.label = "rack", .most_apart = 2},
                                                      .pack = "zone"}),
                           .outcome = {}};
  EXPECT_EQ(*log_line(submitted),
            R"({"demand":[1],"event":"job-submitted","gang":3,"now":0,"pack":"zone","per_server":2,)"
            R"("spread":{"label":"rack","most_apart":2},"tasks":5,"user":0})");
  EXPECT_EQ(*read_log_line(*log_line(submitted)), submitted);
  const LogEntry step{.now = {},
                      .what = StepAsked{.seed = 1},
                      .outcome = std::optional(Placed{.task = TaskId{1},
                                                      .job = {},
                                                      .user = {},
                                                      .server = {},
                                                      .with = {{.task = TaskId{2}, .server = ServerId{1}}}})};
  EXPECT_THAT(*log_line(step), HasSubstr(R"("with":[{"server":1,"task":2}])"));
  EXPECT_EQ(*read_log_line(*log_line(step)), step);
}

TEST(TermsInSnapshots, AGangThatWaitsStartsInTheRestoredEngine) {
  SmallEngine engine("drf");
  engine.server({2});
  const UserId user = engine.user();
  engine.job(user, {1});
  const TaskId task = engine.step()->task;
  engine.job({.user = user, .demand = {1}, .tasks = 2, .gang = 2});
  EXPECT_FALSE(engine.step());
  Result<Engine> restored = restore(snapshot(engine.engine));
  ASSERT_TRUE(restored) << describe(restored.error());
  EXPECT_FALSE(restored->step({}, engine.random));
  ASSERT_FALSE(restored->apply(TaskFinished{task}, {}));
  EXPECT_EQ(restored->step({}, engine.random)->with.size(), 1U);
}

}  // namespace
}  // namespace mirab::scheduling
