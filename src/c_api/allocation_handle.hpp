#pragma once

#include <vector>

#include <mirab/allocate.h>
#include <mirab/mechanisms/mechanism.hpp>

struct mirab_allocation {
  mirab::Problem problem;
  mirab::Outcome outcome;
  std::vector<double> shares;    // [N]
  std::vector<double> tasks_on;  // [N][S]
  std::vector<double> used;      // [S][m]
};
