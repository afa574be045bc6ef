// Who may end whose tasks in a tree of groups, by rank and by tier: the cases of
// tests/golden/teams_cases.json and reclaim_cases.json and small ones, each for one sentence of
// docs/explanation/teams.md.
#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A park whose users may preempt, with names in place of identifiers.
class Park {
 public:
  explicit Park(Amounts capacity,
                std::optional<Preempting> preemption = Preempting{.tasks = 1'000, .per = Duration(1)})
      : engine_(*Engine::from({.resources = resources(capacity.size()),
                               .discipline = choice("drf"),
                               .placement = choice("first-fit"),
                               .oversized = Oversized::wait,
                               .preemption = preemption})) {
    server(std::move(capacity));
  }

  ServerId server(Amounts capacity) {
    const ServerId server = *engine_.apply(ServerAdded{.name = "s", .capacity = std::move(capacity)}, now_);
    if (!first_server_) first_server_ = server;
    return server;
  }
  ServerId first_server() const { return *first_server_; }
  GroupId group(GroupAdded event) {
    event.parent = event.parent == GroupId{} ? kCluster : event.parent;
    return *engine_.apply(event, now_);
  }
  UserId user(const UserAdded& event) {
    const UserId user = *engine_.apply(event, now_);
    names_[user] = event.name;
    return user;
  }
  /// Later than all before, and as many tasks as are placed then.
  JobId job(JobSubmitted event) {
    now_ += Duration(10);
    return *engine_.apply(event, now_);
  }
  std::optional<Placed> step() { return engine_.step(now_, random_); }

  /// Steps until nothing is placed. Each task that ended, "b takes from a (share)".
  std::vector<std::string> moves() {
    std::vector<std::string> moves;
    while (true) {
      const std::optional<Placed> placed = step();
      if (!placed) return moves;
      for (const Preempted& lost : placed->preempted)
        moves.push_back(names_.at(placed->user) + " takes from " + names_.at(engine_.job(lost.job)->user) +
                        " (" + std::string(kWords<Right>[static_cast<std::size_t>(lost.right)]) + ")");
    }
  }

  void finish(TaskId task) {
    now_ += Duration(10);
    ASSERT_FALSE(engine_.apply(TaskFinished{.task = task}, now_));
  }

  std::int64_t running(UserId user) const { return engine_.user(user)->running; }
  Engine& engine() { return engine_; }
  Time now() const { return now_; }

 private:
  static std::vector<std::string> resources(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t r = 0; r < count; ++r) names.push_back("r" + std::to_string(r));
    return names;
  }

  Engine engine_;
  Random random_{1};
  Time now_{};
  std::optional<ServerId> first_server_;
  std::map<UserId, std::string> names_;
};

// The golden cases.

Amounts amounts_in(const nlohmann::json& by_name, const std::vector<std::string>& resources,
                   std::int64_t otherwise) {
  Amounts amounts;
  for (const std::string& resource : resources)
    amounts.push_back(by_name.contains(resource) ? std::stoll(by_name.at(resource).get<std::string>())
                                                 : otherwise);
  return amounts;
}

nlohmann::json golden_case(const char* file_name, const std::string& name) {
  std::ifstream file(std::string(MIRAB_SOURCE_DIR "/tests/golden/") + file_name);
  const nlohmann::json golden = nlohmann::json::parse(file);
  for (const nlohmann::json& each : golden.at("cases")) {
    if (each.at("name") == name) return each;
  }
  throw std::runtime_error("there is no case " + name);
}

struct Member {
  UserId user;
  Amounts demand;
};

/// The guarantee, limit and weight of a group or user.
template <class Event>
void read_quota(const nlohmann::json& member, const std::vector<std::string>& resources, Event& event) {
  if (member.contains("guarantee")) event.guarantee = amounts_in(member.at("guarantee"), resources, 0);
  if (member.contains("limit")) event.limit = amounts_in(member.at("limit"), resources, kNoLimit);
  if (member.contains("weight")) event.weight = *Quantity::parse(member.at("weight").get<std::string>());
}

/// The users by their names. `groups`: the names of the users below each group.
void add_members(Park& park, const nlohmann::json& members, GroupId parent,
                 const std::vector<std::string>& resources, std::map<std::string, Member>& users,
                 std::map<std::string, std::vector<std::string>>& groups) {
  for (const nlohmann::json& member : members) {
    const auto name = member.at("name").get<std::string>();
    if (member.contains("members")) {
      GroupAdded group{.name = name, .parent = parent};
      read_quota(member, resources, group);
      std::map<std::string, Member> below;
      add_members(park, member.at("members"), park.group(group), resources, below, groups);
      for (const auto& each : below) groups[name].push_back(each.first);
      users.merge(below);
      continue;
    }
    UserAdded user{.name = name, .group = parent};
    read_quota(member, resources, user);
    users[name] = {.user = park.user(user), .demand = amounts_in(member.at("demand"), resources, 0)};
  }
}

class GoldenReclaim : public testing::TestWithParam<const char*> {};

TEST_P(GoldenReclaim, MakesTheMovesOfTheCaseAndEndsWithItsTasks) {
  const nlohmann::json golden = golden_case("teams_cases.json", GetParam());
  const nlohmann::json& problem = golden.at("problem");
  const auto resources = problem.at("resources").get<std::vector<std::string>>();
  Park park(amounts_in(problem.at("servers")[0].at("capacity"), resources, 0));
  std::map<std::string, Member> users;
  std::map<std::string, std::vector<std::string>> groups;
  add_members(park, problem.at("members"), kCluster, resources, users, groups);
  std::vector<std::string> moves;
  for (const nlohmann::json& submitted : golden.at("submitted")) {
    const Member& member = users.at(submitted.at("user"));
    park.job({.user = member.user, .demand = member.demand, .tasks = submitted.at("tasks")});
    for (const std::string& move : park.moves()) moves.push_back(move);
  }
  EXPECT_EQ(moves, golden.at("moves").get<std::vector<std::string>>());
  for (const auto& [name, member] : users) {
    EXPECT_EQ(park.running(member.user), golden.at("running").at(name).get<std::int64_t>()) << name;
  }
}

std::string test_name(const testing::TestParamInfo<const char*>& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(TeamsCases, GoldenReclaim,
                         testing::Values("reclaim-no-ping-pong", "reclaim-by-share"), test_name);

class GoldenEnd : public testing::TestWithParam<const char*> {};

/// What runs at first has run for long. After each event the engine decides until nothing more is placed;
/// events that change nothing follow until one brings no decision.
TEST_P(GoldenEnd, IsReachedWithAsManyTasksEnded) {
  const nlohmann::json golden = golden_case("reclaim_cases.json", GetParam());
  const nlohmann::json& problem = golden.at("problem");
  const auto resources = problem.at("resources").get<std::vector<std::string>>();
  Park park(amounts_in(problem.at("servers")[0].at("capacity"), resources, 0));
  std::map<std::string, Member> users;
  std::map<std::string, std::vector<std::string>> groups;
  add_members(park, problem.at("members"), kCluster, resources, users, groups);
  const auto tasks_in = [&](const char* key, const std::string& name) {
    return golden.at(key).contains(name) ? golden.at(key).at(name).get<std::int64_t>() : 0;
  };
  for (const auto& [name, member] : users) {
    const std::int64_t running = tasks_in("running", name), waiting = tasks_in("waiting", name);
    if (running + waiting == 0) continue;
    const JobId job = park.job({.user = member.user, .demand = member.demand, .tasks = running + waiting});
    for (std::int64_t task = 0; task < running; ++task)
      ASSERT_TRUE(park.engine().apply(
          TaskAdopted{.job = job, .server = park.first_server(), .since = park.now()}, park.now()));
  }
  std::int64_t ended = 0;
  for (std::int64_t before = -1; before != ended;) {
    before = ended;
    park.user({.name = "nobody"});
    ended += static_cast<std::int64_t>(park.moves().size());
    ASSERT_LT(ended, 1'000) << "a loop";
  }
  for (const auto& [name, tasks] : golden.at("end").items()) {
    std::int64_t running = 0;
    if (users.contains(name)) running = park.running(users.at(name).user);
    for (const std::string& member : groups[name]) running += park.running(users.at(member).user);
    EXPECT_EQ(running, tasks.get<std::int64_t>()) << name;
  }
  EXPECT_EQ(ended, golden.at("ended").get<std::int64_t>());
}

INSTANTIATE_TEST_SUITE_P(ReclaimCases, GoldenEnd,
                         testing::Values("tie-at-the-top", "one-task-each", "one-task-each-weights",
                                         "complementary-by-force", "complementary-by-force-back",
                                         "larger-victim-inside", "larger-victim-inside-one", "three-levels",
                                         "not-every-member-gains-by-force", "lump", "guarantees-in-a-ring",
                                         "no-ping-pong", "not-covered-not-kept", "richest-gives",
                                         "borrowed-cpus"),
                         test_name);

// Rank and tier.

TEST(Reclaim, AJobWithAHigherPriorityEndsTasksOfItsOwnUserWithoutGroupsToo) {
  for (const bool in_tree : {false, true}) {
    Park park({4});
    if (in_tree) park.group({.name = "g"});
    const UserId a = park.user({.name = "a"});
    park.job({.user = a, .demand = {1}, .tasks = 9});
    EXPECT_THAT(park.moves(), ElementsAre());
    park.job({.user = a, .demand = {2}, .tasks = 1, .rank = Rank{.priority = 1}});
    EXPECT_THAT(park.moves(), ElementsAre("a takes from a (rank)", "a takes from a (rank)"));
    EXPECT_EQ(park.running(a), 3);
    park.job({.user = a, .demand = {2}, .tasks = 1, .rank = Rank{.priority = 1}});
    EXPECT_THAT(park.moves(), ElementsAre("a takes from a (rank)", "a takes from a (rank)"));
    park.job({.user = a, .demand = {2}, .tasks = 1, .rank = Rank{.priority = 1}});
    EXPECT_THAT(park.moves(), ElementsAre()) << "equal priorities";
  }
}

TEST(Reclaim, WhatHasStartedSinceTheLatestEventDoesNotEndByRank) {
  Park park({2});
  const UserId a = park.user({.name = "a"});
  park.job({.user = a, .demand = {1}, .tasks = 1});
  ASSERT_TRUE(park.step());
  park.job({.user = a, .demand = {1}, .tasks = 1, .may_be_preempted = false});
  const std::optional<Placed> kept = park.step();
  ASSERT_TRUE(kept);
  park.job({.user = a, .demand = {2}, .tasks = 1, .rank = Rank{.priority = 1}});
  park.job({.user = a, .demand = {1}, .tasks = 1});
  EXPECT_THAT(park.moves(), ElementsAre()) << "one of the two may not be preempted";
  // When that one ends the small job starts, and only the next event lets its task end for the urgent one.
  ASSERT_FALSE(park.engine().apply(TaskFinished{kept->task}, park.now()));
  EXPECT_THAT(park.moves(), ElementsAre());
  EXPECT_EQ(park.running(a), 2);
  park.user({.name = "b"});
  EXPECT_THAT(park.moves(), ElementsAre("a takes from a (rank)", "a takes from a (rank)"));
}

/// On the first server b's own task and one of q make room. Without the own one q's is enough, but then b has
/// 5 and q keeps 4.
TEST(Reclaim, ATaskThatGoesOnAfterAllCountsWhenTheRightsAreAskedOfTheFinalSet) {
  Park park({10});
  const UserId q = park.user({.name = "q"});
  const UserId z = park.user({.name = "z"});
  const UserId b = park.user({.name = "b"});
  park.job({.user = q, .demand = {4}});
  park.moves();
  park.job({.user = z, .demand = {5}, .may_be_preempted = false});
  park.moves();
  park.job({.user = b, .demand = {1}});
  park.moves();
  park.server({4});
  park.job({.user = q, .demand = {4}});
  park.moves();
  ASSERT_EQ(park.running(q), 2);
  park.job({.user = b, .demand = {4}, .rank = Rank{.priority = 1}});
  EXPECT_THAT(park.moves(), ElementsAre());
}

TEST(Reclaim, AHigherTierTakesWhatItNeedsAndLosesNothingToALowerOne) {
  Park park({4});
  const UserId low = park.user({.name = "low", .guarantee = Amounts{4}});
  const UserId high = park.user({.name = "high", .tier = 1});
  park.job({.user = low, .demand = {1}, .tasks = 9});
  EXPECT_THAT(park.moves(), ElementsAre());
  park.job({.user = high, .demand = {2}, .tasks = 2});
  EXPECT_THAT(park.moves(), ElementsAre("high takes from low (tier)", "high takes from low (tier)",
                                        "high takes from low (tier)", "high takes from low (tier)"));
  EXPECT_EQ(park.running(low), 0);
  park.job({.user = low, .demand = {1}});
  EXPECT_THAT(park.moves(), ElementsAre()) << "not even by its guarantee";
}

TEST(Reclaim, LowerTiersLoseFirstHoweverMuchWorkIsLost) {
  for (const bool on_one : {true, false}) {
    Park park({on_one ? 4 : 2});
    const UserId low = park.user({.name = "low"});
    const UserId middle = park.user({.name = "middle", .tier = 1});
    const UserId high = park.user({.name = "high", .tier = 2});
    park.job({.user = low, .demand = {2}});
    ASSERT_TRUE(park.step());
    if (!on_one) park.server({2});
    park.job({.user = middle, .demand = {2}});
    ASSERT_TRUE(park.step());
    park.job({.user = high, .demand = {2}});
    EXPECT_THAT(park.moves(), ElementsAre("high takes from low (tier)"));
  }
}

TEST(Reclaim, AJobThatMayNotBePreemptedKeepsItsTasksWhateverTheRight) {
  Park park({2});
  const UserId low = park.user({.name = "low"});
  const UserId high = park.user({.name = "high", .tier = 1});
  park.job({.user = low, .demand = {1}, .tasks = 2, .may_be_preempted = false});
  EXPECT_THAT(park.moves(), ElementsAre());
  park.job({.user = high, .demand = {1}});
  EXPECT_THAT(park.moves(), ElementsAre());
}

// Guarantees.

// docs/explanation/teams.md: protection is for the resources that were missing.
TEST(Reclaim, ProtectsWhatIsGuaranteedOfTheMissingResourcesOnly) {
  Park park({10, 10});
  const UserId z = park.user({.name = "z"});
  const UserId q = park.user({.name = "q", .guarantee = Amounts{2, 6}});
  const UserId b = park.user({.name = "b"});
  park.job({.user = z, .demand = {5, 0}, .may_be_preempted = false});
  park.moves();
  park.job({.user = q, .demand = {1, 1}, .tasks = 5});
  park.moves();
  park.job({.user = b, .demand = {1, 0}});
  EXPECT_THAT(park.moves(), ElementsAre("b takes from q (share)"));
  EXPECT_EQ(park.engine().user(q)->used, (Amounts{4, 4})) << "less than the 6 of the other one";
}

TEST(Reclaim, AGuaranteeOfAGroupIsTakenBackForItsMemberAndNotBeyond) {
  Park park({8});
  const GroupId team = park.group({.name = "team", .guarantee = Amounts{3}});
  const UserId member = park.user({.name = "member", .group = team});
  const UserId other = park.user({.name = "other"});
  park.job({.user = other, .demand = {1}, .tasks = 9});
  park.moves();
  park.job({.user = member, .demand = {1}, .tasks = 5});
  EXPECT_THAT(park.moves(),
              ElementsAre("member takes from other (guarantee)", "member takes from other (guarantee)",
                          "member takes from other (guarantee)", "member takes from other (share)",
                          "member takes from other (share)"));
}

TEST(Reclaim, ALimitThatAMembersLossMakesRoomUnderIsKept) {
  Park park({8});
  const GroupId team = park.group({.name = "team", .limit = Amounts{4}});
  const UserId rich = park.user({.name = "rich", .group = team});
  const UserId poor = park.user({.name = "poor", .group = team});
  const UserId other = park.user({.name = "other"});
  park.job({.user = rich, .demand = {1}, .tasks = 9});
  park.moves();
  park.job({.user = other, .demand = {1}, .tasks = 4, .may_be_preempted = false});
  park.moves();
  park.job({.user = poor, .demand = {1}, .tasks = 9});
  EXPECT_THAT(park.moves(), ElementsAre("poor takes from rich (share)", "poor takes from rich (share)"));
  EXPECT_EQ(park.engine().group(team)->used, Amounts{4});
}

/// 12 CPUs, four members of g1 with three tasks of a CPU each, and C of g2 comes. Before, each
/// member has had a task of each of these demands, which has ended.
std::int64_t taken_from_members_who_had(const std::vector<Amounts>& kinds) {
  Park park({12, 8, 16});
  const GroupId g1 = park.group({.name = "g1"}), g2 = park.group({.name = "g2"});
  std::vector<UserId> members;
  for (const char* name : {"q1", "q2", "q3", "q4"}) members.push_back(park.user({.name = name, .group = g1}));
  for (const UserId member : members) {
    for (const Amounts& kind : kinds) {
      park.job({.user = member, .demand = kind});
      const std::optional<Placed> placed = park.step();
      EXPECT_TRUE(placed);
      if (placed) park.finish(placed->task);
    }
  }
  for (const UserId member : members) park.job({.user = member, .demand = {1, 0, 0}, .tasks = 3});
  park.moves();
  const UserId c = park.user({.name = "C", .group = g2});
  park.job({.user = c, .demand = {1, 0, 0}, .tasks = 12});
  park.moves();
  return park.running(c);
}

TEST(Reclaim, ReachesTheFairDivisionAmongMembersWhoHadTasksOfAnotherKind) {
  EXPECT_EQ(taken_from_members_who_had({}), 6);
  EXPECT_EQ(taken_from_members_who_had({{1, 8, 0}}), 6);
  EXPECT_EQ(taken_from_members_who_had({{12, 8, 16}, {1, 8, 0}, {0, 0, 3}}), 6);
}

/// Sixteen kinds are kept as they are. What comes later counts as one kind with the largest of each resource.
TEST(Reclaim, StopsEarlyAmongMembersWhoHadMoreKindsOfTasksThanAreKept) {
  std::vector<Amounts> kinds;
  for (std::int64_t units = 1; units <= 16; ++units) kinds.push_back({0, 0, units});
  EXPECT_EQ(taken_from_members_who_had(kinds), 6);
  kinds.push_back({1, 8, 0});
  EXPECT_EQ(taken_from_members_who_had(kinds), 4);
}

TEST(Reclaim, WhyTellsTheRightAndTheStandings) {
  Park park({10});
  const GroupId team = park.group({.name = "A"});
  const UserId a1 = park.user({.name = "a1", .group = team});
  const UserId a2 = park.user({.name = "a2", .group = team});
  park.job({.user = a1, .demand = {1}, .tasks = 10});
  park.moves();
  const JobId job = park.job({.user = a2, .demand = {1}, .tasks = 10});
  const auto why = park.engine().why_waiting(job, park.now());
  ASSERT_TRUE(why && why->by_force && why->is_next());
  ASSERT_EQ(why->by_force->losers.size(), 1U);
  EXPECT_EQ(why->by_force->losers[0].right, Right::share);
  EXPECT_THAT(why->by_force->losers[0].standing_before, ElementsAre(1.0, 1.0));
  EXPECT_THAT(why->by_force->losers[0].standing_after, ElementsAre(1.0, 0.9));
  EXPECT_THAT(why->by_force->standing_before, ElementsAre(0.1, 0.0)) << "the first task of a1 counts";
  EXPECT_THAT(why->by_force->standing_after, ElementsAre(0.3, 0.1))
      << "two tasks of a1 began at 0.1 or below";
  EXPECT_THAT(describe(*why, std::vector<std::string>{"r0"}),
              HasSubstr("1 task of a1 ends on s, whose standing goes from (1, 1) to (1, 0.9)\n"
                        "a2, whose standing goes from (0.1, 0) to (0.3, 0.1)\n"));
  const std::optional<Placed> placed = park.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->preempted, why->by_force->ends);
}

// docs/explanation/teams-elsewhere.md: what Mirab does there, task by task. "Members that need different
// resources", "A leftover", "Volcano: weights below a group", "Volcano: two queues reclaim from each other"
// and "YARN: a minimum is a floor" are golden cases: online-starvation, online-leftover,
// online-weights-below, reclaim-no-ping-pong and online-guarantee.

TEST(TeamsElsewhere, Kueue3779NoTaskOfOneWhoHasLessEnds) {
  Park park({300});
  const UserId a = park.user({.name = "tenant-a", .guarantee = Amounts{150}});
  const UserId best = park.user({.name = "best-effort"});
  park.job({.user = a, .demand = {250}});
  park.moves();
  park.job({.user = best, .demand = {50}});
  park.moves();
  park.job({.user = a, .demand = {50}});
  EXPECT_THAT(park.moves(), ElementsAre());
  EXPECT_EQ(park.running(best), 1);
}

TEST(TeamsElsewhere, Kueue7101TwoTasksEndOnceForATaskOfThreeOrFourPodsAndNoneForALargerOne) {
  for (const std::int64_t pods : {3, 4, 5, 6}) {
    Park park({8});
    const UserId first = park.user({.name = "proj-1"});
    const UserId second = park.user({.name = "proj-2"});
    park.job({.user = first, .demand = {2}, .tasks = 4});
    park.moves();
    park.job({.user = second, .demand = {pods}});
    const std::vector<std::string> moves = park.moves();
    if (pods > 4) {
      EXPECT_THAT(moves, ElementsAre()) << pods;
      EXPECT_EQ(park.running(first), 4);
      continue;
    }
    EXPECT_THAT(moves, ElementsAre("proj-2 takes from proj-1 (share)", "proj-2 takes from proj-1 (share)"));
    EXPECT_EQ(park.running(first), 2) << pods;
    EXPECT_EQ(park.running(second), 1);
    park.job({.user = first, .demand = {2}});
    EXPECT_THAT(park.moves(), ElementsAre()) << "it is not taken back";
  }
}

TEST(TeamsElsewhere, Kueue4961AQuotaWithoutAWeightIsProtected) {
  Park park({1});
  const UserId best = park.user({.name = "best-effort", .weight = Quantity(0), .guarantee = Amounts{1}});
  const UserId high = park.user({.name = "high-priority"});
  park.job({.user = best, .demand = {1}});
  park.moves();
  park.job({.user = high, .demand = {1}});
  EXPECT_THAT(park.moves(), ElementsAre());
  EXPECT_EQ(park.running(best), 1);
}

TEST(TeamsElsewhere, Kai1934BobTakesBackHisQuotaAndThenHisFairShare) {
  Park park({8});
  const GroupId shared = park.group({.name = "shared"});
  const UserId alice = park.user({.name = "alice", .group = shared, .guarantee = Amounts{2}});
  const UserId bob = park.user({.name = "bob", .group = shared, .guarantee = Amounts{2}});
  park.job({.user = alice, .demand = {1}, .tasks = 20});
  park.moves();
  park.job({.user = bob, .demand = {1}, .tasks = 20});
  EXPECT_THAT(park.moves(),
              ElementsAre("bob takes from alice (guarantee)", "bob takes from alice (guarantee)",
                          "bob takes from alice (share)", "bob takes from alice (share)"));
  EXPECT_EQ(park.running(alice), 4);
  EXPECT_EQ(park.running(bob), 4);
}

TEST(TeamsElsewhere, Volcano4947TheLargeTaskRunsOnAndThenTheOtherQueueIsNext) {
  Park park({8});
  const UserId first = park.user({.name = "queue1", .guarantee = Amounts{3}});
  const UserId second = park.user({.name = "queue2", .guarantee = Amounts{5}});
  park.job({.user = first, .demand = {4}});
  const std::optional<Placed> large = park.step();
  ASSERT_TRUE(large);
  park.job({.user = second, .demand = {1}});
  park.moves();
  park.job({.user = second, .demand = {4}});  // 3 are free
  EXPECT_THAT(park.moves(), ElementsAre());
  park.job({.user = first, .demand = {4}});
  EXPECT_THAT(park.moves(), ElementsAre());
  park.finish(large->task);
  const std::optional<Placed> next = park.step();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->user, second) << "1 + 4 are within 5, and 4 are not within 3";
  EXPECT_THAT(park.moves(), ElementsAre());
  EXPECT_EQ(park.running(first), 0) << "3 are free: its task waits, and takes nothing";
}

TEST(TeamsElsewhere, Yarn8379SharesAreBroughtLevelBeyondTheCapacitiesAndQuotasAreTakenBack) {
  Park park({100});
  const UserId a = park.user({.name = "a", .guarantee = Amounts{30}});
  const UserId b = park.user({.name = "b", .guarantee = Amounts{30}});
  const UserId c = park.user({.name = "c", .guarantee = Amounts{40}});
  park.job({.user = a, .demand = {1}, .tasks = 30});
  park.moves();
  park.job({.user = b, .demand = {1}, .tasks = 100});
  park.moves();
  ASSERT_EQ(park.running(b), 70);
  park.job({.user = a, .demand = {1}, .tasks = 70});
  const std::vector<std::string> by_share = park.moves();
  EXPECT_EQ(by_share.size(), 20U);
  EXPECT_EQ(std::count(by_share.begin(), by_share.end(), "a takes from b (share)"), 20);
  EXPECT_EQ(park.running(a), 50);
  park.job({.user = c, .demand = {1}, .tasks = 40});
  const std::vector<std::string> back = park.moves();
  EXPECT_EQ(back.size(), 40U);
  for (const std::string& move : back) EXPECT_THAT(move, HasSubstr("c takes from")) << move;
  for (const std::string& move : back) EXPECT_THAT(move, HasSubstr("(guarantee)")) << move;
  EXPECT_EQ(park.running(c), 40);
}

// Each task that a1 frees goes to B until it has 98, then one to a2 and two to B in turn.
TEST(TeamsElsewhere, SlurmFairTreeAPoorMemberDoesNotWaitForItsTeam) {
  Park park({240}, std::nullopt);
  const GroupId team = park.group({.name = "A"});
  const UserId a1 = park.user({.name = "a1", .group = team});
  const UserId a2 = park.user({.name = "a2", .group = team});
  const UserId b = park.user({.name = "B"});
  std::vector<TaskId> of_a1;
  park.job({.user = a1, .demand = {1}, .tasks = 144});
  while (const std::optional<Placed> placed = park.step()) of_a1.push_back(placed->task);
  for (const UserId user : {a2, b}) {
    park.job({.user = user, .demand = {1}, .tasks = 48});
    park.moves();
  }
  for (const UserId user : {a1, a2, b}) park.job({.user = user, .demand = {1}, .tasks = 300});
  park.moves();

  std::string who;
  const std::map<UserId, std::string> names{{a1, "a1 "}, {a2, "a2 "}, {b, "B "}};
  for (std::size_t i = 0; i < of_a1.size() && park.running(a1) > 60; ++i) {
    park.finish(of_a1[i]);
    const std::optional<Placed> next = park.step();
    ASSERT_TRUE(next);
    if (park.running(b) > 98 || next->user != b) who += names.at(next->user);
    ASSERT_NE(next->user, a1);
    if (park.running(b) < 98) {
      ASSERT_EQ(park.running(a2), 48);
    }
  }
  EXPECT_EQ(who.substr(0, 21), "a2 B B a2 B B a2 B B ");
  EXPECT_EQ(park.running(a1), 60);
  EXPECT_EQ(park.running(a2), 60);
  EXPECT_EQ(park.running(b), 120);
}

}  // namespace
}  // namespace mirab::scheduling
