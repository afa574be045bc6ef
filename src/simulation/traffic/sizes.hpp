#pragma once

#include <mirab/model/random.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// A draw of mean 1 from the exponential law: the time between arrivals of a Poisson stream of rate 1.
double draw_exponential(Random& random);

/// A draw of mean 1. Requires sizes that check_sizes has nothing against.
double draw_size(const Sizes& sizes, Random& random);

/// Errors: stages < 1 of Erlang, cv2 < 1 of the hyperexponential law, or not finite.
Check check_sizes(const Sizes& sizes);

}  // namespace mirab::simulation
