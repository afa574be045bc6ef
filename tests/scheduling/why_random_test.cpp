// Explanations are checked: on random engines what is said to be next is placed next, what is said to change
// it does, less does not, and asking changes nothing.
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <map>
#include <set>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/random_events.hpp"

namespace mirab::scheduling {
namespace {

EngineOptions options_of(const std::string& discipline, Random& random) {
  EngineOptions options = random_options(random);
  while (options.discipline.name != discipline) options = random_options(random);
  return options;
}

/// An engine that has lived through random events, and what it was told.
struct Lived {
  Lived(const std::string& discipline, std::uint64_t seed)
      : random(seed),
        draws(seed + 1),
        options(options_of(discipline, random)),
        engine(*Engine::from(options)),
        events(random, options.resources.size()) {}

  /// One event or step; what came of it.
  std::pair<LogEntry, std::optional<Outcome>> live() {
    LogEntry entry = events.next();
    const Result<Outcome> outcome = tell(engine, entry, draws);
    if (!outcome) return {entry, {}};
    events.learn(*outcome);
    remember(entry, *outcome);
    now = std::max(now, entry.now);
    return {entry, *outcome};
  }

  /// Two more servers alike, so that there is room, and a choice.
  void open_up() {
    ServerAdded added{.name = "a", .capacity = Amounts(options.resources.size(), 4), .labels = {}};
    for (int i = 0; i < 2; ++i) servers.emplace(*engine.apply(added, now), added);
  }

  void remember(const LogEntry& entry, const Outcome& outcome) {
    const auto* const event = std::get_if<Event>(&entry.what);
    if (const auto* const server = std::get_if<ServerId>(&outcome))
      servers.emplace(*server, std::get<ServerAdded>(*event));
    if (const auto* const job = std::get_if<JobId>(&outcome))
      jobs.emplace(*job, std::get<JobSubmitted>(*event));
    const auto* const placed = std::get_if<std::optional<Placed>>(&outcome);
    if (placed != nullptr && *placed) tasks.push_back(**placed);
  }

  bool is_frozen() const { return options.discipline.options.contains("blocking"); }
  bool draws_lots() const { return options.tie == Tie::random; }

  Random random;
  Random draws;
  EngineOptions options;
  Engine engine;
  RandomEvents events;
  Time now = Time(Duration(-5));
  std::map<ServerId, ServerAdded> servers;
  std::map<JobId, JobSubmitted> jobs;
  std::vector<Placed> tasks;
};

Engine twin_of(const Engine& engine) { return *restore(snapshot(engine)); }

/// What is in the way, from what the engine was told alone.
InTheWay plainly(const Lived& lived, JobId job, ServerId server) {
  const JobSubmitted& asked = lived.jobs.at(job);
  const ServerAdded& added = lived.servers.at(server);
  const Engine::ServerState state = *lived.engine.server(server);
  if (asked.servers && std::count(asked.servers->begin(), asked.servers->end(), added.name) == 0)
    return InTheWay::name;
  for (const auto& [label, values] : asked.select) {
    const auto found = added.labels.find(label);
    if (found == added.labels.end() || std::count(values.begin(), values.end(), found->second) == 0)
      return InTheWay::label;
  }
  const auto own = asked.demand_on.find(added.name);
  const Amounts& demand = own == asked.demand_on.end() ? asked.demand : own->second;
  const auto fits = [&](const Amounts& of) {
    return std::equal(demand.begin(), demand.end(), of.begin(), std::less_equal<>());
  };
  if (!fits(state.capacity)) return InTheWay::too_small;
  if (state.drained) return InTheWay::drained;
  return fits(state.free) ? InTheWay::nothing : InTheWay::full;
}

WhyWaiting::Servers count_plainly(const Lived& lived, JobId job) {
  WhyWaiting::Servers servers;
  servers.lacking.assign(lived.options.resources.size(), 0);
  servers.too_small_in = servers.lacking;
  for (const auto& [server, added] : lived.servers) {
    const auto state = lived.engine.server(server);
    if (!state) continue;
    const JobSubmitted& asked = lived.jobs.at(job);
    const auto own = asked.demand_on.find(added.name);
    const Amounts& demand = own == asked.demand_on.end() ? asked.demand : own->second;
    const InTheWay reason = plainly(lived, job, server);
    servers.with_room += reason == InTheWay::nothing;
    servers.not_allowed += reason == InTheWay::name || reason == InTheWay::label;
    servers.too_small += reason == InTheWay::too_small;
    servers.drained += reason == InTheWay::drained;
    servers.full += reason == InTheWay::full;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      servers.lacking[r] += reason == InTheWay::full && demand[r] > state->free[r];
      servers.too_small_in[r] += reason == InTheWay::too_small && demand[r] > state->capacity[r];
    }
  }
  return servers;
}

std::map<JobId, WhyWaiting> ask_all(const Lived& lived, Time now) {
  std::map<JobId, WhyWaiting> all;
  for (const auto& [job, asked] : lived.jobs) {
    if (const auto why = lived.engine.why_waiting(job, now)) all.emplace(job, *why);
  }
  return all;
}

/// How often each sentence was put to the test.
struct Cases {
  int next = 0, refused = 0, freed = 0, finished = 0, weighted = 0, second_servers = 0, second_users = 0;
};

void expect_counts(const Lived& lived, const std::map<JobId, WhyWaiting>& all) {
  for (const auto& [job, why] : all) {
    const WhyWaiting::Servers& servers = why.servers;
    ASSERT_EQ(servers, count_plainly(lived, job));
    ASSERT_EQ(servers.with_room + servers.not_allowed + servers.too_small + servers.drained + servers.full,
              static_cast<std::int64_t>(lived.engine.server_count()));
    std::int64_t excluded = 0;
    for (const WhyWaiting::Constraint& each : why.constraints) {
      ASSERT_LE(each.alone, each.excludes);
      ASSERT_LE(each.excludes, servers.not_allowed);
      excluded += each.excludes;
    }
    ASSERT_GE(excluded, servers.not_allowed);
    for (const auto& [server, added] : lived.servers) {
      const auto there = lived.engine.why_not_on(job, server);
      ASSERT_EQ(there.has_value(), lived.engine.server(server).has_value());
      if (there) {
        ASSERT_EQ(there->reason, plainly(lived, job, server));
      }
    }
  }
}

/// Which job is next, against what a step does.
void expect_next(const Lived& lived, const std::map<JobId, WhyWaiting>& all, Time now, Cases& cases) {
  Engine twin = twin_of(lived.engine);
  Random draws = lived.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  for (const auto& [job, why] : all) {
    if (!why.is_next()) continue;
    ASSERT_TRUE(placed);
    ASSERT_EQ(placed->job, job);
  }
  if (!placed) {
    ++cases.refused;
    return;
  }
  ++cases.next;
  const WhyWaiting& why = all.at(placed->job);
  EXPECT_EQ(why.users_ahead + why.own_ahead + why.older_jobs, 0);
  EXPECT_GT(why.servers.with_room, 0);
  EXPECT_FALSE(why.blocked_by);
  if (!lived.draws_lots()) {
    EXPECT_TRUE(why.is_next());
  }
}

/// The missing amounts, given, make room; one unit less does not; and when the job is next then it runs
/// there.
void expect_miss(const Lived& lived, JobId job, const WhyWaiting& why, Time now, Cases& cases) {
  const WhyWaiting::NearestMiss& miss = *why.nearest_miss;
  Engine twin = twin_of(lived.engine);
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
  Random draws = lived.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->job, job);
  if (then.servers.with_room == 1) {
    ASSERT_EQ(placed->server, miss.server);
  }
}

/// Tasks end there, one after the other: there is room as soon as what was missing has come free.
void expect_miss_by_ending(const Lived& lived, JobId job, const WhyWaiting& why, Time now, Cases& cases) {
  const WhyWaiting::NearestMiss& miss = *why.nearest_miss;
  Engine twin = twin_of(lived.engine);
  const Amounts free_before = twin.server(miss.server)->free;
  for (const Placed& task : lived.tasks) {
    if (task.server != miss.server || twin.apply(TaskFinished{task.task}, now)) continue;
    const Amounts free = twin.server(miss.server)->free;
    bool enough = true;
    for (std::size_t r = 0; r < free.size(); ++r)
      enough = enough && free[r] - free_before[r] >= miss.to_free[r];
    ASSERT_EQ(twin.why_not_on(job, miss.server)->reason == InTheWay::nothing, enough);
    ++cases.finished;
  }
}

Check reweight(Engine& engine, UserId user, double weight, Time now) {
  return engine.apply(
      UserReweighted{.user = user, .weight = *Quantity::parse(fmt::format("{:.12g}", weight))}, now);
}

void expect_weight(const Lived& lived, JobId job, const WhyWaiting& why, Time now, Cases& cases) {
  Engine less = twin_of(lived.engine);
  ASSERT_FALSE(reweight(less, why.user, *why.with_weight * (1 - 1e-9), now));
  const WhyWaiting still = *less.why_waiting(job, now);
  ASSERT_GT(still.users_ahead + still.users_tied, 0);

  Engine twin = twin_of(lived.engine);
  ASSERT_FALSE(reweight(twin, why.user, *why.with_weight * (1 + 1e-9), now));
  const WhyWaiting then = *twin.why_waiting(job, now);
  ASSERT_EQ(then.users_ahead, 0);
  ASSERT_EQ(then.users_tied, 0);
  ++cases.weighted;
  Random draws = lived.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  if (then.servers.with_room == 0 || then.blocked_by) return;
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->user, why.user);
  if (then.is_next()) {
    ASSERT_EQ(placed->job, job);
  }
}

/// With the chosen server drained the second choice is taken.
void expect_second_server(const Lived& lived, const WhyPlaced& why, Time now, Cases& cases) {
  if (lived.options.placement.name == "random" || lived.draws_lots() || !why.runner_up_server) return;
  Engine twin = twin_of(lived.engine);
  ASSERT_FALSE(twin.apply(ServerDrained{why.server}, now));
  Random draws = lived.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_TRUE(placed);
  ASSERT_EQ(placed->job, why.job);
  ASSERT_EQ(placed->server, *why.runner_up_server);
  ++cases.second_servers;
  if (!why.measure) return;
  if (lived.options.placement.name == "worst-fit") {
    ASSERT_GE(why.measure->chosen, *why.measure->runner_up);
  } else {
    ASSERT_LE(why.measure->chosen, *why.measure->runner_up);
  }
}

/// Without the jobs of the served user, when nothing of them runs, the runner-up is served.
void expect_second_user(const Lived& lived, const WhyPlaced& why, Time now, Cases& cases) {
  if (lived.options.discipline.name == "pf" || lived.is_frozen() || lived.draws_lots()) return;
  if (lived.engine.user(why.user)->running > 0) return;
  Engine twin = twin_of(lived.engine);
  for (const auto& [job, asked] : lived.jobs) {
    if (asked.user == why.user && twin.job(job)) {
      ASSERT_TRUE(twin.apply(JobCancelled{job}, now));
    }
  }
  Random draws = lived.draws;
  const std::optional<Placed> placed = twin.step(now, draws);
  ASSERT_EQ(placed.has_value(), why.runner_up.has_value());
  if (!placed) return;
  ASSERT_EQ(placed->job, why.runner_up->job);
  ASSERT_EQ(placed->user, why.runner_up->user);
  ++cases.second_users;
}

void expect_placed(const Lived& lived, const std::map<JobId, WhyWaiting>& all, Time now, Cases& cases) {
  Engine plain = twin_of(lived.engine);
  Engine explained = twin_of(lived.engine);
  Random draws_of_plain = lived.draws;
  Random draws = lived.draws;
  WhyPlaced why;
  const std::optional<Placed> placed = explained.step(now, draws, why);
  ASSERT_EQ(plain.step(now, draws_of_plain), placed);
  ASSERT_EQ(draws.bits(), draws_of_plain.bits());
  ASSERT_EQ(snapshot(explained), snapshot(plain));
  if (!placed) return;
  ASSERT_EQ(why.job, placed->job);
  ASSERT_EQ(why.user, placed->user);
  ASSERT_EQ(why.server, placed->server);
  ASSERT_EQ(why.free_before, lived.engine.server(placed->server)->free);
  ASSERT_EQ(why.free_after, explained.server(placed->server)->free);
  std::int64_t with_room = 0;
  for (const auto& [server, added] : lived.servers) {
    const auto state = lived.engine.server(server);
    if (state && (!why.kind || state->capacity == *why.kind))
      with_room += plainly(lived, placed->job, server) == InTheWay::nothing;
  }
  ASSERT_EQ(why.servers_with_room, with_room);
  ASSERT_EQ(why.runner_up_server.has_value(), with_room > 1);
  ASSERT_EQ(why.key, *all.at(placed->job).key);
  std::set<UserId> waiting, fitting;
  for (const auto& [job, each] : all) {
    waiting.insert(each.user);
    if (each.servers.with_room > 0) fitting.insert(each.user);
  }
  if (lived.options.discipline.name != "ps-dsf") {
    ASSERT_EQ(why.users_waiting, static_cast<int>(waiting.size()));
  }
  if (!lived.is_frozen()) {
    ASSERT_EQ(why.users_fitting, static_cast<int>(fitting.size()));
  }
  expect_second_server(lived, why, now, cases);
  expect_second_user(lived, why, now, cases);
}

class Why : public testing::TestWithParam<const char*> {};

TEST_P(Why, WhatIsSaidIsTrueOfRandomEngines) {
  Cases cases;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(fmt::format("replay: {} seed {}", GetParam(), seed));
    Lived lived(GetParam(), seed);
    for (int moment = 0; moment < 5; ++moment) {
      for (int i = 0; i < 30; ++i) lived.live();
      if (lived.random.below(2) == 0) lived.open_up();
      const Time now = lived.now + Duration(lived.random.below(2) * lived.random.below(500));
      const std::string before = snapshot(lived.engine);
      const std::map<JobId, WhyWaiting> all = ask_all(lived, now);
      ASSERT_EQ(snapshot(lived.engine), before) << "asking changes nothing";
      ASSERT_NO_FATAL_FAILURE(expect_counts(lived, all));
      ASSERT_NO_FATAL_FAILURE(expect_next(lived, all, now, cases));
      ASSERT_NO_FATAL_FAILURE(expect_placed(lived, all, now, cases));
      if (all.empty()) continue;
      const auto& [job, why] = *std::next(all.begin(), static_cast<long>(lived.random.below(all.size())));
      if (why.nearest_miss) {
        ASSERT_NO_FATAL_FAILURE(expect_miss(lived, job, why, now, cases));
        ASSERT_NO_FATAL_FAILURE(expect_miss_by_ending(lived, job, why, now, cases));
      }
      for (const auto& [other, of_other] : all) {
        if (of_other.with_weight) {
          ASSERT_NO_FATAL_FAILURE(expect_weight(lived, other, of_other, now, cases));
        }
      }
    }
  }
  SCOPED_TRACE(fmt::format("{} next, {} nothing, {} freed, {} ended, {} weighted, {} servers, {} users",
                           cases.next, cases.refused, cases.freed, cases.finished, cases.weighted,
                           cases.second_servers, cases.second_users));
  if (std::getenv("MIRAB_SHOW_CASES") != nullptr) ADD_FAILURE();
  EXPECT_GT(cases.next, 100);
  EXPECT_GT(cases.refused, 30);
  EXPECT_GT(cases.freed, 50);
  EXPECT_GT(cases.finished, 50);
  EXPECT_GT(cases.second_servers, 30);
}

// Two engines live through the same, one of them is asked all the time.
TEST_P(Why, DecisionsAreTheSameWithAndWithoutAsking) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("replay: {} seed {}", GetParam(), seed));
    Lived lived(GetParam(), seed);
    Engine unasked = *Engine::from(lived.options);
    Random draws(seed + 1);
    for (int i = 0; i < 150; ++i) {
      for (const auto& [job, why] : ask_all(lived, lived.now)) ASSERT_GT(why.waiting, 0);
      const auto [entry, outcome] = lived.live();
      const Result<Outcome> plain = tell(unasked, entry, draws);
      ASSERT_EQ(static_cast<bool>(plain), outcome.has_value());
      if (plain) {
        ASSERT_EQ(*plain, *outcome);
      }
    }
    ASSERT_EQ(snapshot(unasked), snapshot(lived.engine));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Why,
                         testing::Values("fifo", "round-robin", "drf", "asset", "pf", "tsf", "ps-dsf",
                                         "mlf-drs", "mrfs"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace mirab::scheduling
