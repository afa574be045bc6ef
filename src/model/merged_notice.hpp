#pragma once

#include <string>

#include <mirab/model/allocation.hpp>

namespace mirab {

/// `0.31 %`: a bound from 0 to 1, rounded up to two digits.
std::string percent_at_most(double part);

/// Which servers count together, and what that may cost the outcome. Requires Cluster::merged.
std::string merged_words(const Problem& problem, const Outcome& outcome);

/// What the reader of an outcome should know where alike servers count together (Cluster::merged): a notice
/// of what that may cost, and never `exact`. An exact or a converged outcome becomes a converged one with the
/// certificate `merged-servers`: by which part the tasks of any user may differ from a division of the
/// servers as they are, 1 where that is not known. A notice keeps the certificate that a converged one had.
void note_merged(const Problem& problem, Outcome& outcome);

}  // namespace mirab
