// The jobs of `psdsf-google`. Paper 001 (Ravi Kiran and Srinuvas): quanta d_n / max_r d_{n,r}, of which job n
// demands q_n = 300 max_r d_{n,r} for five minutes.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "lab/experiments/psdsf/clusters.hpp"

namespace mirab::experiments {
namespace {

TEST(GoogleJobs, AQuantumTakesOneOfTheResourceThatTheJobAsksMostOf) {
  Random random(1);
  const Workload workload = google_jobs(50, 1, random);
  ASSERT_EQ(workload.users.size(), 50U);
  ASSERT_EQ(workload.jobs.size(), workload.requests.size());
  for (const Request& request : workload.requests)
    EXPECT_EQ(std::max(request.demand[0], request.demand[1]), Quantity(1));
}

TEST(GoogleJobs, TheWorkOfAllJobsIsWhatTheirTasksRequestOverTheTime) {
  Random random(1);
  const Workload workload = google_jobs(kGoogleJobs, 1, random);
  double cpu_seconds = 0;
  for (const Job& job : workload.jobs) {
    const double quanta = std::chrono::duration<double>(job.runtime).count();
    cpu_seconds += quanta * workload.requests[job.request].demand[0].value();
  }
  // Of the trace itself: each task event's request times the seconds that it holds, to 5,400 s.
  EXPECT_NEAR(cpu_seconds / 5400, 7495.4, 0.2);
}

TEST(GoogleJobs, AreSubmittedAtTheBeginningsOfTheirIntervalsInOrder) {
  Random random(2);
  const Workload workload = google_jobs(100, 1, random);
  for (std::size_t j = 0; j < workload.jobs.size(); ++j) {
    EXPECT_EQ(workload.jobs[j].submitted % std::chrono::minutes(5), Duration::zero());
    EXPECT_LE(workload.jobs[j == 0 ? 0 : j - 1].submitted, workload.jobs[j].submitted);
  }
}

TEST(GoogleJobs, SevenPerCentRunInOneIntervalAndEightyTwoInAll) {
  Random random(3);
  std::map<std::uint32_t, int> intervals;
  for (const Job& job : google_jobs(kGoogleJobs, 1, random).jobs) ++intervals[job.user];
  int one = 0;
  int all = 0;
  for (const auto& [user, count] : intervals) {
    one += count == 1 ? 1 : 0;
    all += count == 18 ? 1 : 0;
  }
  EXPECT_NEAR(100.0 * one / kGoogleJobs, 7.1, 0.05);
  EXPECT_NEAR(100.0 * all / kGoogleJobs, 82.2, 0.05);
}

TEST(GoogleJobs, AJobMayRunOnTheSameDrawnClassesInAllItsIntervals) {
  Random random(4);
  const Workload workload = google_jobs(60, 0.5, random);
  std::map<std::uint32_t, std::set<std::vector<std::string>>> classes;
  for (const Job& job : workload.jobs) {
    const auto& servers = workload.requests[job.request].servers;
    classes[job.user].insert(servers.value_or(std::vector<std::string>{"all"}));
  }
  std::set<std::vector<std::string>> kinds;
  for (const auto& [user, of_user] : classes) {
    EXPECT_EQ(of_user.size(), 1U);
    kinds.insert(*of_user.begin());
  }
  EXPECT_GT(kinds.size(), 5U);
}

TEST(GoogleServers, AreAHundredAndTwentyInGooglesProportions) {
  const Problem servers = google_servers();
  const std::vector<double> machines = {788, 6672, 3835, 992};
  double count = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    count += static_cast<double>(servers.servers()[i].count);
    EXPECT_NEAR(static_cast<double>(servers.servers()[i].count), machines[i] * 120 / 12287, 0.6);
  }
  EXPECT_EQ(count, 120);
}

}  // namespace
}  // namespace mirab::experiments
