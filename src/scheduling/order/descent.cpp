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
// Weight 0: a node with e⁺ > 0 comes after every sibling with a weight, and such nodes are compared by max_r
// e_r. If the child on the path has weight 0 and e⁺ > 0, its siblings count in full.
//
// The *task view* (View::whole_tasks) takes for min(over_{c',r}, φ_{c'} κ⁺_c) the larger min(over_{c',r},
// full_{c',r}), with
//
//   a_r    = φ_{c'} κ⁺_c C_r + ĝ_{c',r}
//   n_s    = 1 + min over s_r > 0 of ⌊a_r / s_r⌋
//   full_r = max over s of max(0, max(n_s s_r, a_r) − ĝ_{c',r}) / C_r,
//
// where s are the demands of the kinds of tasks below c' (DemandsSeen): there a task of a sibling counts,
// whole, if it began at or below the level. Where a discipline has one component, s is what a task adds to
// it, and guarantees are left out of a.
//
// The components r are those of the discipline: the resources for drf; their sum for asset; the number of
// tasks for round-robin, and tasks as parts of those that the cluster runs for tsf, both without guarantees;
// for ps-dsf the resources that the task demands, with c_{i,r} of a server of the class for C_r.
//
// Keys are computed in doubles. Every term is a sum, a product or a minimum of numbers that are not negative,
// so that the rounding error is a part of it that grows with the number of terms; nodes whose keys differ by
// less are compared as whole numbers of a part that all are multiples of, or as fractions.
//
// Example: one resource of 10, B holds 2, of team A a1 holds 6 and a2 nothing. For a task of a2 its κ⁺ is
// 1/10: a1 counts for 1/10, A for 1/10 and B for 2/10. A is next.
#include "scheduling/order/descent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scheduling/ledger/paths.hpp"

namespace mirab::scheduling {

using fairness::Wide;

namespace {

mpz_class integer_of(Wide value) {
  const auto low = static_cast<std::int64_t>(value);
  if (low == value) return mpz_class(low);
  mpz_class whole(static_cast<std::int64_t>(value >> 62));
  whole <<= 62;
  whole += static_cast<std::int64_t>(value & ((Wide{1} << 62) - 1));
  return whole;
}

template <class Number>
Number number_of(Wide value) {
  if constexpr (std::is_same_v<Number, double>) {
    const auto low = static_cast<std::int64_t>(value);
    return low == value ? static_cast<double>(low) : static_cast<double>(value);
  } else if constexpr (std::is_same_v<Number, Wide>) {
    return value;
  } else {
    return Number(integer_of(value));
  }
}

/// φ, or 1 for 0.
template <class Number>
Number weight_of(const Weight& weight) {
  if (weight.numerator == 0) return Number(1);
  if constexpr (std::is_same_v<Number, double>) {
    return weight.value();
  } else if constexpr (std::is_same_v<Number, Wide>) {
    MIRAB_ASSERT(weight == Weight{}, "parts are counted, and a weight divides them");
    return 1;
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
  if constexpr (std::is_same_v<Number, Wide>) {
    return units * parts_of_units_[r];
  } else if constexpr (std::is_same_v<Number, double>) {
    return context.scale.times(number_of<double>(units) / number_of<double>(capacity), r);
  } else {
    Number exact(mpz_class(integer_of(units) * context.scale.whole[r]), mpz_class(capacity));
    exact.canonicalize();
    return exact;
  }
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
      } else if constexpr (std::is_same_v<Number, mpq_class>) {
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

namespace {

/// max(0, units) s_r / C_r.
template <class Units>
double part_beyond(const ShareContext& context, std::size_t r, Units units) {
  const std::int64_t capacity = context.pool()[r];
  if (units <= 0 || capacity <= 0) return 0;
  return context.scale.rounded[r] * (static_cast<double>(units) / static_cast<double>(capacity));
}

/// max(0, used_r − guarantee_r) s_r / C_r, where nullptr is no guarantee. In doubles, for drf.
void write_parts_beyond(const ShareContext& context, std::span<const std::int64_t> used,
                        const std::int64_t* guarantee, std::span<double> parts) {
  for (std::size_t r = 0; r < parts.size(); ++r)
    parts[r] = part_beyond(context, r, guarantee != nullptr ? used[r] - guarantee[r] : used[r]);
}

/// The same, and the same of used_r + demand_r.
void write_parts_beyond(const ShareContext& context, std::span<const std::int64_t> used,
                        const std::int64_t* demand, const std::int64_t* guarantee, std::span<double> parts,
                        std::span<double> parts_with) {
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const std::int64_t beyond = guarantee != nullptr ? used[r] - guarantee[r] : used[r];
    std::int64_t with = 0;
    parts[r] = part_beyond(context, r, beyond);
    parts_with[r] = __builtin_add_overflow(beyond, demand[r], &with)
                        ? part_beyond(context, r, Wide{beyond} + demand[r])
                        : part_beyond(context, r, with);
  }
}

/// max_r used_r s_r / C_r, where a demand is given over d_r > 0. The same.
double largest_part(const ShareContext& context, std::span<const std::int64_t> used,
                    const std::int64_t* demand) {
  const std::int64_t* const pool = context.pool().data();
  const double* const scale = context.scale.rounded.data();
  double most = 0;
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (pool[r] <= 0 || (demand != nullptr && demand[r] == 0)) continue;
    most = std::max(most, scale[r] * (static_cast<double>(used[r]) / static_cast<double>(pool[r])));
  }
  return most;
}

}  // namespace

/// ĝ of the node; nullptr: nothing.
const std::int64_t* Descent::promised(TreeNode node) const {
  if (!ledger().has_quotas()) return nullptr;
  const bool is_promised = !node.is_user() || ledger().users[node.user].quota.guarantee.has_value();
  return is_promised ? ledger().guarantee(node).data() : nullptr;
}

/// over_r of the node, by component, and the same with the candidate's task.
template <class Number>
void Descent::write_beyond(const TreeCandidate& candidate, TreeNode node, Parts<Number> parts) const {
  if constexpr (std::is_same_v<Number, double>) {
    if (measure() == TreeMeasure::resources)
      return write_parts_beyond(*precedence_.context, used(node), candidate.demand.data(), promised(node),
                                parts.e, parts.e_with);
  }
  write_beyond(candidate, node, 0, parts.e);
  write_beyond(candidate, node, 1, parts.e_with);
}

template <class Number>
void Descent::write_beyond(const TreeCandidate& candidate, TreeNode node, std::int64_t times,
                           std::span<Number> parts) const {
  const std::int64_t* const guarantee = promised(node);
  const std::int64_t* const demand = times != 0 ? candidate.demand.data() : nullptr;
  if constexpr (std::is_same_v<Number, double>) {
    if (measure() == TreeMeasure::resources && times == 0)
      return write_parts_beyond(*precedence_.context, used(node), guarantee, parts);
  }
  std::fill(parts.begin(), parts.end(), Number(0));
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
        parts[0] += static_cast<double>(times * candidate.tasks) / context.alone_value[task_class];
    } else if constexpr (std::is_same_v<Number, mpq_class>) {
      if (context.alone[task_class] > 0)
        parts[0] += Number(times * candidate.tasks) / context.alone[task_class];
    }
    return;
  }
  const std::span<const std::int64_t> used = this->used(node);
  const bool is_sum = measure() == TreeMeasure::sum;
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (!counts(r, candidate)) continue;
    Wide beyond = used[r];
    if (demand != nullptr) beyond += Wide{times} * demand[r];
    if (guarantee != nullptr) beyond -= guarantee[r];
    if (beyond > 0) parts[is_sum ? 0 : r] += part<Number>(beyond, r, candidate);
  }
}

template <class Number>
Number Descent::rho(const TreeCandidate& candidate, TreeNode node) const {
  if (measure() == TreeMeasure::tasks) return number_of<Number>(running(node));
  if (measure() == TreeMeasure::tasks_alone) return tasks_alone<Number>(node);
  const std::span<const std::int64_t> used = this->used(node);
  if constexpr (std::is_same_v<Number, double>) {
    if (measure() == TreeMeasure::resources)
      return largest_part(*precedence_.context, used, node.is_user() ? nullptr : candidate.demand.data());
  }
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

namespace {

template <class Number>
Number divided_by(const Number& part, const Weight& weight) {
  if (weight == Weight{}) return part;
  return Number(part / weight_of<Number>(weight));
}

template <class Number>
const Number& largest_of(std::span<const Number> parts) {
  return *std::max_element(parts.begin(), parts.end());
}

}  // namespace

/// κ, κ⁺ and ρ of e and e⁺.
template <class Number>
TreeLevel<Number> Descent::level(const TreeCandidate& candidate, TreeNode node, Parts<Number> parts) const {
  const Weight& weight = ledger().weight(node);
  TreeLevel<Number> level{.kappa = divided_by(largest_of<Number>(parts.e), weight),
                          .kappa_with = divided_by(largest_of<Number>(parts.e_with), weight),
                          .has_weight = weight.numerator > 0};
  if (!std::is_same_v<Number, double> || level.kappa == 0)
    level.rho = divided_by(rho<Number>(candidate, node), weight);
  return level;
}

/// Of a group. `others`: o_r. Requires that e is over_r, and e⁺ the same with the task.
template <class Number>
TreeLevel<Number> Descent::cut(const TreeCandidate& candidate, GroupIndex group, Parts<Number> of_member,
                               std::span<const Number> others, Parts<Number> parts) const {
  for (std::size_t r = 0; r < others.size(); ++r) {
    parts.e[r] = std::min(parts.e[r], Number(of_member.e[r] + others[r]));
    parts.e_with[r] = std::min(parts.e_with[r], Number(of_member.e_with[r] + others[r]));
  }
  return level(candidate, {.group = group}, parts);
}

namespace {

Wide quotient(const Wide& a, const Wide& b) { return a / b; }
mpq_class quotient(const mpq_class& a, const mpq_class& b) {
  const mpq_class exact = a / b;
  return mpz_class(exact.get_num() / exact.get_den());
}

}  // namespace

/// The one component of a task with this demand.
template <class Number>
Number Descent::component_of(std::span<const std::int64_t> demand, const TreeCandidate& candidate) const {
  if (measure() == TreeMeasure::tasks) return Number(1);
  if (measure() == TreeMeasure::tasks_alone) {
    const ShareContext& context = *precedence_.context;
    if constexpr (std::is_same_v<Number, mpq_class>)
      return Number(1 / tasks_alone_with(context.server_classes, demand));
  }
  Number sum = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (counts(r, candidate) && demand[r] > 0) sum += part<Number>(demand[r], r, candidate);
  }
  return sum;
}

/// Raises what the node may count for, φ t = `level` or more of each component, to full_r, as far as it holds
/// as much: min(over_r, full_r) is the same as of full_r itself. O(kinds m).
template <class Number>
void Descent::raise_to_begun(const TreeCandidate& candidate, TreeNode node, const Number& level,
                             std::span<const Number> over, std::span<Number> most) const {
  const auto counts_whole = [&] {
    return std::equal(over.begin(), over.end(), most.begin(),
                      [](const Number& a, const Number& b) { return a <= b; });
  };
  for (const Amounts& kind : ledger().seen(node).kinds()) {
    if (counts_whole()) return;
    const auto raise = [&](std::size_t r, const Number& to) {
      if (to > most[r]) most[r] = to;
    };
    if (measure() != TreeMeasure::resources) {
      const Number size = component_of<Number>(kind, candidate);
      if (size > 0) raise(0, (quotient(level, size) + 1) * size);
      continue;
    }
    const std::int64_t* const guarantee = promised(node);
    const auto promised_part = [&](std::size_t r) {
      return guarantee != nullptr ? part<Number>(guarantee[r], r, candidate) : Number(0);
    };
    std::optional<Number> tasks;
    for (std::size_t r = 0; r < most.size(); ++r) {
      if (!counts(r, candidate) || kind[r] == 0) continue;
      const Number size = part<Number>(kind[r], r, candidate);
      if (!(size > 0)) continue;
      const Number begun = quotient(Number(level + promised_part(r)), size) + 1;
      if (!tasks || begun < *tasks) tasks = begun;
    }
    for (std::size_t r = 0; r < most.size() && tasks; ++r) {
      if (counts(r, candidate)) raise(r, *tasks * part<Number>(kind[r], r, candidate) - promised_part(r));
    }
  }
}

/// o_r of the group. O(members m).
template <class Number>
void Descent::write_others(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                           const TreeLevel<Number>& of_member, std::span<Number> others, View view) const {
  const GroupRow& row = ledger().groups[group];
  std::vector<Number> over(others.size()), most(others.size());
  const auto add = [&](TreeNode sibling) {
    if (sibling == member) return;
    write_beyond(candidate, sibling, 0, std::span(over));
    const Weight& weight = ledger().weight(sibling);
    if (of_member.cuts_nothing()) {
      for (std::size_t r = 0; r < over.size(); ++r) others[r] += over[r];
    } else if (weight.numerator > 0) {
      const Number level(weight_of<Number>(weight) * of_member.kappa_with);
      std::fill(most.begin(), most.end(), level);
      if constexpr (std::is_same_v<Number, double>) {
        MIRAB_ASSERT(view == View::exact, "tasks are counted, and doubles are rounded");
      } else if (view == View::whole_tasks) {
        raise_to_begun<Number>(candidate, sibling, level, over, most);
      }
      for (std::size_t r = 0; r < over.size(); ++r) others[r] += std::min(over[r], most[r]);
    }
  };
  for (const GroupIndex sibling : row.groups) add({.group = sibling});
  for (const UserIndex sibling : row.users) add({.user = sibling});
}

template <class Number>
TreeKey<Number> Descent::of_user(const TreeCandidate& candidate) const {
  TreeKey<Number> key;
  key.e.resize(components());
  key.e_with.resize(components());
  const TreeNode user{.user = candidate.user};
  write_beyond(candidate, user, parts_of(key));
  static_cast<TreeLevel<Number>&>(key) = level(candidate, user, parts_of(key));
  return key;
}

template <class Number>
TreeKey<Number> Descent::of_group(const TreeCandidate& candidate, GroupIndex group, TreeNode member,
                                  TreeKey<Number>& of_member, View view) const {
  TreeKey<Number> key;
  key.e.resize(components());
  key.e_with.resize(components());
  std::vector<Number> others(components(), Number(0));
  write_others<Number>(candidate, group, member, of_member, others, view);
  write_beyond(candidate, {.group = group}, parts_of(key));
  static_cast<TreeLevel<Number>&>(key) =
      cut<Number>(candidate, group, parts_of(of_member), others, parts_of(key));
  return key;
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
std::vector<TreeKey<Number>> Descent::path(const TreeCandidate& candidate, View view) const {
  std::vector<TreeKey<Number>> keys{of_user<Number>(candidate)};
  TreeNode at{.user = candidate.user};
  for (GroupIndex group = ledger().parent(at); group != kRoot; group = ledger().groups[group].parent) {
    keys.push_back(of_group(candidate, group, at, keys.back(), view));
    at = {.group = group};
  }
  return keys;
}

template std::vector<TreeKey<double>> Descent::path(const TreeCandidate& candidate, View view) const;
template std::vector<TreeKey<mpq_class>> Descent::path(const TreeCandidate& candidate, View view) const;
template std::vector<TreeKey<Wide>> Descent::path(const TreeCandidate& candidate, View view) const;

template <class Number>
std::vector<Number> Descent::beyond(const TreeCandidate& candidate, TreeNode node, std::int64_t times) const {
  std::vector<Number> over(components());
  write_beyond(candidate, node, times, std::span(over));
  const Number phi = weight_of<Number>(ledger().weight(node));
  for (Number& each : over) each = Number(each / phi);
  return over;
}
template std::vector<double> Descent::beyond(const TreeCandidate&, TreeNode, std::int64_t) const;
template void Descent::write_beyond(const TreeCandidate&, TreeNode, std::int64_t, std::span<double>) const;
template std::vector<mpq_class> Descent::beyond(const TreeCandidate&, TreeNode, std::int64_t) const;
template std::vector<Wide> Descent::beyond(const TreeCandidate&, TreeNode, std::int64_t) const;

double Descent::whole(const TreeCandidate& candidate, TreeNode node) const {
  std::vector<double> over(components());
  write_beyond(candidate, node, 0, std::span(over));
  return *std::max_element(over.begin(), over.end()) / weight_of<double>(ledger().weight(node));
}

double Descent::held(const TreeCandidate& candidate, TreeNode node) const {
  return divided_by(rho<double>(candidate, node), ledger().weight(node));
}

// Whole numbers. Where all weights are 1, every term of a key is a sum of parts s_r units / C_r: a multiple
// of 1 / L, with L the least common multiple of the C_r. So keys are counted in these.

/// Of each resource s_r L / C_r. Nothing where keys might not be counted in Wide: a key is at most Σ_r of
/// what is used together and of a demand, twice, and these are at most `most` units of r.
std::optional<std::vector<Wide>> Descent::parts_of_units(std::span<const Wide> most) const {
  const ShareContext& context = *precedence_.context;
  const std::span<const std::int64_t> pool = context.pool();
  std::vector<Wide> parts(pool.size(), 0);
  if (measure() == TreeMeasure::tasks) return parts;
  if (measure() != TreeMeasure::resources && measure() != TreeMeasure::sum) return {};
  Wide common = 1;
  for (const std::int64_t capacity : pool) {
    if (capacity <= 0) continue;
    const Wide others = common / std::gcd(static_cast<std::int64_t>(common % capacity), capacity);
    if (others > (Wide{1} << 123) / capacity) return {};
    common = others * capacity;
  }
  const Wide most_parts = (Wide{1} << 123) / static_cast<std::int64_t>(pool.size());
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] <= 0) continue;
    const Wide of_unit = common / pool[r], scale = context.scale.whole[r];
    if (scale > most_parts / of_unit / std::max<Wide>(most[r], 1)) return {};
    parts[r] = of_unit * scale;
  }
  return parts;
}

/// Have the node, and all members of the groups from its candidate up to it, a weight of 1?
bool Descent::has_unit_weights(const Best& best) const {
  const auto is_unit = [&](TreeNode member) { return ledger().weight(member) == Weight{}; };
  for (TreeNode at{.user = best.candidate->user}; at != best.node; at = {.group = ledger().parent(at)}) {
    const GroupRow& group = ledger().groups[ledger().parent(at)];
    if (!std::all_of(group.users.begin(), group.users.end(),
                     [&](UserIndex member) { return is_unit({.user = member}); }) ||
        !std::all_of(group.groups.begin(), group.groups.end(),
                     [&](GroupIndex member) { return is_unit({.group = member}); }))
      return false;
  }
  return is_unit(best.node);
}

bool Descent::has_unit_weights() const {
  for (const GroupIndex group : ledger().groups.present()) {
    if (ledger().groups[group].weight != Weight{}) return false;
  }
  for (const UserIndex user : ledger().users.present()) {
    if (ledger().users[user].weight != Weight{}) return false;
  }
  return true;
}

std::optional<Descent> Descent::with_parts(std::span<const Wide> most) const {
  std::optional<std::vector<Wide>> parts = parts_of_units(most);
  if (!parts) return {};
  Descent counted = *this;
  counted.parts_of_units_ = *std::move(parts);
  return counted;
}

std::optional<Descent> Descent::counted() const {
  if (!has_unit_weights()) return {};
  return with_parts(std::vector<Wide>(ledger().resource_count(), Wide{1} << 63));
}

/// For the keys of the two nodes: their members use no more than they do.
std::optional<Descent> Descent::counted(const Best& a, const Best& b) const {
  if (!has_unit_weights(a) || !has_unit_weights(b)) return {};
  const std::span<const std::int64_t> used_a = used(a.node), used_b = used(b.node);
  std::vector<Wide> most(used_a.size());
  for (std::size_t r = 0; r < most.size(); ++r)
    most[r] = Wide{std::max(used_a[r], used_b[r])} + std::max(a.candidate->demand[r], b.candidate->demand[r]);
  return with_parts(most);
}

// Comparison.

namespace {

std::weak_ordering key_order(const mpq_class& a, const mpq_class& b) { return cmp(a, b) <=> 0; }
std::weak_ordering key_order(Wide a, Wide b) { return a <=> b; }

template <class Number>
std::weak_ordering key_order(const TreeLevel<Number>& a, const TreeLevel<Number>& b) {
  if (a.is_last() != b.is_last()) return a.is_last() ? std::weak_ordering::greater : std::weak_ordering::less;
  const std::weak_ordering kappa = key_order(a.kappa, b.kappa);
  return kappa != 0 ? kappa : key_order(a.rho, b.rho);
}

}  // namespace

/// Of two siblings, or two entries of one user.
std::weak_ordering Descent::compare(const Best& a, const Best& b) const {
  if (a.level.is_last() != b.level.is_last())
    return a.level.is_last() ? std::weak_ordering::greater : std::weak_ordering::less;
  const double terms = static_cast<double>(ledger().users.size() + ledger().groups.size());
  const double rounding = kRounding + 4e-16 * terms;
  const auto differ = [&](double x, double y) { return std::abs(x - y) > rounding * std::max(x, y); };
  const auto ordered = [](double x, double y) {
    return x < y ? std::weak_ordering::less : std::weak_ordering::greater;
  };
  if (differ(a.level.kappa, b.level.kappa)) return ordered(a.level.kappa, b.level.kappa);
  const bool is_nothing = a.level.kappa == 0 && b.level.kappa == 0;
  if (is_nothing) {
    if (differ(a.level.rho, b.level.rho)) return ordered(a.level.rho, b.level.rho);
    if (a.level.rho == 0 && b.level.rho == 0) return std::weak_ordering::equivalent;
  }
  if (a.node == b.node && measure() != TreeMeasure::server_class) return std::weak_ordering::equivalent;
  // Of a user without a guarantee κ = ρ is the share per weight, whose fractions are compared faster.
  const auto is_compared_by_share = [&](TreeNode node) {
    return node.is_user() && measure() != TreeMeasure::server_class &&
           precedence_.discipline->share != nullptr && ledger().weight(node).numerator > 0 &&
           !ledger().quota(node).guarantee;
  };
  if (is_compared_by_share(a.node) && is_compared_by_share(b.node)) {
    return precedence_.discipline->share->compare(*precedence_.context, usage_of(ledger(), a.node.user),
                                                  ledger().weight(a.node), usage_of(ledger(), b.node.user),
                                                  ledger().weight(b.node));
  }
  if (const std::optional<Descent> exact = counted(a, b))
    return key_order(exact->key_at<Wide>(*a.candidate, a.node), exact->key_at<Wide>(*b.candidate, b.node));
  return key_order(key_at<mpq_class>(*a.candidate, a.node), key_at<mpq_class>(*b.candidate, b.node));
}

bool Descent::comes_before(const Best& a, const Best& b) const {
  const std::weak_ordering order = compare(a, b);
  return order != 0 ? order < 0 : precedence_.is_before_by_tie_rule(a.candidate->entry, b.candidate->entry);
}

std::weak_ordering Descent::compare(const TreeCandidate& a, const TreeCandidate& b) const {
  TreeNode of_a{.user = a.user}, of_b{.user = b.user};
  if (a.user != b.user) {
    const std::vector<TreeNode> path_a = path_of(ledger(), a.user), path_b = path_of(ledger(), b.user);
    const std::size_t shared = nodes_in_common(path_a, path_b);
    of_a = path_a[path_a.size() - 1 - shared];
    of_b = path_b[path_b.size() - 1 - shared];
  }
  return compare(Best{.candidate = &a, .node = of_a, .level = key_at<double>(a, of_a)},
                 Best{.candidate = &b, .node = of_b, .level = key_at<double>(b, of_b)});
}

}  // namespace mirab::scheduling
