// From pods to limits: requests are demands, the node is the pool, a pod's share its limit.
//
// Source: Hamzeh, thesis, section 4.5.3: dominant resources by what the node can give (4.73), weights (4.75),
// the limits together at most what the node has (4.77). Figures 4.15 and 4.16 are its examples.
//
// CPUs are counted in thousandths and memory in Mi before a mechanism sees them, as in the thesis: to all but
// FFMRA, whose published q depends on units, it makes no difference.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/model/assert.hpp>

#include "kubernetes/evictions.hpp"
#include "kubernetes/floors.hpp"
#include "kubernetes/rounding.hpp"
#include "kubernetes/weights.hpp"

namespace mirab::kubernetes {
namespace {

constexpr double kMebibyte = 1 << 20;

double scale(const std::string& resource) { return resource == "cpu" ? 1 : kMebibyte; }

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
  constexpr std::size_t kMostNamed = 3;
  std::vector<const Workload*> order;
  for (const Workload& workload : pods.workloads) order.push_back(&workload);
  std::stable_sort(order.begin(), order.end(), [&](const Workload* a, const Workload* b) {
    return request_of_pod(*a, r) * a->pods > request_of_pod(*b, r) * b->pods;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNamed, order.size()); ++i) {
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
    excess +=
        fmt::format("{}{} by {} ({} of {}; most ask {})", excess.empty() ? "" : "; ", resource,
                    units_text(resource, requests[r] - node.units[r]), units_text(resource, requests[r]),
                    units_text(resource, node.units[r]), largest_requests(pods, r));
  }
  if (excess.empty()) return {};
  return Error{.message = fmt::format("the requests exceed what the node{}{} has: {}",
                                      node.node.empty() ? "" : " ", node.node, excess)};
}

// Every pod a user, whose task is its request.
Result<Problem> problem_of(const Pods& pods, const Allocatable& node, const std::vector<double>& weights) {
  Cluster cluster{.resources = pods.resources,
                  .servers = {{.name = node.node.empty() ? "node" : node.node, .capacity = {}}},
                  .users = {}};
  for (std::size_t r = 0; r < pods.resources.size(); ++r)
    cluster.servers[0].capacity.push_back(scaled(pods.resources[r], node.units[r]));
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const Workload& workload = pods.workloads[w];
    Result<Quantity> weight = Quantity::from(weights[w]);
    if (!weight) return Error{.message = weight.error().message, .key = "--weight"};
    User user{.name = workload.name, .demand = {}, .weight = *weight};
    for (std::size_t r = 0; r < pods.resources.size(); ++r)
      user.demand.push_back(scaled(pods.resources[r], request_of_pod(workload, r)));
    for (std::int64_t i = 0; i < workload.pods; ++i) {
      if (workload.pods > 1) user.name = fmt::format("{} {}", workload.name, i + 1);
      cluster.users.push_back(user);
    }
  }
  return Problem::from(std::move(cluster));
}

// The least that any pod of a workload was given, so that its template fits them all.
std::vector<std::vector<double>> shares_of_workloads(const Pods& pods, const FlooredShares& shares) {
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
  limits.notices.emplace_back("the present limits fit on the node: nothing is calculated anew");
}

}  // namespace

Result<Limits> fair_limits(const Pods& pods, const Allocatable& node, const LimitOptions& options) {
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
  const Result<Problem> problem = problem_of(pods, node, *weights);
  if (!problem) return problem.error();
  Result<FlooredShares> shares = share_with_floor(*problem, options.mechanism, options.execution);
  if (!shares) return Error{.message = shares.error().message};  // its key is of a cluster file
  limits.status = shares->outcome.status;
  limits.certificate = shares->outcome.certificate;
  for (std::string& notice : shares->outcome.notices) limits.notices.push_back(std::move(notice));

  std::vector<std::vector<double>> share = shares_of_workloads(pods, *shares);
  std::vector<std::vector<std::vector<Units>>> rounded = limits_within(pods, node, share);
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    limits.workloads.push_back(
        {.weight = (*weights)[w], .share = std::move(share[w]), .limits = std::move(rounded[w])});
  }
  limits.limited = limited_by(pods, limits.workloads);
  return limits;
}

}  // namespace mirab::kubernetes
