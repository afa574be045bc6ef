// Properties of a tree of groups: parts of the parent, guarantees, a group's own part. Envy within a group is
// with envy-freeness, what a group gains by another form or a lie in group_strategy_proofness.cpp.
//
// Source: docs/explanation/teams.md, "What holds" and "What does not hold". u_v is what the users below node
// v use, C the cluster, φ_v/W_v the weight of v in parts of that of all members of its parent.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include <mirab/audit/properties.hpp>

#include "audit/cluster_view.hpp"
#include "audit/counterexamples.hpp"
#include "audit/findings.hpp"
#include "fairness/share.hpp"
#include "model/eligibility.hpp"

namespace mirab {
namespace {

constexpr const char* kNoTree = "there are no groups, guarantees and limits";
constexpr const char* kNoGroups = "there are no groups";

double amount_of(std::span<const double> amounts, std::size_t r) { return amounts.empty() ? 0 : amounts[r]; }

// Σ ĝ over the members of the root. [m]
std::vector<double> guaranteed_in_all(const Problem& problem) {
  const Tree& tree = problem.tree();
  std::vector<double> sum(problem.resource_count(), 0.0);
  for (const std::size_t v : tree.members(0)) {
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += amount_of(tree.guarantee(v), r);
  }
  return sum;
}

// What users use, up the tree.
class TreeUse {
 public:
  TreeUse(const Division& division, double threshold)
      : problem_(division.problem),
        ground_(division.problem, division.scope),
        tasks_(division.outcome.allocation.tasks),
        used_(fairness::used_below(division.problem.tree(),
                                   bundles(division.problem, division.outcome.allocation))),
        charged_(charged(division.problem.tree(), used_)),
        is_eligible_(eligible_somewhere(division.problem)),
        threshold_(threshold) {}

  const std::vector<double>& used(std::size_t v) const { return used_[v]; }

  // Of a node on the path of a user, whose child on it is charged `child`: what the members beside the path
  // reserve is not lent to it, what the path reserves is.
  std::vector<double> charged_beside(std::size_t v, std::size_t c, std::vector<double> child) const {
    for (const std::size_t other : problem_.tree().members(v)) {
      for (std::size_t r = 0; other != c && r < child.size(); ++r) child[r] += charged_[other][r];
    }
    return child;
  }

  // On some server where it may run.
  bool demands(std::size_t n, std::size_t r) const {
    for (std::size_t i = 0; i < ground_.places(); ++i) {
      if (ground_.eligible(n, i) && ground_.demand(n, i)[r] > 0) return true;
    }
    return false;
  }

  // It may run and has tasks left, and no limit on its path is reached in a resource that it demands: so it
  // is a capacity that stops it, or the mechanism for no reason.
  bool is_stopped_by_capacity(std::size_t n) const {
    if (!is_eligible_[n] || tasks_[n] >= ground_.cap(n) * (1 - threshold_)) return false;
    const Tree& tree = problem_.tree();
    for (const std::size_t v : tree.path(tree.node_of_user(n))) {
      const std::span<const double> limit = tree.limit(v);
      for (std::size_t r = 0; r < limit.size(); ++r) {
        if (used_[v][r] >= limit[r] * (1 - threshold_) && demands(n, r)) return false;
      }
    }
    return true;
  }

 private:
  const Problem& problem_;
  ClusterView ground_;
  const std::vector<double>& tasks_;
  std::vector<std::vector<double>> used_;     // [node][m]
  std::vector<std::vector<double>> charged_;  // [node][m]
  std::vector<bool> is_eligible_;             // somewhere, [n]
  double threshold_;
};

// Has a node below the members of the root a guarantee, or any node a reserve?
bool has_inner_guarantee_or_reserve(const Problem& problem) {
  const Tree& tree = problem.tree();
  for (std::size_t v = 1; v < tree.size(); ++v) {
    if (has_some(tree.reserve(v)) || (tree.parent(v) != 0 && has_some(tree.guarantee(v)))) return true;
  }
  return false;
}

}  // namespace

// The hierarchical sharing incentive: if user n is stopped by a capacity, every node v on its path has a
// dominant share max_r u_{v,r}/C_r of at least Π φ_w/W_w, w from the top to v. If members of the root have
// guarantees g: the top node t has max_r (u_{t,r} - g_{t,r})/C_r ≥ (1 - Σ g_r/C_r) φ_t/W for the r that
// stopped n; asked of the r that n demands with the lowest right-hand side.
//
// Example: of 1 CPU and 1 GPU, DRF gives 2/3 to a user of both that has weight 2, next to a group of weight 2
// with users of weight 1 for CPU and for GPU, which holds 1/3 and is owed a half.

namespace {

// A bound on the share of a node, and what the share is of.
struct Owed {
  double share;
  double least;
  const char* what;
};

Owed owed_without_guarantees(const Problem& problem, const TreeUse& use, std::size_t v, double part) {
  return {.share = fairness::dominant_share<double>(use.used(v), problem.pool()),
          .least = part,
          .what = "a dominant share"};
}

Owed owed_beyond_guarantees(const Problem& problem, const TreeUse& use, const std::vector<double>& guaranteed,
                            std::size_t n, std::size_t top, double part) {
  const Tree& tree = problem.tree();
  Owed owed{.share = 0, .least = part, .what = "a dominant share beyond its guarantee"};
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    const double capacity = problem.pool()[r];
    if (!(capacity > 0)) continue;
    owed.share = std::max(owed.share, (use.used(top)[r] - amount_of(tree.guarantee(top), r)) / capacity);
    if (use.demands(n, r)) owed.least = std::min(owed.least, part * (1 - guaranteed[r] / capacity));
  }
  return owed;
}

}  // namespace

Verdict check_hierarchical_sharing_incentive(const Division& division, const Tolerances& tolerances) {
  constexpr Property property = Property::hierarchical_sharing_incentive;
  const Problem& problem = division.problem;
  const Tree& tree = problem.tree();
  if (tree.is_flat()) return vacuous(property, kNoTree);
  if (has_inner_guarantee_or_reserve(problem))
    return vacuous(property, "nothing is owed with reserves, or guarantees below the members of the root");
  const std::vector<double> guaranteed = guaranteed_in_all(problem);
  const bool is_guaranteed = has_some(guaranteed);
  const double threshold = slack(division.outcome, tolerances);
  const TreeUse use(division, threshold);
  const std::vector<double> part = parts_of_the_tree(tree);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (!use.is_stopped_by_capacity(n)) continue;
    std::vector<std::size_t> path = tree.path(tree.node_of_user(n));
    if (is_guaranteed) path.resize(1);
    for (const std::size_t v : path) {
      const Owed owed = is_guaranteed ? owed_beyond_guarantees(problem, use, guaranteed, n, v, part[v])
                                      : owed_without_guarantees(problem, use, v, part[v]);
      const double size = shortfall(owed.share, owed.least);
      if (size <= threshold || (worst && size <= worst->size)) continue;
      const auto [has, least] = distinct_words(owed.share, owed.least);
      const std::string& user = problem.users()[n].name;
      const std::string who = tree.is_user(v) ? "it" : node_name(problem, v);
      worst = Witness{.words = fmt::format("{} has tasks left under {}, and {} has {} of {}, while its part "
                                           "of the tree is {}",
                                           user, division.outcome.mechanism, who, owed.what, has, least),
                      .problem = {},
                      .user = user,
                      .other = tree.is_user(v) ? "" : node_name(problem, v),
                      .numbers = {{"share", owed.share}, {"part", owed.least}},
                      .size = size};
    }
  }
  if (!worst) return {.property = property};
  worst->problem = problem.cluster();
  return violated(property, *std::move(worst));
}

// The guarantee: if user n is stopped by a capacity, every node v on its path has u_{v,r} ≥ ĝ_{v,r} for some
// resource r that n demands; so none of its guarantees covers n. What members beside the path reserve counts
// as held.
//
// Example: 10 CPUs and 10 GPUs; T is guaranteed (6, 10), w (CPU) 4. In T group a is guaranteed (4, 4) and has
// a1 (GPU) and a2 (CPU, weight 1/4), b (CPU) is the other member: hdrf gives a2 2 CPUs, and b and w 4.

Verdict check_guarantee(const Division& division, const Tolerances& tolerances) {
  constexpr Property property = Property::guarantee;
  const Problem& problem = division.problem;
  const Tree& tree = problem.tree();
  if (!has_some(guaranteed_in_all(problem))) return vacuous(property, "nothing is guaranteed");
  const double threshold = slack(division.outcome, tolerances);
  const TreeUse use(division, threshold);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (!use.is_stopped_by_capacity(n)) continue;
    std::size_t child = tree.node_of_user(n);
    std::vector<double> held = use.used(child);
    for (std::size_t v = child; v != 0; child = v, v = tree.parent(v)) {
      if (v != child) held = use.charged_beside(v, child, std::move(held));
      double size = 1;
      std::size_t most = 0;  // the resource of which least is missing
      for (std::size_t r = 0; r < problem.resource_count(); ++r) {
        if (!use.demands(n, r)) continue;
        const double missing = shortfall(held[r], amount_of(tree.guarantee(v), r));
        if (missing <= size) most = r;
        size = std::min(size, missing);
      }
      if (size <= threshold || (worst && size <= worst->size)) continue;
      const double holds = held[most];
      const double promised = tree.guarantee(v)[most];
      const auto [has, least] = distinct_words(holds, promised);
      const std::string& user = problem.users()[n].name;
      worst = Witness{.words = fmt::format("{} has tasks left under {}, and {} holds {} {} and is guaranteed "
                                           "{}",
                                           user, division.outcome.mechanism,
                                           tree.is_user(v) ? "it" : node_name(problem, v), has,
                                           problem.resources()[most], least),
                      .problem = {},
                      .user = user,
                      .other = tree.is_user(v) ? "" : node_name(problem, v),
                      .numbers = {{"holds", holds}, {"guarantee", promised}},
                      .size = size};
    }
  }
  if (!worst) return {.property = property};
  worst->problem = problem.cluster();
  return violated(property, *std::move(worst));
}

// The own part: no user has fewer tasks than if its group, alone, divided Π φ_w/W_w of every server by the
// same rule.
//
// Example: 1 CPU, 1 GPU; group n3 has a, b, c (CPU) and g (GPU), n4 takes GPUs. hdrf gives g a quarter of the
// GPUs; half of the cluster for n3 alone would give it a half.

namespace {

// Only what is below the group, on this part of every server; nothing when that is no cluster.
std::optional<Problem> own_cluster(const Problem& problem, std::size_t group, double part) {
  const Tree& tree = problem.tree();
  const std::size_t top = tree.node_of_group(group);
  const auto is_below = [&](std::size_t v) {
    while (v > top) v = tree.parent(v);  // a parent comes before its members
    return v == top;
  };
  Cluster own = problem.cluster();
  own.users.clear();
  own.groups.clear();
  for (Server& server : own.servers) {
    for (Quantity& capacity : server.capacity) {
      const std::optional<Quantity> less = times(capacity, part);
      if (!less) return {};
      capacity = *less;
    }
  }
  const std::string& name = problem.groups()[group].name;
  for (std::size_t g = group + 1; g < problem.groups().size(); ++g) {
    if (!is_below(tree.node_of_group(g))) continue;
    Group& below = own.groups.emplace_back(problem.groups()[g]);
    if (below.parent == name) below.parent.reset();
  }
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (!is_below(tree.node_of_user(n))) continue;
    User& below = own.users.emplace_back(problem.users()[n]);
    if (below.group != name) continue;
    below.group.reset();
    below.shape.reset();
  }
  Result<Problem> result = Problem::from(std::move(own));
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

Trial loss_against_own_part(const Division& division, const Rule& rule, std::size_t group, double part,
                            const Tolerances& tolerances) {
  const Problem& problem = division.problem;
  const std::optional<Problem> own = own_cluster(problem, group, part);
  if (!own) return {};
  const std::optional<Outcome> outcome = comparable(rule, *own);
  if (!outcome) return {};
  const double threshold = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  std::optional<Witness> worst;
  std::size_t below = 0;  // users of `own` so far, which keep their order
  for (std::size_t n = 0; n < problem.user_count() && below < own->user_count(); ++n) {
    if (problem.users()[n].name != own->users()[below].name) continue;
    const double tasks = division.outcome.allocation.tasks[n];
    const double alone = outcome->allocation.tasks[below++];
    const double size = shortfall(tasks, alone);
    if (!(size > threshold) || (worst && size <= worst->size) || is_rounding(division, n, alone)) continue;
    const auto [has, could] = distinct_words(tasks, alone);
    const bool one = division.scope == Scope::pool || problem.server_count() == 1;
    const std::string& user = problem.users()[n].name;
    const std::string& name = problem.groups()[group].name;
    worst = Witness{.words = fmt::format("{} has {} tasks under {}, and {} if {} divided {} {} alone", user,
                                         has, division.outcome.mechanism, could, name, part_words(part),
                                         one ? "the cluster" : "every server"),
                    .problem = {},
                    .user = user,
                    .other = name,
                    .numbers = {{"tasks", tasks}, {"tasks_on_own_part", alone}, {"part", part}},
                    .size = size};
  }
  if (!worst) return {.compared = 1};
  worst->problem = problem.cluster();
  worst->changed = own->cluster();
  return {.compared = 1, .violation = std::move(worst)};
}

}  // namespace

Verdict check_own_part(const Division& division, const Rule& rule, const Search& search) {
  constexpr Property property = Property::own_part;
  const Tree& tree = division.problem.tree();
  if (tree.group_count() == 0) return vacuous(property, kNoGroups);
  for (std::size_t v = 1; v < tree.size(); ++v) {
    if (quota_at(division.problem.cluster(), division.problem.tree(), v) != Quota{})
      return vacuous(property, "a group's own part is not defined with guarantees, limits and reserves");
  }
  if (division.outcome.status == Status::not_converged) return incomparable(property);
  const std::vector<double> part = parts_of_the_tree(tree);
  std::vector<std::size_t> owners;
  for (std::size_t g = 0; g < tree.group_count(); ++g) {
    if (part[tree.node_of_group(g)] > 0) owners.push_back(g);
  }
  if (owners.empty()) return vacuous(property, "no group has a weight");
  SearchResult sought = run_search(owners.size(), search, [&](std::size_t k) {
    return loss_against_own_part(division, rule, owners[k], part[tree.node_of_group(owners[k])],
                                 search.tolerances);
  });
  Verdict verdict = verdict_on(property, std::move(sought));
  if (verdict.tried == owners.size()) verdict.scope = VerdictScope::instance;
  return verdict;
}

}  // namespace mirab
