// The class of a pod, by the CPUs and the memory of all its containers, init containers too.
//
//   Guaranteed   every container has a limit of both, and requests what it is limited to
//   BestEffort   no container has a request or limit of either
//   Burstable    all others
//
// Storage, devices and huge pages do not count, nor what a pod takes beside its containers.
//
// Source: Kubernetes, "Pod Quality of Service Classes"; ComputePodQOS in its pkg/apis/core/v1/helper/qos,
// which compares sums over the containers: the same, since no limit is below its request. Known failure: pods
// whose requests are written for the pod as a whole are refused by the reader.
#include "kubernetes/quality.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

bool is_none(const Known& known) { return known.request == 0 && known.limit == 0; }

bool is_full(const Known& known) { return known.limit > 0 && known.request == known.limit; }

}  // namespace

QualityOfService quality_of(const Workload& workload) {
  const auto all = [&](bool (*holds)(const Known&)) {
    return std::all_of(workload.containers.begin(), workload.containers.end(),
                       [&](const Container& each) { return holds(each.cpu) && holds(each.memory); });
  };
  if (all(is_none)) return QualityOfService::best_effort;
  return all(is_full) ? QualityOfService::guaranteed : QualityOfService::burstable;
}

std::string_view quality_name(QualityOfService quality) {
  switch (quality) {
    case QualityOfService::guaranteed:
      return "Guaranteed";
    case QualityOfService::burstable:
      return "Burstable";
    case QualityOfService::best_effort:
      return "BestEffort";
  }
  MIRAB_ASSERT(false, "a class without a name");
  return {};
}

}  // namespace mirab::kubernetes
