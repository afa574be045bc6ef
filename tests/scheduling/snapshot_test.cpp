// An engine restored from a snapshot decides as the one it was taken of, whatever comes; and other bytes are
// an error.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/scheduling/snapshot.hpp>

#include "random_cases.hpp"
#include "scheduling/engines.hpp"
#include "scheduling/random_events.hpp"

namespace mirab::scheduling {
namespace {

using testing::HasSubstr;

std::string bytes_of(const nlohmann::json& changed) {
  std::string bytes;
  nlohmann::json::to_cbor(changed, bytes);
  return bytes;
}

/// An engine after this many random events.
struct Lived {
  explicit Lived(std::uint64_t seed, int count)
      : random(seed),
        draws(seed + 1),
        options(random_options(random)),
        engine(*Engine::from(options)),
        events(random, options.resources.size(), seed % 2 == 0 ? Others::some : Others::none) {
    if (seed % 3 == 0) events.draw_trees();
    for (int i = 0; i < count; ++i) live();
  }

  LogEntry live() {
    LogEntry entry = events.next();
    if (Result<Outcome> outcome = tell(engine, entry, draws)) {
      events.learn(*outcome);
      entry.outcome = *outcome;
    }
    return entry;
  }

  Random random;
  Random draws;
  EngineOptions options;
  Engine engine;
  RandomEvents events;
};

TEST(Snapshot, ARestoredEngineDecidesAlikeWhateverComes) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(600); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Lived lived(seed, static_cast<int>(7 * seed % 150));
    const std::string taken = snapshot(lived.engine);
    Result<Engine> restored = restore(taken);
    ASSERT_TRUE(restored) << describe(restored.error());
    ASSERT_EQ(snapshot(*restored), taken);

    Random draws = lived.draws;
    for (int i = 0; i < 150; ++i) {
      const LogEntry entry = lived.live();
      const Result<Outcome> again = tell(*restored, entry, draws);
      ASSERT_EQ(static_cast<bool>(again), entry.outcome.has_value()) << i;
      if (!again) continue;
      ASSERT_EQ(*again, *entry.outcome) << *log_line(entry);
      if (const auto* const step = std::get_if<std::optional<Placed>>(&*again)) placed += step->has_value();
    }
    ASSERT_EQ(restored->broken_invariant(), "");
    ASSERT_EQ(snapshot(*restored), snapshot(lived.engine));
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(placed, 10'000U);
}

TEST(Snapshot, AfterEachEventAndStepItRestoresToTheSameBytes) {
  for (std::uint64_t seed = 1; seed <= random_cases(40); ++seed) {
    Lived lived(seed, 0);
    for (int i = 0; i < 150; ++i) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", line " << i);
      lived.live();
      const std::string taken = snapshot(lived.engine);
      const Result<Engine> restored = restore(taken);
      ASSERT_TRUE(restored) << describe(restored.error());
      ASSERT_EQ(snapshot(*restored), taken);
    }
  }
}

TEST(Snapshot, IsRestoredWhereAllUsersAreGone) {
  Engine engine = *Engine::from({.resources = {"cpu"},
                                 .discipline = *choose_discipline("drf"),
                                 .placement = *choose_placement("first-fit")});
  const UserId user = *engine.apply(UserAdded{.name = "u"}, Time());
  ASSERT_FALSE(engine.apply(UserRemoved{user}, Time()));
  const Result<Engine> restored = restore(snapshot(engine));
  ASSERT_TRUE(restored) << describe(restored.error());
  EXPECT_EQ(snapshot(*restored), snapshot(engine));
}

TEST(Snapshot, ACopyDecidesAlikeWhateverComesAndSharesNothing) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(600); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Lived lived(seed, static_cast<int>(7 * seed % 150));
    const std::string taken = snapshot(lived.engine);
    Engine copy = lived.engine.copy();
    ASSERT_EQ(snapshot(copy), taken);

    const Engine untouched = lived.engine.copy();
    Random draws = lived.draws;
    std::vector<LogEntry> entries;
    for (int i = 0; i < 80; ++i) entries.push_back(lived.live());
    ASSERT_EQ(snapshot(copy), taken) << "what the original does changes the copy";
    for (const LogEntry& entry : entries) {
      const Result<Outcome> again = tell(copy, entry, draws);
      ASSERT_EQ(static_cast<bool>(again), entry.outcome.has_value());
      if (!again) continue;
      ASSERT_EQ(*again, *entry.outcome) << *log_line(entry);
      if (const auto* const step = std::get_if<std::optional<Placed>>(&*again)) placed += step->has_value();
    }
    ASSERT_EQ(copy.broken_invariant(), "");
    ASSERT_EQ(snapshot(copy), snapshot(lived.engine));
    ASSERT_EQ(snapshot(untouched), taken);
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(placed, 5'000U);
}

TEST(Snapshot, EveryBeginningOfASnapshotIsAnError) {
  const Lived lived(3, 200);
  const std::string taken = snapshot(lived.engine);
  for (std::size_t length = 0; length < taken.size(); ++length)
    EXPECT_FALSE(restore(taken.substr(0, length))) << length;
  EXPECT_FALSE(restore(taken + '\0'));
}

TEST(Snapshot, AChangedByteGivesAnErrorOrAnEngineWhoseInvariantsHold) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(12); ++seed) {
    const Lived lived(seed, 80);
    const std::string taken = snapshot(lived.engine);
    for (std::size_t at = 0; at < taken.size(); ++at) {
      for (const int change : {1, 0x40}) {
        std::string changed = taken;
        changed[at] = static_cast<char>(changed[at] ^ change);
        const Result<Engine> restored = restore(changed);
        if (restored) {
          EXPECT_EQ(restored->broken_invariant(), "") << "seed " << seed << " byte " << at;
        } else {
          ++refused;
          EXPECT_FALSE(restored.error().message.empty());
        }
      }
    }
  }
  EXPECT_GT(refused, random_cases(1000));
}

TEST(Snapshot, BytesThatNestWithoutEndAreAnError) {
  for (const char head : {'\x81', '\x9f', '\x7f', '\xa1', '\xc1'})
    EXPECT_FALSE(restore(std::string(10'000'000, head)));
  EXPECT_FALSE(restore("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"));
}

TEST(Snapshot, AnotherVersionIsAnErrorThatNamesIt) {
  nlohmann::json changed = nlohmann::json::from_cbor(snapshot(Lived(1, 0).engine));
  changed["version"] = kSnapshotVersion + 1;
  const Result<Engine> restored = restore(bytes_of(changed));
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().key, "version");
  EXPECT_EQ(restored.error().message, "this is version " + std::to_string(kSnapshotVersion + 1) +
                                          " of the form; this program reads " +
                                          std::to_string(kSnapshotVersion));
}

TEST(Snapshot, AnotherDecisionVersionIsAnErrorThatNamesBoth) {
  for (const int version : {kDecisionVersion - 1, kDecisionVersion + 1}) {
    nlohmann::json changed = nlohmann::json::from_cbor(snapshot(Lived(1, 0).engine));
    changed["decision_version"] = version;
    const Result<Engine> restored = restore(bytes_of(changed));
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().key, "decision_version");
    EXPECT_THAT(restored.error().message, HasSubstr("decision version " + std::to_string(version)));
    EXPECT_THAT(restored.error().message, HasSubstr("version " + std::to_string(kDecisionVersion)));
  }
}

/// Two servers on which a user's tasks run, and another job of the user for which they are kept.
Result<Engine> engine_that_keeps(const JobSubmitted& large) {
  EngineOptions options{.resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  options.reservations = Reserving{.after = Duration(1)};
  Engine engine = *Engine::from(options);
  Random random(1);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(engine.apply(ServerAdded{.name = "s", .capacity = {2}}, {}));
  const UserId user = *engine.apply(UserAdded{.name = "u"}, {});
  EXPECT_TRUE(engine.apply(JobSubmitted{.user = user, .demand = {1}, .tasks = 3}, {}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(engine.step({}, random));
  JobSubmitted job = large;
  job.user = user;
  EXPECT_TRUE(engine.apply(job, {}));
  EXPECT_FALSE(engine.step(Time(Duration(5)), random));
  return engine;
}

TEST(Snapshot, OneOfAnEarlierDecisionVersionIsReadWhereThatIsAskedFor) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Lived lived(seed, static_cast<int>(seed));
    nlohmann::json changed = nlohmann::json::from_cbor(snapshot(lived.engine));
    changed["decision_version"] = kDecisionVersion + 1;
    EXPECT_FALSE(restore(bytes_of(changed), EarlierDecisions::accepted)) << "it is a later one";
    changed["decision_version"] = kDecisionVersion - 1;
    EXPECT_FALSE(restore(bytes_of(changed)));
    Result<Engine> restored = restore(bytes_of(changed), EarlierDecisions::accepted);
    ASSERT_TRUE(restored) << describe(restored.error());
    Random draws = lived.draws;
    for (int i = 0; i < 100; ++i) {
      const LogEntry entry = lived.live();
      const Result<Outcome> again = tell(*restored, entry, draws);
      ASSERT_EQ(static_cast<bool>(again), entry.outcome.has_value()) << i;
      if (!again) continue;
      ASSERT_EQ(*again, *entry.outcome) << *log_line(entry);
      if (const auto* const step = std::get_if<std::optional<Placed>>(&*again)) placed += step->has_value();
    }
    ASSERT_EQ(restored->broken_invariant(), "");
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(placed, 1'000U);
}

/// Up to decision version 8 no kinds of tasks were kept: what waits and runs tells of them.
TEST(Snapshot, OneWithoutTheKindsOfTasksIsReadWhereItIsOfAVersionThatHadNone) {
  SmallEngine small("drf");
  small.server({4});
  small.job(small.user(), {3}, 2);
  const nlohmann::json written = nlohmann::json::from_cbor(snapshot(small.engine));
  nlohmann::json changed = written;
  changed.erase("seen");
  EXPECT_FALSE(restore(bytes_of(changed), EarlierDecisions::accepted));
  changed["decision_version"] = 8;
  changed["largest"] = {{"users", {{0, {3}}}}, {"groups", nlohmann::json::array()}};
  const Result<Engine> restored = restore(bytes_of(changed), EarlierDecisions::accepted);
  ASSERT_TRUE(restored) << describe(restored.error());
  EXPECT_EQ(nlohmann::json::from_cbor(snapshot(*restored)).at("seen"), written.at("seen"));
}

/// The first sixteen kinds as they are, and all others as one; the same again after it is read.
TEST(Snapshot, KeepsTheKindsOfTasksThatAreGone) {
  SmallEngine small("drf", "first-fit", 2);
  small.server({100, 100});
  const UserId user = small.user();
  for (std::int64_t kind = 1; kind <= 20; ++kind) small.job(user, {kind, 20 - kind}, 1);
  small.job(user, {20, 3}, 1);
  nlohmann::json written = nlohmann::json::from_cbor(snapshot(small.engine));
  const nlohmann::json kinds = written.at("seen").at("users").at(0).at(1);
  ASSERT_EQ(kinds.size(), 17U);
  EXPECT_EQ(kinds.at(0), nlohmann::json({1, 19}));
  EXPECT_EQ(kinds.at(15), nlohmann::json({16, 4}));
  EXPECT_EQ(kinds.at(16), nlohmann::json({20, 3}));
  const Result<Engine> restored = restore(snapshot(small.engine));
  ASSERT_TRUE(restored) << describe(restored.error());
  EXPECT_EQ(nlohmann::json::from_cbor(snapshot(*restored)), written);

  nlohmann::json& changed = written.at("seen").at("users").at(0).at(1);
  changed.push_back({1, 1});
  EXPECT_FALSE(restore(bytes_of(written))) << "one too many";
  changed = {{1, 19}, {1, 19}};
  EXPECT_FALSE(restore(bytes_of(written))) << "one twice";
}

/// By other rules a task that was known to fit nowhere may fit. Here its server is larger than it was.
TEST(Snapshot, WhatAnEarlierVersionFoundToFitNowhereIsLookedAtOnceMore) {
  SmallEngine small("drf");
  small.server({4});
  small.job(small.user(), {3}, 2);
  ASSERT_EQ(small.run().size(), 1U);
  nlohmann::json changed = nlohmann::json::from_cbor(snapshot(small.engine));
  changed.at("kinds").at(0).at(0) = 8;
  EXPECT_FALSE(restore(bytes_of(changed))) << "a task that has room is not aside";
  changed["decision_version"] = kDecisionVersion - 1;
  Result<Engine> restored = restore(bytes_of(changed), EarlierDecisions::accepted);
  ASSERT_TRUE(restored) << describe(restored.error());
  EXPECT_TRUE(restored->step({}, small.random));
}

TEST(Snapshot, TwoServersKeptForOneTaskAreAnError) {
  const Engine engine = *engine_that_keeps({.user = {}, .demand = {2}, .tasks = 2});
  ASSERT_EQ(engine.reservations().size(), 1U);
  nlohmann::json changed = nlohmann::json::from_cbor(snapshot(engine));
  ASSERT_TRUE(restore(bytes_of(changed)));
  nlohmann::json& kept = changed["reservations"]["kept"];
  kept.push_back(kept[0]);
  kept[1][0] = 1 - kept[0][0].get<int>();
  const Result<Engine> restored = restore(bytes_of(changed));
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, testing::HasSubstr("is one of two kept for the same queue"));
}

TEST(Snapshot, TheServersOfAGangAreKeptSinceOneTime) {
  const Engine engine = *engine_that_keeps({.user = {}, .demand = {2}, .tasks = 2, .gang = 2});
  ASSERT_EQ(engine.reservations().size(), 2U);
  nlohmann::json changed = nlohmann::json::from_cbor(snapshot(engine));
  const Result<Engine> same = restore(bytes_of(changed));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->reservations(), engine.reservations());
  changed["reservations"]["kept"][1][3] = 4;
  const Result<Engine> restored = restore(bytes_of(changed));
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, testing::HasSubstr("is kept since another time"));
}

TEST(Snapshot, UsageThatNobodyCanHaveIsAnError) {
  EngineOptions options{.resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  options.half_life = Duration(100);
  Engine engine = *Engine::from(options);
  ASSERT_TRUE(engine.apply(UserAdded{.name = "u"}, {}));
  const nlohmann::json taken = nlohmann::json::from_cbor(snapshot(engine));
  for (const int part : {0, 1}) {
    for (const double usage : {-1.0, -1e-300, 1.1, 1e308}) {
      nlohmann::json changed = taken;
      changed["usage"]["users"][0][part] = usage;
      const Result<Engine> restored = restore(bytes_of(changed));
      ASSERT_FALSE(restored) << usage;
      EXPECT_EQ(restored.error().key, "usage.users[0][" + std::to_string(part) + "]");
    }
  }
}

}  // namespace
}  // namespace mirab::scheduling
