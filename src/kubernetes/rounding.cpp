// From what containers may use, a double, to their limits, which are counted.
//
//   limit_c = max(⌊ amount_c / step ⌋ · step, request_c)
//
// The amounts of each step of a pod's life are the pod's share (split.cpp), so these limits together are at
// most that. A share that is a whole number but for its rounding error is taken for whole, and a mechanism
// may overshoot a capacity by its tolerance: what that makes too much, counted exactly, is taken a step at a
// time from whoever holds most above its request, of those that run while their pod takes most. At most some
// steps are needed.
#include "kubernetes/rounding.hpp"

#include <algorithm>
#include <cmath>

#include <mirab/model/assert.hpp>

#include "kubernetes/split.hpp"

namespace mirab::kubernetes {
namespace {

constexpr double kWholeWithin = 1e-6;  // of a step

using LimitsOfPod = std::vector<std::vector<Units>>;  // [c][r]

Units taken(const Workload& workload, const LimitsOfPod& limits, std::size_t r) {
  std::vector<Units> each;
  for (const std::vector<Units>& of_container : limits) each.push_back(of_container[r]);
  return taken_by_pod(workload, r, each);
}

Units rounded(const Need& need, double amount) {
  const double steps = amount / static_cast<double>(need.step);
  const Units limit = static_cast<Units>(std::floor(steps + kWholeWithin)) * need.step;
  return std::max(limit, need.request);
}

// Which containers run while the pod takes most, so that less for them may be less for the pod: an init
// container in its own step, main containers in the last one, sidecars in all from theirs on.
std::vector<bool> run_at_most(const Workload& workload, const LimitsOfPod& limits, std::size_t r) {
  const Units most = taken(workload, limits, r) - workload.overhead[r];
  Units beside = 0, main = 0;
  for (std::size_t c = 0; c < limits.size(); ++c) {
    if (workload.containers[c].role == Role::sidecar) beside += limits[c][r];
    if (workload.containers[c].role == Role::main) main += limits[c][r];
  }
  const bool last_is_most = beside + main == most;
  bool later = last_is_most;
  std::vector<bool> run(limits.size());
  for (std::size_t c = limits.size(); c-- > 0;) {
    const Role role = workload.containers[c].role;
    run[c] = role == Role::main      ? last_is_most
             : role == Role::sidecar ? later
                                     : beside + limits[c][r] == most;
    if (role == Role::sidecar) beside -= limits[c][r];
    if (role == Role::init) later = later || run[c];
  }
  return run;
}

// The container whose limit lies furthest above its request, of those whose limits add up
// to what their pod takes.
struct Highest {
  std::size_t workload = 0;
  std::size_t container = 0;
  Units above = 0;
};

Highest highest(const Pods& pods, const std::vector<LimitsOfPod>& limits, std::size_t r) {
  Highest most;
  for (std::size_t w = 0; w < limits.size(); ++w) {
    const std::vector<bool> run = run_at_most(pods.workloads[w], limits[w], r);
    for (std::size_t c = 0; c < limits[w].size(); ++c) {
      const Units above = limits[w][c][r] - pods.workloads[w].containers[c].needs[r].request;
      if (above > most.above && run[c]) most = {w, c, above};
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
    const Workload& workload = pods.workloads[most.workload];
    const Units step = workload.containers[most.container].needs[r].step;
    const Units excess = (sum - node.units[r] + workload.pods - 1) / workload.pods;
    const Units steps = (excess + step - 1) / step;
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
    of_pod.assign(workload.containers.size(), {});
    for (std::size_t r = 0; r < pods.resources.size(); ++r) {
      const std::vector<double> amounts = split_over_containers(workload, r, share[w][r]);
      for (std::size_t c = 0; c < amounts.size(); ++c)
        of_pod[c].push_back(rounded(workload.containers[c].needs[r], amounts[c]));
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
