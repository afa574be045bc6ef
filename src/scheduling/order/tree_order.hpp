#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/order/bracket.hpp"
#include "scheduling/order/descent.hpp"
#include "scheduling/order/tournament.hpp"

namespace mirab::scheduling {

/// The candidates of a ledger by their users, and who represents each group, kept up to date: a change of a
/// user is a change of its path alone. It gives the same as Descent::next of all candidates. See
/// tree_order.cpp.
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
    refresh(descent, write);
    return chosen(descent, random);
  }

  /// The next of all that do not wait for room, and of those that do and fit on one of these servers:
  /// `fits(candidate, server)` says that of one that does not run anywhere. Servers where none fits, stopped
  /// or not, are dropped. Requires that no tie is drawn. The same, and for each server O(those that wait for
  /// room, many at once); O(1) for each that may fit, and O(m members) for a group whose key is another.
  template <class Write, class Fits>
  const TreeCandidate* next(const Descent& descent, const Write& write, Random& random,
                            ReleasedServers& released, const Fits& fits) {
    refresh(descent, write);
    begin_visits(highest_band());
    for (std::size_t index = released.size(); index-- > 0;) {
      if (!visit(descent, released[index], fits)) released.drop(index);
    }
    const TreeCandidate* const visitor = first_with_visitors(descent);
    return visitor != nullptr ? visitor : chosen(descent, random);
  }

 private:
  using Best = Descent::Best;
  using Member = Index<struct TreeMemberTag>;  // of a group: its groups, then its users
  using Place = Index<struct TreePlaceTag>;    // of a candidate that waits for room
  using KeyRow = Index<struct TreeKeyTag>;     // see keys_

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
    std::vector<double> kappas = {};  // [member], as far as they decide alone; infinite without a candidate
    std::vector<double> parts = {};   // e, then e⁺ [member × 2 components]

    void set(Member member, const Best& best) {
      bests[member] = best;
      kappas[member.number()] = decides_alone(best.level);
    }
    void clear(Member member) {
      bests[member].candidate = nullptr;
      kappas[member.number()] = std::numeric_limits<double>::infinity();
    }
  };
  struct OfUser {
    std::vector<TreeCandidate> candidates = {};
    std::vector<Amounts> demands = {};
    std::vector<Band> bands = {};    // in which it is
    std::vector<Band> left = {};     // and was before the latest change
    std::vector<Place> places = {};  // of those that wait for room
    GroupIndex group = kNone;
    Member member = kNone;
    bool is_changed = false;
  };
  struct OfGroup {
    std::vector<InBand> bands = {};
    std::vector<double> over = {};     // over_r [member × components]
    std::vector<double> weights = {};  // φ [member], also 0
    GroupIndex parent = kNone;
    Member member = kNone;
    std::uint32_t depth = 0;
    bool is_changed = false;
    std::uint64_t version = 1;  // another whenever what its members use is
  };

  // Candidates that wait for room.

  /// What a visit reads first of one.
  struct Visitor {
    double kappa;  // of the user, as far as it decides alone: see decides_alone()
    GroupIndex group;
    std::uint32_t band;  // in bands_; kNoBand: it is stopped
    UserIndex user;
    Member member;  // of the group, the user
    bool runs_anywhere;
  };
  static constexpr std::uint32_t kNoBand = UINT32_MAX;

  /// A key that is kept: of a user, or of a group as a member represents it.
  struct Key {
    TreeLevel<double> level = {};
    std::uint64_t version = 0;  // of the group; 0: of none
    Place first = kNone;        // which represents it
  };
  /// The first member of a group as yet, in the present visits.
  struct Seen {
    std::uint64_t visits = 0;     // in which it was seen
    std::uint64_t displaced = 0;  // in which another one represents the group than without visitors
    double kappa = 0;             // as far as it decides alone
    const TreeCandidate* candidate = nullptr;
    Place first = kNone;  // the candidate's, if it waits for room
    KeyRow key = kNone;   // of the member; kNone: it stands in the band
    TreeNode node = {};
    Member member = kNone;
  };

  template <class Write>
  void refresh(const Descent& descent, const Write& write) {
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
  }

  void begin(const Descent& descent);
  void represent(const Descent& descent, UserIndex user);
  void play(const Descent& descent, UserIndex user);
  void represent(const Descent& descent, GroupIndex group);
  void play(const Descent& descent, GroupIndex group);
  void represent_groups(const Descent& descent);
  void change_groups(GroupIndex group);
  void write_over(const Descent& descent, TreeNode node, GroupIndex group, Member member);
  void write_beyond(const Descent& descent, const TreeCandidate& candidate, TreeNode node, GroupIndex group,
                    Member member, Descent::Parts<double> parts);
  static void write_e(const Descent& descent, const TreeCandidate& candidate, TreeNode node,
                      std::span<const double> over, std::span<double> e);
  void write_others(const Descent& descent, GroupIndex group, const Best& first, Member member);
  const InBand* highest() const;
  const TreeCandidate* chosen(const Descent& descent, Random& random) const;
  const TreeCandidate* drawn(const Descent& descent, GroupIndex group, Band band, Random& random) const;

  // Visits.
  void begin_places(const Ledger& ledger);
  void wait_for_room(const Descent& descent, const TreeCandidate& candidate);
  void leave_places(UserIndex user);
  std::uint32_t highest_band();
  void begin_visits(std::uint32_t band);
  template <class Fits>
  bool visit(const Descent& descent, ServerIndex server, const Fits& fits);
  bool is_ahead(const Descent& descent, Place place, const Seen& seen) const;
  void see(GroupIndex group, const Seen& seen);
  const TreeCandidate* first_with_visitors(const Descent& descent);
  bool displaces(const Descent& descent, GroupIndex group);
  void represent_with_visitors(const Descent& descent, GroupIndex group);
  Best best_of(GroupIndex group, const Seen& seen) const;

  /// κ, where it decides between members as far as far_apart() goes; else it is no number.
  static double decides_alone(const TreeLevel<double>& level) {
    return level.has_weight ? level.kappa : std::numeric_limits<double>::quiet_NaN();
  }
  static bool is_far_below(double kappa, double other) { return kappa < other * (1 - 1e-5); }
  std::uint32_t number_of(Band band);

  const InBand* find(GroupIndex group, Band band) const;
  InBand& in_band(GroupIndex group, Band band);
  std::span<double> over(GroupIndex group, Member member) {
    return std::span(groups_[group].over).subspan(member.number() * components_, components_);
  }
  Descent::Parts<double> parts(InBand& in_band, Member member) const {
    return parts_at(in_band.parts, member.number());
  }
  Descent::Parts<double> parts_at(std::vector<double>& all, std::size_t at) const {
    const std::span<double> both = std::span(all).subspan(at * 2 * components_, 2 * components_);
    return {.e = both.first(components_), .e_with = both.last(components_)};
  }
  /// Do these differ by far more than any rounding? Then they are compared at once.
  static bool far_apart(const TreeLevel<double>& a, const TreeLevel<double>& b) {
    return a.has_weight && b.has_weight && std::abs(a.kappa - b.kappa) > 1e-5 * std::max(a.kappa, b.kappa);
  }
  static bool comes_before(const Descent& descent, const Best& a, const Best& b) {
    if (far_apart(a.level, b.level)) return a.level.kappa < b.level.kappa;
    return descent.comes_before(a, b);
  }
  static auto before(const Descent& descent, const InBand& in_band) {
    return [&descent, &in_band](Member a, Member b) {
      const double kappa_a = in_band.kappas[a.number()], kappa_b = in_band.kappas[b.number()];
      if (is_far_below(kappa_a, kappa_b)) return true;
      if (is_far_below(kappa_b, kappa_a)) return false;
      const Best &of_a = in_band.bests[a], &of_b = in_band.bests[b];
      if (of_a.candidate == nullptr || of_b.candidate == nullptr) return of_a.candidate != nullptr;
      return comes_before(descent, of_a, of_b);
    };
  }

  // Rows of keys_: of each group the keys of its parent as it represents it, and its own as one in the band
  // does; then of each place the user's key, and its group's as the candidate represents it.
  KeyRow parent_by(GroupIndex group) const { return KeyRow(2 * group.number()); }
  KeyRow own_by_band(GroupIndex group) const { return KeyRow(2 * group.number() + 1); }
  KeyRow of_user_at(Place place) const { return KeyRow(2 * (group_count() + place.number())); }
  KeyRow group_by(Place place) const { return KeyRow(2 * (group_count() + place.number()) + 1); }
  std::uint32_t group_count() const { return static_cast<std::uint32_t>(groups_.size()); }
  KeyRow row_of(const GroupIndex group, const Seen& seen) const {
    if (seen.first == kNone) return own_by_band(group);
    return seen.node.is_user() ? group_by(seen.first) : parent_by(seen.node.group);
  }
  Descent::Parts<double> parts(KeyRow row) { return parts_at(key_parts_, row.number()); }

  IndexedVector<UserIndex, OfUser> users_;
  IndexedVector<GroupIndex, OfGroup> groups_;
  std::vector<UserIndex> changed_users_;
  std::vector<std::vector<GroupIndex>> changed_groups_;  // [depth]
  std::vector<double> others_;                           // o_r of the group that is represented
  std::vector<double> parts_;                            // of a candidate
  std::size_t components_ = 0;
  bool all_changed_ = true;

  std::vector<Band> bands_;  // of all candidates
  IndexedVector<Place, Visitor> visitors_;
  IndexedVector<Place, TreeCandidate> waiting_;
  std::vector<Place> vacant_;
  LeastAmounts least_{1};
  IndexedVector<KeyRow, Key> keys_;
  std::vector<double> key_parts_;  // e, then e⁺ [row × 2 components]

  IndexedVector<GroupIndex, Seen> seen_;
  std::vector<std::vector<GroupIndex>> groups_seen_;  // [depth]
  std::uint64_t visits_ = 0;
  bool any_plays_ = false;        // is there one who does not wait for room?
  std::uint32_t band_ = kNoBand;  // of bands_: the highest of all who are seen or do not wait for room
};

/// Those that fit on the server are seen. Is there one, stopped or not?
template <class Fits>
bool TreeOrder::visit(const Descent& descent, ServerIndex server, const Fits& fits) {
  const ServerPool& pool = descent.ledger().server_pool;
  if (!pool.is_open(server)) return false;
  const std::span<const std::int64_t> free = pool.free(server);
  bool any = false;
  least_.for_each_that_may_fit(free, [&](std::size_t row) {
    const Place place(static_cast<std::uint32_t>(row));
    const Visitor& visitor = visitors_[place];
    const bool may_start = visitor.band != kNoBand;
    const bool rises = may_start && visitor.band != band_ &&
                       (band_ == kNoBand || bands_[visitor.band].is_above(bands_[band_]));
    bool leads = rises;
    if (may_start && visitor.band == band_) {
      const Seen& seen = seen_[visitor.group];
      if (seen.visits == visits_ && any && is_far_below(seen.kappa, visitor.kappa)) return;
      leads =
          seen.visits != visits_ || is_far_below(visitor.kappa, seen.kappa) || is_ahead(descent, place, seen);
    }
    if ((any && !leads) || !is_within(least_[row], free)) return;
    const TreeCandidate& candidate = waiting_[place];
    if (!visitor.runs_anywhere && !fits(candidate, server)) return;
    any = true;
    if (!leads) return;
    if (rises) begin_visits(visitor.band);
    see(visitor.group, {.kappa = visitor.kappa,
                        .candidate = &candidate,
                        .first = place,
                        .key = of_user_at(place),
                        .node = {.user = visitor.user},
                        .member = visitor.member});
  });
  return any;
}

}  // namespace mirab::scheduling
