#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include <mirab/audit/difference.hpp>
#include <mirab/audit/metrics.hpp>
#include <mirab/audit/teams.hpp>

#include "audit/persons.hpp"
#include "fairness/share.hpp"
#include "model/eligibility.hpp"

namespace mirab {
namespace {

using Indices = std::unordered_map<std::string, std::size_t>;

Indices by_name(const std::vector<std::string>& names) {
  Indices indices;
  for (std::size_t i = 0; i < names.size(); ++i) indices.emplace(names[i], i);
  return indices;
}

std::vector<std::string> user_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const User& user : problem.users()) names.push_back(user.name);
  return names;
}

std::vector<UserShare> shares_of(const Side& side) {
  const std::vector<double> dominant = dominant_shares(side.problem, side.allocation);
  std::vector<UserShare> shares;
  for (std::size_t n = 0; n < dominant.size(); ++n) {
    shares.push_back(
        {.tasks = side.allocation.tasks[n], .dominant_share = dominant[n], .share_of_before = dominant[n]});
  }
  return shares;
}

// What each user holds on a side, in parts of the cluster before: of the resources that this has.
void measure_by(const Problem& before, const Side& side, std::vector<UserShare>& shares) {
  const std::vector<double> pool = pool_of_before(before, side.problem);
  const std::vector<std::vector<double>> held = bundles(side.problem, side.allocation);
  for (std::size_t n = 0; n < shares.size(); ++n)
    shares[n].share_of_before = fairness::dominant_share<double>(held[n], pool);
}

bool have_same_pool(const Problem& before, const Problem& after) {
  return before.resources() == after.resources() && before.pool() == after.pool();
}

double relative_change(double before, double after) {
  if (before > 0) return after / before - 1;
  return after > 0 ? std::numeric_limits<double>::infinity() : 0;
}

// What a task takes, by the names of resources, without those of which it takes nothing.
std::unordered_map<std::string, Quantity> amounts(const Problem& problem, const ResourceVector& demand) {
  std::unordered_map<std::string, Quantity> taken;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero()) taken.emplace(problem.resources()[r], demand[r]);
  }
  return taken;
}

bool same_task(const Problem& before, const User& old, const Problem& after, const User& fresh) {
  return amounts(before, old.demand) == amounts(after, fresh.demand);
}

UserShare lowest(const Problem& before, const Side& side) {
  const auto least_of = [](const std::vector<Person>& everyone) {
    double least = std::numeric_limits<double>::infinity();
    for (const Person& person : everyone) {
      if (person.is_eligible) least = std::min(least, person.share);
    }
    return least;
  };
  const std::vector<bool> is_eligible = eligible_somewhere(side.problem);
  double tasks = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < is_eligible.size(); ++n) {
    if (is_eligible[n]) tasks = std::min(tasks, side.allocation.tasks[n]);
  }
  const std::vector<double> pool = pool_of_before(before, side.problem);
  return {.tasks = tasks,
          .dominant_share = least_of(persons(side.problem, side.allocation)),
          .share_of_before = least_of(persons(side.problem, side.allocation, pool))};
}

double tasks_in_all(const std::vector<UserShare>& shares) {
  double tasks = 0;
  for (const UserShare& share : shares) tasks += share.tasks;
  return tasks;
}

void compare_users(const Side& before, const Side& after, Difference& result) {
  const std::vector<UserShare> old = shares_of(before);
  std::vector<UserShare> fresh = shares_of(after);
  result.same_pool = have_same_pool(before.problem, after.problem);
  if (!result.same_pool) measure_by(before.problem, after, fresh);
  result.lowest_before = lowest(before.problem, before);
  result.lowest_after = lowest(before.problem, after);
  result.tasks_before = tasks_in_all(old);
  result.tasks_after = tasks_in_all(fresh);
  const Indices places = by_name(user_names(after.problem));
  std::vector<bool> met(fresh.size());
  for (std::size_t n = 0; n < old.size(); ++n) {
    const User& user = before.problem.users()[n];
    const auto place = places.find(user.name);
    if (place == places.end()) {
      result.gone.push_back({.user = user.name, .before = old[n], .after = {}});
      continue;
    }
    const std::size_t k = place->second;
    met[k] = true;
    result.users.push_back(
        {.user = user.name,
         .before = old[n],
         .after = fresh[k],
         .change = relative_change(old[n].tasks, fresh[k].tasks),
         .same_task = same_task(before.problem, user, after.problem, after.problem.users()[k])});
  }
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    if (!met[k])
      result.come.push_back({.user = after.problem.users()[k].name, .before = {}, .after = fresh[k]});
  }
  // Those who are unchanged, within rounding, stay in their order.
  const auto rank = [](const UserChange& user) {
    return std::abs(user.change) <= kSameWithin ? 0 : user.change;
  };
  std::stable_sort(result.users.begin(), result.users.end(),
                   [&](const UserChange& a, const UserChange& b) { return rank(a) > rank(b); });
  for (const UserChange& user : result.users) {
    if (user.change > kSameWithin) ++result.gainers;
    if (user.change < -kSameWithin) ++result.losers;
  }
}

// What a person of a side has together; shares in parts of the side's own pool and of the one before.
struct Whole {
  std::string name;
  bool has_shapes;
  std::vector<std::size_t> users;
  UserShare has;
  double weight;
};

std::vector<Whole> wholes_of(const Side& side, const std::vector<double>& pool_of_before) {
  const std::vector<Person> own = persons(side.problem, side.allocation);
  const std::vector<Person> in_before = persons(side.problem, side.allocation, pool_of_before);
  std::vector<Whole> wholes;
  for (std::size_t p = 0; p < own.size(); ++p) {
    const User& first = side.problem.users()[own[p].users[0]];
    UserShare has{.tasks = 0, .dominant_share = own[p].share, .share_of_before = in_before[p].share};
    for (const std::size_t n : own[p].users) has.tasks += side.allocation.tasks[n];
    wholes.push_back({own[p].name, first.shape.has_value(), own[p].users, has, own[p].weight});
  }
  return wholes;
}

bool grows(double change) { return change > kSameWithin; }
bool shrinks(double change) { return change < -kSameWithin; }

// A shape that only one side has changes from or to nothing.
double change_of_shape(const UserChange& shape) {
  return relative_change(shape.before ? shape.before->tasks : 0, shape.after ? shape.after->tasks : 0);
}

Direction direction_of(const TeamChange& team) {
  if (team.shapes.empty()) {
    const double change = team.whole.change;
    return grows(change) ? Direction::gain : shrinks(change) ? Direction::lose : Direction::unchanged;
  }
  const double change = team.whole.after->share_of_before - team.whole.before->share_of_before;
  if (grows(change)) return Direction::gain;
  if (shrinks(change)) return Direction::lose;
  const auto any = [&](bool (*passes)(double)) {
    return std::any_of(team.shapes.begin(), team.shapes.end(),
                       [&](const UserChange& shape) { return passes(change_of_shape(shape)); });
  };
  const bool more = any(grows), less = any(shrinks);
  return more && less ? Direction::mixed
         : more       ? Direction::gain
         : less       ? Direction::lose
                      : Direction::unchanged;
}

// The changes of task shapes and users by their names.
using Changes = std::unordered_map<std::string_view, const UserChange*>;

Changes changes_by_name(const Difference& result) {
  Changes changes;
  for (const auto* users : {&result.users, &result.gone, &result.come}) {
    for (const UserChange& user : *users) changes.emplace(user.user, &user);
  }
  return changes;
}

TeamChange team_of(const Side& before, const Whole* old, const Side& after, const Whole* fresh,
                   const Changes& changes) {
  TeamChange team{.whole = {.user = (old != nullptr ? old : fresh)->name, .before = {}, .after = {}},
                  .direction = Direction::unchanged};
  const bool shaped = (old != nullptr && old->has_shapes) || (fresh != nullptr && fresh->has_shapes);
  const auto add = [&](const UserChange& part) {
    team.whole.same_task = team.whole.same_task && part.same_task;
    if (shaped) team.shapes.push_back(part);
  };
  if (old != nullptr) {
    team.whole.before = old->has;
    for (const std::size_t n : old->users) add(*changes.at(before.problem.users()[n].name));
  }
  if (fresh != nullptr) {
    team.whole.after = fresh->has;
    for (const std::size_t n : fresh->users) {
      const UserChange& part = *changes.at(after.problem.users()[n].name);
      if (!part.before) add(part);
    }
  }
  if (old == nullptr || fresh == nullptr) return team;
  team.whole.change = relative_change(old->has.tasks, fresh->has.tasks);
  team.direction = direction_of(team);
  team.gain =
      (fresh->has.share_of_before - old->has.share_of_before) / (fresh->weight > 0 ? fresh->weight : 1);
  return team;
}

// Gainers first, then those who are unchanged, then losers; the greatest gain first.
void sort_teams(std::vector<TeamChange>& teams) {
  const auto rank = [](const TeamChange& team) {
    const int side = team.direction == Direction::gain ? 1 : team.direction == Direction::lose ? -1 : 0;
    return std::pair(side, side == 0 ? 0 : team.gain);
  };
  std::stable_sort(teams.begin(), teams.end(),
                   [&](const TeamChange& a, const TeamChange& b) { return rank(a) > rank(b); });
}

void compare_teams(const Side& before, const Side& after, Difference& result) {
  const std::vector<Whole> old = wholes_of(before, before.problem.pool());
  const std::vector<Whole> fresh = wholes_of(after, pool_of_before(before.problem, after.problem));
  const Changes changes = changes_by_name(result);
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t k = 0; k < fresh.size(); ++k) places.emplace(fresh[k].name, k);
  std::vector<bool> met(fresh.size());
  std::vector<TeamChange> gone, come;
  for (const Whole& team : old) {
    const auto place = places.find(team.name);
    if (place == places.end()) {
      gone.push_back(team_of(before, &team, after, nullptr, changes));
      continue;
    }
    met[place->second] = true;
    result.teams.push_back(team_of(before, &team, after, &fresh[place->second], changes));
  }
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    if (!met[k]) come.push_back(team_of(before, nullptr, after, &fresh[k], changes));
  }
  sort_teams(result.teams);
  for (const TeamChange& team : result.teams) {
    ++(team.direction == Direction::gain    ? result.changed.gain
       : team.direction == Direction::lose  ? result.changed.lose
       : team.direction == Direction::mixed ? result.changed.mixed
                                            : result.changed.unchanged);
  }
  for (auto* one_sided : {&gone, &come})
    result.teams.insert(result.teams.end(), one_sided->begin(), one_sided->end());
}

void compare_resources(const Side& before, const Side& after, Difference& result) {
  const std::vector<double> old = measure(before.problem, before.allocation).utilization;
  const std::vector<double> fresh = measure(after.problem, after.allocation).utilization;
  const Indices places = by_name(after.problem.resources());
  const Indices known = by_name(before.problem.resources());
  for (std::size_t r = 0; r < old.size(); ++r) {
    UseChange& use = result.resources.emplace_back(
        UseChange{.resource = before.problem.resources()[r], .before = old[r], .after = {}});
    if (const auto place = places.find(use.resource); place != places.end()) use.after = fresh[place->second];
  }
  for (std::size_t r = 0; r < fresh.size(); ++r) {
    const std::string& name = after.problem.resources()[r];
    if (!known.contains(name))
      result.resources.push_back({.resource = name, .before = {}, .after = fresh[r]});
  }
}

}  // namespace

namespace {

// An amount of each resource, by its name, without those that are not given or 0.
using NamedAmounts = std::map<std::string, Quantity>;

NamedAmounts named(const Problem& problem, const ResourceVector& amounts) {
  NamedAmounts by_resource;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (!amounts[r].is_zero()) by_resource.emplace(problem.resources()[r], amounts[r]);
  }
  return by_resource;
}

NamedAmounts named_limits(const Problem& problem, const Quota& quota) {
  NamedAmounts by_resource;
  for (std::size_t r = 0; r < quota.limit.size(); ++r) {
    if (quota.limit[r]) by_resource.emplace(problem.resources()[r], *quota.limit[r]);
  }
  return by_resource;
}

std::vector<std::string> changed_settings(const Problem& before, const Group& old, const Problem& after,
                                          const Group& fresh) {
  const auto guarantee = [](const Problem& problem, const Group& group) {
    return group.quota.guarantee ? std::optional(named(problem, *group.quota.guarantee)) : std::nullopt;
  };
  std::vector<std::string> settings;
  if (old.weight != fresh.weight) settings.emplace_back("weight");
  if (guarantee(before, old) != guarantee(after, fresh)) settings.emplace_back("guarantee");
  if (named_limits(before, old.quota) != named_limits(after, fresh.quota)) settings.emplace_back("limit");
  if (named(before, old.quota.reserved) != named(after, fresh.quota.reserved))
    settings.emplace_back("reserved");
  return settings;
}

// What each group has on a side, with shares in parts of a pool besides.
std::vector<GroupShare> shares_of_groups(const Side& side, const std::vector<double>& pool_of_before) {
  const Problem& problem = side.problem;
  if (problem.groups().empty()) return {};
  const std::vector<GroupFigures> figures = group_figures(problem, side.allocation);
  std::vector<GroupShare> shares;
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    const std::size_t node = problem.tree().node_of_group(g);
    const GroupFigures& has = figures[node];
    const std::span<const double> limit = problem.tree().limit(node);
    shares.push_back({.parent = problem.groups()[g].parent,
                      .weight = problem.tree().weight(node),
                      .share = has.share,
                      .share_of_before = fairness::dominant_share<double>(has.used, pool_of_before),
                      .beyond = has.key,
                      .used = has.used,
                      .guarantee = has.guarantee,
                      .borrowed = has.borrowed,
                      .lent = has.lent,
                      .limit = {limit.begin(), limit.end()}});
  }
  return shares;
}

void compare_groups(const Side& before, const Side& after, Difference& result) {
  const std::vector<GroupShare> old = shares_of_groups(before, before.problem.pool());
  const std::vector<GroupShare> fresh =
      shares_of_groups(after, pool_of_before(before.problem, after.problem));
  const std::vector<Group>& groups_before = before.problem.groups();
  const std::vector<Group>& groups_after = after.problem.groups();
  Indices places;
  for (std::size_t g = 0; g < groups_after.size(); ++g) places.emplace(groups_after[g].name, g);
  std::vector<bool> met(groups_after.size());
  for (std::size_t g = 0; g < groups_before.size(); ++g) {
    const Group& group = groups_before[g];
    GroupChange& change = result.groups.emplace_back(
        GroupChange{.group = group.name, .is_user = group.is_user, .before = old[g], .after = {}});
    const auto place = places.find(group.name);
    if (place == places.end()) continue;
    const std::size_t k = place->second;
    met[k] = true;
    change.after = fresh[k];
    const double gain = fresh[k].share_of_before - old[g].share_of_before;
    if (grows(gain) || shrinks(gain)) change.gain = gain;
    change.moved = group.parent != groups_after[k].parent;
    change.settings = changed_settings(before.problem, group, after.problem, groups_after[k]);
  }
  for (std::size_t k = 0; k < groups_after.size(); ++k) {
    if (!met[k])
      result.groups.push_back({.group = groups_after[k].name,
                               .is_user = groups_after[k].is_user,
                               .before = {},
                               .after = fresh[k]});
  }
}

}  // namespace

std::vector<double> pool_of_before(const Problem& before, const Problem& problem) {
  const Indices known = by_name(before.resources());
  std::vector<double> pool(problem.resource_count());
  for (std::size_t r = 0; r < pool.size(); ++r) {
    const auto place = known.find(problem.resources()[r]);
    if (place != known.end()) pool[r] = before.pool()[place->second];
  }
  return pool;
}

Difference difference(const Side& before, const Side& after) {
  Difference result;
  compare_users(before, after, result);
  compare_teams(before, after, result);
  compare_groups(before, after, result);
  compare_resources(before, after, result);
  return result;
}

}  // namespace mirab
