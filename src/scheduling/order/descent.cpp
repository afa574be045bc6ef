// Who is next in a tree (docs/explanation/teams.md). With ĝ_v the guarantee of node v, used_v what runs below
// it and d the demand of a candidate, over_{v,r} = max(0, used_{v,r} − ĝ_{v,r}) / C_r. Only candidates of the
// highest tier are looked at, and of these only the covered ones, if there are any. Keys along a candidate's
// path, from the user up:
//
//   the user:    e_r = over_{n,r},   e⁺_r = max(0, used_{n,r} + d_r − ĝ_{n,r}) / C_r
//   a group v, c the child on the path:
//                o_r = Σ over the other children c' of min(over_{c',r}, φ_{c'} κ⁺_c)
//                e_r = min(over_{v,r}, e_{c,r} + o_r),  e⁺_r the same of e⁺_{c,r} and of over_{v,r} with the
//                task
//   each:        κ = max_r e_r / φ,  κ⁺ = max_r e⁺_r / φ
//                ρ = max over d_r > 0 of used_{v,r} / (C_r φ); of a user over all r
//
// From the users up each node is represented by the candidate of the child with the lowest (κ, ρ); the tie
// rule decides between equal ones. So a group is compared by what its members hold beyond its guarantee, but
// a member counts, per weight, for no more than the level that the one on the candidate's path would have
// with the task (the cut).
//
// Weight 0: a node with e > 0 comes after every sibling with a weight, and such nodes are compared by max_r
// e_r. If the child on the path has weight 0 and e⁺ > 0, its siblings count in full.
//
// The components r are those of the discipline: the resources for drf; their sum for asset; the number of
// tasks for round-robin, and tasks as parts of those that the cluster runs for tsf, both without guarantees;
// for ps-dsf the resources that the task demands, with c_{i,r} of a server of the class for C_r.
//
// Keys are computed in doubles. Every term is a sum, a product or a minimum of numbers that are not negative,
// so that the rounding error is a part of it that grows with the number of terms; nodes whose keys differ by
// less are compared as fractions.
//
// Example: one resource of 10, B holds 2, of team A a1 holds 6 and a2 nothing. For a task of a2 its κ⁺ is
// 1/10: a1 counts for 1/10, A for 1/10 and B for 2/10. A is next.
//
// Cost: of a decision O(Σ over the groups with candidates of m members).
#include "scheduling/order/descent.hpp"

#include <algorithm>
#include <cmath>

namespace mirab::scheduling {

using fairness::Wide;

namespace {

template <class Number>
Number number_of(Wide value) {
  if constexpr (std::is_same_v<Number, double>) {
    return static_cast<double>(value);
  } else {
    mpz_class high(static_cast<std::int64_t>(value >> 62));
    high <<= 62;
    high += static_cast<std::int64_t>(value & ((Wide{1} << 62) - 1));
    return Number(high);
  }
}

/// φ, or 1 for 0.
template <class Number>
Number weight_of(const Weight& weight) {
  if (weight.numerator == 0) return Number(1);
  if constexpr (std::is_same_v<Number, double>) {
    return weight.value();
  } else {
    return Number(mpz_class(weight.numerator), mpz_class(weight.denominator));
  }
}

}  // namespace

std::size_t Descent::components() const {
  const bool by_resource = measure() == TreeMeasure::resources || measure() == TreeMeasure::server_class;
  return by_resource ? ledger().resource_count() : 1;
}

bool Descent::counts(std::size_t r, const TreeCandidate& candidate) const {
  const ShareContext& context = *precedence_.context;
  if (measure() == TreeMeasure::server_class)
    return candidate.demand[r] > 0 &&
           context.server_classes.capacities()[candidate.entry.tournament.server_class()][r] > 0;
  return context.pool()[r] > 0;
}

/// s_r units / C_r, or of the server class
template <class Number>
Number Descent::part(Wide units, std::size_t r, const TreeCandidate& candidate) const {
  const ShareContext& context = *precedence_.context;
  const std::int64_t capacity =
      measure() == TreeMeasure::server_class
          ? context.server_classes.capacities()[candidate.entry.tournament.server_class()][r]
          : context.pool()[r];
  const Number of_capacity(number_of<Number>(units) / number_of<Number>(capacity));
  return context.scale.times(of_capacity, r);
}

/// Σ_s x_s / u_s over the task classes of the users below.
template <class Number>
Number Descent::tasks_alone(TreeNode node) const {
  const ShareContext& context = *precedence_.context;
  Number sum = 0;
  if (node.is_user()) {
    const auto add = [&](TaskClassIndex task_class, std::int64_t tasks) {
      if (tasks == 0) return;
      if constexpr (std::is_same_v<Number, double>) {
        sum += static_cast<double>(tasks) / context.alone_value[task_class];
      } else {
        sum += Number(tasks) / context.alone[task_class];
      }
    };
    if (after_ != nullptr) {
      after_->by_class(node.user).for_each(add);
    } else {
      TasksByClass(ledger().queues, ledger().users[node.user].queues).for_each(add);
    }
    return sum;
  }
  const GroupRow& group = ledger().groups[node.group];
  for (const GroupIndex member : group.groups) sum += tasks_alone<Number>({.group = member});
  for (const UserIndex member : group.users) sum += tasks_alone<Number>({.user = member});
  return sum;
}

/// over_r of the node, with the candidate's task this number of times, by component.
template <class Number>
void Descent::write_beyond(const TreeCandidate& candidate, TreeNode node, std::int64_t times,
                           std::vector<Number>& parts) const {
  parts.assign(components(), Number(0));
  if (measure() == TreeMeasure::tasks) {
    parts[0] = number_of<Number>(Wide{running(node)} + Wide{times} * candidate.tasks);
    return;
  }
  if (measure() == TreeMeasure::tasks_alone) {
    parts[0] = tasks_alone<Number>(node);
    if (times == 0 || candidate.tasks == 0) return;
    const TaskClassIndex task_class = ledger().queues[candidate.entry.queue].task_class;
    const ShareContext& context = *precedence_.context;
    if constexpr (std::is_same_v<Number, double>) {
      if (context.alone_value[task_class] > 0)
        parts[0] += static_cast<double>(candidate.tasks) / context.alone_value[task_class];
    } else {
      if (context.alone[task_class] > 0) parts[0] += Number(candidate.tasks) / context.alone[task_class];
    }
    return;
  }
  const std::span<const std::int64_t> used = this->used(node);
  const std::span<const std::int64_t> guarantee = ledger().guarantee(node);
  const bool is_sum = measure() == TreeMeasure::sum;
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (!counts(r, candidate)) continue;
    const Wide beyond = Wide{used[r]} + Wide{times} * candidate.demand[r] - guarantee[r];
    if (beyond > 0) parts[is_sum ? 0 : r] += part<Number>(beyond, r, candidate);
  }
}

template <class Number>
Number Descent::rho(const TreeCandidate& candidate, TreeNode node) const {
  if (measure() == TreeMeasure::tasks) return number_of<Number>(running(node));
  if (measure() == TreeMeasure::tasks_alone) return tasks_alone<Number>(node);
  const std::span<const std::int64_t> used = this->used(node);
  Number rho = 0;
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (!counts(r, candidate) || used[r] == 0) continue;
    if (measure() == TreeMeasure::resources && !node.is_user() && candidate.demand[r] == 0) continue;
    const Number held = part<Number>(used[r], r, candidate);
    if (measure() == TreeMeasure::sum) {
      rho += held;
    } else if (rho < held) {
      rho = held;
    }
  }
  return rho;
}

/// κ, κ⁺ and ρ of e and e⁺.
template <class Number>
void Descent::finish(const TreeCandidate& candidate, TreeNode node, TreeKey<Number>& key) const {
  const Weight& weight = ledger().weight(node);
  const Number phi = weight_of<Number>(weight);
  key.has_weight = weight.numerator > 0;
  key.kappa = Number(*std::max_element(key.e.begin(), key.e.end()) / phi);
  key.kappa_with = Number(*std::max_element(key.e_with.begin(), key.e_with.end()) / phi);
  key.rho = Number(rho<Number>(candidate, node) / phi);
}

template <class Number>
TreeKey<Number> Descent::of_user(const TreeCandidate& candidate) const {
  TreeKey<Number> key;
  const TreeNode user{.user = candidate.user};
  write_beyond(candidate, user, 0, key.e);
  write_beyond(candidate, user, 1, key.e_with);
  finish(candidate, user, key);
  return key;
}

template <class Number>
void Descent::write_of_group(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                             const TreeKey<Number>& of_member, TreeKey<Number>& key) const {
  const GroupRow& row = ledger().groups[group];
  const TreeNode node{.group = group};
  std::vector<Number> others(components(), Number(0));
  std::vector<Number> over;
  const auto add = [&](TreeNode sibling) {
    if (sibling == member) return;
    write_beyond(candidate, sibling, 0, over);
    const Weight& weight = ledger().weight(sibling);
    if (of_member.cuts_nothing()) {
      for (std::size_t r = 0; r < over.size(); ++r) others[r] += over[r];
    } else if (weight.numerator > 0) {
      const Number most(weight_of<Number>(weight) * of_member.kappa_with);
      for (std::size_t r = 0; r < over.size(); ++r) others[r] += std::min(over[r], most);
    }
  };
  for (const GroupIndex sibling : row.groups) add({.group = sibling});
  for (const UserIndex sibling : row.users) add({.user = sibling});

  write_beyond(candidate, node, 0, key.e);
  write_beyond(candidate, node, 1, key.e_with);
  for (std::size_t r = 0; r < others.size(); ++r) {
    key.e[r] = std::min(key.e[r], Number(of_member.e[r] + others[r]));
    key.e_with[r] = std::min(key.e_with[r], Number(of_member.e_with[r] + others[r]));
  }
  finish(candidate, node, key);
}

template <class Number>
TreeKey<Number> Descent::key_at(const TreeCandidate& candidate, TreeNode node) const {
  TreeNode at{.user = candidate.user};
  TreeKey<Number> key = of_user<Number>(candidate);
  while (at != node) {
    const GroupIndex group = ledger().parent(at);
    key = of_group(candidate, group, at, key);
    at = {.group = group};
  }
  return key;
}

template <class Number>
std::vector<TreeKey<Number>> Descent::path(const TreeCandidate& candidate) const {
  std::vector<TreeKey<Number>> keys{of_user<Number>(candidate)};
  TreeNode at{.user = candidate.user};
  for (GroupIndex group = ledger().parent(at); group != kRoot; group = ledger().groups[group].parent) {
    keys.push_back(of_group(candidate, group, at, keys.back()));
    at = {.group = group};
  }
  return keys;
}

template std::vector<TreeKey<double>> Descent::path(const TreeCandidate& candidate) const;
template std::vector<TreeKey<mpq_class>> Descent::path(const TreeCandidate& candidate) const;

template <class Number>
std::vector<Number> Descent::beyond(const TreeCandidate& candidate, TreeNode node) const {
  std::vector<Number> over;
  write_beyond(candidate, node, 0, over);
  const Number phi = weight_of<Number>(ledger().weight(node));
  for (Number& each : over) each = Number(each / phi);
  return over;
}
template std::vector<double> Descent::beyond(const TreeCandidate& candidate, TreeNode node) const;
template std::vector<mpq_class> Descent::beyond(const TreeCandidate& candidate, TreeNode node) const;

double Descent::whole(const TreeCandidate& candidate, TreeNode node) const {
  std::vector<double> over;
  write_beyond(candidate, node, 0, over);
  return *std::max_element(over.begin(), over.end()) / weight_of<double>(ledger().weight(node));
}

// Comparison.

namespace {

std::weak_ordering key_order(const mpq_class& a, const mpq_class& b) { return cmp(a, b) <=> 0; }

template <class Number>
std::weak_ordering key_order(const TreeKey<Number>& a, const TreeKey<Number>& b) {
  if (a.is_last() != b.is_last()) return a.is_last() ? std::weak_ordering::greater : std::weak_ordering::less;
  const std::weak_ordering kappa = key_order(a.kappa, b.kappa);
  return kappa != 0 ? kappa : key_order(a.rho, b.rho);
}

}  // namespace

/// Of two siblings, or two entries of one user.
std::weak_ordering Descent::compare(const Best& a, const Best& b) const {
  if (a.key.is_last() != b.key.is_last())
    return a.key.is_last() ? std::weak_ordering::greater : std::weak_ordering::less;
  const double terms = static_cast<double>(ledger().users.size() + ledger().groups.size());
  const double rounding = kRounding + 4e-16 * terms;
  const auto differ = [&](double x, double y) { return std::abs(x - y) > rounding * std::max(x, y); };
  const auto ordered = [](double x, double y) {
    return x < y ? std::weak_ordering::less : std::weak_ordering::greater;
  };
  if (differ(a.key.kappa, b.key.kappa)) return ordered(a.key.kappa, b.key.kappa);
  const bool is_nothing = a.key.kappa == 0 && b.key.kappa == 0;
  if (is_nothing) {
    if (differ(a.key.rho, b.key.rho)) return ordered(a.key.rho, b.key.rho);
    if (a.key.rho == 0 && b.key.rho == 0) return std::weak_ordering::equivalent;
  }
  if (a.node == b.node && measure() != TreeMeasure::server_class) return std::weak_ordering::equivalent;
  return key_order(key_at<mpq_class>(*a.candidate, a.node), key_at<mpq_class>(*b.candidate, b.node));
}

bool Descent::comes_before(const Best& a, const Best& b) const {
  const std::weak_ordering order = compare(a, b);
  return order != 0 ? order < 0 : precedence_.is_before_by_tie_rule(a.candidate->entry, b.candidate->entry);
}

std::weak_ordering Descent::compare(const TreeCandidate& a, const TreeCandidate& b) const {
  TreeNode of_a{.user = a.user}, of_b{.user = b.user};
  std::vector<TreeNode> path_a{of_a};
  for (GroupIndex up = ledger().parent(of_a); up != kNone; up = ledger().groups[up].parent)
    path_a.push_back({.group = up});
  if (a.user != b.user) {
    // The child of b's path below the lowest common node, then that of a's.
    const auto is_on_a = [&](GroupIndex group) {
      return std::find(path_a.begin(), path_a.end(), TreeNode{.group = group}) != path_a.end();
    };
    while (!is_on_a(ledger().parent(of_b))) of_b = {.group = ledger().parent(of_b)};
    const GroupIndex common = ledger().parent(of_b);
    while (ledger().parent(of_a) != common) of_a = {.group = ledger().parent(of_a)};
  }
  return compare(Best{.candidate = &a, .node = of_a, .key = key_at<double>(a, of_a)},
                 Best{.candidate = &b, .node = of_b, .key = key_at<double>(b, of_b)});
}

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

void TreeOrder::begin(const Ledger& ledger) {
  all_changed_ = false;
  users_ = {};
  groups_ = {};
  users_.resize(ledger.users.index_count());
  groups_.resize(ledger.groups.index_count());
  changed_users_.clear();
  changed_groups_.clear();
  for (const GroupIndex group : ledger.groups.present())
    groups_[group].depth = static_cast<std::uint32_t>(depth_of(ledger, group));
  for (const UserIndex user : ledger.users.present()) user_changed(user);
}

void TreeOrder::change_groups(const Ledger& ledger, GroupIndex group) {
  for (; group != kNone && !groups_[group].is_changed; group = ledger.groups[group].parent) {
    groups_[group].is_changed = true;
    changed_groups_.push_back(group);
  }
}

void TreeOrder::represent(const Descent& descent, UserIndex user) {
  OfUser& of = users_[user];
  of.bests.clear();
  for (const TreeCandidate& each : of.candidates) {
    const Band band{.tier = each.tier, .is_covered = each.is_covered};
    Best here{.candidate = &each, .node = {.user = user}, .key = descent.of_user<double>(each)};
    const auto known = std::find_if(of.bests.begin(), of.bests.end(),
                                    [&](const InBand& in_band) { return in_band.band == band; });
    if (known == of.bests.end()) {
      of.bests.push_back({.band = band, .best = std::move(here)});
    } else if (descent.comes_before(here, known->best)) {
      known->best = std::move(here);
    }
  }
  if (descent.ledger().users.holds(user)) change_groups(descent.ledger(), descent.ledger().users[user].group);
}

template <class Visit>
void TreeOrder::for_each_in_band(const Ledger& ledger, GroupIndex group, Band band, Visit visit) const {
  const auto look = [&](const std::vector<InBand>& of_member) {
    for (const InBand& each : of_member) {
      if (each.band == band) visit(each.best);
    }
  };
  for (const GroupIndex member : ledger.groups[group].groups) look(groups_[member].bests);
  for (const UserIndex member : ledger.groups[group].users) look(users_[member].bests);
}

void TreeOrder::represent(const Descent& descent, GroupIndex group) {
  const GroupRow& row = descent.ledger().groups[group];
  std::vector<InBand>& bests = groups_[group].bests;
  std::vector<std::pair<Band, const Best*>> firsts;
  const auto look = [&](const std::vector<InBand>& of_member) {
    for (const InBand& each : of_member) {
      const auto known = std::find_if(firsts.begin(), firsts.end(),
                                      [&](const auto& first) { return first.first == each.band; });
      if (known == firsts.end()) {
        firsts.emplace_back(each.band, &each.best);
      } else if (descent.comes_before(each.best, *known->second)) {
        known->second = &each.best;
      }
    }
  };
  for (const GroupIndex member : row.groups) look(groups_[member].bests);
  for (const UserIndex member : row.users) look(users_[member].bests);
  bests.resize(firsts.size());
  for (std::size_t at = 0; at < firsts.size(); ++at) {
    const Best& member = *firsts[at].second;
    bests[at].band = firsts[at].first;
    bests[at].best.candidate = member.candidate;
    bests[at].best.node = {.group = group};
    if (group != kRoot)
      descent.write_of_group(*member.candidate, group, member.node, member.key, bests[at].best.key);
  }
}

/// Those around which something changed, from below.
void TreeOrder::represent_groups(const Descent& descent) {
  std::sort(changed_groups_.begin(), changed_groups_.end(),
            [&](GroupIndex a, GroupIndex b) { return groups_[a].depth > groups_[b].depth; });
  for (const GroupIndex group : changed_groups_) {
    groups_[group].is_changed = false;
    represent(descent, group);
  }
  changed_groups_.clear();
}

const TreeCandidate* TreeOrder::chosen(const Descent& descent, Random& random) const {
  const InBand* first = nullptr;
  for (const InBand& each : groups_[kRoot].bests) {
    if (first == nullptr || each.band.is_above(first->band)) first = &each;
  }
  if (first == nullptr) return nullptr;
  return descent.precedence_.tie == Tie::random ? drawn(descent, kRoot, first->band, random)
                                                : first->best.candidate;
}

const TreeCandidate* TreeOrder::drawn(const Descent& descent, GroupIndex group, Band band,
                                      Random& random) const {
  std::vector<const Best*> members;
  for_each_in_band(descent.ledger(), group, band, [&](const Best& each) { members.push_back(&each); });
  const Best& lowest = **std::min_element(members.begin(), members.end(), [&](const Best* a, const Best* b) {
    return descent.comes_before(*a, *b);
  });
  std::erase_if(members, [&](const Best* each) { return descent.compare(*each, lowest) != 0; });
  std::sort(members.begin(), members.end(), [&](const Best* a, const Best* b) {
    return descent.precedence_.is_before_by_tie_rule(a->candidate->entry, b->candidate->entry);
  });
  const Best& of = members.size() == 1 ? *members.front() : *members[random.below(members.size())];
  return of.node.is_user() ? of.candidate : drawn(descent, of.node.group, band, random);
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
