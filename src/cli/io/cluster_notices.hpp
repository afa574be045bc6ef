// What a cluster file may say, but seldom means to.
#pragma once

#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

namespace mirab::cli {

/// Users of whom no server holds one whole task: a filling places none, and a division gives them less than
/// one. Often `500` for `500m`. Each with the key of the demand. O(users x servers x resources) at worst.
std::vector<Error> unplaceable_tasks(const Problem& problem);

/// Demands below a thousand where some server has more than a million times as much: often `4` for `4Gi`.
/// Each with the key of the demand. O((users + servers) x resources).
std::vector<Error> missing_units(const Problem& problem);

/// Notes the first few on standard error, with the lines of the cluster file.
void print_cluster_notices(const std::string& cluster, const std::vector<Error>& notices);

}  // namespace mirab::cli
