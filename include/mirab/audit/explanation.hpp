#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/audit/difference.hpp>
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
  limit,         ///< twice the limit of the user or of a group around it, which it has reached, and as much
                 ///< more for each group around that whose limit is in the way too; of each resource whose
                 ///< limits it has reached
  guarantee,     ///< a guarantee of twice what the node uses that holds the user back, or of what can be
                 ///< guaranteed to it with the guarantees of others
  reserve        ///< nothing is reserved below a node that is not around the user
};

/// The word for it, as in JSON: `server`, `unit`, `weight`, `task`, `group-weight`, `limit`, `guarantee`,
/// `reserve`.
std::string_view change_name(ChangeKind kind);

/// Is it of one resource: a unit, a limit, a guarantee, a reserve?
bool is_of_resource(ChangeKind kind);

struct Change {
  ChangeKind kind;
  std::vector<std::size_t> servers = {};  ///< the problem's entries to which it applies alike: it is tried on
                                          ///< the first; none for the pool, a weight, a task
  std::size_t resource = 0;               ///< of a unit, a limit, a guarantee or a reserve
  std::size_t node = 0;                   ///< of Problem::tree(): whose weight, limit, guarantee or reserve
  Quantity amount = Quantity(1);  ///< how many servers, how much of the resource; the new weight, the new
                                  ///< number of tasks, the new limit or guarantee; what was reserved
  std::vector<std::size_t> also = {};  ///< of a limit: nodes around `node` whose limits rise by as much
  std::vector<Change> with = {};       ///< of a limit: those on other resources that rise with it
  ResourceVector guarantee = {};  ///< the new guarantee, of all resources; [m] of a guarantee, else empty
};

/// A user with all its task shapes, or one task shape, who has less after a change.
struct Loser {
  std::string user;
  UserShare before, after;  ///< tasks of all its shapes together

  /// Of its share of the cluster as it is; 0 where it only lacks tasks beside its dominant resource.
  double lost_share() const { return before.share_of_before - after.share_of_before; }
};

/// Who pays for a change.
struct Losers {
  std::vector<Loser> most = {};  ///< at most three, who loses most of its share first
  std::size_t count = 0;         ///< how many there are
};

/// A change and what it leads to: the changed problem, solved by the same mechanism.
struct WhatIf {
  Change change;
  double tasks;   ///< of the user
  double gain;    ///< over what the user has now; negative when the change would hurt it; 0 within rounding
  Status status;  ///< of the changed problem's outcome
  /// Of a change for several users together, whose tasks of different shapes make no meaningful sum: the
  /// largest part of any one resource of the cluster as it is that they hold then, and its gain.
  std::optional<double> share = {};
  double share_gain = 0;
  Losers losers = {};
};

/// Why a node on the path of a user holds the user back.
enum class HoldKind {
  limit,      ///< its limit is reached
  reserve,    ///< what is free is reserved for the sibling
  no_weight,  ///< its weight is 0, so that siblings with a weight come first beyond its guarantee
  guarantee,  ///< the resource is used up, and the sibling holds its part within its guarantee
  sibling,    ///< the resource is used up, and the sibling, which wants more of it, has no higher key
  capacity,   ///< the resource is used up: what the node lacks the sibling has; without one, no other has any
  order       ///< none of these: the mechanism gives it no more
};

/// The word for it, as in JSON: `limit`, `reserve`, `no-weight`, `guarantee`, `sibling`, `capacity`, `order`.
std::string_view hold_name(HoldKind kind);

/// The group on a user's path, or the user, at which the user is held back. Where resources are used up: the
/// node whose part of what its parent has is the least, of the one of which the user has most.
struct Holder {
  std::size_t node;  ///< of Problem::tree()
  HoldKind kind;
  std::vector<std::size_t> resources = {};  ///< at the limit, reserved, or the one that is used up
  double part = 1;                          ///< of what its parent has of that resource
  std::optional<std::size_t> sibling = {};  ///< a node of the tree
  std::vector<std::size_t> others = {};     ///< of a reserve: further nodes for which some is reserved
  double key = 0;                           ///< the share of the node beyond its guarantee, per weight
  double sibling_key = 0;                   ///< the same of the sibling
  std::size_t wanting = 0;  ///< of `sibling`: the node and its siblings that want more of the resource
  std::size_t level = 0;    ///< how many of these have the key of the node
};

/// A node on the path to a user.
struct PathNode {
  std::size_t node;  ///< of Problem::tree()
  GroupFigures has;
  /// The sibling with the lowest key of those who can still grow, and compete with the user: below it is a
  /// user who is short, not at a limit, and needs a resource that stops this one.
  std::optional<std::size_t> lowest = {};
  double lowest_key = 0;        ///< its share beyond its guarantee, per weight
  bool lowest_is_last = false;  ///< its weight is 0, and it would grow beyond its guarantee
};

/// Why a user has what it has.
struct Explanation {
  std::size_t user;
  Scope scope;  ///< of the mechanism
  Outcome outcome;
  double dominant_share = 0;              ///< G_n
  bool has_all_tasks = false;             ///< it runs all the tasks it has: nothing else holds it back
  Stop stop = {.kind = StopKind::order};  ///< what holds it back, groups and limits included
  std::vector<PathNode> path = {};        ///< from the top group to the user; none where groups do not divide
  std::optional<Holder> holder = {};      ///< on this path; none of a user who has all its tasks
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
/// groups also twice the weight of a group around it, twice a limit that it has reached, a guarantee for the
/// node that holds it back, and an end of what is reserved for others. Each is verified by solving the
/// changed problem. A unit is 1, or about a hundredth of the server (of the pool) when 1 is more than all it
/// has or less than a ten-thousandth of it. A resource is full from a millionth below its capacity. Requires
/// a user of the problem.
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
  std::size_t ties = 0;  ///< other what_ifs of the same cost as the remedy that bring as much
  /// Where others pay for the remedy, the best for which nobody does; else, and where none helps, none.
  std::optional<std::size_t> free_remedy = {};
  std::size_t untried = 0;
};

/// Why every user has what it has.
struct Survey {
  Scope scope;
  Outcome outcome;
  std::vector<Standing> users = {};  ///< those who are short first, of these the least part of what it asks
                                     ///< for; then those who ask without end, the lowest share first
  std::size_t solved = 0;            ///< changed problems: one serves all the users whom it may help
  /// What each of these brings all of `users` together, the greatest gain of their share first; of
  /// explain_team alone, and without the changes of one user's own weight. Where different limits hold users
  /// of the team, those of sibling groups, one more change raises them all.
  std::vector<WhatIf> together = {};
};

/// The same for all users, with what would help those who are short. The changes are those of explain() but
/// for guarantees, which help one user at the cost of others whatever the weights are; at most `what_ifs` for
/// a user, the likeliest to help first; a change that may help several users is solved once.
///
/// The best remedy is the cheapest change that brings all that the user asks for; where none does, the
/// change that brings most, and of those that bring nearly as much (nine tenths) the cheapest. What others
/// pay for, who have less then, costs most, whatever it is. Else a limit or a weight costs nothing, more of a
/// resource less than a server, and less of it less.
///
/// Errors: as for allocate(). Cost: that of the mechanism for every different change, and O(N K m).
Result<Survey> explain_all(const Problem& problem, const Choice& choice, const ExplainOptions& options = {});

/// The same for the users of a team: at least one, all the task shapes of a user or all users of a group.
/// `Survey::users` has these alone, and `Survey::together` what each change brings them together.
Result<Survey> explain_team(const Problem& problem, const Choice& choice, std::span<const std::size_t> team,
                            const ExplainOptions& options = {});

}  // namespace mirab
