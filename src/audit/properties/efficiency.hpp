#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// Users who are alike and could have more.
struct Gain {
  std::vector<std::size_t> users;
  double has = 0;    ///< tasks, all of them together
  double could = 0;  ///< more than that
};

/// Could these users run `tasks`, [n], on this cluster, and one of them more of its own? Those who gain
/// most by the first program of Pareto efficiency, as a part of what they have; none where the tasks do not
/// fit or no gain is above `threshold`. Errors: a linear program is too large, or has not been solved, so
/// that nothing is known.
Result<std::optional<Gain>> largest_gain(const Problem& problem, const std::vector<double>& tasks,
                                         double threshold);

}  // namespace mirab
