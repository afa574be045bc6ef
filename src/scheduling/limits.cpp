// A fill spells out every server and places every task, so what a divisible mechanism does in no time may
// take more memory or hours than anybody has: 64Gi of memory holds 17 billion tasks of 4 bytes. That is
// refused beforehand.
#include "scheduling/limits.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace mirab::scheduling {
namespace {

constexpr std::int64_t kMostServers = 10'000'000;
constexpr std::int64_t kMostTasks = 10'000'000'000;  // hours of placing one by one

/// A sum of tasks, which stops growing above kMostTasks: it tells only whether it is above.
struct Tasks {
  std::int64_t sum = 0;
  void add(std::int64_t tasks) { sum += std::min(tasks, kMostTasks + 1 - sum); }
};

/// How many tasks one empty server holds, min_r c_{i,r} / d_{n,i,r} floored, and the r of that minimum.
struct Room {
  std::int64_t tasks;
  std::size_t scarce;
};

Room room_on_one(const CountedProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  Room room{.tasks = INT64_MAX, .scarce = 0};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    const std::int64_t tasks = cluster.capacity(entry)[r] / demand[r];
    if (tasks < room.tasks) room = {.tasks = tasks, .scarce = r};
  }
  return room;
}

/// What each user could place if alone, [n].
std::vector<Tasks> tasks_alone(const CountedProblem& cluster) {
  std::vector<Tasks> alone(cluster.user_count());
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
      if (!cluster.problem().eligible(n, i)) continue;
      alone[n].add(room_on_one(cluster, n, i).tasks * cluster.problem().servers()[i].count);
    }
  }
  return alone;
}

/// At most so many tasks fit on all servers, whoever places them, `left_out` users not counted. On one server
/// those tasks of which resource r runs out first are no more than the most that one user has of them, since
/// all of them take r and none less than that user's; so sum these over r.
template <class LeftOut>
Tasks tasks_together(const CountedProblem& cluster, LeftOut left_out) {
  Tasks together;
  for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
    std::vector<std::int64_t> most(cluster.resource_count(), 0);
    for (std::size_t n = 0; n < cluster.user_count(); ++n) {
      if (left_out(n) || !cluster.problem().eligible(n, i)) continue;
      const Room room = room_on_one(cluster, n, i);
      most[room.scarce] = std::max(most[room.scarce], room.tasks);
    }
    for (const std::int64_t tasks : most) together.add(tasks * cluster.problem().servers()[i].count);
  }
  return together;
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
  const std::vector<Tasks> alone = tasks_alone(cluster);
  const auto is_limited = [&](std::size_t n) { return cluster.task_limit(n) < alone[n].sum; };
  const auto most = [&](std::size_t n) { return std::min(cluster.task_limit(n), alone[n].sum); };
  const auto nobody = [](std::size_t) { return false; };

  // Two bounds, either of which may be far too high: with many limited users, and with tiny tasks of few.
  Tasks bound = tasks_together(cluster, is_limited);
  std::size_t greediest = 0;
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    if (is_limited(n)) bound.add(cluster.task_limit(n));
    if (most(n) > most(greediest)) greediest = n;
  }
  if (bound.sum <= kMostTasks || tasks_together(cluster, nobody).sum <= kMostTasks) return {};
  return Error{.message = fmt::format("more than {} tasks of all users together might fit, most of them of "
                                      "user '{}', and fill places them one by one; give it larger tasks, or "
                                      "limit them with `tasks`",
                                      kMostTasks, cluster.problem().users()[greediest].name),
               .key = fmt::format("users[{}].demand", greediest)};
}

}  // namespace mirab::scheduling
