// Satisfaction: how much of its guarantees a cluster keeps. A kind of task below a node v needs R = {r: d_r >
// 0, ĝ_{v,r} > 0} of what v is guaranteed. If R is not empty,
//
//   σ_{v,R} = max over r in R of min(1, used_{v,r} / ĝ_{v,r}):
//
// 1 as soon as v covers such a task no more. Γ is the sum of σ_{v,R} over all nodes v but the root, and over
// the different R of the kinds below each.
//
// Example: v is guaranteed 4 CPUs and 2 GPUs, and holds 2 and 1; tasks of 1 CPU, and of 1 CPU and 1 GPU, wait
// below: R = {CPU}, {CPU, GPU}, and σ is 1/2 for both.
#include "scheduling/starvation/satisfaction.hpp"

#include <algorithm>
#include <set>

#include "scheduling/ledger/paths.hpp"

namespace mirab::scheduling {
namespace {

using Needed = std::vector<std::size_t>;  // R, in order

void add_kinds(const Ledger& ledger, TreeNode node, std::span<const std::int64_t> guarantee,
               std::set<Needed>& kinds) {
  if (!node.is_user()) {
    const GroupRow& row = ledger.groups[node.group];
    for (const GroupIndex member : row.groups) add_kinds(ledger, {.group = member}, guarantee, kinds);
    for (const UserIndex member : row.users) add_kinds(ledger, {.user = member}, guarantee, kinds);
    return;
  }
  for (const QueueIndex queue : ledger.users[node.user].queues) {
    ledger.task_classes.for_each_demand(ledger.queues[queue].task_class, [&](const Amounts& demand) {
      Needed needed;
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] > 0 && guarantee[r] > 0) needed.push_back(r);
      }
      if (!needed.empty()) kinds.insert(std::move(needed));
    });
  }
}

mpq_class satisfaction(const Needed& needed, std::span<const std::int64_t> used,
                       std::span<const std::int64_t> guarantee) {
  mpq_class most = 0;
  for (const std::size_t r : needed) {
    if (used[r] >= guarantee[r]) return 1;
    mpq_class part(used[r], guarantee[r]);
    part.canonicalize();
    most = std::max(most, part);
  }
  return most;
}

/// The resources that the ways of running a task of the class demand.
std::set<Needed> demanded(const Ledger& ledger, TaskClassIndex task_class) {
  std::set<Needed> demanded;
  ledger.task_classes.for_each_demand(task_class, [&](const Amounts& demand) {
    Needed resources;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] > 0) resources.push_back(r);
    }
    demanded.insert(std::move(resources));
  });
  return demanded;
}

}  // namespace

bool brings_kind_of_task(const Ledger& ledger, UserIndex user, TaskClassIndex task_class) {
  const bool any_guaranteed =
      ledger.has_quotas() && any_on_path(ledger, user, [&](TreeNode node) {
        const std::span<const std::int64_t> guarantee = ledger.guarantee(node);
        return std::any_of(guarantee.begin(), guarantee.end(), [](std::int64_t units) { return units > 0; });
      });
  if (!any_guaranteed) return false;
  const std::set<Needed> kinds = demanded(ledger, task_class);
  const std::vector<QueueIndex>& queues = ledger.users[user].queues;
  return std::none_of(queues.begin(), queues.end(), [&](QueueIndex queue) {
    return demanded(ledger, ledger.queues[queue].task_class) == kinds;
  });
}

mpq_class gain_of_satisfaction(const Ledger& ledger, std::span<const TreeNode> nodes,
                               const TreeUsageAfter& after) {
  mpq_class gain = 0;
  if (!ledger.has_quotas()) return gain;
  for (const TreeNode node : nodes) {
    const std::span<const std::int64_t> guarantee = ledger.guarantee(node);
    if (std::all_of(guarantee.begin(), guarantee.end(), [](std::int64_t units) { return units == 0; }))
      continue;
    std::set<Needed> kinds;
    add_kinds(ledger, node, guarantee, kinds);
    for (const Needed& needed : kinds)
      gain += satisfaction(needed, after.used(node), guarantee) -
              satisfaction(needed, ledger.used(node), guarantee);
  }
  return gain;
}

}  // namespace mirab::scheduling
