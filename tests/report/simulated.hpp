#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "lab/simulation/scenario.hpp"
#include "report/sample.hpp"

namespace mirab::report::test {

// Outcomes of simulations, made by hand.

inline simulation::TrafficScenario traffic_scenario() {
  simulation::TrafficScenario scenario;
  scenario.resources = {"cpu", "memory"};
  scenario.capacity = {1, 1};
  scenario.classes = {{.name = "a", .demand = {1, 0.1}, .claims = {1, 0.5}, .arrivals = 1},
                      {.name = "b", .demand = {0.1, 1}, .permanent = 2}};
  scenario.mechanisms = {{.name = "drf", .options = {}, .text = "drf"},
                         {.name = "pf", .options = {}, .text = "pf"}};
  scenario.loads = {0.5, 1.5};
  scenario.jobs = 1000;
  return scenario;
}

inline simulation::TrafficOutcome traffic_outcome() {
  simulation::TrafficOutcome outcome;
  for (const double load : {0.5, 1.5}) {
    for (std::size_t mechanism = 0; mechanism < 2; ++mechanism) {
      for (std::size_t job_class = 0; job_class < 2; ++job_class) {
        outcome.points.push_back({.load = load,
                                  .mechanism = mechanism,
                                  .job_class = job_class,
                                  .service_rate = 0.25,
                                  .low = 0.24,
                                  .high = 0.26,
                                  .jobs = 2,
                                  .stable = load<1, .settled = load> 1 || mechanism == 0});
      }
    }
  }
  outcome.events = 4321;
  outcome.seed = 7;
  outcome.not_converged = {0, 12};
  return outcome;
}

inline simulation::Series ramp(const std::string& name, std::size_t values) {
  simulation::Series series{.name = name, .values = {}};
  for (std::size_t i = 0; i < values; ++i) series.values.push_back(static_cast<double>(i));
  return series;
}

inline simulation::TraceScenario trace_scenario() {
  simulation::TraceScenario scenario;
  scenario.cluster = "park.yaml";
  scenario.workload = "jobs.workload";
  scenario.options.scale.machines = 0.5;
  return scenario;
}

inline simulation::ReplayOutcome replay_outcome(const std::string& discipline, std::size_t samples) {
  simulation::ReplayOutcome outcome;
  outcome.discipline = discipline;
  outcome.placement = "best-fit";
  outcome.submitted = 10;
  outcome.of_jobs.submitted = 10;
  outcome.started = 9;
  outcome.finished = 8;
  outcome.still_running = 1;
  outcome.still_waiting = 1;
  outcome.waiting = {.count = 9, .mean = 30, .p10 = 0, .p50 = 12.5, .p90 = 90, .p99 = 7200, .most = 7200};
  simulation::ReplayUser hungry;
  hungry.name = "hungry";
  hungry.submitted = 1;
  hungry.starved = true;
  simulation::ReplayUser busy;
  busy.name = "busy";
  busy.submitted = 9;
  busy.started = 9;
  busy.waiting = outcome.waiting;
  busy.share = 0.25;
  outcome.users = {hungry, busy};
  outcome.resources = {"cpu", "memory"};
  outcome.utilization = {0.5, 0.25};
  outcome.end = 3600;
  outcome.times = ramp("", samples).values;
  outcome.series = {ramp("waiting", samples), {.name = "jain", .values = {0.5, 1}}};
  outcome.utilization_over_time = {ramp("cpu", samples), ramp("memory", samples)};
  outcome.notices = {"one machine was cut"};
  return outcome;
}

inline simulation::ReallocationScenario reallocation_scenario() {
  simulation::ReallocationScenario scenario;
  scenario.cluster = "park.yaml";
  scenario.workload = "jobs.workload";
  return scenario;
}

/// Two jobs of one user, submitted at 0 and 10 s.
inline Workload two_jobs() {
  using namespace std::chrono_literals;
  Workload workload;
  workload.resources = {"cpu", "memory"};
  workload.users = {{.name = "u"}};
  workload.jobs = {{.name = "1", .submitted = 0s, .user = 0, .request = 0, .runtime = 50s},
                   {.name = "2", .submitted = 10s, .user = 0, .request = 0, .runtime = 50s}};
  workload.span = 600s;
  return workload;
}

inline simulation::ReallocationOutcome reallocation_outcome(const std::string& mechanism) {
  using namespace std::chrono_literals;
  simulation::ReallocationOutcome outcome;
  outcome.mechanism = mechanism;
  outcome.jobs = {{.work = 50, .done = 50, .completed = Duration(30s)}, {.work = 50, .done = 25}};
  outcome.times = {300, 600};
  outcome.servers = {{.name = "pool", .count = 1, .mean = {0.5, 0.25}, .moving = {{0.5, 0.25}, {0.75, 0.5}}}};
  outcome.active = {1, 2};
  outcome.mean_active = 1.5;
  outcome.divisions = 3;
  outcome.solved = 2;
  outcome.worst = {"level-violation", 1e-12};
  outcome.solver_seconds = 0.001;
  return outcome;
}

/// Two schedulers on the pool of the slides, the second of which broke a promise.
inline simulation::OverlayScenario overlay_scenario() {
  simulation::OverlayScenario scenario;
  scenario.cluster = "park.yaml";
  scenario.rules = {{.scheduler = overlay::Scheduler::centralised_drf, .options = {}},
                    {.scheduler = overlay::Scheduler::pdgdrf, .options = {}}};
  scenario.names = {"centralised-drf", "pdgdrf:hops=9"};
  scenario.tolerances = {0, 0.05};
  return scenario;
}

inline simulation::OverlayRun overlay_run(const std::string& scheduler, double ticks) {
  simulation::OverlayRun run;
  run.scheduler = scheduler;
  run.seed = 7;
  run.min_share = 0.0561;
  run.gini = 0.0123;
  run.deviation = 0.00234;
  run.shares = {0.0561, 0.0584};
  run.placements = 400;
  run.wrong = {10, 4};
  run.wrong_over_time = {{0.1, 0.025}, {0, 0.01}};
  run.ticks = ticks;
  run.mean_min_share = 0.04;
  run.messages = 5000;
  run.bytes = 90000;
  run.messages_per_tick_and_node = 2.5;
  run.bytes_per_tick_and_node = 45;
  run.kinds = {{"peer-request", 3000, 60000}, {"submit", 2000, 30000}};
  run.dropped = {0, 0, 0, 0, 0};
  run.used = {0.75, 0.5};
  run.frames = {{.tick = 1, .utility = {-0.5}, .view = {{0}}, .used = {0.25}, .placements = 3}};
  return run;
}

/// The second broke a promise, and lost messages.
inline std::vector<simulation::OverlayRun> overlay_runs() {
  using namespace std::chrono_literals;
  std::vector<simulation::OverlayRun> runs = {overlay_run("centralised-drf", 800),
                                              overlay_run("pdgdrf", 400)};
  runs[1].violation_count = 2;
  runs[1].violations = {{.promise = "capacity", .what = "server 0 runs more than it has", .at = 5200ms}};
  runs[1].lost = 17;
  runs[1].dropped = {3, 0, 0, 0, 1};
  runs[1].moved = 5;
  return runs;
}

inline simulation::DemandSeriesScenario demands_scenario() {
  simulation::DemandSeriesScenario scenario;
  scenario.servers = {{.name = "pool", .capacity = {Quantity(9), Quantity(18)}, .count = 2, .labels = {}}};
  scenario.users.resize(1);
  scenario.users.front().count = 5;
  scenario.iterations = 2;
  return scenario;
}

inline simulation::DemandSeriesOutcome demands_outcome() {
  simulation::MechanismCourse course;
  course.mechanism = "drf";
  course.granted = {{1, 0.5}, {0.25, 0.75}};
  course.tasks = {3, 5};
  course.bundles = {{{1, 2}, {3, 4}}};
  course.user_tasks = {{0.5, 1}};
  simulation::DemandSeriesOutcome outcome;
  outcome.mechanisms = {course};
  outcome.dominated = {{2, 3}, {3, 2}};
  outcome.demands = {{{1, 1}, {2, 2}}};
  outcome.seed = 7;
  return outcome;
}

}  // namespace mirab::report::test
