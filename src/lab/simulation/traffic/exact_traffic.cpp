// What two classes have in every state of a grid.
#include "lab/simulation/traffic/exact_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <mirab/model/assert.hpp>

#include "fairness/share.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/traffic.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "numerics/queueing/markov_grid.hpp"

namespace mirab::simulation {
namespace {

constexpr int kKeepNone = -1;  // of the states that were divided: they are kept here

}  // namespace

ClassRates::ClassRates(FluidRule rule) : rates_(std::make_unique<FluidRates>(std::move(rule), kKeepNone)) {}

Result<ClassRates> ClassRates::from(const TrafficScenario& scenario, std::size_t mechanism) {
  MIRAB_ASSERT(scenario.classes.size() == 2, "rates of two classes");
  Result<FluidRule> rule = fluid_rule(scenario, scenario.mechanisms[mechanism]);
  if (!rule) return rule.error();
  return ClassRates(*std::move(rule));
}

std::array<double, 2> ClassRates::divided(std::size_t n1, std::size_t n2) {
  const std::array<std::int64_t, 2> jobs = {static_cast<std::int64_t>(n1), static_cast<std::int64_t>(n2)};
  const std::span<const double> each = rates_->at(jobs);
  return {static_cast<double>(n1) * each[0], static_cast<double>(n2) * each[1]};
}

void ClassRates::cover(std::array<std::size_t, 2> most) {
  most = {std::max(most[0], most_[0]), std::max(most[1], most_[1])};
  if (most == most_) return;
  std::vector<std::array<double, 2>> wider((most[0] + 1) * (most[1] + 1), {0, 0});
  const auto place = [&](std::size_t n1, std::size_t n2) -> auto& { return wider[n1 * (most[1] + 1) + n2]; };
  for (std::size_t n1 = 0; n1 <= most[0]; ++n1) {
    for (std::size_t n2 = n1 == 0 ? 1 : 0; n2 <= most[1]; ++n2) {
      const std::size_t divisor = std::gcd(n1, n2);
      if (n1 <= most_[0] && n2 <= most_[1]) {
        place(n1, n2) = at(n1, n2);
      } else {
        place(n1, n2) = divisor > 1 ? place(n1 / divisor, n2 / divisor) : divided(n1, n2);
      }
    }
  }
  tasks_ = std::move(wider);
  most_ = most;
}

// The Markov chain of two classes of fluid jobs: births λ_k, deaths n_k φ_k(n).
//
// Source: Bonald and Roberts 2014, section 3.1. State n = (n_1, n_2), of jobs that come and go; permanent
// ones are counted apart. Class k departs at x_k n_k / (n_k + permanent_k), x the mechanism's rates of all
// jobs there are over that of a job which is alone. γ_k = λ_k / E[n_k] by Little's law.
//
// The chain is cut off at n_k < size_k, where arrivals are turned away, and the sizes grow by half until
// nothing is lost by it. π is solved by numbers (numerics/queueing), which start from the smaller chain's π
// with tails as steep as its last two lines.

namespace {

// Measured: 18 points at loads of 0.3, 0.6 and 0.9 have service rates right to 2e-9, of 263,143 states.
/// of a class. Measured: with 8 rates are right to 4e-8; with 96 it takes 552,096 states.
constexpr std::size_t kFirstSize = 24;
/// A limit on memory and time: some 90 bytes a state, and 40 s at a load of 0.985.
constexpr std::size_t kMostStates = 4'000'000;
/// of π. Measured: with a target of 1e-11 rates are right to 4e-8; with 1e-13 to 2e-9, in twice the time.
constexpr numerics::Accuracy kResidual{.target = 1e-12, .accepted = 1e-9};
/// of the time at the last state of a class. Harmless from 1e-10 to 1e-8, as kChange takes more states.
constexpr double kBoundary = 1e-9;
/// of E[n_k]. Measured: with 1e-5 rates are right to 3e-8; with 1e-7 to 2e-9, of 354,538 states.
constexpr double kChange = 1e-6;
/// of a state's probability in the one before, so that the tail of a chain that grows has a sum.
constexpr double kSteepestTail = 0.98;

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
    chain.alone[k] = 1 / fairness::dominant_share<double>(scenario.classes[k].demand, scenario.capacity);
  return chain;
}

// The part of x_k that is done on the n jobs that come and go, of them and the permanent ones.
double departing(double rate, std::size_t n, std::size_t permanent) {
  return n == 0 ? 0 : rate * static_cast<double>(n) / static_cast<double>(n + permanent);
}

numerics::MarkovGrid grid_of(const Chain& chain, Sizes2 size) {
  chain.rates.cover({size[0] - 1 + chain.permanent(0), size[1] - 1 + chain.permanent(1)});
  numerics::MarkovGrid grid{.rows = size[0], .columns = size[1]};
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
        p *= std::pow(std::min(kSteepestTail, p / old(last_i - 1, last_j)), static_cast<double>(i - last_i));
      if (j > last_j)
        p *= std::pow(std::min(kSteepestTail, old(last_i, last_j) / old(last_i, last_j - 1)),
                      static_cast<double>(j - last_j));
      start[i * to[1] + j] = std::max(p, std::numeric_limits<double>::min());
    }
  }
  return start;
}

struct Solved {
  Sizes2 size;
  numerics::Stationary pi = {};
  std::array<double, 2> jobs = {0, 0};            // E[n_k], of those that come and go
  std::array<double, 2> edge = {0, 0};            // P(n_k = size_k - 1), 0 for a class without arrivals
  std::array<double, 2> permanent_rate = {0, 0};  // mean of one permanent job
};

Solved solve(const Chain& chain, Sizes2 size, std::vector<double> start) {
  Solved solved{.size = size,
                .pi = numerics::stationary_distribution(grid_of(chain, size), std::move(start), kResidual)};
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
                   .residual = solved.pi.report.error,
                   .boundary = solved.edge[0] + solved.edge[1],
                   .change = change};
  for (const std::size_t k : {0U, 1U}) {
    const bool comes = chain.arrivals[k] > 0;
    point.jobs.push_back(comes ? solved.jobs[k] : static_cast<double>(chain.permanent(k)));
    point.service_rate.push_back(comes ? chain.arrivals[k] / solved.jobs[k] : solved.permanent_rate[k]);
  }
  return point;
}

// Nothing when π or some division has not converged: then the point would not be exact.
std::optional<ExactPoint> stable_point(const Chain& chain) {
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
  if (!solved.pi.report.converged() || !chain.rates.converged()) return {};
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
  std::vector<std::optional<ExactPoint>> found(scenario.mechanisms.size() * loads);
  sweep(rates.size(), threads, [&](std::size_t mechanism) {
    for (std::size_t l = 0; l < loads; ++l) {
      const double load = scenario.loads[l];
      found[mechanism * loads + l] = is_stable(scenario, load)
                                         ? stable_point(chain_of(scenario, load, rates[mechanism]))
                                         : overloaded_point(scenario.classes.size());
    }
  });
  std::vector<ExactPoint> points;
  for (std::size_t index = 0; index < found.size(); ++index) {
    const std::size_t mechanism = index / loads;
    const double load = scenario.loads[index % loads];
    if (!found[index])
      return Error{.message = fmt::format("the chain of {} at a load of {} has not converged",
                                          scenario.mechanisms[mechanism].text, load),
                   .key = fmt::format("mechanisms[{}]", mechanism)};
    points.push_back(*std::move(found[index]));
    points.back().load = load;
    points.back().mechanism = mechanism;
  }
  return points;
}

// Balanced fairness by its recursion.
//
// Source: Bonald and Proutière, Insensitive bandwidth sharing in data networks, 2003;
// docs/explanation/mathematics.md, section 11. The rates n_i φ_i(n) = Φ(n - e_i) / Φ(n) with
//
//   Φ(0) = 1,  Φ(n) = max_j Σ_i a_ij Φ(n - e_i) / C_j
//
// use one resource fully in every state and none beyond its capacity, and make π(n) = π(0) Φ(n) Π ρ_i^n_i
// stationary, for sizes of any law with mean 1. p(n) = Φ(n) Π ρ_i^n_i has the recursion
//
//   p(n) = max_j Σ_i a_ij ρ_i p(n - e_i) / C_j,
//
// which neither overflows nor subtracts. Cut off at n_k < size_k; the sizes grow by half where the last line
// still weighs something. Cost: O(states K m).
// Known failure: K classes at a high load take more states than there are; `boundary` says so.

namespace {

constexpr std::size_t kBalancedFirstSize = 8;  // of a class. Harmless from 2 to 32.
/// of the time. Measured: rates are right to 4e-9, with 1e-9 to 9e-9, with 1e-11 to 5e-10.
constexpr double kBalancedBoundary = 1e-10;

struct Weighed {
  std::vector<double> jobs;  // E[n_k], [k]
  std::vector<double> edge;  // P(n_k = size_k - 1), [k]
};

// a_kj ρ_k / C_j, [k][j], with ρ_k = λ_k x for the x tasks that a job runs alone.
std::vector<std::vector<double>> load_parts(const TrafficScenario& scenario,
                                            const std::vector<double>& arrivals) {
  std::vector<std::vector<double>> parts;
  for (std::size_t k = 0; k < arrivals.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    const double work = arrivals[k] / fairness::dominant_share<double>(job_class.demand, scenario.capacity);
    parts.emplace_back();
    for (std::size_t j = 0; j < scenario.capacity.size(); ++j)
      parts[k].push_back(work * claims_of(job_class)[j] / scenario.capacity[j]);
  }
  return parts;
}

std::size_t product(const std::vector<std::size_t>& size) {
  return std::accumulate(size.begin(), size.end(), std::size_t{1}, std::multiplies<>());
}

Weighed weigh(const std::vector<std::vector<double>>& parts, const std::vector<std::size_t>& size) {
  const std::size_t classes = size.size();
  const std::size_t resources = parts.front().size();
  std::vector<std::size_t> stride(classes, 1);  // the last class varies fastest
  for (std::size_t k = classes; k-- > 1;) stride[k - 1] = stride[k] * size[k];

  std::vector<double> p(product(size));
  std::vector<std::size_t> n(classes, 0);
  Weighed sums{.jobs = std::vector<double>(classes, 0), .edge = std::vector<double>(classes, 0)};
  double all = 0;
  for (std::size_t s = 0; s < p.size(); ++s) {
    double most = s == 0 ? 1 : 0;
    for (std::size_t j = 0; j < resources; ++j) {
      double used = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        if (n[k] > 0) used += parts[k][j] * p[s - stride[k]];
      }
      most = std::max(most, used);
    }
    p[s] = most;
    all += most;
    for (std::size_t k = 0; k < classes; ++k) {
      sums.jobs[k] += most * static_cast<double>(n[k]);
      if (n[k] + 1 == size[k]) sums.edge[k] += most;
    }
    for (std::size_t k = classes; k-- > 0 && ++n[k] == size[k];) n[k] = 0;
  }
  for (std::size_t k = 0; k < classes; ++k) {
    sums.jobs[k] /= all;
    sums.edge[k] /= all;
  }
  return sums;
}

ExactPoint balanced_point(const TrafficScenario& scenario, double load, std::size_t most_states) {
  const std::vector<double> arrivals = arrival_rates(scenario, load);
  const auto parts = load_parts(scenario, arrivals);
  std::vector<std::size_t> size(arrivals.size(), kBalancedFirstSize);
  Weighed found = weigh(parts, size);
  while (true) {
    std::vector<std::size_t> longer = size;
    for (std::size_t k = 0; k < size.size(); ++k) {
      if (found.edge[k] >= kBalancedBoundary) longer[k] += size[k] / 2;
    }
    if (longer == size || product(longer) > most_states) break;
    size = std::move(longer);
    found = weigh(parts, size);
  }
  ExactPoint point{.stable = true,
                   .jobs = found.jobs,
                   .states = product(size),
                   .boundary = std::accumulate(found.edge.begin(), found.edge.end(), 0.0)};
  for (std::size_t k = 0; k < arrivals.size(); ++k) point.service_rate.push_back(arrivals[k] / found.jobs[k]);
  return point;
}

}  // namespace

Result<std::vector<ExactPoint>> balanced_fairness(const TrafficScenario& scenario, std::size_t most_states) {
  if (Check bad = check(scenario)) return *std::move(bad);
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    if (scenario.classes[k].permanent == 0 && scenario.classes[k].arrivals > 0) continue;
    return Error{.message = "balanced fairness is that of classes that come and go",
                 .key = fmt::format("classes[{}]", k)};
  }
  std::vector<ExactPoint> points;
  for (const double load : scenario.loads) {
    points.push_back(is_stable(scenario, load) ? balanced_point(scenario, load, most_states)
                                               : overloaded_point(scenario.classes.size()));
    points.back().load = load;
  }
  return points;
}

}  // namespace mirab::simulation
