// Decisions of the whole engine, with its ledger and identifiers, in churn: everybody has endless tasks; the
// park is filled to 90 % of the scarcest resource (`steady`), or until nothing fits (`saturated`); then again
// and again one running task, drawn at random, finishes, and the engine serves until the park is filled as
// before. A time is one such round, which holds one decision in the mean. `preemption` is `saturated` with
// tasks that may end for others, and small tasks of about the same size on equal machines: after each finish
// the engine also looks for tasks to end. `preemption_uneven` is that with Google's machines and tasks, some
// of which wait for much more than what others leave. Beside it the same by sorting all
// users and scanning all servers (`naive`).
#include <algorithm>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <numeric>

#include <mirab/scheduling/engine.hpp>

#include "engine/engine_churn.hpp"

namespace mirab::scheduling {
namespace {

using bench::Churn;
using bench::EngineChurn;
using bench::Shape;
using bench::Taken;
using bench::Units;
using bench::Until;

constexpr std::uint64_t kSeed = 1;

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
    EngineChurn filled(churn, "drf", "first-fit", Until::filled, kSeed);
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

void rounds(benchmark::State& state, const Churn& churn, const char* discipline, const char* placement,
            Until until, Shape shape, bench::Force force) {
  EngineChurn engine(churn, discipline, placement, until, kSeed, shape, force);
  for ([[maybe_unused]] auto _ : state) engine.round();
  const auto of_a_round = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(state.iterations());
  };
  state.SetLabel(fmt::format("{:.2f} decisions a round, {:.3f} tasks preempted, {} tasks running",
                             of_a_round(engine.decisions()), of_a_round(engine.preempted()),
                             engine.running()));
}

void rounds(benchmark::State& state, const char* discipline, const char* placement, Until until,
            Shape shape = Shape::flat, bench::Force force = bench::Force::none) {
  rounds(state,
         bench::google_churn(static_cast<std::size_t>(state.range(0)),
                             static_cast<std::size_t>(state.range(1)), kSeed),
         discipline, placement, until, shape, force);
}

void drf_first_fit(benchmark::State& state) { rounds(state, "drf", "first-fit", Until::filled); }
void drf_best_fit(benchmark::State& state) { rounds(state, "drf", "best-fit", Until::filled); }
void ps_dsf(benchmark::State& state) { rounds(state, "ps-dsf", "first-fit", Until::filled); }
void saturated(benchmark::State& state) { rounds(state, "drf", "first-fit", Until::nothing_fits); }

void tree(benchmark::State& state) { rounds(state, "drf", "first-fit", Until::filled, Shape::tree); }
void tree_saturated(benchmark::State& state) {
  rounds(state, "drf", "first-fit", Until::nothing_fits, Shape::tree);
}

void preemption(benchmark::State& state) {
  rounds(state,
         bench::even_churn(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                           kSeed),
         "drf", "first-fit", Until::nothing_fits, Shape::flat, bench::Force::preemption);
}
void preemption_tree(benchmark::State& state) {
  rounds(state,
         bench::even_churn(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                           kSeed),
         "drf", "first-fit", Until::nothing_fits, Shape::tree, bench::Force::preemption);
}
void preemption_uneven(benchmark::State& state) {
  rounds(state, "drf", "first-fit", Until::nothing_fits, Shape::flat, bench::Force::preemption);
}

void naive(benchmark::State& state) {
  const Churn churn = bench::google_churn(static_cast<std::size_t>(state.range(0)),
                                          static_cast<std::size_t>(state.range(1)), kSeed);
  NaiveChurn naive(churn);
  for ([[maybe_unused]] auto _ : state) naive.round();
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({10'000, 1'000})->Repetitions(5)->MinTime(0.5);
}

/// Every number of users on every number of servers.
void grid(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{100, 1'000, 10'000, 100'000}, {10, 100, 1'000, 10'000}})
      ->Repetitions(3)
      ->MinTime(0.3);
}

BENCHMARK(drf_first_fit)->Apply(grid);
BENCHMARK(saturated)->Apply(grid);
BENCHMARK(tree)->Args({10'000, 10'000})->Repetitions(3)->MinTime(0.3);
BENCHMARK(tree_saturated)->Args({10'000, 10'000})->Repetitions(3)->MinTime(0.3);
BENCHMARK(preemption)->Args({1'000, 200})->Repetitions(3)->MinTime(0.5);
BENCHMARK(preemption_tree)->Args({100, 200})->Iterations(20);
BENCHMARK(preemption_uneven)->Args({1'000, 200})->Iterations(20);
BENCHMARK(drf_best_fit)->Apply(sizes);
BENCHMARK(ps_dsf)->Apply(sizes);
BENCHMARK(naive)->Args({10'000, 1'000})->Repetitions(3);

}  // namespace
}  // namespace mirab::scheduling
