// A log of what an engine was told makes the same engine again, and notices when something else comes of it.

#include <gmock/gmock.h>
#include <sstream>

#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "random_cases.hpp"
#include "scheduling/persistence/logged_engine.hpp"
#include "scheduling/random_events.hpp"

namespace mirab::scheduling {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The log of an engine that lives through random events, and the engine.
struct Logged {
  std::string log;
  Engine engine;
};
Logged logged(std::uint64_t seed, int count) {
  Random random(seed);
  const EngineOptions options = random_options(random);
  Engine engine = *Engine::from(options);
  RandomEvents events(random, options.resources.size(), Others::some);
  Random draws(7);
  std::string log = *log_header(options) + "\n";
  for (int i = 0; i < count; ++i) {
    LogEntry entry = events.next();
    const Result<Outcome> outcome = tell(engine, entry, draws);
    if (!outcome) continue;
    events.learn(*outcome);
    if (!std::holds_alternative<std::monostate>(*outcome)) entry.outcome = *outcome;
    const std::string line = *log_line(entry);
    EXPECT_EQ(*read_log_line(line), entry) << line;
    log += line + "\n";
  }
  return {.log = std::move(log), .engine = std::move(engine)};
}

TEST(EventLog, ReplayMakesTheSameEngine) {
  for (std::uint64_t seed = 1; seed <= random_cases(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Logged was = logged(seed, 200);
    std::istringstream log(was.log);
    const Result<Engine> again = replay(log, "log");
    ASSERT_TRUE(again) << describe(again.error());
    ASSERT_EQ(snapshot(*again), snapshot(was.engine));
  }
}

TEST(EventLog, ALoggedEngineReplaysToTheSameStateWithoutTheStepsThatChangeNothing) {
  for (std::uint64_t seed = 1; seed <= random_cases(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    EngineOptions options = random_options(random);
    options.reservations.reset();
    std::string text;
    std::size_t lines = 0, steps = 0;
    LoggedEngine engine = *LoggedEngine::from(options, seed, [&](const std::string& line, bool begins) {
      EXPECT_EQ(begins, text.empty());
      text += line + "\n";
      ++lines;
    });
    RandomEvents events(random, options.resources.size(), Others::some);
    for (int i = 0; i < 200; ++i) {
      const LogEntry entry = events.next();
      if (const auto* const event = std::get_if<Event>(&entry.what)) {
        const auto told = [&](const auto& each) -> Result<Outcome> {
          auto result = engine.apply(each, entry.now);
          if constexpr (std::is_same_v<decltype(result), Check>) {
            if (result) return *std::move(result);
            return Outcome(std::monostate{});
          } else {
            if (!result) return result.error();
            return Outcome(*std::move(result));
          }
        };
        if (const Result<Outcome> outcome = std::visit(told, *event)) events.learn(*outcome);
      } else {
        for (int twice = 0; twice < 2; ++twice, ++steps) events.learn(Outcome(engine.step(entry.now)));
      }
    }
    if (options.tie != Tie::random && !options.half_life) {
      EXPECT_LT(lines, 201 + steps / 2);
    }
    std::istringstream log(text);
    Result<Engine> again = replay(log, "log");
    ASSERT_TRUE(again) << describe(again.error());
    // Where the log leaves out the latest step, the time is another.
    Random draws(seed);
    if (again->now() != engine.engine().now()) {
      EXPECT_FALSE(again->step(*engine.engine().now(), draws));
    }
    ASSERT_EQ(snapshot(*again), snapshot(engine.engine()));
  }
}

TEST(EventLog, ALogGoesOnAfterASnapshot) {
  Engine engine = *Engine::from({.resources = {"cpu"},
                                 .discipline = *choose_discipline("drf"),
                                 .placement = *choose_placement("first-fit")});
  ASSERT_TRUE(engine.apply(ServerAdded{.name = "a", .capacity = {4}}, Time()));
  Result<Engine> taken = restore(snapshot(engine));
  ASSERT_TRUE(taken) << describe(taken.error());
  Engine restored = *std::move(taken);
  std::istringstream log(R"({"now": 3, "event": "user-added", "name": "u", "weight": "0.5", "gives": 0})");
  EXPECT_FALSE(replay_on(restored, log, "rest"));
  EXPECT_EQ(restored.user_count(), 1U);
}

const std::string kHeader =
    R"({"mirab": "event log", "version": 1, "options": {"resources": ["cpu"], "discipline": {"name": "drf", "options": {}},)"
    R"( "placement": {"name": "first-fit", "options": {}}, "tie": "first", "oversized": "refuse"}})"
    "\n";

Error error_of(const std::string& log) {
  std::istringstream input(log);
  const Result<Engine> engine = replay(input, "events.jsonl");
  EXPECT_FALSE(engine) << log;
  return engine ? Error{} : engine.error();
}

TEST(EventLog, AnErrorNamesFileLineAndKey) {
  struct Case {
    std::string line, key, message;
  };
  for (
      const Case& bad : std::vector<Case>{
          {"nonsense", "", "not JSON"},
          {R"({"now": 0, "event": "step", "seed": 1, "placed": {"task": 0, "job": 0, "user": 0, "server": 0, "preempted": [{"task": 1}]}})",
           "placed.preempted[0]", "'job' is missing"},
          {R"({"now": 0, "event": "server-exploded"})", "event", "no event 'server-exploded'"},
          {R"({"now": 0, "event": "server-added", "name": "a"})", "", "'capacity' is missing"},
          {R"({"now": 0, "event": "server-added", "name": "a", "capacity": [-1]})", "capacity[0]",
           "whole number"},
          {R"({"now": 0, "event": "server-added", "name": 1, "capacity": [1]})", "name", "text"},
          {R"({"now": 0, "event": "server-added", "name": "b", "capacity": [1], "colour": 1})", "colour",
           "none of"},
          {R"({"now": 0, "event": "user-added", "name": "u", "weight": "heavy"})", "weight", "heavy"},
          {R"({"now": 0, "event": "task-finished", "task": 5})", "task", "no such task"},
          {R"({"now": 0.5, "event": "step", "seed": 1})", "now", "whole number"},
          {R"({"now": 0, "event": "step", "seed": 1, "placed": {"task": 0, "job": 0, "user": 0, "server": 0}})",
           "event", "\"placed\":null"}}) {
    const Error error = error_of(
        kHeader + R"({"now": 0, "event": "server-added", "name": "a", "capacity": [4], "gives": 0})" + "\n" +
        bad.line + "\n");
    EXPECT_EQ(error.file, "events.jsonl") << bad.line;
    EXPECT_EQ(error.line, 3) << bad.line;
    EXPECT_EQ(error.key, bad.key) << bad.line;
    EXPECT_THAT(error.message, HasSubstr(bad.message)) << bad.line;
  }
}

TEST(EventLog, AHeaderOfAnotherVersionOrDisciplineIsAnError) {
  EXPECT_EQ(error_of("").line, 1);
  std::string header = kHeader;
  const Error other = error_of(header.replace(header.find('1'), 1, "2"));
  EXPECT_EQ(other.key, "version");
  EXPECT_EQ(other.message, "this is version 2 of the form; this program reads 1");
  header = kHeader;
  EXPECT_THAT(error_of(header.replace(header.find("drf"), 3, "dfr")).message,
              HasSubstr("no discipline 'dfr'"));
}

/// The header of a log of that decision version.
std::string header_under(int version) {
  std::string header = kHeader;
  return header.insert(1, R"("decision_version": )" + std::to_string(version) + ", ");
}

TEST(EventLog, TheHeaderNamesTheDecisionVersion) {
  const Result<EngineOptions> options = read_log_header(kHeader);
  ASSERT_TRUE(options) << describe(options.error());
  EXPECT_THAT(*log_header(*options), HasSubstr(R"("decision_version":)" + std::to_string(kDecisionVersion)));
}

TEST(EventLog, ALogOfAnotherDecisionVersionReplaysUntilItDiffersAndThenBothVersionsAreNamed) {
  const std::string added = R"({"now": 0, "event": "server-added", "name": "a", "capacity": [4], "gives": 0})"
                            "\n";
  const std::vector<std::string> differing = {
      R"({"now": 0, "event": "server-added", "name": "b", "capacity": [4], "gives": 7})",
      R"({"now": 0, "event": "task-finished", "task": 5})"};
  for (const int version : {kDecisionVersion - 1, kDecisionVersion + 1}) {
    std::istringstream same(header_under(version) + added);
    EXPECT_TRUE(replay(same, "log")) << "what does not differ replays";
    for (const std::string& line : differing) {
      const Error error = error_of(header_under(version) + added + line + "\n");
      EXPECT_EQ(error.line, 3);
      EXPECT_THAT(error.message, HasSubstr("written under decision version " + std::to_string(version)));
      EXPECT_THAT(error.message,
                  HasSubstr("this program decides by version " + std::to_string(kDecisionVersion)));
    }
  }
  for (const std::string& line : differing) {
    for (const std::string& header : {kHeader, header_under(kDecisionVersion)})
      EXPECT_THAT(error_of(header + added + line + "\n").message, Not(HasSubstr("decision version")));
  }
}

TEST(EventLog, ADecisionVersionThatIsNoNumberIsAnError) {
  EXPECT_EQ(error_of(header_under(0)).key, "decision_version");
}

TEST(EventLog, ATextThatIsNotUtf8CannotBeLogged) {
  EXPECT_FALSE(log_line({.now = {}, .what = Event(UserAdded{.name = "\xff"})}));
}

}  // namespace
}  // namespace mirab::scheduling
