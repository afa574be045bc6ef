// What a fill refuses or warns of beforehand: too many servers or tasks, and tasks that no server holds.
#include "scheduling/fill/fill_limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "scheduling/ledger/server_pool.hpp"

namespace mirab::scheduling {

// A fill spells out every server and places every task, so what a divisible mechanism does in no time may
// take more memory or hours than anybody has: 64Gi of memory holds 17 billion tasks of 4 bytes. That is
// refused beforehand.

namespace {

constexpr std::int64_t kMaxServers = 10'000'000;
constexpr std::int64_t kMaxTasks = 10'000'000'000;  // hours of placing one by one

/// A sum of tasks, which stops growing above kMaxTasks: it tells only whether it is above.
struct Tasks {
  std::int64_t sum = 0;
  void add(std::int64_t tasks) { sum += std::min(tasks, kMaxTasks + 1 - sum); }
};

/// How many tasks one empty server holds, min_r c_{i,r} / d_{n,i,r} floored, and the r of that minimum.
struct Room {
  std::int64_t tasks;
  std::size_t scarce;
};

Room room_on_one(const IntegerProblem& cluster, std::size_t user, std::size_t entry) {
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
std::vector<Tasks> tasks_alone(const IntegerProblem& cluster) {
  std::vector<Tasks> alone(cluster.user_count());
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
      if (!cluster.problem().eligible(n, i)) continue;
      alone[n].add(room_on_one(cluster, n, i).tasks * cluster.problem().servers()[i].count);
    }
  }
  return alone;
}

/// An upper bound on the tasks that fit on all servers, by any placement, `left_out` users not counted. On
/// one server those tasks of which resource r runs out first are no more than the most that one user has of
/// them, since all of them take r and none less than that user's; so sum these over r.
template <class LeftOut>
Tasks tasks_together(const IntegerProblem& cluster, LeftOut left_out) {
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
  std::int64_t left = kMaxServers;
  for (const Server& server : problem.servers()) {
    if (server.count > left) {
      return Error{
          .message = fmt::format("more than {} servers in all; fill tracks each server", kMaxServers),
          .key = "servers"};
    }
    left -= server.count;
  }
  return {};
}

Check check_ends_in_time(const IntegerProblem& cluster) {
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
  if (bound.sum <= kMaxTasks || tasks_together(cluster, nobody).sum <= kMaxTasks) return {};
  return Error{.message = fmt::format("more than {} tasks of all users together might fit, most of them of "
                                      "user '{}', and fill places them one by one; give it larger tasks, or "
                                      "limit them with `tasks`",
                                      kMaxTasks, cluster.problem().users()[greediest].name),
               .key = fmt::format("users[{}].demand", greediest)};
}

// A task may be larger than every single server though the cluster as a whole has room for it. Its user gets
// nothing, which should not look like a loss to others.

namespace {

constexpr std::size_t kMaxNamed = 5;  // users

/// The resource of which a task takes the largest part of an empty server: max_r d_{n,i,r} / c_{i,r}.
struct LargestPart {
  std::size_t entry;
  std::size_t resource;
  double part;
};

LargestPart largest_part(const IntegerProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  const auto capacity = cluster.capacity(entry);
  LargestPart largest{.entry = entry, .resource = 0, .part = 0};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    const double part = static_cast<double>(demand[r]) / static_cast<double>(capacity[r]);
    if (part > largest.part) largest = {.entry = entry, .resource = r, .part = part};
  }
  return largest;
}

bool holds_one(const IntegerProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  return is_within(demand, cluster.capacity(entry));
}

/// Where the user's task nearly fits, if it fits on none of the servers where the user may run.
std::optional<LargestPart> nearest_server(const IntegerProblem& cluster, std::size_t user) {
  std::optional<LargestPart> nearest;
  for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
    if (!cluster.problem().eligible(user, i)) continue;
    if (holds_one(cluster, user, i)) return std::nullopt;
    const LargestPart part = largest_part(cluster, user, i);
    if (!nearest || part.part < nearest->part) nearest = part;
  }
  return nearest;
}

std::string notice_of(const Problem& problem, std::size_t user, const LargestPart& short_of) {
  const auto [entry, r, part] = short_of;
  return fmt::format(
      "no server holds a task of user '{}': it takes {} {}, and {}, which comes nearest, has {}",
      problem.users()[user].name, problem.demand(user, entry)[r].text(), problem.resources()[r],
      problem.servers()[entry].name, problem.servers()[entry].capacity[r].text());
}

}  // namespace

std::vector<std::string> oversized_notices(const IntegerProblem& cluster) {
  std::vector<std::string> notices;
  std::size_t users = 0;
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    if (cluster.task_limit(n) == 0) continue;
    const std::optional<LargestPart> short_of = nearest_server(cluster, n);
    if (!short_of) continue;
    if (++users <= kMaxNamed) notices.push_back(notice_of(cluster.problem(), n, *short_of));
  }
  if (users > kMaxNamed) {
    notices.push_back(fmt::format("no server holds a task of {} more users", users - kMaxNamed));
  }
  return notices;
}

}  // namespace mirab::scheduling
