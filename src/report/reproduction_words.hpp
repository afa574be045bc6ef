#pragma once

#include <string>

#include "report/reproduction.hpp"

namespace mirab::report {

/// A number of a finding as people read it: five significant digits; what rounding leaves of 0 is 0; `yes`
/// and `no` where that is meant.
std::string finding_number(double value, experiments::Reading reading);

/// `yes`, `no`; `corrected` where what holds is not what is printed.
std::string holds_words(const experiments::Finding& finding);

/// The findings with a heading: what, printed, ours, and the interval where there are any.
experiments::Table findings_as_table(const experiments::Reproduction& result);

/// The curves of a figure side by side: a row for each x that some curve has.
experiments::Table curves_as_table(const experiments::Figure& figure);

/// Do they have so few points in all that tables show them?
bool are_shown_in_rows(const std::vector<experiments::Figure>& figures);

/// `24 of 26 findings hold, 9 of 10 with a printed number`.
std::string tally(const experiments::Reproduction& result);

}  // namespace mirab::report
