#pragma once

#include <gmpxx.h>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/quantity.hpp>

namespace mirab {

/// The quantity as an exact fraction in lowest terms.
mpq_class rational(const Quantity& quantity);

/// The nearest double. (mpq_class::get_d cuts off instead, so that 1/3 would not be 1.0 / 3.)
double nearest(const mpq_class& value);

/// The largest quantity of at most 18 digits that is no more than the value. Requires 0 ≤ value < 2^63.
Quantity rounded_down(const mpq_class& value);

/// Amounts as exact fractions, [r].
using ExactVector = std::vector<mpq_class>;

ExactVector exact(const ResourceVector& amounts);

/// What all servers have together. O(K m).
ExactVector exact_pool(const Problem& problem);

}  // namespace mirab
