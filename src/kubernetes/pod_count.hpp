#pragma once

#include <string>
#include <string_view>

#include <mirab/model/result.hpp>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {

/// How many pods an object runs at once. `count` is where it says so, `/spec/replicas` or that of a job's
/// parallelism, and empty for one pod. Errors name file, line and key.
Result<std::int64_t> pods_run_by(const Object& object, std::string_view count, const std::string& file);

/// Has the pod or job come to its end?
bool is_done(const Object& object);

}  // namespace mirab::kubernetes
