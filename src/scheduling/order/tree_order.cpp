// The candidates of a ledger in the order of a tree (descent.cpp), kept from one decision to the next.
//
// For each group there is a tournament of its members in each band of candidates that is found below it, and
// what its members hold beyond their guarantees. After a change first the members that changed are written, a
// group as one without a candidate, which comes last; then their matches are played. So that none is played
// with a candidate of the past.
//
// Candidates that fit nowhere do not play. They wait for room, laid out so that those that may fit on a
// server are found many at once. When something was freed on a server, those that fit there *visit* the tree:
// from the users up the first of a group's visitors is compared with the one that represents it otherwise,
// and nothing of the tournaments changes. The key of a group as a member represents it is kept, and holds
// while nothing below the group has changed: most keys that a visit asks for are known.
//
// Where the first visitor of a group comes before the one that represents it otherwise, the group has another
// key around it than in the tournament of its parent, and may have lost its lead there: if it was the winner,
// the parent's other members are compared one by one.
//
// Cost: O(depth (m members + log members)) for each user that changed since the latest decision: o_r is added
// up again for each group on its path, from numbers that stand next to each other. For each server with
// released room the visits cost O(waiting m), some hundred a nanosecond, O(1) for each that may fit there,
// and for each group whose key is not known O(m members).
#include "scheduling/order/tree_order.hpp"

#include <algorithm>
#include <utility>

namespace mirab::scheduling {

// The choice. Each node is represented, in each band of candidates, by the first of its members' own.

void TreeOrder::user_changed(UserIndex user) {
  users_.cover(user);
  if (users_[user].is_changed || all_changed_) return;
  users_[user].is_changed = true;
  changed_users_.push_back(user);
}

void TreeOrder::below_changed(const Ledger& ledger, GroupIndex group) {
  for (const GroupIndex member : ledger.groups[group].groups) below_changed(ledger, member);
  for (const UserIndex member : ledger.groups[group].users) user_changed(member);
}

void TreeOrder::begin(const Descent& descent) {
  const Ledger& ledger = descent.ledger();
  all_changed_ = false;
  users_ = {};
  groups_ = {};
  users_.resize(ledger.users.index_count());
  groups_.resize(ledger.groups.index_count());
  changed_users_.clear();
  changed_groups_.clear();
  components_ = descent.components();
  others_.resize(components_);
  parts_.resize(2 * components_);
  begin_places(ledger);
  for (const GroupIndex group : ledger.groups.present()) {
    const GroupRow& row = ledger.groups[group];
    OfGroup& of = groups_[group];
    of.parent = row.parent;
    of.depth = static_cast<std::uint32_t>(depth_of(ledger, group));
    if (of.depth >= changed_groups_.size()) changed_groups_.resize(of.depth + 1);
    const auto enter = [&](TreeNode member) {
      const Weight& weight = ledger.weight(member);
      of.weights.push_back(weight.numerator == 0 ? 0 : weight.value());
      return Member(static_cast<std::uint32_t>(of.weights.size() - 1));
    };
    for (const GroupIndex member : row.groups) groups_[member].member = enter({.group = member});
    for (const UserIndex member : row.users) {
      users_[member].group = group;
      users_[member].member = enter({.user = member});
      user_changed(member);
    }
    of.over.resize(of.weights.size() * components_);
  }
}

void TreeOrder::change_groups(GroupIndex group) {
  for (; group != kRoot && !groups_[group].is_changed; group = groups_[group].parent) {
    OfGroup& of = groups_[group];
    of.is_changed = true;
    ++of.version;
    changed_groups_[of.depth].push_back(group);
    for (InBand& in_band : groups_[of.parent].bands) in_band.clear(of.member);
  }
}

const TreeOrder::InBand* TreeOrder::find(GroupIndex group, Band band) const {
  for (const InBand& in_band : groups_[group].bands) {
    if (in_band.band == band) return &in_band;
  }
  return nullptr;
}

TreeOrder::InBand& TreeOrder::in_band(GroupIndex group, Band band) {
  if (const InBand* const known = find(group, band)) return const_cast<InBand&>(*known);
  OfGroup& of = groups_[group];
  const std::size_t members = of.weights.size();
  return of.bands.emplace_back(
      InBand{.band = band,
             .bests = IndexedVector<Member, Best>(members),
             .kappas = std::vector<double>(members, std::numeric_limits<double>::infinity()),
             .parts = std::vector<double>(members * 2 * components_)});
}

/// over_r of a member of the group. For ps-dsf, where that depends on the candidate, nothing.
void TreeOrder::write_over(const Descent& descent, TreeNode node, GroupIndex group, Member member) {
  const TreeCandidate nothing{};
  if (descent.measure() != TreeMeasure::server_class)
    descent.write_beyond(nothing, node, 0, over(group, member));
}

/// e and e⁺ before the cut of a member of the group, whose over_r is kept.
void TreeOrder::write_beyond(const Descent& descent, const TreeCandidate& candidate, TreeNode node,
                             GroupIndex group, Member member, Descent::Parts<double> parts) {
  descent.write_beyond(candidate, node, parts);
  if (descent.measure() != TreeMeasure::server_class)
    std::copy(parts.e.begin(), parts.e.end(), over(group, member).begin());
}

/// The same where over_r is known.
void TreeOrder::write_e(const Descent& descent, const TreeCandidate& candidate, TreeNode node,
                        std::span<const double> over, std::span<double> e) {
  if (descent.measure() == TreeMeasure::server_class) return descent.write_beyond(candidate, node, 0, e);
  std::copy(over.begin(), over.end(), e.begin());
}

void TreeOrder::represent(const Descent& descent, UserIndex user) {
  OfUser& of = users_[user];
  if (of.group == kNone) return;  // it came and went
  if (of.candidates.empty() && descent.ledger().users.holds(user))
    write_over(descent, {.user = user}, of.group, of.member);
  of.left.swap(of.bands);
  of.bands.clear();
  const auto is_in = [](const std::vector<Band>& some, Band band) {
    return std::find(some.begin(), some.end(), band) != some.end();
  };
  leave_places(user);
  for (const TreeCandidate& each : of.candidates) {
    if (each.waits_for_room) {
      wait_for_room(descent, each);
      continue;
    }
    const Band band{.tier = each.tier, .is_covered = each.is_covered};
    InBand& in_band = this->in_band(of.group, band);
    const std::span<double> written(parts_);
    const Descent::Parts<double> here{.e = written.first(components_), .e_with = written.last(components_)};
    const TreeNode node{.user = user};
    write_beyond(descent, each, node, of.group, of.member, here);
    const Best best{.candidate = &each, .node = node, .level = descent.level(each, node, here)};
    const bool is_known = is_in(of.bands, band);
    if (is_known && !comes_before(descent, best, in_band.bests[of.member])) continue;
    if (!is_known) of.bands.push_back(band);
    in_band.set(of.member, best);
    const Descent::Parts<double> kept = parts(in_band, of.member);
    std::copy(here.e.begin(), here.e.end(), kept.e.begin());
    std::copy(here.e_with.begin(), here.e_with.end(), kept.e_with.begin());
  }
  std::erase_if(of.left, [&](Band band) { return is_in(of.bands, band); });
  for (const Band band : of.left) in_band(of.group, band).clear(of.member);
  change_groups(of.group);
}

void TreeOrder::play(const Descent& descent, UserIndex user) {
  const OfUser& of = users_[user];
  for (const Band band : of.bands) {
    InBand& in_band = this->in_band(of.group, band);
    in_band.order.play(of.member, before(descent, in_band));
  }
  for (const Band band : of.left) {
    InBand& in_band = this->in_band(of.group, band);
    in_band.order.leave(of.member, before(descent, in_band));
  }
}

/// o_r of the group in others_, from what its members hold. For ps-dsf, where that depends on the candidate,
/// from the ledger.
void TreeOrder::write_others(const Descent& descent, GroupIndex group, const Best& first, Member member) {
  if (descent.measure() == TreeMeasure::server_class) {
    std::fill(others_.begin(), others_.end(), 0.0);
    return descent.write_others<double>(*first.candidate, group, first.node, first.level, others_);
  }
  const OfGroup& of = groups_[group];
  const std::size_t components = components_, members = of.weights.size();
  const double* const over = of.over.data();
  const double* const weights = of.weights.data();
  const bool cuts_nothing = first.level.cuts_nothing();
  const double kappa_with = first.level.kappa_with;
  const auto for_each_sibling = [&](const auto& add) {
    for (std::size_t sibling = 0; sibling < member.number(); ++sibling) add(sibling);
    for (std::size_t sibling = member.number() + 1; sibling < members; ++sibling) add(sibling);
  };
  const auto cut = [&](std::size_t sibling, std::size_t r) {
    return std::min(over[sibling * components + r], weights[sibling] * kappa_with);
  };
  std::size_t r = 0;
  for (; r + 1 < components && !cuts_nothing; r += 2) {  // two sums do not wait for each other
    double sum = 0, next_sum = 0;
    for_each_sibling([&](std::size_t sibling) {
      sum += cut(sibling, r);
      next_sum += cut(sibling, r + 1);
    });
    others_[r] = sum, others_[r + 1] = next_sum;
  }
  for (; r < components; ++r) {
    double sum = 0;
    for_each_sibling(
        [&](std::size_t sibling) { sum += cuts_nothing ? over[sibling * components + r] : cut(sibling, r); });
    others_[r] = sum;
  }
}

/// Its members' matches have been played.
void TreeOrder::represent(const Descent& descent, GroupIndex group) {
  OfGroup& of = groups_[group];
  const GroupIndex parent = of.parent;
  of.is_changed = false;
  bool is_written = false;
  for (InBand& below : of.bands) {
    if (below.order.empty()) continue;
    const Member member = below.order.winner();
    const Best& first = below.bests[member];
    write_others(descent, group, first, member);
    InBand& in_band = this->in_band(parent, below.band);
    const Descent::Parts<double> here = parts(in_band, of.member);
    write_beyond(descent, *first.candidate, {.group = group}, parent, of.member, here);
    is_written = true;
    in_band.set(of.member,
                {.candidate = first.candidate,
                 .node = {.group = group},
                 .level = descent.cut<double>(*first.candidate, group, parts(below, member), others_, here)});
  }
  if (!is_written) write_over(descent, {.group = group}, parent, of.member);
}

void TreeOrder::play(const Descent& descent, GroupIndex group) {
  const Member member = groups_[group].member;
  for (InBand& in_band : groups_[groups_[group].parent].bands) {
    if (in_band.bests[member].candidate != nullptr) {
      in_band.order.play(member, before(descent, in_band));
    } else {
      in_band.order.leave(member, before(descent, in_band));
    }
  }
}

/// Those below which something changed, the deepest first.
void TreeOrder::represent_groups(const Descent& descent) {
  for (std::size_t depth = changed_groups_.size(); depth-- > 0;) {
    std::vector<GroupIndex>& groups = changed_groups_[depth];
    for (const GroupIndex group : groups) represent(descent, group);
    for (const GroupIndex group : groups) play(descent, group);
    groups.clear();
  }
}

/// The members of the root in the highest band that there is; nullptr: there is none.
const TreeOrder::InBand* TreeOrder::highest() const {
  const InBand* first = nullptr;
  for (const InBand& each : groups_[kRoot].bands) {
    if (!each.order.empty() && (first == nullptr || each.band.is_above(first->band))) first = &each;
  }
  return first;
}

const TreeCandidate* TreeOrder::chosen(const Descent& descent, Random& random) const {
  const InBand* const first = highest();
  if (first == nullptr) return nullptr;
  return descent.precedence_.tie == Tie::random ? drawn(descent, kRoot, first->band, random)
                                                : first->bests[first->order.winner()].candidate;
}

const TreeCandidate* TreeOrder::drawn(const Descent& descent, GroupIndex group, Band band,
                                      Random& random) const {
  const InBand& in_band = *find(group, band);
  const Best& lowest = in_band.bests[in_band.order.winner()];
  std::vector<const Best*> members;
  in_band.order.for_each_tied(
      [&](Member member) { return descent.compare(in_band.bests[member], lowest) == 0; },
      [&](Member member) { members.push_back(&in_band.bests[member]); });
  std::sort(members.begin(), members.end(), [&](const Best* a, const Best* b) {
    return descent.precedence_.is_before_by_tie_rule(a->candidate->entry, b->candidate->entry);
  });
  const Best& of = members.size() == 1 ? *members.front() : *members[random.below(members.size())];
  return of.node.is_user() ? of.candidate : drawn(descent, of.node.group, band, random);
}

// Visits of those that wait for room.

void TreeOrder::begin_places(const Ledger& ledger) {
  bands_.clear();
  visitors_ = {};
  waiting_ = {};
  vacant_.clear();
  least_ = LeastAmounts(ledger.resource_count());
  keys_ = IndexedVector<KeyRow, Key>(2 * groups_.size());
  key_parts_.assign(keys_.size() * 2 * components_, 0);
  seen_ = IndexedVector<GroupIndex, Seen>(groups_.size());
  groups_seen_.clear();
}

std::uint32_t TreeOrder::number_of(Band band) {
  const auto number = std::find(bands_.begin(), bands_.end(), band) - bands_.begin();
  if (std::cmp_equal(number, bands_.size())) bands_.push_back(band);
  return static_cast<std::uint32_t>(number);
}

void TreeOrder::wait_for_room(const Descent& descent, const TreeCandidate& candidate) {
  const Ledger& ledger = descent.ledger();
  OfUser& of = users_[candidate.user];
  Place place = visitors_.end_index();
  if (vacant_.empty()) {
    visitors_.push_back({});
    waiting_.push_back({});
    keys_.resize(keys_.size() + 2);
    key_parts_.resize(keys_.size() * 2 * components_);
  } else {
    place = vacant_.back();
    vacant_.pop_back();
  }
  of.places.push_back(place);
  waiting_[place] = candidate;
  const Descent::Parts<double> here = parts(of_user_at(place));
  const TreeNode node{.user = candidate.user};
  write_beyond(descent, candidate, node, of.group, of.member, here);
  Key& key = keys_[of_user_at(place)];
  key.level = descent.level(candidate, node, here);
  keys_[group_by(place)].version = 0;
  const Band band{.tier = candidate.tier, .is_covered = candidate.is_covered};
  visitors_[place] = {.kappa = decides_alone(key.level),
                      .group = of.group,
                      .band = candidate.is_stopped ? kNoBand : number_of(band),
                      .user = candidate.user,
                      .member = of.member,
                      .runs_anywhere = candidate.runs_anywhere};
  const TaskClassIndex task_class = ledger.queues[candidate.entry.queue].task_class;
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  const std::span<const std::int64_t> bound = ledger.server_pool.capacity_bound();
  if (alternatives.size() == 1) {
    least_.set(place.number(), alternatives.front().demand, bound);
  } else {
    least_.set(place.number(), least(alternatives), bound);
  }
}

void TreeOrder::leave_places(UserIndex user) {
  OfUser& of = users_[user];
  for (const Place place : of.places) {
    least_.clear(place.number());
    vacant_.push_back(place);
  }
  of.places.clear();
}

std::uint32_t TreeOrder::highest_band() {
  const InBand* const first = highest();
  any_plays_ = first != nullptr;
  return any_plays_ ? number_of(first->band) : kNoBand;
}

/// Only those of this band are looked at, and none has been seen.
void TreeOrder::begin_visits(std::uint32_t band) {
  band_ = band;
  ++visits_;
  for (std::vector<GroupIndex>& groups : groups_seen_) groups.clear();
}

TreeOrder::Best TreeOrder::best_of(GroupIndex group, const Seen& seen) const {
  if (seen.key == kNone) return find(group, bands_[band_])->bests[seen.member];
  return {.candidate = seen.candidate, .node = seen.node, .level = keys_[seen.key].level};
}

/// Of two candidates that visit the same group.
bool TreeOrder::is_ahead(const Descent& descent, Place place, const Seen& seen) const {
  const TreeCandidate& candidate = waiting_[place];
  const Best best{
      .candidate = &candidate, .node = {.user = candidate.user}, .level = keys_[of_user_at(place)].level};
  return comes_before(descent, best, best_of(visitors_[place].group, seen));
}

/// From now on this is the first member of the group.
void TreeOrder::see(GroupIndex group, const Seen& seen) {
  Seen& of = seen_[group];
  if (of.visits != visits_) {
    const std::size_t depth = groups_[group].depth;
    if (depth >= groups_seen_.size()) groups_seen_.resize(depth + 1);
    groups_seen_[depth].push_back(group);
  }
  of = seen;
  of.visits = visits_;
}

/// Compares the first visitor of the group with the one that represents it otherwise, which becomes the first
/// member where that is another than without visitors. Is the first member another than without them?
bool TreeOrder::displaces(const Descent& descent, GroupIndex group) {
  if (!any_plays_) return true;
  Seen& seen = seen_[group];
  const InBand* const in_band = find(group, bands_[band_]);
  if (in_band == nullptr || in_band->order.empty()) return true;
  const auto is_displaced = [&](Member member) {
    const TreeNode node = in_band->bests[member].node;
    return !node.is_user() && seen_[node.group].displaced == visits_;
  };
  const Member winner = in_band->order.winner();
  Member first = is_displaced(winner) ? Member(kNone) : winner;
  if (first == kNone) {
    const auto before = this->before(descent, *in_band);
    for (const Member member : in_band->bests.indices()) {
      if (!in_band->order.holds(member) || is_displaced(member)) continue;
      if (first == kNone || before(member, first)) first = member;
    }
  }
  if (first == kNone || comes_before(descent, best_of(group, seen), in_band->bests[first])) return true;
  if (first == winner) return false;
  const Best& best = in_band->bests[first];
  see(group, {.candidate = best.candidate, .node = best.node, .member = first});
  return true;
}

/// The group visits its parent: its first member, which is known, represents it.
void TreeOrder::represent_with_visitors(const Descent& descent, GroupIndex group) {
  Seen& seen = seen_[group];
  seen.displaced = visits_;
  const OfGroup& of = groups_[group];
  const KeyRow row = row_of(group, seen);
  Key& key = keys_[row];
  if (seen.first == kNone || key.version != of.version || key.first != seen.first) {
    const Best first = best_of(group, seen);
    write_others(descent, group, first, seen.member);
    const Descent::Parts<double> here = parts(row);
    write_e(descent, *first.candidate, {.group = group}, over(of.parent, of.member), here.e);
    descent.write_beyond(*first.candidate, {.group = group}, 1, here.e_with);
    const Descent::Parts<double> of_member =
        seen.key == kNone ? parts(in_band(group, bands_[band_]), seen.member) : parts(seen.key);
    key = {.level = descent.cut<double>(*first.candidate, group, of_member, others_, here),
           .version = of.version,
           .first = seen.first};
  }
  const Seen visitor{.kappa = decides_alone(key.level),
                     .candidate = seen.candidate,
                     .first = seen.first,
                     .key = row,
                     .node = {.group = group},
                     .member = of.member};
  const Seen& there = seen_[of.parent];
  if (there.visits == visits_) {
    if (is_far_below(there.kappa, visitor.kappa)) return;
    if (!is_far_below(visitor.kappa, there.kappa) &&
        !comes_before(descent, best_of(of.parent, visitor), best_of(of.parent, there)))
      return;
  }
  see(of.parent, visitor);
}

/// The first of all, if it is another one than without visitors.
const TreeCandidate* TreeOrder::first_with_visitors(const Descent& descent) {
  for (std::size_t depth = groups_seen_.size(); depth-- > 1;) {
    for (const GroupIndex group : groups_seen_[depth]) {
      if (displaces(descent, group)) represent_with_visitors(descent, group);
    }
  }
  const bool any = !groups_seen_.empty() && !groups_seen_.front().empty();
  return any && displaces(descent, kRoot) ? seen_[kRoot].candidate : nullptr;
}

const TreeCandidate* Descent::next(std::span<const TreeCandidate> candidates, Random& random) const {
  IndexedVector<UserIndex, std::vector<TreeCandidate>> of_users(ledger().users.index_count());
  for (const TreeCandidate& each : candidates) of_users[each.user].push_back(each);
  TreeOrder order;
  const TreeCandidate* const next = order.next(
      *this,
      [&](UserIndex user, std::vector<TreeCandidate>& of_user, std::vector<Amounts>& /*demands*/) {
        of_user = of_users[user];
      },
      random);
  if (next == nullptr) return nullptr;
  return &*std::find_if(candidates.begin(), candidates.end(),
                        [&](const TreeCandidate& each) { return each.entry == next->entry; });
}

}  // namespace mirab::scheduling
