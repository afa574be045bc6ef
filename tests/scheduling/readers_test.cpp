// Questions change nothing, so several threads may ask one engine at once while no thread tells it anything.
// The thread sanitizer (preset tsan) shows where a question writes.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::size_t kReaders = 4;

/// Everything that can be asked about the jobs, users and servers, as text.
std::string answers(const Engine& engine, const std::vector<JobId>& jobs, const std::vector<UserId>& users,
                    const std::vector<ServerId>& servers, Time at) {
  const std::vector<std::string> resources = engine.options().resources;
  std::string text;
  for (const JobId job : jobs) {
    text += engine.fits(job) ? "fits\n" : "does not fit\n";
    if (const auto why = engine.why_waiting(job, at)) text += describe(*why, resources);
    for (const ServerId server : servers) {
      if (const auto why = engine.why_not_on(job, server)) text += describe(*why, resources);
    }
  }
  for (const UserId user : users) text += std::to_string(engine.user(user)->dominant_share) + "\n";
  for (const UserId user : users) text += std::to_string(engine.used(user)[0]) + "\n";
  for (const JobId job : jobs)
    engine.for_each_task(job, [&](const Engine::TaskState& task) {
      text += std::to_string(static_cast<std::uint64_t>(task.task)) + "\n";
    });
  for (const ServerId server : servers) text += std::to_string(engine.server(server)->free[0]) + "\n";
  for (const Reservation& kept : engine.reservations())
    text += std::to_string(kept.since.time_since_epoch().count()) + "\n";
  return text + engine.broken_invariant();
}

/// A full cluster with two server classes in which jobs wait: by name and by label, as gangs and alone;
/// servers are kept and tasks may end by force where the discipline knows it.
struct FullCluster : SmallEngine {
  std::vector<JobId> jobs;
  std::vector<UserId> users;
  std::vector<ServerId> servers;

  FullCluster(const std::string& discipline, bool preempts) : SmallEngine(discipline) {
    engine = *Engine::from(
        {.resources = {"cpu", "memory"},
         .discipline = choice(discipline),
         .placement = choice("best-fit"),
         .reservations = Reserving{.after = Duration(10), .at_most = Duration(20)},
         .preemption = preempts ? std::optional(Preempting{.tasks = 9, .per = Duration(9)}) : std::nullopt});
    for (std::int64_t s = 0; s < 6; ++s)
      servers.push_back(server({4 + s % 2, 8}, "s" + std::to_string(s), {{"zone", s < 3 ? "a" : "b"}}));
    for (std::int64_t u = 0; u < 3; ++u) {
      users.push_back(user(Quantity(u + 1)));
      job(users.back(), {1, 1}, 9);
    }
    run();
    for (const UserId each : users) {
      jobs.push_back(job(each, {3, 2}, 2));
      jobs.push_back(job({.user = each, .demand = {2, 1}, .tasks = 3, .select = {{"zone", {"a"}}}}));
      jobs.push_back(job({.user = each, .demand = {1, 1}, .tasks = 2, .gang = 2, .pack = "zone"}));
    }
    now = Time(Duration(15));
    step();  // servers are kept from now on
  }
};

class Readers : public testing::TestWithParam<const char*> {};

TEST_P(Readers, MayAskAtOnceAndChangeNothing) {
  const std::string discipline = GetParam();
  FullCluster cluster(discipline, discipline == "drf" || discipline == "tsf");
  const Engine& engine = cluster.engine;
  const std::string before = snapshot(engine);
  const std::vector<Time> times = {cluster.now, Time(Duration(40)), Time(Duration(1'000))};
  std::vector<std::string> expected;
  for (const Time at : times)
    expected.push_back(answers(engine, cluster.jobs, cluster.users, cluster.servers, at));
  EXPECT_NE(expected[0], expected[1]) << "some reservations end by their time";

  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (std::size_t reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&, reader] {
      for (std::size_t i = 0; i < times.size(); ++i) {
        const std::size_t at = (i + reader) % times.size();
        if (answers(engine, cluster.jobs, cluster.users, cluster.servers, times[at]) != expected[at]) ++wrong;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(snapshot(engine), before);
}

INSTANTIATE_TEST_SUITE_P(Disciplines, Readers,
                         testing::Values("drf", "tsf", "ps-dsf", "mlf-drs", "pf", "fifo:blocking=freeze"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == ':' || c == '='; });
                           return name;
                         });

}  // namespace
}  // namespace mirab::scheduling
