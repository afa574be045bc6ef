#pragma once

#include <string>
#include <string_view>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/kubernetes/pods.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/result.hpp>

namespace mirab::kubernetes {

/// The text from which the pods were read with the new limits in it, and all else as it was: of YAML every
/// other byte, comments too; of JSON the order of keys. A request that was not written is written, since
/// Kubernetes would take the new limit for it. Errors: a text in which the limits cannot be placed, with
/// file, line and key.
Result<std::string> with_limits(std::string_view text, Syntax syntax, const std::string& file,
                                const Pods& pods, const Limits& limits);

/// A line of `kubectl patch` for each workload: pods that run are resized in place, templates patched. What
/// Kubernetes does not let change has a comment instead, which says why and what to do.
std::string patch_commands(const Pods& pods, const Limits& limits);

}  // namespace mirab::kubernetes
