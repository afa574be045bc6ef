// What counts as a share: scaled parts, and usage that decays, against a reference that integrates from the
// beginning.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>

#include <mirab/scheduling/event_log.hpp>

#include "random_cases.hpp"
#include "scheduling/engines.hpp"
#include "scheduling/random_events.hpp"

namespace mirab::scheduling {
namespace {

EngineOptions options_for(const std::string& discipline) {
  return {.resources = {"cpu", "memory"},
          .discipline = {.name = discipline, .options = {}, .text = discipline},
          .placement = {.name = "first-fit", .options = {}, .text = "first-fit"}};
}

std::string key_of_error(const EngineOptions& options) {
  const Result<Engine> engine = Engine::from(options);
  return engine ? "" : engine.error().key;
}

Time shares_at(std::int64_t nanoseconds) { return Time(Duration(nanoseconds)); }

TEST(Shares, AnOptionThatTheDisciplineDoesNotHonourIsAnError) {
  for (const DisciplineInfo& row : disciplines()) {
    const std::string discipline(row.name);
    const bool of_pool = discipline == "drf" || discipline == "asset";
    EngineOptions options = options_for(discipline);
    options.share_scale = {Quantity(1), Quantity(2)};
    EXPECT_EQ(key_of_error(options), of_pool || discipline == "ps-dsf" ? "" : "share_scale") << discipline;
    options = options_for(discipline);
    options.half_life = Duration(1);
    EXPECT_EQ(key_of_error(options), of_pool ? "" : "half_life") << discipline;
  }
}

TEST(Shares, ScalesAndHalfLivesThatMakeNoSenseAreErrors) {
  EngineOptions options = options_for("drf");
  options.share_scale = {Quantity(1)};
  EXPECT_EQ(key_of_error(options), "share_scale");
  options.share_scale = {Quantity(0), Quantity(0)};
  EXPECT_EQ(key_of_error(options), "share_scale");
  options.share_scale = {*Quantity::parse("1e-15"), *Quantity::parse("1e15")};
  EXPECT_EQ(key_of_error(options), "share_scale");
  options.share_scale = {};
  for (const std::int64_t half_life : {0, -1}) {
    options.half_life = Duration(half_life);
    EXPECT_EQ(key_of_error(options), "half_life");
  }
}

/// Two users of a server with 100 of each resource: A's tasks take 2 CPUs, B's 1 memory.
struct Two {
  explicit Two(const EngineOptions& options) : engine(*Engine::from(options)) {
    EXPECT_TRUE(engine.apply(ServerAdded{.name = "s", .capacity = {100, 100}}, shares_at(0)));
    a = *engine.apply(UserAdded{.name = "A"}, shares_at(0));
    b = *engine.apply(UserAdded{.name = "B"}, shares_at(0));
    EXPECT_TRUE(engine.apply(JobSubmitted{.user = a, .demand = {2, 0}, .tasks = 1000}, shares_at(0)));
    EXPECT_TRUE(engine.apply(JobSubmitted{.user = b, .demand = {0, 1}, .tasks = 1000}, shares_at(0)));
  }
  /// The tasks of A among the next `count`.
  int of_a(int count, Time now) {
    int served = 0;
    for (int i = 0; i < count; ++i) served += engine.step(now, random)->user == a ? 1 : 0;
    return served;
  }
  Engine engine;
  Random random{1};
  UserId a, b;
};

TEST(Shares, AScaleCountsThePartsOfAResource) {
  for (const std::string discipline : {"drf", "asset", "ps-dsf"}) {
    EngineOptions options = options_for(discipline);
    EXPECT_EQ(Two(options).of_a(30, shares_at(0)), 10) << discipline;  // 2 tasks of B for one of A
    options.share_scale = {Quantity(2), Quantity(1)};
    EXPECT_EQ(Two(options).of_a(30, shares_at(0)), 6) << discipline;  // 4 for one
    options.share_scale = {*Quantity::parse("0.25"), *Quantity::parse("0.5")};
    EXPECT_EQ(Two(options).of_a(30, shares_at(0)), 15) << discipline;  // one for one
    options.share_scale = {Quantity(0), Quantity(1)};
    EXPECT_EQ(Two(options).of_a(30, shares_at(0)), 30)
        << discipline;  // A never has a share, and ties go to it
  }
}

TEST(Shares, TheShareOfAUserIsScaledWhereItIsTold) {
  EngineOptions options = options_for("drf");
  options.share_scale = {Quantity(3), Quantity(1)};
  Two two(options);
  two.of_a(1, shares_at(0));
  EXPECT_DOUBLE_EQ(two.engine.user(two.a)->dominant_share, 0.06);
  EXPECT_FALSE(two.engine.user(two.a)->decayed_share);
}

TEST(Shares, AShareThatStaysTendsToItselfAndHalvesInAHalfLifeAfterwards) {
  EngineOptions options = options_for("drf");
  options.half_life = Duration(1000);
  Two two(options);
  const TaskId task = two.engine.step(shares_at(0), two.random)->task;
  EXPECT_EQ(two.engine.user(two.a)->decayed_share, 0.0);
  const auto tick = [&](std::int64_t time) {
    EXPECT_TRUE(two.engine.apply(UserAdded{.name = "tick"}, shares_at(time)));
    return *two.engine.user(two.a)->decayed_share;
  };
  EXPECT_DOUBLE_EQ(tick(1000), 0.01);
  EXPECT_DOUBLE_EQ(tick(2000), 0.015);
  EXPECT_NEAR(tick(100'000), 0.02, 1e-15);
  EXPECT_FALSE(two.engine.apply(TaskFinished{task}, shares_at(100'000)));
  EXPECT_NEAR(tick(101'000), 0.01, 1e-15);
}

TEST(Shares, WhoUsedLittleLatelyIsServedFirst) {
  EngineOptions options = options_for("drf");
  options.half_life = Duration(1000);
  Two two(options);
  EXPECT_EQ(two.of_a(30, shares_at(0)), 10);  // U is 0 for both: present shares decide
  // After a while A, with less, is behind nobody: 10 tasks of A and 20 of B are the same share.
  const UserId late = *two.engine.apply(UserAdded{.name = "late"}, shares_at(500));
  ASSERT_TRUE(two.engine.apply(JobSubmitted{.user = late, .demand = {1, 1}, .tasks = 40}, shares_at(500)));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(two.engine.step(shares_at(500), two.random)->user, late) << i;
  // Its share is the largest now, and soon its usage too.
  ASSERT_TRUE(two.engine.apply(JobSubmitted{.user = late, .demand = {1, 1}, .tasks = 40}, shares_at(500)));
  EXPECT_EQ(two.engine.step(shares_at(510), two.random)->user, late);
  EXPECT_NE(two.engine.step(shares_at(5000), two.random)->user, late);
}

/// What each user's share was, and since when.
struct History {
  std::map<UserId, std::vector<std::pair<Time, double>>> shares;

  void note(const Engine& engine, const std::vector<UserId>& users, Time now) {
    for (const UserId user : users) {
      if (const auto state = engine.user(user)) shares[user].emplace_back(now, state->dominant_share);
    }
  }
  /// (ln 2 / h) ∫ s 2^{-(t-τ)/h} dτ, piece by piece.
  double usage(UserId user, Time now, Duration half_life) const {
    const auto h = static_cast<double>(half_life.count());
    const auto left = [&](Time time) {
      return std::exp(-std::numbers::ln2 * static_cast<double>((now - time).count()) / h);
    };
    double sum = 0;
    const auto& pieces = shares.at(user);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Time end = i + 1 < pieces.size() ? pieces[i + 1].first : now;
      sum += pieces[i].second * (left(end) - left(pieces[i].first));
    }
    return sum;
  }
};

TEST(Shares, DecayedUsageIsTheIntegralWhateverComes) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    Random random(seed);
    EngineOptions options = options_for("drf");
    if (seed % 2 == 0) options.share_scale = {Quantity(2), *Quantity::parse("0.3")};
    options.half_life = Duration(100 + random.below(20'000));
    Engine engine = *Engine::from(options);
    RandomEvents events(random, 2);
    History history;
    std::vector<UserId> users;
    for (int i = 0; i < 400; ++i) {
      const LogEntry entry = events.next();
      const Result<Outcome> outcome = tell(engine, entry, random);
      if (!outcome) continue;
      events.learn(*outcome);
      if (const auto* const user = std::get_if<UserId>(&*outcome)) users.push_back(*user);
      history.note(engine, users, entry.now);
      for (const UserId user : users) {
        const auto state = engine.user(user);
        if (!state) continue;
        ASSERT_NEAR(*state->decayed_share, history.usage(user, entry.now, *options.half_life), 1e-12)
            << "seed " << seed << " event " << i;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10'000);
}

/// A few servers and users of different weights, whose jobs come and whose tasks end at random.
struct Traffic {
  explicit Traffic(std::uint64_t seed) : random(seed), half_life(Duration(100 + random.below(5'000))) {
    EngineOptions options = options_for("drf");
    options.half_life = half_life;
    engine.emplace(*Engine::from(options));
    for (int server = 0; server < 3; ++server)
      EXPECT_TRUE(engine->apply(ServerAdded{.name = "s", .capacity = {20, 20}}, now));
    for (const char* const weight : {"1", "2", "0.5", "1"}) {
      users.push_back(*engine->apply(UserAdded{.name = weight, .weight = *Quantity::parse(weight)}, now));
      weights.push_back(std::stod(weight));
    }
  }

  void submit() {
    const Amounts demand = {static_cast<std::int64_t>(1 + random.below(3)),
                            static_cast<std::int64_t>(1 + random.below(3))};
    const UserId user = users[random.below(users.size())];
    const std::int64_t tasks = 1 + static_cast<std::int64_t>(random.below(6));
    jobs.emplace_back(*engine->apply(JobSubmitted{.user = user, .demand = demand, .tasks = tasks}, now),
                      user);
  }
  void finish() {
    if (running.empty()) return;
    std::swap(running[random.below(running.size())], running.back());
    EXPECT_FALSE(engine->apply(TaskFinished{running.back()}, now));
    running.pop_back();
  }
  bool has_task_that_fits(UserId user) const {
    return std::any_of(jobs.begin(), jobs.end(),
                       [&](const auto& job) { return job.second == user && engine->fits(job.first); });
  }

  Random random;
  Duration half_life;
  Time now{};
  std::optional<Engine> engine;
  std::vector<UserId> users;
  std::vector<double> weights;
  std::vector<std::pair<JobId, UserId>> jobs;
  std::vector<TaskId> running;
};

// The order of docs/reference/engine.md: U / φ at a time at most h / 1024 before the step.
TEST(Shares, OfThoseWhoseTasksFitWhoUsedLeastLatelyIsServed) {
  int told_apart = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    Traffic traffic(seed);
    History history;
    for (int i = 0; i < 300; ++i) {
      traffic.now += Duration(traffic.random.below(200));
      if (traffic.random.below(3) == 0) {
        traffic.submit();
      } else {
        traffic.finish();
      }
      history.note(*traffic.engine, traffic.users, traffic.now);
      std::vector<double> usage, slack;
      std::vector<bool> fits;
      for (std::size_t n = 0; n < traffic.users.size(); ++n) {
        const double used = history.usage(traffic.users[n], traffic.now, traffic.half_life);
        const double share = traffic.engine->user(traffic.users[n])->dominant_share;
        usage.push_back(used / traffic.weights[n]);
        slack.push_back(std::numbers::ln2 / 1024 * std::max(used, share) / traffic.weights[n] + 1e-12);
        fits.push_back(traffic.has_task_that_fits(traffic.users[n]));
      }
      const std::optional<Placed> placed = traffic.engine->step(traffic.now, traffic.random);
      ASSERT_EQ(placed.has_value(), std::find(fits.begin(), fits.end(), true) != fits.end());
      if (!placed) continue;
      traffic.running.push_back(placed->task);
      const auto served = static_cast<std::size_t>(
          std::find(traffic.users.begin(), traffic.users.end(), placed->user) - traffic.users.begin());
      for (std::size_t n = 0; n < traffic.users.size(); ++n) {
        if (!fits[n] || n == served) continue;
        ASSERT_LE(usage[served], usage[n] + slack[served] + slack[n]) << "seed " << seed << " step " << i;
        told_apart += usage[served] < usage[n] - slack[served] - slack[n] ? 1 : 0;
      }
      history.note(*traffic.engine, traffic.users, traffic.now);
    }
  }
  EXPECT_GT(told_apart, 1'000);
}

/// With freeze and a half-life: B's task of the whole server waits, and A's is behind or before it.
struct Frozen {
  explicit Frozen(Duration half_life) {
    EngineOptions options = options_for("drf");
    options.discipline = choice("drf:blocking=freeze");
    options.half_life = half_life;
    engine.emplace(*Engine::from(options));
    EXPECT_TRUE(engine->apply(ServerAdded{.name = "s", .capacity = {100, 100}}, shares_at(0)));
    a = *engine->apply(UserAdded{.name = "A"}, shares_at(0));
    b = *engine->apply(UserAdded{.name = "B"}, shares_at(0));
  }
  JobId job(UserId user, std::int64_t cpus, Time now) {
    return *engine->apply(JobSubmitted{.user = user, .demand = {cpus, 0}}, now);
  }
  std::optional<Placed> step(Time now) { return engine->step(now, random); }

  std::optional<Engine> engine;
  Random random{1};
  UserId a, b;
};

TEST(Shares, TimeAloneChangesNothingWhereOneUserWaits) {
  Frozen frozen(Duration(1000));
  frozen.job(frozen.a, 60, shares_at(0));
  ASSERT_TRUE(frozen.step(shares_at(0)));
  frozen.job(frozen.b, 60, shares_at(10));
  EXPECT_FALSE(frozen.step(shares_at(10)));
  EXPECT_FALSE(frozen.engine->next_by_time());
}

// A used 60 CPUs until 2,000 and waits for 40; B runs 20 from then on and waits for 90, which has no room. U
// of A falls from 0.45 and that of B rises to 0.2: they are equal where 0.45 y = 0.2 (1 - y), y =
// 2^-(t/1000).
TEST(Shares, TheNextStepIsWhereTwoWhoWaitChangePlaces) {
  Frozen frozen(Duration(1000));
  frozen.job(frozen.a, 60, shares_at(0));
  const TaskId task = frozen.step(shares_at(0))->task;
  ASSERT_FALSE(frozen.engine->apply(TaskFinished{task}, shares_at(2000)));
  frozen.job(frozen.b, 20, shares_at(2000));
  ASSERT_TRUE(frozen.step(shares_at(2000)));
  frozen.job(frozen.b, 90, shares_at(2000));
  const JobId small = frozen.job(frozen.a, 40, shares_at(2000));
  EXPECT_FALSE(frozen.step(shares_at(2000)));
  const std::optional<Time> next = frozen.engine->next_by_time();
  ASSERT_TRUE(next);
  const double crossing = 2000 + 1000 * std::log2(0.65 / 0.2);
  EXPECT_EQ(next->time_since_epoch().count(), static_cast<std::int64_t>(crossing)) << "or a ns later";
  EXPECT_FALSE(frozen.step(*next));
  const std::optional<Time> after = frozen.engine->next_by_time();
  ASSERT_TRUE(after);
  EXPECT_EQ(*after - *next, Duration(1));
  const std::optional<Placed> placed = frozen.step(*after);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->job, small);
  EXPECT_FALSE(frozen.engine->next_by_time()) << "B alone waits";
}

// Of random traffic: between two events nothing is placed before the time that is named.
TEST(Shares, NothingIsPlacedBeforeTheNextTimeThatIsTold) {
  int placed_by_time = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(20); ++seed) {
    Random random(seed);
    Frozen frozen(Duration(2'048));
    std::vector<TaskId> running;
    const UserId users[] = {frozen.a, frozen.b, *frozen.engine->apply(UserAdded{.name = "C"}, shares_at(0))};
    std::int64_t now = 0;
    const auto settle = [&] {
      while (const auto placed = frozen.step(shares_at(now))) running.push_back(placed->task);
    };
    for (int i = 0; i < 100; ++i) {
      if (!running.empty() && random.below(2) == 0) {
        std::swap(running[random.below(running.size())], running.back());
        ASSERT_FALSE(frozen.engine->apply(TaskFinished{running.back()}, shares_at(now)));
        running.pop_back();
      } else {
        frozen.job(users[random.below(3)], static_cast<std::int64_t>(5 + random.below(90)), shares_at(now));
      }
      settle();
      for (std::int64_t end = now + 1 + static_cast<std::int64_t>(random.below(2'000)); now < end; ++now) {
        const std::optional<Time> next = frozen.engine->next_by_time();
        const auto placed = frozen.step(shares_at(now + 1));
        if (!placed) continue;
        EXPECT_TRUE(next && *next <= shares_at(now + 1)) << "seed " << seed << " at " << now + 1;
        running.push_back(placed->task);
        ++placed_by_time;
        ++now;
        settle();
      }
    }
  }
  if (!kIsSanitized) {
    EXPECT_GT(placed_by_time, 10);
  }
}

}  // namespace
}  // namespace mirab::scheduling
