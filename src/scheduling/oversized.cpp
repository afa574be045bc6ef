// A task may be larger than every single server though the cluster as a whole has room for it. Its user gets
// nothing, which should not look like a loss to others.
#include "scheduling/oversized.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "scheduling/park.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::size_t kMostNamed = 5;  // users

/// The resource of which a task takes the largest part of an empty server: max_r d_{n,i,r} / c_{i,r}.
struct Part {
  std::size_t entry;
  std::size_t resource;
  double part;
};

Part largest_part(const CountedProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  const auto capacity = cluster.capacity(entry);
  Part largest{.entry = entry, .resource = 0, .part = 0};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    const double part = static_cast<double>(demand[r]) / static_cast<double>(capacity[r]);
    if (part > largest.part) largest = {.entry = entry, .resource = r, .part = part};
  }
  return largest;
}

bool holds_one(const CountedProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  return is_within(demand, cluster.capacity(entry));
}

/// Where the user's task nearly fits, if it fits on none of the servers where the user may run.
std::optional<Part> nearest_server(const CountedProblem& cluster, std::size_t user) {
  std::optional<Part> nearest;
  for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
    if (!cluster.problem().eligible(user, i)) continue;
    if (holds_one(cluster, user, i)) return std::nullopt;
    const Part part = largest_part(cluster, user, i);
    if (!nearest || part.part < nearest->part) nearest = part;
  }
  return nearest;
}

std::string notice_of(const Problem& problem, std::size_t user, const Part& short_of) {
  const auto [entry, r, part] = short_of;
  return fmt::format(
      "no server holds a task of user '{}': it takes {} {}, and {}, which comes nearest, has {}",
      problem.users()[user].name, problem.demand(user, entry)[r].text(), problem.resources()[r],
      problem.servers()[entry].name, problem.servers()[entry].capacity[r].text());
}

}  // namespace

std::vector<std::string> oversized_notices(const CountedProblem& cluster) {
  std::vector<std::string> notices;
  std::size_t users = 0;
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    if (cluster.task_limit(n) == 0) continue;
    const std::optional<Part> short_of = nearest_server(cluster, n);
    if (!short_of) continue;
    if (++users <= kMostNamed) notices.push_back(notice_of(cluster.problem(), n, *short_of));
  }
  if (users > kMostNamed) {
    notices.push_back(fmt::format("no server holds a task of {} more users", users - kMostNamed));
  }
  return notices;
}

}  // namespace mirab::scheduling
