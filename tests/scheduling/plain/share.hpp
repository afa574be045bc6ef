#pragma once

#include <gmpxx.h>

#include <mirab/model/quantity.hpp>

#include "model/rational.hpp"
#include "scheduling/counted_problem.hpp"

namespace mirab::plain {

using scheduling::CountedProblem;

/// d_r / C_r: the part of the cluster's resource that one task takes. Requires that the cluster has some of
/// it.
mpq_class part(const CountedProblem& cluster, std::size_t task, std::size_t resource);

/// max_r d_r / C_r: by how much one task raises its user's global dominant share.
/// Source: Östman, eq. 3.3, where G_n = Σ_i max_r a_{n,i,r} / C_r.
mpq_class dominant_share(const CountedProblem& cluster, std::size_t task);

/// φ_n.
mpq_class weight(const CountedProblem& cluster, std::size_t user);

}  // namespace mirab::plain
