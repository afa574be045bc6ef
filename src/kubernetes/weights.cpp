// Weights of pods and of resources.
//
// Source: Hamzeh, thesis, section 4.5.3, (4.75), which puts a resource's weight in the place of its amount:
// dominant is max_r d_r / f_r. Here f_r multiplies the amount, max_r d_r / (C_r f_r), so that 1 changes
// nothing and no unit matters. A mechanism that compares X_n max_r (d_{n,r}/C_r) / φ_n compares these shares
// when φ_n is multiplied by max_r (d_{n,r}/C_r) / max_r (d_{n,r}/(C_r f_r)): so no mechanism needs to know of
// f.
#include "kubernetes/weights.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

// By what a pod's weight is multiplied for its share to be max_r d_r/(C_r f_r) instead of max_r d_r/C_r.
double weight_for_resources(const Workload& workload, const Allocatable& node, const std::vector<double>& f) {
  double plain = 0, weighed = 0;
  for (std::size_t r = 0; r < f.size(); ++r) {
    const double share =
        static_cast<double>(request_of_pod(workload, r)) / static_cast<double>(node.units[r]);
    plain = std::max(plain, share);
    weighed = std::max(weighed, share / f[r]);
  }
  return plain / weighed;
}

// On one node these all give X_n in proportion to φ_n / max_r (d_{n,r}/C_r).
constexpr std::array<std::string_view, 4> kByDominantShare = {"drf", "drfh", "tsf", "ps-dsf"};

Result<std::vector<double>> resource_weights(const Pods& pods, const LimitOptions& options) {
  std::vector<double> f(pods.resources.size(), 1);
  if (options.resource_weights.empty()) return f;
  if (std::find(kByDominantShare.begin(), kByDominantShare.end(), options.mechanism.name) ==
      kByDominantShare.end()) {
    return Error{.message = fmt::format(
                     "{} compares no dominant shares, in which resources could be weighed; "
                     "these do: {}",
                     options.mechanism.name, first_names(kByDominantShare, kByDominantShare.size())),
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

}  // namespace mirab::kubernetes
