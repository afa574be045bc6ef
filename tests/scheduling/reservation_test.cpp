// A large task that waited for long enough gets a server kept for it (docs/reference/engine.md,
// "Reservations").

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_cases.hpp"
#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

Duration reservation_ns(std::int64_t count) { return Duration(count); }
Time reservation_at(std::int64_t count) { return Time(Duration(count)); }

/// An engine of the discipline drf that keeps servers, on first-fit, with one resource or more.
struct KeepingEngine : SmallEngine {
  explicit KeepingEngine(const Reserving& rule, std::size_t resources = 1,
                         const std::string& discipline = "drf")
      : SmallEngine(discipline, "first-fit", resources, Tie::first, Oversized::wait) {
    EngineOptions options{.resources = {},
                          .discipline = choice(discipline),
                          .placement = choice("first-fit"),
                          .oversized = Oversized::wait,
                          .reservations = rule};
    for (std::size_t r = 0; r < resources; ++r) options.resources.push_back("r" + std::to_string(r));
    engine = *Engine::from(options);
  }

  void finish(TaskId task) { ASSERT_FALSE(engine.apply(TaskFinished{task}, now)); }

  ServerId add(const Amounts& capacity, const std::map<std::string, std::string>& labels) {
    added.emplace_back(capacity, labels);
    return *engine.apply(ServerAdded{.name = "s", .capacity = capacity, .labels = labels}, now);
  }

  /// Could the job start if nothing ran? As an engine with Oversized::refuse says it.
  bool possible(const JobSubmitted& job) const {
    Engine empty = *Engine::from({.resources = engine.options().resources,
                                  .discipline = choice("drf"),
                                  .placement = choice("first-fit")});
    for (const auto& [capacity, labels] : added)
      EXPECT_TRUE(empty.apply(ServerAdded{.name = "s", .capacity = capacity, .labels = labels}, {}));
    JobSubmitted its = job;
    its.user = *empty.apply(UserAdded{.name = "u"}, {});
    return static_cast<bool>(empty.apply(its, {}));
  }

  std::vector<ServerId> kept_for(JobId job) const {
    std::vector<ServerId> servers;
    for (const Reservation& each : engine.reservations())
      if (each.job == job) servers.push_back(each.server);
    return servers;
  }

  std::vector<ServerId> kept() const {
    std::vector<ServerId> servers;
    for (const Reservation& each : engine.reservations()) servers.push_back(each.server);
    return servers;
  }

  std::vector<std::pair<Amounts, std::map<std::string, std::string>>> added = {};  // by add()
};

/// Two servers of 2 units, on which one user's tasks of 1 unit and 4 ns follow each other without end, the
/// ends spread over time; another user's task of 2 units waits from the beginning. When it starts; nothing
/// when it has not by 1,000 ns.
std::optional<Time> start_of_the_large_task(const std::optional<Reserving>& rule) {
  EngineOptions options{.resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  options.reservations = rule;
  Engine engine = *Engine::from(options);
  Random random(1);
  for (int server = 0; server < 2; ++server)
    EXPECT_TRUE(engine.apply(ServerAdded{.name = "s", .capacity = {2}}, reservation_at(0)));
  const UserId small = *engine.apply(UserAdded{.name = "small"}, reservation_at(0));
  const UserId large = *engine.apply(UserAdded{.name = "large"}, reservation_at(0));
  EXPECT_TRUE(engine.apply(JobSubmitted{.user = small, .demand = {1}, .tasks = 10'000}, reservation_at(0)));
  std::vector<std::pair<std::int64_t, TaskId>> running;  // ends
  for (std::int64_t now = 0; now < 1'000; ++now) {
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (running[i].first != now) continue;
      EXPECT_FALSE(engine.apply(TaskFinished{running[i].second}, reservation_at(now)));
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i--));
    }
    while (const auto placed = engine.step(reservation_at(now), random)) {
      if (placed->user == large) return reservation_at(now);
      running.emplace_back(now == 0 ? 1 + static_cast<std::int64_t>(running.size()) : now + 4, placed->task);
    }
    if (now > 0) continue;
    EXPECT_TRUE(engine.apply(JobSubmitted{.user = large, .demand = {2}}, reservation_at(now)));
  }
  return {};
}

TEST(Reservation, WithoutOneALargeTaskStarves) { EXPECT_EQ(start_of_the_large_task({}), std::nullopt); }

TEST(Reservation, WithOneALargeTaskStartsWithinTheBound) {
  for (const std::int64_t after : {1, 10, 64, 200}) {
    const std::optional<Time> start = start_of_the_large_task(Reserving{.after = reservation_ns(after)});
    ASSERT_TRUE(start) << after;
    EXPECT_GE(*start, reservation_at(after));
    EXPECT_LE(*start, reservation_at(after + after / 64 + 4)) << "tasks are at most 4 ns long";
  }
}

TEST(Reservation, TheJthLongestWaiterStartsInItsTurn) {
  // Tasks of 10 ns fill 3 servers; 5 users wait for a whole one, 2 of them are kept at once.
  KeepingEngine small({.after = reservation_ns(20), .servers = 2}, 1, "fifo");
  for (int i = 0; i < 3; ++i) small.server({2});
  const UserId crowd = small.user();
  small.job(crowd, {1}, 10'000);
  std::vector<std::pair<std::int64_t, TaskId>> running;
  for (const Placed& placed : small.run()) running.emplace_back(5 + running.size(), placed.task);
  std::vector<UserId> waiting;
  for (int i = 0; i < 5; ++i) small.job(waiting.emplace_back(small.user()), {2});
  std::size_t started = 0;
  for (std::int64_t now = 1; now < 100; ++now) {
    small.now = reservation_at(now);
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (running[i].first != now) continue;
      small.finish(running[i].second);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i--));
    }
    for (const Placed& placed : small.run()) {
      running.emplace_back(now + 10, placed.task);
      if (placed.user == crowd) continue;
      const auto j = std::find(waiting.begin(), waiting.end(), placed.user) - waiting.begin() + 1;
      EXPECT_LE(now, 20 + (j + 1) / 2 * 10) << j;
      ++started;
    }
    EXPECT_LE(small.kept().size(), 2U);
  }
  EXPECT_EQ(started, waiting.size());
}

TEST(Reservation, AKeptServerTakesNoOtherTasks) {
  KeepingEngine small({.after = reservation_ns(5)});
  const ServerId server = small.server({4});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {2}, 2);
  const std::vector<Placed> first = small.run();
  ASSERT_EQ(first.size(), 2U);
  const JobId large = small.job(b, {4});
  EXPECT_TRUE(small.run().empty());
  EXPECT_TRUE(small.kept().empty());
  small.now = reservation_at(5);
  small.job(a, {2}, 100);
  EXPECT_TRUE(small.run().empty());
  EXPECT_EQ(
      small.engine.reservations(),
      (std::vector{Reservation{.server = server, .job = large, .user = b, .since = reservation_at(5)}}));
  small.finish(first[0].task);
  EXPECT_TRUE(small.run().empty()) << "2 units are free, and a's next task asks for 2";
  EXPECT_FALSE(small.engine.fits(large));
  small.finish(first[1].task);
  EXPECT_TRUE(small.engine.fits(large));
  const std::vector<Placed> then = small.run();
  ASSERT_EQ(then.size(), 1U);
  EXPECT_EQ(then[0].job, large);
  EXPECT_EQ(then[0].server, server);
  EXPECT_TRUE(small.kept().empty());
}

TEST(Reservation, TheServerWhereLeastHasToBeFreedIsKept) {
  KeepingEngine small({.after = reservation_ns(5)}, 2);
  small.server({4, 4});
  const ServerId emptier = small.server({4, 4});
  small.server({8, 1});  // too small
  const UserId a = small.user();
  small.job(a, {3, 1}, 2);
  ASSERT_EQ(small.run().size(), 2U);
  small.job(a, {1, 1});
  ASSERT_EQ(small.run().size(), 1U);  // (0, 2) are free on the first, (1, 3) on the second
  small.job(small.user(), {4, 4});
  small.run();
  small.now = reservation_at(5);
  small.run();
  EXPECT_EQ(small.kept(), std::vector{emptier});
}

TEST(Reservation, EndsWhenTheQueueGetsATaskElsewhere) {
  KeepingEngine small({.after = reservation_ns(5)});
  const ServerId server = small.server({4});
  const UserId a = small.user();
  small.job(a, {2}, 2);
  small.run();
  const JobId large = small.job(small.user(), {4});
  small.now = reservation_at(5);
  EXPECT_TRUE(small.run().empty());
  ASSERT_EQ(small.kept(), std::vector{server});
  const ServerId other = small.server({4});
  const std::vector<Placed> placed = small.run();
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].job, large);
  EXPECT_EQ(placed[0].server, other);
  EXPECT_TRUE(small.kept().empty());
}

/// A server of 4 units is kept for a task of 4 while one of 3 runs there, and one of 1 waits.
struct Waiting : KeepingEngine {
  ServerId server_kept;
  TaskId running;
  JobId large, little;

  explicit Waiting(const Reserving& rule = {.after = reservation_ns(5)}) : KeepingEngine(rule) {
    server_kept = server({4});
    const UserId a = user();
    job(a, {3});
    running = step()->task;
    large = job(user(), {4});
    now = reservation_at(5);
    EXPECT_FALSE(step());
    EXPECT_EQ(kept(), std::vector{server_kept});
    little = job(a, {1});
    EXPECT_FALSE(step());
  }

  /// The job that is served next, if one is.
  std::optional<JobId> next() {
    const std::optional<Placed> placed = step();
    return placed ? std::optional(placed->job) : std::nullopt;
  }
};

TEST(Reservation, EndsWhenItsJobIsCancelled) {
  Waiting small;
  ASSERT_TRUE(small.engine.apply(JobCancelled{small.large}, small.now));
  EXPECT_TRUE(small.kept().empty());
  EXPECT_EQ(small.next(), small.little);
}

TEST(Reservation, EndsWhenTheServerIsDrainedAndIsNotOpenedByIt) {
  Waiting small;
  ASSERT_FALSE(small.engine.apply(ServerDrained{small.server_kept}, small.now));
  EXPECT_TRUE(small.kept().empty());
  EXPECT_EQ(small.next(), std::nullopt);
  ASSERT_FALSE(small.engine.apply(ServerReopened{small.server_kept}, small.now));
  EXPECT_EQ(small.engine.broken_invariant(), "");
  EXPECT_EQ(small.next(), std::nullopt);
  EXPECT_EQ(small.kept(), std::vector{small.server_kept}) << "the task has waited long enough still";
}

TEST(Reservation, ReopeningAServerThatIsKeptDoesNotEndIt) {
  Waiting small;
  ASSERT_FALSE(small.engine.apply(ServerReopened{small.server_kept}, small.now));
  EXPECT_EQ(small.kept(), std::vector{small.server_kept});
  EXPECT_EQ(small.engine.broken_invariant(), "");
  EXPECT_EQ(small.next(), std::nullopt);
}

TEST(Reservation, EndsWhenTheServerFails) {
  Waiting small;
  ASSERT_TRUE(small.engine.apply(ServerFailed{small.server_kept}, small.now));
  EXPECT_TRUE(small.kept().empty());
  const ServerId other = small.server({4});
  EXPECT_EQ(small.engine.broken_invariant(), "");
  const std::optional<Placed> placed = small.step();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->server, other);
}

TEST(Reservation, EndsWhenTheServerBecomesTooSmall) {
  Waiting small;
  ASSERT_FALSE(small.engine.apply(ServerChanged{.server = small.server_kept, .capacity = {5}}, small.now));
  EXPECT_EQ(small.kept(), std::vector{small.server_kept});
  ASSERT_FALSE(small.engine.apply(ServerChanged{.server = small.server_kept, .capacity = {3}}, small.now));
  EXPECT_TRUE(small.kept().empty());
  ASSERT_FALSE(small.engine.apply(ServerChanged{.server = small.server_kept, .capacity = {4}}, small.now));
}

TEST(Reservation, EndsAfterAtMostAndComesAgainAfterWaitingAnew) {
  Waiting small({.after = reservation_ns(5), .at_most = reservation_ns(3)});
  small.now = reservation_at(7);
  EXPECT_EQ(small.next(), std::nullopt);
  small.now = reservation_at(8);
  EXPECT_EQ(small.next(), small.little);
  EXPECT_TRUE(small.kept().empty());
  small.now = reservation_at(12);
  EXPECT_EQ(small.next(), std::nullopt);
  EXPECT_TRUE(small.kept().empty());
  small.now = reservation_at(13);
  EXPECT_EQ(small.next(), std::nullopt);
  EXPECT_EQ(small.kept(), std::vector{small.server_kept});
}

TEST(Reservation, AfterAtMostTheNextLongestWaiterHasItsTurn) {
  Waiting small({.after = reservation_ns(5), .at_most = reservation_ns(10)});
  const JobId second = small.job(small.user(), {4});
  small.now = reservation_at(14);
  EXPECT_EQ(small.next(), std::nullopt);
  small.now = reservation_at(15);
  EXPECT_EQ(small.next(), std::nullopt);
  ASSERT_EQ(small.engine.reservations().size(), 1U);
  EXPECT_EQ(small.engine.reservations()[0].job, second);
}

// Gangs and other jobs with terms.

/// On servers of 2 units tasks of 1 unit run, one user's; a job of another one waits since 0, which is kept
/// servers from 5 on.
struct WaitingGang : KeepingEngine {
  std::vector<TaskId> running;
  JobId gang, little;  // another one of the crowd, which waits since 5

  WaitingGang(const std::vector<std::string>& racks, const JobSubmitted& job, std::size_t most = 1)
      : KeepingEngine({.after = reservation_ns(5), .servers = most}) {
    for (const std::string& rack : racks) {
      servers.push_back(add({2}, {{"rack", rack}}));
    }
    const UserId crowd = user();
    this->job(crowd, {1}, 2 * static_cast<std::int64_t>(racks.size()));
    for (const Placed& placed : run()) running.push_back(placed.task);
    JobSubmitted submitted = job;
    submitted.user = user();
    gang = *engine.apply(submitted, now);
    now = reservation_at(5);
    EXPECT_TRUE(run().empty());
    little = this->job(crowd, {1}, 100);
    EXPECT_TRUE(run().empty());
  }

  /// The tasks of the server end.
  void empty(std::size_t server) {
    finish(running[2 * server]);
    finish(running[2 * server + 1]);
  }

  std::vector<ServerId> servers;
};

using testing::ElementsAre;

TEST(Reservation, AGangIsKeptAsManyServersAsItNeedsAndStartsWhenAllHaveRoom) {
  WaitingGang small({"a", "a", "a"}, {.user = {}, .demand = {2}, .tasks = 2, .gang = 2});
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[0], small.servers[1]));
  small.empty(0);
  EXPECT_TRUE(small.run().empty()) << "what is kept is given to nobody";
  EXPECT_FALSE(small.engine.fits(small.gang));
  small.empty(1);
  EXPECT_TRUE(small.engine.fits(small.gang));
  const std::vector<Placed> placed = small.run();
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].job, small.gang);
  EXPECT_EQ(placed[0].with.size(), 1U);
  EXPECT_TRUE(small.kept().empty());
}

TEST(Reservation, AGangStartsOnKeptAndOpenServersTogether) {
  WaitingGang small({"a", "a", "a"}, {.user = {}, .demand = {2}, .tasks = 2, .gang = 2});
  small.empty(1);
  ASSERT_TRUE(small.run().empty());
  const ServerId fourth = *small.engine.apply(ServerAdded{.name = "s", .capacity = {2}}, small.now);
  const std::vector<Placed> placed = small.run();
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].server, small.servers[1]);
  ASSERT_EQ(placed[0].with.size(), 1U);
  EXPECT_EQ(placed[0].with[0].server, fourth);
  EXPECT_TRUE(small.kept().empty());
}

TEST(Reservation, APackedGangIsKeptTheDomainWithTheFewestServers) {
  WaitingGang small({"a", "a", "b", "c"}, {.user = {}, .demand = {2}, .tasks = 2, .gang = 2, .pack = "rack"});
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[0], small.servers[1]));
  WaitingGang fewer({"a", "a", "b"}, {.user = {}, .demand = {1}, .tasks = 2, .gang = 2, .pack = "rack"});
  EXPECT_THAT(fewer.kept(), ElementsAre(fewer.servers[0])) << "two of its tasks fit on one";
}

TEST(Reservation, ASpreadGangIsKeptServersInSeveralDomains) {
  const JobSubmitted spread{
      .user = {}, .demand = {2}, .tasks = 2, .gang = 2, .spread = Spread{.label = "rack", .most_apart = 1}};
  WaitingGang small({"a", "a", "b"}, spread);
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[0], small.servers[2]));
}

TEST(Reservation, OfAJobWithTermsOneServerIsKeptForOneTask) {
  WaitingGang small({"a", "b"}, {.user = {}, .demand = {2}, .tasks = 2, .per_server = 1});
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[0]));
}

TEST(Reservation, TheServersOfAGangCountAsOne) {
  WaitingGang small({"a", "a", "a"}, {.user = {}, .demand = {2}, .tasks = 2, .gang = 2}, 2);
  ASSERT_TRUE(small.engine.apply(JobCancelled{small.little}, small.now));
  small.job(small.user(), {2});
  small.now = reservation_at(10);
  EXPECT_TRUE(small.run().empty());
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[0], small.servers[1], small.servers[2]));
}

TEST(Reservation, OfAGangEndsWithOneOfItsServers) {
  WaitingGang small({"a", "a", "a"}, {.user = {}, .demand = {2}, .tasks = 2, .gang = 2});
  ASSERT_FALSE(small.engine.apply(ServerDrained{small.servers[1]}, small.now));
  EXPECT_TRUE(small.kept().empty());
  EXPECT_EQ(small.engine.broken_invariant(), "");
  small.now = reservation_at(6);
  EXPECT_TRUE(small.run().empty());
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[0], small.servers[2]));
}

TEST(Reservation, OfAGangThatHasBecomeLargerIsChosenAgain) {
  WaitingGang small({"a", "a", "a"}, {.user = {}, .demand = {2}, .tasks = 2, .gang = 2});
  ASSERT_TRUE(small.engine.apply(JobCancelled{small.little}, small.now));
  for (const std::size_t server : {0, 1}) small.empty(server);
  const std::vector<Placed> placed = small.run();
  ASSERT_EQ(placed.size(), 1U);
  // One task fails, and its server goes: one server is kept; then the other fails too, and two are needed.
  ASSERT_FALSE(small.engine.apply(TaskFailed{placed[0].task}, small.now));
  ASSERT_TRUE(small.engine.apply(ServerFailed{placed[0].server}, small.now));
  small.now = reservation_at(20);
  EXPECT_TRUE(small.run().empty());
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[2]));
  ASSERT_FALSE(small.engine.apply(TaskFailed{placed[0].with[0].task}, small.now));
  small.now = reservation_at(40);
  small.run();
  EXPECT_THAT(small.kept(), ElementsAre(small.servers[1], small.servers[2]));
}

TEST(Reservation, GangsOnBusyServersStartWithinTheBoundAndWhatIsKeptIsGivenToNobodyElse) {
  int gangs = 0, waited = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(500); ++seed) {
    SCOPED_TRACE("replay: seed " + std::to_string(seed));
    Random random(seed);
    const auto below = [&](std::uint64_t many) { return static_cast<std::int64_t>(random.below(many)); };
    const std::int64_t after = 1 + below(100), longest = 1 + below(12);
    KeepingEngine small({.after = reservation_ns(after), .servers = 1 + random.below(2)});
    for (std::int64_t left = 2 + below(6); left > 0; --left) {
      const std::int64_t capacity = 1 + below(6);  // drawn before the label with every compiler
      small.add({capacity}, {{"rack", std::to_string(below(3))}});
    }
    const UserId crowd = small.user();
    small.job(crowd, {1}, 100'000);
    JobSubmitted job{.user = small.user(), .demand = {1 + below(4)}, .tasks = 1 + below(6)};
    job.gang = job.tasks;
    if (random.below(2) == 0) job.per_server = 1 + below(2);
    if (random.below(3) == 0) job.pack = "rack";
    if (!job.pack && random.below(2) == 0) job.spread = Spread{.label = "rack", .most_apart = 1 + below(2)};
    std::vector<std::pair<std::int64_t, TaskId>> running;  // ends
    std::optional<JobId> gang;
    std::optional<std::int64_t> started;
    const std::int64_t submitted = below(5);
    // The crowd may wait longer than the gang, and then its next task has its turn first.
    const auto k = static_cast<std::int64_t>(small.engine.options().reservations->servers);
    const std::int64_t bound = submitted + after + (2 + k - 1) / k * (longest + (after + 63) / 64);
    for (std::int64_t now = 0; now <= bound && !started; ++now) {
      small.now = reservation_at(now);
      for (std::size_t i = 0; i < running.size(); ++i) {
        if (running[i].first > now) continue;
        small.finish(running[i].second);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i--));
      }
      for (;;) {
        const std::vector<ServerId> kept = gang ? small.kept_for(*gang) : std::vector<ServerId>{};
        const std::optional<Placed> placed = small.step();
        if (!placed) break;
        if (placed->user != crowd) {
          started = now;
          break;
        }
        EXPECT_EQ(std::find(kept.begin(), kept.end(), placed->server), kept.end());
        running.emplace_back(now + 1 + below(static_cast<std::uint64_t>(longest)), placed->task);
      }
      if (now != submitted) continue;
      if (!small.possible(job)) break;
      gang = *small.engine.apply(job, small.now);  // the crowd was there first
    }
    if (!gang) continue;
    ++gangs;
    waited += started.value_or(0) >= submitted + after;
    ASSERT_TRUE(started) << "not by " << bound;
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(gangs, 100);
  EXPECT_GT(waited, 50) << "those that were kept servers";
}

TEST(Reservation, ATimeOrNumberThatIsNotAboveZeroIsAnError) {
  const auto key_of = [](const Reserving& rule) {
    const Result<Engine> engine = Engine::from({.resources = {"cpu"},
                                                .discipline = choice("drf"),
                                                .placement = choice("first-fit"),
                                                .reservations = rule});
    return engine ? "" : engine.error().key;
  };
  EXPECT_EQ(key_of({.after = reservation_ns(1)}), "");
  EXPECT_EQ(key_of({.after = reservation_ns(0)}), "reservations.after");
  EXPECT_EQ(key_of({.after = reservation_ns(1), .servers = 0}), "reservations.servers");
  EXPECT_EQ(key_of({.after = reservation_ns(1), .at_most = reservation_ns(0)}), "reservations.at_most");
}

}  // namespace
}  // namespace mirab::scheduling
