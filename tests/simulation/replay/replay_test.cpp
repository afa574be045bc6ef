// Trace replay on the engine, against a naive replay and against identities.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include <mirab/scheduling/fill.hpp>

#include "lab/simulation/replay/play.hpp"
#include "random_cases.hpp"
#include "simulation/naive_replay.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

using testing::HasSubstr;

std::vector<NaiveStart> starts_of(const SmallTrace& trace, const ReplayContender& contender,
                                  ReplayUntil until) {
  const Result<ReplayInput> input = replay_input(trace.cluster, trace.workload, {}, 1);
  std::vector<NaiveStart> starts;
  const auto played = play(*input, {.contender = contender,
                                    .until = until,
                                    .samples = 3,
                                    .seed = 1,
                                    .on_start = [&](const ReplayStart& start) {
                                      const ReplayJob& job = input->jobs[start.job];
                                      starts.emplace_back(start.at, job.user, job.request, start.server);
                                    }});
  EXPECT_TRUE(played);
  return starts;
}

ReplayOutcome replayed(const SmallTrace& trace, const ReplayOptions& options) {
  auto outcomes = replay(trace.cluster, trace.workload, options, 1, 1);
  EXPECT_TRUE(outcomes) << describe(outcomes.error());
  return outcomes->front();
}

TEST(Replay, StartsTheSameTasksAtTheSameTimesOnTheSameServersAsANaiveReplay) {
  struct Case {
    const char* discipline;
    const char* placement;
    NaiveDiscipline naive_discipline;
    NaivePlacement naive_placement;
  };
  const Case cases[] = {
      {"fifo", "first-fit", NaiveDiscipline::fifo, NaivePlacement::first_fit},
      {"fifo", "best-fit", NaiveDiscipline::fifo, NaivePlacement::best_fit},
      {"drf", "first-fit", NaiveDiscipline::drf, NaivePlacement::first_fit},
      {"drf", "best-fit", NaiveDiscipline::drf, NaivePlacement::best_fit},
  };
  for (std::uint64_t seed = 1; seed <= random_cases(400); ++seed) {
    Random random(seed);
    const SmallTrace trace = random_trace(random);
    for (const Case& each : cases) {
      for (const ReplayUntil until : {ReplayUntil::span, ReplayUntil::drained}) {
        ASSERT_EQ(starts_of(trace, contender(each.discipline, each.placement), until),
                  naive_replay(trace, each.naive_discipline, each.naive_placement, until))
            << "replay: Random(" << seed << "), " << each.discipline << ", " << each.placement;
      }
    }
  }
}

TEST(Replay, EveryTaskIsFinishedRunsOrWaitsInTheEnd) {
  std::int64_t lost = 0, waiting = 0, running = 0, oversized = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(300); ++seed) {
    Random random(seed);
    const SmallTrace trace = random_trace(random);
    const ReplayOutcome outcome = replayed(trace, {.contenders = {contender("drf", "first-fit")}});
    std::int64_t arrived = 0, submitted = 0;
    for (const Job& job : trace.workload.jobs) {
      if (job.submitted <= trace.workload.span) arrived += job.tasks;
    }
    for (const ReplayUser& user : outcome.users) {
      EXPECT_EQ(user.submitted, user.finished + user.still_running + user.still_waiting);
      EXPECT_EQ(user.waiting.count, user.finished + user.still_running);
      EXPECT_EQ(user.completion.count, user.finished);
      EXPECT_EQ(user.waiting_so_far.count, user.still_waiting);
      EXPECT_GE(user.started, user.finished + user.still_running);
      EXPECT_LE(user.started, user.submitted);
      submitted += user.submitted;
    }
    EXPECT_EQ(submitted, outcome.submitted);
    EXPECT_LE(outcome.submitted, arrived) << "replay: Random(" << seed << ")";
    EXPECT_GE(outcome.submitted + outcome.oversized, arrived) << "replay: Random(" << seed << ")";
    EXPECT_EQ(outcome.placements, outcome.finished + outcome.still_running + outcome.lost)
        << "replay: Random(" << seed << ")";
    lost += outcome.lost;
    waiting += outcome.still_waiting;
    running += outcome.still_running;
    oversized += outcome.oversized;
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(std::min({lost, waiting, running, oversized}), 20) << "the traces are too tame";
}

// Little's law, as an identity of one run: the mean number over time times the time is the sum of what each
// task spends there, cut off at the end.
TEST(Replay, TheMeanNumberOfTasksWaitingIsWhatTheyWaitOverTime) {
  for (std::uint64_t seed = 1; seed <= random_cases(300); ++seed) {
    Random random(seed);
    SmallTrace trace = random_trace(random);
    trace.workload.changes.clear();  // what is lost waits twice
    const ReplayOutcome outcome = replayed(trace, {.contenders = {contender("fifo", "worst-fit")}});
    const auto sum = [](const Quantiles& of) { return of.mean * static_cast<double>(of.count); };
    EXPECT_NEAR(outcome.mean_waiting_tasks * outcome.end, sum(outcome.waiting) + sum(outcome.waiting_so_far),
                1e-6)
        << "replay: Random(" << seed << ")";
  }
}

// A task takes one of two servers for 10 s of 100, and the other goes at 20 s: 100 of 2 · 10 · 20 + 10 · 80.
TEST(Replay, ServersThatGoAfterTheLastTaskAreNoLongerCountedInUtilization) {
  Cluster cluster;
  cluster.resources = {"cpu"};
  cluster.servers = {{.name = "s", .capacity = {Quantity(10)}, .count = 2}};
  cluster.users = {{.name = "u", .demand = {Quantity(1)}}};
  SmallTrace trace{*Problem::from(cluster), {}};
  trace.workload.resources = {"cpu"};
  trace.workload.span = std::chrono::seconds(100);
  trace.workload.users = {{.name = "u"}};
  trace.workload.requests = {{.demand = {Quantity(10)}}};
  trace.workload.jobs = {{.name = "1", .user = 0, .request = 0, .runtime = std::chrono::seconds(10)}};
  trace.workload.changes = {
      {.kind = ServerChange::Kind::down, .at = std::chrono::seconds(20), .server = "s", .instance = 1}};
  for (const ReplayUntil until : {ReplayUntil::span, ReplayUntil::drained}) {
    const ReplayOutcome outcome =
        replayed(trace, {.contenders = {contender("drf", "best-fit")}, .until = until, .samples = 8});
    EXPECT_NEAR(outcome.utilization[0], 100.0 / 1200, 1e-12);
  }
}

// Nothing happens but that time passes.
TEST(Replay, PreemptionGoesOnWhenItsBudgetIsFreeAgain) {
  SmallTrace trace{cluster_of({"cpu"}, {{.name = "s", .capacity = whole({10}), .count = 1}}), {}};
  trace.workload.resources = {"cpu"};
  trace.workload.users = {{.name = "early"}, {.name = "late"}};
  trace.workload.requests = {{.demand = whole({1})}};
  trace.workload.jobs = {job_of("a", at_second(0), 0, 0, 10, at_second(1000)),
                         job_of("b", at_second(10), 1, 0, 10, at_second(1000))};
  trace.workload.span = at_second(100);
  for (const std::int64_t tasks : {1, 100}) {
    ReplayContender preempting = contender("drf", "first-fit");
    preempting.preemption = scheduling::Preempting{.tasks = tasks, .per = at_second(1)};
    const ReplayOutcome outcome = replayed(trace, {.contenders = {preempting}, .samples = 10});
    EXPECT_EQ(outcome.users[0].preempted, 5) << tasks << " a second";
  }
}

/// The same starts by an engine that steps at each whole second, whether it has a reason or not.
std::vector<NaiveStart> starts_by_steps(const SmallTrace& trace, const ReplayContender& contender) {
  using namespace scheduling;
  Engine engine = *Engine::from({.resources = {"cpu"},
                                 .discipline = contender.discipline,
                                 .placement = contender.placement,
                                 .oversized = Oversized::wait,
                                 .reservations = contender.reservations,
                                 .preemption = contender.preemption});
  Random random(1);
  for (const Server& server : trace.cluster.servers()) {
    const Amounts capacity{*count_units(server.capacity[0], 0, Rounding::down)};
    for (std::int64_t i = 0; i < server.count; ++i)
      EXPECT_TRUE(engine.apply(ServerAdded{.name = server.name, .capacity = capacity}, Time()));
  }
  std::vector<UserId> users;
  for (const Submitter& user : trace.workload.users)
    users.push_back(*engine.apply(UserAdded{.name = user.name}, Time()));
  std::map<JobId, const Job*> jobs;
  std::multimap<Time, TaskId> ends;
  std::vector<NaiveStart> starts;
  auto next = trace.workload.jobs.begin();
  for (Time now{}; now.time_since_epoch() < trace.workload.span; now += at_second(1)) {
    for (; !ends.empty() && ends.begin()->first <= now; ends.erase(ends.begin()))
      static_cast<void>(engine.apply(TaskFinished{ends.begin()->second}, now));  // or it was preempted
    for (; next != trace.workload.jobs.end() && Time(next->submitted) <= now; ++next) {
      const std::int64_t cpu =
          *count_units(trace.workload.requests[next->request].demand[0], 0, Rounding::up);
      const JobSubmitted event{.user = users[next->user], .demand = {cpu}, .tasks = next->tasks};
      jobs[*engine.apply(event, now)] = &*next;
    }
    while (const auto placed = engine.step(now, random)) {
      const Job& job = *jobs.at(placed->job);
      starts.emplace_back(now.time_since_epoch(), job.user, job.request,
                          static_cast<std::uint32_t>(static_cast<std::uint64_t>(placed->server)));
      ends.emplace(now + job.runtime, placed->task);
    }
  }
  return starts;
}

// Time alone brings decisions: a server is kept, a budget is free again. Everything lies on whole seconds.
TEST(Replay, NothingIsDoneLaterThanByAnEngineThatStepsAllTheTime) {
  std::size_t reserved = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    Random random(seed);
    SmallTrace trace{cluster_of({"cpu"}, {{.name = "s", .capacity = whole({10}), .count = 2}}), {}};
    trace.workload.resources = {"cpu"};
    trace.workload.users = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    trace.workload.requests = {{.demand = whole({2})}, {.demand = whole({3})}, {.demand = whole({9})}};
    const auto below = [&](std::uint64_t end) { return static_cast<std::uint32_t>(random.below(end)); };
    for (int job = 0; job < 12; ++job)
      trace.workload.jobs.push_back(job_of(std::to_string(job), at_second(below(400)), below(3), below(3),
                                           1 + below(6), at_second(20 + below(200))));
    std::sort(trace.workload.jobs.begin(), trace.workload.jobs.end(),
              [](const Job& a, const Job& b) { return a.submitted < b.submitted; });
    trace.workload.span = at_second(1000);
    ReplayContender patient = contender("drf", "first-fit");
    if (seed % 3 != 0)
      patient.reservations = scheduling::Reserving{.after = at_second(64), .servers = 1 + seed % 2};
    if (seed % 4 == 1 && patient.reservations) patient.reservations->at_most = at_second(100);
    if (seed % 3 != 1) patient.preemption = scheduling::Preempting{.tasks = 2, .per = at_second(30)};
    const auto starts = starts_of(trace, patient, ReplayUntil::span);
    ASSERT_EQ(starts, starts_by_steps(trace, patient)) << "replay: Random(" << seed << ")";
    patient.reservations.reset();
    reserved += starts_of(trace, patient, ReplayUntil::span) != starts ? 1 : 0;
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(reserved, 5U) << "reservations change nothing here";
}

TEST(Replay, DrainedLeavesNothingThatCouldRun) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    Random random(seed);
    SmallTrace trace = random_trace(random);
    trace.workload.changes.clear();
    const ReplayOutcome outcome = replayed(
        trace, {.contenders = {contender("drf", "best-fit")}, .until = ReplayUntil::drained, .samples = 10});
    EXPECT_EQ(outcome.finished, outcome.submitted) << "replay: Random(" << seed << ")";
    EXPECT_GE(outcome.end, std::chrono::duration<double>(trace.workload.span).count());
    EXPECT_GE(outcome.times.size(), 10U);
    EXPECT_LT(outcome.times.size(), 20U);
  }
}

TEST(Replay, GivesTheSameOnAnyNumberOfThreads) {
  Random random(7);
  const SmallTrace trace = random_trace(random);
  ReplayOptions options{.contenders = {}, .samples = 20};
  for (const auto& discipline : disciplines()) {
    for (const auto& placement : placements())
      options.contenders.push_back(contender(discipline.name, placement.name));
  }
  EXPECT_EQ(options.contenders.size(), disciplines().size() * placements().size());
  const auto alone = replay(trace.cluster, trace.workload, options, 3, 1);
  const auto together = replay(trace.cluster, trace.workload, options, 3, 4);
  ASSERT_TRUE(alone);
  ASSERT_TRUE(together);
  EXPECT_TRUE(*alone == *together);
}

TEST(Replay, ATaskThatEndsWhenItsServerGoesHasEnded) {
  Workload workload{.resources = {"cpu"}, .users = {{"a"}}, .requests = {{whole({1})}}, .jobs = {}};
  workload.jobs = {job_of("ends", at_second(0), 0, 0, 1, at_second(5)),
                   job_of("is lost", at_second(0), 0, 0, 1, at_second(6))};
  workload.changes = {{ServerChange::Kind::down, at_second(5), "s", 0},
                      {ServerChange::Kind::up, at_second(8), "s", 0}};
  workload.span = at_second(20);
  const ReplayOutcome outcome =
      replayed({cluster_of({"cpu"}, {{.name = "s", .capacity = whole({2})}}), workload},
               {.contenders = {contender("fifo", "first-fit")}});
  EXPECT_EQ(outcome.finished, 2);
  EXPECT_EQ(outcome.lost, 1);
  EXPECT_EQ(outcome.started, 2);
  EXPECT_EQ(outcome.waiting.most, 8) << "from its submission to its last start";
  EXPECT_EQ(outcome.completion.most, 14);
  EXPECT_EQ(outcome.events, 6);
}

TEST(Replay, NothingStartsWhenItEnds) {
  Workload workload{.resources = {"cpu"}, .users = {{"a"}}, .requests = {{whole({1})}}, .jobs = {}};
  workload.jobs = {job_of("runs to the end", at_second(0), 0, 0, 1, at_second(20)),
                   job_of("waits to the end", at_second(5), 0, 0, 1, at_second(20))};
  workload.span = at_second(20);
  const ReplayOutcome outcome =
      replayed({cluster_of({"cpu"}, {{.name = "s", .capacity = whole({1})}}), workload},
               {.contenders = {contender("fifo", "first-fit")}});
  EXPECT_EQ(outcome.finished, 1);
  EXPECT_EQ(outcome.still_waiting, 1);
  EXPECT_EQ(outcome.waiting_so_far.most, 15);
}

TEST(Replay, AGangStartsWholeOnDifferentServersAndOneThatCannotIsLeftOut) {
  Workload workload{.resources = {"cpu"}, .users = {{"a"}}, .requests = {{whole({1})}}, .jobs = {}};
  workload.jobs = {job_of("has one server", at_second(0), 0, 0, 2, at_second(4)),
                   job_of("gang", at_second(1), 0, 0, 2, at_second(5)),
                   job_of("too many", at_second(2), 0, 0, 3, at_second(5))};
  workload.jobs[1].gang = workload.jobs[1].tasks;
  workload.jobs[2].gang = workload.jobs[2].tasks;
  workload.jobs[1].per_server = workload.jobs[2].per_server = 1;
  workload.span = at_second(20);
  const ReplayOutcome outcome =
      replayed({cluster_of({"cpu"}, {{.name = "s", .capacity = whole({2}), .count = 2}}), workload},
               {.contenders = {contender("fifo", "first-fit")}});
  EXPECT_EQ(outcome.finished, 4);
  EXPECT_EQ(outcome.placements, 4);
  EXPECT_EQ(outcome.waiting.most, 3) << "until both servers have room";
  EXPECT_EQ(outcome.oversized, 3);
}

TEST(Replay, EndsWithCountedTimeWhenTasksRunForCenturies) {
  const Duration years = std::chrono::hours(24 * 365) * 95;
  for (const std::size_t samples : {1, 2, 3, 400}) {
    const ReplayOutcome outcome = replayed(
        {cluster_of({"cpu"}, {{.name = "s", .capacity = whole({1})}}),
         {.resources = {"cpu"},
          .users = {{"a"}},
          .requests = {{whole({1})}},
          .jobs = {job_of("long", at_second(0), 0, 0, 20, years)},
          .span = at_second(1000)}},
        {.contenders = {contender("drf", "first-fit")}, .until = ReplayUntil::drained, .samples = samples});
    EXPECT_EQ(outcome.finished, 3) << "292 years of nanoseconds fit in 63 bits";
    EXPECT_EQ(outcome.still_running, 1);
    EXPECT_EQ(outcome.end, 3 * std::chrono::duration<double>(years).count());
    EXPECT_LT(outcome.times.size(), 2 * samples);
  }
}

TEST(Replay, NamesWhatIsTooLargeForItsMemory) {
  const Workload workload{.resources = {"cpu"},
                          .users = {{"a"}},
                          .requests = {{whole({1})}},
                          .jobs = {job_of("j", at_second(0), 0, 0, 1'000'000, at_second(1))},
                          .span = at_second(10)};
  const auto key_of = [&](std::int64_t servers, const ReplayScale& scale, std::size_t samples = 400) {
    const auto outcome =
        replay(cluster_of({"cpu"}, {{.name = "s", .capacity = whole({2}), .count = servers}}), workload,
               {.contenders = {contender("drf", "first-fit")}, .scale = scale, .samples = samples}, 1, 1);
    return outcome ? std::string() : outcome.error().key;
  };
  EXPECT_EQ(key_of(1'000'000'000'000, {}), "servers[0].count");
  EXPECT_EQ(key_of(2, {.machines = 1e12}), "scale.machines");
  EXPECT_EQ(key_of(2, {.users = 1e12}), "scale.users");
  EXPECT_EQ(key_of(2, {.users = 101}), "scale.users") << "a million tasks each";
  EXPECT_EQ(key_of(2, {.load = 1e300}), "samples") << "nothing of the span is left";
  EXPECT_EQ(key_of(2, {}, 100'000'000'000), "samples");
}

TEST(Replay, NamesWhatIsWrongWithItsInput) {
  const Problem cluster = cluster_of({"cpu"}, {{.name = "s", .capacity = whole({2})}});
  const Workload sound{.resources = {"cpu"},
                       .users = {{"a"}},
                       .requests = {{whole({1})}},
                       .jobs = {job_of("j", at_second(0), 0, 0, 1, at_second(1))},
                       .span = at_second(10)};
  const ReplayOptions options{.contenders = {contender("drf", "first-fit")}};
  const auto error_of = [&](auto change) {
    Workload workload = sound;
    ReplayOptions other = options;
    change(workload, other);
    const auto outcome = replay(cluster, workload, other, 1, 1);
    return outcome ? std::string() : describe(outcome.error());
  };
  EXPECT_EQ(error_of([](Workload&, ReplayOptions&) {}), "");
  EXPECT_THAT(error_of([](Workload&, ReplayOptions& o) { o.contenders.clear(); }), HasSubstr("contenders: "));
  EXPECT_THAT(error_of([](Workload&, ReplayOptions& o) { o.contenders[0].discipline.name = "x"; }),
              HasSubstr("contenders[0]"));
  EXPECT_THAT(error_of([](Workload&, ReplayOptions& o) { o.scale.load = 0; }), HasSubstr("scale.load: "));
  EXPECT_THAT(error_of([](Workload&, ReplayOptions& o) { o.samples = 0; }), HasSubstr("samples: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.resources = {"gpu"}; }), HasSubstr("'gpu'"));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.jobs[0].user = 1; }), HasSubstr("jobs[0].user: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.jobs[0].request = 1; }),
              HasSubstr("jobs[0].request: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.jobs[0].usage = 0; }),
              HasSubstr("jobs[0].usage: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.jobs[0].tasks = 0; }),
              HasSubstr("jobs[0].tasks: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.jobs[0].gang = 2; }), HasSubstr("jobs[0].gang: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.jobs[0].per_server = 0; }),
              HasSubstr("jobs[0].per_server: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.jobs[0].runtime = {}; }),
              HasSubstr("jobs[0].runtime: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) {
                w.jobs.push_back(w.jobs[0]);
                w.jobs[0].submitted = at_second(1);
              }),
              HasSubstr("jobs[1].submitted: times go backwards"));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.requests[0].demand = whole({0}); }),
              HasSubstr("requests[0].demand: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.users.push_back({"a"}); }),
              HasSubstr("users[1].name: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.usages = {{.step = {}, .of = {{1}}}}; }),
              HasSubstr("usages[0].step: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) {
                w.changes = {{ServerChange::Kind::up, at_second(1), "s", 0}};
              }),
              HasSubstr("changes[0]: server 0 of 's' comes, but is there already, at 1 s"));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) {
                w.changes = {{ServerChange::Kind::down, at_second(1), "x", 0}};
              }),
              HasSubstr("changes[0]: server 0 of 'x' goes, but is not there, at 1 s"));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) {
                w.changes = {{ServerChange::Kind::up, at_second(1), "x", 0}};
              }),
              HasSubstr("changes[0].capacity: "));
  EXPECT_THAT(error_of([](Workload& w, ReplayOptions&) { w.span = {}; }), HasSubstr("span: "));
}

}  // namespace
}  // namespace mirab::simulation
