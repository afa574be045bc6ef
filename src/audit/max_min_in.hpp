#pragma once

#include <optional>

#include <mirab/audit/properties.hpp>

#include "audit/ground.hpp"

namespace mirab {

/// Holds an allocation against lexicographic max-min of X_n d_{n,ρ} / φ_n for one resource ρ, which must be
/// the one that stops everybody: the verdict of `property`, with a witness when somebody could have more ρ
/// from what is free, or from somebody with more per weight, directly or through others who move over.
Verdict max_min_in(Property property, const Division& division, const Ground& ground, std::size_t resource,
                   const Tolerances& tolerances);

}  // namespace mirab
