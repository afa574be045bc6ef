#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <mirab/scheduling/engine.hpp>

namespace mirab::recordings {

/// Which events happen. Users always come, jobs are submitted and tasks finish.
struct Mix {
  std::size_t events = 260;  ///< drawn, not counting the steps
  std::size_t servers = 5;   ///< at the start
  std::size_t users = 4;     ///< at the start
  bool weights = false;      ///< users have different weights, some change
  bool gangs = false;
  bool terms = false;           ///< limits per server, spread and pack
  bool labels = false;          ///< jobs ask for servers by name and label
  bool demand_on = false;       ///< other demands on servers of some name
  bool server_changes = false;  ///< servers come, fail, change, are drained, reopened, removed
  bool ends = false;            ///< jobs are cancelled, tasks fail, users go
  bool large = false;           ///< amounts of real clusters, with exact products beyond 64 bits
  bool near_ties = false;       ///< shares differ by less than doubles can tell
  bool restored = false;        ///< half-way the engine is restored from its snapshot
};

/// One engine and what happens to it.
struct Case {
  std::string name;  ///< discipline/placement/variant
  scheduling::EngineOptions options;
  Mix mix;
  bool keeps_log = false;  ///< the whole log is kept, not only its digest
};

/// Every variant that the discipline honours, on every placement, in the order of the registries.
std::vector<Case> cases_of(const std::string& discipline);

}  // namespace mirab::recordings
