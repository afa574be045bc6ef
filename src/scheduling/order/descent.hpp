#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/ledger/groups.hpp"
#include "scheduling/order/disciplines.hpp"

namespace mirab::scheduling {

/// A waiting task that may start: as the tree sees it.
struct TreeCandidate {
  TournamentEntry entry;
  UserIndex user = kNone;
  std::span<const std::int64_t> demand = {};  ///< d: what all take that start together, [m]
  std::int64_t tasks = 1;                     ///< that start together
  std::int64_t tier = 0;                      ///< of its user
  bool is_covered = false;                    ///< by a guarantee on its path: covering()
  /// For TreeOrder: does it wait for room, which only servers with released room may have?
  bool waits_for_room = false;
  bool is_stopped = false;     ///< such a one: and a limit or a reserve is in the way
  bool runs_anywhere = false;  ///< such a one: on each server that has room for the demand
};

/// By what a node on the path of a candidate is compared with its siblings: in doubles, as fractions, or as
/// whole numbers of a part that all are multiples of (Descent::counted). Weights of 0 count as 1 in numbers:
/// such a node comes after those with a weight, once it would be beyond its guarantee.
template <class Number>
struct TreeLevel {
  Number kappa{};          ///< κ = max_r e_r / φ
  Number kappa_with{};     ///< κ⁺ = max_r e⁺_r / φ
  Number rho{};            ///< ρ; in doubles only where κ is 0, since there it may decide
  bool has_weight = true;  ///< φ > 0

  /// Does it come after its siblings with a weight? With the task, so that no node of weight 0 gets a task
  /// beyond its guarantee while a sibling with a weight waits.
  bool is_last() const { return !has_weight && kappa_with > 0; }
  /// Do its siblings count in full?
  bool cuts_nothing() const { return !has_weight && kappa_with > 0; }
};

/// The same with what it comes from.
template <class Number>
struct TreeKey : TreeLevel<Number> {
  std::vector<Number> e = {};       ///< e_r, what it counts for beyond its guarantee, by component
  std::vector<Number> e_with = {};  ///< e⁺_r, the same with the task
};

/// How much of what a node's siblings use counts for it, with a level t: as much as they would use at the
/// level, φ t, which cuts through the last task; or all tasks, whole, that began at or below it.
enum class View { exact, whole_tasks };

/// Who is next in a tree of groups and users: docs/explanation/teams.md, "Online". The definition and the
/// cost stand in descent.cpp.
///
/// A view of the ledger as it is: it keeps nothing, and may be asked what would be.
class Descent {
 public:
  /// Requires a discipline with a tree measure. `after`: what the nodes would use, instead of what they do.
  explicit Descent(const Precedence& precedence, const TreeUsageAfter* after = nullptr)
      : precedence_(precedence), after_(after) {}

  /// The same of what the nodes would use.
  Descent after(const TreeUsageAfter& after) const {
    Descent descent = *this;
    descent.after_ = &after;
    return descent;
  }

  /// The next of the candidates; nullptr when there are none. With ties at random it draws one number at each
  /// node, from the top down, where two or more members tie. O(candidates depth (m + members)).
  const TreeCandidate* next(std::span<const TreeCandidate> candidates, Random& random) const;

  /// The keys of the nodes of the candidate's path, from the user up, without the root. With a demand of
  /// nothing, and by whole tasks, these are the standing V of its user, the other way round
  /// (starvation/reclaim.cpp). By whole tasks not in doubles. O(depth m members).
  template <class Number = double>
  std::vector<TreeKey<Number>> path(const TreeCandidate& candidate, View view = View::exact) const;

  /// The same view, whose keys are whole numbers: path<Wide>, which is exact and far faster than fractions.
  /// Nothing where they are not: with weights other than 1, or with capacities that have too large a multiple
  /// in common. O(nodes).
  std::optional<Descent> counted() const;

  /// over_r / φ of the node, by component, as one counts it for the task, with this number of such tasks
  /// more. Weights of 0 count as 1. O(m).
  template <class Number>
  std::vector<Number> beyond(const TreeCandidate& candidate, TreeNode node, std::int64_t times = 0) const;

  /// over_r of the node, by component, with this number of the candidate's tasks more. O(m).
  template <class Number>
  void write_beyond(const TreeCandidate& candidate, TreeNode node, std::int64_t times,
                    std::span<Number> parts) const;

  /// What the node uses beyond its guarantee, per weight: κ if nothing were cut.
  double whole(const TreeCandidate& candidate, TreeNode node) const;

  std::size_t components() const;  ///< of e: as many as resources, or one

  /// ρ of a node on its path.
  double held(const TreeCandidate& candidate, TreeNode node) const;

  /// Which of two comes first where their paths part: the members of one group, whose keys are compared. Of
  /// one user the entries are. Exact.
  std::weak_ordering compare(const TreeCandidate& a, const TreeCandidate& b) const;

 private:
  /// Who represents a node, and by what it is compared.
  struct Best {
    const TreeCandidate* candidate = nullptr;
    TreeNode node = {};
    TreeLevel<double> level = {};
  };
  friend class TreeOrder;

  /// e and e⁺ of a node, by component.
  template <class Number>
  struct Parts {
    std::span<Number> e;
    std::span<Number> e_with;
  };

  template <class Number>
  static Parts<Number> parts_of(TreeKey<Number>& key) {
    return {.e = key.e, .e_with = key.e_with};
  }
  template <class Number>
  TreeKey<Number> of_user(const TreeCandidate& candidate) const;
  template <class Number>
  TreeKey<Number> of_group(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                           TreeKey<Number>& of_member, View view = View::exact) const;
  template <class Number>
  TreeKey<Number> key_at(const TreeCandidate& candidate, TreeNode node) const;

  /// Cuts e and e⁺ of the group. Requires that they are over_r, and the same with the task.
  template <class Number>
  TreeLevel<Number> cut(const TreeCandidate& candidate, GroupIndex group, Parts<Number> of_member,
                        std::span<const Number> others, Parts<Number> parts) const;
  template <class Number>
  TreeLevel<Number> level(const TreeCandidate& candidate, TreeNode node, Parts<Number> parts) const;
  template <class Number>
  void write_others(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                    const TreeLevel<Number>& of_member, std::span<Number> others,
                    View view = View::exact) const;
  template <class Number>
  void raise_to_begun(const TreeCandidate& candidate, TreeNode node, const Number& level,
                      std::span<const Number> over, std::span<Number> most) const;
  template <class Number>
  void write_beyond(const TreeCandidate& candidate, TreeNode node, Parts<Number> parts) const;
  const std::int64_t* promised(TreeNode node) const;
  template <class Number>
  Number rho(const TreeCandidate& candidate, TreeNode node) const;
  template <class Number>
  Number part(fairness::Wide units, std::size_t r, const TreeCandidate& candidate) const;
  template <class Number>
  Number tasks_alone(TreeNode node) const;
  template <class Number>
  Number component_of(std::span<const std::int64_t> demand, const TreeCandidate& candidate) const;

  std::weak_ordering compare(const Best& a, const Best& b) const;
  bool comes_before(const Best& a, const Best& b) const;
  bool counts(std::size_t r, const TreeCandidate& candidate) const;

  const Ledger& ledger() const { return precedence_.context->ledger; }
  std::span<const std::int64_t> used(TreeNode node) const {
    return after_ != nullptr ? after_->used(node) : ledger().used(node);
  }
  std::int64_t running(TreeNode node) const {
    return after_ != nullptr ? after_->running(node) : ledger().running(node);
  }
  TreeMeasure measure() const { return precedence_.discipline->tree; }

  bool has_unit_weights(const Best& best) const;
  bool has_unit_weights() const;
  std::optional<std::vector<fairness::Wide>> parts_of_units(std::span<const fairness::Wide> most) const;
  std::optional<Descent> with_parts(std::span<const fairness::Wide> most) const;
  std::optional<Descent> counted(const Best& a, const Best& b) const;

  Precedence precedence_;
  const TreeUsageAfter* after_;
  std::vector<fairness::Wide> parts_of_units_ = {};  // of counted(): how many parts a unit is, [m]
};

}  // namespace mirab::scheduling
