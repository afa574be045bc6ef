// Balanced fairness by its recursion.
//
// Source: Bonald and Proutière, Insensitive bandwidth sharing in data networks, 2003; docs/mathematics.md,
// section 9. The rates n_i φ_i(n) = Φ(n - e_i) / Φ(n) with
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
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <numeric>

#include <mirab/simulation/exact_traffic.hpp>

#include "simulation/traffic/exact_point.hpp"
#include "simulation/traffic/load.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kFirstSize = 8;
constexpr double kBoundary = 1e-10;

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
    const double work = arrivals[k] / dominant_part(job_class.demand, scenario.capacity);
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
  std::vector<std::size_t> size(arrivals.size(), kFirstSize);
  Weighed found = weigh(parts, size);
  while (true) {
    std::vector<std::size_t> longer = size;
    for (std::size_t k = 0; k < size.size(); ++k) {
      if (found.edge[k] >= kBoundary) longer[k] += size[k] / 2;
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
