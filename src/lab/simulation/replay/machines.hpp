#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// The counts times the factor, as whole numbers with the sum that rounding the whole gives (at least 1 where
/// the counts are not all 0): each is rounded down, and the largest remainders get one more, the first of
/// equal ones first (Hamilton's method). O(n log n).
std::vector<std::int64_t> scaled_counts(std::span<const std::int64_t> counts, double factor);

/// The most users after scaling.
inline constexpr std::int64_t kMostUsers = 1'000'000;

/// Users after scaling: [original], the numbers of those who submit its jobs.
struct ScaledUsers {
  std::vector<Submitter> users;
  std::vector<std::vector<std::uint32_t>> of;
};

/// ⌊factor⌋ copies of every user, and one more of some, drawn without replacement, to make
/// round(factor × users) in all, at least 1. The second copy of `a` is named `a#2`. In the order of the
/// originals. Errors: a copy with the name of another user, more than
/// kMostUsers. O(users).
Result<ScaledUsers> scaled_users(const std::vector<Submitter>& users, double factor, Random& random);

/// All machines are listed one by one: the most that there may be, before and after scaling.
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
