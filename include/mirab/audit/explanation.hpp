#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <mirab/audit/teams.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// Some of a resource that a user has.
struct Holding {
  std::size_t user;
  double amount;
};

/// A full resource that a user needs where it may run, and so cannot have more of without another's loss.
/// Entries of equal servers, which no user can tell apart, stand together; amounts are of all of them.
struct Binding {
  std::vector<std::size_t> servers;  ///< indices into Allocation::servers; 0 for the pool
  std::size_t resource;
  double capacity;
  double held;                  ///< by the user
  std::optional<double> price;  ///< per unit, where the mechanism has prices
  /// The highest share per weight of those who hold some of it: the dominant share G_n / φ_n, or where every
  /// server stands for itself the virtual one, X_n over φ_n γ_n with γ_n the tasks that the user could run
  /// alone on these servers.
  double level;
  std::vector<Holding> others;  ///< who else holds most of it, at most three, most first
};

/// What is changed in a what-if.
enum class ChangeKind {
  server,        ///< one more server of an entry
  unit,          ///< more of one resource on one server of an entry, or in the pool
  weight,        ///< twice the weight
  task,          ///< one task more to run, for a user who runs all it has
  group_weight,  ///< twice the weight of a group around the user
  limit          ///< twice the limit of the user or of a group around it, which it has reached
};

/// The word for it, as in JSON: `server`, `unit`, `weight`, `task`, `group-weight`, `limit`.
std::string_view change_name(ChangeKind kind);

struct Change {
  ChangeKind kind;
  std::vector<std::size_t> servers = {};  ///< the problem's entries to which it applies alike: it is tried on
                                          ///< the first; none for the pool, a weight, a task
  std::size_t resource = 0;               ///< of a unit, or of a limit
  std::size_t node = 0;                   ///< of Problem::tree(): whose weight or limit
  Quantity amount = Quantity(1);  ///< how many servers, how much of the resource; the new weight, the new
                                  ///< number of tasks, the new limit
};

/// A change and what it leads to: the changed problem, solved by the same mechanism.
struct WhatIf {
  Change change;
  double tasks;   ///< of the user
  double gain;    ///< over what the user has now; negative when the change would hurt it
  Status status;  ///< of the changed problem's outcome
};

/// Why a user has what it has.
struct Explanation {
  std::size_t user;
  Scope scope;  ///< of the mechanism
  Outcome outcome;
  double dominant_share = 0;              ///< G_n
  bool has_all_tasks = false;             ///< it runs all the tasks it has: nothing else holds it back
  Stop stop = {.kind = StopKind::order};  ///< what holds it back, groups and limits included
  std::vector<Binding> bindings = {};  ///< where the user holds most of the capacity first; none when it has
                                       ///< all its tasks
  std::vector<WhatIf> what_ifs = {};   ///< the greatest gain first
  std::size_t untried = 0;             ///< changes beyond ExplainOptions::what_ifs
};

struct ExplainOptions {
  std::size_t what_ifs = 20;  ///< at most this many changes are tried
  Execution execution = {};
  std::function<void(std::size_t done, std::size_t of)> progress = {};  ///< called after each of them
};

/// Divides the cluster and says why one user gets its share: which full resources it needs, and what one
/// more server, one unit more of those resources, twice its weight or one task more would bring it; with
/// groups also twice the weight of a group around it, or twice a limit that it has reached. Each is
/// verified by solving the changed problem. A unit is 1, or about a hundredth of the server (of the pool)
/// when 1 is more than all it has or less than a ten-thousandth of it. A resource is full from a millionth
/// below its capacity. Requires a user of the problem.
///
/// Errors: as for allocate(). Cost: that of the mechanism for every change, and O(N K m).
Result<Explanation> explain(const Problem& problem, const Choice& choice, std::size_t user,
                            const ExplainOptions& options = {});

/// Where one user stands among all.
struct Standing {
  std::size_t user;
  double tasks = 0;
  std::optional<double> asked = {};  ///< without a value: endless
  bool satisfied = false;            ///< it has all that it asks for
  double dominant_share = 0;         ///< G_n
  Stop stop = {.kind = StopKind::order};
  std::vector<Binding> bindings = {};      ///< as of Explanation
  std::vector<WhatIf> what_ifs = {};       ///< the greatest gain first; none of a satisfied user
  std::optional<std::size_t> remedy = {};  ///< the best of what_ifs; without a value: none of them helps
  std::size_t untried = 0;
};

/// Why every user has what it has.
struct Survey {
  Scope scope;
  Outcome outcome;
  std::vector<Standing> users = {};  ///< those who are short first, of these the least part of what it asks
                                     ///< for; then those who ask without end, the lowest share first
  std::size_t solved = 0;            ///< changed problems: one serves all the users whom it may help
};

/// The same for all users, with what would help those who are short. The changes are those of explain(), at
/// most `what_ifs` for a user, the likeliest to help first; a change that may help several users is solved
/// once.
///
/// The best remedy is the cheapest change that brings all that the user asks for; where none does, the
/// change that brings most, and of those that bring nearly as much (nine tenths) the cheapest. A limit or a
/// weight costs nothing, more of a resource less than a server, and less of it less.
///
/// Errors: as for allocate(). Cost: that of the mechanism for every different change, and O(N K m).
Result<Survey> explain_all(const Problem& problem, const Choice& choice, const ExplainOptions& options = {});

}  // namespace mirab
