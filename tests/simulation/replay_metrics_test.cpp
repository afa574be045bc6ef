// What a replay measures over time, against integrals taken second by second and against examples by hand.
#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "lab/simulation/replay/play.hpp"
#include "random_cases.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

const Series& series(const ReplayOutcome& outcome, const std::string& name) {
  for (const Series& each : outcome.series) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(name);
}

/// Servers that come for the first time, and none that goes: so every run is as long as its job says, and the
/// k-th server to come has the k-th number.
std::vector<ServerChange> only_new_ones(const SmallTrace& trace) {
  std::map<std::pair<std::string, std::int64_t>, bool> seen;
  for (const Server& entry : trace.cluster.servers()) {
    for (std::int64_t k = 0; k < entry.count; ++k) seen[{entry.name, k}] = true;
  }
  std::vector<ServerChange> kept;
  for (const ServerChange& change : trace.workload.changes) {
    if (change.kind == ServerChange::Kind::up && !std::exchange(seen[{change.server, change.instance}], true))
      kept.push_back(change);
  }
  return kept;
}

/// The state of a replay at whole seconds, put together from its starts.
class Timeline {
 public:
  Timeline(const ReplayInput& input, std::vector<ReplayStart> starts)
      : input_(input), starts_(std::move(starts)) {}

  std::size_t m() const { return input_.resources.size(); }

  bool runs(const ReplayStart& start, Duration at) const {
    return start.at <= at && at < start.at + input_.jobs[start.job].runtime;
  }
  std::int64_t running(std::size_t user, Duration at) const {
    return std::count_if(starts_.begin(), starts_.end(), [&](const ReplayStart& start) {
      return input_.jobs[start.job].user == user && runs(start, at);
    });
  }
  std::int64_t waiting(std::size_t user, Duration at) const {
    std::int64_t tasks = 0;
    for (const ReplayJob& job : input_.jobs) tasks += job.user == user && job.submitted <= at ? job.tasks : 0;
    for (const ReplayStart& start : starts_)
      tasks -= input_.jobs[start.job].user == user && start.at <= at ? 1 : 0;
    return tasks;
  }
  bool has_demand(std::size_t user, Duration at) const { return running(user, at) + waiting(user, at) > 0; }

  std::vector<double> used(std::size_t user, Duration at) const {
    std::vector<double> sum(m(), 0.0);
    for (const ReplayStart& start : starts_) {
      if (input_.jobs[start.job].user != user || !runs(start, at)) continue;
      for (std::size_t r = 0; r < m(); ++r) sum[r] += demand(start)[r];
    }
    return sum;
  }
  /// [server][m]
  std::vector<std::vector<double>> capacities(Duration at) const {
    std::vector<std::vector<double>> all;
    for (const std::uint32_t kind : kinds(at)) all.emplace_back(capacity(kind));
    return all;
  }
  std::vector<double> pool(Duration at) const {
    std::vector<double> sum(m(), 0.0);
    for (const auto& each : capacities(at)) {
      for (std::size_t r = 0; r < m(); ++r) sum[r] += each[r];
    }
    return sum;
  }
  double share(std::size_t user, Duration at) const {
    double share = 0;
    for (std::size_t r = 0; r < m(); ++r) {
      if (pool(at)[r] > 0) share = std::max(share, used(user, at)[r] / pool(at)[r]);
    }
    return share;
  }
  /// Whether anybody who is below the node has demand; nodes are teams, and users after them.
  bool is_present(std::size_t node, Duration at) const {
    if (node >= input_.teams.size()) return has_demand(node - input_.teams.size(), at);
    bool any = false;
    for (std::size_t child = 0; child < nodes(); ++child)
      any = any || (parent(child) == node && is_present(child, at));
    return any;
  }
  /// The part that the node has of its parent's part, times the parent's.
  double entitled(std::size_t node, Duration at) const {
    double weights = 0, count = 0;
    for (std::size_t sibling = 0; sibling < nodes(); ++sibling) {
      if (parent(sibling) != parent(node) || !is_present(sibling, at)) continue;
      weights += weight_of(sibling);
      count += 1;
    }
    const double part = weights > 0 ? weight_of(node) / weights : 1 / count;
    return parent(node) ? part * entitled(*parent(node), at) : part;
  }
  double unfairness(std::size_t user, Duration at) const {
    if (waiting(user, at) == 0) return 0;
    const double part = entitled(input_.teams.size() + user, at);
    return part * std::max(0.0, part - share(user, at));
  }
  double fragmentation(Duration at) const {
    std::vector<std::vector<double>> free = capacities(at);
    for (const ReplayStart& start : starts_) {
      if (!runs(start, at)) continue;
      for (std::size_t r = 0; r < m(); ++r) free[start.server][r] -= demand(start)[r];
    }
    const std::vector<double> all = pool(at);
    const std::vector<std::uint32_t> kind = kinds(at);
    double unusable = 0, whole = 0;
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (std::size_t r = 0; r < m(); ++r) whole += all[r] > 0 ? free[i][r] / all[r] : 0;
      for (const TypicalTask& task : input_.typical) {
        bool fits = task.may_use[kind[i]];
        for (std::size_t r = 0; r < m(); ++r)
          fits = fits && static_cast<double>(task.demand[r]) <= free[i][r];
        for (std::size_t r = 0; r < m(); ++r) {
          if (all[r] > 0 && (!fits || task.demand[r] == 0)) unusable += task.popularity * free[i][r] / all[r];
        }
      }
    }
    return whole > 0 ? unusable / whole : 0;
  }
  double weight(std::size_t user) const { return input_.users[user].weight.value(); }

 private:
  std::vector<double> demand(const ReplayStart& start) const {
    const Amounts& amounts = input_.requests[input_.jobs[start.job].request].demand;
    return {amounts.begin(), amounts.end()};
  }
  std::vector<double> capacity(std::uint32_t kind) const {
    return {input_.capacity[kind].begin(), input_.capacity[kind].end()};
  }
  std::vector<std::uint32_t> kinds(Duration at) const {
    std::vector<std::uint32_t> kinds = input_.machines.first;
    for (const MachineChange& change : input_.machines.changes) {
      if (change.at <= at) kinds.push_back(change.becomes);
    }
    return kinds;
  }

  std::size_t nodes() const { return input_.teams.size() + input_.users.size(); }
  std::optional<std::size_t> parent(std::size_t node) const {
    if (input_.teams.empty()) return std::nullopt;
    return node < input_.teams.size() ? input_.teams[node].parent
                                      : input_.team_of[node - input_.teams.size()];
  }
  double weight_of(std::size_t node) const {
    return node < input_.teams.size() ? input_.teams[node].weight.value()
                                      : weight(node - input_.teams.size());
  }

  const ReplayInput& input_;
  std::vector<ReplayStart> starts_;
};

/// A tree of up to four teams over the users, of whom some stay in none; a third of the teams have weight 0.
Teams random_teams(Random& random, std::size_t users) {
  Teams teams;
  const auto count = 1 + random.below(4);
  for (std::size_t v = 0; v < count; ++v) {
    Group group{.name = "team" + std::to_string(v),
                .weight = Quantity(static_cast<std::int64_t>(random.below(3)))};
    if (v > 0 && random.below(2) == 1) group.parent = teams.groups.front().name;
    teams.groups.push_back(std::move(group));
  }
  for (std::size_t n = 0; n < users; ++n) {
    const auto team = static_cast<std::size_t>(random.below(count + 1));
    teams.group_of.push_back(team < count ? std::optional(team) : std::nullopt);
  }
  return teams;
}

/// What has been added up of a user, second by second.
struct Sums {
  double share = 0, unfairness = 0;
  std::int64_t hungry = 0, longest = 0;
};

class SecondBySecond : public testing::TestWithParam<const char*> {};

TEST_P(SecondBySecond, IntegralsAndSamplesAreThoseOfAFullLookAtEverySecond) {
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    Random random(seed);
    SmallTrace trace = random_trace(random);
    trace.workload.changes = only_new_ones(trace);
    const auto span = std::chrono::duration_cast<std::chrono::seconds>(trace.workload.span).count();
    const Teams teams = seed % 2 == 0 ? random_teams(random, trace.workload.users.size()) : Teams{};
    const Result<ReplayInput> input = replay_input(trace.cluster, trace.workload, {}, 1, teams);
    ASSERT_TRUE(input) << describe(input.error());
    std::vector<ReplayStart> starts;
    const ReplayContender who = contender(GetParam(), "first-fit");
    const auto outcome =
        play(*input, {.contender = who,
                      .samples = static_cast<std::size_t>(span),
                      .seed = 1,
                      .on_start = [&](const ReplayStart& start) { starts.push_back(start); }});
    ASSERT_TRUE(outcome);
    const Timeline timeline(*input, starts);
    const std::size_t users = input->users.size();
    std::vector<Sums> sums(users);
    std::vector<double> granted(timeline.m(), 0.0), pools(granted);
    double waiting = 0, running = 0;
    SCOPED_TRACE(testing::Message() << "replay: Random(" << seed << "), " << GetParam());
    for (std::int64_t second = 0; second < span; ++second) {
      const Duration at = at_second(second);
      const auto k = static_cast<std::size_t>(second);
      std::vector<double> fair;
      double least = 1, unfairness = 0;
      for (std::size_t n = 0; n < users; ++n) {
        Sums& sum = sums[n];
        sum.share += timeline.share(n, at);
        sum.unfairness += timeline.unfairness(n, at);
        unfairness += timeline.unfairness(n, at);
        sum.hungry = timeline.waiting(n, at) > 0 && timeline.running(n, at) == 0 ? sum.hungry + 1 : 0;
        sum.longest = std::max(sum.longest, sum.hungry);
        waiting += static_cast<double>(timeline.waiting(n, at));
        running += static_cast<double>(timeline.running(n, at));
        for (std::size_t r = 0; r < timeline.m(); ++r) granted[r] += timeline.used(n, at)[r];
        if (!timeline.has_demand(n, at)) continue;
        fair.push_back(timeline.share(n, at) / timeline.weight(n));
        least = std::min(least, timeline.share(n, at));
      }
      for (std::size_t r = 0; r < timeline.m(); ++r) pools[r] += timeline.pool(at)[r];
      double total = 0, squares = 0, differences = 0;
      for (const double a : fair) {
        total += a;
        squares += a * a;
        for (const double b : fair) differences += std::abs(a - b);
      }
      const auto count = static_cast<double>(fair.size());
      ASSERT_NEAR(series(*outcome, "users").values[k], count, 0);
      ASSERT_NEAR(series(*outcome, "jain").values[k], total > 0 ? total * total / (count * squares) : 1,
                  1e-9);
      ASSERT_NEAR(series(*outcome, "gini").values[k], total > 0 ? differences / (2 * count * total) : 0,
                  1e-9);
      ASSERT_NEAR(series(*outcome, "min_share").values[k], fair.empty() ? 0 : least, 1e-12);
      ASSERT_NEAR(series(*outcome, "unfairness").values[k], unfairness, 1e-12);
      ASSERT_NEAR(series(*outcome, "fragmentation").values[k], timeline.fragmentation(at), 1e-9);
    }
    const auto whole = static_cast<double>(span);
    EXPECT_NEAR(outcome->mean_waiting_tasks, waiting / whole, 1e-9);
    EXPECT_NEAR(outcome->mean_running_tasks, running / whole, 1e-9);
    for (std::size_t r = 0; r < timeline.m(); ++r)
      EXPECT_NEAR(outcome->utilization[r], pools[r] > 0 ? granted[r] / pools[r] : 0, 1e-9);
    for (std::size_t n = 0; n < users; ++n) {
      EXPECT_NEAR(outcome->users[n].share, sums[n].share / whole, 1e-9);
      EXPECT_NEAR(outcome->users[n].unfairness, sums[n].unfairness, 1e-9);
      EXPECT_NEAR(outcome->users[n].starvation, static_cast<double>(sums[n].longest), 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Disciplines, SecondBySecond, testing::Values("fifo", "drf", "fifo:blocking=freeze"));

/// Two users on two CPUs; a has them for ten seconds, and b, who comes later, waits.
Workload one_waits_for_the_other(std::int64_t span) {
  return {.resources = {"cpu"},
          .users = {{"a"}, {"b"}},
          .requests = {{whole({1})}},
          .jobs = {job_of("has", at_second(0), 0, 0, 2, at_second(10)),
                   job_of("waits", at_second(0), 1, 0, 1, at_second(5))},
          .span = at_second(span)};
}

ReplayOutcome by_fifo(const Workload& workload, std::vector<Server> servers, std::size_t samples = 4) {
  const auto outcomes = replay(cluster_of(workload.resources, std::move(servers)), workload,
                               {.contenders = {contender("fifo", "first-fit")}, .samples = samples}, 1, 1);
  EXPECT_TRUE(outcomes) << describe(outcomes.error());
  return outcomes->front();
}

TEST(ReplayMetrics, UnfairnessIsWhatAWaitingUserLacksOfItsPartOfTheClusterByWeight) {
  const ReplayOutcome outcome = by_fifo(one_waits_for_the_other(20), {{.name = "s", .capacity = whole({2})}});
  EXPECT_DOUBLE_EQ(outcome.users[0].unfairness, 0);
  EXPECT_DOUBLE_EQ(outcome.users[1].unfairness, 0.5 * 0.5 * 10);
  EXPECT_DOUBLE_EQ(outcome.unfairness, 2.5);
  EXPECT_DOUBLE_EQ(outcome.users[0].share, 0.5) << "all of it, half of the time";
  EXPECT_DOUBLE_EQ(outcome.users[1].share, 0.125);
}

TEST(ReplayMetrics, StarvationIsTheLongestTimeWithWaitingTasksAndNoneThatRuns) {
  const ReplayOutcome outcome = by_fifo(one_waits_for_the_other(20), {{.name = "s", .capacity = whole({2})}});
  EXPECT_DOUBLE_EQ(outcome.users[0].starvation, 0);
  EXPECT_DOUBLE_EQ(outcome.users[1].starvation, 10);
  EXPECT_FALSE(outcome.users[1].starved);
  EXPECT_EQ(outcome.starved, 0U);
}

TEST(ReplayMetrics, AUserWhoNeverRanIsStarvedAndItsWaitingIsCutOff) {
  const ReplayOutcome outcome = by_fifo(one_waits_for_the_other(8), {{.name = "s", .capacity = whole({2})}});
  EXPECT_TRUE(outcome.users[1].starved);
  EXPECT_EQ(outcome.starved, 1U);
  EXPECT_DOUBLE_EQ(outcome.starvation, 8);
  EXPECT_EQ(outcome.users[1].waiting.count, 0);
  EXPECT_EQ(outcome.users[1].waiting_so_far.count, 1);
  EXPECT_DOUBLE_EQ(outcome.users[1].waiting_so_far.most, 8);
  EXPECT_EQ(outcome.users[0].still_running, 2);
  EXPECT_EQ(outcome.users[0].slowdown.count, 0) << "of finished tasks only";
}

TEST(ReplayMetrics, ATaskThatFitsOnNoServerIsLeftOutAndCounted) {
  Workload workload = one_waits_for_the_other(20);
  workload.requests.push_back({whole({3})});
  workload.jobs[1].request = 1;
  workload.jobs[1].tasks = 4;
  const ReplayOutcome outcome = by_fifo(workload, {{.name = "s", .capacity = whole({2}), .count = 3}});
  EXPECT_EQ(outcome.oversized, 4);
  EXPECT_EQ(outcome.users[1].oversized, 4);
  EXPECT_EQ(outcome.submitted, 2);
  EXPECT_FALSE(outcome.users[1].starved) << "it never had a task that waited";
}

TEST(ReplayMetrics, FragmentationIsThePartOfWhatIsFreeThatATypicalTaskCannotUse) {
  Workload workload = one_waits_for_the_other(20);
  workload.requests.push_back({whole({2})});
  workload.jobs = {job_of("one", at_second(0), 0, 0, 1, at_second(30)),
                   job_of("two", at_second(19), 1, 1, 1, at_second(5))};
  const ReplayOutcome outcome = by_fifo(workload, {{.name = "s", .capacity = whole({2}), .count = 2}}, 1);
  // Free are 1 and 2 of 4; half of the tasks want 2 and cannot use the 1.
  EXPECT_DOUBLE_EQ(series(outcome, "fragmentation").values[0], 0.5 * 1 / 3);
}

TEST(ReplayMetrics, WhatIsReallyUsedFollowsTheUsageFromTheStartOfATask) {
  Workload workload = one_waits_for_the_other(40);
  workload.requests = {{whole({4})}};
  workload.usages = {{.step = at_second(10), .of = {{1}, {3}}}};
  workload.jobs = {{.name = "j",
                    .submitted = at_second(0),
                    .user = 0,
                    .request = 0,
                    .runtime = at_second(30),
                    .known = Runtime::cut,
                    .usage = 0}};
  const ReplayOutcome outcome = by_fifo(workload, {{.name = "s", .capacity = whole({4})}});
  EXPECT_DOUBLE_EQ(outcome.utilization[0], 0.75);
  EXPECT_DOUBLE_EQ(outcome.used[0], (10.0 * 1 + 20 * 3) / (4 * 40));
  EXPECT_EQ(outcome.used_over_time[0].values, (std::vector<double>{0.25, 0.75, 0.75, 0}));
  EXPECT_EQ(outcome.utilization_over_time[0].values, (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(outcome.times, (std::vector<double>{0, 10, 20, 30}));
  EXPECT_EQ(outcome.cut, 1);
}

TEST(ReplayMetrics, TheUsersWhoAskForMostAreToldByNameAndTheOthersAsBands) {
  Workload workload{
      .resources = {"cpu"}, .users = {}, .requests = {{whole({1})}}, .jobs = {}, .span = at_second(4)};
  for (std::uint32_t n = 0; n < 23; ++n) {
    workload.users.push_back({.name = std::to_string(n)});
    workload.jobs.push_back(job_of("j", at_second(0), n, 0, n + 1, at_second(10)));
  }
  const ReplayOutcome outcome = by_fifo(workload, {{.name = "s", .capacity = whole({1000})}});
  ASSERT_EQ(outcome.shares.size(), 12U);
  EXPECT_EQ(outcome.shares.front().name, "22");
  EXPECT_DOUBLE_EQ(outcome.shares.front().values[0], 0.023);
  EXPECT_EQ(outcome.shares.back().name, "11");
  ASSERT_EQ(outcome.share_bands.size(), 3U);  // of the users with 1 … 11 tasks
  EXPECT_DOUBLE_EQ(outcome.share_bands[0].values[0], 0.002);
  EXPECT_DOUBLE_EQ(outcome.share_bands[1].values[0], 0.006);
  EXPECT_DOUBLE_EQ(outcome.share_bands[2].values[0], 0.010);
}

}  // namespace
}  // namespace mirab::simulation
