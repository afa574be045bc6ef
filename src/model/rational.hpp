#pragma once

#include <gmpxx.h>

#include <mirab/model/quantity.hpp>

namespace mirab {

/// The quantity as an exact fraction in lowest terms.
mpq_class rational(const Quantity& quantity);

}  // namespace mirab
