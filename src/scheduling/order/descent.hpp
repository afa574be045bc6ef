#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/ledger/groups.hpp"
#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/tournament.hpp"

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

/// By what a node on the path of a candidate is compared with its siblings, in doubles or as fractions.
/// Weights of 0 count as 1 in numbers: such a node comes after those with a weight, once it is beyond its
/// guarantee.
template <class Number>
struct TreeLevel {
  Number kappa{};          ///< κ = max_r e_r / φ
  Number kappa_with{};     ///< κ⁺ = max_r e⁺_r / φ
  Number rho{};            ///< ρ
  bool has_weight = true;  ///< φ > 0

  /// Does it come after its siblings with a weight?
  bool is_last() const { return !has_weight && kappa > 0; }
  /// Do its siblings count in full?
  bool cuts_nothing() const { return !has_weight && kappa_with > 0; }
};

/// The same with what it comes from.
template <class Number>
struct TreeKey : TreeLevel<Number> {
  std::vector<Number> e = {};       ///< e_r, what it counts for beyond its guarantee, by component
  std::vector<Number> e_with = {};  ///< e⁺_r, the same with the task
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
                           TreeKey<Number>& of_member) const;
  template <class Number>
  TreeKey<Number> key_at(const TreeCandidate& candidate, TreeNode node) const;

  /// They write e⁺ of the node, and cut e. Require that e is over_r of the node.
  template <class Number>
  TreeLevel<Number> write_user(const TreeCandidate& candidate, Parts<Number> parts) const;
  template <class Number>
  TreeLevel<Number> write_group(const TreeCandidate& candidate, GroupIndex group, Parts<Number> of_member,
                                std::span<const Number> others, Parts<Number> parts) const;
  template <class Number>
  TreeLevel<Number> level(const TreeCandidate& candidate, TreeNode node, Parts<Number> parts) const;
  template <class Number>
  void write_others(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                    const TreeLevel<Number>& of_member, std::span<Number> others) const;
  template <class Number>
  void write_beyond(const TreeCandidate& candidate, TreeNode node, std::int64_t times,
                    std::span<Number> parts) const;
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
///
/// For each group there is a tournament of its members in each band of candidates that is found below it, and
/// what its members hold beyond their guarantees. After a change first the members that changed are written,
/// a group as one without a candidate, which comes last; then their matches are played. So that none is
/// played with a candidate of the past.
class TreeOrder {
 public:
  /// The user's use, weight or candidates may be others; those of all users, and the groups.
  void user_changed(UserIndex user);
  void all_changed() { all_changed_ = true; }
  /// The candidates of all users below may be others.
  void below_changed(const Ledger& ledger, GroupIndex group);

  /// The next of all. `write(user, candidates, demands)` writes the candidates of a user, whose demands may
  /// stand in `demands`. For each user that changed O(depth (m members + log members)).
  template <class Write>
  const TreeCandidate* next(const Descent& descent, const Write& write, Random& random) {
    const Ledger& ledger = descent.ledger();
    if (all_changed_) begin(descent);
    for (const UserIndex user : changed_users_) {
      OfUser& of = users_[user];
      of.is_changed = false;
      of.candidates.clear();
      of.demands.clear();
      if (ledger.users.holds(user)) write(user, of.candidates, of.demands);
      represent(descent, user);
    }
    for (const UserIndex user : changed_users_) play(descent, user);
    changed_users_.clear();
    represent_groups(descent);
    return chosen(descent, random);
  }

 private:
  using Best = Descent::Best;
  using Member = Index<struct TreeMemberTag>;  // of a group: its groups, then its users

  /// The candidates of one tier, covered or not: only those of the first band there is are looked at.
  struct Band {
    std::int64_t tier = 0;
    bool is_covered = false;
    friend bool operator==(Band, Band) = default;
    bool is_above(Band other) const {
      return tier != other.tier ? tier > other.tier : is_covered && !other.is_covered;
    }
  };
  /// The members of a group that have a candidate in the band below them.
  struct InBand {
    Band band;
    Tournament<Member> order = {};
    IndexedVector<Member, Best> bests = {};
    std::vector<double> parts = {};  // e, then e⁺ [member × 2 components]
  };
  struct OfUser {
    std::vector<TreeCandidate> candidates = {};
    std::vector<Amounts> demands = {};
    std::vector<Band> bands = {};  // in which it is
    std::vector<Band> left = {};   // and was before the latest change
    GroupIndex group = kNone;
    Member member = kNone;
    bool is_changed = false;
  };
  struct OfGroup {
    std::vector<InBand> bands = {};
    std::vector<double> over = {};     // over_r [member × components]
    std::vector<double> weights = {};  // φ [member], also 0
    Member member = kNone;
    std::uint32_t depth = 0;
    bool is_changed = false;
  };

  void begin(const Descent& descent);
  void represent(const Descent& descent, UserIndex user);
  void play(const Descent& descent, UserIndex user);
  void represent(const Descent& descent, GroupIndex group);
  void play(const Descent& descent, GroupIndex group);
  void represent_groups(const Descent& descent);
  void change_groups(const Ledger& ledger, GroupIndex group);
  void write_over(const Descent& descent, TreeNode node, GroupIndex group, Member member);
  static void write_e(const Descent& descent, const TreeCandidate& candidate, TreeNode node,
                      std::span<const double> over, std::span<double> e);
  void write_others(const Descent& descent, GroupIndex group, const Best& first, Member member);
  const TreeCandidate* chosen(const Descent& descent, Random& random) const;
  const TreeCandidate* drawn(const Descent& descent, GroupIndex group, Band band, Random& random) const;

  InBand& in_band(GroupIndex group, Band band);
  std::span<double> over(GroupIndex group, Member member) {
    return std::span(groups_[group].over).subspan(member.number() * components_, components_);
  }
  Descent::Parts<double> parts(InBand& in_band, Member member) const {
    const std::span<double> both =
        std::span(in_band.parts).subspan(member.number() * 2 * components_, 2 * components_);
    return {.e = both.first(components_), .e_with = both.last(components_)};
  }
  /// Do these differ by far more than any rounding? Then they are compared at once.
  static bool far_apart(const TreeLevel<double>& a, const TreeLevel<double>& b) {
    return a.has_weight && b.has_weight && std::abs(a.kappa - b.kappa) > 1e-5 * std::max(a.kappa, b.kappa);
  }
  static auto before(const Descent& descent, const InBand& in_band) {
    return [&descent, &in_band](Member a, Member b) {
      const Best &of_a = in_band.bests[a], &of_b = in_band.bests[b];
      if (of_a.candidate == nullptr || of_b.candidate == nullptr) return of_a.candidate != nullptr;
      if (far_apart(of_a.level, of_b.level)) return of_a.level.kappa < of_b.level.kappa;
      return descent.comes_before(of_a, of_b);
    };
  }

  IndexedVector<UserIndex, OfUser> users_;
  IndexedVector<GroupIndex, OfGroup> groups_;
  std::vector<UserIndex> changed_users_;
  std::vector<GroupIndex> changed_groups_;
  std::vector<double> others_;  // o_r of the group that is represented
  std::vector<double> parts_;   // of a candidate
  std::size_t components_ = 0;
  bool all_changed_ = true;
};

}  // namespace mirab::scheduling
