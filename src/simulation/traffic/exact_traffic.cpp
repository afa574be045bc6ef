// The Markov chain of two classes of fluid jobs: births λ_k, deaths n_k φ_k(n).
//
// Source: Bonald and Roberts 2014, section 3.1. State n = (n_1, n_2), of jobs that come and go; permanent
// ones stand beside. Class k departs at x_k n_k / (n_k + permanent_k), x the mechanism's rates of all jobs
// there are over that of a job which is alone. γ_k = λ_k / E[n_k] by Little's law.
//
// The chain is cut off at n_k < size_k, where arrivals are turned away, and the sizes grow by half until
// nothing is lost by it. π is solved by numbers (markov_grid.cpp), which start from the smaller chain's π
// with tails as steep as its last two lines.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <mirab/simulation/exact_traffic.hpp>

#include "simulation/sweep.hpp"
#include "simulation/traffic/class_rates.hpp"
#include "simulation/traffic/exact_point.hpp"
#include "simulation/traffic/load.hpp"
#include "simulation/traffic/markov_grid.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kFirstSize = 24;
constexpr std::size_t kMostStates = 4'000'000;
constexpr double kResidual = 1e-12;  // of π
constexpr double kBoundary = 1e-9;
constexpr double kChange = 1e-6;

using Sizes2 = std::array<std::size_t, 2>;

struct Chain {
  const TrafficScenario& scenario;
  std::vector<double> arrivals;  // λ, [k]
  std::array<double, 2> alone;   // x of a job that is alone, which takes 1
  ClassRates& rates;

  std::size_t permanent(std::size_t k) const {
    return static_cast<std::size_t>(scenario.classes[k].permanent);
  }
  std::array<double, 2> rates_at(std::size_t n1, std::size_t n2) const {
    const std::array<double, 2> tasks = rates.at(n1 + permanent(0), n2 + permanent(1));
    return {tasks[0] / alone[0], tasks[1] / alone[1]};
  }
};

Chain chain_of(const TrafficScenario& scenario, double load, ClassRates& rates) {
  Chain chain{scenario, arrival_rates(scenario, load), {}, rates};
  for (const std::size_t k : {0U, 1U})
    chain.alone[k] = 1 / dominant_part(scenario.classes[k].demand, scenario.capacity);
  return chain;
}

// The part of x_k that is done on the n jobs that come and go, of them and the permanent ones.
double departing(double rate, std::size_t n, std::size_t permanent) {
  return n == 0 ? 0 : rate * static_cast<double>(n) / static_cast<double>(n + permanent);
}

MarkovGrid grid_of(const Chain& chain, Sizes2 size) {
  chain.rates.cover({size[0] - 1 + chain.permanent(0), size[1] - 1 + chain.permanent(1)});
  MarkovGrid grid{.rows = size[0], .columns = size[1]};
  for (std::size_t n1 = 0; n1 < size[0]; ++n1) {
    for (std::size_t n2 = 0; n2 < size[1]; ++n2) {
      const std::array<double, 2> rates = chain.rates_at(n1, n2);
      grid.row_birth.push_back(n1 + 1 < size[0] ? chain.arrivals[0] : 0);
      grid.row_death.push_back(departing(rates[0], n1, chain.permanent(0)));
      grid.column_birth.push_back(n2 + 1 < size[1] ? chain.arrivals[1] : 0);
      grid.column_death.push_back(departing(rates[1], n2, chain.permanent(1)));
    }
  }
  return grid;
}

// The probabilities of a larger grid to start from, the last line going on as it went.
std::vector<double> continued(const std::vector<double>& pi, Sizes2 from, Sizes2 to) {
  const auto old = [&](std::size_t i, std::size_t j) { return pi[i * from[1] + j]; };
  std::vector<double> start(to[0] * to[1]);
  for (std::size_t i = 0; i < to[0]; ++i) {
    for (std::size_t j = 0; j < to[1]; ++j) {
      const std::size_t last_i = std::min(i, from[0] - 1);
      const std::size_t last_j = std::min(j, from[1] - 1);
      double p = old(last_i, last_j);
      if (i > last_i)
        p *= std::pow(std::min(0.98, p / old(last_i - 1, last_j)), static_cast<double>(i - last_i));
      if (j > last_j)
        p *= std::pow(std::min(0.98, old(last_i, last_j) / old(last_i, last_j - 1)),
                      static_cast<double>(j - last_j));
      start[i * to[1] + j] = std::max(p, std::numeric_limits<double>::min());
    }
  }
  return start;
}

struct Solved {
  Sizes2 size;
  Stationary pi = {};
  std::array<double, 2> jobs = {0, 0};            // E[n_k], of those that come and go
  std::array<double, 2> edge = {0, 0};            // P(n_k = size_k - 1), 0 for a class without arrivals
  std::array<double, 2> permanent_rate = {0, 0};  // mean of one permanent job
};

Solved solve(const Chain& chain, Sizes2 size, std::vector<double> start) {
  Solved solved{.size = size,
                .pi = stationary_distribution(grid_of(chain, size), std::move(start), kResidual)};
  for (std::size_t n1 = 0; n1 < size[0]; ++n1) {
    for (std::size_t n2 = 0; n2 < size[1]; ++n2) {
      const Sizes2 n = {n1, n2};
      const double p = solved.pi.probability[n1 * size[1] + n2];
      const std::array<double, 2> rates = chain.rates_at(n1, n2);
      for (const std::size_t k : {0U, 1U}) {
        const std::size_t there = n[k] + chain.permanent(k);
        solved.jobs[k] += p * static_cast<double>(n[k]);
        if (there > 0) solved.permanent_rate[k] += p * rates[k] / static_cast<double>(there);
        if (chain.arrivals[k] > 0 && n[k] + 1 == size[k]) solved.edge[k] += p;
      }
    }
  }
  return solved;
}

double relative_change(const Solved& before, const Solved& now) {
  double change = 0;
  for (const std::size_t k : {0U, 1U}) {
    if (now.jobs[k] > 0) change = std::max(change, std::abs(now.jobs[k] - before.jobs[k]) / now.jobs[k]);
  }
  return change;
}

// Half as long where there are arrivals that are turned away too often, or, with none, everywhere.
Sizes2 longer(const Chain& chain, const Solved& solved) {
  Sizes2 size = solved.size;
  const bool some = std::max(solved.edge[0], solved.edge[1]) >= kBoundary;
  for (const std::size_t k : {0U, 1U}) {
    if (chain.arrivals[k] > 0 && (!some || solved.edge[k] >= kBoundary)) size[k] += size[k] / 2;
  }
  return size;
}

ExactPoint point_of(const Chain& chain, const Solved& solved, double change) {
  ExactPoint point{.stable = true,
                   .states = solved.pi.probability.size(),
                   .residual = solved.pi.residual,
                   .boundary = solved.edge[0] + solved.edge[1],
                   .change = change};
  for (const std::size_t k : {0U, 1U}) {
    const bool comes = chain.arrivals[k] > 0;
    point.jobs.push_back(comes ? solved.jobs[k] : static_cast<double>(chain.permanent(k)));
    point.service_rate.push_back(comes ? chain.arrivals[k] / solved.jobs[k] : solved.permanent_rate[k]);
  }
  return point;
}

ExactPoint stable_point(const Chain& chain) {
  Sizes2 size = {chain.arrivals[0] > 0 ? kFirstSize : 1, chain.arrivals[1] > 0 ? kFirstSize : 1};
  Solved solved = solve(chain, size, std::vector<double>(size[0] * size[1], 1.0));
  double change = 1;
  while (solved.edge[0] >= kBoundary || solved.edge[1] >= kBoundary || change >= kChange) {
    size = longer(chain, solved);
    if (size == solved.size || size[0] * size[1] > kMostStates) break;
    Solved next = solve(chain, size, continued(solved.pi.probability, solved.size, size));
    change = relative_change(solved, next);
    solved = std::move(next);
  }
  return point_of(chain, solved, change);
}

Check check_exact(const TrafficScenario& scenario) {
  if (Check bad = check(scenario)) return bad;
  if (scenario.classes.size() != 2)
    return Error{.message = "the exact chain is that of two classes", .key = "classes"};
  if (scenario.model != TrafficModel::fluid)
    return Error{.message = "the exact chain is that of the fluid model", .key = "model"};
  if (scenario.sizes.law != Sizes::Law::exponential)
    return Error{.message = "the exact chain is that of exponential sizes", .key = "sizes"};
  return {};
}

}  // namespace

Result<std::vector<ExactPoint>> exact_traffic(const TrafficScenario& scenario, int threads) {
  if (Check bad = check_exact(scenario)) return *std::move(bad);
  std::vector<ClassRates> rates;
  for (std::size_t mechanism = 0; mechanism < scenario.mechanisms.size(); ++mechanism) {
    Result<ClassRates> of = ClassRates::from(scenario, mechanism);
    if (!of) return of.error();
    rates.push_back(*std::move(of));
  }
  const std::size_t loads = scenario.loads.size();
  std::vector<ExactPoint> points(scenario.mechanisms.size() * loads);
  sweep(rates.size(), threads, [&](std::size_t mechanism) {
    for (std::size_t l = 0; l < loads; ++l) {
      ExactPoint& point = points[mechanism * loads + l];
      const double load = scenario.loads[l];
      point = is_stable(scenario, load) ? stable_point(chain_of(scenario, load, rates[mechanism]))
                                        : overloaded_point(scenario.classes.size());
      point.load = load;
      point.mechanism = mechanism;
    }
  });
  return points;
}

}  // namespace mirab::simulation
