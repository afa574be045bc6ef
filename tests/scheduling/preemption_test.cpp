// Preemption takes from users above their fair share for users below theirs (docs/reference/engine.md,
// "Preemption").

#include <gtest/gtest.h>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

Duration ns(std::int64_t count) { return Duration(count); }
Time at(std::int64_t count) { return Time(Duration(count)); }

constexpr Preempting kFreely{.tasks = 1'000'000, .per = Duration(1)};

/// An engine that preempts, on first-fit.
struct PreemptingEngine : SmallEngine {
  explicit PreemptingEngine(const Preempting& rule, const std::string& discipline = "drf",
                            std::size_t resources = 1, std::vector<Quantity> share_scale = {})
      : SmallEngine(discipline, "first-fit", resources) {
    EngineOptions options{.resources = {},
                          .discipline = choice(discipline),
                          .placement = choice("first-fit"),
                          .share_scale = std::move(share_scale),
                          .preemption = rule};
    for (std::size_t r = 0; r < resources; ++r) options.resources.push_back("r" + std::to_string(r));
    engine = *Engine::from(options);
  }

  std::int64_t running(UserId user) const { return engine.user(user)->running; }

  /// Steps until nothing is placed. The tasks that were preempted.
  std::vector<TaskId> preempted() {
    std::vector<TaskId> tasks;
    for (const Placed& placed : run())
      for (const Preempted& lost : placed.preempted) tasks.push_back(lost.task);
    return tasks;
  }
};

TEST(Preemption, ANewcomerGetsItsShareFromAMonopolist) {
  for (const char* const discipline : {"drf", "asset", "tsf", "round-robin", "pf", "drf:blocking=freeze"}) {
    SCOPED_TRACE(discipline);
    PreemptingEngine small(kFreely, discipline);
    small.server({10});
    const UserId a = small.user();
    const UserId b = small.user();
    const JobId all = small.job(a, {1}, 10);
    EXPECT_TRUE(small.preempted().empty());
    small.job(b, {1}, 10);
    EXPECT_EQ(small.preempted().size(), 5U);
    EXPECT_EQ(small.running(a), 5);
    EXPECT_EQ(small.running(b), 5);
    EXPECT_EQ(small.engine.job(all)->waiting, 5) << "what was taken waits again";
    EXPECT_TRUE(small.preempted().empty()) << "all have the same now";
  }
}

TEST(Preemption, NothingIsPreemptedWithoutTheOption) {
  SmallEngine small("drf");
  small.server({10});
  small.job(small.user(), {1}, 10);
  small.run();
  small.job(small.user(), {1});
  EXPECT_TRUE(small.run().empty());
}

TEST(Preemption, SharesArePerWeight) {
  PreemptingEngine small(kFreely);
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user(Quantity(4));
  small.job(a, {1}, 10);
  small.run();
  small.job(b, {1}, 10);
  small.run();
  EXPECT_EQ(small.running(a), 2);
  EXPECT_EQ(small.running(b), 8);
}

TEST(Preemption, WhoWouldFallBelowTheGainerLosesNothing) {
  PreemptingEngine small(kFreely);
  small.server({6}, "large");
  small.server({3}, "little");
  const UserId a = small.user();
  const UserId c = small.user();
  const UserId b = small.user();
  small.job({.user = a, .demand = {1}, .tasks = 9, .servers = std::vector<std::string>{"large"}});
  small.job({.user = c, .demand = {1}, .tasks = 9, .servers = std::vector<std::string>{"little"}});
  EXPECT_EQ(small.run().size(), 9U);
  small.job({.user = b, .demand = {1}, .tasks = 9, .servers = std::vector<std::string>{"little"}});
  EXPECT_EQ(small.preempted().size(), 1U);
  EXPECT_EQ(small.running(a), 6);
  EXPECT_EQ(small.running(c), 2) << "with one task it would have less than b with two";
  EXPECT_EQ(small.running(b), 1);
}

TEST(Preemption, LossesOfOneUserCountTogether) {
  PreemptingEngine small(kFreely);
  small.server({8});
  small.job(small.user(), {2}, 4);
  small.run();
  const UserId b = small.user();
  const JobId wide = small.job(b, {5});
  EXPECT_TRUE(small.run().empty()) << "each of three losses alone would leave more than 5 units";
  ASSERT_TRUE(small.engine.apply(JobCancelled{wide}, small.now));
  small.job(b, {4});
  EXPECT_EQ(small.preempted().size(), 2U) << "4 units for each";
}

TEST(Preemption, NoMoreAreTakenInAnyTimeThanTheBudgetAllows) {
  PreemptingEngine small({.tasks = 2, .per = ns(10)});
  small.server({10});
  small.job(small.user(), {1}, 10);
  small.run();
  small.job(small.user(), {1}, 10);
  EXPECT_EQ(small.preempted().size(), 2U);
  small.now = at(9);
  EXPECT_EQ(small.preempted().size(), 0U);
  small.now = at(10);
  EXPECT_EQ(small.preempted().size(), 2U);
  small.now = at(19);
  EXPECT_EQ(small.preempted().size(), 0U);
  small.now = at(20);
  EXPECT_EQ(small.preempted().size(), 1U);
}

TEST(Preemption, WhatTakesMoreThanTheBudgetIsNotTaken) {
  PreemptingEngine small({.tasks = 2, .per = ns(10)});
  small.server({10});
  small.job(small.user(), {1}, 10);
  small.run();
  small.job(small.user(), {3});
  EXPECT_TRUE(small.run().empty());
  small.now = at(100);
  EXPECT_TRUE(small.run().empty());
}

TEST(Preemption, TheLeastWorkIsLost) {
  PreemptingEngine small(kFreely);
  small.server({4});
  const UserId a = small.user();
  small.job(a, {1}, 4);
  std::vector<TaskId> tasks;
  for (small.now = at(1); const std::optional<Placed> placed = small.step(); small.now += ns(1))
    tasks.push_back(placed->task);
  small.now = at(10);
  small.job(small.user(), {1}, 4);
  EXPECT_EQ(small.preempted(), (std::vector{tasks[3], tasks[2]})) << "the newest have done least";
}

/// Two jobs of one user run, on one server or on two: the one with the higher priority has done less work.
struct LowAndHigh : PreemptingEngine {
  UserId owner{};
  TaskId low{}, high{};

  explicit LowAndHigh(bool on_one) : PreemptingEngine(kFreely), owner(user()) {
    server({on_one ? 4 : 2});
    job({.user = owner, .demand = {2}, .rank = Rank{.priority = 1}});
    low = step()->task;
    if (!on_one) server({2});
    now = at(5);
    job({.user = owner, .demand = {2}, .rank = Rank{.priority = 2}});
    high = step()->task;
    now = at(10);
  }
};

TEST(Preemption, OfOnesOwnTasksThoseWithTheLowestPriorityEndFirstHoweverMuchWorkIsLost) {
  for (const bool on_one : {true, false}) {
    LowAndHigh small(on_one);
    small.job({.user = small.owner, .demand = {2}, .rank = Rank{.priority = 3}});
    EXPECT_EQ(small.preempted(), std::vector{small.low});
  }
}

TEST(Preemption, OfAnotherUsersTasksThoseWithLowerPrioritiesEndFirst) {
  for (const bool on_one : {true, false}) {
    LowAndHigh small(on_one);
    small.job(small.user(), {2});
    EXPECT_EQ(small.preempted(), std::vector{small.low});
  }
}

TEST(Preemption, PrioritiesDoNotSayWhichOfSeveralUsersLosesTasks) {
  for (const std::int64_t priority : {-1, 0, 1}) {
    PreemptingEngine small(kFreely);
    small.server({8});
    const UserId a = small.user(), b = small.user();
    small.job({.user = a, .demand = {1}, .tasks = 4});
    small.run();
    small.now = at(5);
    small.job({.user = b, .demand = {1}, .tasks = 4, .rank = Rank{.priority = priority}});
    small.run();
    small.now = at(10);
    small.job(small.user(), {1});
    EXPECT_EQ(small.preempted().size(), 1U);
    EXPECT_EQ(small.running(b), 3) << "whose tasks have done less";
  }
}

/// By work it is the turn of `a`, whose newest task has done least: its oldest, of a lower priority, ends for
/// it, and does not shield it.
TEST(Preemption, PrioritiesOfItsJobsDoNotShieldAUser) {
  for (const bool on_one : {true, false}) {
    PreemptingEngine small(kFreely);
    small.server({on_one ? 6 : 3});
    const UserId a = small.user(), b = small.user();
    small.job({.user = a, .demand = {1}, .rank = Rank{.priority = 0}});
    small.run();
    small.now = at(5);
    if (!on_one) {
      small.job(
          {.user = a, .demand = {1}, .tasks = 2, .rank = Rank{.priority = 1}, .may_be_preempted = false});
      small.run();
      small.server({3});
    }
    small.job({.user = b, .demand = {1}, .tasks = 3});
    small.run();
    small.now = at(9);
    if (on_one) small.job({.user = a, .demand = {1}, .tasks = 2, .rank = Rank{.priority = 1}});
    small.run();
    small.now = at(10);
    small.job(small.user(), {1});
    EXPECT_EQ(small.preempted().size(), 1U);
    if (on_one) {
      EXPECT_EQ(small.running(b), 3);
      EXPECT_EQ(small.running(a), 2);
    } else {
      EXPECT_EQ(small.running(b), 2) << "its turn is by the work of 5, and that of a by 10";
    }
  }
}

TEST(Preemption, OnesOwnTasksGoOnWhereThoseOfOthersMayEnd) {
  PreemptingEngine small(kFreely);
  small.server({6});
  const UserId rich = small.user(), poor = small.user();
  small.job(rich, {1}, 5);
  small.run();
  small.now = at(5);
  small.job(poor, {1});
  small.run();
  small.now = at(6);
  small.job({.user = poor, .demand = {1}, .rank = Rank{.priority = 1}});
  EXPECT_EQ(small.preempted().size(), 1U);
  EXPECT_EQ(small.running(poor), 2);
  EXPECT_EQ(small.running(rich), 4);
}

TEST(Preemption, WorkIsTimeTimesTheDominantPart) {
  for (const auto& [now, is_wide] : {std::pair{at(10), false}, std::pair{at(100), true}}) {
    PreemptingEngine small(kFreely, "drf", 2);
    small.server({100, 10});
    const UserId a = small.user();
    small.job(a, {40, 5});  // 0.5 of the pool
    const TaskId tall = small.step()->task;
    small.now = at(3);
    small.job(a, {60, 5});  // 0.6
    const TaskId wide = small.step()->task;
    small.now = now;  // 0.5 · 10 against 0.6 · 7, or 0.5 · 100 against 0.6 · 97
    small.job(small.user(), {40, 1});
    EXPECT_EQ(small.preempted(), std::vector{is_wide ? tall : wide});
  }
}

TEST(Preemption, TasksThatAreNotNeededGoOn) {
  PreemptingEngine small(kFreely);
  small.server({8}, "far");
  small.server({4}, "near");
  const UserId a = small.user();
  const auto on = [&](const char* server, std::int64_t units) {
    return JobSubmitted{.user = a, .demand = {units}, .servers = std::vector<std::string>{server}};
  };
  small.job(on("far", 8));
  small.job(on("near", 3));
  small.step();
  const TaskId large = small.step()->task;
  small.now = at(9);
  small.job(on("near", 1));
  small.step();
  small.now = at(10);
  small.job({.user = small.user(), .demand = {3}, .servers = std::vector<std::string>{"near"}});
  EXPECT_EQ(small.preempted(), std::vector{large}) << "the small task alone has done less, and makes no room";
}

// b takes 2/10 and wants 3/10. Without what it runs there it would have 1/10, which v reaches after a loss,
// but what b runs there goes on in the end.
TEST(Preemption, WhoWouldFallToTheKeyBeforeIsPassedOverWhateverTheGainerLosesItself) {
  for (const bool in_tree : {false, true}) {
    SCOPED_TRACE(in_tree);
    PreemptingEngine small(kFreely, "drf", 2);
    if (in_tree) {
      ASSERT_TRUE(small.engine.apply(GroupAdded{.name = "g"}, small.now));
    }
    small.server({2, 4}, "near");
    small.server({20, 6}, "far");
    const UserId b = small.user();
    const UserId v = small.user();
    const UserId w = small.user();
    const std::vector<std::string> near{"near"}, far{"far"};
    small.job({.user = v, .demand = {0, 1}, .tasks = 2, .servers = far});
    small.job({.user = w, .demand = {0, 1}, .tasks = 4, .servers = far});
    ASSERT_EQ(small.run().size(), 6U);
    small.now = at(1);
    small.job({.user = w, .demand = {1, 1}, .servers = near});
    const TaskId oldest = small.step()->task;
    small.now = at(2);
    small.job({.user = v, .demand = {1, 0}, .demand_on = {{"near", {1, 1}}}});
    ASSERT_EQ(small.run().size(), 1U);
    small.now = at(19);
    small.job({.user = b, .demand = {0, 2}, .servers = near});
    ASSERT_EQ(small.run().size(), 1U);
    small.now = at(20);
    small.job({.user = b, .demand = {1, 1}, .servers = near, .rank = Rank{.priority = 1}});
    EXPECT_EQ(small.preempted(), std::vector{oldest});
  }
}

TEST(Preemption, ATaskThatTakesNothingThatCountsGetsNothingByForce) {
  PreemptingEngine small(kFreely, "drf", 2, {Quantity(1), Quantity(0)});
  small.server({10, 2});
  small.job(small.user(), {1, 1}, 2);
  small.run();
  const UserId b = small.user();
  small.job(b, {0, 1});
  EXPECT_TRUE(small.run().empty());
  small.job(b, {1, 1});
  EXPECT_EQ(small.run().size(), 1U);
}

TEST(Preemption, OnAKeptServerOnlyForWhomItIsKept) {
  EngineOptions options{.resources = {"cpu"},
                        .discipline = choice("drf"),
                        .placement = choice("first-fit"),
                        .reservations = Reserving{.after = ns(5)},
                        .preemption = Preempting{.tasks = 1, .per = ns(100)}};
  SmallEngine small("drf");
  small.engine = *Engine::from(options);
  const ServerId server = small.server({8});
  const UserId a = small.user();
  small.job(a, {1}, 8);
  small.run();
  const UserId b = small.user();
  const JobId large = small.job(b, {4});
  EXPECT_TRUE(small.run().empty()) << "four tasks would have to end";
  small.now = at(5);
  EXPECT_TRUE(small.run().empty());
  ASSERT_EQ(small.engine.reservations().size(), 1U);
  small.job(small.user(), {1});
  EXPECT_TRUE(small.run().empty()) << "the server is kept";
  ASSERT_TRUE(small.engine.apply(JobCancelled{large}, small.now));
  const std::optional<Placed> placed = small.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->server, server);
  EXPECT_EQ(placed->preempted.size(), 1U);
}

/// Servers "1", "2" and "3" of 10 units, with preemption. User a has the second and the third whole, and once
/// more a task of a whole server, which started on the first as soon as that, kept for it, was empty; user b
/// has nothing yet, and wants tasks of 1 unit.
struct EngineThatKept : SmallEngine {
  EngineThatKept() : SmallEngine("drf") {
    engine = *Engine::from({.resources = {"cpu"},
                            .discipline = choice("drf"),
                            .placement = choice("first-fit"),
                            .reservations = Reserving{.after = ns(10)},
                            .preemption = kFreely});
    a = user();
    b = user();
    for (const char* const name : {"1", "2", "3"}) servers.push_back(server({10}, name));
    for (const char* const name : {"2", "3"})
      job({.user = a, .demand = {10}, .tasks = 1, .servers = std::vector<std::string>{name}});
    run();
    large = job(a, {10});
    job(b, {1}, 1'000);
    const std::vector<Placed> of_b = run();
    now = at(10);
    EXPECT_TRUE(run().empty());
    for (const Placed& placed : of_b) EXPECT_FALSE(engine.apply(TaskFinished{placed.task}, now));
    const std::optional<Placed> placed = step();
    EXPECT_TRUE(placed && placed->job == large && placed->server == servers[0]);
  }

  std::vector<ServerId> servers;
  UserId a{};
  UserId b{};
  JobId large{};
};

TEST(Preemption, ATaskThatStartedOnAServerKeptForItRunsOn) {
  EngineThatKept small;
  const std::vector<Placed> placed = small.run();
  ASSERT_FALSE(placed.empty());
  EXPECT_EQ(placed[0].user, small.b);
  ASSERT_EQ(placed[0].preempted.size(), 1U);
  EXPECT_EQ(placed[0].server, small.servers[1]) << "on the first less work would be lost";
  for (const Placed& each : placed) EXPECT_EQ(each.user, small.b);
  EXPECT_EQ(small.engine.job(small.large)->running, 1);
}

TEST(Preemption, ATaskThatStartedOnAServerKeptForItRunsOnAfterARestore) {
  EngineThatKept small;
  small.engine = *restore(snapshot(small.engine));
  EXPECT_FALSE(small.run().empty());
  EXPECT_EQ(small.engine.job(small.large)->running, 1);
}

TEST(Preemption, WhoGetsTheNumberOfATaskThatRanOnMayBePreempted) {
  EngineThatKept small;
  ASSERT_TRUE(small.engine.apply(JobCancelled{small.large}, small.now));
  EXPECT_EQ(small.engine.broken_invariant(), "");
  const JobId again = small.job({.user = small.a, .demand = {10}});
  ASSERT_FALSE(small.engine.apply(ServerDrained{small.servers[1]}, small.now));
  ASSERT_FALSE(small.engine.apply(ServerDrained{small.servers[2]}, small.now));
  const std::vector<Placed> placed = small.run();
  EXPECT_FALSE(placed.empty());
  EXPECT_EQ(small.engine.job(again)->running, 0);
}

TEST(Preemption, ATaskLargerThanAllThatCanBeCountedGetsNothing) {
  SmallEngine small("drf");
  small.engine = *Engine::from({.resources = {"cpu"},
                                .discipline = choice("drf"),
                                .placement = choice("first-fit"),
                                .oversized = Oversized::wait,
                                .preemption = kFreely});
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {1});
  small.run();
  small.job(b, {1}, 20);
  small.run();
  small.job(a, {INT64_MAX});
  EXPECT_TRUE(small.run().empty()) << "1 + INT64_MAX would pass what can be counted";
}

TEST(Preemption, WithFreezeNobodyPassesTheLowestKeyByForce) {
  for (const bool is_frozen : {false, true}) {
    PreemptingEngine small(kFreely, is_frozen ? "drf:blocking=freeze" : "drf");
    small.server({10});
    const UserId a = small.user();
    small.job(a, {2}, 5);
    const std::vector<Placed> of_a = small.run();
    ASSERT_FALSE(small.engine.apply(TaskFinished{of_a[0].task}, small.now));
    small.job(small.user(), {10});
    const UserId c = small.user();
    const JobId of_c = small.job(c, {3});
    const auto why = small.engine.why_waiting(of_c, small.now);
    ASSERT_TRUE(why);
    EXPECT_EQ(why->by_force.has_value(), !is_frozen);
    EXPECT_EQ(small.preempted().size(), is_frozen ? 0U : 1U)
        << "the first of the queue gets nothing by force";
    EXPECT_EQ(small.running(c), is_frozen ? 0 : 1);
  }
}

/// Two tasks of v and one of w leave too little room for one of b. Only the older task of v may end, and
/// it is the last one in the order of work as long as nothing has worked.
struct OrderedByTime : PreemptingEngine {
  JobId waits;

  explicit OrderedByTime(const Preempting& rule = kFreely) : PreemptingEngine(rule, "drf", 2) {
    server({8, 5});
    const ServerId drained = server({9, 20});
    EXPECT_FALSE(engine.apply(ServerDrained{.server = drained}, now));
    const UserId v = user(Quantity(2));
    const UserId w = user();
    job(v, {1, 4});
    EXPECT_TRUE(step());
    job(w, {1, 1});
    EXPECT_TRUE(step());
    job(v, {4, 0});
    EXPECT_TRUE(step());
    waits = job(user(Quantity(3)), {3, 2});
  }
};

TEST(Preemption, ASearchIsRepeatedWhenTimeChangesTheOrderOfWork) {
  for (const std::int64_t later : {1LL, 1'000'000'000LL, 3'600'000'000'000LL}) {
    OrderedByTime small;
    EXPECT_FALSE(small.step()) << "all works are 0: the newest go first, and lead nowhere";
    EXPECT_FALSE(small.engine.why_waiting(small.waits, small.now)->by_force);
    const auto why = small.engine.why_waiting(small.waits, at(later));
    ASSERT_TRUE(why);
    ASSERT_TRUE(why->by_force) << "the question is put at the time of a later step";
    small.now = at(later);
    const std::optional<Placed> placed = small.step();
    ASSERT_TRUE(placed) << later;
    EXPECT_EQ(placed->job, small.waits);
    ASSERT_EQ(placed->preempted.size(), why->by_force->ends.size());
    EXPECT_EQ(placed->preempted.front().task, why->by_force->ends.front().task);
  }
}

TEST(Preemption, ARestoredEngineRepeatsTheSearchAtTheSameTime) {
  OrderedByTime small;
  EXPECT_FALSE(small.step());
  Result<Engine> restored = restore(snapshot(small.engine));
  ASSERT_TRUE(restored);
  Random random(1);
  EXPECT_FALSE(restored->step(small.now, random));
  EXPECT_TRUE(restored->step(at(1), random));
}

TEST(Preemption, WithFreezeTheLowestKeyMayGainByForce) {
  PreemptingEngine small(kFreely, "drf:blocking=freeze");
  small.server({10});
  const UserId a = small.user();
  small.job(a, {2}, 5);
  small.run();
  const UserId b = small.user();
  small.job(b, {3});
  small.job(small.user(), {1});
  EXPECT_EQ(small.step()->user, b);
}

TEST(Preemption, IsOnlyForDisciplinesWithOneKeyForEachUser) {
  const auto key_of = [](EngineOptions options) {
    options.resources = {"cpu"};
    options.placement = choice("first-fit");
    const Result<Engine> engine = Engine::from(std::move(options));
    return engine ? "" : engine.error().key;
  };
  for (const char* const discipline : {"drf", "asset", "tsf", "round-robin", "pf"})
    EXPECT_EQ(
        key_of({.resources = {}, .discipline = choice(discipline), .placement = {}, .preemption = kFreely}),
        "");
  for (const char* const discipline : {"fifo", "ps-dsf", "mlf-drs", "mrfs"})
    EXPECT_EQ(
        key_of({.resources = {}, .discipline = choice(discipline), .placement = {}, .preemption = kFreely}),
        "preemption");
  EXPECT_EQ(key_of({.resources = {},
                    .discipline = choice("drf"),
                    .placement = {},
                    .half_life = ns(1),
                    .preemption = kFreely}),
            "preemption");
  EXPECT_EQ(key_of({.resources = {},
                    .discipline = choice("drf"),
                    .placement = {},
                    .preemption = Preempting{.tasks = 0, .per = ns(1)}}),
            "preemption.tasks");
  EXPECT_EQ(key_of({.resources = {},
                    .discipline = choice("drf"),
                    .placement = {},
                    .preemption = Preempting{.tasks = 1, .per = ns(0)}}),
            "preemption.per");
}

}  // namespace
}  // namespace mirab::scheduling
