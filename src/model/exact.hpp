#pragma once

#include <cstddef>
#include <gmpxx.h>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/quantity.hpp>

namespace mirab {

/// The quantity as an exact fraction in lowest terms.
mpq_class rational(const Quantity& quantity);

/// The nearest double. (mpq_class::get_d cuts off instead, so that 1/3 would not be 1.0 / 3.)
double nearest(const mpq_class& value);

// Which resource a demand needs most, of what there is: compared as fractions, so that equal parts are equal
// in every unit. In doubles 0.3 of 3 is less than 0.1 of 1.

/// Amounts as exact fractions, [r].
using ExactVector = std::vector<mpq_class>;

ExactVector exact(const ResourceVector& amounts);

/// What all servers have together. O(K m).
ExactVector exact_pool(const Problem& problem);

/// argmax_r d_r / c_r, the first of equals, over the resources that there are; the first resource for a
/// demand of none of them. O(m).
std::size_t dominant_resource(const ResourceVector& demand, const ExactVector& capacity);

/// Is the part of resource `most` as large as that of any other, d_most / c_most ≥ d_r / c_r, and larger than
/// nothing? O(m).
bool needs_most(const ExactVector& demand, const ExactVector& capacity, std::size_t most);

}  // namespace mirab
