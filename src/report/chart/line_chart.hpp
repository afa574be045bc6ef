#pragma once

#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace mirab::report {

/// An axis from `low` to `high`, in steps of 1, 2 or 5 times a power of ten.
struct Axis {
  double low = 0;
  double high = 1;
  double step = 1;

  /// low, low + step, …, high.
  std::vector<double> ticks() const;
  /// Where a value stands, from 0 at the low end to 1 at the high one.
  double position(double value) const { return (value - low) / (high - low); }
};

/// The shortest axis of at most `most` + 1 steps that holds the values from `low` to `high`; from 0 on when
/// that adds less than the values span. Requires low ≤ high, both finite, and most ≥ 1.
Axis axis_for(double low, double high, int most);

/// The figure as a picture for documents: lines with their 95 % intervals, axes, a legend; light or dark as
/// the reader has it. Points that are not finite interrupt a line; of a line with very many only some are
/// drawn. The same figure gives the same bytes.
std::string chart_svg(const experiments::Figure& figure);

}  // namespace mirab::report
