// A fair-sharing problem from the Google cluster-usage traces of 2011.
//
// Source: A. Östman, "Distributed Dominant Resource Fairness using Gradient Overlay", section 5.1: X machines
// and Y users are picked at random from the trace; of a user with several different tasks one is picked at
// random, "set to be allocated constantly by the user, and run endlessly".
//
// Ours, where the paper is silent: machines and users are drawn without replacement. A user's task is drawn
// uniformly among its distinct tasks that fit on at least one server, because a task that fits nowhere would
// never run; a user without such a task is not drawn.
//
// Cost: one pass over the rows. A user's tasks are kept as counts of equal requests (the trace repeats some
// 2,300 requests in 190,000 tasks of its first part), so drawing one is a walk over few numbers.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/traces/google2011.hpp>

#include "traces/google2011_events.hpp"
#include "traces/google2011_files.hpp"
#include "traces/short_names.hpp"

namespace mirab::traces {

namespace {

using google2011::Amounts;
using google2011::Machines;
using google2011::TaskUser;
using google2011::TaskUsers;

/// The label of each platform by its hash.
std::map<std::string, std::string> platform_labels(const Machines& machines) {
  // The platforms of the trace whose machines have a capacity, from small machines to large.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> letters{{
      {"70ZOvysYGtB6j9MUHMPzA2Iy7GRzWeJTdX0YCLRKGVg=", "a"},
      {"HofLGzk1Or/8Ildj2+Lqv0UGGvY82NLoni8+J/Yy0RU=", "b"},
      {"GtXakjpd0CD41brK7k/27s3Eby3RpJKy7taB9S8UQRA=", "c"},
  }};
  std::map<std::string, std::string> labels{{"", "unknown"}};
  for (const auto& [hash, letter] : letters) labels.emplace(hash, letter);
  ShortNames names;
  for (const auto& [id, machine] : machines) {
    if (!labels.contains(machine.platform))
      labels.emplace(machine.platform, names.name("", machine.platform));
  }
  return labels;
}

/// A machine that can be a server.
struct Candidate {
  std::uint64_t id;
  std::string platform;  // the label
  Amounts capacity;
};

std::vector<Candidate> machines_with_capacity(const Machines& machines) {
  const auto labels = platform_labels(machines);
  std::vector<Candidate> candidates;
  for (const auto& [id, machine] : machines) {
    if (!machine.cpu || machine.cpu->is_zero() || !machine.memory || machine.memory->is_zero()) continue;
    candidates.push_back({id, labels.at(machine.platform), {*machine.cpu, *machine.memory}});
  }
  return candidates;
}

/// `wanted` of the items, drawn without replacement and kept in their order. O(items).
template <class Item>
std::vector<Item> draw(std::vector<Item> items, std::size_t wanted, Random& random) {
  MIRAB_ASSERT(wanted <= items.size(), "more to draw than there is");
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < wanted; ++i) std::swap(order[i], order[i + random.below(order.size() - i)]);
  order.resize(wanted);
  std::sort(order.begin(), order.end());

  std::vector<Item> drawn;
  drawn.reserve(wanted);
  for (const std::size_t i : order) drawn.push_back(std::move(items[i]));
  return drawn;
}

ResourceVector vector_of(const Amounts& amounts) { return {amounts.begin(), amounts.end()}; }

std::vector<Server> server_each(const std::vector<Candidate>& machines) {
  std::vector<Server> servers;
  servers.reserve(machines.size());
  for (const auto& [id, platform, capacity] : machines) {
    servers.push_back({.name = fmt::format("m-{}", id),
                       .capacity = vector_of(capacity),
                       .labels = {{"platform", platform}}});
  }
  return servers;
}

std::vector<Server> server_classes(const std::vector<Candidate>& machines) {
  std::map<std::pair<std::string, Amounts>, std::int64_t> counts;
  for (const auto& [id, platform, capacity] : machines) ++counts[{platform, capacity}];
  std::vector<Server> servers;
  for (const auto& [kind, count] : counts) {
    const auto& [platform, capacity] = kind;
    servers.push_back({.name = fmt::format("{}-{}-{}", platform, capacity[0].text(), capacity[1].text()),
                       .capacity = vector_of(capacity),
                       .count = count,
                       .labels = {{"platform", platform}}});
  }
  return servers;
}

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
  return {
      "From the Google cluster-usage traces, ClusterData2011_2, by C. Reiss, J. Wilkes and J. L. "
      "Hellerstein,",
      "Google (https://github.com/google/cluster-data), under CC-BY 4.0",
      "(https://creativecommons.org/licenses/by/4.0/). Changed: a selection in another form, hashes "
      "shortened.",
      fmt::format("Servers: {}.", servers),
      "Amounts are relative to the largest machine. The trace tells no disk capacity: no disk here.",
      fmt::format("Users: {}; each asks endlessly for what one of its tasks, drawn at random, requests.",
                  users),
      fmt::format("Seed: {}.", seed),
  };
}

void note_left_out(std::vector<std::string>& notices, std::string_view what, std::uint64_t count) {
  if (count > 0) notices.push_back(fmt::format("left out, {}: {}", what, count));
}

void note_passed_over(std::vector<std::string>& notices, const std::vector<std::string>& files) {
  if (files.empty()) return;
  const std::string more = files.size() == 1 ? "" : fmt::format(" and {} more", files.size() - 1);
  notices.push_back(fmt::format("passed over, not needed: {}{}", files.front(), more));
}

Check enough(std::optional<std::size_t> wanted, std::size_t available, std::string_view what) {
  if (available == 0) return Error{.message = fmt::format("the trace has no {}", what)};
  if (!wanted || (*wanted >= 1 && *wanted <= available)) return std::nullopt;
  return Error{.message = fmt::format("cannot draw {} of {} {}: from 1 to {} can be drawn", *wanted,
                                      available, what, available)};
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

  std::vector<Candidate> machines = machines_with_capacity(trace->machines);
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
