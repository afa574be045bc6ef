// The Google cluster-usage traces of 2011 as a cluster and as a workload.
#include "lab/traces/google2011/import.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <mirab/model/assert.hpp>

#include "lab/traces/google2011/events.hpp"
#include "lab/traces/google2011/lives.hpp"
#include "lab/traces/google2011/machines.hpp"
#include "lab/traces/workload_import.hpp"

namespace mirab::traces {

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
  if (Check failed = enough(options.sample_machines, machines.size(), "machines with a capacity at time 0",
                            files->machine_events.front())) {
    return *failed;
  }
  import.cluster.servers = options.sample_machines
                               ? server_each(draw(std::move(machines), *options.sample_machines, random))
                               : server_classes(machines);

  UsableUsers usable = users_with_a_task(task_users.users, import.cluster.servers);
  std::vector<UsableUser>& users = usable.users;
  import.users = users.size();
  if (Check failed = enough(options.sample_users, users.size(), "users with a task that fits on a server",
                            files->task_events.front())) {
    return *failed;
  }
  if (options.sample_users) users = draw(std::move(users), *options.sample_users, random);
  for (const UsableUser& user : users) {
    import.cluster.users.push_back({.name = user.name, .demand = vector_of(draw_request(user, random))});
  }
  if (options.confinement == Confinement::drawn_platforms) confine(import.cluster, random);

  import.provenance = provenance(import, options, random.seed());
  note_passed_over(import.notices, files->passed_over);
  note(import.notices, "left out, machines without a capacity", trace->machines.size() - import.machines);
  note(import.notices, "left out, task events without a user or a request", task_users.without_request);
  note(import.notices, "left out, task events that request neither cpu nor memory", task_users.zero_requests);
  note(import.notices, "left out, users without a task that requests something", usable.without_task);
  note(import.notices, "left out, users whose tasks fit on none of the servers", usable.fitting_nowhere);
  return import;
}

// Jobs over time from the Google cluster-usage traces of 2011.
//
// Every submission of a task is a job of one task: a task that was evicted and submitted again is two, each
// with the runtime of its own attempt, because what another scheduler would have done with it is not known.
// What the window of the trace cuts off gets a drawn life (lives.hpp).
//
// Not kept: priorities and scheduling classes, the wish that a job's tasks run on different machines (they
// are jobs of their own here), placement constraints (in a table that is not read), disk. Cost: one pass over
// the rows, some 100 bytes a submission.

namespace {

using google2011::Amounts;
using google2011::Kind;
using google2011::Life;
using google2011::Lives;
using google2011::ServerTimeline;

std::set<std::uint64_t> all_machines(const google2011::MachineEvents& events) {
  std::set<std::uint64_t> ids;
  for (const auto& [id, machine] : events.at_start) ids.insert(id);
  for (const google2011::MachineChange& change : events.later) ids.insert(change.id);
  return ids;
}

/// The lives that can be jobs, and how many cannot.
struct Usable {
  std::vector<const Life*> lives;
  std::uint64_t withdrawn = 0, without_request = 0, zero_requests = 0, fitting_nowhere = 0;
};

Usable usable_lives(const Lives& lives, const std::vector<Server>& servers) {
  Usable usable;
  std::vector<bool> fits;
  for (const Amounts& request : lives.requests) {
    fits.push_back(fits_somewhere({.demand = google2011::vector_of(request)}, servers));
  }
  for (const Life& life : lives.lives) {
    if (kind_of(life) == Kind::withdrawn) {
      ++usable.withdrawn;
    } else if (!life.request) {
      ++usable.without_request;
    } else if (lives.requests[*life.request] == Amounts{}) {
      ++usable.zero_requests;
    } else if (!fits[*life.request]) {
      ++usable.fitting_nowhere;
    } else {
      usable.lives.push_back(&life);
    }
  }
  return usable;
}

std::vector<std::uint32_t> users_in(const std::vector<const Life*>& lives) {
  std::set<std::uint32_t> users;
  for (const Life* life : lives) users.insert(life->user);
  return {users.begin(), users.end()};
}

Check draw_users(std::vector<const Life*>& lives, std::optional<std::size_t> wanted, const std::string& file,
                 Random& random) {
  std::vector<std::uint32_t> users = users_in(lives);
  if (Check failed =
          google2011::enough(wanted, users.size(), "users with a task that fits on a server", file))
    return failed;
  if (!wanted) return std::nullopt;
  users = google2011::draw(std::move(users), *wanted, random);
  std::erase_if(
      lives, [&](const Life* life) { return !std::binary_search(users.begin(), users.end(), life->user); });
  return std::nullopt;
}

/// Keeps each job with the probability `part`, in the order in which the jobs appear.
void draw_jobs(std::vector<const Life*>& lives, double part, Random& random) {
  if (part >= 1) return;
  std::unordered_map<std::uint64_t, bool> kept;
  std::erase_if(lives, [&](const Life* life) {
    const auto [job, is_new] = kept.try_emplace(life->job);
    if (is_new) job->second = random.unit() < part;
    return !job->second;
  });
}

std::vector<std::string> names_of(const std::vector<std::string>& hashes) {
  ShortNames names;
  std::vector<std::string> all;
  for (const std::string& hash : hashes) all.push_back(names.name("u-", hash));
  return all;
}

Workload workload_of(const Lives& lives, const std::vector<const Life*>& chosen, const Lifetimes& lifetimes,
                     Random& random) {
  Workload workload{.resources = {"cpu", "memory"}, .users = {}, .requests = {}, .jobs = {}};
  workload.span = google2011::time_in_window(lives.window_end);
  const std::vector<std::string> names = names_of(lives.users);
  std::unordered_map<std::uint32_t, std::uint32_t> user_of;
  std::unordered_map<std::uint32_t, std::uint32_t> request_of;
  workload.jobs.reserve(chosen.size());
  for (const Life* life : chosen) {
    const auto [user, new_user] =
        user_of.try_emplace(life->user, static_cast<std::uint32_t>(workload.users.size()));
    if (new_user) workload.users.push_back({.name = names[life->user]});
    const auto [request, new_request] =
        request_of.try_emplace(*life->request, static_cast<std::uint32_t>(workload.requests.size()));
    if (new_request) {
      workload.requests.push_back({.demand = google2011::vector_of(lives.requests[*life->request])});
    }
    workload.jobs.push_back({.name = fmt::format("{}", life->job),
                             .submitted = google2011::time_in_window(life->submitted),
                             .user = user->second,
                             .request = request->second,
                             .runtime = google2011::runtime_of(*life, lives.window_end, lifetimes, random),
                             .known = kind_of(*life) == Kind::whole ? Runtime::measured : Runtime::cut});
  }
  return workload;
}

std::vector<std::string> provenance(const Lives& lives, const ServerTimeline& park,
                                    const std::vector<const Life*>& chosen, std::size_t users,
                                    const Google2011WorkloadOptions& options, std::uint64_t seed) {
  std::map<Kind, std::size_t> count;
  for (const Life* life : chosen) ++count[kind_of(*life)];
  const auto part = [](std::size_t drawn, std::size_t all, bool is_drawn) {
    return is_drawn ? fmt::format("{} of {}, drawn at random", drawn, all) : fmt::format("all {}", all);
  };
  return {
      "From the Google cluster-usage traces, ClusterData2011_2, by C. Reiss, J. Wilkes and J. L. "
      "Hellerstein,",
      "Google (https://github.com/google/cluster-data), under CC-BY 4.0",
      "(https://creativecommons.org/licenses/by/4.0/). Changed: a selection in another form, hashes "
      "shortened.",
      fmt::format("Machines: {}. Users: {}. Jobs: {}.",
                  part(options.sample_machines.value_or(park.machines), park.machines,
                       options.sample_machines.has_value()),
                  part(users_in(chosen).size(), users, options.sample_users.has_value()),
                  options.sample_jobs < 1 ? fmt::format("each with probability {}", options.sample_jobs)
                                          : "all of these users"),
      "Amounts are relative to the largest machine. The trace tells no disk capacity: no disk here.",
      fmt::format("{} task events tell of {} submissions of {} tasks; each submission is a job of one task.",
                  lives.rows, lives.lives.size(), lives.tasks),
      fmt::format("Of {} jobs here {} have a measured runtime and {} the rest of one that began before the "
                  "trace;",
                  chosen.size(), count[Kind::whole], count[Kind::old]),
      fmt::format("drawn are those of {} that began before and of {} that began in it, and outlive it, and "
                  "of {}",
                  count[Kind::old_open], count[Kind::open], count[Kind::pending]),
      "that never started: beyond the age seen, as Kaplan and Meier estimate it from the others (those that",
      "were evicted or lost count as seen so far), and beyond the window at the rate at which those end that",
      "ran before it.",
      fmt::format("Seed: {}.", seed),
  };
}

std::vector<std::string> notices(const Lives& lives, const Usable& usable,
                                 const std::vector<std::string>& passed_over) {
  std::vector<std::string> notices;
  for (const std::string& file : passed_over) notices.push_back("passed over, not needed: " + file);
  note(notices, "left out, submissions that were withdrawn before they started", usable.withdrawn);
  note(notices, "left out, submissions without a request", usable.without_request);
  note(notices, "left out, submissions that request neither cpu nor memory", usable.zero_requests);
  note(notices, "left out, submissions that fit on none of the servers", usable.fitting_nowhere);
  note(notices, "passed over, ends and updates of tasks that were not there", lives.ends_without_start);
  note(notices, "passed over, submissions and starts of tasks that were there already", lives.already_there);
  note(notices, "passed over, events after the end of the trace", lives.after_the_trace);
  note(notices, "taken for submitted when they started, tasks that nobody submitted", lives.unannounced);
  note(notices, "started on machines that the machine events do not know", lives.unknown_machines);
  note(notices, "not followed, new requests of running tasks", lives.updates);
  note(notices, "not kept, wishes that a job's tasks run on different machines", lives.apart);
  return notices;
}

}  // namespace

Result<WorkloadImport> import_google2011_workload(const std::vector<std::string>& paths,
                                                  const Google2011WorkloadOptions& options, Random& random,
                                                  const ReadProgress& progress) {
  const auto files = google2011::find_trace_files(paths);
  if (!files) return files.error();
  google2011::Bytes bytes(*files, progress);
  const auto machines = google2011::read_machine_events(*files, bytes);
  if (!machines) return machines.error();
  const auto lives = google2011::read_lives(*files, all_machines(*machines), bytes);
  if (!lives) return lives.error();
  if (google2011::time_in_window(lives->window_end) == Duration::zero()) {
    return Error{.message = "the task events end where the trace begins: nothing happens in them",
                 .file = paths.front()};
  }
  const Lifetimes lifetimes = google2011::lifetimes_of(*lives);
  if (!lifetimes.known()) {
    return Error{.message = "no task ends in these task events: nothing tells how long tasks run",
                 .file = paths.front()};
  }

  auto park = google2011::servers_over_time(*machines, options.sample_machines, lives->window_end,
                                            files->machine_events.front(), random);
  if (!park) return park.error();
  Usable usable = usable_lives(*lives, park->servers);
  const std::size_t users = users_in(usable.lives).size();
  if (Check failed = draw_users(usable.lives, options.sample_users, files->task_events.front(), random))
    return *failed;
  draw_jobs(usable.lives, options.sample_jobs, random);
  if (usable.lives.empty()) {
    return Error{.message = "no job is left of this sample", .file = paths.front()};
  }

  WorkloadImport import;
  import.workload = workload_of(*lives, usable.lives, lifetimes, random);
  import.workload.changes = std::move(park->changes);
  import.provenance = provenance(*lives, *park, usable.lives, users, options, random.seed());
  import.notices = notices(*lives, usable, files->passed_over);
  import.cluster = {import.workload.resources, std::move(park->servers), users_of(import.workload)};
  return import;
}

}  // namespace mirab::traces
