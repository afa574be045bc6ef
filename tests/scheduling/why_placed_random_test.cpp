// Why a task was placed is checked: on random engines the decision is the one that would have been made
// anyhow, and who is said to come second comes first when the first is taken away.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/told.hpp"

namespace mirab::scheduling {
namespace {

/// How often each sentence was put to the test.
struct Cases {
  int placed = 0, second_servers = 0, second_users = 0;
};

/// With the chosen server drained the second choice is taken.
void expect_second_server(const Told& told, const WhyPlaced& why, Time now, Cases& cases) {
  if (told.options.placement.name == "random" || told.draws_lots() || !why.runner_up_server) return;
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
  if (told.engine.user(why.user)->running > 0) return;
  Engine twin = told.twin();
  for (const auto& [job, asked] : told.jobs) {
    if (asked.user == why.user && twin.job(job)) {
      ASSERT_TRUE(twin.apply(JobCancelled{job}, now));
    }
  }
  Random draws = told.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_EQ(placed.has_value(), why.runner_up.has_value());
  if (!placed) return;
  ASSERT_EQ(placed->job, why.runner_up->job);
  ASSERT_EQ(placed->user, why.runner_up->user);
  ++cases.second_users;
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
  std::int64_t with_room = 0;
  for (const auto& [server, added] : told.servers) {
    const auto state = told.engine.server(server);
    if (state && (!why.kind || state->capacity == *why.kind))
      with_room += told.in_the_way(placed->job, server) == InTheWay::nothing;
  }
  ASSERT_EQ(why.servers_with_room, with_room);
  ASSERT_EQ(why.runner_up_server.has_value(), with_room > 1);
  ASSERT_EQ(why.key, *all.at(placed->job).key);
  std::set<UserId> waiting, fitting;
  for (const auto& [job, each] : all) {
    waiting.insert(each.user);
    if (each.servers.with_room > 0) fitting.insert(each.user);
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
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(fmt::format("replay: {} seed {}", GetParam(), seed));
    Told told(GetParam(), seed);
    for (int moment = 0; moment < 5; ++moment) {
      for (int i = 0; i < 30; ++i) told.live();
      if (told.random.below(2) == 0) told.open_up();
      const Time now = told.now + Duration(told.random.below(2) * told.random.below(500));
      ASSERT_NO_FATAL_FAILURE(expect_placed(told, told.ask_all(now), now, cases));
    }
  }
  EXPECT_GT(cases.placed, 100);
  EXPECT_GT(cases.second_servers, 30);
  if (GetParam() != "pf") {
    EXPECT_GT(cases.second_users, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WhyPlacedRandomly, testing::ValuesIn(kEveryDiscipline),
                         [](const auto& which) { return test_name(which.param); });

}  // namespace
}  // namespace mirab::scheduling
