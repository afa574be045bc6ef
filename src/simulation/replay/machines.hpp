#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// All machines are spelled out, one by one: so many at the most, before and after scaling.
inline constexpr std::int64_t kMostMachines = 1'000'000;

/// What a machine is when it is up. Machines that are the same share one.
struct MachineKind {
  std::string name;  ///< of the entry of the cluster
  ResourceVector capacity;
  std::map<std::string, std::string> labels;

  bool operator<(const MachineKind& other) const;
};

/// A machine comes or goes.
struct MachineChange {
  Duration at;
  std::uint32_t machine;
  ServerChange::Kind kind;
  std::uint32_t becomes;  ///< index into kinds, of one that comes
};

/// The machines of a trace over time. Those that are up at first have the first numbers, in the order of the
/// cluster; then come the others, in the order in which they first come.
struct Machines {
  std::vector<MachineKind> kinds;
  std::vector<std::uint32_t> first;  ///< [machine], the kind of those that are up at first
  std::size_t count = 0;             ///< of all machines
  std::vector<MachineChange> changes;
};

/// The machines of the cluster's entries and the workload's changes, their numbers scaled by Hamilton's
/// method: for every entry those that are up at first, and those that come later. The k-th machine of such a
/// group is a copy of the (k mod group)-th and comes and goes with it; so a factor below 1 keeps the first
/// ones. Errors: a change of a machine that is up already, or not; of an unknown entry without a capacity;
/// more than kMostMachines (`servers[2].count`, `scale.machines`).
/// O(machines + changes log changes).
Result<Machines> machines_of(const Problem& cluster, const std::vector<ServerChange>& changes, double factor);

}  // namespace mirab::simulation
