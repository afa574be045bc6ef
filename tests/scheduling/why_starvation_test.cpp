// Why a task waits, and why one was placed, where servers are kept or tasks end by force.
#include <gmock/gmock.h>
#include <numeric>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kResources = {"cpu"};

Time why_starvation_at(std::int64_t count) { return Time(Duration(count)); }

/// An engine of one resource that keeps servers after 10 ns, or preempts, on first-fit.
struct Patient : SmallEngine {
  explicit Patient(std::optional<Reserving> keeping, std::optional<Preempting> preempting = {},
                   const std::string& discipline = "drf")
      : SmallEngine(discipline) {
    engine = *Engine::from({.resources = kResources,
                            .discipline = choice(discipline),
                            .placement = choice("first-fit"),
                            .reservations = keeping,
                            .preemption = preempting});
  }
  UserId named(const std::string& name) { return *engine.apply(UserAdded{.name = name}, now); }
  WhyWaiting why(JobId job) const { return *engine.why_waiting(job, now); }
  std::string words(JobId job) const { return describe(why(job), kResources); }
};

constexpr Reserving kKeeping{.after = Duration(10)};
constexpr Preempting kPreempting{.tasks = 9, .per = Duration(9)};

void now_is(SmallEngine& engine, std::int64_t count) { engine.now = why_starvation_at(count); }

/// Bob waits for the whole server, on which alice's task of 3 units runs; alice waits for 1 more.
struct Kept : Patient {
  ServerId node;
  TaskId runs;
  JobId large, small;

  Kept() : Patient(kKeeping) {
    node = server({4}, "node");
    const UserId alice = named("alice");
    job(alice, {3});
    runs = step()->task;
    large = job(named("bob"), {4});
    now = why_starvation_at(10);
    small = job(alice, {1});
  }
};

TEST(WhyKept, AServerIsKeptForAnotherAsTheNextStepWillKeepIt) {
  Kept kept;
  EXPECT_TRUE(kept.engine.reservations().empty()) << "no step has been taken at this time";
  const WhyWaiting why = kept.why(kept.small);
  EXPECT_EQ(why.servers.kept, 1);
  EXPECT_EQ(why.servers.drained, 0);
  ASSERT_EQ(why.kept_for_others.size(), 1U);
  EXPECT_EQ(why.kept_for_others.front().server, kept.node);
  EXPECT_EQ(why.kept_for_others.front().job, kept.large);
  EXPECT_EQ(why.kept_for_others.front().since, why_starvation_at(10));
  EXPECT_FALSE(why.is_next());
  EXPECT_EQ(kept.words(kept.small),
            "1 task of alice waits\n"
            "none of 1 server has room: 1 is kept for others\n"
            "node is kept for a task of bob\n");
  EXPECT_TRUE(kept.engine.reservations().empty()) << "asking keeps nothing";
  EXPECT_FALSE(kept.step());
  const WhyNotOn there = *kept.engine.why_not_on(kept.small, kept.node);
  EXPECT_EQ(there.reason, InTheWay::kept);
  EXPECT_EQ(there.kept, why.kept_for_others.front());
  EXPECT_EQ(describe(there, kResources), "it is kept for a task of bob\n");
}

TEST(WhyKept, TheTaskForWhichAServerIsKeptIsToldWhatIsMissingThere) {
  Kept kept;
  EXPECT_FALSE(kept.step());
  const WhyWaiting why = kept.why(kept.large);
  EXPECT_EQ(why.kept_for_it,
            (WhyWaiting::KeptForIt{
                .server = kept.node, .name = "node", .since = why_starvation_at(10), .missing = {3}}));
  EXPECT_EQ(why.servers.full, 1);
  EXPECT_EQ(kept.words(kept.large),
            "1 task of bob waits\n"
            "none of 1 server has room: 1 is full (too little cpu on 1)\n"
            "node is kept for it, with 3 cpu still to come free\n"
            "nearest is node, with 3 cpu to free\n");
}

TEST(WhyKept, TheServersOfAGangAreAllNamed) {
  Patient patient(Reserving{.after = Duration(5)});
  const ServerId north = patient.server({4}, "north");
  const ServerId south = patient.server({4}, "south");
  const JobId small = patient.job(patient.named("alice"), {2}, 4);
  const std::vector<Placed> placed = patient.run();
  ASSERT_EQ(placed.size(), 4U);
  const JobId gang = *patient.engine.apply(
      JobSubmitted{.user = patient.named("bob"), .demand = {4}, .tasks = 2, .gang = 2}, patient.now);
  patient.now = why_starvation_at(5);
  const WhyWaiting why = patient.why(gang);
  EXPECT_EQ(why.kept_for_it, (WhyWaiting::KeptForIt{.server = north,
                                                    .name = "north",
                                                    .since = why_starvation_at(5),
                                                    .missing = {4},
                                                    .others = {south}}));
  EXPECT_THAT(patient.words(gang), HasSubstr("north and 1 more server are kept for it, with 4 cpu still to "
                                             "come free\n"));
  EXPECT_FALSE(patient.step());
  for (const Placed& each : placed) ASSERT_FALSE(patient.engine.apply(TaskFinished{each.task}, patient.now));
  patient.job(patient.named("carol"), {1});
  EXPECT_TRUE(patient.why(gang).is_next());
  EXPECT_FALSE(patient.engine.job(small));
  WhyPlaced reason;
  const auto decision = patient.engine.step(patient.now, patient.random, reason);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->job, gang);
  EXPECT_EQ(reason.kept_since, why_starvation_at(5));
  EXPECT_EQ(reason.together, 2);
  EXPECT_EQ(reason.users_fitting, 1) << "carol may not use what is kept";
  EXPECT_THAT(describe(reason, kResources),
              HasSubstr("bob is served, for whose tasks servers were kept, which have room now"));
}

TEST(WhyKept, WhoHasRoomOnItsKeptServerComesBeforeAllOthers) {
  Kept kept;
  EXPECT_FALSE(kept.step());
  ASSERT_FALSE(kept.engine.apply(TaskFinished{kept.runs}, kept.now));
  kept.server({1}, "other");
  const WhyWaiting why = kept.why(kept.large);
  EXPECT_TRUE(why.is_next());
  EXPECT_TRUE(why.kept_for_it->missing.empty());
  EXPECT_THAT(kept.words(kept.large), HasSubstr("node is kept for it, and has room\n"));
  EXPECT_FALSE(kept.why(kept.small).is_next());
  EXPECT_THAT(kept.words(kept.small),
              HasSubstr("the next step places a task of bob, for which node is kept and has room\n"));
  WhyPlaced placed;
  ASSERT_TRUE(kept.engine.step(kept.now, kept.random, placed));
  EXPECT_EQ(placed.job, kept.large);
  EXPECT_EQ(placed.kept_since, why_starvation_at(10));
  EXPECT_EQ(
      describe(placed, kResources),
      "bob is served, for whom node is kept, which has room now; 2 of 2 users that wait have a task that "
      "fits\n"
      "next would be alice, with 0\n"
      "it goes to node; something was freed there\n"
      "it leaves nothing there, of 4 cpu\n");
}

/// Alice has all of a server of 10 units, in tasks of 2; bob waits for 2.
struct Forced : Patient {
  JobId of_alice, of_bob;

  explicit Forced(const std::string& discipline = "drf") : Patient({}, kPreempting, discipline) {
    server({10}, "node");
    of_alice = job(named("alice"), {2}, 6);
    run();
    of_bob = job(named("bob"), {2});
  }
};

TEST(WhyByForce, ItIsToldWhatWouldEndAndWhichLevelSeparatesTheUsers) {
  Forced forced;
  const WhyWaiting why = forced.why(forced.of_bob);
  EXPECT_TRUE(why.is_next());
  EXPECT_EQ(why.servers.with_room, 0);
  ASSERT_TRUE(why.by_force);
  EXPECT_EQ(why.by_force->key_before, 0);
  EXPECT_EQ(why.by_force->key_after, 0.2);
  ASSERT_EQ(why.by_force->losers.size(), 1U);
  EXPECT_EQ(why.by_force->losers.front().key_before, 1);
  EXPECT_EQ(why.by_force->losers.front().key_after, 0.8);
  EXPECT_EQ(forced.words(forced.of_bob),
            "1 task of bob waits\n"
            "the next step places one\n"
            "1 task of alice ends on node, whose key goes from 1 to 0.8\n"
            "the key of bob goes from 0 to 0.2\n"
            "none of 1 server has room: 1 is full (too little cpu on 1)\n"
            "nearest is node, with 2 cpu to free\n");
  EXPECT_FALSE(forced.why(forced.of_alice).is_next());
  EXPECT_THAT(forced.words(forced.of_alice), HasSubstr("the next step ends tasks for one of bob\n"));
  WhyPlaced placed;
  const auto decision = forced.engine.step(forced.now, forced.random, placed);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->preempted, why.by_force->ends);
  EXPECT_EQ(placed.by_force, why.by_force);
  EXPECT_THAT(placed.free_before, ElementsAre(0));
  EXPECT_THAT(placed.free_after, ElementsAre(0));
  EXPECT_EQ(
      describe(placed, kResources),
      "bob is served, for whom tasks end, since nothing else can be placed; 0 of 2 users that wait have a "
      "task that fits\n"
      "1 task of alice ends on node, whose key goes from 1 to 0.8\n"
      "the key of bob goes from 0 to 0.2\n"
      "it goes to node\n"
      "it leaves nothing there, of nothing\n");
}

TEST(WhyByForce, NothingIsSaidToEndWhereSomethingCanBePlacedWithout) {
  Forced forced;
  forced.server({2});
  EXPECT_FALSE(forced.why(forced.of_bob).by_force);
  EXPECT_TRUE(forced.why(forced.of_bob).is_next());
}

TEST(WhyByForce, WithFreezeItIsToldToo) {
  Forced forced("drf:blocking=freeze");
  const WhyWaiting why = forced.why(forced.of_bob);
  EXPECT_TRUE(why.blocked_by);
  EXPECT_TRUE(why.by_force);
  EXPECT_TRUE(why.is_next());
}

// With 8 of 10 units dave would be at 0.8, and alice, after losing 4 tasks, at 0.2.
TEST(WhyByForce, NothingIsSaidToEndWhereTheOrderWouldFlip) {
  Forced forced;
  const JobId more = forced.job(forced.named("dave"), {8});
  EXPECT_FALSE(forced.why(more).by_force);
}

/// Alice has all of a server of 10 units, in tasks of 1; bob waits for 2 of them at a time.
struct OverBudget : Patient {
  JobId of_bob;

  explicit OverBudget(std::int64_t tasks) : Patient({}, Preempting{.tasks = tasks, .per = Duration(20)}) {
    server({10}, "node");
    job(named("alice"), {1}, 10);
    run();
    now = why_starvation_at(5);
    of_bob = job(named("bob"), {2}, 2);
    run();
  }
};

TEST(WhyByForce, ItIsToldWhenTheBudgetOfPreemptionIsFreeAgain) {
  OverBudget over(3);
  EXPECT_EQ(over.engine.job(over.of_bob)->waiting, 1);
  now_is(over, 10);
  const WhyWaiting why = over.why(over.of_bob);
  EXPECT_FALSE(why.is_next());
  EXPECT_FALSE(why.forced_first);
  ASSERT_TRUE(why.over_budget);
  EXPECT_EQ(why.over_budget->first.job, over.of_bob);
  EXPECT_EQ(why.over_budget->tasks, 2);
  EXPECT_EQ(why.over_budget->left, 1);
  EXPECT_EQ(why.over_budget->free_at, why_starvation_at(25));
  EXPECT_THAT(
      over.words(over.of_bob),
      HasSubstr("2 tasks would end for it by force, but the budget of preemption has only 1 left; it allows "
                "that at 0.000000025 s\n"));
  now_is(over, 24);
  EXPECT_FALSE(over.step());
  EXPECT_EQ(over.engine.next_by_time(), why_starvation_at(25));
  now_is(over, 25);
  EXPECT_TRUE(over.why(over.of_bob).is_next());
  EXPECT_TRUE(over.step());
}

TEST(WhyByForce, ABudgetThatIsTooSmallForOneTaskIsNeverFree) {
  OverBudget over(1);
  const WhyWaiting why = over.why(over.of_bob);
  ASSERT_TRUE(why.over_budget);
  EXPECT_EQ(why.over_budget->tasks, 2);
  EXPECT_FALSE(why.over_budget->free_at);
  EXPECT_FALSE(over.engine.next_by_time());
  EXPECT_THAT(over.words(over.of_bob),
              HasSubstr("which is more than the budget of preemption ever allows\n"));
}

/// Bob waits for 6 units. On `few` alice's tasks of these sizes would have to end, on `many` three of 2
/// units, with which the least work is lost. At 95 the whole budget was used for carol.
struct UsedUp : Patient {
  JobId of_bob;

  UsedUp(std::int64_t budget, const std::vector<std::int64_t>& few)
      : Patient({}, Preempting{.tasks = budget, .per = Duration(20)}) {
    const UserId alice = named("alice");
    alice_fills("rest", alice, std::vector<std::int64_t>(10, 1), 1);
    alice_fills("few", alice, few, 1);
    alice_fills("many", alice, {2, 2, 2}, 90);
    alice_fills("carols", alice, std::vector<std::int64_t>(static_cast<std::size_t>(budget), 1), 94);
    now = why_starvation_at(95);
    job(named("carol"), {1}, budget);
    run();
    now = why_starvation_at(100);
    of_bob = job(named("bob"), {6});
  }

 private:
  void alice_fills(const std::string& name, UserId alice, const std::vector<std::int64_t>& sizes,
                   std::int64_t at) {
    now = why_starvation_at(at);
    server({std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})}, name);
    for (const std::int64_t size : sizes) job(alice, {size});
    run();
  }
};

TEST(WhyByForce, FewerTasksThatTheWholeBudgetAllowsAreToldWhereTheBestAreTooMany) {
  UsedUp used(1, {6});
  const WhyWaiting why = used.why(used.of_bob);
  ASSERT_TRUE(why.over_budget);
  EXPECT_EQ(why.over_budget->first.job, used.of_bob);
  EXPECT_EQ(why.over_budget->tasks, 1);
  EXPECT_EQ(why.over_budget->left, 0);
  EXPECT_EQ(why.over_budget->free_at, why_starvation_at(115));
  EXPECT_THAT(used.words(used.of_bob), HasSubstr("1 task would end for it by force, but the budget of "
                                                 "preemption is used up; it allows that at "));
  now_is(used, 115);
  const std::optional<Placed> placed = used.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->job, used.of_bob);
}

TEST(WhyByForce, WhatTheBudgetAllowsOnceEnoughIsFreeIsWhatEndsThen) {
  UsedUp used(3, {6});
  const WhyWaiting why = used.why(used.of_bob);
  ASSERT_TRUE(why.over_budget);
  EXPECT_EQ(why.over_budget->free_at, why_starvation_at(115));
  now_is(used, 115);
  const WhyWaiting then = used.why(used.of_bob);
  ASSERT_TRUE(then.by_force);
  EXPECT_EQ(why.over_budget->tasks, std::ssize(then.by_force->ends));
  EXPECT_EQ(why.over_budget->tasks, 3) << "one would do, but all of the budget is free";
}

TEST(WhyByForce, WhereNoBudgetOfTheRuleIsEnoughTheFewestTasksAreTold) {
  UsedUp used(1, {3, 3});
  const WhyWaiting why = used.why(used.of_bob);
  ASSERT_TRUE(why.over_budget);
  EXPECT_EQ(why.over_budget->tasks, 2);
  EXPECT_FALSE(why.over_budget->free_at);
}

}  // namespace
}  // namespace mirab::scheduling
