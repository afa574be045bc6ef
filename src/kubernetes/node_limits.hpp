// How the division of one node becomes limits, for fair_limits() and for the nodes of a cluster.
#pragma once

#include <functional>
#include <vector>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/model/problem.hpp>

#include "kubernetes/minimum_shares.hpp"

namespace mirab::kubernetes {

/// The node as a server and every pod as a user of it, whose task is its request: in CPUs and bytes.
/// `weights`, [w], are those of the workloads. Errors: a weight that cannot be counted.
Result<Cluster> cluster_of_node(const Pods& pods, const Allocatable& node, const std::vector<double>& weights,
                                const std::optional<Quantity>& most);

/// φ of a pod of each workload, with what the weights of resources make of it, [w]. Errors name the option:
/// an unknown pod or resource, or a mechanism that compares no dominant shares.
Result<std::vector<double>> weights_of(const Pods& pods, const Allocatable& node,
                                       const LimitOptions& options);

/// Divides a node, as a problem, among its pods.
using DivideNode = std::function<Result<MinimumShares>(const Problem& node)>;

/// As fair_limits(), with another division of the node.
Result<Limits> limits_by(const Pods& pods, const Allocatable& node, const LimitOptions& options,
                         const DivideNode& divide);

}  // namespace mirab::kubernetes
