// Why a pod waits, in the words of Kubernetes.
#include "kubernetes/scheduler/reasons.hpp"

#include <fmt/format.h>
#include <vector>

#include <mirab/kubernetes/amounts.hpp>

namespace mirab::kubernetes {
namespace {

using scheduling::WhyWaiting;

std::string share_text(double key) { return fmt::format("{:.3g}", key); }

// `12 Insufficient cpu`, one for each resource: a node that lacks two is named with both, as kube-scheduler
// does.
void add_lacking(const std::vector<std::int64_t>& lacking, const std::vector<std::int64_t>& too_small,
                 std::span<const std::string> resources, std::vector<std::string>& parts) {
  for (std::size_t r = 0; r < resources.size(); ++r) {
    std::int64_t nodes = r < lacking.size() ? lacking[r] : 0;
    if (r < too_small.size()) nodes += too_small[r];
    if (nodes == 0) continue;
    parts.push_back(resources[r] == "pods" ? fmt::format("{} Too many pods", nodes)
                                           : fmt::format("{} Insufficient {}", nodes, resources[r]));
  }
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string nodes_text(const WhyWaiting::Servers& servers, std::span<const std::string> resources) {
  const std::int64_t all = servers.with_room + servers.not_allowed + servers.too_small + servers.drained +
                           servers.kept + servers.pack + servers.per_server + servers.spread + servers.full;
  std::vector<std::string> parts;
  add_lacking(servers.lacking, servers.too_small_in, resources, parts);
  if (servers.not_allowed > 0) {
    parts.push_back(
        fmt::format("{} node(s) didn't match the pod's node selector, node affinity or tolerations",
                    servers.not_allowed));
  }
  if (servers.drained > 0)
    parts.push_back(fmt::format("{} node(s) are being removed, or rest", servers.drained));
  if (servers.kept > 0) parts.push_back(fmt::format("{} node(s) are kept for other pods", servers.kept));
  if (parts.empty()) return fmt::format("{}/{} nodes are available.", servers.with_room, all);
  return fmt::format("{}/{} nodes are available: {}.", servers.with_room, all, joined(parts));
}

std::string ahead_text(const WhyWaiting& why) {
  std::string text;
  if (why.older_jobs > 0)
    text += fmt::format(" {} pod(s) of the namespace that wait for the same come first.", why.older_jobs);
  if (why.own_ahead > 0)
    text += fmt::format(" {} kind(s) of pods of the namespace come first.", why.own_ahead);
  if (why.users_ahead > 0) {
    text += fmt::format(" {} namespace(s) come first, as they have a smaller share", why.users_ahead);
    if (why.next) {
      text += fmt::format(": the next is {}, with {}{}", why.next->user_name, share_text(why.next->key),
                          why.key ? fmt::format(" against {} of this one", share_text(*why.key)) : "");
    }
    text += ".";
  }
  return text;
}

std::string freed_text(const WhyWaiting::NearestMiss& miss, std::span<const std::string> resources) {
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < resources.size() && r < miss.to_free.size(); ++r) {
    if (miss.to_free[r] > 0)
      parts.push_back(fmt::format("{} {}", units_text(resources[r], miss.to_free[r]), resources[r]));
  }
  if (parts.empty()) return {};
  return fmt::format(" It would fit on {} if {} became free there.", miss.name, joined(parts));
}

}  // namespace

WaitingText waiting_text(const WhyWaiting& why, std::span<const std::string> resources) {
  WaitingText text{.reason = nodes_text(why.servers, resources), .text = {}};
  if (why.gang && why.gang->room < why.gang->together)
    text.reason += fmt::format(" {} pods of the gang have to start together, and {} have room.",
                               why.gang->together, why.gang->room);
  text.text = text.reason + ahead_text(why);
  if (why.tree && why.tree->limit) {
    const scheduling::InTree::Bound& limit = *why.tree->limit;
    text.text += fmt::format(" The limit of {} is reached: {} of {} {} are in use.", limit.name,
                             units_text(resources[limit.resource], limit.held),
                             units_text(resources[limit.resource], limit.allowed), resources[limit.resource]);
  }
  if (why.tree && why.tree->reserve)
    text.text += fmt::format(" The rest is reserved for {}.", why.tree->reserve->name);
  if (why.servers.with_room == 0 && why.nearest_miss) text.text += freed_text(*why.nearest_miss, resources);
  return text;
}

}  // namespace mirab::kubernetes
