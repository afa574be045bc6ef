// From a pod's share, a double, to the limits of its containers, which are counted.
//
//   limit_c = ⌊ request_c · k / step ⌋ · step,   k = (share - overhead) / (request of the pod - overhead)
//
// What a pod takes is homogeneous in what its containers take (workload.cpp), so these limits together are at
// most the share. A share that is a whole number but for its rounding error is taken for whole, and a
// mechanism may overshoot a capacity by its tolerance: what that makes too much, counted exactly, is taken a
// step at a time from whoever holds most above its request. At most some steps are needed.
#include "kubernetes/rounding.hpp"

#include <algorithm>
#include <cmath>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

constexpr double kWholeWithin = 1e-6;  // of a step

using LimitsOfPod = std::vector<std::vector<Units>>;  // [c][r]

Units taken(const Workload& workload, const LimitsOfPod& limits, std::size_t r) {
  std::vector<Units> each;
  for (const std::vector<Units>& of_container : limits) each.push_back(of_container[r]);
  return taken_by_pod(workload, r, each);
}

Units rounded(const Need& need, double factor) {
  const double steps = static_cast<double>(need.request) * factor / static_cast<double>(need.step);
  const Units limit = static_cast<Units>(std::floor(steps + kWholeWithin)) * need.step;
  return std::max(limit, need.request);
}

double factor_of(const Workload& workload, std::size_t r, double share) {
  const auto overhead = static_cast<double>(workload.overhead[r]);
  return std::max(1.0, (share - overhead) / (static_cast<double>(request_of_pod(workload, r)) - overhead));
}

// The container whose limit lies furthest above its request.
struct Highest {
  std::size_t workload = 0;
  std::size_t container = 0;
  Units above = 0;
};

Highest highest(const Pods& pods, const std::vector<LimitsOfPod>& limits, std::size_t r) {
  Highest most;
  for (std::size_t w = 0; w < limits.size(); ++w) {
    for (std::size_t c = 0; c < limits[w].size(); ++c) {
      const Units above = limits[w][c][r] - pods.workloads[w].containers[c].needs[r].request;
      if (above > most.above) most = {w, c, above};
    }
  }
  return most;
}

void trim(const Pods& pods, const Allocatable& node, std::size_t r, std::vector<LimitsOfPod>& limits) {
  while (true) {
    Units sum = 0;
    for (std::size_t w = 0; w < limits.size(); ++w)
      sum += pods.workloads[w].pods * taken(pods.workloads[w], limits[w], r);
    if (sum <= node.units[r]) return;
    const Highest most = highest(pods, limits, r);
    MIRAB_ASSERT(most.above > 0, "the requests fit on the node");
    const Units step = pods.workloads[most.workload].containers[most.container].needs[r].step;
    const Units steps = (sum - node.units[r] + step - 1) / step;
    limits[most.workload][most.container][r] -= std::min(most.above, steps * step);
  }
}

}  // namespace

std::vector<LimitsOfPod> limits_within(const Pods& pods, const Allocatable& node,
                                       const std::vector<std::vector<double>>& share) {
  std::vector<LimitsOfPod> limits;
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const Workload& workload = pods.workloads[w];
    LimitsOfPod& of_pod = limits.emplace_back();
    for (const Container& container : workload.containers) {
      of_pod.emplace_back();
      for (std::size_t r = 0; r < pods.resources.size(); ++r)
        of_pod.back().push_back(rounded(container.needs[r], factor_of(workload, r, share[w][r])));
    }
  }
  for (std::size_t r = 0; r < pods.resources.size(); ++r) trim(pods, node, r, limits);
  return limits;
}

std::vector<Units> limited_by(const Pods& pods, const std::vector<WorkloadLimits>& workloads) {
  std::vector<Units> sums(pods.resources.size(), 0);
  for (std::size_t w = 0; w < workloads.size(); ++w) {
    for (std::size_t r = 0; r < sums.size(); ++r)
      sums[r] += pods.workloads[w].pods * taken(pods.workloads[w], workloads[w].limits, r);
  }
  return sums;
}

}  // namespace mirab::kubernetes
