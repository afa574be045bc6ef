// A pod's share split over its containers and rounded to limits.
#include "kubernetes/container_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {

// A pod's share split over its containers, so that no step of its life leaves any of it unused.
//
//   lexicographic max-min of k_c = amount_c / request_c,   Σ_{c runs in s} amount_c = share - overhead in all
//   s
//
// Each init container is a step, in which it and the sidecars that began before it run; the main containers
// with all sidecars are the last one. So a pod without init containers is split in proportion to requests,
// and one whose request is that of an init container lets its main containers use as much together. Sidecars
// run in several steps and are held by the tightest: progressive filling, with the steps for links and the
// containers for flows. A step stops the sidecars before it; those before the last stopped step are settled,
// so that the next one is looked for behind it only. Then every step gives its own containers what sidecars
// leave.
//
// Source: Kubernetes, "Sidecar Containers", resource sharing within containers, for the steps; Bertsekas and
// Gallager, Data Networks, section 6.5.2, for the filling.
// Example: init 500m, main 100m and 300m, share 1 CPU: 1000m, then 250m and 750m.

namespace {

class Split {
 public:
  Split(const Workload& workload, std::size_t r, double share)
      : workload_(workload),
        r_(r),
        room_(share - static_cast<double>(workload.overhead[r])),
        amounts_(workload.containers.size(), 0.0) {
    for (const Container& each : workload.containers) main_ += each.role == Role::main ? request(each) : 0;
  }

  std::vector<double> amounts() {
    std::size_t settled = 0;  // containers before it: their sidecars have their amounts
    double held = 0;          // by those sidecars
    while (settled < amounts_.size()) {
      const Step step = tightest(settled, held);
      for (; settled < step.end; ++settled) {
        const Container& each = workload_.containers[settled];
        if (each.role != Role::sidecar) continue;
        amounts_[settled] = request(each) * step.factor;
        held += amounts_[settled];
      }
    }
    give_the_rest();
    return std::move(amounts_);
  }

 private:
  struct Step {
    std::size_t end = 0;  // the container behind it
    double factor = std::numeric_limits<double>::infinity();
  };

  double request(const Container& container) const {
    return static_cast<double>(container.needs[r_].request);
  }

  // The step behind `settled` in which containers that are not settled have the least multiple.
  Step tightest(std::size_t settled, double held) const {
    Step least;
    double sidecars = 0;
    const auto consider = [&](double own, std::size_t end) {
      const double factor = std::max(1.0, (room_ - held) / (sidecars + own));
      if (factor < least.factor) least = {end, factor};
    };
    for (std::size_t c = settled; c < workload_.containers.size(); ++c) {
      const Container& each = workload_.containers[c];
      if (each.role == Role::sidecar) sidecars += request(each);
      if (each.role == Role::init) consider(request(each), c + 1);
    }
    consider(main_, workload_.containers.size());
    return least;
  }

  void give_the_rest() {
    double sidecars = 0;
    for (std::size_t c = 0; c < amounts_.size(); ++c) {
      const Container& each = workload_.containers[c];
      if (each.role == Role::sidecar) {
        sidecars += amounts_[c];
        continue;
      }
      const double own = each.role == Role::init ? request(each) : main_;
      amounts_[c] = request(each) * std::max(1.0, (room_ - sidecars) / own);
    }
  }

  const Workload& workload_;
  std::size_t r_;
  double room_;
  double main_ = 0;  // requests of all main containers
  std::vector<double> amounts_;
};

}  // namespace

std::vector<double> split_over_containers(const Workload& workload, std::size_t r, double share) {
  MIRAB_ASSERT(std::any_of(workload.containers.begin(), workload.containers.end(),
                           [](const Container& each) { return each.role == Role::main; }),
               "a pod has a main container");
  return Split(workload, r, share).amounts();
}

// From what containers may use, a double, to their limits, which are counted.
//
//   limit_c = max(⌊ amount_c / step ⌋ · step, request_c)
//
// The amounts of each step of a pod's life are the pod's share (split_over_containers), so these limits
// together are at most that. A share that is a whole number but for its rounding error is taken for whole,
// and a mechanism may overshoot a capacity by its tolerance: what that makes too much, counted exactly, is
// taken step by step from the container that has most above its request, of those that run while their pod
// takes most. A few steps are enough.

namespace {

constexpr double kWholeWithin =
    1e-6;  // of a step: rounding of amounts of up to 2^47 units, 1e-2 at most, is seen only beyond 1e10 steps

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
  Units sidecars = 0, main = 0;
  for (std::size_t c = 0; c < limits.size(); ++c) {
    if (workload.containers[c].role == Role::sidecar) sidecars += limits[c][r];
    if (workload.containers[c].role == Role::main) main += limits[c][r];
  }
  const bool last_is_most = sidecars + main == most;
  bool later = last_is_most;
  std::vector<bool> run(limits.size());
  for (std::size_t c = limits.size(); c-- > 0;) {
    const Role role = workload.containers[c].role;
    run[c] = role == Role::main      ? last_is_most
             : role == Role::sidecar ? later
                                     : sidecars + limits[c][r] == most;
    if (role == Role::sidecar) sidecars -= limits[c][r];
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
