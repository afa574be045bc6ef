// Preemption in a tree of many small teams: 300 groups of ten users on 20 servers with preemption by share
// and guarantee. A thousand jobs come, one after the other, of users drawn at random; after each the engine
// decides until nothing more can be placed, also by force. A time is all thousand: the events, the decisions,
// and the searches that find nothing.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/fill.hpp>

namespace mirab::scheduling {
namespace {

constexpr std::size_t kGroups = 300;
constexpr std::size_t kMembers = 10;
constexpr std::size_t kServers = 20;
constexpr std::size_t kJobs = 1'000;

/// Tasks of 1 to 8 CPUs, with 1 to 4 GiB for each.
JobSubmitted drawn_job(const std::vector<UserId>& users, Random& random) {
  const auto cpus = static_cast<std::int64_t>(1) << random.below(4);
  return {.user = users[random.below(users.size())],
          .demand = {cpus, cpus * static_cast<std::int64_t>(1 + random.below(4))},
          .tasks = 1 + static_cast<std::int64_t>(random.below(4))};
}

void submit_to_teams(benchmark::State& state, bool has_weights) {
  std::int64_t placed_by_force = 0, tasks = 0;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    Random random(1), ties(1);
    Engine engine = *Engine::from({.resources = {"cpu", "memory"},
                                   .discipline = *choose_discipline("drf"),
                                   .placement = *choose_placement("first-fit"),
                                   .oversized = Oversized::wait,
                                   .preemption = Preempting{.tasks = INT64_MAX, .per = Duration(1)}});
    Time now{};
    for (std::size_t server = 0; server < kServers; ++server)
      static_cast<void>(
          *engine.apply(ServerAdded{.name = fmt::format("s{}", server), .capacity = {64, 256}}, now));
    std::vector<UserId> users;
    for (std::size_t group = 0; group < kGroups; ++group) {
      GroupAdded added{.name = fmt::format("g{}", group)};
      if (has_weights) added.weight = Quantity(static_cast<std::int64_t>(1 + group % 3));
      const GroupId of = *engine.apply(added, now);
      for (std::size_t member = 0; member < kMembers; ++member)
        users.push_back(*engine.apply(UserAdded{.name = fmt::format("u{}", users.size()), .group = of}, now));
    }
    state.ResumeTiming();
    for (std::size_t job = 0; job < kJobs; ++job) {
      now += Duration(1);
      static_cast<void>(*engine.apply(drawn_job(users, random), now));
      while (const std::optional<Placed> placed = engine.step(now, ties)) {
        ++tasks;
        placed_by_force += placed->preempted.empty() ? 0 : 1;
      }
    }
  }
  state.SetLabel(fmt::format("{} tasks placed, {} of them by force", tasks / state.iterations(),
                             placed_by_force / state.iterations()));
}

void teams(benchmark::State& state) { submit_to_teams(state, false); }
void weighted_teams(benchmark::State& state) { submit_to_teams(state, true); }

BENCHMARK(teams)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);
BENCHMARK(weighted_teams)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mirab::scheduling
