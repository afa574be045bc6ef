#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// Over what a mechanism maximises.
enum class Scope {
  pool,        ///< all servers poured into one
  servers,     ///< all servers at once, each with its own capacity
  each_server  ///< every server for itself
};

/// Fairness properties that a mechanism may be claimed to have (docs/reference/mechanisms.md; defined in the
/// audit layer).
enum class Property {
  feasible,
  sharing_incentive,
  envy_freeness,
  pareto_efficiency,
  strategy_proofness,
  single_resource_fairness,
  bottleneck_fairness,
  population_monotonicity,
  resource_monotonicity,
  scale_invariance,
  non_wastefulness,
  hierarchical_sharing_incentive,
  guarantee,
  group_envy_freeness,
  group_strategy_proofness,
  own_part,
};

/// The name on the command line and in JSON: `sharing-incentive`.
std::string_view property_name(Property property);

/// On which problems a claim is made.
struct Conditions {
  bool positive_demands = false;  ///< every user demands every resource
  bool no_caps = false;           ///< no user's tasks are limited
  bool no_placement = false;      ///< every user may run on every server
  bool same_demand = false;       ///< a task takes the same on every server
  bool one_resource = false;      ///< there is only one resource
  bool no_groups = false;         ///< users only, without guarantees, limits and reserves
  bool no_limits = false;         ///< no node of the tree has a limit
  bool no_reserves = false;       ///< no part of a guarantee is reserved
  bool no_guarantees = false;     ///< nothing is guaranteed or reserved
  bool top_guarantees = false;    ///< only members of the root have guarantees
};

/// A claim about a mechanism: a property holds under conditions, or it does not.
struct Claim {
  Property property;
  bool holds;
  Conditions conditions;          ///< of a claim that it holds
  std::string_view source;        ///< who says so
  bool refuted = false;           ///< the source says that it holds, and a counterexample is known
  std::string_view options = {};  ///< for which it is made: `alpha=1`; empty: for all
};

/// Which input a mechanism honours. What it cannot honour is an error (demand_on, a weight of 0) or a notice
/// (placement constraints, groups).
struct Accepts {
  bool weights;
  bool caps;
  bool placement;  ///< `servers` and `select`
  bool zero_demands;
  bool demand_on;
  bool several_servers = true;
  bool groups = false;  ///< groups, guarantees, limits and reserves, and the weight 0
};

/// How the work is done; the result does not depend on it.
struct Execution {
  int threads = 1;  ///< at most this many at a time, ≥ 1
};

/// One row of the registry.
struct Mechanism {
  std::string_view name;
  std::span<const std::string_view> aliases;
  Scope scope;
  std::string_view title;      ///< `Dominant Resource Fairness`
  std::string_view summary;    ///< one sentence
  std::string_view yardstick;  ///< u_n, the tasks that count as a share of one, as a formula
  std::string_view alpha;      ///< `∞`, `1`, `α > 0`; `–` where the one equation does not hold
  std::string_view source;     ///< paper and section
  Accepts accepts;
  std::span<const OptionInfo> options;
  std::span<const Claim> claims;
  std::string_view objective = {};  ///< what is maximised, where the one equation does not hold
  bool is_rule = true;              ///< does it divide any problem? Else it says what Problem::running() has

  /// Are the values of the options good? None when there are no options.
  Check (*check_options)(const Choice& choice) = nullptr;

  /// Solves; the choice names this row. Called with problems that the row accepts.
  Result<Outcome> (*allocate)(const Problem& problem, const Choice& choice, const Execution& execution);
};

/// The registry, in the order in which it is shown.
std::span<const Mechanism> mechanisms();

/// The row of a name, an alias aside; nothing where there is none.
const Mechanism* find_mechanism(std::string_view name);

/// The row of a choice. Requires a choice of the registry.
const Mechanism& mechanism_of(const Choice& choice);

/// Reads `name:option=value` against the registry: an alias becomes the name it stands for. Errors as for
/// choose(), and a bad option value.
Result<Choice> choose_mechanism(std::string_view text);

/// Can a mechanism divide a problem, and what of the problem does it leave out of account?
struct Applicability {
  const Mechanism* mechanism;
  std::optional<Error> refused = {};      ///< why it cannot
  std::vector<std::string> ignores = {};  ///< `groups`, `servers and select of 8 users`, …
};

/// Of every mechanism of the registry, in its order. O((G + N) mechanisms).
std::vector<Applicability> applicability(const Problem& problem);

/// The mechanism to take where none was asked for, and why: `drf` for one server, `drfh` for several, `hdrf`
/// and `hdrfh` where there are groups, task shapes, guarantees, limits, reserves or a weight of 0.
struct Recommendation {
  Choice choice;
  std::string reason;  ///< `4 servers, no groups`, a phrase
};
Recommendation recommended(const Problem& problem);

/// How the notice of a pool mechanism begins that divides several servers as if they were one.
inline constexpr std::string_view kPooledServers = "the servers are treated as one";

/// Divides the cluster among its users. Errors: a bad option value, or input that the mechanism cannot honour
/// (with the mechanisms that can). The cost is that of the mechanism's solver (docs/reference/mechanisms.md).
Result<Outcome> allocate(const Problem& problem, const Choice& choice, const Execution& execution = {});

/// The same for the text of a choice: `allocate(problem, "alpha-fair:alpha=2")`.
Result<Outcome> allocate(const Problem& problem, std::string_view mechanism, const Execution& execution = {});

}  // namespace mirab
