#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// What a verdict rests on.
enum class VerdictScope {
  instance,  ///< a proof, for the cluster that was looked at
  searched   ///< all attempts failed to find a counterexample, which is not a proof
};

/// Why a property does not hold: something that a person can check.
struct Witness {
  std::string words;  ///< one sentence: `B could run 15.0 tasks on its half of the cluster, asset gives it
                      ///< 12.0`
  Cluster problem;    ///< where it happens
  std::optional<Cluster> changed = {};  ///< the other cluster that is compared: as misreported,
                                        ///< without a user, with more capacity
  std::string user = {};                ///< who loses, envies or lies; empty where no user does
  std::string other = {};               ///< whom it envies, or who left
  std::vector<std::pair<std::string, double>> numbers = {};  ///< by name: `tasks`, `alone`
  double size = 0;                                           ///< of the violation, relative; > 0
  /// The same lie, departure, growth or size of tasks on another cluster, divided by the same rule: a
  /// violation there, if it is one. Empty for the properties of a single allocation.
  std::function<std::optional<Witness>(const Problem&)> again = {};
};

/// Does a property hold?
struct Verdict {
  Property property;
  bool decided = true;     ///< else `holds` says nothing, and `note` why
  bool applicable = true;  ///< can it be asked of this division at all? Else it is not decided
  bool holds = true;
  bool vacuous = false;  ///< it holds because it asks for nothing here; `note` says why
  VerdictScope scope = VerdictScope::instance;
  std::uint64_t tried = 1;   ///< divisions that were looked at, or compared with the cluster's own; none when
                             ///< vacuous or not decided
  bool ended_early = false;  ///< its search was over (Search::is_over) before all attempts were made
  std::string note = {};
  std::optional<Witness> witness = {};   ///< when it does not hold
  std::optional<Witness> smallest = {};  ///< the same on the smallest cluster that was found to show it
};

/// From which size on a violation counts.
struct Tolerances {
  double certificates = 10;  ///< a violation must exceed this factor times the certificate's error …
  double least = 1e-6;       ///< … plus this
  double least_gain = 1e-3;  ///< of a misreport, relative
};

// The fairness properties, a pure function each. Users value what they hold by the tasks that run with it,
// V_n = Σ_i δ_{n,i} min_r a_{i,r} / d_{n,i,r}, at most as many as they have. A mechanism over the pool is
// judged on the pool. See docs/explanation/fairness.md.

/// A cluster, and how it was divided.
struct Division {
  const Problem& problem;
  const Outcome& outcome;
  Scope scope;  ///< what the allocation's servers are: the pool, or the problem's entries
};

/// How any cluster is divided: what the properties ask that compare two clusters.
struct Rule {
  Scope scope;
  std::function<Result<Outcome>(const Problem&)> divide;
  bool groups = false;  ///< does it honour groups, guarantees and limits?
  bool is_rule = true;  ///< can it divide other clusters too? Else the division was given
};

/// The rule of a mechanism.
Rule rule_of(const Choice& mechanism);

/// Called with the attempts that are done, of how many at most.
using AuditProgress = std::function<void(std::uint64_t done, std::uint64_t of)>;

/// How far to look. The result depends on attempts and seed, not on threads, unless `is_over` ends it.
struct Search {
  std::uint64_t attempts = 1000;  ///< changed clusters to divide and compare, at most; those that cannot be
                                  ///< divided do not count
  std::uint64_t seed = 1;
  int threads = 1;
  Tolerances tolerances = {};
  Conditions conditions = {};  ///< that a cluster meets with a misreport in it, too
  AuditProgress progress = {};
  /// Asked before each attempt, from several threads: must the search end, whatever attempts are left? Empty:
  /// never. The result then depends on the answers too.
  std::function<bool()> is_over = {};
};

/// Who is compared by weight: all users, or the members of each parent in the tree, with all that is below
/// them.
enum class Between { users, teams };

/// Of what every user could have an equal part, in proportion to weight.
enum class EqualPart { of_every_server, of_the_pool };

/// Nobody uses more than there is, runs where it may not, or runs more tasks than it has or its bundle holds.
/// O(grants · m).
Verdict check_feasible(const Division& division, const Tolerances& tolerances = {});

/// No group or user has more than its limit: a part of `feasible` for a division that honours groups, or that
/// was given. O((G + N) m + grants m).
Verdict check_within_limits(const Division& division, const Tolerances& tolerances = {});

/// X_n ≥ (φ_n/Φ) Σ_i γ_{n,i}, γ_{n,i} the tasks that n could run alone on server i (on the pool). O(N K m).
Verdict check_sharing_incentive(const Division& division, EqualPart part, const Tolerances& tolerances = {});

/// V_n((φ_n/φ_k) a_k) ≤ X_n for all k. O(J · grants · m), J the number of user classes.
Verdict check_envy_freeness(const Division& division, const Tolerances& tolerances = {});

/// No user can have more without another's loss: max Σ_n ε_n/X_n over all allocations with X_n + ε_n tasks is
/// 0. The witness also gives max t with t X_n tasks for all users. A linear program in J K variables and
/// J + K m rows, after merging. Not decided when that is too large, or what users have too far apart.
Verdict check_pareto_efficiency(const Division& division, const Tolerances& tolerances = {});

/// When one resource is dominant for every user on all its servers (Ravi Kiran and Srinuvas, An Appropriate
/// Parameterized Utility Technique On Heterogeneous Server Dependencies, definition 2), its amounts per
/// weight are lexicographically max-min; else vacuous. Between teams: what a user could have is taken from
/// none of a team with less; vacuous with guarantees and reserves. O(N (N + grants + N K) + N K m), between
/// teams times the depth of the tree.
Verdict check_bottleneck_fairness(const Division& division, const Tolerances& tolerances = {},
                                  Between between = Between::users);

/// The same when all users demand one and the same resource alone; else vacuous.
Verdict check_single_resource_fairness(const Division& division, const Tolerances& tolerances = {},
                                       Between between = Between::users);

/// No user holds more of a resource than its tasks use, and no resource idles that alone would let a user
/// run more. O(N K m).
Verdict check_non_wastefulness(const Division& division, const Tolerances& tolerances = {});

/// No user has fewer tasks when another leaves. A proof when every user's departure was tried.
Verdict check_population_monotonicity(const Division& division, const Rule& rule, const Search& search = {});

/// Nobody has fewer tasks when there is more of one resource on one server, or everywhere.
Verdict check_resource_monotonicity(const Division& division, const Rule& rule, const Search& search = {});

/// Multiplying one user's demand leaves what all users hold unchanged.
Verdict check_scale_invariance(const Division& division, const Rule& rule, const Search& search = {});

/// Nobody can run more tasks by telling something else than the truth about its demand, where it may run, how
/// many tasks it has, or how many it is. Moves one and two demands up and down, asks for a little of what it
/// does not need, conceals demands and servers, inflates caps, splits in two; refines the best.
Verdict check_strategy_proofness(const Division& division, const Rule& rule, const Search& search = {});

// Of a tree of groups (docs/explanation/teams.md): u_v what the users below node v use, φ_w/W_w the weight of
// a node in parts of that of all members of its parent. All of them are vacuous where there is no tree.

/// A user who has tasks left and is not held by a limit: every node v on its path has a dominant share of at
/// least Π φ_w/W_w, over the nodes w from the top to v. Where members of the root have guarantees g: the top
/// node has, beyond its own, at least (1 - Σ g_r/C_r) φ/W of some resource, for an r that the user demands.
/// Vacuous with other guarantees and with reserves. O(N depth m).
Verdict check_hierarchical_sharing_incentive(const Division& division, const Tolerances& tolerances = {});

/// A user who has tasks left and is not held by a limit: every node on its path has all of its guarantee of
/// some resource that the user demands. O(N depth m).
Verdict check_guarantee(const Division& division, const Tolerances& tolerances = {});

/// No envy among users of one group that may use the same servers and have neither a guarantee nor a limit of
/// their own: V_n((φ_n/φ_k) a_k) ≤ X_n. O(users of a group · grants · m).
Verdict check_group_envy_freeness(const Division& division, const Tolerances& tolerances = {});

/// No group can have one of its users run more tasks, and none of them fewer, by splitting in two of half the
/// weight, joining a group beside it, dissolving into its parent, or a lie about the demand of one of them.
Verdict check_group_strategy_proofness(const Division& division, const Rule& rule, const Search& search = {});

/// No user has fewer tasks than if its group divided a part Π φ_w/W_w of every server by the same rule.
/// Vacuous with guarantees, limits or reserves. A proof when every group was tried.
Verdict check_own_part(const Division& division, const Rule& rule, const Search& search = {});

/// The sharing incentive between teams, the members of one parent in the tree, each with all that is below
/// it: no team prefers Π φ_w/W_w of every server, or of the pool. It would where all tasks that it runs fit,
/// and one of its users whom no limit holds back could run more. Of a user alone it is
/// check_sharing_incentive(). Vacuous with guarantees and reserves. A linear program for each team.
Verdict check_sharing_incentive_of_teams(const Division& division, const Tolerances& tolerances = {});

/// Envy-freeness between teams: none prefers what another member of its parent holds, scaled to its weight,
/// where that has no guarantee or reserve. A linear program for each pair of which the other holds enough of
/// each resource. Not decided where such a program is too large.
Verdict check_envy_freeness_of_teams(const Division& division, const Tolerances& tolerances = {});

/// Is the property one of a tree of groups?
bool is_of_groups(Property property);

/// All of them by name. Those that compare clusters are not applicable to a division that was given. Where
/// the rule honours groups and there are some, those that compare users by their weights (the sharing
/// incentive, envy-freeness, max-min in one resource) compare teams. Those that compare clusters are
/// not decided when there was none to compare with; the equal part is that of the division's scope.
Verdict check(Property property, const Division& division, const Rule& rule, const Search& search = {});

/// Does the property compare several clusters, so that it costs attempts?
bool is_searched(Property property);

/// All properties, in the order in which they are shown.
std::span<const Property> properties();

}  // namespace mirab
