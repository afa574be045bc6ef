// The tree: groups and users as nodes, what they are promised, and what they use together
// (docs/explanation/teams.md). With ĝ_v the guarantee of a node v, k_v what of it is reserved, L_v its limit:
//
//   ĝ_v = g_v if given, else Σ ĝ of the members (0 for a user);
//   q_v = max(used of a user, or Σ q of the members; k_v), for each resource: what the node is charged.
//
// A change of a node changes ĝ, and what is used, of the groups on its path only. What is charged is kept
// while anything is reserved, and added up again when a quota changes or a node moves.
#include "scheduling/ledger/groups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "scheduling/ledger/paths.hpp"

namespace mirab::scheduling {

using fairness::Wide;

Result<Weight> weight_or_zero_from(const Quantity& quantity) {
  if (quantity.is_zero()) return Weight{.numerator = 0, .denominator = 1};
  return weight_from(quantity);
}

std::int64_t Ledger::running(TreeNode node) const {
  if (node.is_user()) return users[node.user].running;
  return node.group == kRoot ? static_cast<std::int64_t>(tasks.size()) : groups[node.group].running;
}

namespace {

const Amounts& nothing(std::size_t resources) {
  thread_local Amounts zeros;
  if (zeros.size() != resources) zeros.assign(resources, 0);
  return zeros;
}

std::int64_t at(const Amounts& amounts, std::size_t r) { return amounts.empty() ? 0 : amounts[r]; }

}  // namespace

std::span<const std::int64_t> Ledger::guarantee(TreeNode node) const {
  const NodeQuota& of = quota(node);
  if (of.guarantee) return *of.guarantee;
  return node.is_user() ? std::span<const std::int64_t>(nothing(resources_)) : groups[node.group].promised;
}

// What a node adds to the groups around it.

void Ledger::add_promise(GroupIndex group, std::span<const std::int64_t> guarantee, int sign) {
  for (; group != kNone; group = groups[group].parent) {
    GroupRow& row = groups[group];
    for (std::size_t r = 0; r < resources_; ++r) row.promised[r] += sign * guarantee[r];
    if (row.quota.guarantee) return;
  }
}

void Ledger::add_use_of_groups(GroupIndex group, std::span<const std::int64_t> amounts, std::int64_t count,
                               int sign) {
  for (; group != kRoot; group = groups[group].parent) {
    GroupRow& row = groups[group];
    for (std::size_t r = 0; r < resources_; ++r) row.used[r] += sign * amounts[r];
    row.running += sign * count;
  }
}

void Ledger::count_quota(const NodeQuota& of, int sign) {
  if (of.is_any()) nodes_with_quota_ += static_cast<std::size_t>(sign);
  if (!of.reserved.empty()) nodes_with_reserve_ += static_cast<std::size_t>(sign);
}

/// What the node is charged, and the groups below it.
Amounts Ledger::charged_of(TreeNode node) const {
  Amounts charged(resources_, 0);
  const std::span<const std::int64_t> sum =
      node.is_user() ? used(node.user) : std::span<const std::int64_t>(groups[node.group].charged);
  for (std::size_t r = 0; r < resources_; ++r) charged[r] = std::max(sum[r], at(quota(node).reserved, r));
  return charged;
}

void Ledger::charge_all() {
  if (!has_reserves()) return;
  for (const GroupIndex group : groups.present()) groups[group].charged.assign(resources_, 0);
  // Members before those around them: by falling depth.
  std::vector<std::pair<std::size_t, GroupIndex>> order;
  for (const GroupIndex group : groups.present()) {
    order.emplace_back(depth_of(*this, group), group);
  }
  std::sort(order.rbegin(), order.rend());
  for (const auto& [depth, group] : order) {
    GroupRow& row = groups[group];
    const auto add = [&](TreeNode member) {
      const Amounts charged = charged_of(member);
      for (std::size_t r = 0; r < resources_; ++r) row.charged[r] += charged[r];
    };
    for (const GroupIndex member : row.groups) add({.group = member});
    for (const UserIndex member : row.users) add({.user = member});
  }
}

void Ledger::charge_use(UserIndex user, std::span<const std::int64_t> demand, int sign) {
  for (std::size_t r = 0; r < resources_; ++r) {
    if (demand[r] == 0) continue;
    const std::int64_t reserved = at(users[user].quota.reserved, r);
    std::int64_t change = std::max(used_[user][r] + sign * demand[r], reserved) -
                          std::max<std::int64_t>(used_[user][r], reserved);
    for (GroupIndex group = users[user].group; change != 0 && group != kNone; group = groups[group].parent) {
      GroupRow& row = groups[group];
      const std::int64_t before = std::max(row.charged[r], at(row.quota.reserved, r));
      row.charged[r] += change;
      change = std::max(row.charged[r], at(row.quota.reserved, r)) - before;
    }
  }
}

Amounts Ledger::charge(UserIndex user, std::span<const std::int64_t> demand) const {
  Amounts more(resources_, 0);
  for (std::size_t r = 0; r < resources_; ++r) {
    if (demand[r] == 0) continue;
    const auto growth = [](std::int64_t held, std::int64_t reserved, Wide by) {
      return std::max<Wide>(Wide{held} + by, reserved) - std::max(held, reserved);
    };
    Wide change = growth(used_[user][r], at(users[user].quota.reserved, r), demand[r]);
    for (GroupIndex group = users[user].group; group != kRoot; group = groups[group].parent)
      change = growth(groups[group].charged[r], at(groups[group].quota.reserved, r), change);
    more[r] = static_cast<std::int64_t>(std::min<Wide>(change, INT64_MAX));
  }
  return more;
}

namespace {

bool uses_something(std::span<const std::int64_t> used) {
  return std::any_of(used.begin(), used.end(), [](std::int64_t units) { return units > 0; });
}

}  // namespace

bool Ledger::note_demand(UserIndex user, std::span<const std::int64_t> demand) {
  bool counts = false;
  any_on_path(*this, user, [&](TreeNode node) {
    const bool is_new = (node.is_user() ? seen_[user] : groups[node.group].seen).add(demand);
    counts = counts || (is_new && parent(node) != kRoot && uses_something(used(node)));
    return false;
  });
  return counts;
}

// Users and groups come, change, move and go.

void Ledger::enter_group(UserIndex user, GroupIndex group) {
  UserRow& row = users[user];
  GroupRow& of = groups[group];
  row.group = group;
  row.place = static_cast<std::uint32_t>(of.users.size());
  of.users.push_back(user);
  if (row.needs_tree()) ++users_of_tree_;
  count_quota(row.quota, 1);
  if (row.quota.guarantee) add_promise(group, *row.quota.guarantee, 1);
  add_use_of_groups(group, used(user), row.running, 1);
  for (; group != kRoot; group = groups[group].parent) groups[group].seen.add(seen_[user]);
}

void Ledger::leave_group(UserIndex user) {
  UserRow& row = users[user];
  std::vector<UserIndex>& members = groups[row.group].users;
  users[members.back()].place = row.place;
  members[row.place] = members.back();
  members.pop_back();
  if (row.needs_tree()) --users_of_tree_;
  count_quota(row.quota, -1);
  if (row.quota.guarantee) add_promise(row.group, *row.quota.guarantee, -1);
  add_use_of_groups(row.group, used(user), row.running, -1);
}

void Ledger::change_user(UserIndex user, const Weight& weight, NodeQuota quota) {
  UserRow& row = users[user];
  const bool has_quota = row.quota.is_any() || quota.is_any();
  if (row.needs_tree()) --users_of_tree_;
  count_quota(row.quota, -1);
  if (row.quota.guarantee) add_promise(row.group, *row.quota.guarantee, -1);
  row.weight = weight;
  row.quota = std::move(quota);
  if (row.needs_tree()) ++users_of_tree_;
  count_quota(row.quota, 1);
  if (row.quota.guarantee) add_promise(row.group, *row.quota.guarantee, 1);
  if (has_quota) charge_all();
}

void Ledger::move_user(UserIndex user, GroupIndex group) {
  leave_group(user);
  enter_group(user, group);
  charge_all();
}

GroupIndex Ledger::add_group(GroupRow row) {
  const GroupIndex parent = row.parent;
  row.used.assign(resources_, 0);
  row.promised.assign(resources_, 0);
  const GroupIndex group = groups.add(std::move(row));
  groups[parent].groups.push_back(group);
  count_quota(groups[group].quota, 1);
  add_promise(parent, guarantee({.group = group}), 1);
  charge_all();
  return group;
}

void Ledger::put_group_back(GroupIndex group, GroupRow row) {
  const GroupIndex parent = row.parent;
  row.used.assign(resources_, 0);
  row.promised.assign(resources_, 0);
  row.charged.assign(resources_, 0);
  groups.put_back(group, std::move(row));
  if (parent == kNone) return;
  groups[parent].groups.push_back(group);
  count_quota(groups[group].quota, 1);
  add_promise(parent, guarantee({.group = group}), 1);
}

void Ledger::change_group(GroupIndex group, const Weight& weight, NodeQuota quota) {
  GroupRow& row = groups[group];
  count_quota(row.quota, -1);
  add_promise(row.parent, guarantee({.group = group}), -1);
  row.weight = weight;
  row.quota = std::move(quota);
  count_quota(row.quota, 1);
  add_promise(row.parent, guarantee({.group = group}), 1);
  charge_all();
}

void Ledger::move_group(GroupIndex group, GroupIndex parent) {
  GroupRow& row = groups[group];
  add_promise(row.parent, guarantee({.group = group}), -1);
  add_use_of_groups(row.parent, row.used, row.running, -1);
  std::erase(groups[row.parent].groups, group);
  row.parent = parent;
  groups[parent].groups.push_back(group);
  add_promise(parent, guarantee({.group = group}), 1);
  add_use_of_groups(parent, row.used, row.running, 1);
  for (; parent != kRoot; parent = groups[parent].parent) groups[parent].seen.add(row.seen);
  charge_all();
}

void Ledger::remove_group(GroupIndex group) {
  GroupRow& row = groups[group];
  MIRAB_ASSERT(group != kRoot && row.groups.empty() && row.users.empty(), "a group with members goes");
  count_quota(row.quota, -1);
  add_promise(row.parent, guarantee({.group = group}), -1);
  std::erase(groups[row.parent].groups, group);
  groups.remove(group);
  charge_all();
}

std::size_t depth_of(const Ledger& ledger, GroupIndex group) {
  std::size_t depth = 0;
  for (; group != kRoot; group = ledger.groups[group].parent) ++depth;
  return depth;
}

std::size_t height_of(const Ledger& ledger, GroupIndex group) {
  std::size_t below = 0;
  for (const GroupIndex member : ledger.groups[group].groups)
    below = std::max(below, height_of(ledger, member));
  return below + 1;
}

// What keeps a task from starting, and what promises it.

namespace {

/// The first resource of the demand for which the node holds, with it, more than allowed.
std::optional<std::size_t> first_beyond(std::span<const std::int64_t> held,
                                        std::span<const std::int64_t> demand,
                                        std::span<const std::int64_t> allowed) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0 && allowed[r] != kNoLimit && Wide{held[r]} + demand[r] > allowed[r]) return r;
  }
  return {};
}

}  // namespace

std::optional<QuotaInTheWay> quota_in_the_way(const Ledger& ledger, UserIndex user,
                                              std::span<const std::int64_t> demand) {
  if (!ledger.has_quotas()) return {};
  std::optional<QuotaInTheWay> found;
  any_on_path(ledger, user, [&](TreeNode node) {
    const Amounts& limit = ledger.quota(node).limit;
    if (limit.empty()) return false;
    const std::span<const std::int64_t> held = ledger.used(node);
    const std::optional<std::size_t> r = first_beyond(held, demand, limit);
    if (r) found = {.node = node, .resource = *r, .held = held[*r], .allowed = limit[*r]};
    return r.has_value();
  });
  if (found || !ledger.has_reserves()) return found;
  const Amounts more = ledger.charge(user, demand);
  const std::span<const std::int64_t> charged = ledger.charged();
  const std::span<const std::int64_t> pool = ledger.server_pool.pool();
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0 || more[r] == 0 || Wide{charged[r]} + more[r] <= pool[r]) continue;
    return QuotaInTheWay{
        .is_reserve = true, .node = {.group = kRoot}, .resource = r, .held = charged[r], .allowed = pool[r]};
  }
  return {};
}

std::optional<TreeNode> covering(const Ledger& ledger, UserIndex user, std::span<const std::int64_t> demand) {
  if (!ledger.has_quotas()) return {};
  std::optional<TreeNode> found;
  any_on_path(ledger, user, [&](TreeNode node) {
    // Without a guarantee of any resource no task is covered, since every task takes something.
    const std::span<const std::int64_t> guarantee = ledger.guarantee(node);
    const std::span<const std::int64_t> held = ledger.used(node);
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] > 0 && Wide{held[r]} + demand[r] > guarantee[r]) return false;
    }
    found = node;
    return true;
  });
  return found;
}

TreeNode largest_reserve(const Ledger& ledger, std::size_t resource) {
  TreeNode largest{.group = kRoot};
  std::int64_t most = 0;
  const auto look = [&](TreeNode node) {
    const std::int64_t idle = at(ledger.quota(node).reserved, resource) - ledger.used(node)[resource];
    if (idle <= most) return;
    most = idle;
    largest = node;
  };
  for (const GroupIndex group : ledger.groups.present()) look({.group = group});
  for (const UserIndex user : ledger.users.present()) look({.user = user});
  return largest;
}

// Checks.

Check check_quota(const NodeQuota& quota, std::span<const std::int64_t> promised,
                  std::span<const std::string> resources) {
  const std::span<const std::int64_t> guarantee =
      quota.guarantee ? std::span<const std::int64_t>(*quota.guarantee) : promised;
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (guarantee[r] < promised[r])
      return Error{.message = fmt::format("the members are guaranteed {} units together, more than {}",
                                          promised[r], guarantee[r]),
                   .key = fmt::format("guarantee.{}", resources[r])};
  }
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (at(quota.reserved, r) > guarantee[r])
      return Error{.message = fmt::format("{} units are more than the guarantee of {}", quota.reserved[r],
                                          guarantee[r]),
                   .key = fmt::format("reserved.{}", resources[r])};
  }
  for (std::size_t r = 0; r < resources.size() && !quota.limit.empty(); ++r) {
    if (quota.limit[r] < guarantee[r])
      return Error{
          .message = fmt::format("{} units are less than the guarantee of {}", quota.limit[r], guarantee[r]),
          .key = fmt::format("limit.{}", resources[r])};
  }
  return {};
}

namespace {

/// How much more, or less, the members of groups would be promised. [m] each
using Changes = std::map<GroupIndex, std::vector<Wide>>;

void add_change(const Ledger& ledger, GroupIndex group, const Amounts& guarantee, int sign,
                Changes& changes) {
  for (; group != kNone; group = ledger.groups[group].parent) {
    std::vector<Wide>& change = changes[group];
    change.resize(ledger.resource_count(), 0);
    for (std::size_t r = 0; r < change.size(); ++r) change[r] += sign * Wide{guarantee[r]};
    if (ledger.groups[group].quota.guarantee) return;
  }
}

/// What would be wrong with a group whose members are promised that much, in words.
std::string wrong_of(const Ledger& ledger, GroupIndex group, std::size_t r, Wide change) {
  const GroupRow& row = ledger.groups[group];
  const Wide promised = row.promised[r] + change;
  if (group == kRoot) {
    const std::int64_t capacity = ledger.server_pool.pool()[r];
    if (change > 0 && promised > capacity)
      return fmt::format("all guarantees together would be more than the {} units of the cluster", capacity);
    return {};
  }
  if (row.quota.guarantee) {
    if (change > 0 && promised > (*row.quota.guarantee)[r])
      return fmt::format("the group '{}' is guaranteed {} units only, and its members would be more",
                         row.name, (*row.quota.guarantee)[r]);
    return {};
  }
  if (!row.quota.limit.empty() && promised > row.quota.limit[r])
    return fmt::format("the guarantees in the group '{}' would be more than its limit of {} units", row.name,
                       row.quota.limit[r]);
  if (at(row.quota.reserved, r) > promised)
    return fmt::format("the group '{}' reserves {} units, more than would be guaranteed to its members",
                       row.name, row.quota.reserved[r]);
  return {};
}

}  // namespace

Check check_promises(const Ledger& ledger, const ProposedNode& node, const std::string& key,
                     std::span<const std::string> resources) {
  Changes changes;
  if (node.parent != kNone) add_change(ledger, node.parent, node.guarantee, -1, changes);
  if (node.parent_after != kNone) add_change(ledger, node.parent_after, node.guarantee_after, 1, changes);
  for (std::size_t r = 0; r < resources.size(); ++r) {
    for (const auto& [group, change] : changes) {
      std::string wrong = wrong_of(ledger, group, r, change[r]);
      if (wrong.empty()) continue;
      return Error{.message = std::move(wrong),
                   .key = key == "guarantee" ? fmt::format("guarantee.{}", resources[r]) : key};
    }
  }
  return {};
}

std::string broken_group(const Ledger& ledger) {
  const std::size_t m = ledger.resource_count();
  std::size_t users_of_tree = 0, quotas = 0, reserves = 0;
  IndexedVector<UserIndex, std::uint32_t> listed(ledger.users.index_count());
  for (const GroupIndex group : ledger.groups.present()) {
    const GroupRow& row = ledger.groups[group];
    quotas += row.quota.is_any() ? 1 : 0;
    reserves += row.quota.reserved.empty() ? 0 : 1;
    std::vector<Wide> used(m, 0), promised(m, 0), charged(m, 0);
    std::int64_t running = 0;
    const auto add = [&](TreeNode member) {
      running += ledger.running(member);
      for (std::size_t r = 0; r < m; ++r) {
        used[r] += ledger.used(member)[r];
        promised[r] += ledger.guarantee(member)[r];
      }
      if (!ledger.has_reserves()) return;
      const Amounts charge = ledger.charged_of(member);
      for (std::size_t r = 0; r < m; ++r) charged[r] += charge[r];
    };
    for (const GroupIndex member : row.groups) {
      if (!ledger.groups.holds(member) || ledger.groups[member].parent != group)
        return fmt::format("group {} lists a group of another", group.number());
      add({.group = member});
    }
    for (const UserIndex member : row.users) {
      if (!ledger.users.holds(member) || ledger.users[member].group != group || listed[member]++ > 0)
        return fmt::format("group {} lists a user of another", group.number());
      add({.user = member});
    }
    const auto equal = [](const std::vector<Wide>& a, std::span<const std::int64_t> b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    if (!equal(used, ledger.used(group)) || running != ledger.running(TreeNode{.group = group}))
      return fmt::format("the use of group {} is not that of its members", group.number());
    if (!equal(promised, row.promised))
      return fmt::format("group {} is promised something else than its members", group.number());
    if (ledger.has_reserves() && !equal(charged, row.charged))
      return fmt::format("group {} is charged something else than its members", group.number());
  }
  for (const UserIndex user : ledger.users.present()) {
    if (listed[user] != 1) return fmt::format("user {} is in no group", user.number());
    users_of_tree += ledger.users[user].needs_tree() ? 1 : 0;
    quotas += ledger.users[user].quota.is_any() ? 1 : 0;
    reserves += ledger.users[user].quota.reserved.empty() ? 0 : 1;
  }
  if (users_of_tree != ledger.users_of_tree_ || quotas != ledger.nodes_with_quota_ ||
      reserves != ledger.nodes_with_reserve_)
    return "the nodes with a quota are not as many as counted";
  return {};
}

}  // namespace mirab::scheduling
