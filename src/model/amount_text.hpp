// Amounts of a resource as people read them, wherever the program rounds one. The pages follow the same rules
// (src/page/format.ts); the cases in tests/amounts.json hold for both.
#pragma once

#include <string>

#include <mirab/model/quantity.hpp>

namespace mirab {

/// With at most four decimals; from 10^6 on with two and a suffix: of a cluster file's binary ones where it
/// is whole in Mi, or in Ki and not in M (within what sums leave), else M G T P E: `18`, `0.25`, `64Gi`,
/// `68.72G`. A part of a resource has a suffix of the kind that all of the resource has: `113.78Gi` of
/// `256Gi`.
std::string amount_text(double value, double all);

/// An amount in an answer of the service, which does not give its unit: what is beyond all counts of CPUs is
/// bytes, and has a binary suffix: `59.6Gi`.
std::string service_amount_text(double value);

/// The same, but bytes are rounded up where they are needed, and down where they are free.
std::string service_amount_text(double value, Rounding rounding);

/// Of bytes, with a binary suffix, rounded up or down to hundredths, but for what sums leave. Requires Mi or
/// more.
std::string bytes_text(double value, Rounding rounding);

/// `1.5` of `1.50`, `2` of `2.00`.
std::string without_trailing_zeros(std::string number);

}  // namespace mirab
