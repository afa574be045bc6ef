// Fairness between teams: the sharing incentive and envy-freeness of whole members of a tree. A team is a
// node of the tree: a group with all that is below it, a user with its task shapes, or a user alone. Members
// of one parent are compared, by their weights there. A team prefers an amount of resources when all tasks
// that it runs fit into it, and one of its users could run more besides.
//
// Source: Ghodsi et al. 2011, section 3, of users; of a user alone both are the same. Of several users only
// what none of them would lose by counts, since a team has no number to compare tasks of different users by.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>

#include <mirab/audit/properties.hpp>
#include <mirab/audit/teams.hpp>

#include "audit/cluster_view.hpp"
#include "audit/findings.hpp"
#include "audit/properties/efficiency.hpp"
#include "fairness/share.hpp"
#include "model/eligibility.hpp"

namespace mirab {
namespace {

/// Amounts at each place, [i][r].
using Places = std::vector<std::vector<double>>;

class Teams {
 public:
  explicit Teams(const Division& division)
      : division_(division),
        ground_(division.problem, division.scope),
        held_(tree().size(), std::vector<double>(ground_.resources(), 0.0)),
        may_gain_(ground_.users()) {
    const Stops stops(division.problem, division.outcome);
    for (std::size_t n = 0; n < ground_.users(); ++n) {
      const Stop stop = stops.of(n);
      may_gain_[n] = !stop.is_missing && stop.kind != StopKind::tasks && !is_at_limit(stop);
    }
    for (const Grant& grant : division.outcome.allocation.grants) {
      for (std::size_t v = tree().node_of_user(grant.user); v != 0; v = tree().parent(v)) {
        for (std::size_t r = 0; r < ground_.resources(); ++r) held_[v][r] += grant.resources[r];
      }
    }
  }

  const Tree& tree() const { return division_.problem.tree(); }
  const ClusterView& ground() const { return ground_; }
  std::string name(std::size_t team) const { return node_name(division_.problem, team); }
  /// What the team holds of each resource.
  const std::vector<double>& held(std::size_t team) const { return held_[team]; }

  /// What the team holds at each place, multiplied.
  Places bundle(std::size_t team, double times) const {
    Places amounts(ground_.places(), std::vector<double>(ground_.resources(), 0.0));
    for (const Grant& grant : division_.outcome.allocation.grants) {
      if (!is_below(tree().node_of_user(grant.user), team)) continue;
      for (std::size_t r = 0; r < ground_.resources(); ++r)
        amounts[grant.server][r] += grant.resources[r] * times;
    }
    return amounts;
  }

  /// Is there a user below it that may run, and whom neither its number of tasks nor a limit holds back?
  bool any_may_gain(std::size_t team) const {
    for (std::size_t n = 0; n < ground_.users(); ++n) {
      if (may_gain_[n] && is_below(tree().node_of_user(n), team)) return true;
    }
    return false;
  }

  /// The user of the team that gains most with these amounts while the others of it keep their tasks; none
  /// where the team does not prefer them. Error: that cannot be decided.
  Result<std::optional<Gain>> gain_with(std::size_t team, const Places& amounts, double threshold) const {
    std::vector<std::size_t> users;
    Cluster cluster{.resources = division_.problem.resources(), .servers = places_with(amounts), .users = {}};
    std::vector<double> tasks;
    bool any = false;  // can one of them run there?
    for (std::size_t n = 0; n < ground_.users(); ++n) {
      if (!is_below(tree().node_of_user(n), team)) continue;
      users.push_back(n);
      tasks.push_back(division_.outcome.allocation.tasks[n]);
      cluster.users.push_back(alone(n));
      for (std::size_t i = 0; i < amounts.size() && !any; ++i) any = ground_.tasks_with(n, i, amounts[i]) > 0;
    }
    if (!any) return std::optional<Gain>{};
    const Result<Problem> problem = Problem::from(std::move(cluster));
    if (!problem) return problem.error();
    Result<std::optional<Gain>> gain = largest_gain(*problem, tasks, threshold);
    if (gain && *gain) {
      for (std::size_t& user : (*gain)->users) user = users[user];
    }
    return gain;
  }

 private:
  bool is_below(std::size_t node, std::size_t team) const {
    while (node > team) node = tree().parent(node);  // a parent comes before its members
    return node == team;
  }

  // At most what can be counted, which is more than any user could take.
  static Quantity quantity_of(double amount) {
    const Result<Quantity> quantity = Quantity::from(std::max(0.0, amount));
    return quantity ? *quantity : Quantity(std::numeric_limits<std::int64_t>::max());
  }

  std::vector<Server> places_with(const Places& amounts) const {
    std::vector<Server> servers;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      Server server = division_.scope == Scope::pool ? Server{.name = "pool", .capacity = {}}
                                                     : division_.problem.servers()[i];
      server.count = 1;
      server.capacity.clear();
      for (const double amount : amounts[i]) server.capacity.push_back(quantity_of(amount));
      servers.push_back(std::move(server));
    }
    return servers;
  }

  // The user without its team, with no more tasks than it runs where it may not gain.
  User alone(std::size_t n) const {
    User user = division_.problem.users()[n];
    user.weight = Quantity(1);
    user.group.reset();
    user.shape.reset();
    user.quota = {};
    user.may_fit_nowhere = true;
    if (!may_gain_[n]) user.tasks = quantity_of(division_.outcome.allocation.tasks[n]);
    if (division_.scope == Scope::pool) {
      let_run_everywhere(user);
    }
    return user;
  }

  const Division& division_;
  ClusterView ground_;
  std::vector<std::vector<double>> held_;  // [node][m]
  std::vector<bool> may_gain_;             // [n]
};

// `12.5 tasks`, or of a team of several users `12.5 tasks of web, and all others that it runs,`.
std::pair<std::string, std::string> gain_words(const Teams& teams, std::size_t team, const Gain& gain) {
  auto [could, has] = distinct_words(gain.could, gain.has);
  if (teams.tree().is_user(team)) return {could + " tasks", has};
  return {fmt::format("{} tasks of {}, and all others that it runs,", could,
                      names_of(teams.ground(), gain.users)),
          has};
}

Witness witness_of(const Teams& teams, std::size_t team, const Gain& gain, std::string words) {
  return {.words = std::move(words),
          .problem = {},
          .user = teams.name(team),
          .numbers = {{"tasks", gain.has}, {"possible", gain.could}},
          .size = shortfall(gain.has, gain.could)};
}

// The worst of what was found; else undecided where something was not decided.
Verdict verdict_on_teams(Property property, const Division& division, std::optional<Witness> worst,
                         const std::optional<Error>& open) {
  if (worst) {
    worst->problem = division.problem.cluster();
    return violated(property, *std::move(worst));
  }
  if (open) return undecided(property, open->message);
  return {.property = property};
}

}  // namespace

// The sharing incentive: no team prefers Π φ_w/W_w of every server, w from the top to its node.
//
// Example: of 10 GPUs team A runs 2 tasks and has more to run, B, of the same weight, runs 8: A's half
// holds 5.

Verdict check_sharing_incentive_of_teams(const Division& division, const Tolerances& tolerances) {
  constexpr Property property = Property::sharing_incentive;
  const Problem& problem = division.problem;
  const Tree& tree = problem.tree();
  for (std::size_t v = 1; v < tree.size(); ++v) {
    if (has_some(tree.guarantee(v)) || has_some(tree.reserve(v)))
      return vacuous(property, "with guarantees and reserves no team is owed its part of every server");
  }
  const double threshold = slack(division.outcome, tolerances);
  const Teams teams(division);
  const std::vector<double> part = parts_of_the_tree(tree);
  std::optional<Witness> worst;
  std::optional<Error> open;
  for (const std::size_t parent : parents_of_teams(problem)) {
    for (const std::size_t team : tree.members(parent)) {
      if (!(part[team] > 0) || !teams.any_may_gain(team)) continue;
      Places own;
      for (std::size_t i = 0; i < teams.ground().places(); ++i) {
        own.push_back(teams.ground().capacity(i));
        for (double& amount : own.back()) amount *= part[team];
      }
      const Result<std::optional<Gain>> gain = teams.gain_with(team, own, threshold);
      if (!gain) open = gain.error();
      if (!gain || !*gain) continue;
      const auto [could, has] = gain_words(teams, team, **gain);
      const bool one = division.scope == Scope::pool || problem.server_count() == 1;
      Witness found =
          witness_of(teams, team, **gain,
                     fmt::format("{} could run {} on {} {}, {} gives it {}", teams.name(team), could,
                                 part_words(part[team]), one ? "the cluster" : "every server",
                                 division.outcome.mechanism, has));
      if (found.size > threshold && (!worst || found.size > worst->size)) worst = std::move(found);
    }
  }
  return verdict_on_teams(property, division, std::move(worst), open);
}

// Envy-freeness: no team prefers what another member of its parent holds, scaled to its own weight. What is
// held by a guarantee or a reserve is owed, and not envied.
//
// Example: of 10 GPUs and 100 CPUs train holds 8 and 18, serve 2 and 7, and serve has more of both to run.

Verdict check_envy_freeness_of_teams(const Division& division, const Tolerances& tolerances) {
  constexpr Property property = Property::envy_freeness;
  const Problem& problem = division.problem;
  const Tree& tree = problem.tree();
  const double threshold = slack(division.outcome, tolerances);
  const Teams teams(division);
  const auto holds_enough = [&](std::size_t team, std::size_t other, double scale) {
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      if (teams.held(team)[r] > teams.held(other)[r] * scale * (1 + threshold)) return false;
    }
    return true;
  };
  std::optional<Witness> worst;
  std::optional<Error> open;
  for (const std::size_t parent : parents_of_teams(problem)) {
    for (const std::size_t team : tree.members(parent)) {
      if (!(tree.weight(team) > 0) || !teams.any_may_gain(team)) continue;
      for (const std::size_t other : tree.members(parent)) {
        if (other == team || !(tree.weight(other) > 0)) continue;
        if (has_some(tree.guarantee(other)) || has_some(tree.reserve(other))) continue;
        const double scale = tree.weight(team) / tree.weight(other);
        if (!holds_enough(team, other, scale)) continue;
        const Result<std::optional<Gain>> gain = teams.gain_with(team, teams.bundle(other, scale), threshold);
        if (!gain) open = gain.error();
        if (!gain || !*gain) continue;
        const auto [could, has] = gain_words(teams, team, **gain);
        Witness found =
            witness_of(teams, team, **gain,
                       fmt::format("{} could run {} with what {} gives {}{}, its own bundle runs {}",
                                   teams.name(team), could, division.outcome.mechanism, teams.name(other),
                                   scale == 1 ? "" : " (per weight)", has));
        found.other = teams.name(other);
        if (found.size > threshold && (!worst || found.size > worst->size)) worst = std::move(found);
      }
    }
  }
  return verdict_on_teams(property, division, std::move(worst), open);
}

}  // namespace mirab
