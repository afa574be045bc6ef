// How long one event and one decision take: the median, and the slowest of a hundred and of a thousand. By
// the wall clock, whose reading is part of each (some 20 to 40 ns); what else the machine does is in the
// slowest.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <string>

#include "engine/engine_churn.hpp"

namespace mirab::scheduling {
namespace {

using bench::EngineChurn;
using bench::Until;

class Latencies {
 public:
  /// Times what was done, if anything was. Was it?
  template <class Act>
  bool time(Act act) {
    const auto start = std::chrono::steady_clock::now();
    const bool was_done = act();
    const auto end = std::chrono::steady_clock::now();
    if (was_done) nanoseconds_.push_back(std::chrono::duration<double, std::nano>(end - start).count());
    return was_done;
  }

  /// Counters `what_p50`, `what_p99` and `what_p999`, in ns.
  void show(benchmark::State& state, const std::string& what) {
    std::sort(nanoseconds_.begin(), nanoseconds_.end());
    const auto at = [&](double part) {
      return nanoseconds_[static_cast<std::size_t>(part * static_cast<double>(nanoseconds_.size()))];
    };
    state.counters[what + "_p50"] = at(0.5);
    state.counters[what + "_p99"] = at(0.99);
    state.counters[what + "_p999"] = at(0.999);
  }

 private:
  std::vector<double> nanoseconds_;
};

void latency(benchmark::State& state, const char* discipline, const char* placement) {
  const bench::Churn churn = bench::google_churn(10'000, 1'000, 1);
  EngineChurn engine(churn, discipline, placement, Until::filled, 1);
  Latencies events, decisions;
  for ([[maybe_unused]] auto _ : state) {
    events.time([&] {
      engine.finish();
      return true;
    });
    while (decisions.time([&] { return engine.serve(); })) continue;
  }
  events.show(state, "event");
  decisions.show(state, "decision");
}

void drf_first_fit_latency(benchmark::State& state) { latency(state, "drf", "first-fit"); }
void drf_best_fit_latency(benchmark::State& state) { latency(state, "drf", "best-fit"); }
void ps_dsf_latency(benchmark::State& state) { latency(state, "ps-dsf", "first-fit"); }

BENCHMARK(drf_first_fit_latency)->Iterations(300'000);
BENCHMARK(drf_best_fit_latency)->Iterations(300'000);
BENCHMARK(ps_dsf_latency)->Iterations(300'000);

}  // namespace
}  // namespace mirab::scheduling
