// Why a task waits is checked: on random engines what is said to be next is placed next, what is said to
// change it does, less does not, and asking changes nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/told.hpp"

namespace mirab::scheduling {
namespace {

/// How often each sentence was put to the test.
struct Cases {
  int next = 0, nothing = 0, freed = 0, ended = 0, weighted = 0;
};

void expect_counts(const Told& told, const std::map<JobId, WhyWaiting>& all) {
  for (const auto& [job, why] : all) {
    const WhyWaiting::Servers& servers = why.servers;
    ASSERT_EQ(servers, told.count_servers(job));
    ASSERT_EQ(servers.with_room + servers.not_allowed + servers.too_small + servers.drained + servers.full,
              static_cast<std::int64_t>(told.engine.server_count()));
    ASSERT_EQ(why.constraints, told.count_constraints(job));
    for (const auto& [server, added] : told.servers) {
      const auto there = told.engine.why_not_on(job, server);
      ASSERT_EQ(there.has_value(), told.engine.server(server).has_value());
      if (there) {
        ASSERT_EQ(there->reason, told.in_the_way(job, server));
      }
    }
  }
}

/// Which job is next, against what a step does.
void expect_next(const Told& told, const std::map<JobId, WhyWaiting>& all, Time now, Cases& cases) {
  Engine twin = told.twin();
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  for (const auto& [job, why] : all) {
    if (!why.is_next()) continue;
    ASSERT_TRUE(placed);
    ASSERT_EQ(placed->job, job);
  }
  if (!placed) {
    ++cases.nothing;
    return;
  }
  ++cases.next;
  const WhyWaiting& why = all.at(placed->job);
  EXPECT_EQ(why.users_ahead + why.own_ahead + why.older_jobs, 0);
  EXPECT_GT(why.servers.with_room, 0);
  EXPECT_FALSE(why.blocked_by);
  if (!told.draws_lots()) {
    EXPECT_TRUE(why.is_next());
  }
}

/// The missing amounts, given, make room; one unit less does not; and when the job is next then it runs
/// there.
void expect_miss(const Told& told, JobId job, const WhyWaiting& why, Time now, Cases& cases) {
  const WhyWaiting::NearestMiss& miss = *why.nearest_miss;
  Engine twin = told.twin();
  Amounts capacity = twin.server(miss.server)->capacity;
  for (std::size_t r = 0; r < capacity.size(); ++r) capacity[r] += miss.to_free[r];
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    if (miss.to_free[r] == 0) continue;
    Amounts less = capacity;
    --less[r];
    ASSERT_FALSE(twin.apply(ServerChanged{.server = miss.server, .capacity = less}, now));
    ASSERT_EQ(twin.why_not_on(job, miss.server)->reason, InTheWay::full);
  }
  ASSERT_FALSE(twin.apply(ServerChanged{.server = miss.server, .capacity = capacity}, now));
  ASSERT_EQ(twin.why_not_on(job, miss.server)->reason, InTheWay::nothing);
  ++cases.freed;
  const WhyWaiting then = *twin.why_waiting(job, now);
  ASSERT_EQ(then.servers.with_room, why.servers.with_room + 1);
  if (!then.is_next()) return;
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->job, job);
  if (then.servers.with_room == 1) {
    ASSERT_EQ(placed->server, miss.server);
  }
}

/// Tasks end there, one after the other: there is room as soon as what was missing has come free.
void expect_miss_by_ending(const Told& told, JobId job, const WhyWaiting& why, Time now, Cases& cases) {
  const WhyWaiting::NearestMiss& miss = *why.nearest_miss;
  Engine twin = told.twin();
  const Amounts free_before = twin.server(miss.server)->free;
  for (const Placed& task : told.tasks) {
    if (task.server != miss.server || twin.apply(TaskFinished{task.task}, now)) continue;
    const Amounts free = twin.server(miss.server)->free;
    bool enough = true;
    for (std::size_t r = 0; r < free.size(); ++r)
      enough = enough && free[r] - free_before[r] >= miss.to_free[r];
    ASSERT_EQ(twin.why_not_on(job, miss.server)->reason == InTheWay::nothing, enough);
    ++cases.ended;
  }
}

Check reweight(Engine& engine, UserId user, double weight, Time now) {
  return engine.apply(
      UserReweighted{.user = user, .weight = *Quantity::parse(fmt::format("{:.12g}", weight))}, now);
}

void expect_weight(const Told& told, JobId job, const WhyWaiting& why, Time now, Cases& cases) {
  Engine less = told.twin();
  ASSERT_FALSE(reweight(less, why.user, *why.with_weight * (1 - 1e-9), now));
  const WhyWaiting still = *less.why_waiting(job, now);
  ASSERT_GT(still.users_ahead + still.users_tied, 0);

  Engine twin = told.twin();
  ASSERT_FALSE(reweight(twin, why.user, *why.with_weight * (1 + 1e-9), now));
  const WhyWaiting then = *twin.why_waiting(job, now);
  ASSERT_EQ(then.users_ahead, 0);
  ASSERT_EQ(then.users_tied, 0);
  ++cases.weighted;
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  if (then.servers.with_room == 0 || then.blocked_by) return;
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->user, why.user);
  if (then.is_next()) {
    ASSERT_EQ(placed->job, job);
  }
}

class WhyWaitingRandomly : public testing::TestWithParam<std::string> {};

TEST_P(WhyWaitingRandomly, WhatIsSaidIsTrueOfRandomEngines) {
  Cases cases;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(fmt::format("replay: {} seed {}", GetParam(), seed));
    Told told(GetParam(), seed);
    for (int moment = 0; moment < 5; ++moment) {
      for (int i = 0; i < 30; ++i) told.live();
      if (told.random.below(2) == 0) told.open_up();
      const Time now = told.now + Duration(told.random.below(2) * told.random.below(500));
      const std::string before = snapshot(told.engine);
      const std::map<JobId, WhyWaiting> all = told.ask_all(now);
      ASSERT_EQ(snapshot(told.engine), before) << "asking changes nothing";
      ASSERT_NO_FATAL_FAILURE(expect_counts(told, all));
      ASSERT_NO_FATAL_FAILURE(expect_next(told, all, now, cases));
      if (all.empty()) continue;
      const auto& [job, why] = *std::next(all.begin(), static_cast<long>(told.random.below(all.size())));
      if (why.nearest_miss) {
        ASSERT_NO_FATAL_FAILURE(expect_miss(told, job, why, now, cases));
        ASSERT_NO_FATAL_FAILURE(expect_miss_by_ending(told, job, why, now, cases));
      }
      for (const auto& [other, of_other] : all) {
        if (of_other.with_weight) {
          ASSERT_NO_FATAL_FAILURE(expect_weight(told, other, of_other, now, cases));
        }
      }
    }
  }
  EXPECT_GT(cases.next, 100);
  EXPECT_GT(cases.nothing, 30);
  EXPECT_GT(cases.freed, 50);
  EXPECT_GT(cases.ended, 50);
  static const std::set<std::string> unweighted = {"fifo", "pf", "mlf-drs", "mrfs"};
  if (unweighted.contains(GetParam())) {
    EXPECT_EQ(cases.weighted, 0);
  } else {
    EXPECT_GT(cases.weighted, 100);
  }
}

// Two engines live through the same, one of them is asked all the time.
TEST_P(WhyWaitingRandomly, DecisionsAreTheSameWithAndWithoutAsking) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("replay: {} seed {}", GetParam(), seed));
    Told told(GetParam(), seed);
    Engine unasked = *Engine::from(told.options);
    Random draws(seed + 1);
    for (int i = 0; i < 150; ++i) {
      for (const auto& [job, why] : told.ask_all(told.now)) ASSERT_GT(why.waiting, 0);
      const auto [entry, outcome] = told.live();
      const Result<Outcome> plain = tell(unasked, entry, draws);
      ASSERT_EQ(static_cast<bool>(plain), outcome.has_value());
      if (plain) {
        ASSERT_EQ(*plain, *outcome);
      }
    }
    ASSERT_EQ(snapshot(unasked), snapshot(told.engine));
  }
}

INSTANTIATE_TEST_SUITE_P(All, WhyWaitingRandomly, testing::ValuesIn(kEveryDiscipline),
                         [](const auto& which) { return test_name(which.param); });

}  // namespace
}  // namespace mirab::scheduling
