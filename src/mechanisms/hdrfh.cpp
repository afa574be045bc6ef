// Hierarchical DRF over heterogeneous servers: hdrf under every server's own capacity.
//
// Sources: docs/explanation/teams.md, "Over servers"; Wang, Li and Liang, 2013, for what DRFH is. Shares are
// of the whole cluster, C = Σ_i c_i. Users grow at the rates that hdrf gives them; a step is as long as a
// linear program allows, max δ under X_n = x_n + δ rate_n and every server's capacity (numerics/hierarchy).
// Reserves are amounts without a place, and limits bound totals. Example: servers of 2 and 8 CPUs; a1 may run
// on the first alone, a2 and B anywhere, a1 and a2 are group A: 2 and 3 for A, 5 for B. Known failures: those
// of hdrf and drfh; a guarantee is kept as far as the servers allow, and a notice says where they do not. A
// dominant share is not defined when a task takes different amounts on different servers. When the solver
// fails: when the bound is above 1e-8, the division fits, the level bound still says by which part any user's
// tasks may be off, and the status is not_converged. It is not repeated in more digits.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "fairness/share.hpp"
#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"
#include "model/names.hpp"

namespace mirab {
namespace {

constexpr std::string_view kAsHdrf = "as hdrf, which it is on one server";
constexpr Claim kHdrfhClaims[] = {
    {Property::pareto_efficiency, true, kUncappedUnlimited, kTeams},
    {Property::scale_invariance, true, kUncapped, kTeams},
    {Property::group_envy_freeness, true, {}, kTeams},
    {Property::envy_freeness, true, kFlat, "as DRFH, which it is without groups"},
    {Property::hierarchical_sharing_incentive,
     false,
     {},
     "as DRFH, where all users are in groups of their own"},
    {Property::guarantee, false, {}, kTeams},
    {Property::strategy_proofness, false, {}, kAsHdrf},
    {Property::group_strategy_proofness, false, {}, kAsHdrf},
    {Property::own_part, false, {}, kAsHdrf},
    {Property::population_monotonicity, false, {}, kAsHdrf},
    {Property::sharing_incentive, false, {}, "as DRFH, which it is without groups"},
    {Property::resource_monotonicity, false, {}, "as DRF, which it is on one server"},
};

constexpr Accepts hdrfh_accepted() {
  Accepts accepts = kServersAccept;
  accepts.demand_on = false;
  accepts.groups = true;
  return accepts;
}

// The same users and servers without a tree.
Problem without_groups(const Problem& problem) {
  Cluster cluster = problem.cluster();
  cluster.running.reset();
  cluster.groups.clear();
  for (User& user : cluster.users) {
    user.group.reset();
    user.shape.reset();
    user.quota = {};
    if (user.weight.is_zero()) user.weight = Quantity(1);
  }
  Result<Problem> flat = Problem::from(std::move(cluster));
  MIRAB_ASSERT(bool(flat), "a valid problem is valid without its groups");
  return *std::move(flat);
}

// These members of a class as a class of their own.
UserClass part_of(const UserClass& users, const std::vector<std::size_t>& members, const Problem& flat) {
  const auto weight = [&](std::size_t member) { return flat.users()[users.members[member]].weight.value(); };
  const auto size = [&](std::size_t member) {  // of its demand, in parts of that of the first of the class
    return weight(member) / users.weight / users.part[member];
  };
  UserClass some;
  for (const std::size_t member : members) some.weight += weight(member);
  for (const std::size_t member : members) {
    const double relative_size = size(member) / size(members[0]);
    const User& user = flat.users()[users.members[member]];
    some.members.push_back(users.members[member]);
    some.part.push_back(weight(member) / some.weight / relative_size);
    some.tasks += user.tasks ? user.tasks->value() * relative_size : numerics::kInfinity;
  }
  return some;
}

// Users merge within a group, and only without bounds of their own.
Classes merge_within_groups(const Problem& problem) {
  if (problem.tree().is_flat() && !problem.has_zero_weight())
    return merge(problem, MergeUsers::parallel, MergeServers::proportional);
  const Tree& tree = problem.tree();
  const Problem flat = without_groups(problem);
  Classes classes = merge(flat, MergeUsers::parallel, MergeServers::proportional);
  std::vector<UserClass> within;
  for (const UserClass& users : classes.users) {
    std::map<std::size_t, std::vector<std::size_t>> members_of;  // by the group's node, or the user's own
    for (std::size_t member = 0; member < users.members.size(); ++member) {
      const std::size_t node = tree.node_of_user(users.members[member]);
      members_of[stands_alone(problem, users.members[member]) ? node : tree.parent(node)].push_back(member);
    }
    for (const auto& [node, members] : members_of) within.push_back(part_of(users, members, flat));
  }
  std::sort(within.begin(), within.end(),
            [](const UserClass& a, const UserClass& b) { return a.members[0] < b.members[0]; });
  classes.users = std::move(within);
  return classes;
}

numerics::RowTree tree_above(const Problem& problem, const MergedServers& merged) {
  std::vector<std::size_t> first_users, resources;
  for (const UserClass& users : merged.classes.users) first_users.push_back(users.members[0]);
  for (std::size_t r = 0; r < problem.resource_count(); ++r) resources.push_back(r);
  numerics::RowTree tree = groups_above(problem, first_users, resources);
  tree.weight = merged.weight;
  tree.cap = merged.rows.cap;
  return tree;
}

ServerShares fill_down(const Problem& problem, const MergedServers& merged) {
  numerics::TreeOverServers filled =
      numerics::fill_tree_over_servers(tree_above(problem, merged), merged.rows);
  ServerShares shares{.tasks = std::move(filled.amount),
                      .prices = {},
                      .status = status_of(filled.report, Status::exact),
                      .certificate = {.kind = "level-bound", .value = filled.report.error}};
  shares.doubts = doubts_of_merged(problem, merged, filled.unit, shares.tasks, filled.rounds);
  return shares;
}

// Groups and users who have a guarantee that servers do not hold: somebody below wants more, of which the
// node has less than its guarantee in every resource, and no limit is in the way.
std::vector<std::string_view> short_of_guarantees(const Problem& problem, const Allocation& allocation) {
  constexpr double clearly = 1 - 1e-9;  // Derived: tasks are right to 1e-8 at worst.
  const Tree& tree = problem.tree();
  const auto used = fairness::used_below(tree, bundles(problem, allocation));
  std::vector<bool> is_short(tree.size(), false);
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const User& user = problem.users()[n];
    if (user.tasks && allocation.tasks[n] >= clearly * user.tasks->value()) continue;
    const auto takes = [&](std::size_t r) { return !user.demand[r].is_zero(); };
    const std::vector<std::size_t> path = tree.path(tree.node_of_user(n));
    const auto is_limited = [&](std::size_t v) {
      for (std::size_t r = 0; r < tree.limit(v).size(); ++r) {
        if (takes(r) && used[v][r] >= clearly * tree.limit(v)[r]) return true;
      }
      return false;
    };
    if (std::any_of(path.begin(), path.end(), is_limited)) continue;
    for (const std::size_t v : path) {
      if (tree.guarantee(v).empty()) continue;
      bool covered = true;
      for (std::size_t r = 0; r < user.demand.size(); ++r)
        covered = covered && (!takes(r) || used[v][r] < clearly * tree.guarantee(v)[r]);
      is_short[v] = is_short[v] || covered;
    }
  }
  std::vector<std::string_view> names;
  for (std::size_t v = 1; v < is_short.size(); ++v) {
    if (!is_short[v]) continue;
    names.push_back(tree.is_user(v) ? problem.users()[tree.user_at(v)].name
                                    : problem.groups()[tree.group_at(v)].name);
  }
  return names;
}

Result<Outcome> allocate_hdrfh(const Problem& problem, const Choice& choice, const Execution&) {
  constexpr std::size_t max_named = 3;  // in one line
  const MergedServers merged = lay_out(problem, merge_within_groups(problem));
  Outcome outcome = share_servers(problem, choice, merged,
                                  [&](const MergedServers& servers) { return fill_down(problem, servers); });
  if (const auto names = short_of_guarantees(problem, outcome.allocation); !names.empty()) {
    outcome.notices.push_back(fmt::format(
        "the servers on which their users may run, or how these are filled, do not hold all of the "
        "guarantees of {}",
        first_names(names, max_named)));
  }
  return outcome;
}

}  // namespace

Mechanism hdrfh_row() {
  return {
      .name = "hdrfh",
      .aliases = {},
      .scope = Scope::servers,
      .title = "Hierarchical Dominant Resource Fairness over heterogeneous servers",
      .summary =
          "The same down a tree of groups as hdrf, of the whole cluster under every server's own capacity.",
      .yardstick = "1 / max_r (d_{n,r} / C_r)",
      .alpha = "∞",
      .source = "Bhattacharya et al., 2013, over servers as Wang, Li and Liang, 2013",
      .accepts = hdrfh_accepted(),
      .options = {},
      .claims = kHdrfhClaims,
      .objective = kTreeObjective,
      .allocate = allocate_hdrfh};
}

}  // namespace mirab
