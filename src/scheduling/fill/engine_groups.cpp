// The groups of a problem as events of an engine. A group is added without a quota, since a guarantee must be
// there before those of the members, and what bounds it after them.
#include "scheduling/fill/engine_groups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {
namespace {

void change_group(Engine& engine, const UnitGroup& group, const GroupChanged& event, Time now,
                  std::vector<std::string>& notices) {
  if (const Check bad = engine.apply(event, now))
    notices.push_back(
        fmt::format("the guarantee and limits of the group '{}' are not honoured: {}, in whole units",
                    group.name, bad->message));
}

}  // namespace

UnitQuota in_units(const Quota& quota,
                   const std::function<std::int64_t(std::size_t r, const Quantity& amount)>& units) {
  const auto counted = [&](const ResourceVector& of) {
    Amounts amounts;
    for (std::size_t r = 0; r < of.size(); ++r) amounts.push_back(units(r, of[r]));
    return amounts;
  };
  UnitQuota of;
  if (quota.guarantee && !quota.guarantee->empty()) of.guarantee = counted(*quota.guarantee);
  if (!quota.reserved.empty()) of.reserved = counted(quota.reserved);
  if (quota.limit.empty()) return of;
  Amounts& limit = of.limit.emplace();
  for (std::size_t r = 0; r < quota.limit.size(); ++r)
    limit.push_back(quota.limit[r] ? units(r, *quota.limit[r]) : kNoLimit);
  return of;
}

std::vector<UnitGroup> in_units(
    std::span<const Group> groups,
    const std::function<std::int64_t(std::size_t r, const Quantity& amount)>& units) {
  std::map<std::string_view, std::size_t> numbers;
  std::vector<UnitGroup> counted;
  for (const Group& group : groups) {
    UnitGroup& of = counted.emplace_back(
        UnitGroup{.name = group.name, .weight = group.weight, .quota = in_units(group.quota, units)});
    if (group.parent) of.parent = numbers.at(*group.parent);
    numbers.emplace(group.name, counted.size() - 1);
  }
  return counted;
}

Result<std::vector<GroupId>> add_groups(Engine& engine, std::span<const UnitGroup> groups, Time now,
                                        std::vector<std::string>& notices) {
  std::vector<GroupId> ids;
  for (const UnitGroup& group : groups) {
    const auto added = engine.apply(GroupAdded{.name = group.name,
                                               .weight = group.weight,
                                               .parent = group.parent ? ids[*group.parent] : kCluster},
                                    now);
    if (!added) {
      return Error{.message = added.error().message,
                   .key = fmt::format("groups[{}].{}", ids.size(), added.error().key)};
    }
    ids.push_back(*added);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].quota.guarantee) continue;
    change_group(engine, groups[g],
                 {.group = ids[g], .weight = groups[g].weight, .guarantee = groups[g].quota.guarantee}, now,
                 notices);
  }
  return ids;
}

void bound_groups(Engine& engine, std::span<const UnitGroup> groups, std::span<const GroupId> ids, Time now,
                  std::vector<std::string>& notices) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const UnitQuota& quota = groups[g].quota;
    if (!quota.limit && !quota.reserved) continue;
    GroupChanged event{.group = ids[g],
                       .weight = groups[g].weight,
                       .guarantee = quota.guarantee,
                       .limit = quota.limit,
                       .reserved = quota.reserved};
    // Rounded down they may lie apart from the sum of the members', rounded down one by one.
    const auto guarantee = engine.group(ids[g])->guarantee;
    for (std::size_t r = 0; quota.reserved && r < guarantee.size(); ++r)
      (*event.reserved)[r] = std::min((*event.reserved)[r], guarantee[r]);
    change_group(engine, groups[g], event, now, notices);
  }
}

}  // namespace mirab::scheduling
