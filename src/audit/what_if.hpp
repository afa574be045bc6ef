#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/audit/difference.hpp>
#include <mirab/audit/explanation.hpp>
#include <mirab/model/classes.hpp>

namespace mirab {

/// The notice of an explanation where changes cannot be tried.
inline constexpr std::string_view kNoRule =
    "what runs now follows no rule, so no change of the cluster is tried";

/// What a change brings a user: 0 within a millionth, which certificates and rounding leave.
double gain_of(double before, double after);

/// The full resources of one allocation, and who holds them.
class Bindings {
 public:
  /// O((N + K) log(N + K) m + grants m log N). `problem` must outlive it.
  Bindings(const Problem& problem, Scope scope, const Allocation& allocation);

  /// Equal users and equal servers, merged.
  const Classes& classes() const { return classes_; }

  /// Those that the user needs where it may run: where it holds most of the capacity first. O(K m).
  std::vector<Binding> of(std::size_t user) const;

  /// What the users below each node of the tree hold of the full resources that the user needs where it may
  /// run, [node][m]. O(K m + holders depth).
  std::vector<std::vector<double>> held_below(std::size_t user) const;

 private:
  struct Full {
    std::vector<std::size_t> servers;
    std::size_t resource;
    double capacity = 0;
    std::optional<double> price = {};
    double level = 0;
    std::map<std::size_t, double> held = {};  // by user
    std::vector<Holding> holders = {};        // who holds most first
  };

  const Problem& problem_;
  Scope scope_;
  Classes classes_;
  std::vector<Full> full_;
};

/// A user, and what keeps it from more: on which the changes depend that may help it.
struct Held {
  std::size_t user;
  bool has_all_tasks;
  const Stop& stop;
  const std::vector<Binding>& bindings;
  const Holder* holder = nullptr;  ///< for which node a guarantee is tried; null: for none
};

/// The changes that may be worth trying for a user, the likeliest to help first: a task, the weight, quotas
/// and weights of groups, and then in turn units of the binding resources and servers, those that hold most
/// of the user's tasks first. Only changes that the mechanism honours, and no copy of an overfull server, nor
/// more of a resource there. Of a user who may run nowhere, what a task of it lacks.
std::vector<Change> changes_for(const Problem& problem, const Classes& classes, const Mechanism& mechanism,
                                const Allocation& allocation, const Held& held);

/// The notice of an explanation where no change of a server is tried for some of the users: all on which they
/// may run are overfull. Nothing where there are none of these, or for a mechanism for one server. O(users x
/// servers).
std::optional<std::string> unchanged_servers(const Problem& problem, const Mechanism& mechanism,
                                             std::span<const std::size_t> users);

/// Is it a user's own: a weight, a task?
bool is_own(const Change& change);

/// Who has less after a change, in the differences that it makes: users with all their task shapes together,
/// but each other shape of the user of `own`, a user of the problem whose change it is. O(N log N).
Losers losers_of(const Difference& made, const Problem& problem, std::optional<std::size_t> own);

/// The problem with the change in it. Errors: an amount beyond what can be counted.
Result<Problem> changed(const Problem& problem, std::size_t user, const Change& change);

}  // namespace mirab
