// Fair limits of the pods of a node, with weights of pods and resources.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <vector>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/model/assert.hpp>

#include "fairness/share.hpp"
#include "kubernetes/container_limits.hpp"
#include "kubernetes/eviction.hpp"
#include "kubernetes/minimum_shares.hpp"
#include "kubernetes/node_limits.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {

// Weights of pods and of resources.
//
// Source: Hamzeh, thesis, section 4.5.3, (4.75), which puts a resource's weight in the place of its amount:
// dominant is max_r d_r / f_r. Here f_r multiplies the amount, max_r d_r / (C_r f_r), so that 1 changes
// nothing and no unit matters. A mechanism that compares X_n max_r (d_{n,r}/C_r) / φ_n compares these shares
// when φ_n is multiplied by max_r (d_{n,r}/C_r) / max_r (d_{n,r}/(C_r f_r)): so no mechanism needs to know of
// f.

namespace {

// By what a pod's weight is multiplied for its share to be max_r d_r/(C_r f_r) instead of max_r d_r/C_r.
double weight_for_resources(const Workload& workload, const Allocatable& node, const std::vector<double>& f) {
  std::vector<Units> request;
  for (std::size_t r = 0; r < f.size(); ++r) request.push_back(request_of_pod(workload, r));
  struct OverWeight {
    const std::vector<double>& f;
    double times(double part, std::size_t r) const { return part / f[r]; }
  };
  return fairness::dominant_share<double>(request, node.units) /
         fairness::dominant_share<double>(request, node.units, OverWeight{f});
}

// On one node these all give X_n in proportion to φ_n / max_r (d_{n,r}/C_r).
constexpr std::array<std::string_view, 4> kByDominantShare = {"drf", "drfh", "tsf", "ps-dsf"};

constexpr std::string_view kNamespace = "namespace/";

Check weigh_namespace(const Pods& pods, const PodWeight& weight, std::vector<double>& weights) {
  const std::string_view space = std::string_view(weight.workload).substr(kNamespace.size());
  bool found = false;
  std::set<std::string_view> spaces;
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    spaces.insert(pods.workloads[w].space);
    if (pods.workloads[w].space != space) continue;
    weights[w] *= weight.weight.value();
    found = true;
  }
  if (found) return {};
  const std::vector<std::string_view> known(spaces.begin(), spaces.end());
  return Error{
      .message = fmt::format("there is no pod in a namespace '{}'{}", space, known_names(space, known)),
      .key = "--weight"};
}

Result<std::vector<double>> resource_weights(const Pods& pods, const LimitOptions& options) {
  std::vector<double> f(pods.resources.size(), 1);
  if (options.resource_weights.empty()) return f;
  if (std::find(kByDominantShare.begin(), kByDominantShare.end(), options.mechanism.name) ==
      kByDominantShare.end()) {
    return Error{.message = fmt::format("{} does not compare dominant shares, so it cannot weigh resources; "
                                        "these can: {}",
                                        options.mechanism.name,
                                        first_names(kByDominantShare, kByDominantShare.size())),
                 .key = "--resource-weight"};
  }
  for (const ResourceWeight& each : options.resource_weights) {
    const auto found = std::find(pods.resources.begin(), pods.resources.end(), each.resource);
    if (found == pods.resources.end()) {
      const std::vector<std::string_view> names(pods.resources.begin(), pods.resources.end());
      return Error{.message = fmt::format("there is no resource '{}'{}", each.resource,
                                          known_names(each.resource, names)),
                   .key = "--resource-weight"};
    }
    f[static_cast<std::size_t>(found - pods.resources.begin())] = each.weight.value();
  }
  return f;
}

}  // namespace

Result<std::vector<double>> weights_of(const Pods& pods, const Allocatable& node,
                                       const LimitOptions& options) {
  const Result<std::vector<double>> f = resource_weights(pods, options);
  if (!f) return f.error();
  std::vector<double> weights;
  std::vector<std::string_view> names;
  for (const Workload& workload : pods.workloads) {
    weights.push_back(options.resource_weights.empty() ? 1 : weight_for_resources(workload, node, *f));
    names.push_back(workload.name);
  }
  for (const PodWeight& each : options.weights) {
    if (each.workload.starts_with(kNamespace)) {
      if (Check unknown = weigh_namespace(pods, each, weights)) return *std::move(unknown);
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), each.workload);
    if (found == names.end()) {
      return Error{
          .message = fmt::format("there is no pod '{}'{}", each.workload, known_names(each.workload, names)),
          .key = "--weight"};
    }
    weights[static_cast<std::size_t>(found - names.begin())] *= each.weight.value();
  }
  return weights;
}

// From pods to limits: requests are demands, the node is the pool, a pod's share its limit.
//
// Source: Hamzeh, thesis, section 4.5.3: dominant resources by what the node can give (4.73), weights (4.75),
// the limits together at most what the node has (4.77). Figures 4.15 and 4.16 are its examples.
//
// A mechanism sees CPUs and bytes, as it does in a cluster that was imported: so one node is divided as
// mirab allocate divides it.

namespace {

double scale(const std::string& resource) { return resource == "cpu" ? 1000 : 1; }

Quantity scaled(const std::string& resource, Units units) {
  const Result<Quantity> quantity = Quantity::from(static_cast<double>(units) / scale(resource));
  MIRAB_ASSERT(static_cast<bool>(quantity), "units below 2^47 are a quantity");
  return *quantity;
}

std::vector<Units> requested(const Pods& pods) {
  std::vector<Units> sums(pods.resources.size(), 0);
  for (const Workload& workload : pods.workloads) {
    for (std::size_t r = 0; r < sums.size(); ++r) sums[r] += workload.pods * request_of_pod(workload, r);
  }
  return sums;
}

std::vector<std::optional<Units>> limited_before(const Pods& pods) {
  std::vector<std::optional<Units>> sums(pods.resources.size(), 0);
  for (const Workload& workload : pods.workloads) {
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const std::optional<Units> limit = limit_of_pod(workload, r);
      if (!limit) sums[r].reset();
      if (sums[r]) *sums[r] += workload.pods * *limit;
    }
  }
  return sums;
}

// The workloads that ask for most of a resource, with how much.
std::string largest_requests(const Pods& pods, std::size_t r) {
  constexpr std::size_t kMaxNamed = 3;  // in one line
  std::vector<const Workload*> order;
  for (const Workload& workload : pods.workloads) order.push_back(&workload);
  std::stable_sort(order.begin(), order.end(), [&](const Workload* a, const Workload* b) {
    return request_of_pod(*a, r) * a->pods > request_of_pod(*b, r) * b->pods;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaxNamed, order.size()); ++i) {
    const Workload& each = *order[i];
    const std::string times = each.pods > 1 ? fmt::format("{} x ", each.pods) : "";
    text += fmt::format("{}{} {}{}", i == 0 ? "" : ", ", each.name, times,
                        units_text(pods.resources[r], request_of_pod(each, r)));
  }
  return text;
}

Check check_requests_fit(const Pods& pods, const Allocatable& node, const std::vector<Units>& requests) {
  std::string excess;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (requests[r] <= node.units[r]) continue;
    const std::string& resource = pods.resources[r];
    excess += fmt::format("{}{} {} requested, {} allocatable (largest: {})", excess.empty() ? "" : "; ",
                          resource, units_text(resource, requests[r]), units_text(resource, node.units[r]),
                          largest_requests(pods, r));
  }
  if (excess.empty()) return {};
  return Error{.message = fmt::format("the requests do not fit on {}: {}",
                                      node.node.empty() ? "the node" : node.node, excess)};
}

}  // namespace

Result<Cluster> cluster_of_node(const Pods& pods, const Allocatable& node, const std::vector<double>& weights,
                                const std::optional<Quantity>& most) {
  Cluster cluster{.resources = pods.resources,
                  .servers = {{.name = node.node.empty() ? "node" : node.node, .capacity = {}}},
                  .users = {}};
  for (std::size_t r = 0; r < pods.resources.size(); ++r)
    cluster.servers[0].capacity.push_back(scaled(pods.resources[r], node.units[r]));
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const Workload& workload = pods.workloads[w];
    Result<Quantity> weight = Quantity::from(weights[w]);
    if (!weight) return Error{.message = weight.error().message, .key = "--weight"};
    User user{.name = workload.name, .demand = {}, .weight = *weight, .tasks = most};
    for (std::size_t r = 0; r < pods.resources.size(); ++r)
      user.demand.push_back(scaled(pods.resources[r], request_of_pod(workload, r)));
    for (std::int64_t i = 0; i < workload.pods; ++i) {
      if (workload.pods > 1) user.name = fmt::format("{} {}", workload.name, i + 1);
      cluster.users.push_back(user);
    }
  }
  return cluster;
}

namespace {

// The least that any pod of a workload was given, so that its template fits them all.
std::vector<std::vector<double>> shares_of_workloads(const Pods& pods, const MinimumShares& shares) {
  std::vector<std::vector<double>> all;
  std::size_t n = 0;
  for (const Workload& workload : pods.workloads) {
    std::vector<double> least = shares.held[n];
    for (std::int64_t i = 0; i < workload.pods; ++i, ++n) {
      for (std::size_t r = 0; r < least.size(); ++r) least[r] = std::min(least[r], shares.held[n][r]);
    }
    for (std::size_t r = 0; r < least.size(); ++r) least[r] *= scale(pods.resources[r]);
    all.push_back(std::move(least));
  }
  return all;
}

// Is it enough to tell the mechanism how many tasks a pod may have? Then it gives the rest to others.
bool takes_caps(const Choice& mechanism) {
  const Mechanism* const row = find_mechanism(mechanism.name);
  return row != nullptr && row->accepts.caps;
}

void cap_shares(const Pods& pods, double most, std::vector<std::vector<double>>& shares) {
  for (std::size_t w = 0; w < shares.size(); ++w) {
    for (std::size_t r = 0; r < shares[w].size(); ++r) {
      shares[w][r] = std::min(shares[w][r], most * static_cast<double>(request_of_pod(pods.workloads[w], r)));
    }
  }
}

// Of each container: what an init container may use alone is often a multiple of its own request.
void cap_limits(const Pods& pods, double most, std::vector<std::vector<std::vector<Units>>>& limits) {
  for (std::size_t w = 0; w < limits.size(); ++w) {
    for (std::size_t c = 0; c < limits[w].size(); ++c) {
      for (std::size_t r = 0; r < limits[w][c].size(); ++r) {
        const Need& need = pods.workloads[w].containers[c].needs[r];
        const double cap = std::floor(most * static_cast<double>(need.request));
        const auto in_steps = static_cast<Units>(cap) / need.step * need.step;
        limits[w][c][r] = std::max(need.request, std::min(limits[w][c][r], in_steps));
      }
    }
  }
}

bool exceeded(const Limits& limits, const Allocatable& node) {
  for (std::size_t r = 0; r < node.units.size(); ++r) {
    if (!limits.limited_before[r] || *limits.limited_before[r] > node.units[r]) return true;
  }
  return false;
}

void keep_present_limits(const Pods& pods, Limits& limits) {
  limits.recalculated = false;
  for (const Workload& workload : pods.workloads) {
    WorkloadLimits kept;
    for (std::size_t r = 0; r < pods.resources.size(); ++r)
      kept.share.push_back(static_cast<double>(*limit_of_pod(workload, r)));
    for (const Container& container : workload.containers) {
      kept.limits.emplace_back();
      for (const Need& need : container.needs) kept.limits.back().push_back(*need.limit);
    }
    limits.workloads.push_back(std::move(kept));
  }
  for (const std::optional<Units>& sum : limits.limited_before) limits.limited.push_back(*sum);
  limits.notices.emplace_back("the present limits fit on the node: nothing is recalculated");
}

}  // namespace

Result<Limits> fair_limits(const Pods& pods, const Allocatable& node, const LimitOptions& options) {
  return limits_by(pods, node, options, [&](const Problem& problem) {
    return share_with_minimum(problem, options.mechanism, options.execution);
  });
}

Result<Limits> limits_by(const Pods& pods, const Allocatable& node, const LimitOptions& options,
                         const DivideNode& divide) {
  MIRAB_ASSERT(pods.resources == node.resources, "the pods were read for this node's resources");
  Limits limits{.mechanism = options.mechanism.text,
                .certificate = {.kind = "present-limits", .value = 0},
                .workloads = {},
                .requested = requested(pods),
                .limited_before = limited_before(pods),
                .limited = {},
                .evictions = {},
                .notices = pods.notices};
  if (const Check excess = check_requests_fit(pods, node, limits.requested)) return *excess;
  limits.evictions = evictions(pods, node);
  const Result<std::vector<double>> weights = weights_of(pods, node, options);
  if (!weights) return weights.error();
  if (options.recalculate == Recalculate::when_exceeded && !exceeded(limits, node)) {
    keep_present_limits(pods, limits);
    return limits;
  }
  Result<Cluster> cluster =
      cluster_of_node(pods, node, *weights, takes_caps(options.mechanism) ? options.at_most : std::nullopt);
  if (!cluster) return cluster.error();
  const Result<Problem> problem = Problem::from(*std::move(cluster));
  if (!problem) return problem.error();
  Result<MinimumShares> shares = divide(*problem);
  if (!shares) return Error{.message = shares.error().message};  // its key is of a cluster file
  limits.status = shares->outcome.status;
  limits.certificate = shares->outcome.certificate;
  for (std::string& notice : shares->outcome.notices) limits.notices.push_back(std::move(notice));

  std::vector<std::vector<double>> share = shares_of_workloads(pods, *shares);
  if (options.at_most) cap_shares(pods, options.at_most->value(), share);
  std::vector<std::vector<std::vector<Units>>> rounded = limits_within(pods, node, share);
  if (options.at_most) cap_limits(pods, options.at_most->value(), rounded);
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    limits.workloads.push_back(
        {.weight = (*weights)[w], .share = std::move(share[w]), .limits = std::move(rounded[w])});
  }
  limits.limited = limited_by(pods, limits.workloads);
  return limits;
}

}  // namespace mirab::kubernetes
