// `fcfs` and `easy` against a simulator of their own, which counts processors and knows nothing of engines:
// every job of a log in the Standard Workload Format starts at the same second.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

#include "lab/simulation/replay.hpp"
#include "lab/traces/swf/swf.hpp"
#include "random_cases.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

using testing::HasSubstr;

/// All times in seconds.
struct LogJob {
  std::int64_t submitted, processors, runtime, requested;
};

/// The naive simulator. `backfills`: EASY; else no job overtakes.
class Processors {
 public:
  Processors(const std::vector<LogJob>& jobs, std::int64_t processors, bool backfills)
      : jobs_(jobs), free_(processors), backfills_(backfills), starts_(jobs.size()) {}

  std::vector<std::int64_t> starts() {
    std::size_t next = 0;
    while (next < jobs_.size() || !running_.empty()) {
      std::int64_t now = next < jobs_.size() ? jobs_[next].submitted : INT64_MAX;
      for (const std::size_t job : running_) now = std::min(now, end_of(job));
      std::erase_if(running_, [&](std::size_t job) {
        if (end_of(job) > now) return false;
        free_ += jobs_[job].processors;
        return true;
      });
      while (next < jobs_.size() && jobs_[next].submitted <= now) queue_.push_back(next++);
      schedule(now);
    }
    return starts_;
  }

 private:
  std::int64_t end_of(std::size_t job) const { return starts_[job] + jobs_[job].runtime; }

  void start(std::size_t job, std::int64_t now) {
    starts_[job] = now;
    free_ -= jobs_[job].processors;
    running_.push_back(job);
  }

  void schedule(std::int64_t now) {
    while (!queue_.empty() && jobs_[queue_.front()].processors <= free_) {
      start(queue_.front(), now);
      queue_.erase(queue_.begin());
    }
    if (!backfills_ || queue_.empty()) return;
    // The shadow time of the first job, and the processors that it leaves then.
    std::vector<std::pair<std::int64_t, std::int64_t>> ends;  // when, how many
    for (const std::size_t job : running_)
      ends.emplace_back(std::max(now, starts_[job] + jobs_[job].requested), jobs_[job].processors);
    std::sort(ends.begin(), ends.end());
    std::int64_t shadow = 0, extra = free_ - jobs_[queue_.front()].processors;
    for (const auto& [end, processors] : ends) {
      if (extra >= 0 && end > shadow) break;
      extra += processors;
      shadow = end;
    }
    for (std::size_t at = 1; at < queue_.size();) {
      const LogJob& job = jobs_[queue_[at]];
      const bool in_time = now + job.requested <= shadow;
      if (job.processors > free_ || (!in_time && job.processors > extra)) {
        ++at;
        continue;
      }
      if (!in_time) extra -= job.processors;
      start(queue_[at], now);
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  const std::vector<LogJob>& jobs_;
  std::int64_t free_;
  bool backfills_;
  std::vector<std::int64_t> starts_;
  std::vector<std::size_t> queue_, running_;
};

std::vector<LogJob> random_log(Random& random, std::int64_t processors) {
  std::vector<LogJob> jobs;
  std::int64_t now = 0;
  for (std::size_t n = 0; n < 120; ++n) {
    const auto runtime = 1 + static_cast<std::int64_t>(random.below(random.below(4) == 0 ? 300 : 40));
    // Some ask for too much, some for too little: they run on.
    const auto requested =
        std::max<std::int64_t>(1, runtime * static_cast<std::int64_t>(random.below(5)) / 2);
    const auto most = static_cast<std::uint64_t>(random.below(3) == 0 ? processors : 1 + processors / 4);
    jobs.push_back({now, 1 + static_cast<std::int64_t>(random.below(most)), runtime, requested});
    now += static_cast<std::int64_t>(random.below(20));
  }
  return jobs;
}

/// Writes the log, reads it back, and replays it: the second in which each job starts.
std::vector<std::int64_t> replayed_starts(const std::vector<LogJob>& jobs, std::int64_t nodes,
                                          std::int64_t each, const char* discipline, const char* placement) {
  const std::string path =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".swf";
  std::ofstream log(path);
  log << fmt::format("; MaxNodes: {}\n; MaxProcs: {}\n", nodes, nodes * each);
  for (std::size_t n = 0; n < jobs.size(); ++n)
    log << fmt::format("{} {} 0 {} {} -1 -1 {} {} -1 1 {} 1 -1 -1 -1 -1 -1\n", n + 1, jobs[n].submitted,
                       jobs[n].runtime, jobs[n].processors, jobs[n].processors, jobs[n].requested, n % 7 + 1);
  log.close();
  const auto import = traces::import_swf(path, {});
  EXPECT_TRUE(import) << describe(import.error());
  const Result<Problem> cluster = Problem::from(import->cluster);
  EXPECT_TRUE(cluster);
  Result<ReplayContender> contender = choose_contender(discipline);
  contender->placement = *choose_placement(placement);
  const auto outcomes = replay(
      *cluster, import->workload,
      {.contenders = {*contender}, .until = ReplayUntil::drained, .samples = 1, .keeps_jobs = true}, 1, 1);
  EXPECT_TRUE(outcomes) << describe(outcomes.error());
  std::vector<std::int64_t> starts;
  for (const ReplayJobOutcome& job : outcomes->front().jobs)
    starts.push_back(job.first_start ? std::llround(*job.first_start) : -1);
  return starts;
}

TEST(Backfilling, EveryJobOfALogStartsWhenANaiveSimulatorStartsIt) {
  std::size_t overtakes = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    Random random(seed);
    const auto each = 1 + static_cast<std::int64_t>(random.below(4));
    const auto nodes = 4 + static_cast<std::int64_t>(random.below(12));
    const std::vector<LogJob> jobs = random_log(random, nodes * each);
    const char* placement = seed % 2 == 0 ? "first-fit" : "worst-fit";
    const std::vector<std::int64_t> fcfs = Processors(jobs, nodes * each, false).starts();
    const std::vector<std::int64_t> easy = Processors(jobs, nodes * each, true).starts();
    ASSERT_EQ(replayed_starts(jobs, nodes, each, "fcfs", placement), fcfs)
        << "replay: Random(" << seed << "), fcfs";
    ASSERT_EQ(replayed_starts(jobs, nodes, each, "easy", placement), easy)
        << "replay: Random(" << seed << "), easy";
    if (fcfs != easy) ++overtakes;
  }
  if (kIsSanitized) return;   // too few cases to meet everything
  EXPECT_GT(overtakes, 50U);  // the logs are such that it matters
}

TEST(Backfilling, AJobMayOvertakeOnlyIfTheFirstIsNotDelayed) {
  // Ten processors: 6 run for 100 s. The first in the queue wants 8. Of those behind it one fits next to what
  // runs for 90 s, one would run too long, and one leaves the first its 8 processors.
  const std::vector<LogJob> jobs = {
      {0, 6, 100, 100}, {1, 8, 50, 50}, {2, 4, 90, 90}, {3, 4, 200, 200}, {4, 1, 500, 500}};
  const std::vector<std::int64_t> starts = replayed_starts(jobs, 10, 1, "easy", "first-fit");
  EXPECT_EQ(starts, (std::vector<std::int64_t>{0, 100, 2, 150, 92}));
}

TEST(Backfilling, AMachineThatHasNotComeYetIsNoRoom) {
  // Four CPUs, and four more from 1000 s on. 3 CPUs run until 100 s, the first in the queue wants 4. One that
  // would run for 500 s must wait for it.
  Workload workload;
  workload.resources = {"cpu"};
  workload.users = {{.name = "a"}};
  workload.requests = {{.demand = whole({1})}};
  const auto gang = [&](std::int64_t at, std::int64_t tasks, std::int64_t runtime) {
    Job job = job_of("j", at_second(at), 0, 0, tasks, at_second(runtime));
    job.gang = tasks;
    workload.jobs.push_back(job);
  };
  gang(0, 3, 100);
  gang(1, 4, 50);
  gang(2, 1, 500);
  workload.changes = {{.kind = ServerChange::Kind::up,
                       .at = at_second(1000),
                       .server = "late",
                       .instance = 0,
                       .capacity = whole({4})}};
  workload.span = at_second(2000);
  const Problem cluster = cluster_of({"cpu"}, {{.name = "s", .capacity = whole({4})}});
  const auto outcomes = replay(
      cluster, workload, {.contenders = {*choose_contender("easy")}, .samples = 1, .keeps_jobs = true}, 1, 1);
  ASSERT_TRUE(outcomes) << describe(outcomes.error());
  EXPECT_EQ(outcomes->front().jobs[1].first_start, 100.0);
  EXPECT_EQ(outcomes->front().jobs[2].first_start, 150.0);
  // By job: they wait 0, 99 and 148 s. By task, 3 · 0, 4 · 99 and 148.
  const ReplayJobTally& of_jobs = outcomes->front().of_jobs;
  EXPECT_EQ(of_jobs.submitted, 3);
  EXPECT_EQ(of_jobs.finished, 3);
  EXPECT_DOUBLE_EQ(of_jobs.waiting.mean, (0 + 99 + 148) / 3.0);
  EXPECT_DOUBLE_EQ(outcomes->front().waiting.mean, (4 * 99 + 148) / 8.0);
  EXPECT_DOUBLE_EQ(of_jobs.completion.mean, (100 + 149 + 648) / 3.0);
}

TEST(Backfilling, WhatEasyCannotPlayIsRefused) {
  Workload workload;
  workload.resources = {"cpu"};
  workload.users = {{.name = "a"}};
  workload.requests = {{.demand = whole({1})}};
  workload.jobs = {job_of("j", at_second(0), 0, 0, 2, at_second(1))};
  workload.span = at_second(10);
  const Problem cluster = cluster_of({"cpu"}, {{.name = "s", .capacity = whole({4}), .count = 2}});
  const auto error_of = [&](const Workload& of, const ReplayContender& contender) {
    const auto outcomes = replay(cluster, of, {.contenders = {contender}}, 1, 1);
    return outcomes ? std::string("no error") : describe(outcomes.error());
  };
  ReplayContender easy = *choose_contender("easy");
  EXPECT_EQ(error_of(workload, easy), "no error");
  Workload bounded = workload;
  bounded.jobs[0].per_server = 1;
  EXPECT_THAT(error_of(bounded, easy),
              HasSubstr("contenders[0].discipline: easy takes no jobs with per_server"));
  Workload failing = workload;
  failing.changes = {{.kind = ServerChange::Kind::down, .at = at_second(5), .server = "s", .instance = 0}};
  EXPECT_THAT(error_of(failing, easy), HasSubstr("easy plays no trace whose servers go"));
  easy.half_life = at_second(60);
  EXPECT_THAT(error_of(workload, easy), HasSubstr("contenders[0]: easy takes no half_life"));
}

}  // namespace
TEST(ReplayContender, AMistypedNameIsAnsweredWithThoseOfReplaysToo) {
  EXPECT_THAT(choose_contender("esay").error().message, HasSubstr("did you mean easy?"));
  EXPECT_THAT(choose_contender("fcf").error().message, HasSubstr("fcfs"));
  EXPECT_THAT(choose_contender("nothing-like-it").error().message, HasSubstr("fcfs and easy"));
  EXPECT_THAT(choose_contender("drf:blocking=x").error().message, HasSubstr("freeze"));
}

}  // namespace mirab::simulation
