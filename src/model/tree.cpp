// The tree of groups and users (docs/explanation/teams.md): checked once, with effective guarantees and
// reserves. A quota is checked in exact arithmetic; what mechanisms read is the nearest double.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include <mirab/model/problem.hpp>
#include <mirab/model/tree.hpp>

#include "model/exact.hpp"
#include "model/names.hpp"
#include "model/quotas.hpp"

namespace mirab {
namespace {

// An empty vector is 0 of every resource.
const mpq_class& at(const ExactVector& amounts, std::size_t r) {
  static const mpq_class kZero = 0;
  return amounts.empty() ? kZero : amounts[r];
}

void add(ExactVector& sum, const ExactVector& amounts) {
  if (amounts.empty()) return;
  if (sum.empty()) sum.resize(amounts.size());
  for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += amounts[r];
}

std::vector<double> doubles(const ExactVector& amounts) {
  std::vector<double> values;
  values.reserve(amounts.size());
  for (const mpq_class& amount : amounts) values.push_back(nearest(amount));
  return values;
}

std::string text(const mpq_class& amount, QuotaUnit unit) {
  return fmt::format("{}{}", nearest(amount), unit == QuotaUnit::percent ? " %" : "");
}

// The member of a cluster that stands at a node.
const std::string& name_at(const Cluster& cluster, const Tree& tree, std::size_t node) {
  return tree.is_user(node) ? cluster.users[tree.user_at(node)].name
                            : cluster.groups[tree.group_at(node)].name;
}
const Quota& quota_at(const Cluster& cluster, const Tree& tree, std::size_t node) {
  return tree.is_user(node) ? cluster.users[tree.user_at(node)].quota
                            : cluster.groups[tree.group_at(node)].quota;
}
const Quantity& weight_at(const Cluster& cluster, const Tree& tree, std::size_t node) {
  return tree.is_user(node) ? cluster.users[tree.user_at(node)].weight
                            : cluster.groups[tree.group_at(node)].weight;
}
std::string key_at(const Tree& tree, std::size_t node) {
  return tree.is_user(node) ? fmt::format("users[{}]", tree.user_at(node))
                            : fmt::format("groups[{}]", tree.group_at(node));
}

std::string key_of_amount(const Tree& tree, std::size_t node, std::string_view quota,
                          const std::string& resource) {
  const std::string key = fmt::format("{}.{}", key_at(tree, node), quota);
  return resource.empty() ? key : fmt::format("{}.{}", key, resource);
}

Check blame(std::string key, std::string message) {
  return Error{.message = std::move(message), .key = std::move(key)};
}

// Groups and users share one set of names. Those of users have been checked.
Check check_group_names(const Cluster& cluster) {
  if (cluster.groups.empty()) return {};
  std::set<std::string_view> users;
  for (const User& user : cluster.users) users.insert(user.name);
  std::set<std::string_view> groups;
  for (std::size_t g = 0; g < cluster.groups.size(); ++g) {
    const Group& group = cluster.groups[g];
    std::string key = fmt::format("groups[{}].name", g);
    if (Check bad = check_name(group.name, group.is_user ? "user" : "group", key)) return bad;
    const bool is_users = users.contains(group.name);
    if (groups.insert(group.name).second && !is_users) continue;
    return blame(std::move(key), fmt::format("duplicate name: there is already a {} '{}'; groups and users "
                                             "share one set of names",
                                             is_users ? "user" : "group", group.name));
  }
  return {};
}

Check check_lengths(const Quota& quota, std::size_t resources, const std::string& key) {
  const auto check = [&](std::size_t size, std::string_view name) -> Check {
    if (size == 0 || size == resources) return {};
    return blame(fmt::format("{}.{}", key, name),
                 fmt::format("{} amounts for {} resources", size, resources));
  };
  if (Check bad = check(quota.guarantee ? quota.guarantee->size() : 0, "guarantee")) return bad;
  if (Check bad = check(quota.limit.size(), "limit")) return bad;
  return check(quota.reserved.size(), "reserved");
}

Error no_group(const Cluster& cluster, std::size_t before, const std::string& name, std::string key) {
  std::vector<std::string_view> names;
  for (std::size_t g = 0; g < before; ++g) {
    if (!cluster.groups[g].is_user) names.push_back(cluster.groups[g].name);
  }
  return {.message = names.empty() ? fmt::format("there is no group '{}'", name)
                                   : fmt::format("there is no group '{}'{}", name, known_names(name, names)),
          .key = std::move(key)};
}

// The node of the group or root in which a node stands. `nodes` are the groups before it, by name.
Result<std::size_t> parent_of(const Cluster& cluster, const Tree& tree,
                              const std::map<std::string_view, std::size_t>& nodes, std::size_t node) {
  const User* const user = tree.is_user(node) ? &cluster.users[tree.user_at(node)] : nullptr;
  const std::string key = key_at(tree, node) + (user != nullptr ? ".group" : ".parent");
  const bool is_shape = user != nullptr && user->shape.has_value();
  const std::optional<std::string>& parent =
      user != nullptr ? user->group : cluster.groups[tree.group_at(node)].parent;
  if (!parent && is_shape) return Error{.message = "missing: a task shape is a member of a user", .key = key};
  if (!parent) return 0;
  const auto found = nodes.find(*parent);
  if (found == nodes.end()) {
    const auto is_parent = [&](const User& each) { return each.name == *parent; };
    if (std::any_of(cluster.users.begin(), cluster.users.end(), is_parent))
      return Error{
          .message = fmt::format("'{}' is a user, not a group: to put both into one group, declare it "
                                 "under `groups` and name it as the `group` of each",
                                 *parent),
          .key = key};
    return no_group(cluster, nodes.size(), *parent, key);
  }
  const bool has_shapes = cluster.groups[tree.group_at(found->second)].is_user;
  if (has_shapes == is_shape) return found->second;
  return Error{.message = fmt::format("'{}' is {}", *parent,
                                      has_shapes ? "a user: only its task shapes are its members"
                                                 : "a group: a task shape is a member of a user"),
               .key = key};
}

void raise(ExactVector& amounts, const ExactVector& least) {
  if (least.empty()) return;
  amounts.resize(least.size());
  for (std::size_t r = 0; r < least.size(); ++r) amounts[r] = std::max(amounts[r], least[r]);
}

// k ≤ ĝ ≤ L, and ĝ is no less than that of the members.
Check check_quota(const Cluster& cluster, const Tree& tree, std::size_t node, const ExactVector& of_members,
                  const EffectiveAmounts& amounts, QuotaUnit unit) {
  const Quota& quota = quota_at(cluster, tree, node);
  for (std::size_t r = 0; r < cluster.resources.size(); ++r) {
    const std::string& resource = cluster.resources[r];
    const mpq_class& guarantee = at(amounts.guarantee, r);
    const mpq_class& reserve = at(amounts.reserve, r);
    const auto key = [&](std::string_view name) { return key_of_amount(tree, node, name, resource); };
    if (guarantee < at(of_members, r)) {
      return blame(key("guarantee"), fmt::format("{} is less than the {} that its members are guaranteed",
                                                 text(guarantee, unit), text(at(of_members, r), unit)));
    }
    if (reserve > guarantee) {
      return blame(key("reserved"),
                   fmt::format("{} is more than the guarantee, which is {}; only a part of a "
                               "guarantee can be reserved",
                               text(reserve, unit), text(guarantee, unit)));
    }
    if (quota.limit.empty() || !quota.limit[r]) continue;
    const mpq_class limit = rational(*quota.limit[r]);
    if (limit >= guarantee) continue;
    return blame(key("limit"), fmt::format("{} is less than the guarantee, which is {}", text(limit, unit),
                                           text(guarantee, unit)));
  }
  return {};
}

// The effective guarantees of one resource, [node].
ExactVector effective_guarantees(const Cluster& cluster, const Tree& tree, std::size_t r) {
  ExactVector amounts(tree.size());
  for (std::size_t node = tree.size(); node-- > 1;) {
    const std::optional<ResourceVector>& given = quota_at(cluster, tree, node).guarantee;
    if (given) amounts[node] = at(exact(*given), r);
    amounts[tree.parent(node)] += amounts[node];
  }
  return amounts;
}

// The node whose guarantee in the file makes that of a node: a node without one has what its members have, of
// whom it is the one with most.
std::size_t where_given(const Cluster& cluster, const Tree& tree, std::size_t node, std::size_t r) {
  const ExactVector amounts = effective_guarantees(cluster, tree, r);
  while (!quota_at(cluster, tree, node).guarantee) {
    const auto members = tree.members(node);
    node = *std::max_element(members.begin(), members.end(),
                             [&](std::size_t a, std::size_t b) { return amounts[a] < amounts[b]; });
  }
  return node;
}

// The guarantees of all members of the root are no more than what there is. Blames the first with which they
// are more, and names all.
Check check_guarantees_together(const Cluster& cluster, const Tree& tree, const ExactVector& pool,
                                QuotaUnit unit, const std::vector<ExactVector>& guaranteed) {
  const bool in_percent = unit == QuotaUnit::percent;
  constexpr std::size_t kMostNamed = 6;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    const std::string& resource = cluster.resources[r];
    mpq_class sum = 0;
    std::optional<std::size_t> too_much;
    std::vector<std::string> parts;
    for (const std::size_t node : tree.members(0)) {
      const mpq_class& amount = at(guaranteed[node], r);
      if (amount <= 0) continue;
      sum += amount;
      if (!too_much && sum > pool[r]) too_much = node;
      parts.push_back(fmt::format("{} {}", name_at(cluster, tree, node), text(amount, unit)));
    }
    if (!too_much) continue;
    if (parts.size() > kMostNamed) {
      parts.resize(kMostNamed);
      parts.emplace_back("…");
    }
    const std::size_t blamed = where_given(cluster, tree, *too_much, r);
    return blame(key_of_amount(tree, blamed, "guarantee", resource),
                 fmt::format("the guarantees together are {}{} ({}), and {} {}", text(sum, unit),
                             in_percent ? "" : " of " + resource, fmt::join(parts, ", "),
                             in_percent ? "there are" : "the cluster has", text(pool[r], unit)));
  }
  return {};
}

// Fits one task of the user, on some server on which it may run, into the amounts?
bool fits_within(const Problem& problem, std::size_t user, const ResourceVector& amounts) {
  const auto fits = [&](const ResourceVector& demand) {
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] > amounts[r]) return false;
    }
    return true;
  };
  const User& who = problem.users()[user];
  if (who.demand_on.empty()) return fits(who.demand);
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (problem.eligible(user, i) && fits(problem.demand(user, i))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> Tree::path(std::size_t node) const {
  std::vector<std::size_t> path;
  for (; node != 0; node = parent_[node]) path.push_back(node);
  std::reverse(path.begin(), path.end());
  return path;
}

// Parents and weights, and what can be wrong with them; then the members of each node.
Check Problem::build_tree() {
  const std::size_t groups = cluster_.groups.size();
  if (Check bad = check_group_names(cluster_)) return bad;
  tree_.group_count_ = groups;
  const std::size_t size = 1 + groups + user_count();
  tree_.parent_.assign(size, 0);
  tree_.weight_.assign(size, 1);
  tree_.quota_of_.assign(size, 0);
  std::map<std::string_view, std::size_t> nodes;  // of the groups so far, by name
  for (std::size_t node = 1; node < size; ++node) {
    Result<std::size_t> parent = parent_of(cluster_, tree_, nodes, node);
    if (!parent) return parent.error();
    tree_.parent_[node] = *parent;
    tree_.weight_[node] = weight_at(cluster_, tree_, node).value();
    has_zero_weight_ = has_zero_weight_ || tree_.weight_[node] == 0;
    if (!tree_.is_user(node)) nodes.emplace(cluster_.groups[tree_.group_at(node)].name, node);
  }

  std::vector<std::size_t>& first = tree_.first_member_;
  first.assign(size + 1, 0);
  for (std::size_t node = 1; node < size; ++node) ++first[tree_.parent_[node] + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  tree_.members_.resize(size - 1);
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t node = 1; node < size; ++node) tree_.members_[next[tree_.parent_[node]]++] = node;

  for (std::size_t g = 0; g < groups; ++g) {
    if (tree_.members(tree_.node_of_group(g)).empty()) {
      return blame(fmt::format("groups[{}]", g),
                   fmt::format("the group '{}' has no members: name it as `group` of a user, or leave it out",
                               cluster_.groups[g].name));
    }
  }
  return find_quotas();
}

Check Problem::find_quotas() {
  const auto keep = [&](std::size_t node, const EffectiveAmounts& amounts) {
    Tree::EffectiveQuota effective{.guarantee = doubles(amounts.guarantee),
                                   .reserve = doubles(amounts.reserve)};
    for (const std::optional<Quantity>& limit : quota_at(cluster_, tree_, node).limit)
      effective.limit.push_back(limit ? limit->value() : std::numeric_limits<double>::infinity());
    tree_.quota_of_[node] = static_cast<std::uint32_t>(tree_.quotas_.size());
    tree_.quotas_.push_back(std::move(effective));
  };
  return check_quotas(cluster_, tree_, exact_pool(*this), QuotaUnit::amount, keep);
}

// Effective guarantees and reserves, from the leaves up: members come after their group.
Check check_quotas(const Cluster& cluster, const Tree& tree, const ExactVector& pool, QuotaUnit unit,
                   const std::function<void(std::size_t node, const EffectiveAmounts&)>& found) {
  const std::size_t size = tree.size();
  std::vector<ExactVector> guaranteed_to_members(1 + tree.group_count());
  std::vector<ExactVector> reserved_by_members(1 + tree.group_count());
  std::vector<ExactVector> guaranteed(size);  // of the members of the root
  for (std::size_t node = size; node-- > 1;) {
    const Quota& quota = quota_at(cluster, tree, node);
    if (Check bad = check_lengths(quota, cluster.resources.size(), key_at(tree, node))) return bad;
    const bool is_group = tree.is_group(node);
    const ExactVector of_members = is_group ? guaranteed_to_members[node] : ExactVector{};
    EffectiveAmounts amounts{.guarantee = quota.guarantee ? exact(*quota.guarantee) : of_members,
                             .reserve = exact(quota.reserved)};
    if (is_group) raise(amounts.reserve, reserved_by_members[node]);
    if (amounts.guarantee.empty() && amounts.reserve.empty() && quota.limit.empty()) continue;
    if (Check bad = check_quota(cluster, tree, node, of_members, amounts, unit)) return bad;
    add(guaranteed_to_members[tree.parent(node)], amounts.guarantee);
    if (tree.parent(node) == 0) guaranteed[node] = amounts.guarantee;
    add(reserved_by_members[tree.parent(node)], amounts.reserve);
    found(node, amounts);
  }
  return check_guarantees_together(cluster, tree, pool, unit, guaranteed);
}

namespace {

// `memory, gpu`: what every user below needs, and the guarantee does not name.
std::string unnamed_needs(const Problem& problem, std::size_t node, const ResourceVector& guarantee) {
  const Tree& tree = problem.tree();
  std::vector<std::string_view> names;
  for (std::size_t r = 0; r < guarantee.size(); ++r) {
    bool needed = guarantee[r].is_zero();
    for (std::size_t n = 0; needed && n < problem.user_count(); ++n) {
      const std::vector<std::size_t> path = tree.path(tree.node_of_user(n));
      const bool below = std::find(path.begin(), path.end(), node) != path.end();
      needed = !below || !problem.users()[n].demand[r].is_zero();
    }
    if (needed) names.emplace_back(problem.resources()[r]);
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace

std::vector<Error> unusable_guarantees(const Problem& problem) {
  const Tree& tree = problem.tree();
  const Cluster& cluster = problem.cluster();
  std::vector<bool> usable(tree.size());
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    for (std::size_t node = tree.node_of_user(n); node != 0; node = tree.parent(node)) {
      const std::optional<ResourceVector>& guarantee = quota_at(cluster, tree, node).guarantee;
      if (guarantee && !usable[node]) usable[node] = fits_within(problem, n, *guarantee);
    }
  }
  std::vector<Error> notices;
  for (std::size_t node = 1; node < tree.size(); ++node) {
    const std::optional<ResourceVector>& guarantee = quota_at(cluster, tree, node).guarantee;
    if (!guarantee || usable[node]) continue;
    const std::string& name = name_at(cluster, tree, node);
    const std::string needs = unnamed_needs(problem, node, *guarantee);
    notices.push_back(
        {.message = fmt::format(
             "no task of {} fits into the guarantee of '{}', so it covers no task; it still counts where "
             "shares "
             "are compared, which are those beyond it, and so lets '{}' come earlier{}",
             tree.is_user(node) ? "the user" : "any user below", name, name,
             needs.empty() ? ""
                           : fmt::format("; every task needs {} too, and what it does not name is 0", needs)),
         .key = key_at(tree, node) + ".guarantee"});
  }
  return notices;
}

}  // namespace mirab
