#pragma once

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {

// One row for each experiment, made in the file of its name.

}  // namespace mirab::experiments
