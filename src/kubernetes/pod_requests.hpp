#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/kubernetes/amounts.hpp>
#include <mirab/kubernetes/pods.hpp>
#include <mirab/model/result.hpp>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {

/// What containers take together when each takes `each`, as Kubernetes counts it: taken_by_pod() without the
/// overhead.
Units taken_by_containers(std::span<const Role> roles, std::span<const Units> each);

/// Amounts by the name of the resource.
using Amounts = std::map<std::string, Units>;

/// What the scheduler reserves for a pod, of every resource that it asks for: requests, or limits where no
/// request is written, of its containers as taken_by_containers() adds them; what the pod as a whole asks for
/// in their place; and its overhead. A container that says nothing of a resource of `default_request` takes
/// that. What is resized in place counts with its larger size (KEP 1287). `spec` is where the object has the
/// pod's specification. Errors name file, line and key.
Result<Amounts> scheduled_requests(const Object& pod, const std::string& file,
                                   const std::vector<Amount>& default_request,
                                   std::string_view spec = "/spec");

/// What else decides where the pod runs, or in which order, and a cluster file cannot say: in words, such as
/// `pod anti-affinity`. Empty for most pods.
std::vector<std::string_view> unsaid_rules(const Object& pod);

}  // namespace mirab::kubernetes
