#pragma once

#include <mirab/model/allocation.hpp>

namespace mirab {

/// What the reader of an outcome should know where alike servers count together (Cluster::merged): a notice
/// of what that may cost, and never `exact`. An exact outcome becomes a converged one with the certificate
/// `merged-servers`: by which part the tasks of any user may differ from a division of the servers as they
/// are, 1 where that is not known.
void note_merged(const Problem& problem, Outcome& outcome);

}  // namespace mirab
