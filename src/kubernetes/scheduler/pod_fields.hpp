#pragma once

#include <optional>
#include <string>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {

/// The first field of a pod's specification that decides where the pod may run and that Mirab cannot honour
/// yet: `spec.affinity.podAffinity`. Nothing when it can honour all of them. It is a list of what is allowed:
/// a field that is not on it, such as one that a later Kubernetes adds, is one that cannot be honoured.
///
/// Preferences never make a placement wrong, so they are allowed and not honoured. O(fields).
std::optional<std::string> unsupported_field(const Object& pod);

/// How many preferences of the pod are not honoured: preferred affinity, spread with ScheduleAnyway.
int preferences_of(const Object& pod);

}  // namespace mirab::kubernetes
