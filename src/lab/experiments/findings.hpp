#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

#include "lab/experiments/experiment.hpp"

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

/// Where a paper prints no value for a point of a curve.
inline constexpr double kNotPrinted = std::numeric_limits<double>::quiet_NaN();

/// Half a unit in the last of this many printed decimals.
double rounding_of(int decimals);

/// What a paper prints and what we find; it holds when they differ by `tolerance` at most.
Finding compared(std::string what, double printed, double ours, double tolerance);

/// What a paper prints wrongly and what we find; it holds as corrected when ours differs from the right
/// value by `tolerance` at most. `why` says how the slip came about, or what the right value follows from.
Finding corrected(std::string what, double printed, double right, double ours, double tolerance,
                  std::string why);

/// What must hold without a printed number.
Finding required(std::string what, double ours, bool holds);

/// On which side of a bound ours is claimed to be.
enum class Side { above, at_least, at_most, below };

/// Holds where the whole interval is on the side, fails where nothing of it is, and is undecided between:
/// then the note says that `shown_bound` is in the interval. Without an interval ours decides.
void decide(Finding& finding, Side side, double bound, double shown_bound);
void decide(Finding& finding, Side side, double bound);

/// The same of "ours is `value`, give or take `tolerance`": holds where the whole interval is so near.
void decide_near(Finding& finding, double value, double tolerance);

// What a paper says of A against B, by the differences A - B of runs, seeds or iterations: at least two.
// `ours` is their mean, with its 95 % interval. What certificates leave open, 1e-6, counts as 0.

/// "A is no less than B": not below 0.
Finding not_less(std::string what, std::span<const double> differences);

/// "A is more than B", "better", "remarkably fairer": above 0.
Finding more(std::string what, std::span<const double> differences);

/// The differences a[t] - b[t]; as many of either.
std::vector<double> differences(std::span<const double> a, std::span<const double> b);

/// The sum over the number; at least one.
double mean(std::span<const double> values);

/// A row of a printed table of properties: for each mechanism, does it have the property?
struct PrintedProperty {
  Property property;
  std::string_view name;           ///< as printed
  std::vector<bool> holds;         ///< as printed, in the order of the mechanisms
  std::vector<bool> refuted = {};  ///< a counterexample is known to what is printed; empty for none
};

/// A printed table, and on which clusters it is meant.
struct PrintedProperties {
  std::vector<std::string_view> mechanisms;  ///< names in the registry
  std::vector<PrintedProperty> rows;
  Conditions conditions;
};

/// How many random clusters are looked at for each mechanism and property, and attempts in all.
struct SearchBudget {
  std::uint64_t clusters;
  std::uint64_t attempts;
};

/// Holds every mechanism against every property on random clusters (audit_random), and what is found against
/// what is printed: a finding for each, a table of both, and a table of the counterexamples. Where the
/// printed one is refuted the counterexample must be found. That none is found is no proof.
void check_properties(const PrintedProperties& printed, const SearchBudget& lookout,
                      const RunOptions& options, Reproduction& result);

}  // namespace mirab::experiments
