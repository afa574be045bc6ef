#pragma once

#include <span>
#include <vector>

#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// What class k declares, [m].
std::span<const double> claims_of(const TrafficClass& job_class);

/// The largest part of a resource that a task takes: max_r a_r / C_r. Its inverse is how many tasks a job
/// that is alone can run.
double dominant_part(std::span<const double> demand, std::span<const double> capacity);

/// λ_k at a load, [k], with μ_k = 1.
std::vector<double> arrival_rates(const TrafficScenario& scenario, double load);

/// max_r Σ_k ρ_k a'_k,r / C_r, with what is claimed.
double highest_load(const TrafficScenario& scenario, double load);

/// Is Σ_k ρ_k a_k,r < C_r for every r, with what is claimed? Source: Bonald and Roberts, equation 10.
bool is_stable(const TrafficScenario& scenario, double load);

}  // namespace mirab::simulation
