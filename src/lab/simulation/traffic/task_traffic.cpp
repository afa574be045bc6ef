// What the model of tasks can hold. Virtual time is in nanoseconds, 10⁹ to a unit; 2⁶³ of them are
// 9.2·10⁹ units. Draws by inversion are less than 37 means.
//
//   permanent jobs      10⁵: each is a user of its own to the engine
//   tasks at a time     10⁷: each is an event that waits, of some hundred bytes
//   jobs · σ            10¹⁰: at a microsecond a task, three hours
//   τ_k = T_k / σ       10⁻⁶ to 10⁸ units, and over the cv2 of the sizes at most: a thousand nanoseconds, so
//                       that rounding is nothing, to what does not overflow
//   1.2 jobs / Σ_k λ_k  10⁹ units: how long a run lasts
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <variant>

#include <mirab/scheduling/engine.hpp>

#include "fairness/share.hpp"
#include "lab/simulation/base/event_queue.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/points.hpp"
#include "scheduling/fill/integer_problem.hpp"

namespace mirab::simulation {
namespace {

constexpr std::int64_t kMostPermanent = 100'000;  // a limit on memory: each is a user of the engine
constexpr double kMostAtATime = 1e7;              // a limit on memory: measured, some 120 bytes each
constexpr double kMaxTasks = 1e10;                // Derived: at 1 µs each they take three hours.
// τ_k, in units of time, which are a second of nanoseconds. Derived: a nanosecond is a thousandth of the
// shortest. No draw is above 37 times the mean (ln 2^53), and a run is 1e9 long, so that the end of the
// longest task, 4.7e9, comes before 2^63 ns, 9.2e9.
constexpr double kShortestTask = 1e-6;
constexpr double kLongestTask = 1e8;
constexpr double kLongestRun = 1e9;

double arriving_jobs(const TrafficScenario& scenario) {
  return static_cast<double>(scenario.jobs + warm_up_jobs(scenario.jobs));
}

Check check_permanent(const TrafficScenario& scenario) {
  std::int64_t permanent = 0;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    permanent += scenario.classes[k].permanent;
    if (permanent <= kMostPermanent) continue;
    return Error{.message = fmt::format(
                     "with whole tasks there can be {} permanent jobs, all classes together", kMostPermanent),
                 .key = fmt::format("classes[{}].permanent", k)};
  }
  return {};
}

Check check_tasks(const TrafficScenario& scenario) {
  const auto tasks = static_cast<double>(scenario.tasks_per_job);
  const double all = arriving_jobs(scenario) * tasks;
  if (all > kMaxTasks)
    return Error{.message = fmt::format("{} jobs of {} tasks are more than {} tasks in all", scenario.jobs,
                                        scenario.tasks_per_job, kMaxTasks),
                 .key = "tasks_per_job"};
  const double variation = scenario.sizes.law == Sizes::Law::hyperexponential ? scenario.sizes.cv2 : 1;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    const double alone = 1 / fairness::dominant_share<double>(job_class.demand, scenario.capacity);  // T_k
    const bool endless = job_class.permanent > 0;
    if (std::min(alone, endless ? alone : all) > kMostAtATime)
      return Error{.message = fmt::format("more than {} tasks would run at a time", kMostAtATime),
                   .key = fmt::format("classes[{}].demand", k)};
    const double time = alone / tasks;
    if (time >= kShortestTask && time * variation <= kLongestTask) continue;
    return Error{.message = fmt::format("a task of '{}' would take {} of the time of a job; {} to {} can be "
                                        "simulated (times cv2 at the upper end)",
                                        job_class.name, time, kShortestTask, kLongestTask),
                 .key = "tasks_per_job"};
  }
  return {};
}

Check check_time(const TrafficScenario& scenario) {
  for (std::size_t i = 0; i < scenario.loads.size(); ++i) {
    const std::vector<double> rates = arrival_rates(scenario, scenario.loads[i]);
    const double rate = std::accumulate(rates.begin(), rates.end(), 0.0);
    if (arriving_jobs(scenario) <= kLongestRun * rate) continue;
    return Error{.message = fmt::format("at so small a load {} jobs take more than {} times as long as one "
                                        "that is alone",
                                        scenario.jobs, kLongestRun),
                 .key = fmt::format("load.at[{}]", i)};
  }
  return {};
}

}  // namespace

Check check_task_bounds(const TrafficScenario& scenario) {
  for (const auto part : {check_permanent, check_tasks, check_time}) {
    if (const Check found = part(scenario)) return found;
  }
  return {};
}

// Random traffic task by task: every job is a user of its own on the engine, with one server, the pool.
//
// Source: Bonald and Roberts 2014, section 4. A job of class k has σ = tasks_per_job tasks. Alone on the pool
// it could run T_k = min_r C_r / a_kr of them at a time, were they divisible; the mean time of a task is
// τ_k = T_k / σ, so that the fluid job would take 1: μ_k = T_k / (σ τ_k) = 1. (The paper: T = C = 100, σ =
// 500, τ = 1/5.) Its last tasks leave capacity idle: alone, with exponential times, it runs at rate
// 5 / (401/100 + Σ_{k=1}^{99} 1/k) = 0.544 in the paper's setting.
//
// Virtual time: a unit of time is a second of nanoseconds. The times of a job's tasks come from a stream of
// its own, in the order in which they start: the same under every discipline. Cost: some 1 µs a task, which
// is the engine's; with pf a price solution more for each arrival and departure of a job.

namespace {

using scheduling::Amounts;
using scheduling::Engine;
using scheduling::JobId;
using scheduling::TaskId;
using scheduling::UserId;

constexpr double kSecond = 1e9;                                      // nanoseconds in a unit of time
constexpr std::int64_t kTaskTrafficEndless = 1'000'000'000'000'000;  // tasks of a permanent job

Duration nanoseconds(double units) { return Duration(std::llround(units * kSecond)); }

Amounts amounts(std::span<const std::int64_t> units) { return {units.begin(), units.end()}; }

// T_k: the tasks that a job alone on the pool could run, were they divisible, and its claims true.
double tasks_alone(const TrafficScenario& scenario, const TrafficClass& job_class) {
  return 1 / fairness::dominant_share<double>(job_class.demand, scenario.capacity);
}

Choice discipline_of(const TrafficScenario& scenario, std::size_t mechanism) {
  Choice choice = scenario.mechanisms[mechanism];
  choice.options.try_emplace("blocking", scenario.freeze ? "freeze" : "skip");
  return choice;
}

Result<Engine> engine_for(const TrafficScenario& scenario, std::size_t mechanism) {
  return Engine::from({.resources = scenario.resources,
                       .discipline = discipline_of(scenario, mechanism),
                       .placement = *choose_placement("first-fit")});
}

struct Arrival {
  std::size_t job_class;
};
struct TaskEnd {
  TaskId task;
  JobId job;
};
using Event = std::variant<Arrival, TaskEnd>;

struct Job {
  std::size_t job_class;
  UserId user;
  std::int64_t left;  // tasks that have not ended
  Random times;       // of its tasks
};

struct ClassState {
  Amounts demand;
  double task_time;  // τ_k
  double alone;      // T_k
  Random arrivals;
  std::int64_t arrived = 0;
  std::int64_t present = 0;              // jobs that come and go
  std::int64_t permanently_running = 0;  // tasks of permanent jobs
};

class TaskTraffic {
 public:
  TaskTraffic(const TrafficRun& run, const scheduling::IntegerProblem& pool, Engine engine)
      : run_(run),
        engine_(std::move(engine)),
        ties_(stream(run.seed, "ties", {std::bit_cast<std::uint64_t>(run.load)})) {
    add_pool(pool);
    for (std::size_t k = 0; k < run.scenario.classes.size(); ++k) begin_class(pool, k);
    place_tasks();
  }

  TrafficMeasured run() {
    const std::int64_t jobs = run_.scenario.jobs;
    const std::int64_t warm_up = warm_up_jobs(jobs);
    while (arrived_ < warm_up) happen();
    start_batch();
    for (std::size_t b = 0; b < kTrafficBatches; ++b) {
      while (arrived_ < warm_up + batch_end(jobs, b)) happen();
      if (run_.progress) run_.progress(part_done(jobs, b));
      close_batch();
    }
    const std::string broken = engine_.broken_invariant();
    MIRAB_ASSERT(broken.empty(), broken.c_str());
    return std::move(measured_);
  }

 private:
  void add_pool(const scheduling::IntegerProblem& pool) {
    const auto added =
        engine_.apply(scheduling::ServerAdded{.name = "pool", .capacity = amounts(pool.capacity(0))}, Time{});
    MIRAB_ASSERT(static_cast<bool>(added), "the pool of a checked scenario can be added");
  }

  void begin_class(const scheduling::IntegerProblem& pool, std::size_t k) {
    const TrafficClass& job_class = run_.scenario.classes[k];
    const double alone = tasks_alone(run_.scenario, job_class);
    classes_.push_back({.demand = amounts(pool.demand(k)),
                        .task_time = alone / static_cast<double>(run_.scenario.tasks_per_job),
                        .alone = alone,
                        .arrivals = arrival_stream(run_.seed, run_.load, k)});
    for (std::int64_t job = 0; job < job_class.permanent; ++job) submit(k, kTaskTrafficEndless, Time{});
    if (run_.arrivals[k] > 0) schedule_arrival(k);
  }

  void schedule_arrival(std::size_t k) {
    const double wait = draw_exponential(classes_[k].arrivals) / run_.arrivals[k];
    if (wait > kLongestWait) return;
    events_.schedule(events_.now() + nanoseconds(wait), Arrival{k});
  }

  void submit(std::size_t k, std::int64_t tasks, Time now) {
    ClassState& of = classes_[k];
    const auto user = engine_.apply(scheduling::UserAdded{.name = run_.scenario.classes[k].name}, now);
    MIRAB_ASSERT(static_cast<bool>(user), "a user can always be added");
    const auto job =
        engine_.apply(scheduling::JobSubmitted{.user = *user, .demand = of.demand, .tasks = tasks}, now);
    MIRAB_ASSERT(static_cast<bool>(job), "the tasks of a checked scenario fit the pool");
    jobs_.emplace(*job, Job{.job_class = k, .user = *user, .left = tasks, .times = task_times(k)});
    ++of.arrived;
  }

  Random task_times(std::size_t k) const {
    return stream(
        run_.seed, "tasks",
        {std::bit_cast<std::uint64_t>(run_.load), k, static_cast<std::uint64_t>(classes_[k].arrived)});
  }

  void happen() {
    const Event event = events_.take();
    advance();
    ++measured_.events;
    if (const Arrival* arrival = std::get_if<Arrival>(&event)) {
      arrive(arrival->job_class);
    } else {
      end(std::get<TaskEnd>(event));
    }
    place_tasks();
  }

  void arrive(std::size_t k) {
    submit(k, run_.scenario.tasks_per_job, events_.now());
    ++classes_[k].present;
    ++arrived_;
    batch_.classes[k].arrived += 1;
    schedule_arrival(k);
  }

  void end(const TaskEnd& event) {
    const Time now = events_.now();
    const Check refused = engine_.apply(scheduling::TaskFinished{event.task}, now);
    MIRAB_ASSERT(!refused, "a running task can end");
    const auto job = jobs_.find(event.job);
    ClassState& of = classes_[job->second.job_class];
    if (is_permanent(job->second)) --of.permanently_running;
    if (--job->second.left > 0) return;
    const Check kept = engine_.apply(scheduling::UserRemoved{job->second.user}, now);
    MIRAB_ASSERT(!kept, "a user without jobs can go");
    --of.present;
    jobs_.erase(job);
  }

  void place_tasks() {
    while (const auto placed = engine_.step(events_.now(), ties_)) {
      Job& job = jobs_.at(placed->job);
      ClassState& of = classes_[job.job_class];
      const double time = of.task_time * draw_size(run_.scenario.sizes, job.times);
      events_.schedule(events_.now() + nanoseconds(time), TaskEnd{placed->task, placed->job});
      if (is_permanent(job)) ++of.permanently_running;
    }
  }

  bool is_permanent(const Job& job) const { return job.left > run_.scenario.tasks_per_job; }

  // Everything stood still since the event before.
  void advance() {
    const double length = static_cast<double>((events_.now() - since_).count()) / kSecond;
    since_ = events_.now();
    batch_.time += length;
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      const std::int64_t permanent = run_.scenario.classes[k].permanent;
      batch_.classes[k].present += length * static_cast<double>(classes_[k].present);
      if (permanent == 0) continue;
      batch_.classes[k].served += length * static_cast<double>(classes_[k].permanently_running) /
                                  (classes_[k].alone * static_cast<double>(permanent));
    }
  }

  void start_batch() { batch_ = {.time = 0, .classes = std::vector<ClassBatch>(classes_.size())}; }

  void close_batch() {
    measured_.batches.push_back(std::move(batch_));
    start_batch();
  }

  const TrafficRun& run_;
  Engine engine_;
  Random ties_;
  EventQueue<Event> events_;
  std::vector<ClassState> classes_;  // [k]
  std::unordered_map<JobId, Job> jobs_;
  std::int64_t arrived_ = 0;
  Time since_{};
  TrafficBatch batch_{.time = 0, .classes = std::vector<ClassBatch>(run_.scenario.classes.size())};
  TrafficMeasured measured_;
};

Result<Problem> problem_of(const TrafficScenario& scenario) {
  Result<Cluster> cluster = cluster_of(scenario);
  if (!cluster) return cluster.error();
  return Problem::from(*std::move(cluster));
}

}  // namespace

Check check_task_traffic(const TrafficScenario& scenario) {
  if (scenario.tasks_per_job < 1)
    return Error{.message = "a job has at least one task", .key = "tasks_per_job"};
  if (const Check bounds = check_task_bounds(scenario)) return bounds;
  const Result<Problem> problem = problem_of(scenario);
  if (!problem) return problem.error();
  const scheduling::IntegerProblem pool(*problem);
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    if (fairness::dominant_share<double>(claims_of(scenario.classes[k]), scenario.capacity) > 1) {
      return Error{.message = "a task is larger than the pool", .key = fmt::format("classes[{}]", k)};
    }
  }
  for (std::size_t i = 0; i < scenario.mechanisms.size(); ++i) {
    const Result<Engine> engine = engine_for(scenario, i);
    if (!engine) return Error{.message = engine.error().message, .key = fmt::format("mechanisms[{}]", i)};
  }
  return {};
}

TrafficMeasured simulate_task_traffic(const TrafficRun& run) {
  const Result<Problem> problem = problem_of(run.scenario);
  Result<Engine> engine = engine_for(run.scenario, run.mechanism);
  MIRAB_ASSERT(problem && engine, "a run of a checked scenario");
  return TaskTraffic(run, scheduling::IntegerProblem(*problem), *std::move(engine)).run();
}

}  // namespace mirab::simulation
