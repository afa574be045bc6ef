#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/scheduling/engine.hpp>

namespace mirab::scheduling {

/// What a group or user is promised, in whole units: rounded down.
struct UnitQuota {
  std::optional<Amounts> guarantee = {};
  std::optional<Amounts> limit = {};  ///< kNoLimit where there is none
  std::optional<Amounts> reserved = {};
};

/// `units(r, amount)` counts an amount of a resource.
UnitQuota in_units(const Quota& quota,
                   const std::function<std::int64_t(std::size_t r, const Quantity& amount)>& units);

/// A group of a cluster file or a teams file, counted in whole units.
struct UnitGroup {
  std::string name;
  Quantity weight{1};
  std::optional<std::size_t> parent = {};  ///< an earlier one; without a value: the cluster
  UnitQuota quota = {};
};

/// [group], in their order; names of parents become their numbers.
std::vector<UnitGroup> in_units(
    std::span<const Group> groups,
    const std::function<std::int64_t(std::size_t r, const Quantity& amount)>& units);

/// Adds them to an engine, with their guarantees. Requires the groups of a valid problem, and no group in the
/// engine. Errors, with the key: a weight that it cannot compare shares with, groups nested too deep. Where
/// rounding to whole units has made a guarantee one that the engine refuses, the group has none, and a notice
/// says so. [group]
Result<std::vector<GroupId>> add_groups(Engine& engine, std::span<const UnitGroup> groups, Time now,
                                        std::vector<std::string>& notices);

/// Adds their limits and reserves. Requires that the guarantees of all their members are there.
void bound_groups(Engine& engine, std::span<const UnitGroup> groups, std::span<const GroupId> ids, Time now,
                  std::vector<std::string>& notices);

}  // namespace mirab::scheduling
