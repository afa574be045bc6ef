#pragma once

#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::traces {

/// What a trace tells of servers, users and jobs over time.
struct WorkloadImport {
  /// The servers of the beginning, and every user of the workload, who asks for what most of its tasks ask
  /// for (the first such, in a tie) without a limit.
  Cluster cluster;
  Workload workload;

  /// Lines for the heads of both files: attribution, and what was drawn and decided.
  std::vector<std::string> provenance;

  /// What was left out or mended, a sentence each, with its count.
  std::vector<std::string> notices;
};

}  // namespace mirab::traces
