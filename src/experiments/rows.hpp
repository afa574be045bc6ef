#pragma once

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {

// One function an experiment, each in the file of its name; registry.cpp puts them into a table.

}  // namespace mirab::experiments
