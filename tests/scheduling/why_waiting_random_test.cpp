// Why a task waits is checked: on random engines the task that is reported as next is placed next, a reported
// change has its effect, a smaller one has not, and asking changes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include <mirab/scheduling/snapshot.hpp>

#include "random_cases.hpp"
#include "scheduling/told.hpp"

namespace mirab::scheduling {
namespace {

/// How often each sentence was put to the test.
struct WhyWaitingRandomCases {
  int next = 0, nothing = 0, released = 0, ended = 0, weighted = 0;
  int gangs = 0, kept = 0, on_kept = 0, by_force = 0, pack = 0, per_server = 0, spread = 0;
};

/// The servers that are kept as the next step finds them.
Told::Kept kept_for(const std::map<JobId, WhyWaiting>& all) {
  Told::Kept kept;
  for (const auto& [job, why] : all) {
    if (!why.kept_for_it) continue;
    kept.emplace(why.kept_for_it->server, job);
    for (const ServerId other : why.kept_for_it->others) kept.emplace(other, job);
  }
  return kept;
}

void expect_gang(const Told& told, JobId job, const WhyWaiting& why, const Told::Kept& kept,
                 WhyWaitingRandomCases& cases) {
  const Engine::JobState state = *told.engine.job(job);
  const std::int64_t together = std::min(state.waiting, told.jobs.at(job).gang - state.running);
  ASSERT_EQ(why.gang.has_value(), together > 1);
  if (!why.gang) return;
  ASSERT_EQ(why.gang->together, together);
  ASSERT_EQ(why.gang->room, told.count_starts(job, kept, state.waiting));
  ++cases.gangs;
}

void expect_kept(const Told& told, JobId job, const WhyWaiting& why, const Told::Kept& kept) {
  ASSERT_EQ(static_cast<std::int64_t>(why.kept_for_others.size()), why.servers.kept);
  for (const KeptServer& other : why.kept_for_others) {
    ASSERT_EQ(kept.at(other.server), other.job);
    ASSERT_NE(other.job, job);
    ASSERT_EQ(told.jobs.at(other.job).user, other.user);
    ASSERT_EQ(told.servers.at(other.server).name, other.server_name);
  }
  if (!why.kept_for_it) return;
  const bool has_room = told.in_the_way(job, why.kept_for_it->server, kept) == InTheWay::nothing;
  ASSERT_EQ(why.kept_for_it->missing.empty(), has_room);
}

void expect_counts(const Told& told, const std::map<JobId, WhyWaiting>& all, WhyWaitingRandomCases& cases) {
  const Told::Kept kept = kept_for(all);
  for (const auto& [job, why] : all) {
    if (told.has_roles(job)) continue;
    const WhyWaiting::Servers& servers = why.servers;
    ASSERT_EQ(servers, told.count_servers(job, kept));
    ASSERT_EQ(servers.with_room + servers.not_allowed + servers.too_small + servers.drained + servers.kept +
                  servers.pack + servers.per_server + servers.spread + servers.full,
              static_cast<std::int64_t>(told.engine.server_count()));
    cases.kept += servers.kept > 0;
    cases.pack += servers.pack > 0;
    cases.per_server += servers.per_server > 0;
    cases.spread += servers.spread > 0;
    ASSERT_EQ(why.constraints, told.count_constraints(job));
    ASSERT_NO_FATAL_FAILURE(expect_gang(told, job, why, kept, cases));
    ASSERT_NO_FATAL_FAILURE(expect_kept(told, job, why, kept));
    for (const auto& [server, added] : told.servers) {
      const auto there = told.engine.why_not_on(job, server);
      ASSERT_EQ(there.has_value(), told.engine.server(server).has_value());
      if (there) {
        ASSERT_EQ(there->reason, told.in_the_way(job, server, told.kept()));
        ASSERT_EQ(there->kept.has_value(), there->reason == InTheWay::kept);
      }
    }
  }
}

/// Of each job that is known, whether its tasks wait or run, and each server there is an answer.
void expect_answers(const Told& told) {
  for (const auto& [job, submitted] : told.jobs) {
    for (const auto& [server, added] : told.servers) {
      ASSERT_EQ(told.engine.why_not_on(job, server).has_value(),
                told.engine.job(job).has_value() && told.engine.server(server).has_value());
    }
  }
}

/// Which job is next, against what a step does.
void expect_next(const Told& told, const std::map<JobId, WhyWaiting>& all, Time now,
                 WhyWaitingRandomCases& cases) {
  Engine twin = told.twin();
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  // What is kept after the step was foreseen, but for what has been placed.
  Told::Kept kept = kept_for(all);
  if (placed) std::erase_if(kept, [&](const auto& each) { return each.second == placed->job; });
  Told::Kept kept_then;
  for (const Reservation& each : twin.reservations()) {
    if (!placed || each.job != placed->job) kept_then.emplace(each.server, each.job);
  }
  ASSERT_EQ(kept, kept_then);
  for (const auto& [job, why] : all) {
    ASSERT_EQ(why.forced_first.has_value() && !told.draws_lots(),
              placed && !placed->preempted.empty() && !told.draws_lots());
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
  if (why.served_first) {
    ++cases.on_kept;
    ASSERT_TRUE(why.is_next());
    if (!told.has_terms(placed->job) && !told.has_roles(placed->job)) {
      ASSERT_EQ(why.served_first->server, placed->server);
    }
    return;
  }
  if (!placed->preempted.empty() && !told.draws_lots()) {
    ++cases.by_force;
    ASSERT_TRUE(why.is_next());
    ASSERT_EQ(why.by_force->ends, placed->preempted);
    ASSERT_EQ(why.by_force->server, placed->server);
    ASSERT_EQ(why.forced_first->job, placed->job);
  }
  if (!placed->preempted.empty()) return;
  ASSERT_EQ(why.gang ? why.gang->together : 1, static_cast<std::int64_t>(placed->with.size()) + 1);
  EXPECT_TRUE(why.has_room());
  EXPECT_EQ(why.users_ahead + why.own_ahead + why.older_jobs, 0);
  EXPECT_GT(why.servers.with_room, 0);
  EXPECT_FALSE(why.blocked_by);
  if (!told.draws_lots()) {
    EXPECT_TRUE(why.is_next());
  }
}

/// The missing amounts, given, make room; one unit less does not; and when the job is next then it runs
/// there.
void expect_miss(const Told& told, JobId job, const WhyWaiting& why, Time now, WhyWaitingRandomCases& cases) {
  const WhyWaiting::NearestMiss& miss = *why.nearest_miss;
  Engine twin = told.twin();
  if (twin.why_not_on(job, miss.server)->reason != InTheWay::full) return;  // kept for another until then
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
  ++cases.released;
  const WhyWaiting then = *twin.why_waiting(job, now);
  if (then.kept_for_others != why.kept_for_others) return;  // one comes to be kept, or is no longer
  ASSERT_EQ(then.servers.with_room, why.servers.with_room + 1);
  if (!then.is_next()) return;
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->job, job);
  if (then.servers.with_room == 1 && !then.by_force) {
    ASSERT_EQ(placed->server, miss.server);
  }
}

/// Tasks end there, one after the other: there is room as soon as what was missing has come free.
void expect_miss_by_ending(const Told& told, JobId job, const WhyWaiting& why, Time now,
                           WhyWaitingRandomCases& cases) {
  const WhyWaiting::NearestMiss& miss = *why.nearest_miss;
  Engine twin = told.twin();
  if (twin.why_not_on(job, miss.server)->reason != InTheWay::full) return;  // kept for another until then
  const Amounts free_before = twin.server(miss.server)->free;
  for (const Placed& task : told.tasks) {
    if (task.server != miss.server || twin.apply(TaskFinished{task.task}, now)) continue;
    const Amounts free = twin.server(miss.server)->free;
    bool enough = true;
    if (told.jobs.at(job).spread && task.job == job) return;  // its own tasks count in domains
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

void expect_weight(const Told& told, JobId job, const WhyWaiting& why, Time now,
                   WhyWaitingRandomCases& cases) {
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
  if (!then.has_room() || then.blocked_by || then.served_first) return;
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->user, why.user);
  if (then.is_next()) {
    ASSERT_EQ(placed->job, job);
  }
}

class WhyWaitingRandomly : public testing::TestWithParam<std::string> {};

TEST_P(WhyWaitingRandomly, WhatIsSaidIsTrueOfRandomEngines) {
  WhyWaitingRandomCases cases;
  for (std::uint64_t seed = 1; seed <= random_cases(300); ++seed) {
    SCOPED_TRACE(fmt::format("replay: {} seed {}", GetParam(), seed));
    Told told(GetParam(), seed);
    for (int moment = 0; moment < 5; ++moment) {
      const Time now = told.live_until_asked();
      const std::string before = snapshot(told.engine);
      const std::map<JobId, WhyWaiting> all = told.ask_all(now);
      ASSERT_EQ(snapshot(told.engine), before) << "asking changes nothing";
      ASSERT_NO_FATAL_FAILURE(expect_answers(told));
      ASSERT_NO_FATAL_FAILURE(expect_counts(told, all, cases));
      ASSERT_NO_FATAL_FAILURE(expect_next(told, all, now, cases));
      if (all.empty()) continue;
      const auto& [job, why] = *std::next(all.begin(), static_cast<long>(told.random.below(all.size())));
      if (why.nearest_miss && !told.has_roles(job)) {
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
  static const std::set<std::string> unweighted = {"fifo", "pf", "mlf-drs", "mrfs"};
  if (unweighted.contains(GetParam())) {
    EXPECT_EQ(cases.weighted, 0);
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(cases.gangs, 50);
  EXPECT_GT(cases.kept, 50);
  EXPECT_GT(cases.on_kept, 1);
  EXPECT_GT(cases.pack + cases.per_server + cases.spread, 50);
  static const std::set<std::string> preempting = {"drf", "asset", "round-robin", "pf", "tsf"};
  if (preempting.contains(GetParam())) {
    EXPECT_GT(cases.by_force, 2);
  }
  EXPECT_GT(cases.next, 100);
  EXPECT_GT(cases.nothing, 30);
  EXPECT_GT(cases.released, 50);
  EXPECT_GT(cases.ended, 50);
  if (!unweighted.contains(GetParam())) {
    EXPECT_GT(cases.weighted, 100);
  }
}

// Two engines live through the same, one of them is asked all the time.
TEST_P(WhyWaitingRandomly, DecisionsAreTheSameWithAndWithoutAsking) {
  for (std::uint64_t seed = 1; seed <= random_cases(40); ++seed) {
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
