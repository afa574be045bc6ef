#include "audit/team_standing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <mirab/audit/difference.hpp>
#include <mirab/audit/metrics.hpp>
#include <mirab/audit/teams.hpp>

#include "audit/cluster_view.hpp"
#include "fairness/share.hpp"

namespace mirab {
namespace {

constexpr double kTiedWithin = 1e-6;  // relative: what certificates and rounding may leave

// What one task of a user takes: on average where its tasks run, else what the user says for all servers.
std::vector<double> taken_by_a_task(const User& user, const std::vector<double>& held, double tasks) {
  std::vector<double> taken(held.size());
  for (std::size_t r = 0; r < held.size(); ++r)
    taken[r] = tasks > 0 ? held[r] / tasks : user.demand[r].value();
  return taken;
}

// The resource of which a team holds, or asks for, the largest part; of what the cluster has none of, any.
std::size_t largest_part(const std::vector<double>& amounts, std::span<const double> pool) {
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] > 0 && !(pool[r] > 0)) return r;
  }
  return fairness::dominant_resource<double>(amounts, pool);
}

}  // namespace

std::optional<double> TeamStanding::waiting() const {
  if (satisfied()) return 0;
  return asked ? std::optional(std::max(0.0, *asked - tasks)) : std::nullopt;
}

std::vector<TeamStanding> team_standings(const Problem& problem, const Outcome& outcome) {
  return team_standings(problem, outcome, problem.pool());
}

namespace {

// What the standings of all teams are drawn from.
class TeamAmounts {
 public:
  TeamAmounts(const Problem& problem, const Outcome& outcome, std::span<const double> capacity)
      : problem_(problem),
        capacity_(capacity),
        satisfied_(satisfaction(problem, outcome)),
        held_(bundles(problem, outcome.allocation)),
        tasks_(outcome.allocation.tasks) {}

  TeamStanding standing(Person person) const {
    TeamStanding team{.who = std::move(person), .asked = 0.0};
    std::vector<double> has(problem_.resource_count()), wants(problem_.resource_count());
    for (const std::size_t n : team.who.users) {
      const std::optional<double>& asked = satisfied_.asked[n];
      const std::vector<double> one = taken_by_a_task(problem_.users()[n], held_[n], tasks_[n]);
      for (std::size_t r = 0; r < has.size(); ++r) {
        has[r] += held_[n][r];
        wants[r] += asked.value_or(1) * one[r];
      }
      team.tasks += tasks_[n];
      team.asked = team.asked && asked ? std::optional(*team.asked + *asked) : std::nullopt;
      if (!satisfied_.satisfied[n]) team.short_users.push_back(n);
    }
    team.who.share = fairness::dominant_share<double>(has, capacity_);
    if (team.asked) team.asked_share = fairness::dominant_share<double>(wants, capacity_);
    team.dominant = largest_part(team.tasks > 0 ? has : wants, capacity_);
    const auto lacks = [&](std::size_t n) {  // tasks of different shapes are compared by what they would hold
      if (!satisfied_.asked[n]) return std::numeric_limits<double>::infinity();
      const std::vector<double> one = taken_by_a_task(problem_.users()[n], held_[n], tasks_[n]);
      return (*satisfied_.asked[n] - tasks_[n]) * fairness::dominant_share<double>(one, capacity_);
    };
    std::stable_sort(team.short_users.begin(), team.short_users.end(),
                     [&](std::size_t a, std::size_t b) { return lacks(a) > lacks(b); });
    return team;
  }

 private:
  const Problem& problem_;
  std::span<const double> capacity_;
  Satisfaction satisfied_;
  std::vector<std::vector<double>> held_;
  const std::vector<double>& tasks_;
};

}  // namespace

std::vector<TeamStanding> team_standings(const Problem& problem, const Outcome& outcome,
                                         std::span<const double> capacity) {
  const TeamAmounts amounts(problem, outcome, capacity);
  std::vector<TeamStanding> teams;
  for (Person& person : persons(problem, outcome.allocation, capacity))
    teams.push_back(amounts.standing(std::move(person)));
  return teams;
}

std::size_t group_node(const Problem& problem, const std::string& group) {
  const std::vector<Group>& groups = problem.groups();
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.name == group; });
  MIRAB_ASSERT(found != groups.end(), "a group of the problem");
  return problem.tree().node_of_group(static_cast<std::size_t>(found - groups.begin()));
}

std::vector<TeamStanding> group_standings(const Problem& problem, const Outcome& outcome) {
  const TeamAmounts amounts(problem, outcome, problem.pool());
  const Tree& tree = problem.tree();
  std::vector<TeamStanding> standings;
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (node != 0) {
      const Group& group = problem.groups()[tree.group_at(node)];
      if (group.is_user) continue;
      standings.push_back(amounts.standing(
          {.name = group.name, .users = users_below(tree, node), .weight = group.weight.value()}));
    }
    const auto& members = tree.members(node);
    std::copy_if(members.rbegin(), members.rend(), std::back_inserter(open),
                 [&](std::size_t member) { return tree.is_group(member); });
  }
  return standings;
}

std::vector<std::size_t> short_first(std::span<const TeamStanding> fair, std::span<const TeamStanding> now) {
  // Ascending. Changes that round to none are none, so that equals stay together.
  const auto rank = [&](std::size_t t) -> std::tuple<int, double, double> {
    const TeamStanding& team = fair[t];
    if (!now.empty()) {
      const double gain = team.who.share - now[t].who.share;
      const bool is_same = std::abs(gain) <= kSameWithin * std::max(team.who.share, now[t].who.share);
      const double waiting = now[t].waiting().value_or(std::numeric_limits<double>::infinity());
      if (!is_same) return {gain > 0 ? 0 : 2, -std::abs(gain), -waiting};
      return {now[t].satisfied() ? 3 : 1, 0, -waiting};
    }
    if (team.satisfied()) return {2, 0, 0};
    if (!team.asked) return {1, team.level(), 0};
    return {0, *team.asked > 0 ? team.tasks / *team.asked : 1, 0};
  };
  std::vector<std::size_t> order(fair.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

namespace {

// Whose member the team is, none being the cluster, and what it is guaranteed itself.
struct Place {
  std::optional<std::string> group;
  bool has_guarantee;
};

Place place_of(const Problem& problem, const std::map<std::string_view, std::size_t>& groups,
               const TeamStanding& team) {
  const User& user = problem.users()[team.who.users.front()];
  if (!user.shape) return {user.group, user.quota.guarantee.has_value()};
  const Group& whole = problem.groups()[groups.at(*user.group)];
  return {whole.parent, whole.quota.guarantee.has_value()};
}

// Of which resources no more is free for its tasks that wait; nothing: something else stops one of them.
std::optional<std::vector<std::size_t>> short_of(const Stops& stops, const TeamStanding& team) {
  std::set<std::size_t> resources;
  for (const std::size_t n : team.short_users) {
    const Stop stop = stops.of(n);
    if (stop.kind != StopKind::capacity || stop.is_missing) return {};
    resources.insert(stop.resources.begin(), stop.resources.end());
  }
  return std::vector<std::size_t>(resources.begin(), resources.end());
}

}  // namespace

std::vector<LevelTeams> level_teams(const Problem& problem, const Outcome& outcome,
                                    std::span<const TeamStanding> teams) {
  const Stops stops(problem, outcome);
  // By what stops them: teams in the order of their levels.
  std::map<std::pair<std::optional<std::string>, std::vector<std::size_t>>, std::vector<std::size_t>> alike;
  std::map<std::string_view, std::size_t> groups;
  for (std::size_t g = 0; g < problem.groups().size(); ++g) groups.emplace(problem.groups()[g].name, g);
  for (std::size_t t = 0; t < teams.size(); ++t) {
    if (teams[t].satisfied() || teams[t].who.weight == 0) continue;
    Place place = place_of(problem, groups, teams[t]);
    if (place.has_guarantee) continue;
    if (auto resources = short_of(stops, teams[t]))
      alike[{std::move(place.group), *std::move(resources)}].push_back(t);
  }
  std::vector<LevelTeams> sets;
  for (auto& [of, members] : alike) {
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return teams[a].level() < teams[b].level(); });
    for (std::size_t first = 0; first < members.size();) {
      std::size_t end = first + 1;
      while (end < members.size() &&
             teams[members[end]].level() <= teams[members[first]].level() * (1 + kTiedWithin))
        ++end;
      if (end - first > 1 && teams[members[first]].level() > 0) {
        std::vector<std::size_t> level(members.begin() + static_cast<std::ptrdiff_t>(first),
                                       members.begin() + static_cast<std::ptrdiff_t>(end));
        std::sort(level.begin(), level.end());
        sets.push_back({.teams = std::move(level), .resources = of.second});
      }
      first = end;
    }
  }
  return sets;
}

}  // namespace mirab
