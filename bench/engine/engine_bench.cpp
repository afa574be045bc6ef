// Decisions of the whole engine, with its ledger and identifiers, in churn: everybody has endless tasks; the
// park is filled to 90 % of the scarcest resource (`steady`), or until nothing fits (`saturated`); then again
// and again one running task, drawn at random, finishes, and the engine serves until the park is filled as
// before. A time is one such round, which holds one decision in the mean. Beside it the same by sorting all
// users and scanning all servers (`naive`).
#include <algorithm>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <limits>
#include <malloc.h>
#include <numeric>

#include <mirab/scheduling/engine.hpp>

#include "engine/churn.hpp"

namespace mirab::scheduling {
namespace {

using bench::Churn;
using bench::Taken;
using bench::Units;

constexpr std::uint64_t kSeed = 1;

enum class Until { filled, nothing_fits };

Choice named(const char* name) { return {.name = name, .options = {}, .text = name}; }

/// An engine with the machines of the churn and a job of endless tasks of every user.
Engine engine_of(const Churn& churn, const char* discipline, const char* placement) {
  Engine engine = *Engine::from(
      {.resources = {"cpu", "memory"}, .discipline = named(discipline), .placement = named(placement)});
  const Time start{};
  for (const Units& machine : churn.machines)
    (void)*engine.apply(ServerAdded{.name = "machine", .capacity = machine}, start);
  for (const Units& demand : churn.demands) {
    const UserId user = *engine.apply(UserAdded{.name = "user"}, start);
    (void)engine.apply(JobSubmitted{.user = user, .demand = demand, .tasks = INT64_MAX}, start);
  }
  return engine;
}

class EngineChurn {
 public:
  EngineChurn(const Churn& churn, const char* discipline, const char* placement, Until until)
      : churn_(churn),
        engine_(engine_of(churn, discipline, placement)),
        until_(until),
        taken_(churn),
        random_(kSeed) {
    serve();
    decisions_ = 0;
  }

  void round() {
    std::swap(running_[random_.below(running_.size())], running_.back());
    const auto [task, user] = running_.back();
    running_.pop_back();
    taken_.give(churn_.demands[user]);
    const Check bad = engine_.apply(TaskFinished{task}, {});
    MIRAB_ASSERT(!bad, "a running task can finish");
    serve();
  }

  std::int64_t decisions() const { return decisions_; }
  std::size_t running() const { return running_.size(); }

 private:
  void serve() {
    while (until_ == Until::nothing_fits || !taken_.is_filled()) {
      const std::optional<Placed> placed = engine_.step({}, random_);
      if (!placed) return;
      const auto user = static_cast<std::uint32_t>(static_cast<std::uint64_t>(placed->user));
      taken_.take(churn_.demands[user]);
      running_.push_back({.task = placed->task, .user = user});
      ++decisions_;
    }
  }

  struct Running {
    TaskId task;
    std::uint32_t user;
  };
  const Churn& churn_;
  Engine engine_;
  Until until_;
  Taken taken_;
  Random random_;
  std::vector<Running> running_;
  std::int64_t decisions_ = 0;
};

/// DRF and first-fit as they are defined, over plain arrays.
class NaiveChurn {
 public:
  explicit NaiveChurn(const Churn& churn)
      : churn_(churn),
        free_(churn.machines),
        used_(churn.demands.size(), Units(2, 0)),
        pool_(2, 0),
        order_(churn.demands.size()),
        taken_(churn),
        random_(kSeed) {
    for (const Units& machine : churn.machines) {
      for (std::size_t r = 0; r < 2; ++r) pool_[r] += machine[r];
    }
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // As the engine fills: user by user would take as long as the rounds themselves.
    EngineChurn filled(churn, "drf", "first-fit", Until::filled);
    for (std::size_t task = 0; task < filled.running(); ++task) place(task % order_.size());
  }

  void round() {
    std::swap(running_[random_.below(running_.size())], running_.back());
    const auto [user, server] = running_.back();
    running_.pop_back();
    move(user, server, -1);
    taken_.give(churn_.demands[user]);
    while (!taken_.is_filled() && serve()) continue;
  }

 private:
  double share(std::size_t user) const {
    return std::max(static_cast<double>(used_[user][0]) / static_cast<double>(pool_[0]),
                    static_cast<double>(used_[user][1]) / static_cast<double>(pool_[1]));
  }

  bool serve() {
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
    return std::any_of(order_.begin(), order_.end(), [&](std::size_t user) { return place(user); });
  }

  bool place(std::size_t user) {
    const Units& demand = churn_.demands[user];
    for (std::size_t server = 0; server < free_.size(); ++server) {
      if (demand[0] > free_[server][0] || demand[1] > free_[server][1]) continue;
      move(user, server, 1);
      taken_.take(demand);
      running_.push_back({.user = user, .server = server});
      return true;
    }
    return false;
  }

  void move(std::size_t user, std::size_t server, std::int64_t sign) {
    for (std::size_t r = 0; r < 2; ++r) {
      free_[server][r] -= sign * churn_.demands[user][r];
      used_[user][r] += sign * churn_.demands[user][r];
    }
  }

  struct Running {
    std::size_t user;
    std::size_t server;
  };
  const Churn& churn_;
  std::vector<Units> free_;
  std::vector<Units> used_;
  Units pool_;
  std::vector<std::size_t> order_;
  Taken taken_;
  Random random_;
  std::vector<Running> running_;
};

void rounds(benchmark::State& state, const char* discipline, const char* placement, Until until) {
  const Churn churn = bench::google_churn(static_cast<std::size_t>(state.range(0)),
                                          static_cast<std::size_t>(state.range(1)), kSeed);
  EngineChurn engine(churn, discipline, placement, until);
  for ([[maybe_unused]] auto _ : state) engine.round();
  state.SetLabel(fmt::format(
      "{:.2f} decisions a round, {} tasks running",
      static_cast<double>(engine.decisions()) / static_cast<double>(state.iterations()), engine.running()));
}

void drf_first_fit(benchmark::State& state) { rounds(state, "drf", "first-fit", Until::filled); }
void drf_best_fit(benchmark::State& state) { rounds(state, "drf", "best-fit", Until::filled); }
void ps_dsf(benchmark::State& state) { rounds(state, "ps-dsf", "first-fit", Until::filled); }
void saturated(benchmark::State& state) { rounds(state, "drf", "first-fit", Until::nothing_fits); }

void naive(benchmark::State& state) {
  const Churn churn = bench::google_churn(static_cast<std::size_t>(state.range(0)),
                                          static_cast<std::size_t>(state.range(1)), kSeed);
  NaiveChurn naive(churn);
  for ([[maybe_unused]] auto _ : state) naive.round();
}

/// What 10^6 running tasks add to an engine.
void million_tasks(benchmark::State& state) {
  constexpr std::int64_t kTasks = 1'000'000;
  double bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    Engine engine = engine_of(
        {.machines = std::vector(1'000, Units{1'000, 1'000}), .demands = std::vector(100, Units{1, 1})},
        "drf", "first-fit");
    Random random(kSeed);
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (std::int64_t task = 0; task < kTasks; ++task) benchmark::DoNotOptimize(engine.step({}, random));
    const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    bytes = static_cast<double>(after - before) / static_cast<double>(engine.running_count());
  }
  state.counters["bytes"] = bytes;
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({10'000, 1'000})->Repetitions(5)->MinTime(0.5);
}

BENCHMARK(drf_first_fit)
    ->Args({100, 1'000})
    ->Args({1'000, 1'000})
    ->Args({100'000, 1'000})
    ->Args({10'000, 10})
    ->Args({10'000, 100})
    ->Args({10'000, 10'000})
    ->Apply(sizes);
BENCHMARK(drf_best_fit)->Apply(sizes);
BENCHMARK(ps_dsf)->Apply(sizes);
BENCHMARK(saturated)->Apply(sizes);
BENCHMARK(naive)->Args({10'000, 1'000})->Repetitions(3);
BENCHMARK(million_tasks)->Iterations(1)->Repetitions(1);

}  // namespace
}  // namespace mirab::scheduling
