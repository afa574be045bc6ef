#pragma once

#include <mirab/model/random.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

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

}  // namespace mirab::simulation
