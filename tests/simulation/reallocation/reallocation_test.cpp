// Source: Ravi Kiran and Srinuvas, "Adjusting the resource utilization": resources are divided again every
// interval and at each job's end; job n of work q_n ends after q_n / x_n.
#include "lab/simulation/reallocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

namespace mirab::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::StartsWith;

Quantity quantity(double value) { return *Quantity::from(value); }

Problem cluster(std::vector<Server> servers, std::vector<std::string> resources = {"cpu"}) {
  const ResourceVector demand(resources.size(), Quantity(1));
  Result<Problem> problem = Problem::from({.resources = std::move(resources),
                                           .servers = std::move(servers),
                                           .users = {{.name = "nobody", .demand = demand}}});
  return *std::move(problem);
}

Problem one_cpu() { return cluster({{.name = "s", .capacity = {Quantity(1)}}}); }

Job job(Duration submitted, std::uint32_t user, Duration runtime) {
  return {.name = "j", .submitted = submitted, .user = user, .request = 0, .runtime = runtime};
}

// Two users whose tasks take one CPU.
Workload of_jobs(std::vector<Job> jobs, Duration span) {
  return {.resources = {"cpu"},
          .users = {{.name = "A"}, {.name = "B"}},
          .requests = {{.demand = {Quantity(1)}}},
          .jobs = std::move(jobs),
          .span = span};
}

ReallocationOptions options(std::vector<std::string_view> names, Duration interval) {
  ReallocationOptions how{.mechanisms = {}, .interval = interval, .window = interval};
  for (const std::string_view name : names) how.mechanisms.push_back(*choose_mechanism(name));
  return how;
}

ReallocationOutcome played(const Problem& problem, const Workload& workload, const ReallocationOptions& how) {
  auto outcomes = reallocate(problem, workload, how, 1);
  EXPECT_TRUE(outcomes) << describe(outcomes.error());
  return (*std::move(outcomes)).front();
}

void expect_near(std::optional<Duration> time, double expected_s) {
  ASSERT_TRUE(time);
  EXPECT_NEAR(std::chrono::duration<double>(*time).count(), expected_s, 1e-8);
}

TEST(Reallocation, TwoJobsShareAServerUntilTheShorterEnds) {
  const Workload workload = of_jobs({job({}, 0, seconds(1)), job({}, 1, seconds(3))}, seconds(8));
  const ReallocationOutcome outcome = played(one_cpu(), workload, options({"drfh"}, seconds(300)));
  expect_near(outcome.jobs[0].completed, 2);
  expect_near(outcome.jobs[1].completed, 4);
  EXPECT_NEAR(outcome.servers[0].mean[0], 0.5, 1e-9);
  EXPECT_NEAR(outcome.mean_active, 6.0 / 8, 1e-8);
  EXPECT_EQ(outcome.divisions, 2);
  EXPECT_EQ(outcome.solved, 2);
}

// C = (9, 18), demands (1, 4) and (3, 1): 3 and 2 tasks; then 6 of the second, as CPU and no job but it
// are left.
TEST(Reallocation, AtAJobsEndTheRestIsDividedAmongTheOthers) {
  const Problem problem =
      cluster({{.name = "s", .capacity = {Quantity(9), Quantity(18)}}}, {"cpu", "memory"});
  Workload workload = of_jobs({job({}, 0, seconds(6)), job({}, 1, seconds(10))}, seconds(10));
  workload.resources = {"cpu", "memory"};
  workload.requests = {{.demand = {Quantity(1), Quantity(4)}}, {.demand = {Quantity(3), Quantity(1)}}};
  workload.jobs[1].request = 1;
  const ReallocationOutcome outcome = played(problem, workload, options({"ps-dsf"}, seconds(300)));
  expect_near(outcome.jobs[0].completed, 2);  // 6 / 3
  expect_near(outcome.jobs[1].completed, 4);  // 2 + (10 - 2 · 2) / 3
  EXPECT_NEAR(outcome.servers[0].mean[0], (2 * 9 + 2 * 9) / 90.0, 1e-8);
  EXPECT_NEAR(outcome.servers[0].mean[1], (2 * 14 + 2 * 3) / 180.0, 1e-8);
}

TEST(Reallocation, ASubmissionWaitsForTheNextDivisionUnlessItIsAReasonForOne) {
  const Workload workload = of_jobs({job({}, 0, seconds(20)), job(seconds(1), 1, seconds(2))}, seconds(30));
  ReallocationOptions how = options({"drfh"}, seconds(5));
  expect_near(played(one_cpu(), workload, how).jobs[1].completed, 9);
  how.new_jobs = NewJobs::reallocate;
  expect_near(played(one_cpu(), workload, how).jobs[1].completed, 5);
}

TEST(Reallocation, AUserWhoClaimsDoesOneJobAfterAnother) {
  const Workload workload =
      of_jobs({job({}, 0, seconds(2)), job({}, 0, seconds(2)), job({}, 1, seconds(4))}, seconds(20));
  ReallocationOptions how = options({"drfh"}, seconds(300));
  how.claimant = Claimant::user;
  const ReallocationOutcome users = played(one_cpu(), workload, how);
  expect_near(users.jobs[0].completed, 4);
  expect_near(users.jobs[1].completed, 8);
  expect_near(users.jobs[2].completed, 8);
  EXPECT_EQ(users.solved, 1) << "the claims are the same after the first job's end";
  EXPECT_EQ(users.divisions, 2);
  how.claimant = Claimant::job;
  const ReallocationOutcome jobs = played(one_cpu(), workload, how);
  expect_near(jobs.jobs[0].completed, 6);
  expect_near(jobs.jobs[2].completed, 8);
}

TEST(Reallocation, DividesEveryIntervalThatSomebodyHasWorkIn) {
  const Workload workload = of_jobs({job({}, 0, seconds(7)), job(seconds(4), 1, seconds(100))}, seconds(20));
  const ReallocationOutcome outcome = played(one_cpu(), workload, options({"drfh"}, seconds(2)));
  // At 0, 2, 4, …, 18; the first job's end, 4 + 2 · 3 = 10, is one of them.
  EXPECT_EQ(outcome.divisions, 10);
  EXPECT_EQ(outcome.solved, 3);
  EXPECT_FALSE(outcome.jobs[1].completed);
  EXPECT_NEAR(outcome.jobs[1].done, 13, 1e-8);
}

TEST(Reallocation, TheMovingAverageLooksBackOverItsWindow) {
  const Workload workload = of_jobs({job({}, 0, seconds(3))}, seconds(7));
  ReallocationOptions how = options({"drfh"}, seconds(2));
  how.window = seconds(4);
  const ReallocationOutcome outcome = played(one_cpu(), workload, how);
  EXPECT_EQ(outcome.times, (std::vector<double>{2, 4, 6, 7}));
  const std::vector<double> expected = {1, 0.75, 0.25, 0};
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(outcome.servers[0].moving[t][0], expected[t], 1e-9);
    EXPECT_NEAR(outcome.active[t], expected[t], 1e-9);
  }
}

TEST(Reallocation, ServersThatComeOrGoAreLeftOutWithANotice) {
  Workload workload = of_jobs({job({}, 0, seconds(1))}, seconds(2));
  EXPECT_TRUE(played(one_cpu(), workload, options({"drfh"}, seconds(1))).notices.empty());
  workload.changes = {{.kind = ServerChange::Kind::down, .at = seconds(1), .server = "s", .instance = 0}};
  EXPECT_EQ(played(one_cpu(), workload, options({"drfh"}, seconds(1))).notices.size(), 1U);
}

TEST(Reallocation, ThatConstraintsAreNotHonouredIsSaidOnceWithTheJobs) {
  Workload workload = of_jobs({job({}, 0, seconds(1)), job(seconds(1), 1, seconds(3))}, seconds(8));
  workload.requests.push_back({.demand = {Quantity(1)}, .servers = std::vector<std::string>{"s"}});
  workload.jobs[1].name = "picky";
  workload.jobs[1].request = 1;
  const Problem two = cluster(
      {{.name = "s", .capacity = {Quantity(1)}}, {.name = "t", .capacity = {Quantity(1)}, .count = 2}});
  const auto notices = [&](std::string_view mechanism) {
    return played(two, workload, options({mechanism}, seconds(1))).notices;
  };
  EXPECT_TRUE(notices("tsf").empty());
  EXPECT_THAT(notices("drf"),
              ElementsAre(StartsWith("the servers are treated as one"),
                          "drf does not honour the placement constraints (servers, select) of 1 job: picky"));
}

// Three classes of servers and jobs of random size, demand, weight and constraint.
Problem three_classes() {
  return cluster({{.name = "even", .capacity = {Quantity(4), Quantity(4)}, .count = 3},
                  {.name = "cpu", .capacity = {Quantity(8), Quantity(2)}, .count = 2},
                  {.name = "memory", .capacity = {Quantity(2), Quantity(9)}, .count = 2}},
                 {"cpu", "memory"});
}

Workload random_jobs(std::uint64_t seed) {
  Random random(seed);
  Workload workload{
      .resources = {"cpu", "memory"}, .users = {}, .requests = {}, .jobs = {}, .span = seconds(60)};
  Duration submitted{};
  for (std::uint32_t j = 0; j < 25; ++j) {
    workload.users.push_back(
        {.name = std::to_string(j), .weight = Quantity(1 + std::int64_t(random.below(3)))});
    Request request{.demand = {quantity(0.1 + random.unit()), quantity(0.1 + random.unit())}};
    if (random.below(3) == 0) request.servers = {{"even", "memory"}};
    workload.requests.push_back(request);
    submitted += milliseconds(random.below(3000));
    workload.jobs.push_back({.name = "j",
                             .submitted = submitted,
                             .user = j,
                             .request = j,
                             .tasks = 1 + std::int64_t(random.below(20)),
                             .runtime = milliseconds(1 + random.below(9000))});
  }
  return workload;
}

// ∫ used over capacity of the cluster = Σ_n done_n · d_n: what the servers gave is what the jobs got.
TEST(Reallocation, TheServersGaveWhatTheJobsGot) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Problem problem = three_classes();
    const Workload workload = random_jobs(seed);
    const ReallocationOptions how = options({"ps-dsf", "tsf", "drfh", "alpha-pf-vds:alpha=3"}, seconds(5));
    const auto outcomes = reallocate(problem, workload, how, 2);
    ASSERT_TRUE(outcomes);
    for (const ReallocationOutcome& outcome : *outcomes) {
      for (std::size_t r = 0; r < 2; ++r) {
        double given = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          const Server& server = problem.servers()[i];
          given += outcome.servers[i].mean[r] * 60 * double(server.count) * server.capacity[r].value();
        }
        double got = 0;
        for (std::size_t j = 0; j < workload.jobs.size(); ++j)
          got += outcome.jobs[j].done * workload.requests[j].demand[r].value();
        EXPECT_NEAR(given, got, 1e-5 * got) << outcome.mechanism << ", seed " << seed;
      }
      for (const ReallocatedJob& one : outcome.jobs) {
        EXPECT_LE(one.done, one.work);
        if (one.completed) {
          EXPECT_EQ(one.done, one.work);
        }
      }
    }
  }
}

// With a window of one interval the moving averages are the intervals' means, and so add up to the whole.
TEST(Reallocation, TheMeansOfTheIntervalsAddUpToTheMeanOfTheSpan) {
  const ReallocationOutcome outcome =
      played(three_classes(), random_jobs(3), options({"ps-dsf"}, seconds(4)));
  ASSERT_EQ(outcome.times.size(), 15U);
  for (const ClassUse& server : outcome.servers) {
    double sum = 0;
    for (const std::vector<double>& parts : server.moving) sum += parts[0];
    EXPECT_NEAR(sum / 15, server.mean[0], 1e-12);
  }
}

TEST(Reallocation, TheNumberOfThreadsChangesNothing) {
  const ReallocationOptions how = options({"ps-dsf", "drfh", "tsf"}, seconds(5));
  const auto one = reallocate(three_classes(), random_jobs(5), how, 1);
  const auto three = reallocate(three_classes(), random_jobs(5), how, 3);
  ASSERT_TRUE(one && three);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ((*one)[k].mechanism, (*three)[k].mechanism);
    EXPECT_EQ((*one)[k].active, (*three)[k].active);
    EXPECT_EQ((*one)[k].divisions, (*three)[k].divisions);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ((*one)[k].servers[i].moving, (*three)[k].servers[i].moving);
    for (std::size_t j = 0; j < 25; ++j)
      EXPECT_EQ((*one)[k].jobs[j].completed, (*three)[k].jobs[j].completed);
  }
}

TEST(Reallocation, WhatAMechanismCannotHonourIsAnError) {
  const Problem problem = three_classes();
  const auto outcomes = reallocate(problem, random_jobs(1), options({"mlf-drs"}, seconds(5)), 1);
  EXPECT_FALSE(outcomes);
}

}  // namespace
}  // namespace mirab::simulation
