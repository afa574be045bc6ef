// Fair limits of the templates of a whole cluster.
//
//   limit of a template = min over its pods of the limit that fair_limits() gives the pod on its node
//
// A Deployment has one limit for all of its pods, and its pods run on nodes of which one is fuller than
// another. The least limit is feasible on every node: there each pod's is at most what the node's own
// division gives it.
//
// A mechanism with one ratio for all servers (H-FFMRA) divides all nodes at once; each pod runs on its own.
//
// Example: nodes of 4 and 8 CPUs, on each a pod of web that requests 1 CPU, on the first one of db too, with
// 1 CPU: web would get 2 and 8, so 2; db gets 2.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/model/assert.hpp>

#include "kubernetes/container_limits.hpp"
#include "kubernetes/node_limits.hpp"
#include "kubernetes/objects.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

constexpr std::string_view kOfNamespace = "namespace/";

/// What pods of a template have in common.
using TemplateKey = std::tuple<std::string, std::string, std::string, std::string>;

TemplateKey template_of(const Workload& pod) {
  std::string needs;
  for (const Container& container : pod.containers) {
    needs += fmt::format("{} {} ", container.name, static_cast<int>(container.role));
    for (const Need& need : container.needs)
      needs += fmt::format("{} {} ", need.request, need.limit.value_or(-1));
  }
  for (const Units overhead : pod.overhead) needs += fmt::format("{} ", overhead);
  const bool alone = pod.is_static || pod.owner_kind == "Pod" || pod.owner_kind == "Node";
  return {pod.space, alone ? "Pod" : pod.owner_kind, alone ? pod.object : pod.owner, std::move(needs)};
}

class ClusterDivision {
 public:
  ClusterDivision(const Pods& pods, const std::vector<Allocatable>& nodes, const LimitOptions& options)
      : pods_(pods), nodes_(nodes), options_(options) {}

  Result<ClusterLimits> divide() {
    if (options_.recalculate == Recalculate::when_exceeded)
      return Error{.message = "is for one node; choose it with --node-name", .key = "--only-when-exceeded"};
    find_templates();
    if (all_.templates.workloads.empty())
      return Error{.message =
                       "no pod in it runs on one of the nodes; kubectl get pods -A -o json prints those of a "
                       "cluster"};
    name_templates();
    if (Check unknown = check_weights()) return *std::move(unknown);
    start();
    if (Check wrong = divide_together()) return *std::move(wrong);
    for (const Allocatable& node : nodes_) {
      const auto counts = on_node_.find(node.node);
      if (counts == on_node_.end()) continue;
      if (Check wrong = divide_node(node, counts->second)) return *std::move(wrong);
      all_.on_nodes.push_back({node, {counts->second.begin(), counts->second.end()}});
    }
    all_.limits.limited = limited_by(all_.templates, all_.limits.workloads);
    return std::move(all_);
  }

 private:
  void find_templates() {
    std::set<std::string_view> known;
    for (const Allocatable& node : nodes_) known.insert(node.node);
    std::map<TemplateKey, std::size_t> numbers;
    std::vector<std::string_view> waiting, elsewhere;
    all_.templates.resources = pods_.resources;
    all_.templates.notices = pods_.notices;
    for (const Workload& pod : pods_.workloads) {
      if (pod.node.empty() || !known.contains(pod.node)) {
        (pod.node.empty() ? waiting : elsewhere).push_back(pod.name);
        continue;
      }
      const auto [place, is_new] = numbers.emplace(template_of(pod), all_.templates.workloads.size());
      if (is_new) {
        Workload workload = pod;
        std::tie(workload.space, workload.kind, workload.object, std::ignore) = place->first;
        workload.pods = 0;
        all_.templates.workloads.push_back(std::move(workload));
      }
      ++all_.templates.workloads[place->second].pods;
      ++on_node_[pod.node][place->second];
    }
    constexpr std::size_t kNamed = 3;
    if (!waiting.empty())
      all_.templates.notices.push_back("left out, since they wait for a node: " +
                                       first_names(waiting, kNamed));
    if (!elsewhere.empty())
      all_.templates.notices.push_back("left out, since their node was not read: " +
                                       first_names(elsewhere, kNamed));
  }

  // `payments/deployment/api`; a second template of that name has one of its pods behind it.
  void name_templates() {
    std::set<std::string> names;
    for (Workload& each : all_.templates.workloads) {
      const std::string pod = std::move(each.name);
      each.name = each.kind == "Pod" ? each.object : lower_case(each.kind) + "/" + each.object;
      if (!each.space.empty()) each.name = each.space + "/" + each.name;
      if (!names.insert(each.name).second) names.insert(each.name += fmt::format(" ({})", pod));
    }
  }

  Check check_weights() const {
    std::set<std::string_view> known, spaces;
    for (const Workload& each : all_.templates.workloads) {
      known.insert(each.name);
      spaces.insert(each.space);
    }
    for (const PodWeight& each : options_.weights) {
      const bool of_space = each.workload.starts_with(kOfNamespace);
      const std::string_view name =
          std::string_view(each.workload).substr(of_space ? kOfNamespace.size() : 0);
      const std::set<std::string_view>& all = of_space ? spaces : known;
      if (all.contains(name)) continue;
      const std::vector<std::string_view> names(all.begin(), all.end());
      return Error{
          .message = fmt::format("there is no {} '{}'{}", of_space ? "pod in a namespace" : "template", name,
                                 known_names(name, names)),
          .key = "--weight"};
    }
    return {};
  }

  void start() {
    Limits& limits = all_.limits;
    limits.mechanism = options_.mechanism.text;
    limits.notices = all_.templates.notices;
    limits.workloads.resize(all_.templates.workloads.size());
    all_.all.resources = pods_.resources;
    all_.all.units.assign(pods_.resources.size(), 0);
    limits.requested.assign(pods_.resources.size(), 0);
    limits.limited_before.assign(pods_.resources.size(), 0);
  }

  // The weights that name something on this node.
  LimitOptions options_on(const Pods& pods) const {
    LimitOptions options = options_;
    std::erase_if(options.weights, [&](const PodWeight& weight) {
      return std::none_of(pods.workloads.begin(), pods.workloads.end(), [&](const Workload& each) {
        return each.name == weight.workload ||
               fmt::format("{}{}", kOfNamespace, each.space) == weight.workload;
      });
    });
    return options;
  }

  // The pods of the templates on a node.
  Pods pods_on(const std::map<std::size_t, std::int64_t>& counts) const {
    Pods pods{.resources = pods_.resources, .workloads = {}, .notices = {}};
    for (const auto& [number, count] : counts) {
      pods.workloads.push_back(all_.templates.workloads[number]);
      pods.workloads.back().pods = count;
    }
    return pods;
  }

  // With a mechanism that has one ratio for all servers: what each pod holds on its node, of all nodes at
  // once.
  Check divide_together() {
    if (options_.mechanism.name != "h-ffmra") return {};
    Cluster all{.resources = pods_.resources, .servers = {}, .users = {}};
    for (const Allocatable& node : nodes_) {
      const auto counts = on_node_.find(node.node);
      if (counts == on_node_.end()) continue;
      const Pods pods = pods_on(counts->second);
      const LimitOptions options = options_on(pods);
      const Result<std::vector<double>> weights = weights_of(pods, node, options);
      if (!weights) return weights.error();
      Result<Cluster> of_node = cluster_of_node(pods, node, *weights, {});
      if (!of_node) return std::move(of_node).error();
      first_pod_[node.node] = all.users.size();
      all.servers.push_back(std::move(of_node->servers[0]));
      for (User& user : of_node->users) {
        user.name = node.node + "/" + user.name;
        user.servers = std::vector<std::string>{node.node};
        all.users.push_back(std::move(user));
      }
    }
    const Result<Problem> problem = Problem::from(std::move(all));
    if (!problem) return Error{.message = problem.error().message};  // its key is of a cluster file
    Result<Outcome> outcome = allocate(*problem, options_.mechanism, options_.execution);
    if (!outcome) return Error{.message = outcome.error().message};
    held_ = bundles(*problem, outcome->allocation);
    together_ = *std::move(outcome);
    return {};
  }

  Result<Limits> limits_on(const Pods& pods, const Allocatable& node) const {
    const LimitOptions options = options_on(pods);
    if (!together_) return fair_limits(pods, node, options);
    return limits_by(pods, node, options, [&](const Problem& problem) -> Result<MinimumShares> {
      const auto first = held_.begin() + static_cast<std::ptrdiff_t>(first_pod_.at(node.node));
      MinimumShares shares{.held = {first, first + static_cast<std::ptrdiff_t>(problem.user_count())},
                           .tasks = {},
                           .outcome = *together_};
      raise_to_requests(problem, shares.held);
      return shares;
    });
  }

  Check divide_node(const Allocatable& node, const std::map<std::size_t, std::int64_t>& counts) {
    const Pods pods = pods_on(counts);
    std::vector<std::size_t> numbers;
    for (const auto& [number, count] : counts) numbers.push_back(number);
    Result<Limits> limits = limits_on(pods, node);
    if (!limits) return std::move(limits).error();
    ++all_.nodes;
    for (std::size_t r = 0; r < node.units.size(); ++r) all_.all.units[r] += node.units[r];
    add(node.node, *limits, numbers);
    return {};
  }

  void add(const std::string& node, const Limits& on_node, const std::vector<std::size_t>& numbers) {
    Limits& limits = all_.limits;
    if (limits.status != Status::not_converged && on_node.status != Status::exact)
      limits.status = on_node.status;
    if (on_node.certificate.value >= limits.certificate.value || limits.certificate.kind.empty())
      limits.certificate = on_node.certificate;
    for (const std::string& notice : on_node.notices) {
      if (std::find(limits.notices.begin(), limits.notices.end(), notice) == limits.notices.end())
        limits.notices.push_back(notice);
    }
    for (std::size_t r = 0; r < limits.requested.size(); ++r) {
      limits.requested[r] += on_node.requested[r];
      if (!on_node.limited_before[r]) limits.limited_before[r].reset();
      if (limits.limited_before[r]) *limits.limited_before[r] += *on_node.limited_before[r];
    }
    for (std::size_t w = 0; w < numbers.size(); ++w) {
      take_least(on_node.workloads[w], limits.workloads[numbers[w]]);
      name_full_node(node, numbers[w]);
    }
    for (const Eviction& each : on_node.evictions) add_eviction(each, numbers[each.workload]);
  }

  static void take_least(const WorkloadLimits& on_node, WorkloadLimits& least) {
    if (least.limits.empty()) {
      least = on_node;
      return;
    }
    for (std::size_t r = 0; r < least.share.size(); ++r)
      least.share[r] = std::min(least.share[r], on_node.share[r]);
    for (std::size_t c = 0; c < least.limits.size(); ++c) {
      for (std::size_t r = 0; r < least.limits[c].size(); ++r)
        least.limits[c][r] = std::min(least.limits[c][r], on_node.limits[c][r]);
    }
  }

  // The first node that leaves a template no more of a resource than it requests.
  void name_full_node(const std::string& node, std::size_t number) {
    if (options_.at_most && options_.at_most->value() <= 1) return;  // no node does that
    const Workload& workload = all_.templates.workloads[number];
    WorkloadLimits& limits = all_.limits.workloads[number];
    limits.full_node.resize(pods_.resources.size());
    for (std::size_t r = 0; r < pods_.resources.size(); ++r) {
      if (!limits.full_node[r].empty() || request_of_pod(workload, r) == 0) continue;
      bool is_request = true;
      for (std::size_t c = 0; c < workload.containers.size(); ++c)
        is_request = is_request && limits.limits[c][r] == workload.containers[c].needs[r].request;
      if (is_request) limits.full_node[r] = node;
    }
  }

  // Of a template as many pods as on all nodes together, each above its request by the same.
  void add_eviction(Eviction eviction, std::size_t number) {
    eviction.workload = number;
    for (Eviction& known : all_.limits.evictions) {
      if (known.workload != number || known.resource != eviction.resource) continue;
      known.pods += eviction.pods;
      return;
    }
    all_.limits.evictions.push_back(std::move(eviction));
  }

  const Pods& pods_;
  const std::vector<Allocatable>& nodes_;
  const LimitOptions& options_;
  std::map<std::string, std::map<std::size_t, std::int64_t>> on_node_;  // pods of each template
  std::optional<Outcome> together_;               // of all nodes at once; none where each is divided alone
  std::vector<std::vector<double>> held_;         // by each pod of it, [pod][r]
  std::map<std::string, std::size_t> first_pod_;  // of each node, among these
  ClusterLimits all_;
};

}  // namespace

Result<ClusterLimits> fair_limits_of_cluster(const Pods& pods, const std::vector<Allocatable>& nodes,
                                             const LimitOptions& options) {
  return ClusterDivision(pods, nodes, options).divide();
}

}  // namespace mirab::kubernetes
