#pragma once

#include <span>
#include <string>
#include <vector>

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {

// What a paper says of A beside B, by the differences A - B of runs, seeds or iterations: at least two.
// `ours` is their mean, with its 95 % interval. What certificates leave open, 1e-6, counts as 0.

/// "A is no less than B": holds unless the whole interval is below 0. Where 0 is inside, the note says that
/// nothing is decided.
Finding not_less(std::string what, std::span<const double> differences);

/// "A is more than B", "better", "remarkably fairer": the whole interval must be above 0.
Finding more(std::string what, std::span<const double> differences);

/// "From 0.95 to 0.97": the mean of these parts, rounded to as many decimals, must lie there. The interval is
/// cut to what a part can be, [0, 1].
Finding part_between(std::string what, std::span<const double> parts, double least, double most,
                     double rounding);

/// The differences a[t] - b[t]; as many of either.
std::vector<double> differences(std::span<const double> a, std::span<const double> b);

/// The sum over the number; at least one.
double mean(std::span<const double> values);

}  // namespace mirab::experiments
