// Random traffic with divisible jobs: two classes of Bonald and Roberts 2014, figure 1b. A time is that of
// one arrival or departure, warm-up included; loads are in percent. Beside it what a division costs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/fluid_rates.hpp"
#include "lab/simulation/traffic/points.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kJobs = 20'000;
constexpr int kKept = 12;
constexpr int kForgetful = -1;

TrafficScenario figure_1b(const char* mechanism, double load) {
  return {.resources = {"cpu", "memory"},
          .capacity = {1, 1},
          .classes = {{.name = "c1", .demand = {1, 0.1}, .arrivals = 0.75},
                      {.name = "c2", .demand = {0.1, 1}, .arrivals = 0.25}},
          .sizes = {},
          .mechanisms = {*choose_mechanism(mechanism)},
          .loads = {load},
          .jobs = kJobs};
}

TrafficRun run_of(const TrafficScenario& scenario) {
  const double load = scenario.loads[0];
  return {.scenario = scenario,
          .mechanism = 0,
          .load = load,
          .arrivals = arrival_rates(scenario, load),
          .seed = kSeed};
}

// The rates are those of the run: a memory that is warm from another run would be no measure.
void events(benchmark::State& state, TrafficScenario scenario, int kept_log2) {
  const TrafficRun run = run_of(scenario);
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  FluidRates counted(rule, kept_log2);
  const std::int64_t count = simulate_fluid_traffic(run, counted).events;
  while (state.KeepRunningBatch(count)) {
    FluidRates rates(rule, kept_log2);
    benchmark::DoNotOptimize(simulate_fluid_traffic(run, rates));
  }
  const double divisions = static_cast<double>(counted.divisions());
  std::string label =
      fmt::format("{:.1f} % of events divide again", 100 * divisions / static_cast<double>(count));
  if (const numerics::ClassPrices* prices = counted.prices())
    label += fmt::format(", {:.2f} Newton steps each", static_cast<double>(prices->steps()) / divisions);
  state.SetLabel(label);
}

double load_of(const benchmark::State& state) { return static_cast<double>(state.range(0)) / 100; }

void fluid_drf(benchmark::State& state) { events(state, figure_1b("drf", load_of(state)), kKept); }
void fluid_pf(benchmark::State& state) { events(state, figure_1b("pf", load_of(state)), kKept); }
void fluid_drf_forgetful(benchmark::State& state) {
  events(state, figure_1b("drf", load_of(state)), kForgetful);
}
void fluid_pf_forgetful(benchmark::State& state) {
  events(state, figure_1b("pf", load_of(state)), kForgetful);
}
void fluid_pf_erlang(benchmark::State& state) {
  TrafficScenario scenario = figure_1b("pf", load_of(state));
  scenario.sizes = {.law = Sizes::Law::erlang, .stages = 20};
  events(state, std::move(scenario), kKept);
}

// A walk among states that are as at load 0.95, a job more or less at a time.
class Walk {
 public:
  const std::vector<std::int64_t>& step() {
    std::int64_t& n = jobs_[random_.below(2)];
    n += n > 5 && random_.below(2) == 0 ? -1 : 1;
    if (n > 30) --n;
    return jobs_;
  }

 private:
  Random random_{kSeed};
  std::vector<std::int64_t> jobs_ = {20, 8};
};

enum class Start { last_prices, nothing };

void divisions(benchmark::State& state, Start start) {
  const TrafficScenario scenario = figure_1b("pf", 0.95);
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  numerics::ClassPrices shares(rule);
  std::vector<double> found(2);
  Walk walk;
  for ([[maybe_unused]] auto _ : state) {
    if (start == Start::nothing) shares.forget();
    shares.divide(walk.step(), found);
    benchmark::DoNotOptimize(found.data());
  }
}

void pf_division_from_last_prices(benchmark::State& state) { divisions(state, Start::last_prices); }
void pf_division_from_nothing(benchmark::State& state) { divisions(state, Start::nothing); }

BENCHMARK(fluid_drf)->Arg(60)->Arg(95);
BENCHMARK(fluid_pf)->Arg(60)->Arg(95);
BENCHMARK(fluid_drf_forgetful)->Arg(60);
BENCHMARK(fluid_pf_forgetful)->Arg(60);
BENCHMARK(fluid_pf_erlang)->Arg(60);
BENCHMARK(pf_division_from_last_prices);
BENCHMARK(pf_division_from_nothing);

}  // namespace
}  // namespace mirab::simulation
