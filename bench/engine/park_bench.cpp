// Where a task goes, without the engine around it: K machines drawn from Google's classes, filled by
// first-fit to 90 % of the scarcest resource with tasks of 1,000 users; then one task after the other, drawn
// at random, ends, and is placed again by the placement. A time is one such step: the end, the search, the
// start. Next to each, the same placement as a plain scan of all servers.
#include <benchmark/benchmark.h>
#include <cmath>
#include <limits>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/placement/placements.hpp"
#include "servers/instances.hpp"

namespace mirab::scheduling {
namespace {

constexpr double kUnits = 1e6;  // of the largest machine's capacity
constexpr double kFilled = 0.9;
constexpr std::size_t kUsers = 1'000;
constexpr std::size_t kMix = 16;

using Amounts = std::vector<std::int64_t>;

Amounts in_units(const ResourceVector& vector) {
  Amounts amounts;
  for (const Quantity& each : vector) amounts.push_back(std::llround(std::ceil(each.value() * kUnits)));
  return amounts;
}

const Amounts& machine_of(const std::vector<Server>& classes, const std::vector<Amounts>& capacities,
                          std::int64_t machine) {
  std::size_t i = 0;
  for (; machine >= classes[i].count; ++i) machine -= classes[i].count;
  return capacities[i];
}

class FilledPark {
 public:
  explicit FilledPark(std::int64_t servers) : random_(1), park_(2) {
    const Problem google = bench::google_servers(kUsers, 1);
    std::vector<Amounts> capacities;
    std::int64_t machines = 0;
    for (const Server& server : google.servers()) {
      capacities.push_back(in_units(server.capacity));
      machines += server.count;
    }
    for (std::int64_t k = 0; k < servers; ++k) {
      const auto machine = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(machines)));
      park_.add(machine_of(google.servers(), capacities, machine));
    }
    for (const User& user : google.users()) demands_.push_back(in_units(user.demand));
    for (std::size_t k = 0; k < kMix; ++k)
      mix_.push_back({.demand = demands_[k], .popularity = static_cast<double>(k + 1)});
    while (!is_filled()) place(random_.below(kUsers), first_fit);
  }

  const ServerPool& park() const { return park_; }

  void step(Find find) {
    std::swap(tasks_[random_.below(tasks_.size())], tasks_.back());
    const Task task = tasks_.back();
    tasks_.pop_back();
    park_.give(task.server, demands_[task.user]);
    place(task.user, find);
  }

 private:
  struct Task {
    std::size_t user;
    ServerIndex server;
  };

  bool is_filled() const {
    for (std::size_t r = 0; r < taken_.size(); ++r) {
      if (static_cast<double>(taken_[r]) >= kFilled * static_cast<double>(park_.pool()[r])) return true;
    }
    return false;
  }

  void place(std::size_t user, Find find) {
    const SearchAlternative variant{.demand = demands_[user], .among = nullptr};
    const std::optional<ServerIndex> server = find({.server_pool = park_,
                                                    .search_alternatives = {&variant, 1},
                                                    .last_used = last_used_,
                                                    .random = random_,
                                                    .mix = mix_});
    if (!server) return;
    park_.take(*server, demands_[user]);
    for (std::size_t r = 0; r < taken_.size(); ++r) taken_[r] += demands_[user][r];
    tasks_.push_back({.user = user, .server = *server});
    last_used_ = *server;
  }

  Random random_;
  ServerPool park_;
  std::vector<Amounts> demands_;
  std::vector<Wanted> mix_;
  Amounts taken_ = {0, 0};  // by all tasks ever placed while the park was filled
  std::vector<Task> tasks_;
  ServerIndex last_used_ = kFirstServer;
};

/// The server with the least key, by looking at every one.
template <class Key>
std::optional<ServerIndex> scan(const Search& search, Key key) {
  std::optional<ServerIndex> best;
  double least = std::numeric_limits<double>::infinity();
  const SearchAlternative& variant = search.search_alternatives.front();
  for (const ServerIndex server : search.server_pool.indices()) {
    if (!search.server_pool.has_room(server, variant.demand)) continue;
    const double here = key(search.server_pool.free(server), variant.demand);
    if (here >= least) continue;
    least = here;
    best = server;
  }
  return best;
}

std::optional<ServerIndex> scanned_first_fit(const Search& search) {
  for (const ServerIndex server : search.server_pool.indices()) {
    if (search.server_pool.has_room(server, search.search_alternatives.front().demand)) return server;
  }
  return std::nullopt;
}

std::optional<ServerIndex> scanned_best_fit(const Search& search) {
  const auto pool = search.server_pool.pool();
  return scan(search, [&](auto free, auto demand) {
    double sum_free = 0, sum_demand = 0, h = 0;
    for (std::size_t r = 0; r < pool.size(); ++r) {
      sum_free += static_cast<double>(free[r]) / static_cast<double>(pool[r]);
      sum_demand += static_cast<double>(demand[r]) / static_cast<double>(pool[r]);
    }
    for (std::size_t r = 0; r < pool.size(); ++r) {
      h += std::abs(static_cast<double>(free[r]) / static_cast<double>(pool[r]) / sum_free -
                    static_cast<double>(demand[r]) / static_cast<double>(pool[r]) / sum_demand);
    }
    return h;
  });
}

std::optional<ServerIndex> scanned_worst_fit(const Search& search) {
  return scan(search, [](auto free, auto demand) {
    double tasks = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < free.size(); ++r) {
      if (demand[r] > 0)
        tasks = std::min(tasks, static_cast<double>(free[r]) / static_cast<double>(demand[r]));
    }
    return -tasks;
  });
}

template <Find find>
void steps(benchmark::State& state) {
  FilledPark park(state.range(0));
  for ([[maybe_unused]] auto _ : state) park.step(find);
}

void park_first_fit(benchmark::State& state) { steps<first_fit>(state); }
void park_best_fit(benchmark::State& state) { steps<best_fit>(state); }
void park_worst_fit(benchmark::State& state) { steps<worst_fit>(state); }
void park_next_fit(benchmark::State& state) { steps<next_fit>(state); }
void park_random(benchmark::State& state) { steps<random_fit>(state); }
void park_least_fragmentation(benchmark::State& state) { steps<least_fragmentation>(state); }
void scan_first_fit(benchmark::State& state) { steps<scanned_first_fit>(state); }
void scan_best_fit(benchmark::State& state) { steps<scanned_best_fit>(state); }
void scan_worst_fit(benchmark::State& state) { steps<scanned_worst_fit>(state); }

/// A search that finds nothing: for twice what any server has free.
void park_no_fit(benchmark::State& state) {
  const FilledPark filled(state.range(0));
  Amounts demand = {1, 1};
  for (const ServerIndex server : filled.park().indices())
    demand[0] = std::max(demand[0], 2 * filled.park().free(server)[0]);
  const SearchAlternative variant{.demand = demand, .among = nullptr};
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(filled.park().first_with_room(variant));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->RangeMultiplier(10)->Range(100, 100'000)->Repetitions(5);
}

BENCHMARK(park_first_fit)->Apply(sizes);
BENCHMARK(park_no_fit)->Apply(sizes);
BENCHMARK(park_best_fit)->Apply(sizes);
BENCHMARK(park_worst_fit)->Apply(sizes);
BENCHMARK(park_next_fit)->Apply(sizes);
BENCHMARK(park_random)->Apply(sizes);
BENCHMARK(park_least_fragmentation)->Apply(sizes);
BENCHMARK(scan_first_fit)->Apply(sizes);
BENCHMARK(scan_best_fit)->Apply(sizes);
BENCHMARK(scan_worst_fit)->Apply(sizes);

}  // namespace
}  // namespace mirab::scheduling
