#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>

#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/traffic.hpp"

namespace mirab::simulation {

/// What class k declares, [m].
std::span<const double> claims_of(const TrafficClass& job_class);

/// λ_k at a load, [k], with μ_k = 1.
std::vector<double> arrival_rates(const TrafficScenario& scenario, double load);

/// max_r Σ_k ρ_k a'_k,r / C_r, with what is claimed.
double highest_load(const TrafficScenario& scenario, double load);

/// Is Σ_k ρ_k a_k,r < C_r for every r, with what is claimed? Source: Bonald and Roberts, equation 10.
bool is_stable(const TrafficScenario& scenario, double load);

/// The pool as one server, and a user for each class, who asks for what its jobs claim. Errors: an amount
/// that no Quantity holds.
Result<Cluster> cluster_of(const TrafficScenario& scenario);

/// When jobs of class k arrive at a load. The same for every mechanism, whatever other loads and classes
/// there are.
inline Random arrival_stream(std::uint64_t seed, double load, std::size_t k) {
  return stream(seed, "arrivals", {std::bit_cast<std::uint64_t>(load), k});
}

/// How much jobs of class k, in the order in which they arrive, have to do at a load. Idem.
inline Random size_stream(std::uint64_t seed, double load, std::size_t k) {
  return stream(seed, "sizes", {std::bit_cast<std::uint64_t>(load), k});
}

/// A draw of mean 1 from the exponential law: the time between arrivals of a Poisson stream of rate 1.
double draw_exponential(Random& random);

/// A draw of mean 1. Requires sizes that check_sizes has nothing against.
double draw_size(const Sizes& sizes, Random& random);

/// The squared coefficient of variation.
double cv2_of(const Sizes& sizes);

/// Beyond it one size in tens of thousands is all the work there is, and no run is long enough to tell a
/// mean.
constexpr double kMostCv2 = 10'000;

/// Errors: stages < 1 of Erlang, cv2 of the hyperexponential law not in [1, kMostCv2].
Check check_sizes(const Sizes& sizes);

/// Reads `exponential`, `deterministic`, `erlang:20` or `hyperexponential:cv2=4`. Errors carry a message
/// only.
Result<Sizes> parse_sizes(std::string_view text);

/// The same text back.
std::string sizes_text(const Sizes& sizes);

}  // namespace mirab::simulation
