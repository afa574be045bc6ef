// Group strategy-proofness: no group can have one of its users run more true tasks, and none fewer, by
// another form or by a lie about a member.
//
// Tried: a group without quotas of its own in two of half the weight, one member apart; joined with a group
// beside it, with the weight of both, where the users of both are the ones that may not lose; dissolved, its
// members then being members of its parent with the same parts; and the misreports of every member of a
// group, alone. Example: 1 CPU and 1 GPU; groups A with a (CPU) and B with b (GPU), and a user c (GPU), who
// has a half of the GPUs, as b. When A and B join, a and b are level with c at twice its GPUs: b has 2/3.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include <mirab/audit/properties.hpp>
#include <mirab/model/random.hpp>

#include "audit/cluster_view.hpp"
#include "audit/counterexamples.hpp"
#include "audit/findings.hpp"
#include "audit/properties/strategy_proofness.hpp"

namespace mirab {

namespace {

struct TeamMove {
  enum class Kind : std::uint8_t { splits, joins, dissolves, lies };
  Kind kind;
  std::string group;
  std::string other = {};  // the member that goes apart, or the group that joins
  Misreport lie = {};
};

struct TeamReport {
  Cluster cluster;                        // users in the same order
  std::string words = {};                 // `by joining B`
  std::vector<std::size_t> liars = {};    // whose tasks are not the true ones; none but in a lie
  std::vector<std::size_t> gainers = {};  // the users of the team
};

std::optional<std::size_t> group_of_name(const Cluster& cluster, const std::string& name) {
  const auto found = std::find_if(cluster.groups.begin(), cluster.groups.end(),
                                  [&](const Group& group) { return group.name == name; });
  if (found == cluster.groups.end()) return {};
  return static_cast<std::size_t>(found - cluster.groups.begin());
}

bool may_change_form(const Group& group) {
  return !group.is_user && group.quota == Quota{} && !group.weight.is_zero();
}

std::optional<TeamReport> split(const Problem& problem, std::size_t group, const std::string& member) {
  TeamReport report{.cluster = problem.cluster()};
  std::vector<Group>& groups = report.cluster.groups;
  const std::optional<Quantity> half = times(groups[group].weight, 0.5);
  if (!half) return {};
  groups[group].weight = *half;
  Group apart = groups[group];
  apart.name += "'";
  for (User& user : report.cluster.users) {
    if (user.name == member) user.group = apart.name;
  }
  for (Group& below : groups) {
    if (below.name == member) below.parent = apart.name;
  }
  report.words = fmt::format("when {} appears as two groups of half the weight, with {} in one of its own",
                             groups[group].name, member);
  groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(group) + 1, std::move(apart));
  report.gainers = users_below(problem.tree(), problem.tree().node_of_group(group));
  return report;
}

std::optional<TeamReport> join(const Problem& problem, std::size_t group, std::size_t sibling) {
  TeamReport report{.cluster = problem.cluster()};
  Group& whole = report.cluster.groups[group];
  const Group joining = report.cluster.groups[sibling];
  const std::optional<Quantity> weight = times(Quantity(1), whole.weight.value() + joining.weight.value());
  if (!weight) return {};
  whole.weight = *weight;
  for (User& user : report.cluster.users) {
    if (user.group == joining.name) user.group = whole.name;
  }
  for (Group& below : report.cluster.groups) {
    if (below.parent == joining.name) below.parent = whole.name;
  }
  report.words = fmt::format("when {} and {} are one group", whole.name, joining.name);
  report.cluster.groups.erase(report.cluster.groups.begin() + static_cast<std::ptrdiff_t>(sibling));
  const Tree& tree = problem.tree();
  report.gainers = users_below(tree, tree.node_of_group(group));
  const std::vector<std::size_t> joined = users_below(tree, tree.node_of_group(sibling));
  report.gainers.insert(report.gainers.end(), joined.begin(), joined.end());
  return report;
}

std::optional<TeamReport> dissolve(const Problem& problem, std::size_t group) {
  TeamReport report{.cluster = problem.cluster()};
  const Tree& tree = problem.tree();
  const std::size_t node = tree.node_of_group(group);
  double weights = 0;
  for (const std::size_t c : tree.members(node)) weights += tree.weight(c);
  if (!(weights > 0)) return {};
  for (const std::size_t c : tree.members(node)) {
    Quantity& weight = tree.is_user(c) ? report.cluster.users[tree.user_at(c)].weight
                                       : report.cluster.groups[tree.group_at(c)].weight;
    const std::optional<Quantity> part = times(weight, tree.weight(node) / weights);
    if (!part) return {};
    weight = *part;
  }
  report.words =
      fmt::format("when the members of {} are members of its parent", problem.groups()[group].name);
  report.gainers = users_below(tree, node);
  dissolve_group(report.cluster, group);
  return report;
}

// The cluster after the move; nothing when it cannot be made there.
std::optional<TeamReport> reported_by(const Problem& problem, const TeamMove& move) {
  const std::optional<std::size_t> group = group_of_name(problem.cluster(), move.group);
  if (!group) return {};
  const Tree& tree = problem.tree();
  if (move.kind == TeamMove::Kind::lies) {
    std::optional<ReportedCluster> reported = report(problem, move.lie);
    if (!reported) return {};
    return TeamReport{.cluster = std::move(reported->cluster),
                      .words = fmt::format("when {} lies, {}", move.lie.user, reported->words),
                      .liars = std::move(reported->liars),
                      .gainers = users_below(tree, tree.node_of_group(*group))};
  }
  if (!may_change_form(problem.groups()[*group])) return {};
  if (move.kind == TeamMove::Kind::dissolves) return dissolve(problem, *group);
  if (move.kind == TeamMove::Kind::joins) {
    const std::optional<std::size_t> other = group_of_name(problem.cluster(), move.other);
    const bool joinable = other && *other > *group && may_change_form(problem.groups()[*other]) &&
                          problem.groups()[*other].parent == problem.groups()[*group].parent;
    return joinable ? join(problem, *group, *other) : std::nullopt;
  }
  const std::span<const std::size_t> members = tree.members(tree.node_of_group(*group));
  const bool is_member = std::any_of(members.begin(), members.end(),
                                     [&](std::size_t v) { return node_name(problem, v) == move.other; });
  return is_member && members.size() > 1 ? split(problem, *group, move.other) : std::nullopt;
}

std::vector<TeamMove> team_moves(const Problem& problem, Scope scope, std::uint64_t seed) {
  const Tree& tree = problem.tree();
  std::vector<TeamMove> moves;
  for (std::size_t g = 0; g < tree.group_count(); ++g) {
    const Group& group = problem.groups()[g];
    if (!may_change_form(group)) continue;
    for (std::size_t h = g + 1; h < tree.group_count(); ++h) {
      const Group& other = problem.groups()[h];
      if (other.parent == group.parent && may_change_form(other))
        moves.push_back({.kind = TeamMove::Kind::joins, .group = group.name, .other = other.name});
    }
    moves.push_back({.kind = TeamMove::Kind::dissolves, .group = group.name});
    const std::span<const std::size_t> members = tree.members(tree.node_of_group(g));
    for (std::size_t c = members.size() == 2 ? 1 : 0; c < members.size() && members.size() > 1; ++c)
      moves.push_back(
          {.kind = TeamMove::Kind::splits, .group = group.name, .other = node_name(problem, members[c])});
  }
  const auto forms = static_cast<std::ptrdiff_t>(moves.size());
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const std::optional<std::string>& group = problem.users()[n].group;
    if (!group || tree.members(tree.parent(tree.node_of_user(n))).size() < 2) continue;
    for (Misreport& lie : misreports_of(problem, scope, n))
      moves.push_back({.kind = TeamMove::Kind::lies, .group = *group, .lie = std::move(lie)});
  }
  Random random(seed);
  const auto shuffle_from = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t k = last; k - first > 1; --k)
      std::swap(moves[static_cast<std::size_t>(k - 1)],
                moves[static_cast<std::size_t>(first) + random.below(static_cast<std::uint64_t>(k - first))]);
  };
  shuffle_from(0, forms);
  shuffle_from(forms, static_cast<std::ptrdiff_t>(moves.size()));
  return moves;
}

// What the move brings the user who gains most, if that counts and no user of the team loses.
Trial try_team_move(const Division& division, const Rule& rule, const TeamMove& move, const Search& search) {
  const Tolerances& tolerances = search.tolerances;
  std::optional<TeamReport> report = reported_by(division.problem, move);
  if (!report) return {};
  const Result<Problem> problem = Problem::from(report->cluster);
  if (!problem || !meets(search.conditions, *problem)) return {};
  const std::optional<Outcome> outcome = comparable(rule, *problem);
  if (!outcome) return {};
  const ClusterView ground(division.problem, division.scope);
  const double open = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  std::optional<Witness> most;
  for (const std::size_t n : report->gainers) {
    const bool lies = !report->liars.empty() && report->liars[0] == n;
    const double before = division.outcome.allocation.tasks[n];
    const double after =
        lies ? true_tasks(ground, n, report->liars, outcome->allocation) : outcome->allocation.tasks[n];
    if (shortfall(after, before) > open && !is_rounding(division, n, before)) return {.compared = 1};
    const double size = shortfall(before, after);
    if (!(size > std::max(tolerances.least_gain, open)) || (most && size <= most->size)) continue;
    if (is_rounding(division, n, after)) continue;
    const auto [has, could] = distinct_words(before, after);
    const std::string& user = division.problem.users()[n].name;
    most =
        Witness{.words = fmt::format("{} has {} tasks under {}, and {} {}, without a loss to the others of "
                                     "the group",
                                     user, has, division.outcome.mechanism, could, report->words),
                .problem = {},
                .user = user,
                .other = move.group,
                .numbers = {{"tasks", before}, {"tasks_after", after}},
                .size = size};
  }
  if (!most) return {.compared = 1};
  most->problem = division.problem.cluster();
  most->changed = std::move(report->cluster);
  return {.compared = 1, .violation = std::move(most)};
}

}  // namespace

Verdict check_group_strategy_proofness(const Division& division, const Rule& rule, const Search& search) {
  constexpr Property property = Property::group_strategy_proofness;
  if (division.problem.tree().group_count() == 0) return vacuous(property, "there are no groups");
  if (division.outcome.status == Status::not_converged) return incomparable(property);
  const std::vector<TeamMove> moves = team_moves(division.problem, division.scope, search.seed);
  SearchResult sought = run_search(
      moves.size(), search, [&](std::size_t k) { return try_team_move(division, rule, moves[k], search); });
  if (sought.worst) {
    sought.worst->again = [rule, move = moves[sought.attempt],
                           how = Search{.tolerances = search.tolerances, .conditions = search.conditions}](
                              const Problem& problem) -> std::optional<Witness> {
      const std::optional<Outcome> outcome = comparable(rule, problem);
      if (!outcome) return {};
      return try_team_move({problem, *outcome, rule.scope}, rule, move, how).violation;
    };
  }
  return verdict_on(property, std::move(sought));
}

}  // namespace mirab
