// Jobs with terms on 10,000 servers: how long a decision about one takes, and what one job may ask for at
// most.
#include <benchmark/benchmark.h>
#include <cstdint>
#include <deque>
#include <fmt/format.h>

#include <mirab/scheduling/engine.hpp>

namespace mirab::scheduling {
namespace {

constexpr std::int64_t kServers = 10'000;

/// Servers of 64 CPUs in racks of 40, of which ten stand in each of 25 zones.
Engine terms_engine() {
  Engine engine = *Engine::from({.resources = {"cpu", "memory"},
                                 .discipline = *choose_discipline("drf"),
                                 .placement = *choose_placement("first-fit")});
  for (std::int64_t server = 0; server < kServers; ++server) {
    (void)*engine.apply(ServerAdded{.name = fmt::format("server-{}", server),
                                    .capacity = {64'000, 256'000},
                                    .labels = {{"rack", std::to_string(server / 40)},
                                               {"zone", std::to_string(server / 400)}}},
                        {});
  }
  return engine;
}

/// The terms in turn: a gang, spread over zones, packed into a rack, and tasks on different servers.
JobSubmitted job_with_terms(UserId user, std::size_t number) {
  JobSubmitted job{.user = user, .demand = {4'000, 16'000}, .tasks = 8};
  switch (number % 4) {
    case 0:
      job.gang = 8;
      break;
    case 1:
      job.gang = 8;
      job.spread = Spread{.label = "zone"};
      break;
    case 2:
      job.gang = 8;
      job.pack = "rack";
      break;
    default:
      job.per_server = 1;
      job.gang = 4;
  }
  return job;
}

/// Small jobs with terms come and go, in the order in which they came, while 14 of 16 CPUs are taken by
/// others: the decisions of each, that is of eight tasks; their events are not part of the time.
void terms(benchmark::State& state) {
  Engine engine = terms_engine();
  const UserId user = *engine.apply(UserAdded{.name = "user"}, {});
  const UserId other = *engine.apply(UserAdded{.name = "other"}, {});
  Random random(1);
  (void)*engine.apply(
      JobSubmitted{.user = other, .demand = {4'000, 16'000}, .tasks = kServers * 14, .per_server = 14}, {});
  while (engine.step({}, random)) continue;
  std::deque<JobId> jobs;
  std::size_t number = 0;
  std::int64_t decisions = 0;
  const auto round = [&](auto pause, auto resume) {
    pause();
    if (jobs.size() >= 1'000) {
      std::vector<TaskId> ended;
      engine.for_each_task(jobs.front(), [&](const Engine::TaskState& task) { ended.push_back(task.task); });
      for (const TaskId task : ended) (void)engine.apply(TaskFinished{task}, {});
      jobs.pop_front();
    }
    jobs.push_back(*engine.apply(job_with_terms(user, number++), {}));
    resume();
    while (engine.step({}, random)) ++decisions;
  };
  while (jobs.size() < 1'000) round([] {}, [] {});
  decisions = 0;
  for ([[maybe_unused]] auto _ : state) round([&] { state.PauseTiming(); }, [&] { state.ResumeTiming(); });
  state.SetLabel(fmt::format("{:.2f} decisions a job",
                             static_cast<double>(decisions) / static_cast<double>(state.iterations())));
}

/// The tasks of one job start one by one, or together.
void tasks_of_one_job(benchmark::State& state, const JobSubmitted& of) {
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    Engine engine = terms_engine();
    JobSubmitted job = of;
    job.user = *engine.apply(UserAdded{.name = "user"}, {});
    (void)*engine.apply(job, {});
    Random random(1);
    state.ResumeTiming();
    while (engine.step({}, random)) continue;
    if (engine.running_count() != static_cast<std::size_t>(job.tasks))
      state.SkipWithError("tasks are missing");
    state.PauseTiming();  // the end of the engine is not part of it
    { const Engine gone = std::move(engine); }
    state.ResumeTiming();
  }
}

void twenty_thousand_with_terms(benchmark::State& state) {
  tasks_of_one_job(state, {.user = {}, .demand = {4'000, 16'000}, .tasks = 20'000, .per_server = 2});
}
void twenty_thousand_spread(benchmark::State& state) {
  tasks_of_one_job(
      state, {.user = {}, .demand = {4'000, 16'000}, .tasks = 20'000, .spread = Spread{.label = "zone"}});
}
void gang_64k(benchmark::State& state) {
  tasks_of_one_job(state, {.user = {}, .demand = {4'000, 16'000}, .tasks = 64'000, .gang = 64'000});
}
void gang_64k_spread(benchmark::State& state) {
  tasks_of_one_job(state, {.user = {},
                           .demand = {4'000, 16'000},
                           .tasks = 64'000,
                           .gang = 64'000,
                           .spread = Spread{.label = "zone"}});
}

BENCHMARK(terms)->Iterations(2'000)->Repetitions(5);
BENCHMARK(twenty_thousand_with_terms)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5);
BENCHMARK(twenty_thousand_spread)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5);
BENCHMARK(gang_64k)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5);
BENCHMARK(gang_64k_spread)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5);

}  // namespace
}  // namespace mirab::scheduling
