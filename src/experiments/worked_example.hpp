#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mirab/experiments/experiment.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab::experiments {

/// A server or a user of a worked example: its name, and its capacity or the demand of one of its tasks. [m]
struct NamedAmounts {
  std::string name;
  std::vector<double> amounts;
};

/// The cluster of a worked example. Requires a valid one: it stands in our own code.
Problem worked_example(std::vector<std::string> resources, const std::vector<NamedAmounts>& servers,
                       const std::vector<NamedAmounts>& users);

/// How the mechanism divides it. Requires a mechanism that takes this problem, and reaches its certificate.
Allocation divided(const Problem& problem, std::string_view mechanism, int threads = 1);

/// Half a unit in the last of so many printed decimals.
double rounding_of(int decimals);

/// What a paper prints beside what we find; it holds when they differ by `tolerance` at most.
Finding compared(std::string what, double printed, double ours, double tolerance);

/// What a paper prints wrongly beside what we find; it holds as corrected when ours differs from the right
/// value by `tolerance` at most. `why` says how the slip came about, or what the right value follows from.
Finding corrected(std::string what, double printed, double right, double ours, double tolerance,
                  std::string why);

/// What must hold without a printed number.
Finding required(std::string what, double ours, bool holds);

}  // namespace mirab::experiments
