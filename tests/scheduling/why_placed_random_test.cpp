// Why a task was placed is checked: on random engines the decision is the one that would have been made
// anyhow, and the queue that is reported second comes first when the first is taken away.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include <mirab/scheduling/snapshot.hpp>

#include "random_cases.hpp"
#include "scheduling/told.hpp"

namespace mirab::scheduling {
namespace {

/// How often each sentence was put to the test.
struct Cases {
  int placed = 0, second_servers = 0, second_users = 0, gangs = 0, on_kept = 0, by_force = 0;
};

/// With the chosen server drained the second choice is taken.
void expect_second_server(const Told& told, const WhyPlaced& why, Time now, Cases& cases) {
  if (told.options.placement.name == "random" || told.draws_lots() || !why.runner_up_server) return;
  // Without the server there may be fewer domains, no room for all of a gang, or one more server kept.
  if (told.jobs.at(why.job).spread || why.together > 1 || told.options.reservations) return;
  Engine twin = told.twin();
  ASSERT_FALSE(twin.apply(ServerDrained{why.server}, now));
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->job, why.job);
  ASSERT_EQ(placed->server, *why.runner_up_server);
  ++cases.second_servers;
  if (!why.measure) return;
  if (told.options.placement.name == "worst-fit") {
    ASSERT_GE(why.measure->chosen, *why.measure->runner_up);
  } else {
    ASSERT_LE(why.measure->chosen, *why.measure->runner_up);
  }
}

/// Without the jobs of the served user, when nothing of them runs, the runner-up is served.
void expect_second_user(const Told& told, const WhyPlaced& why, Time now, Cases& cases) {
  if (told.options.discipline.name == "pf" || told.is_frozen() || told.draws_lots()) return;
  if (told.engine.user(why.user)->running > 0 || told.options.reservations) return;
  Engine twin = told.twin();
  for (const auto& [job, asked] : told.jobs) {
    if (asked.user == why.user && twin.job(job)) {
      ASSERT_TRUE(twin.apply(JobCancelled{job}, now));
    }
  }
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_EQ(placed && placed->preempted.empty(), why.runner_up.has_value());
  if (!why.runner_up) return;
  ASSERT_EQ(placed->job, why.runner_up->job);
  ASSERT_EQ(placed->user, why.runner_up->user);
  ++cases.second_users;
}

/// The order does not flip: who gains was below the level of its key afterwards, who lose stay at it.
void expect_force(const Told& told, const Engine& after, const Placed& placed, const WhyPlaced& why,
                  Cases& cases) {
  constexpr double kRounding = 1e-9;
  ++cases.by_force;
  const ByForce& force = *why.by_force;
  ASSERT_EQ(force.ends, placed.preempted);
  ASSERT_EQ(force.server, placed.server);
  ASSERT_GT(force.key_after, force.key_before);
  ASSERT_NEAR(why.key, force.key_before, kRounding * why.key);
  std::int64_t lost = 0;
  for (const ByForce::Loser& loser : force.losers) {
    lost += loser.tasks;
    ASSERT_NE(loser.user, placed.user);
    ASSERT_EQ(after.user(loser.user)->running, told.engine.user(loser.user)->running - loser.tasks);
    ASSERT_GE(loser.key_before, loser.key_after);
    ASSERT_GE(loser.key_after, force.key_after * (1 - kRounding));
  }
  ASSERT_EQ(lost, static_cast<std::int64_t>(placed.preempted.size()));
}

void expect_placed(const Told& told, const std::map<JobId, WhyWaiting>& all, Time now, Cases& cases) {
  Engine plain = told.twin();
  Engine explained = told.twin();
  Random draws_of_plain = told.draws;
  Random draws = told.draws;
  WhyPlaced why;
  const std::optional<Placed> placed = explained.step(now, draws, why);
  ASSERT_EQ(plain.step(now, draws_of_plain), placed);
  ASSERT_EQ(draws.bits(), draws_of_plain.bits());
  ASSERT_EQ(snapshot(explained), snapshot(plain));
  if (!placed) return;
  ++cases.placed;
  ASSERT_EQ(why.job, placed->job);
  ASSERT_EQ(why.user, placed->user);
  ASSERT_EQ(why.server, placed->server);
  ASSERT_EQ(why.free_before, told.engine.server(placed->server)->free);
  ASSERT_EQ(why.free_after, explained.server(placed->server)->free);
  cases.gangs += why.together > 1;
  ASSERT_EQ(why.together, static_cast<std::int64_t>(placed->with.size()) + 1);
  const auto& first = all.at(placed->job).served_first;
  ASSERT_EQ(why.kept_since, first ? std::optional(first->since) : std::nullopt);
  ASSERT_EQ(why.by_force.has_value(), !placed->preempted.empty());
  if (why.by_force) return expect_force(told, explained, *placed, why, cases);
  if (why.kept_since) {
    ++cases.on_kept;
    ASSERT_EQ(first->job, placed->job);
    if (!told.has_terms(placed->job) && !told.has_roles(placed->job)) {
      ASSERT_EQ(why.servers_with_room, 1);
    }
    return;
  }
  if (told.has_roles(placed->job)) return;
  Told::Kept kept;
  for (const auto& [job, each] : all) {
    if (!each.kept_for_it) continue;
    kept.emplace(each.kept_for_it->server, JobId{UINT64_MAX});
    for (const ServerId other : each.kept_for_it->others) kept.emplace(other, JobId{UINT64_MAX});
  }
  std::int64_t with_room = 0;
  for (const auto& [server, added] : told.servers) {
    const auto state = told.engine.server(server);
    if (state && (!why.kind || state->capacity == *why.kind))
      with_room += told.in_the_way(placed->job, server, kept) == InTheWay::nothing;
  }
  if (why.together == 1) {
    ASSERT_EQ(why.servers_with_room, with_room);
  } else {
    ASSERT_LE(why.servers_with_room, with_room);
  }
  ASSERT_EQ(why.runner_up_server.has_value(), why.servers_with_room > 1);
  if (told.options.discipline.name != "ps-dsf") {
    ASSERT_EQ(why.key, *all.at(placed->job).key);
  }
  std::set<UserId> waiting, fitting;
  for (const auto& [job, each] : all) {
    waiting.insert(each.user);
    if (each.has_room()) fitting.insert(each.user);
  }
  if (told.options.discipline.name != "ps-dsf") {
    ASSERT_EQ(why.users_waiting, static_cast<int>(waiting.size()));
  }
  if (!told.is_frozen()) {
    ASSERT_EQ(why.users_fitting, static_cast<int>(fitting.size()));
  }
  expect_second_server(told, why, now, cases);
  expect_second_user(told, why, now, cases);
}

class WhyPlacedRandomly : public testing::TestWithParam<std::string> {};

TEST_P(WhyPlacedRandomly, WhoIsSaidToComeSecondDoes) {
  Cases cases;
  for (std::uint64_t seed = 1; seed <= random_cases(400); ++seed) {
    SCOPED_TRACE(fmt::format("replay: {} seed {}", GetParam(), seed));
    Told told(GetParam(), seed);
    for (int moment = 0; moment < 5; ++moment) {
      const Time now = told.live_until_asked();
      ASSERT_NO_FATAL_FAILURE(expect_placed(told, told.ask_all(now), now, cases));
    }
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(cases.placed, 100);
  EXPECT_GT(cases.gangs, 5);
  EXPECT_GT(cases.on_kept, 1);
  static const std::set<std::string> preempting = {"drf", "asset", "round-robin", "pf", "tsf"};
  if (preempting.contains(GetParam())) {
    EXPECT_GT(cases.by_force, 2);
  }
  EXPECT_GT(cases.second_servers, 30);
  if (GetParam() != "pf") {
    EXPECT_GT(cases.second_users, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WhyPlacedRandomly, testing::ValuesIn(kEveryDiscipline),
                         [](const auto& which) { return test_name(which.param); });

}  // namespace
}  // namespace mirab::scheduling
