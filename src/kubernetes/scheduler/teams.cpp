// The teams of a cluster of Kubernetes.
#include "kubernetes/scheduler/teams.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <mirab/kubernetes/amounts.hpp>
#include <mirab/model/assert.hpp>

#include "fairness/exact_part.hpp"
#include "kubernetes/scheduler/seen_pod.hpp"

namespace mirab::kubernetes {
namespace {

using fairness::Wide;
using scheduling::GroupId;
using scheduling::LoggedEngine;

Units units_in(std::string_view resource, const Quantity& quantity) {
  const Result<Units> units = units_of(resource, quantity, Rounding::down);
  return units ? *units : kMaxUnits;
}

// The amount in the unit in which people write it: CPUs, bytes.
Quantity quantity_of(std::string_view resource, Units units) {
  return *Quantity::parse(fmt::format("{}{}", units, resource == "cpu" ? "e-3" : ""));
}

Units part(Units whole, Units numerator, Units denominator) {
  return static_cast<Units>(Wide{whole} * numerator / denominator);
}

bool is_alike(const UnitQuota& a, const UnitQuota& b) {
  return a.guarantee == b.guarantee && a.limit == b.limit && a.reserved == b.reserved;
}

}  // namespace

Result<SeenSpace> read_seen_space(const Object& space, const std::string& label) {
  SeenSpace seen{.name = std::string(space.name())};
  if (seen.name.empty()) return Error{.message = "missing", .key = "metadata.name", .file = "API server"};
  const NodeLabels labels = labels_of(space);
  if (const auto found = labels.find(label); found != labels.end()) seen.team = found->second;
  return seen;
}

Check Teams::begin(LoggedEngine& engine, Time now) {
  of_file_.clear();
  of_labels_.clear();
  pool_.clear();
  if (!rules_.file) return {};
  std::map<std::string, GroupId> by_name;
  for (const Group& group : rules_.file->groups({}, {})) {
    const Result<GroupId> id = engine.apply(
        scheduling::GroupAdded{.name = group.name,
                               .weight = group.weight,
                               .parent = group.parent ? by_name.at(*group.parent) : scheduling::kCluster},
        now);
    if (!id)
      return Error{.message = fmt::format("the group '{}': {}", group.name, id.error().message),
                   .key = "teams"};
    by_name.emplace(group.name, *id);
    of_file_.push_back(*id);
  }
  fitted_.assign(of_file_.size(), UnitQuota{});
  return {};
}

std::vector<UnitQuota> Teams::fitted(const std::vector<Group>& groups, std::span<const std::string> resources,
                                     std::span<const std::int64_t> pool) {
  std::vector<UnitQuota> all(groups.size());
  std::map<std::string_view, std::size_t> places;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].parent) all[g].parent = places.at(*groups[g].parent);
    places.emplace(groups[g].name, g);
    const Quota& quota = groups[g].quota;
    const auto amounts = [&](const auto& given, Units otherwise) {
      scheduling::Amounts units;
      for (std::size_t r = 0; r < resources.size(); ++r) {
        const std::optional<Quantity> one = given[r];
        units.push_back(one ? units_in(resources[r], *one) : otherwise);
      }
      return units;
    };
    if (quota.guarantee) all[g].guarantee = amounts(*quota.guarantee, 0);
    if (!quota.reserved.empty()) all[g].reserved = amounts(quota.reserved, 0);
    if (!quota.limit.empty()) all[g].limit = amounts(quota.limit, scheduling::kNoLimit);
    if (!all[g].guarantee) continue;
    scheduling::Amounts& promised = *all[g].guarantee;
    const auto pods = static_cast<std::size_t>(std::find(resources.begin(), resources.end(), kPodsResource) -
                                               resources.begin());
    if (pods == resources.size() || promised[pods] > 0) continue;
    for (std::size_t r = 0; r < resources.size(); ++r) {
      if (pool[r] > 0)
        promised[pods] = std::max(promised[pods], part(pool[pods], std::min(promised[r], pool[r]), pool[r]));
    }
  }
  cut_guarantees(all, pool);
  return all;
}

// What changes is taken away from the top down, and given from the bottom up: no state between contradicts
// itself.
bool Teams::fit(LoggedEngine& engine, std::span<const std::string> resources, Time now) {
  const std::span<const std::int64_t> pool = engine.engine().pool();
  if (!rules_.file || std::equal(pool.begin(), pool.end(), pool_.begin(), pool_.end())) return false;
  pool_.assign(pool.begin(), pool.end());
  ResourceVector capacity;
  for (std::size_t r = 0; r < pool.size(); ++r) capacity.push_back(quantity_of(resources[r], pool[r]));
  const std::vector<Group> groups = rules_.file->groups(resources, capacity);
  std::vector<UnitQuota> now_fitted = fitted(groups, resources, pool_);
  if (std::equal(now_fitted.begin(), now_fitted.end(), fitted_.begin(), fitted_.end(), is_alike))
    return false;
  const auto apply = [&](std::size_t g, const UnitQuota& quota) {
    return engine.apply(scheduling::GroupChanged{.group = of_file_[g],
                                                 .weight = groups[g].weight,
                                                 .guarantee = quota.guarantee,
                                                 .limit = quota.limit,
                                                 .reserved = quota.reserved},
                        now);
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Check wrong = apply(g, {});
    MIRAB_ASSERT(!wrong, "a group without a quota that the engine refuses");
  }
  for (std::size_t g = groups.size(); g-- > 0;) {
    if (const Check wrong = apply(g, now_fitted[g]))
      notices_.push_back(fmt::format("the group {} has no guarantee and no limit: {}: {}", groups[g].name,
                                     wrong->key, wrong->message));
  }
  fitted_ = std::move(now_fitted);
  return true;
}

bool Teams::see(const SeenSpace& space) {
  if (space.team.empty()) return lose(space.name);
  const auto [known, is_new] = labels_.try_emplace(space.name, space.team);
  if (!is_new && known->second == space.team) return false;
  known->second = space.team;
  return true;
}

std::vector<std::string> Teams::labelled() const {
  std::vector<std::string> spaces;
  for (const auto& [space, team] : labels_) spaces.push_back(space);
  return spaces;
}

const std::string* Teams::label_of(const std::string& space) const {
  const auto found = labels_.find(space);
  return found == labels_.end() ? nullptr : &found->second;
}

GroupId Teams::join(const std::string& space, LoggedEngine& engine, Time now) {
  const std::string* label = label_of(space);
  if (rules_.file) {
    if (const auto group = rules_.file->group_of(space)) return of_file_[*group];
    if (label == nullptr) return scheduling::kCluster;
    if (const auto group = rules_.file->group_called(*label)) return of_file_[*group];
    notices_.push_back(
        fmt::format("the namespace {} stands outside of all groups: there is no group '{}'", space, *label));
    return scheduling::kCluster;
  }
  if (label == nullptr) return scheduling::kCluster;
  const auto known = of_labels_.find(*label);
  if (known != of_labels_.end()) {
    ++known->second.users;
    return known->second.id;
  }
  const Result<GroupId> id = engine.apply(scheduling::GroupAdded{.name = *label}, now);
  MIRAB_ASSERT(id, "a group of weight 1 that the engine refuses");
  of_labels_.emplace(*label, OfLabel{.id = *id, .users = 1});
  return *id;
}

// A group of the label goes with its last user.
void Teams::leave(GroupId group, LoggedEngine& engine, Time now) {
  const auto own = std::find_if(of_labels_.begin(), of_labels_.end(),
                                [&](const auto& each) { return each.second.id == group; });
  if (own == of_labels_.end() || --own->second.users > 0) return;
  const Check wrong = engine.apply(scheduling::GroupRemoved{group}, now);
  MIRAB_ASSERT(!wrong, "a group without members that the engine keeps");
  of_labels_.erase(own);
}

std::vector<KnownTeam> Teams::groups() const {
  std::vector<KnownTeam> known;
  for (const auto& [label, of] : of_labels_) known.push_back({.id = of.id, .name = label});
  if (!rules_.file) return known;
  for (const Group& group : rules_.file->groups({}, {})) {
    const std::size_t g = known.size();
    known.push_back({.id = of_file_[g],
                     .name = group.name,
                     .parent = group.parent.value_or(""),
                     .weight = group.weight,
                     .guarantee = fitted_[g].guarantee,
                     .limit = fitted_[g].limit,
                     .reserved = fitted_[g].reserved});
  }
  return known;
}

std::vector<std::string> Teams::take_notices() { return std::exchange(notices_, {}); }

std::span<const std::string> Teams::resources() const {
  if (!rules_.file) return {};
  return rules_.file->resources();
}

}  // namespace mirab::kubernetes
