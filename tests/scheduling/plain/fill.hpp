#pragma once

#include <mirab/scheduling/fill.hpp>

namespace mirab::plain {

/// Fills as mirab::fill does, in another way: nothing is ever freed in a filling, so every user walks over
/// the servers once, and keys are rationals that grow by a step with each task.
Result<FillOutcome> fill(const Problem& problem, const FillOptions& options, Random& random,
                         const FillProgress& progress = {});

}  // namespace mirab::plain
