// A fill spells out every server and places every task, so what a divisible mechanism does in no time may
// take more memory or hours than anybody has: 64Gi of memory holds 17 billion tasks of 4 bytes. That is
// refused beforehand.
#include "scheduling/limits.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace mirab::scheduling {
namespace {

constexpr std::int64_t kMostServers = 10'000'000;
constexpr std::int64_t kMostTasks = 10'000'000'000;  // of one user: hours of placing one by one

/// How many tasks one empty server of the entry holds: min_r c_{i,r} / d_{n,i,r}, floored.
std::int64_t tasks_on_one(const CountedProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  std::int64_t tasks = INT64_MAX;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) tasks = std::min(tasks, cluster.capacity(entry)[r] / demand[r]);
  }
  return tasks;
}

/// Could the user, if alone, place more than kMostTasks?
bool is_endless(const CountedProblem& cluster, std::size_t user) {
  if (cluster.task_limit(user) <= kMostTasks) return false;
  std::int64_t left = kMostTasks;
  for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
    if (!cluster.problem().eligible(user, i)) continue;
    const std::int64_t count = cluster.problem().servers()[i].count;
    const std::int64_t tasks = tasks_on_one(cluster, user, i);
    if (tasks > left / count) return true;
    left -= tasks * count;
  }
  return false;
}

}  // namespace

Check check_server_count(const Problem& problem) {
  std::int64_t left = kMostServers;
  for (const Server& server : problem.servers()) {
    if (server.count > left) {
      return Error{.message = fmt::format(
                       "more than {} servers in all; fill keeps account of every single one", kMostServers),
                   .key = "servers"};
    }
    left -= server.count;
  }
  return {};
}

Check check_ends_in_time(const CountedProblem& cluster) {
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    if (!is_endless(cluster, n)) continue;
    return Error{
        .message = fmt::format("more than {} tasks of user '{}' would fit, and fill places them one by one; "
                               "give it larger tasks, or limit them with `tasks`",
                               kMostTasks, cluster.problem().users()[n].name),
        .key = fmt::format("users[{}].demand", n)};
  }
  return {};
}

}  // namespace mirab::scheduling
