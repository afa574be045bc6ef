#include "recordings/play.hpp"

#include <array>
#include <sstream>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "recordings/draws.hpp"
#include "recordings/events.hpp"
#include "recordings/facts.hpp"

namespace mirab::recordings {

using scheduling::Companion;
using scheduling::Engine;
using scheduling::EngineOptions;
using scheduling::Event;
using scheduling::JobId;
using scheduling::LogEntry;
using scheduling::Lost;
using scheduling::Outcome;
using scheduling::Placed;
using scheduling::Preempted;
using scheduling::Reservation;
using scheduling::Right;
using scheduling::ServerId;
using scheduling::StepAsked;
using scheduling::UserId;
using scheduling::WhyPlaced;

namespace {

constexpr std::size_t kStepsAfterEvent = 400;  ///< no case has work for more: it would be a loop
constexpr std::size_t kKeptNumbers = 4;        ///< lines of numbers of a case

constexpr std::array kEventNames = {"server-added",   "server-changed", "server-drained", "server-reopened",
                                    "server-removed", "server-failed",  "user-added",     "user-reweighted",
                                    "user-removed",   "job-submitted",  "job-cancelled",  "task-finished",
                                    "task-failed"};

std::string name_of(const Event& event) {
  return event.index() < kEventNames.size() ? kEventNames[event.index()] : "event";
}

template <class Id>
std::string text_of(Id id) {
  return std::to_string(static_cast<std::uint64_t>(id));
}

std::string text_of(const std::vector<Lost>& lost) {
  std::string text;
  for (const Lost& each : lost) text += " " + text_of(each.task) + "/" + text_of(each.job);
  return text;
}

/// Rights by share are not named.
std::string text_of(const std::vector<Preempted>& ended) {
  std::string text;
  for (const Preempted& each : ended) {
    text += " " + text_of(each.task) + "/" + text_of(each.job);
    if (each.right != Right::share)
      text += "/" + std::string(scheduling::kWords<Right>[static_cast<std::size_t>(each.right)]);
  }
  return text;
}

std::string text_of(const Outcome& outcome) {
  if (const auto* const server = std::get_if<ServerId>(&outcome)) return "server " + text_of(*server);
  if (const auto* const user = std::get_if<UserId>(&outcome)) return "user " + text_of(*user);
  if (const auto* const job = std::get_if<JobId>(&outcome)) return "job " + text_of(*job);
  if (const auto* const lost = std::get_if<std::vector<Lost>>(&outcome)) return "lost" + text_of(*lost);
  return "done";
}

std::string text_of(const Placed& placed) {
  std::string text = "task " + text_of(placed.task) + " of job " + text_of(placed.job) + " of user " +
                     text_of(placed.user) + " on server " + text_of(placed.server);
  if (!placed.with.empty()) text += " with";
  for (const Companion& companion : placed.with)
    text += " " + text_of(companion.task) + "@" + text_of(companion.server);
  if (!placed.preempted.empty()) text += " preempted" + text_of(placed.preempted);
  return text;
}

std::string digest_of(const std::string& bytes) {
  return kept({.name = {}, .decides = false, .lines = {bytes}}).digest;
}

/// Some of the numbers, spread evenly over the case.
std::vector<Numbers> thinned(std::vector<Numbers> all) {
  if (all.size() <= kKeptNumbers) return all;
  std::vector<Numbers> few;
  for (std::size_t i = 0; i < kKeptNumbers; ++i)
    few.push_back(std::move(all[(2 * i + 1) * all.size() / (2 * kKeptNumbers)]));
  return few;
}

/// A case in play.
class Play {
 public:
  Play(const Case& asked, Engine engine)
      : asked_(asked),
        engine_(std::move(engine)),
        draws_(Draws::named(asked.name)),
        questions_(Draws::named(asked.name + " questions")),
        events_(asked.mix, asked.options.resources.size(), draws_),
        random_(kSeed) {}

  Played run() {
    log_.lines.push_back(*scheduling::log_header(asked_.options));
    for (const Event& event : events_.opening()) tell({.now = Time(Duration(-5)), .what = event});
    for (std::size_t i = 0; i < asked_.mix.events; ++i) {
      tell(events_.next());
      step_now_and_then();
      if (questions_.one_in(8)) ask();
      if (i == asked_.mix.events / 2) half_way();
    }
    close();
    std::vector<Part> parts = {std::move(log_), std::move(decisions_), std::move(why_)};
    // With a half-life a snapshot holds doubles, which may differ by rounding.
    if (!asked_.options.half_life) parts.push_back(std::move(snapshots_));
    return {.name = asked_.name,
            .parts = std::move(parts),
            .numbers = thinned(std::move(numbers_)),
            .faults = std::move(faults_)};
  }

 private:
  static constexpr std::uint64_t kSeed = 7;

  void decided(Time now, const std::string& what, const std::string& outcome) {
    decisions_.lines.push_back("t=" + std::to_string(now.time_since_epoch().count()) + " " + what + ": " +
                               outcome);
  }

  void logged(const LogEntry& entry) { log_.lines.push_back(*scheduling::log_line(entry)); }

  void tell(LogEntry entry) {
    const auto& event = std::get<Event>(entry.what);
    const Result<Outcome> outcome = scheduling::apply(engine_, event, entry.now);
    decided(entry.now, name_of(event), outcome ? text_of(*outcome) : "refused " + outcome.error().key);
    if (!outcome) return;
    events_.learn(event, *outcome);
    entry.outcome = *outcome;
    logged(entry);
  }

  void answered(Facts facts) {
    why_.lines.push_back(facts.line());
    if (!facts.numbers().empty())
      numbers_.push_back({.label = "why:" + std::to_string(why_.lines.size()), .values = facts.numbers()});
  }

  std::optional<Placed> stepped(Time now) {
    if (!questions_.one_in(6)) return engine_.step(now, random_);
    WhyPlaced why;
    std::optional<Placed> placed = engine_.step(now, random_, why);
    Facts facts("placed");
    if (placed) add(facts, why);
    answered(std::move(facts));
    return placed;
  }

  /// Places one task, or gang. Was there one to place?
  bool step() {
    const Time now = events_.now();
    const std::optional<Placed> placed = stepped(now);
    logged({.now = now, .what = StepAsked{.seed = kSeed}, .outcome = Outcome(placed)});
    decided(now, "step", placed ? text_of(*placed) : "nothing");
    if (placed) events_.learn(*placed);
    return placed.has_value();
  }

  void step_now_and_then() {
    const std::uint64_t draw = draws_.below(4);
    if (draw == 0) return;
    if (draw == 1) {
      step();
      return;
    }
    for (std::size_t steps = 0; steps < kStepsAfterEvent; ++steps)
      if (!step()) return;
    fault("the engine still places tasks after " + std::to_string(kStepsAfterEvent) + " steps");
  }

  /// A job, most likely one with waiting tasks.
  JobId some_job() {
    JobId job = questions_.of(events_.jobs());
    for (int tries = 0; tries < 8; ++tries) {
      const auto state = engine_.job(job);
      if (state && state->waiting > 0) break;
      job = questions_.of(events_.jobs());
    }
    return job;
  }

  void ask() {
    if (!events_.jobs().empty()) {
      const JobId job = some_job();
      ask_why(job);
      if (!events_.servers().empty()) ask_why_not_on(job, questions_.of(events_.servers()));
    }
    if (!events_.users().empty()) ask_about(questions_.of(events_.users()));
    Facts kept("reservations");
    for (const Reservation& reservation : engine_.reservations()) {
      kept.add("server", reservation.server);
      kept.add("job", reservation.job);
      kept.add("user", reservation.user);
      kept.add("since", reservation.since);
    }
    answered(std::move(kept));
  }

  void ask_why(JobId job) {
    Facts facts("waiting");
    facts.add("fits", engine_.fits(job));
    if (const auto state = engine_.job(job)) {
      facts.add("waits", state->waiting);
      facts.add("runs", state->running);
    }
    if (const auto why = engine_.why_waiting(job, events_.now())) add(facts, *why);
    answered(std::move(facts));
  }

  void ask_why_not_on(JobId job, ServerId server) {
    Facts facts("not-on");
    facts.add("server", server);
    if (const auto why = engine_.why_not_on(job, server)) add(facts, *why);
    answered(std::move(facts));
  }

  void ask_about(UserId user) {
    Facts facts("user");
    facts.add("user", user);
    if (const auto state = engine_.user(user)) {
      facts.add("running", state->running);
      facts.add("used", state->used);
      facts.add_number("dominant_share", state->dominant_share);
      if (state->decayed_share) facts.add_number("decayed_share", *state->decayed_share);
    }
    answered(std::move(facts));
  }

  void half_way() {
    const std::string bytes = scheduling::snapshot(engine_);
    snapshots_.lines.push_back(std::to_string(bytes.size()) + " bytes " + digest_of(bytes));
    if (!asked_.mix.restored) return;
    Result<Engine> restored = scheduling::restore(bytes);
    if (!restored) return fault("its snapshot is refused: " + describe(restored.error()));
    engine_ = *std::move(restored);
    if (scheduling::snapshot(engine_) != bytes) return fault("the restored engine gives another snapshot");
    decided(events_.now(), "restored", "the same");
  }

  /// Notes what is wrong whatever the recording says.
  void fault(const std::string& what) {
    faults_.push_back("t=" + std::to_string(events_.now().time_since_epoch().count()) + " " + what);
  }

  void close() {
    const Time now = events_.now();
    for (const ServerId server : events_.servers()) {
      const auto state = engine_.server(server);
      Facts facts(state ? "there" : "gone");
      if (state) {
        facts.add("free", state->free);
        facts.add("drained", state->drained);
      }
      decided(now, "server " + text_of(server), facts.line());
    }
    for (const UserId user : events_.users()) ask_about(user);
    decided(now, "counts",
            std::to_string(engine_.server_count()) + " servers, " + std::to_string(engine_.user_count()) +
                " users, " + std::to_string(engine_.job_count()) + " jobs, " +
                std::to_string(engine_.running_count()) + " running");
    const std::string broken = engine_.broken_invariant();
    if (!broken.empty()) fault(broken);
    decided(now, "invariants", "hold");
    const std::string bytes = scheduling::snapshot(engine_);
    snapshots_.lines.push_back(std::to_string(bytes.size()) + " bytes " + digest_of(bytes));
  }

  const Case& asked_;
  Engine engine_;
  Draws draws_;
  Draws questions_;  // apart, so that other questions bring no other events
  Events events_;
  Random random_;
  Part log_{.name = kLog, .decides = true, .lines = {}};
  Part decisions_{.name = kDecisions, .decides = true, .lines = {}};
  Part why_{.name = kWhy, .decides = false, .lines = {}};
  Part snapshots_{.name = kSnapshots, .decides = false, .lines = {}};
  std::vector<Numbers> numbers_;
  std::vector<std::string> faults_;
};

}  // namespace

Played play(const Case& asked) {
  Result<Engine> engine = Engine::from(asked.options);
  if (!engine) {
    return {.name = asked.name,
            .parts = {{.name = kDecisions, .decides = true, .lines = {"refused " + engine.error().key}}},
            .numbers = {}};
  }
  return Play(asked, *std::move(engine)).run();
}

Played options_of(const std::string& discipline) {
  Part part{.name = kDecisions, .decides = true, .lines = {}};
  const EngineOptions plain{.resources = {"cpu"},
                            .discipline = *choose_discipline(discipline),
                            .placement = *choose_placement("first-fit")};
  const auto tried = [&](const std::string& name, const EngineOptions& options) {
    const Result<Engine> engine = Engine::from(options);
    part.lines.push_back(name + ": " + (engine ? "honoured" : "refused " + engine.error().key));
  };
  EngineOptions options = plain;
  options.share_scale = {Quantity(2)};
  tried("share_scale", options);
  options = plain;
  options.half_life = Duration(1);
  tried("half_life", options);
  options.half_life = Duration(0);
  tried("half_life of 0", options);
  options = plain;
  options.reservations = {.after = Duration(1)};
  tried("reservations", options);
  options.reservations = {.after = Duration(1), .servers = 0};
  tried("reservations of no server", options);
  options = plain;
  options.preemption = {.tasks = 1, .per = Duration(1)};
  tried("preemption", options);
  options.half_life = Duration(1);
  tried("preemption with half_life", options);
  options = plain;
  options.resources = {};
  tried("no resources", options);
  options.resources = {"cpu", "cpu"};
  tried("a resource twice", options);
  return {.name = discipline + "/options", .parts = {std::move(part)}, .numbers = {}};
}

}  // namespace mirab::recordings
