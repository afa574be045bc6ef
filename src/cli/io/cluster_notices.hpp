// What a cluster file may say, but seldom means to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "cli/io/input.hpp"

namespace mirab::cli {

/// That no server holds one whole task of a user, where none does: a filling places none, and what a division
/// gives it can never run. Often `500` for `500m`. Of a user who waits for a resource, that. With the key of
/// the demand. `servers` is what the words call the servers of the problem. O(servers x resources).
std::optional<Error> unplaceable_task(const Problem& problem, std::size_t user,
                                      std::string_view servers = "no server");

/// Users who wait for a resource: no server on which they may run has any of it. Each with the key of its
/// demand. O(users + servers x sets of eligible servers), and O(servers x resources) for each of them.
std::vector<Error> waiting_users(const Problem& problem);

/// Whole tasks that no server holds, of all other users. O(users x servers x resources) at worst.
std::vector<Error> unplaceable_tasks(const Problem& problem);

/// Demands below a thousand where some server has more than a million times as much: often `4` for `4Gi`.
/// Each with the key of the demand. O((users + servers) x resources).
std::vector<Error> missing_units(const Problem& problem);

/// Servers on which no user may run, with what keeps users off. Each with the key of the server. O(users x
/// servers).
std::vector<Error> unusable_servers(const Problem& problem);

/// Servers that were not there before, on which some may run, and that nobody names, where users and task
/// shapes name others: what was added to a file whose users list the servers of yesterday. Each with the key
/// of the server. O(users x servers).
std::vector<Error> unnamed_servers(const Problem& problem, const Problem& before);

/// Limits above that of a group above, which is the one that counts. Each with the key of the limit. O(N
/// depth m).
std::vector<Error> unreachable_limits(const Problem& problem);

/// Guarantees of which the servers on which the users below may run do not have all. Each with the key of the
/// amount. O(guarantees (N depth + N servers)).
std::vector<Error> unheld_guarantees(const Problem& problem);

/// Guarantees each of which the servers hold on which its users may run, and which they do not hold together:
/// of teams who may run on these servers alone. Each with the key of the first amount. O(G (N depth + N K) +
/// U^2 (K + G) m), of U different sets of servers.
std::vector<Error> guarantees_unheld_together(const Problem& problem);

/// The first few, without their places, and how many more there are.
std::vector<std::string> first_notices(const std::vector<Error>& notices);

/// Notes the first few on standard error, with the lines of the cluster file, or the teams file.
void print_cluster_notices(const ClusterFiles& files, const std::vector<Error>& notices);

/// The same of guarantees that cover no task, or that the servers do not hold.
void print_guarantee_slips(const ClusterFiles& files, const Problem& problem);

/// The same of missing units, users who wait, tasks that fit nowhere, these guarantees, limits above that of
/// a group, and servers on which no user may run.
void print_slips(const ClusterFiles& files, const Problem& problem);

}  // namespace mirab::cli
