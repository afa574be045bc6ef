#pragma once

#include "numerics/base/solve_report.hpp"

namespace mirab {

/// The report of levels with this gap between their use and the bound by prices, which the linear program
/// with this report found. The program's own gap may be larger than what is accepted here.
numerics::SolveReport report_of_levels(double gap, const numerics::SolveReport& program);

}  // namespace mirab
