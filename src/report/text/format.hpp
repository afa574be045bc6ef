// Values as text: numbers for people, fields and records for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/amount_text.hpp"

namespace mirab::report {

/// How many decimals show the largest of these values with four digits: 2 for 12.5, 3 for 1.25, at most 6; 0
/// when all are whole numbers.
int decimals_for(std::span<const double> values);

/// `value` with this many decimals; infinity is `∞`, and what rounds to 0 has no sign.
std::string fixed(double value, int decimals);

/// A number of tasks with these decimals, a whole one with none: `40`, not `40.00`. What is above 0 but would
/// show as 0 has two significant digits instead: `2.6e-12`.
std::string tasks_fixed(double tasks, int decimals);

/// A part of one as a percentage: 0.5 with 2 decimals is `50.00%`.
std::string percent(double part, int decimals);

/// What lies between two parts of one in points, the unit between percentages: `+0.82`, `-2.71`, `0.00`.
std::string signed_points(double before, double after);

/// Three significant digits, for residuals and gaps: `3.1e-13`; exactly 0 is `0`.
std::string magnitude(double value);

/// An amount, or a part of all that there is of a resource: `64Gi`, `113.78Gi` of `256Gi`.
inline std::string amount(double value) { return amount_text(value, value); }
inline std::string amount(double value, double all) { return amount_text(value, all); }

/// A time in three digits, in the largest unit that it holds twice: `12 µs`, `3.4 ms`, `12.3 s`, `79 min`,
/// `3.1 h`, `2.5 d`. The page follows the same rule (src/page/format.ts).
std::string duration(double seconds);

/// Unfairness summed over time, in share-seconds, without the unit: `14.9124`.
std::string share_seconds(double value);

/// `1 user`, `2 users`.
std::string counted(std::size_t count, const std::string& singular);

/// One record, quoted as RFC 4180 says: a field with a comma, quote or line break stands in quotes. Ends with
/// a plain newline, which every reader of the format takes and Unix tools expect. Requires at least one
/// field.
std::string csv_record(const std::vector<std::string>& fields);

/// The shortest decimal that reads back as the same double.
std::string csv_number(double value);

}  // namespace mirab::report
