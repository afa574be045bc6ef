// A fair-sharing problem from the Google cluster-usage traces of 2011.
//
// Source: A. Östman, "Distributed Dominant Resource Fairness using Gradient Overlay", section 5.1: X machines
// and Y users are picked at random from the trace; of a user with several different tasks one is picked at
// random, "set to be allocated constantly by the user, and run endlessly".
//
// Ours, where the paper is silent: machines and users are drawn without replacement. A user's task is drawn
// uniformly among its distinct tasks that fit on at least one server, because a task that fits nowhere would
// never run; a user without such a task is not drawn. Platforms, if users are confined to some, are drawn at
// random too: the trace tells constraints in a table of their own, in hashes.
//
// Cost: one pass over the rows. A user's tasks are kept as counts of equal requests (the trace repeats some
// 2,300 requests in 190,000 tasks of its first part), so drawing one is a walk over few numbers.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/traces/google2011.hpp>

#include "traces/google2011_events.hpp"
#include "traces/google2011_files.hpp"
#include "traces/google2011_machines.hpp"
#include "traces/short_names.hpp"

namespace mirab::traces {

namespace {

using google2011::Amounts;
using google2011::Candidate;
using google2011::draw;
using google2011::enough;
using google2011::machines_with_capacity;
using google2011::server_classes;
using google2011::server_each;
using google2011::TaskUser;
using google2011::TaskUsers;
using google2011::vector_of;

std::set<ResourceVector> distinct_capacities(const std::vector<Server>& servers) {
  std::set<ResourceVector> capacities;
  for (const Server& server : servers) capacities.insert(server.capacity);
  return capacities;
}

bool fits(const Amounts& request, const std::set<ResourceVector>& capacities) {
  return std::any_of(capacities.begin(), capacities.end(), [&](const ResourceVector& capacity) {
    return request[0] <= capacity[0] && request[1] <= capacity[1];
  });
}

/// A user, under its name, and its tasks that fit somewhere: how many make each request.
struct UsableUser {
  std::string name;
  std::map<Amounts, std::uint64_t> requests;
};

struct UsableUsers {
  std::vector<UsableUser> users;
  std::uint64_t without_task = 0;     // no task requests anything
  std::uint64_t fitting_nowhere = 0;  // some do, and fit on no server
};

UsableUsers users_with_a_task(const std::vector<TaskUser>& users, const std::vector<Server>& servers) {
  const auto capacities = distinct_capacities(servers);
  UsableUsers usable;
  ShortNames names;
  for (const TaskUser& user : users) {
    UsableUser part{names.name("u-", user.hash), user.requests};
    std::erase_if(part.requests, [&](const auto& entry) { return !fits(entry.first, capacities); });
    if (user.requests.empty()) {
      ++usable.without_task;
    } else if (part.requests.empty()) {
      ++usable.fitting_nowhere;
    } else {
      usable.users.push_back(std::move(part));
    }
  }
  return usable;
}

/// The request of one of the user's tasks, each task as likely as any other.
Amounts draw_request(const UsableUser& user, Random& random) {
  std::uint64_t tasks = 0;
  for (const auto& [request, count] : user.requests) tasks += count;
  std::uint64_t drawn = random.below(tasks);
  for (const auto& [request, count] : user.requests) {
    if (drawn < count) return request;
    drawn -= count;
  }
  MIRAB_ASSERT(false, "a drawn task beyond the last");
  return {};
}

constexpr std::size_t kMostPlatforms = 3;  // of one user

std::set<std::string> platforms_of(const std::vector<Server>& servers, const ResourceVector& request) {
  std::set<std::string> platforms;
  for (const Server& server : servers) {
    if (request[0] <= server.capacity[0] && request[1] <= server.capacity[1]) {
      platforms.insert(server.labels.at("platform"));
    }
  }
  return platforms;
}

/// Confines each user to some of the platforms on which its task fits. O(users · servers).
void confine(Cluster& cluster, Random& random) {
  const std::size_t all = platforms_of(cluster.servers, {Quantity(), Quantity()}).size();
  for (User& user : cluster.users) {
    const auto fitting = platforms_of(cluster.servers, user.demand);
    const std::size_t wanted = 1 + random.below(std::min(fitting.size(), kMostPlatforms));
    std::vector<std::string> drawn = draw(std::vector(fitting.begin(), fitting.end()), wanted, random);
    if (drawn.size() < all) user.select.emplace("platform", std::move(drawn));
  }
}

std::vector<std::string> provenance(const Google2011Import& import, const Google2011Options& options,
                                    std::uint64_t seed) {
  const Cluster& cluster = import.cluster;
  const std::string servers =
      options.sample_machines
          ? fmt::format("{} of the {} machines at time 0, drawn at random", cluster.servers.size(),
                        import.machines)
          : fmt::format("all {} machines at time 0, an entry for each platform and capacity",
                        import.machines);
  const std::string users = options.sample_users
                                ? fmt::format("{} of {}, drawn at random", cluster.users.size(), import.users)
                                : fmt::format("all {}", import.users);
  std::vector<std::string> lines{
      "From the Google cluster-usage traces, ClusterData2011_2, by C. Reiss, J. Wilkes and J. L. "
      "Hellerstein,",
      "Google (https://github.com/google/cluster-data), under CC-BY 4.0",
      "(https://creativecommons.org/licenses/by/4.0/). Changed: a selection in another form, hashes "
      "shortened.",
      fmt::format("Servers: {}.", servers),
      "Amounts are relative to the largest machine. The trace tells no disk capacity: no disk here.",
      fmt::format("Users: {}; each asks endlessly for what one of its tasks, drawn at random, requests.",
                  users),
  };
  if (options.confinement == Confinement::drawn_platforms) {
    lines.insert(lines.end(), {
                                  "Each user may run on one, two or three of the platforms on which its task "
                                  "fits, drawn at random: the",
                                  "trace's own constraints stand in tables that are not read.",
                              });
  }
  lines.push_back(fmt::format("Seed: {}.", seed));
  return lines;
}

void note_left_out(std::vector<std::string>& notices, std::string_view what, std::uint64_t count) {
  if (count > 0) notices.push_back(fmt::format("left out, {}: {}", what, count));
}

void note_passed_over(std::vector<std::string>& notices, const std::vector<std::string>& files) {
  if (files.empty()) return;
  const std::string more = files.size() == 1 ? "" : fmt::format(" and {} more", files.size() - 1);
  notices.push_back(fmt::format("passed over, not needed: {}{}", files.front(), more));
}

}  // namespace

Result<Google2011Import> import_google2011(const std::vector<std::string>& paths,
                                           const Google2011Options& options, Random& random,
                                           const ReadProgress& progress) {
  const auto files = google2011::find_trace_files(paths);
  if (!files) return files.error();
  const auto trace = google2011::read_trace(*files, progress);
  if (!trace) return trace.error();
  const TaskUsers& task_users = trace->task_users;

  Google2011Import import;
  import.cluster.resources = {"cpu", "memory"};

  google2011::PlatformLabels labels;
  std::vector<Candidate> machines = machines_with_capacity(trace->machines, labels);
  import.machines = machines.size();
  if (Check failed = enough(options.sample_machines, machines.size(), "machines with a capacity at time 0")) {
    return *failed;
  }
  import.cluster.servers = options.sample_machines
                               ? server_each(draw(std::move(machines), *options.sample_machines, random))
                               : server_classes(machines);

  UsableUsers usable = users_with_a_task(task_users.users, import.cluster.servers);
  std::vector<UsableUser>& users = usable.users;
  import.users = users.size();
  if (Check failed = enough(options.sample_users, users.size(), "users with a task that fits on a server")) {
    return *failed;
  }
  if (options.sample_users) users = draw(std::move(users), *options.sample_users, random);
  for (const UsableUser& user : users) {
    import.cluster.users.push_back({.name = user.name, .demand = vector_of(draw_request(user, random))});
  }
  if (options.confinement == Confinement::drawn_platforms) confine(import.cluster, random);

  import.provenance = provenance(import, options, random.seed());
  note_passed_over(import.notices, files->passed_over);
  note_left_out(import.notices, "machines without a capacity", trace->machines.size() - import.machines);
  note_left_out(import.notices, "task events without a user or a request", task_users.without_request);
  note_left_out(import.notices, "task events that request neither cpu nor memory", task_users.zero_requests);
  note_left_out(import.notices, "users without a task that requests something", usable.without_task);
  note_left_out(import.notices, "users whose tasks fit on none of the servers", usable.fitting_nowhere);
  return import;
}

}  // namespace mirab::traces
