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
#include "kubernetes/split.hpp"

#include <algorithm>
#include <limits>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
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
    double beside = 0;
    const auto consider = [&](double own, std::size_t end) {
      const double factor = std::max(1.0, (room_ - held) / (beside + own));
      if (factor < least.factor) least = {end, factor};
    };
    for (std::size_t c = settled; c < workload_.containers.size(); ++c) {
      const Container& each = workload_.containers[c];
      if (each.role == Role::sidecar) beside += request(each);
      if (each.role == Role::init) consider(request(each), c + 1);
    }
    consider(main_, workload_.containers.size());
    return least;
  }

  void give_the_rest() {
    double beside = 0;
    for (std::size_t c = 0; c < amounts_.size(); ++c) {
      const Container& each = workload_.containers[c];
      if (each.role == Role::sidecar) {
        beside += amounts_[c];
        continue;
      }
      const double own = each.role == Role::init ? request(each) : main_;
      amounts_[c] = request(each) * std::max(1.0, (room_ - beside) / own);
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

}  // namespace mirab::kubernetes
