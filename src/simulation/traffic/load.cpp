// From a load to arrivals, and whether they can be served. With ρ_k = λ_k min_s C_s / a_k,s:
//
//   load of resource r:  Σ_k ρ_k a_k,r / C_r,  λ_k = λ p_k  for class k's part p_k of all arrivals
//   stable:              Σ_k ρ_k a'_k,r < C_r for every r,  a' as claimed
//
// Source: Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, 2014,
// sections 3.2 and 3.4. The second holds for every mechanism that wastes nothing that anybody could use;
// divisible jobs, that is: whole tasks do not fill a pool, and can pile up below it (settled.cpp). And
// permanent jobs leave it as it is, since their part vanishes when many others are there.
#include "simulation/traffic/load.hpp"

#include <algorithm>

namespace mirab::simulation {
namespace {

// Σ_k λ_k a'_k,r / (C_r max_s a_k,s / C_s): the part of resource r that is asked for, on average.
template <class Asked>
double load_of(const TrafficScenario& scenario, std::span<const double> arrivals, std::size_t r,
               const Asked& asked) {
  double load = 0;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    const double work = 1 / dominant_part(job_class.demand, scenario.capacity);
    load += arrivals[k] * work * asked(job_class)[r] / scenario.capacity[r];
  }
  return load;
}

std::span<const double> demand_of(const TrafficClass& job_class) { return job_class.demand; }

}  // namespace

std::span<const double> claims_of(const TrafficClass& job_class) {
  return job_class.claims.empty() ? job_class.demand : job_class.claims;
}

double dominant_part(std::span<const double> demand, std::span<const double> capacity) {
  double part = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) part = std::max(part, demand[r] / capacity[r]);
  return part;
}

std::vector<double> arrival_rates(const TrafficScenario& scenario, double load) {
  std::vector<double> rates(scenario.classes.size());
  for (std::size_t k = 0; k < rates.size(); ++k) rates[k] = scenario.classes[k].arrivals;
  const double one = load_of(scenario, rates, scenario.load_resource, demand_of);
  for (double& rate : rates) rate *= load / one;
  return rates;
}

double highest_load(const TrafficScenario& scenario, double load) {
  const std::vector<double> arrivals = arrival_rates(scenario, load);
  double highest = 0;
  for (std::size_t r = 0; r < scenario.capacity.size(); ++r)
    highest = std::max(highest, load_of(scenario, arrivals, r, claims_of));
  return highest;
}

bool is_stable(const TrafficScenario& scenario, double load) { return highest_load(scenario, load) < 1; }

}  // namespace mirab::simulation
