// What each event does, sentence by sentence, and what each error names.
#include <gmock/gmock.h>
#include <map>

#include "random_cases.hpp"
#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Quantity weight(const char* text) { return *Quantity::parse(text); }

std::vector<UserId> users_of(const std::vector<Placed>& placed) {
  std::vector<UserId> users;
  for (const Placed& each : placed) users.push_back(each.user);
  return users;
}
std::vector<JobId> jobs_of(const std::vector<Placed>& placed) {
  std::vector<JobId> jobs;
  for (const Placed& each : placed) jobs.push_back(each.job);
  return jobs;
}
std::vector<ServerId> servers_of(const std::vector<Placed>& placed) {
  std::vector<ServerId> servers;
  for (const Placed& each : placed) servers.push_back(each.server);
  return servers;
}

TEST(EngineOptions, MustNameResourcesOnceAndRulesThatThereAre) {
  const EngineOptions good{
      .resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  ASSERT_TRUE(Engine::from(good));
  const auto refused = [&](auto change) {
    EngineOptions options = good;
    change(options);
    const Result<Engine> engine = Engine::from(options);
    return engine ? std::string() : describe(engine.error());
  };
  EXPECT_EQ(refused([](EngineOptions& o) { o.resources = {}; }),
            "resources: at least one resource is needed");
  EXPECT_EQ(refused([](EngineOptions& o) {
              o.resources = {"cpu", "cpu"};
            }),
            "resources: duplicate resource name 'cpu'");
  EXPECT_EQ(refused([](EngineOptions& o) { o.discipline = choice("none"); }),
            "discipline: there is no discipline 'none'; there are fifo, round-robin, drf, asset, pf, tsf, "
            "ps-dsf, mlf-drs and mrfs");
  EXPECT_EQ(refused([](EngineOptions& o) { o.placement = choice("first"); }),
            "placement: there is no placement 'first'; did you mean first-fit?");
  EXPECT_EQ(refused([](EngineOptions& o) { o.discipline = choice("drf:blocking=maybe"); }),
            "discipline: option 'blocking' of 'drf' must be skip or freeze, not 'maybe'");
  EXPECT_EQ(refused([](EngineOptions& o) { o.placement = choice("best-fit:published=maybe"); }),
            "placement: option 'published' of 'best-fit' must be false or true, not 'maybe'");
  EXPECT_EQ(refused([](EngineOptions& o) { o.discipline = choice("drf:bloking=freeze"); }),
            "discipline: discipline 'drf' has no option 'bloking'; its options are blocking and groups");
  EXPECT_EQ(refused([](EngineOptions& o) { o.placement = choice("first-fit:published=true"); }),
            "placement: placement 'first-fit' has no option 'published'; it has none");
}

TEST(Engine, AJobsTasksRunWhereTheyFitAndTheRestWait) {
  SmallEngine small("drf");
  const ServerId server = small.server({5});
  const UserId user = small.user();
  const JobId job = small.job(user, {2}, 3);
  EXPECT_EQ(small.engine.job(job)->waiting, 3);
  EXPECT_THAT(servers_of(small.run()), ElementsAre(server, server));
  EXPECT_EQ(small.engine.job(job)->waiting, 1);
  EXPECT_EQ(small.engine.job(job)->running, 2);
  EXPECT_EQ(small.engine.server(server)->free, Amounts{1});
  EXPECT_EQ(small.engine.user(user)->used, Amounts{4});
  EXPECT_EQ(small.engine.user(user)->dominant_share, 0.8);
  EXPECT_FALSE(small.engine.fits(job));
}

TEST(Engine, AFinishedTaskLeavesRoomForTheNext) {
  SmallEngine small("drf");
  small.server({1});
  const JobId job = small.job(small.user(), {1}, 2);
  const TaskId task = small.step()->task;
  EXPECT_FALSE(small.step());
  EXPECT_FALSE(small.engine.apply(TaskFinished{task}, small.now));
  EXPECT_TRUE(small.engine.fits(job));
  EXPECT_EQ(small.step()->job, job);
  EXPECT_EQ(small.engine.job(job)->waiting, 0);
}

TEST(Engine, AJobIsOverWithItsLastTask) {
  SmallEngine small("drf");
  small.server({1});
  const JobId job = small.job(small.user(), {1});
  const TaskId task = small.step()->task;
  EXPECT_EQ(small.engine.job_count(), 1U);
  EXPECT_FALSE(small.engine.apply(TaskFinished{task}, small.now));
  EXPECT_EQ(small.engine.job_count(), 0U);
  EXPECT_FALSE(small.engine.job(job).has_value());
}

TEST(Engine, AFailedTaskWaitsAgainBeforeLaterJobs) {
  SmallEngine small("fifo");
  small.server({1});
  const UserId user = small.user();
  const JobId first = small.job(user, {1});
  const JobId second = small.job(user, {1});
  const TaskId task = small.step()->task;
  EXPECT_FALSE(small.engine.apply(TaskFailed{task}, small.now));
  EXPECT_EQ(small.engine.job(first)->waiting, 1);
  const Placed again = *small.step();
  EXPECT_EQ(again.job, first);
  EXPECT_NE(again.task, task) << "its new run has a new identifier";
  EXPECT_EQ(small.engine.job(second)->waiting, 1);
}

TEST(Engine, TheTasksOfAFailedServerWaitAgainBeforeTheOthersOfTheirUser) {
  SmallEngine small("drf");
  const ServerId server = small.server({2});
  const UserId user = small.user();
  const JobId first = small.job(user, {1}, 2);
  const JobId second = small.job(user, {1}, 2);
  const std::vector<Placed> placed = small.run();
  const Result<std::vector<Lost>> lost = small.engine.apply(ServerFailed{server}, small.now);
  ASSERT_TRUE(lost);
  EXPECT_THAT(*lost, ElementsAre(Lost{placed[1].task, first}, Lost{placed[0].task, first}));
  EXPECT_EQ(small.engine.server_count(), 0U);
  EXPECT_EQ(small.engine.user(user)->used, Amounts{0});
  small.server({3});
  EXPECT_THAT(jobs_of(small.run()), ElementsAre(first, first, second));
}

TEST(Engine, ADrainedServerKeepsItsTasksAndTakesNoMore) {
  SmallEngine small("drf");
  const ServerId server = small.server({2});
  const JobId job = small.job(small.user(), {1}, 3);
  small.step();
  EXPECT_FALSE(small.engine.apply(ServerDrained{server}, small.now));
  EXPECT_TRUE(small.engine.server(server)->drained);
  EXPECT_FALSE(small.engine.fits(job));
  EXPECT_THAT(small.run(), IsEmpty());
  EXPECT_EQ(small.engine.running_count(), 1U);
}

TEST(Engine, AReopenedServerTakesTasksAgain) {
  for (const char* discipline : {"drf", "ps-dsf", "mlf-drs"}) {
    SCOPED_TRACE(discipline);
    SmallEngine small(discipline);
    const ServerId server = small.server({2});
    small.job(small.user(), {1}, 3);
    EXPECT_FALSE(small.engine.apply(ServerDrained{server}, small.now));
    EXPECT_THAT(small.run(), IsEmpty());
    EXPECT_FALSE(small.engine.apply(ServerReopened{server}, small.now));
    EXPECT_THAT(small.run(), SizeIs(2));
  }
}

TEST(Engine, ALargerServerTakesMore) {
  for (const char* discipline : {"drf", "tsf", "ps-dsf", "pf"}) {
    SCOPED_TRACE(discipline);
    SmallEngine small(discipline);
    const ServerId server = small.server({1});
    small.job(small.user(), {1}, 4);
    EXPECT_THAT(small.run(), SizeIs(1));
    EXPECT_FALSE(small.engine.apply(ServerChanged{server, {3}}, small.now));
    EXPECT_THAT(small.run(), SizeIs(2));
  }
}

TEST(Engine, AServerCannotBecomeSmallerThanWhatRunsThere) {
  SmallEngine small("drf");
  const ServerId server = small.server({3});
  small.job(small.user(), {1}, 2);
  small.run();
  const Check refused = small.engine.apply(ServerChanged{server, {1}}, small.now);
  ASSERT_TRUE(refused);
  EXPECT_EQ(describe(*refused),
            "capacity.r0: the running tasks use 2 units, more than the new capacity of 1");
  EXPECT_EQ(small.engine.server(server)->capacity, Amounts{3});
  EXPECT_FALSE(small.engine.apply(ServerChanged{server, {2}}, small.now));
  EXPECT_EQ(small.engine.server(server)->free, Amounts{0});
}

TEST(Engine, ARemovedServerMustBeEmpty) {
  SmallEngine small("drf");
  const ServerId server = small.server({1});
  small.job(small.user(), {1});
  const TaskId task = small.step()->task;
  EXPECT_EQ(small.engine.apply(ServerRemoved{server}, small.now)->key, "server");
  EXPECT_FALSE(small.engine.apply(TaskFinished{task}, small.now));
  EXPECT_FALSE(small.engine.apply(ServerRemoved{server}, small.now));
  EXPECT_EQ(small.engine.apply(ServerRemoved{server}, small.now)->key, "server") << "it is gone";
}

TEST(Engine, ACancelledJobStopsAndIsForgotten) {
  SmallEngine small("drf");
  const ServerId server = small.server({2});
  const UserId user = small.user();
  const JobId job = small.job(user, {1}, 5);
  const JobId next = small.job(user, {1});
  small.run();
  const auto stopped = small.engine.apply(JobCancelled{job}, small.now);
  ASSERT_TRUE(stopped);
  EXPECT_THAT(*stopped, SizeIs(2));
  EXPECT_FALSE(small.engine.job(job).has_value());
  EXPECT_EQ(small.engine.server(server)->free, Amounts{2});
  EXPECT_THAT(jobs_of(small.run()), ElementsAre(next));
}

TEST(Engine, AUserWithJobsCannotBeRemoved) {
  SmallEngine small("drf");
  small.server({1});
  const UserId user = small.user();
  const JobId job = small.job(user, {1});
  EXPECT_EQ(describe(*small.engine.apply(UserRemoved{user}, small.now)),
            "user: the user has jobs; cancel them first");
  ASSERT_TRUE(small.engine.apply(JobCancelled{job}, small.now));
  EXPECT_FALSE(small.engine.apply(UserRemoved{user}, small.now));
  EXPECT_EQ(small.engine.user_count(), 0U);
}

TEST(Engine, IdentifiersNeverComeBack) {
  SmallEngine small("drf");
  const ServerId server = small.server({1});
  const UserId user = small.user();
  const JobId job = small.job(user, {1});
  const TaskId task = small.step()->task;
  EXPECT_FALSE(small.engine.apply(TaskFinished{task}, small.now));
  EXPECT_FALSE(small.engine.apply(UserRemoved{user}, small.now));
  EXPECT_FALSE(small.engine.apply(ServerRemoved{server}, small.now));
  EXPECT_NE(small.server({1}), server);
  const UserId other = small.user();
  EXPECT_NE(other, user);
  EXPECT_NE(small.job(other, {1}), job);
  EXPECT_NE(small.step()->task, task);
  EXPECT_FALSE(small.engine.server(server).has_value());
  EXPECT_FALSE(small.engine.user(user).has_value());
  EXPECT_EQ(small.engine.apply(TaskFinished{task}, small.now)->key, "task");
}

TEST(Engine, TimeDoesNotGoBack) {
  SmallEngine small("drf");
  small.now = Time(Duration(10));
  small.server({1});
  const auto refused = small.engine.apply(UserAdded{.name = "u"}, Time(Duration(9)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(describe(refused.error()), "now: 9 ns is before the last event, at 10 ns");
  EXPECT_EQ(small.engine.user_count(), 0U);
}

TEST(Engine, ABadServerIsRefusedWithItsKey) {
  SmallEngine small("drf", "first-fit", 2);
  const auto key = [&](Amounts capacity) {
    const auto refused =
        small.engine.apply(ServerAdded{.name = "s", .capacity = std::move(capacity)}, small.now);
    return refused ? std::string() : refused.error().key;
  };
  EXPECT_EQ(key({1}), "capacity");
  EXPECT_EQ(key({1, -1}), "capacity.r1");
  EXPECT_EQ(key({INT64_MAX, 1}), "");
  EXPECT_EQ(key({1, 1}), "capacity.r0") << "more than can be counted";
  EXPECT_EQ(small.engine.server_count(), 1U);
}

TEST(Engine, ABadJobIsRefusedWithItsKey) {
  SmallEngine small("drf", "first-fit", 2);
  small.server({4, 4}, "s", {{"zone", "a"}});
  const UserId user = small.user();
  const auto key = [&](auto change) {
    JobSubmitted job{.user = user, .demand = {1, 1}};
    change(job);
    const auto refused = small.engine.apply(job, small.now);
    return refused ? std::string() : refused.error().key;
  };
  EXPECT_EQ(key([](JobSubmitted& j) { j.user = UserId{77}; }), "user");
  EXPECT_EQ(key([](JobSubmitted& j) { j.demand = {1}; }), "demand");
  EXPECT_EQ(key([](JobSubmitted& j) { j.demand = {-1, 1}; }), "demand.r0");
  EXPECT_EQ(key([](JobSubmitted& j) { j.demand = {0, 0}; }), "demand");
  EXPECT_EQ(key([](JobSubmitted& j) { j.demand = {5, 1}; }), "demand") << "larger than any server";
  EXPECT_EQ(key([](JobSubmitted& j) { j.select["zone"] = {"b"}; }), "demand") << "no server may be used";
  EXPECT_EQ(key([](JobSubmitted& j) { j.demand_on["s"] = {0, 0}; }), "demand_on.s");
  EXPECT_EQ(key([](JobSubmitted& j) { j.demand_on["s"] = {0, -1}; }), "demand_on.s.r1");
  EXPECT_EQ(key([](JobSubmitted& j) { j.tasks = 0; }), "tasks");
  EXPECT_EQ(small.engine.job_count(), 0U);
  EXPECT_FALSE(small.step());
}

TEST(Engine, ARefusalSaysWhichNumbersAreRight) {
  SmallEngine small("drf");
  small.server({4});
  const UserId user = small.user();
  const auto refused = [&](JobSubmitted job) {
    job.user = user;
    job.demand = {1};
    return describe(small.engine.apply(job, small.now).error());
  };
  EXPECT_EQ(refused({.user = {}, .demand = {}, .tasks = 0}), "tasks: must be at least 1, not 0");
  EXPECT_EQ(refused({.user = {}, .demand = {}, .tasks = 2, .gang = 0}),
            "gang: must be between 1 and the job's tasks (2), not 0");
  EXPECT_EQ(refused({.user = {}, .demand = {}, .tasks = 2, .gang = 3}),
            "gang: must be between 1 and the job's tasks (2), not 3");
  EXPECT_EQ(refused({.user = {}, .demand = {}, .tasks = 100'001, .gang = 100'001}),
            "gang: must be at most 100000, since one step starts them all, not 100001");
  EXPECT_EQ(refused({.user = {}, .demand = {}, .per_server = 0}), "per_server: must be at least 1, not 0");
  EXPECT_EQ(refused({.user = {}, .demand = {}, .spread = Spread{.label = "zone", .most_apart = 0}}),
            "spread.most_apart: must be at least 1, not 0");
}

TEST(Engine, ABadWeightIsRefused) {
  SmallEngine small("drf");
  const UserId user = small.user();
  EXPECT_EQ(small.engine.apply(UserReweighted{user, weight("1e-30")}, small.now)->key, "weight");
  EXPECT_EQ(small.engine.apply(UserAdded{.name = "u", .weight = weight("1e-30")}, small.now).error().key,
            "weight");
  // A weight of 0 is one of a tree, which fifo does not know.
  SmallEngine fifo("fifo");
  const UserId other = fifo.user();
  EXPECT_EQ(fifo.engine.apply(UserReweighted{other, Quantity{}}, fifo.now)->key, "discipline");
  EXPECT_EQ(fifo.engine.apply(UserAdded{.name = "u", .weight = Quantity{}}, fifo.now).error().key,
            "discipline");
}

TEST(Engine, TasksTooLargeForAnyServerMayWaitForOne) {
  SmallEngine small("drf", "first-fit", 1, Tie::first, Oversized::wait);
  small.server({1});
  const JobId job = small.job(small.user(), {2});
  EXPECT_FALSE(small.step());
  const ServerId large = small.server({2});
  EXPECT_EQ(small.step()->server, large);
  EXPECT_EQ(small.engine.job(job)->running, 1);
}

TEST(Engine, JobsOfOneUserRunInTheOrderInWhichTheyCame) {
  SmallEngine small("drf");
  small.server({6});
  const UserId user = small.user();
  const JobId first = small.job(user, {1}, 2);
  const JobId second = small.job(user, {2});
  const JobId third = small.job(user, {1});
  EXPECT_THAT(jobs_of(small.run()), ElementsAre(first, first, second, third));
}

TEST(Engine, JobsOfAUserThatLookAlikeWaitTogetherAndThoseWithTermsAlone) {
  SmallEngine small("drf");
  small.server({1});
  const UserId user = small.user(), other = small.user();
  small.job(user, {1}, 2);
  const auto older_jobs = [&](JobId job) { return small.engine.why_waiting(job, small.now)->older_jobs; };
  EXPECT_EQ(older_jobs(small.job(user, {1})), 1);
  EXPECT_EQ(older_jobs(small.job(other, {1})), 0);
  EXPECT_EQ(older_jobs(small.job(other, {1})), 1);
  const JobSubmitted with_terms{.user = user, .demand = {1}, .tasks = 1, .per_server = 1};
  EXPECT_EQ(older_jobs(small.job(with_terms)), 0);
  EXPECT_EQ(older_jobs(small.job(with_terms)), 0);
  EXPECT_EQ(older_jobs(small.job(user, {1})), 2);
  EXPECT_EQ(small.engine.broken_invariant(), "");
}

TEST(Engine, ALaterJobOfAUserPassesOneThatFitsNowhere) {
  SmallEngine small("drf");
  small.server({4});
  const UserId user = small.user();
  const JobId first = small.job(user, {3}, 2);
  const JobId second = small.job(user, {1});
  EXPECT_THAT(jobs_of(small.run()), ElementsAre(first, second));
}

TEST(Engine, AUserOfTwiceTheWeightGetsTwice) {
  SmallEngine small("drf");
  small.server({9});
  const UserId light = small.user();
  const UserId heavy = small.user(Quantity{2});
  small.job(light, {1}, 9);
  small.job(heavy, {1}, 9);
  small.run();
  EXPECT_EQ(small.engine.user(light)->running, 3);
  EXPECT_EQ(small.engine.user(heavy)->running, 6);
}

TEST(Engine, ANewWeightCountsFromTheNextDecisionOn) {
  SmallEngine small("drf");
  small.server({9});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {1}, 9);
  small.job(b, {1}, 9);
  for (int k = 0; k < 4; ++k) small.step();
  EXPECT_FALSE(small.engine.apply(UserReweighted{b, Quantity{3}}, small.now));
  EXPECT_THAT(users_of(small.run()), ElementsAre(b, b, b, b, a)) << "2 and 2, 2 and 6 is even, 3 and 6";
}

TEST(Engine, UsersWithEqualTasksAreServedByTheirOwnShares) {
  SmallEngine small("drf");
  small.server({9});
  const UserId a = small.user(), b = small.user(), c = small.user();
  small.job(a, {1}, 9);
  for (int k = 0; k < 3; ++k) small.step();
  small.job(b, {1}, 9);
  small.job(c, {1}, 9);
  EXPECT_THAT(users_of(small.run()), ElementsAre(b, c, b, c, b, c));
}

TEST(Engine, TheFirstOrTheLastUserIsServedOfThoseThatTie) {
  for (const Tie tie : {Tie::first, Tie::last}) {
    SmallEngine small("drf", "first-fit", 1, tie);
    small.server({1});
    const UserId a = small.user(), b = small.user();
    small.job(a, {1});
    small.job(b, {1});
    EXPECT_EQ(small.step()->user, tie == Tie::first ? a : b);
  }
}

TEST(Engine, ATieIsDrawnAmongAllWhoTie) {
  SmallEngine small("drf", "first-fit", 1, Tie::random);
  small.server({1});
  std::map<UserId, int> served;
  for (int n = 0; n < 3; ++n) small.job(small.user(), {1}, 1'000);
  for (int k = 0; k < 300; ++k) {
    const Placed placed = *small.step();
    ++served[placed.user];
    EXPECT_FALSE(small.engine.apply(TaskFinished{placed.task}, small.now));
  }
  EXPECT_THAT(served, SizeIs(3));
  for (const auto& [user, times] : served) EXPECT_GT(times, 50) << "6 standard deviations below 100";
}

/// a's tasks of 3 do not fit beside its first one, b's of 1 do.
struct Blocked {
  SmallEngine small;
  UserId a, b;
  TaskId first;
  explicit Blocked(const std::string& discipline) : small(discipline) {
    small.server({5});
    a = small.user(Quantity{100});
    b = small.user();
    small.job(a, {3}, 2);
    first = small.step()->task;
    small.job(b, {1}, 9);
  }
};

TEST(Engine, ARandomTieCountsTheUsersAsTheyCameAndServesTheOldestJobOfOne) {
  for (std::uint64_t seed = 1; seed <= random_cases(50); ++seed) {
    SmallEngine small("ps-dsf", "first-fit", 1, Tie::random);
    small.server({8}, "a");
    small.server({9}, "b");
    std::vector<JobId> oldest;
    for (int n = 0; n < 5; ++n) {
      const UserId user = small.user();
      oldest.push_back(small.job(user, {3}));
      for (std::int64_t demand = 1; demand <= 2; ++demand) small.job(user, {demand});
    }
    Random draw(seed), same(seed);
    const std::optional<Placed> placed = small.engine.step(small.now, draw);
    EXPECT_EQ(placed->job, oldest[same.below(oldest.size())]) << "seed " << seed;
  }
}

TEST(Engine, WithSkipAUserThatDoesNotFitIsPassed) {
  Blocked blocked("drf");
  EXPECT_THAT(users_of(blocked.small.run()), ElementsAre(blocked.b, blocked.b));
}

TEST(Engine, WithFreezeNothingPassesTheMostDeprivedUserUntilSomethingIsFreed) {
  Blocked blocked("drf:blocking=freeze");
  EXPECT_THAT(users_of(blocked.small.run()), ElementsAre(blocked.b)) << "then a is the most deprived";
  EXPECT_FALSE(blocked.small.engine.apply(TaskFinished{blocked.first}, blocked.small.now));
  EXPECT_THAT(users_of(blocked.small.run()), ElementsAre(blocked.a, blocked.b));
}

TEST(Engine, FrozenPsDsfDoesNotWaitForAKindOfServerThatIsGone) {
  SmallEngine small("ps-dsf:blocking=freeze");
  const ServerId large = small.server({8});
  EXPECT_FALSE(small.engine.apply(ServerRemoved{large}, small.now));
  small.server({2});
  small.job(small.user(), {1}, 2);
  EXPECT_THAT(small.run(), SizeIs(2));
}

TEST(Engine, PsDsfServesTheOlderJobOfAUserFirstWhicheverServerClassItIsFor) {
  SmallEngine small("ps-dsf");
  small.server({8}, "s");
  small.server({4}, "t");
  const UserId user = small.user();
  const JobId older = small.job({.user = user, .demand = {1}, .servers = {{"t"}}});
  const JobId newer = small.job(user, {2});
  EXPECT_EQ(small.step()->job, older) << "all keys are 0";
  EXPECT_EQ(small.step()->job, newer);
}

TEST(Engine, FrozenPsDsfDoesNotWaitForADrainedKindOfServer) {
  SmallEngine small("ps-dsf:blocking=freeze");
  const ServerId large = small.server({8});
  small.server({2});
  small.job(small.user(), {1}, 2);
  EXPECT_FALSE(small.engine.apply(ServerDrained{large}, small.now));
  EXPECT_THAT(small.run(), SizeIs(2));
}

TEST(Engine, TasksOfAJobAreVisitedFromAnyOfThemOn) {
  SmallEngine small("drf", "first-fit", 1);
  small.server({10});
  const UserId user = small.user();
  const JobId job = small.job(user, {1}, 5);
  const JobId other = small.job(user, {1}, 1);
  small.run();
  const auto visited = [&](std::optional<TaskId> behind, std::size_t most = 100) {
    std::vector<TaskId> tasks;
    small.engine.for_each_task(job, behind, [&](const Engine::TaskState& task) {
      tasks.push_back(task.task);
      return tasks.size() < most;
    });
    return tasks;
  };
  const std::vector<TaskId> all = visited({});
  ASSERT_EQ(all.size(), 5U);
  EXPECT_TRUE(std::is_sorted(all.rbegin(), all.rend())) << "the newest first";
  EXPECT_EQ(visited(all[1]), std::vector<TaskId>(all.begin() + 2, all.end()));
  EXPECT_EQ(visited(all[4]), std::vector<TaskId>());
  EXPECT_EQ(visited({}, 2).size(), 2U);
  TaskId of_other{};
  small.engine.for_each_task(other, [&](const Engine::TaskState& task) { of_other = task.task; });
  EXPECT_EQ(visited(of_other), all);
  EXPECT_EQ(visited(TaskId{99}), all);
}

TEST(Engine, ViewsShowTheLedgerWithoutCopies) {
  SmallEngine small("drf", "first-fit", 2);
  const ServerId first = small.server({4, 8});
  const ServerId second = small.server({2, 2});
  const UserId a = small.user();
  const UserId b = small.user();
  const JobId of_a = small.job(a, {2, 1}, 3);
  const JobId of_b = small.job(b, {1, 1}, 1);
  const std::vector<Placed> placed = small.run();
  ASSERT_EQ(placed.size(), 3U);
  const auto amounts = [](std::span<const std::int64_t> view) { return Amounts(view.begin(), view.end()); };
  EXPECT_EQ(amounts(small.engine.pool()), (Amounts{6, 10}));
  EXPECT_EQ(amounts(small.engine.used()), (Amounts{5, 3}));
  EXPECT_EQ(amounts(small.engine.used(a)), (Amounts{4, 2}));
  EXPECT_EQ(amounts(small.engine.used(b)), (Amounts{1, 1}));
  EXPECT_EQ(amounts(small.engine.capacity(second)), (Amounts{2, 2}));
  EXPECT_EQ(amounts(small.engine.free(first)), small.engine.server(first)->free);
  EXPECT_EQ(amounts(small.engine.free(second)), small.engine.server(second)->free);

  std::vector<TaskId> tasks, there;
  small.engine.for_each_task(of_a, [&](const Engine::TaskState& task) {
    EXPECT_EQ(task.job, of_a);
    EXPECT_EQ(task.started, small.now);
    tasks.push_back(task.task);
  });
  EXPECT_EQ(tasks.size(), 2U);
  small.engine.for_each_task(first, [&](const Engine::TaskState& task) {
    EXPECT_EQ(task.server, first);
    there.push_back(task.task);
  });
  EXPECT_EQ(there.front(), small.engine.free(second)[0] == 2 ? placed[2].task : placed[1].task);
  std::vector<JobId> jobs;
  small.engine.for_each_job(a, [&](JobId job, const Engine::JobState& state) {
    EXPECT_EQ(state.waiting, 1);
    jobs.push_back(job);
  });
  EXPECT_EQ(jobs, std::vector<JobId>{of_a});
  EXPECT_TRUE(small.engine.used(UserId{99}).empty());
  EXPECT_TRUE(small.engine.free(ServerId{99}).empty());
  EXPECT_EQ(small.engine.job(of_b)->running, 1);
}

TEST(Engine, ConstraintsByNameAndLabelHoldForServersThatComeLater) {
  SmallEngine small("drf", "first-fit", 1, Tie::first, Oversized::wait);
  small.server({1}, "s", {{"zone", "a"}});
  const UserId user = small.user();
  const JobId named = small.job({.user = user, .demand = {1}, .servers = {{"t"}}});
  const JobId zoned = small.job({.user = user, .demand = {1}, .select = {{"zone", {"b", "c"}}}});
  EXPECT_FALSE(small.step());
  const ServerId t = small.server({1}, "t");
  const ServerId b = small.server({1}, "u", {{"zone", "b"}});
  const std::vector<Placed> placed = small.run();
  EXPECT_THAT(jobs_of(placed), ElementsAre(named, zoned));
  EXPECT_THAT(servers_of(placed), ElementsAre(t, b));
}

TEST(Engine, ATaskTakesWhatItDemandsOnTheServerWhereItRuns) {
  SmallEngine small("drf");
  small.server({2}, "s");
  const ServerId fast = small.server({2}, "fast");
  const UserId user = small.user();
  small.job({.user = user, .demand = {2}, .tasks = 3, .demand_on = {{"fast", {1}}}});
  EXPECT_THAT(small.run(), SizeIs(3));
  EXPECT_EQ(small.engine.server(fast)->free, Amounts{0});
  EXPECT_EQ(small.engine.user(user)->used, Amounts{4});
}

// Lines of CPU and memory; a queue that comes to an empty line is served in the present round.
TEST(EngineLines, ANewcomerMissesNoRoundAndGainsNone) {
  SmallEngine small("mlf-drs", "first-fit", 2);
  small.server({100, 100});
  const UserId cpu = small.user(), memory = small.user();
  small.job(cpu, {2, 1}, 20);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(small.step()->user, cpu);
  small.job(memory, {1, 2}, 2);
  EXPECT_THAT(small.step()->user, memory) << "this round";
  EXPECT_THAT(small.step()->user, cpu);
  EXPECT_THAT(small.step()->user, memory) << "the next";
  EXPECT_THAT(small.step()->user, cpu);
}

TEST(EngineLines, WhatALineWasServedWhileItWasAloneDoesNotCountAgainstIt) {
  SmallEngine small("mlf-drs", "first-fit", 2);
  small.server({100, 100});
  const UserId cpu = small.user(), memory = small.user();
  small.job(cpu, {2, 1}, 5);
  EXPECT_THAT(small.run(), SizeIs(5));
  small.job(memory, {1, 2}, 3);
  EXPECT_EQ(small.step()->user, memory);
  small.job(cpu, {2, 1}, 3);
  EXPECT_THAT(users_of(small.run()), ElementsAre(memory, cpu, memory, cpu, cpu)) << "memory came first";
}

TEST(EngineLines, ALineThatWasPassedOverHasNoRoundsToMakeUpFor) {
  SmallEngine small("mlf-drs", "first-fit", 2);
  const ServerId server = small.server({10, 10});
  const UserId cpu = small.user(), memory = small.user();
  small.job(memory, {1, 9}, 9);
  const TaskId large = small.step()->task;
  small.job(cpu, {1, 0}, 4);
  EXPECT_THAT(small.run(), SizeIs(4)) << "no second task of 9 fits";
  EXPECT_FALSE(small.engine.apply(ServerChanged{server, {20, 40}}, small.now));
  EXPECT_FALSE(small.engine.apply(TaskFinished{large}, small.now));
  small.job(cpu, {1, 0}, 2);
  EXPECT_THAT(users_of(small.run()), ElementsAre(memory, memory, cpu, memory, cpu, memory))
      << "its task of the present round, then one of each in turn";
}

TEST(EngineLines, AQueueChangesItsLineWithThePool) {
  SmallEngine small("mlf-drs", "first-fit", 2);
  const ServerId server = small.server({10, 100});
  const UserId a = small.user(), b = small.user();
  small.job(a, {1, 1}, 2);  // CPUs dominate
  EXPECT_FALSE(small.engine.apply(ServerChanged{server, {100, 10}}, small.now));
  small.job(b, {1, 1}, 2);  // memory dominates, of a's tasks too
  EXPECT_THAT(users_of(small.run()), ElementsAre(a, a, b, b)) << "one line";
}

// Both CPU and memory are short with a and b alone. With c, who wants memory only, memory becomes dearer and
// so does b's task beside a's.
TEST(EnginePrices, FollowThePopulation) {
  const auto served = [](bool with_c) {
    SmallEngine small("pf", "first-fit", 2);
    small.server({1'000, 1'000});
    const UserId a = small.user(), b = small.user(), c = small.user();
    small.job(a, {2, 1}, 1'000);
    small.job(b, {1, 2}, 1'000);
    if (with_c) small.job(c, {0, 1}, 1'000'000);
    small.run();
    return std::pair(small.engine.user(a)->running, small.engine.user(b)->running);
  };
  const auto [a_alone, b_alone] = served(false);
  EXPECT_NEAR(static_cast<double>(a_alone), static_cast<double>(b_alone), 2);
  const auto [a, b] = served(true);
  EXPECT_GT(a, b + 50);
}

TEST(EnginePrices, AUserThatCannotRunDoesNotMoveThem) {
  SmallEngine small("pf", "first-fit", 2, Tie::first, Oversized::wait);
  small.server({100, 0});
  const UserId a = small.user(), b = small.user(), c = small.user();
  small.job(a, {1, 0}, 100);
  small.job(b, {2, 0}, 100);
  small.job(c, {1, 1}, 100);
  small.run();
  EXPECT_EQ(small.engine.user(a)->running, 50);
  EXPECT_EQ(small.engine.user(b)->running, 25);
  EXPECT_EQ(small.engine.user(c)->running, 0);
}

}  // namespace
}  // namespace mirab::scheduling
