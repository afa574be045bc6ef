#pragma once

#include <string>

#include <mirab/kubernetes/pods.hpp>

#include "model/document.hpp"

namespace mirab::kubernetes {

/// Adds the containers of a pod's spec, which stands at `pointer` of its document, and the pod's overhead to
/// the workload. Errors name file, line and key.
Check read_containers(const Node& pod_spec, const std::string& pointer, const std::string& file,
                      const PodReading& reading, Workload& workload);

}  // namespace mirab::kubernetes
