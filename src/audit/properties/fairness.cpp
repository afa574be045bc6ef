// Properties of fairness of one division: sharing incentive, envy-freeness (of all users, within groups), and
// max-min fairness in the one resource that counts (bottleneck, single resource).
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include <mirab/audit/properties.hpp>
#include <mirab/audit/teams.hpp>
#include <mirab/model/classes.hpp>

#include "audit/cluster_view.hpp"
#include "audit/findings.hpp"
#include "fairness/share.hpp"
#include "model/exact.hpp"
#include "numerics/lexmaxmin/levels.hpp"

namespace mirab {

// The sharing incentive: X_n ≥ (φ_n/Φ) Σ_i γ_{n,i}. No user would rather have its equal part of every server,
// or of the pool, for itself.
//
// Source: Ghodsi et al. 2011, section 3; for servers with placement constraints Ravi Kiran and Srinuvas, on
// the properties of αPF-VDS: the part of a server that a user may not use is lost to it. Example: asset
// fairness on (30, 30) gives 12 tasks to the user of (1, 1) next to one of (1, 3); half of the pool holds 15.

Verdict check_sharing_incentive(const Division& division, EqualPart part, const Tolerances& tolerances) {
  const bool pool = part == EqualPart::of_the_pool;
  const ClusterView ground(division.problem, pool ? Scope::pool : Scope::servers);
  const double threshold = slack(division.outcome, tolerances);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double share = ground.weight(n) / ground.total_weight();
    const double alone = std::min(ground.cap(n), share * ground.alone_everywhere(n));
    const double tasks = division.outcome.allocation.tasks[n];
    const double size = shortfall(tasks, alone);
    if (size <= threshold || (worst && size <= worst->size)) continue;
    const auto [could, gives] = distinct_words(alone, tasks);
    worst = Witness{
        .words = fmt::format("{} could run {} tasks on {} {}, {} gives it {}", ground.user_name(n), could,
                             part_words(share),
                             pool || division.problem.server_count() == 1 ? "the cluster" : "every server",
                             division.outcome.mechanism, gives),
        .problem = {},
        .user = ground.user_name(n),
        .numbers = {{"tasks", tasks}, {"alone", alone}},
        .size = size};
  }
  if (!worst) return {.property = Property::sharing_incentive};
  worst->problem = division.problem.cluster();
  return violated(Property::sharing_incentive, *std::move(worst));
}

// Envy-freeness: V_n((φ_n/φ_k) a_k) ≤ X_n for all k. No user could run more tasks with what another one
// holds, scaled to its own weight.
//
// Source: Ghodsi et al. 2011, section 3. Of users with equal demand and servers only the one with the fewest
// tasks per weight is asked whom it envies: it envies whenever another of them does; a user whose cap
// satisfies it envies no user, so caps keep classes apart.

namespace {

// The user with the fewest tasks per weight of every class.
std::vector<std::size_t> lowest_of_classes(const ClusterView& ground, const std::vector<double>& tasks) {
  std::vector<std::size_t> users;
  const auto per_weight = [&](std::size_t n) { return tasks[n] / ground.weight(n); };
  for (const UserClass& alike : merge(ground.problem(), MergeUsers::equal, MergeServers::equal).users) {
    users.push_back(
        *std::min_element(alike.members.begin(), alike.members.end(),
                          [&](std::size_t a, std::size_t b) { return per_weight(a) < per_weight(b); }));
  }
  return users;
}

// V_n((φ_n/φ_k) a_k) for every k.
std::vector<double> tasks_with_bundles(const ClusterView& ground, const Allocation& allocation,
                                       std::size_t n) {
  std::vector<double> tasks(ground.users(), 0.0);
  for (const Grant& grant : allocation.grants) {
    const double scale = ground.weight(n) / ground.weight(grant.user);
    tasks[grant.user] += scale * ground.tasks_with(n, grant.server, grant.resources);
  }
  return tasks;
}

// `; both are task shapes of shop`: no other user is in it.
std::string shapes_words(const Problem& problem, std::size_t n, std::size_t k) {
  const User &one = problem.users()[n], &other = problem.users()[k];
  return one.shape && other.shape && one.group == other.group
             ? fmt::format("; both are task shapes of {}: it is no envy between users", *one.group)
             : "";
}

// The user of these who gains most by the bundle of another that it may be compared with.
Verdict verdict_on_envy(Property property, const Division& division, const ClusterView& ground,
                        const std::vector<std::size_t>& users, const Tolerances& tolerances,
                        const auto& may_compare) {
  const Allocation& allocation = division.outcome.allocation;
  const double threshold = slack(division.outcome, tolerances);
  std::optional<Witness> worst;
  for (const std::size_t n : users) {
    const std::vector<double> with = tasks_with_bundles(ground, allocation, n);
    for (std::size_t k = 0; k < with.size(); ++k) {
      if (k == n || !may_compare(n, k)) continue;
      const double could = std::min(ground.cap(n), with[k]);
      const double size = shortfall(allocation.tasks[n], could);
      if (size <= threshold || (worst && size <= worst->size) || is_rounding(division, n, could)) continue;
      const auto [more, has] = distinct_words(could, allocation.tasks[n]);
      const bool same_weight = ground.weight(n) == ground.weight(k);
      worst = Witness{
          .words = fmt::format("{} could run {} tasks with what {} gives {}{}, its own bundle runs {}",
                               ground.user_name(n), more, division.outcome.mechanism, ground.user_name(k),
                               same_weight ? "" : " (per weight)", has) +
                   shapes_words(division.problem, n, k),
          .problem = {},
          .user = ground.user_name(n),
          .other = ground.user_name(k),
          .numbers = {{"tasks", allocation.tasks[n]}, {"with_other", could}},
          .size = size};
    }
  }
  if (!worst) return {.property = property};
  worst->problem = division.problem.cluster();
  return violated(property, *std::move(worst));
}

}  // namespace

Verdict check_envy_freeness(const Division& division, const Tolerances& tolerances) {
  const ClusterView ground(division.problem, division.scope);
  return verdict_on_envy(Property::envy_freeness, division, ground,
                         lowest_of_classes(ground, division.outcome.allocation.tasks), tolerances,
                         [](std::size_t, std::size_t) { return true; });
}

// No envy within groups: the same among users of one group who may use the same servers, have a weight, one
// kind of task, and neither a guarantee nor a limit of their own.
//
// Source: docs/explanation/teams.md, "What holds", 4. Example: in a group that is guaranteed 6 of 10 CPUs,
// users of 1 CPU a task have 2 and 4 tasks.

Verdict check_group_envy_freeness(const Division& division, const Tolerances& tolerances) {
  const Problem& problem = division.problem;
  const Tree& tree = problem.tree();
  if (parents_of_teams(problem).size() == 1)
    return vacuous(Property::group_envy_freeness, "there are no groups");
  const ClusterView ground(problem, division.scope);
  std::vector<std::size_t> plain;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const User& user = problem.users()[n];
    if (user.quota == Quota{} && ground.weight(n) > 0 && !user.shape) plain.push_back(n);
  }
  const auto may_compare = [&](std::size_t n, std::size_t k) {
    return tree.parent(tree.node_of_user(n)) == tree.parent(tree.node_of_user(k)) &&
           std::binary_search(plain.begin(), plain.end(), k) &&
           (division.scope == Scope::pool || problem.eligibility_class(n) == problem.eligibility_class(k));
  };
  return verdict_on_envy(Property::group_envy_freeness, division, ground, plain, tolerances, may_compare);
}

// Max-min fairness in one resource over servers, decided by chains of exchanges
// (numerics/lexmaxmin/levels.hpp): none may lead from a user below its cap to a free place, or to a user with
// more per weight. Between teams it is the team that must not have more, of the members of each parent: what
// a user gains is its team's, and outsiders only move over. O(N (N + grants + N K)), between teams times the
// depth of the tree.

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

struct HeldAmounts {
  std::vector<double> amount;  // of ρ, by user
  std::vector<double> free;    // of ρ, by server
  numerics::Holdings holdings;
};

// What is less than `threshold` of a server is what a solver left there, and no user's.
HeldAmounts held(const Division& division, const ClusterView& ground, std::size_t resource,
                 double threshold) {
  HeldAmounts held{.amount = std::vector<double>(ground.users(), 0.0), .free = {}, .holdings = {}};
  numerics::Holdings& holdings = held.holdings;
  holdings.holders.resize(ground.places());
  for (std::size_t i = 0; i < ground.places(); ++i) held.free.push_back(ground.capacity(i)[resource]);
  for (const Grant& grant : division.outcome.allocation.grants) {
    const double tasks = ground.tasks_with(grant.user, grant.server, grant.resources);
    const double amount = tasks * ground.demand(grant.user, grant.server)[resource];
    held.amount[grant.user] += amount;
    held.free[grant.server] -= amount;
    if (amount > threshold * ground.capacity(grant.server)[resource])
      holdings.holders[grant.server].push_back(grant.user);
  }
  for (std::size_t i = 0; i < ground.places(); ++i)
    holdings.has_room.push_back(held.free[i] > threshold * ground.capacity(i)[resource]);
  holdings.may_use = [&ground](std::size_t n, std::size_t i) { return ground.eligible(n, i); };
  return held;
}

// Who is compared: users by their weights, or the members of one parent of the tree.
struct Compared {
  std::vector<double>
      level;  // of ρ per weight, by user: its own, or that of the member it is below; kNone: none
  std::vector<std::string> team = {};  // by user: the member, where that is not the user
};

Compared all_users(const ClusterView& ground, const std::vector<double>& amount) {
  Compared users;
  for (std::size_t n = 0; n < ground.users(); ++n) users.level.push_back(amount[n] / ground.weight(n));
  return users;
}

// A member without a weight comes after all others: its level is above that of any other.
Compared members_of(const Problem& problem, std::size_t parent, const std::vector<double>& amount) {
  const Tree& tree = problem.tree();
  std::vector<std::size_t> member(amount.size(), parent);
  std::vector<double> held(tree.size());
  for (std::size_t n = 0; n < amount.size(); ++n) {
    std::size_t v = tree.node_of_user(n);
    while (tree.parent(v) > parent) v = tree.parent(v);
    if (tree.parent(v) != parent) continue;
    member[n] = v;
    held[v] += amount[n];
  }
  Compared teams{.level = std::vector<double>(amount.size(), kNone),
                 .team = std::vector<std::string>(amount.size())};
  for (std::size_t n = 0; n < amount.size(); ++n) {
    const std::size_t v = member[n];
    if (v == parent) continue;
    teams.level[n] = tree.weight(v) > 0 ? held[v] / tree.weight(v) : std::numeric_limits<double>::max();
    if (!tree.is_user(v)) teams.team[n] = node_name(problem, v);
  }
  return teams;
}

// The user that could have most more of ρ, among those who may gain and are compared.
std::optional<Witness> short_in(const Division& division, const ClusterView& ground, std::size_t resource,
                                const HeldAmounts& has, const Compared& compared,
                                const std::vector<bool>& may_gain, double threshold) {
  const std::string& name = division.problem.resources()[resource];
  numerics::Holdings holdings = has.holdings;
  holdings.level = compared.level;
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double level = compared.level[n];
    if (!may_gain[n] || level == kNone) continue;
    const numerics::Source source = numerics::highest_source(holdings, n);
    const bool idle = source.level == std::numeric_limits<double>::infinity();
    const double size = idle ? 1 : shortfall(level, source.level);
    if (size <= threshold || (worst && size <= worst->size)) continue;
    const double other = idle ? has.free[source.server] : has.amount[source.row];
    const auto [little, much] = distinct_words(has.amount[n], other);
    const std::string team = idle || compared.team.empty() ? "" : compared.team[source.row];
    worst = Witness{
        .words =
            idle ? fmt::format("{} holds {} {} under {}, while {} of {} is free", ground.user_name(n), little,
                               name, division.outcome.mechanism, much, ground.place_name(source.server))
                 : fmt::format("{} holds {} {} under {} and could have some of the {} of {}, {} has more "
                               "for its weight",
                               ground.user_name(n), little, name, division.outcome.mechanism, much,
                               ground.user_name(source.row), team.empty() ? "who" : "whose team " + team),
        .problem = {},
        .user = ground.user_name(n),
        .other = idle ? "" : ground.user_name(source.row),
        .numbers = {{"holds", has.amount[n]}, {idle ? "free" : "other_holds", other}},
        .size = size};
  }
  return worst;
}

/// Holds an allocation against lexicographic max-min of X_n d_{n,ρ} / φ_n for one resource ρ, which must be
/// the one that stops all users: the verdict of `property`, with a witness when a user could have more ρ
/// from what is free, or from a user (of a team) with more per weight, directly or through others who move
/// over.
Verdict max_min_in(Property property, const Division& division, const ClusterView& ground,
                   std::size_t resource, const Tolerances& tolerances, Between between) {
  const Problem& problem = division.problem;
  const double threshold = slack(division.outcome, tolerances);
  const HeldAmounts has = held(division, ground, resource, threshold);
  std::vector<bool> may_gain(ground.users());
  for (std::size_t n = 0; n < ground.users(); ++n)
    may_gain[n] = division.outcome.allocation.tasks[n] < ground.cap(n) * (1 - threshold);
  std::optional<Witness> worst;
  if (between == Between::users) {
    worst = short_in(division, ground, resource, has, all_users(ground, has.amount), may_gain, threshold);
  } else {
    const Tree& tree = problem.tree();
    for (std::size_t v = 1; v < tree.size(); ++v) {
      if (has_some(tree.guarantee(v)) || has_some(tree.reserve(v)))
        return vacuous(property, "with guarantees and reserves teams are not owed equal amounts");
    }
    const Stops stops(problem, division.outcome);
    for (std::size_t n = 0; n < ground.users(); ++n) may_gain[n] = may_gain[n] && !is_at_limit(stops.of(n));
    for (const std::size_t parent : parents_of_teams(problem)) {
      std::optional<Witness> found = short_in(division, ground, resource, has,
                                              members_of(problem, parent, has.amount), may_gain, threshold);
      if (found && (!worst || found->size > worst->size)) worst = std::move(found);
    }
  }
  if (!worst) return {.property = property};
  worst->problem = problem.cluster();
  return violated(property, *std::move(worst));
}

}  // namespace

// Bottleneck fairness: if a resource ρ is demanded most by every user wherever it may run, d_{n,ρ}/c_{i,ρ} ≥
// d_{n,r}/c_{i,r} for all r, the allocation is max-min in ρ.
//
// Source: Ravi Kiran and Srinuvas, definition 2; on one pool the slides' bottleneck fairness. Without such a
// resource nothing is asked. Example: on (21, 21) users of (3, 2) and (4, 1) both need the first most and
// should have 10.5 of it each.

namespace {

// Compared exactly: 0.3 of 3 is as much as 0.1 of 1.
std::vector<std::size_t> bottlenecks(const Division& division, const ClusterView& ground) {
  const Problem& problem = division.problem;
  const bool pooled = division.scope == Scope::pool;
  std::vector<std::size_t> left(ground.resources());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (std::size_t i = 0; i < ground.places(); ++i) {
    const ExactVector capacity = pooled ? exact_pool(problem) : exact(problem.servers()[i].capacity);
    for (std::size_t n = 0; n < ground.users(); ++n) {
      if (!ground.eligible(n, i)) continue;
      const ExactVector demand = exact(pooled ? problem.users()[n].demand : problem.demand(n, i));
      std::erase_if(left, [&](std::size_t r) { return !fairness::is_dominant(r, demand, capacity); });
      if (left.empty()) return left;
    }
  }
  return left;
}

}  // namespace

Verdict check_bottleneck_fairness(const Division& division, const Tolerances& tolerances, Between between) {
  const ClusterView ground(division.problem, division.scope);
  const std::vector<std::size_t> found = bottlenecks(division, ground);
  if (found.empty()) {
    return vacuous(Property::bottleneck_fairness,
                   "no resource is dominant for every user on all its servers");
  }
  return max_min_in(Property::bottleneck_fairness, division, ground, found.front(), tolerances, between);
}

// Single-resource fairness: with one resource, the allocation is max-min fair in it. Asked only where no user
// demands any other. Source: Ghodsi et al. 2011, section 3.

Verdict check_single_resource_fairness(const Division& division, const Tolerances& tolerances,
                                       Between between) {
  const ClusterView ground(division.problem, division.scope);
  std::set<std::size_t> demanded;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    for (std::size_t i = 0; i < ground.places(); ++i) {
      for (std::size_t r = 0; r < ground.resources(); ++r) {
        if (ground.eligible(n, i) && ground.demand(n, i)[r] > 0) demanded.insert(r);
      }
    }
  }
  if (demanded.size() != 1)
    return vacuous(Property::single_resource_fairness, "several resources are demanded");
  return max_min_in(Property::single_resource_fairness, division, ground, *demanded.begin(), tolerances,
                    between);
}

}  // namespace mirab
