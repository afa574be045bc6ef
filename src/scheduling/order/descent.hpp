#pragma once

#include <compare>
#include <cstdint>
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
};

/// The key of a node on the path of a candidate, in doubles or as fractions. Weights of 0 count as 1 in
/// numbers: such a node comes after those with a weight, once it is beyond its guarantee.
template <class Number>
struct TreeKey {
  std::vector<Number> e = {};       ///< e_r, what it counts for beyond its guarantee, by component
  std::vector<Number> e_with = {};  ///< e⁺_r, the same with the task
  Number kappa{};                   ///< κ = max_r e_r / φ
  Number kappa_with{};              ///< κ⁺ = max_r e⁺_r / φ
  Number rho{};                     ///< ρ
  bool has_weight = true;           ///< φ > 0

  /// Does it come after its siblings with a weight?
  bool is_last() const { return !has_weight && kappa > 0; }
  /// Do its siblings count in full?
  bool cuts_nothing() const { return !has_weight && kappa_with > 0; }
};

/// Who is next in a tree of groups and users: docs/explanation/teams.md, "Online". The definition and the
/// cost stand in descent.cpp.
///
/// A view of the ledger as it is: it keeps nothing, and may be asked what would be.
class Descent {
 public:
  /// Requires a discipline with a tree measure. `after`: what the nodes would use, instead of what they do.
  explicit Descent(const Precedence& precedence, const TreeUsageAfter* after = nullptr)
      : precedence_(precedence), after_(after) {}

  /// The next of the candidates; nullptr when there are none. With ties at random it draws one number at each
  /// node, from the top down, where two or more members tie. O(candidates depth (m + members)).
  const TreeCandidate* next(std::span<const TreeCandidate> candidates, Random& random) const;

  /// The keys of the nodes of the candidate's path, from the user up, without the root. With a demand of
  /// nothing these are the standings V of its user, the other way round. O(depth m members).
  template <class Number = double>
  std::vector<TreeKey<Number>> path(const TreeCandidate& candidate) const;

  /// over_r / φ of the node, by component, as one counts it for the task. Weights of 0 count as 1. O(m).
  template <class Number>
  std::vector<Number> beyond(const TreeCandidate& candidate, TreeNode node) const;

  /// What the node uses beyond its guarantee, per weight: κ if nothing were cut.
  double whole(const TreeCandidate& candidate, TreeNode node) const;

  /// Which of two comes first where their paths part: the members of one group, whose keys are compared. Of
  /// one user the entries are. Exact.
  std::weak_ordering compare(const TreeCandidate& a, const TreeCandidate& b) const;

 private:
  /// Who represents a node, and its key.
  struct Best {
    const TreeCandidate* candidate = nullptr;
    TreeNode node = {};
    TreeKey<double> key = {};
  };
  friend class TreeOrder;

  template <class Number>
  TreeKey<Number> of_user(const TreeCandidate& candidate) const;
  template <class Number>
  TreeKey<Number> of_group(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                           const TreeKey<Number>& of_member) const {
    TreeKey<Number> key;
    write_of_group(candidate, group, member, of_member, key);
    return key;
  }
  template <class Number>
  void write_of_group(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                      const TreeKey<Number>& of_member, TreeKey<Number>& key) const;
  template <class Number>
  TreeKey<Number> key_at(const TreeCandidate& candidate, TreeNode node) const;
  template <class Number>
  void finish(const TreeCandidate& candidate, TreeNode node, TreeKey<Number>& key) const;
  template <class Number>
  void write_beyond(const TreeCandidate& candidate, TreeNode node, std::int64_t times,
                    std::vector<Number>& parts) const;
  template <class Number>
  Number rho(const TreeCandidate& candidate, TreeNode node) const;
  template <class Number>
  Number part(fairness::Wide units, std::size_t r, const TreeCandidate& candidate) const;
  template <class Number>
  Number tasks_alone(TreeNode node) const;

  std::weak_ordering compare(const Best& a, const Best& b) const;
  bool comes_before(const Best& a, const Best& b) const;
  bool counts(std::size_t r, const TreeCandidate& candidate) const;
  std::size_t components() const;

  const Ledger& ledger() const { return precedence_.context->ledger; }
  std::span<const std::int64_t> used(TreeNode node) const {
    return after_ != nullptr ? after_->used(node) : ledger().used(node);
  }
  std::int64_t running(TreeNode node) const {
    return after_ != nullptr ? after_->running(node) : ledger().running(node);
  }
  TreeMeasure measure() const { return precedence_.discipline->tree; }

  Precedence precedence_;
  const TreeUsageAfter* after_;
};

/// The candidates of a ledger by their users, and who represents each group, kept up to date: a change of a
/// user is a change of its path alone. It gives the same as Descent::next of all candidates.
class TreeOrder {
 public:
  /// The user's use, weight or candidates may be others; those of all users, and the groups.
  void user_changed(UserIndex user);
  void all_changed() { all_changed_ = true; }
  /// The candidates of all users below may be others.
  void below_changed(const Ledger& ledger, GroupIndex group);

  /// The next of all. `write(user, candidates, demands)` writes the candidates of a user, whose demands may
  /// stand in `demands`. O(depth (m + 1) members) for each user that changed.
  template <class Write>
  const TreeCandidate* next(const Descent& descent, const Write& write, Random& random) {
    const Ledger& ledger = descent.ledger();
    if (all_changed_) begin(ledger);
    for (const UserIndex user : changed_users_) {
      OfUser& of = users_[user];
      of.is_changed = false;
      of.candidates.clear();
      of.demands.clear();
      if (ledger.users.holds(user)) write(user, of.candidates, of.demands);
      represent(descent, user);
    }
    changed_users_.clear();
    represent_groups(descent);
    return chosen(descent, random);
  }

 private:
  using Best = Descent::Best;

  /// The candidates of one tier, covered or not: only those of the first band there is are looked at.
  struct Band {
    std::int64_t tier = 0;
    bool is_covered = false;
    friend bool operator==(Band, Band) = default;
    bool is_above(Band other) const {
      return tier != other.tier ? tier > other.tier : is_covered && !other.is_covered;
    }
  };
  struct InBand {
    Band band;
    Best best;
  };
  struct OfUser {
    std::vector<TreeCandidate> candidates;
    std::vector<Amounts> demands;
    std::vector<InBand> bests;
    bool is_changed = false;
  };
  struct OfGroup {
    std::vector<InBand> bests;
    std::uint32_t depth = 0;
    bool is_changed = false;
  };

  void begin(const Ledger& ledger);
  void represent(const Descent& descent, UserIndex user);
  void represent(const Descent& descent, GroupIndex group);
  void represent_groups(const Descent& descent);
  void change_groups(const Ledger& ledger, GroupIndex group);
  const TreeCandidate* chosen(const Descent& descent, Random& random) const;
  const TreeCandidate* drawn(const Descent& descent, GroupIndex group, Band band, Random& random) const;
  const std::vector<InBand>& bests(TreeNode node) const {
    return node.is_user() ? users_[node.user].bests : groups_[node.group].bests;
  }
  template <class Visit>
  void for_each_in_band(const Ledger& ledger, GroupIndex group, Band band, Visit visit) const;

  IndexedVector<UserIndex, OfUser> users_;
  IndexedVector<GroupIndex, OfGroup> groups_;
  std::vector<UserIndex> changed_users_;
  std::vector<GroupIndex> changed_groups_;
  bool all_changed_ = true;
};

}  // namespace mirab::scheduling
