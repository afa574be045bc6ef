// Whether a workload can be played on a cluster: what a reader of files guarantees and a caller may not.
#include "lab/simulation/base/workload_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

#include <mirab/model/assert.hpp>

#include "scheduling/ledger/task_classes.hpp"

namespace mirab::simulation {
namespace {

template <class... Parts>
Error wrong(std::string message, fmt::format_string<Parts...> key, Parts&&... parts) {
  return {.message = std::move(message), .key = fmt::format(key, std::forward<Parts>(parts)...)};
}

Check check_resources(const Problem& cluster, const Workload& workload) {
  const std::set<std::string> ours(cluster.resources().begin(), cluster.resources().end());
  std::set<std::string> theirs;
  for (const std::string& name : workload.resources) {
    if (!theirs.insert(name).second)
      return wrong(fmt::format("duplicate resource name '{}'", name), "resources");
    if (!ours.contains(name))
      return wrong(fmt::format("the cluster has no resource '{}'", name), "resources");
  }
  for (const std::string& name : ours) {
    if (!theirs.contains(name))
      return wrong(fmt::format("the cluster's resource '{}' is missing", name), "resources");
  }
  return {};
}

// Tasks of a workload have nothing that tolerates.
Check check_taints(const Problem& cluster) {
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const Server& server = cluster.servers()[i];
    const auto taint = std::find_if(server.taints.begin(), server.taints.end(),
                                    [](const Taint& each) { return each.keeps_off(); });
    if (taint != server.taints.end())
      return wrong(
          fmt::format("the tasks of a workload do not say what they tolerate, so that nobody knows who "
                      "may run on '{}' with the taint {}; leave the taint out, and let tasks that may "
                      "not run there `select` a label",
                      server.name, taint_text(*taint)),
          "servers[{}].taints", i);
  }
  return {};
}

Check check_users(const Workload& workload) {
  std::set<std::string> names;
  for (std::size_t n = 0; n < workload.users.size(); ++n) {
    const Submitter& user = workload.users[n];
    if (!names.insert(user.name).second)
      return wrong(fmt::format("there are two users '{}'", user.name), "users[{}].name", n);
    if (user.weight.is_zero()) return wrong("a weight must be above 0", "users[{}].weight", n);
  }
  return {};
}

Check check_requests(const Workload& workload) {
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const ResourceVector& demand = workload.requests[i].demand;
    if (demand.size() != workload.resources.size())
      return wrong(fmt::format("{} amounts for {} resources", demand.size(), workload.resources.size()),
                   "requests[{}].demand", i);
    if (std::all_of(demand.begin(), demand.end(), [](const Quantity& amount) { return amount.is_zero(); }))
      return wrong("a task must demand something", "requests[{}].demand", i);
  }
  return {};
}

Check check_usages(const Workload& workload) {
  for (std::size_t i = 0; i < workload.usages.size(); ++i) {
    const Usage& usage = workload.usages[i];
    if (usage.step.count() <= 0) return wrong("a step must be above 0", "usages[{}].step", i);
    if (usage.of.empty()) return wrong("there must be at least one step", "usages[{}].of", i);
    for (const std::vector<double>& step : usage.of) {
      const bool is_sound = step.size() == workload.resources.size() &&
                            std::all_of(step.begin(), step.end(),
                                        [](double amount) { return std::isfinite(amount) && amount >= 0; });
      if (!is_sound) return wrong("each step needs an amount of at least 0 per resource", "usages[{}].of", i);
    }
  }
  return {};
}

Check check_time(Duration at, Duration before, std::string_view rows, std::size_t row, std::string_view key) {
  if (at.count() < 0) return wrong("a time must be at least 0", "{}[{}].{}", rows, row, key);
  if (at > kLongestWorkload)
    return wrong("a time must be within a hundred years", "{}[{}].{}", rows, row, key);
  if (at < before) return wrong("times go backwards", "{}[{}].{}", rows, row, key);
  return {};
}

Check check_jobs(const Workload& workload) {
  Duration before{};
  std::int64_t tasks = 0;
  for (std::size_t j = 0; j < workload.jobs.size(); ++j) {
    const Job& job = workload.jobs[j];
    if (Check bad = check_time(job.submitted, before, "jobs", j, "submitted")) return bad;
    before = job.submitted;
    if (job.user >= workload.users.size()) return wrong("there is no such user", "jobs[{}].user", j);
    if (job.request >= workload.requests.size())
      return wrong("there is no such request", "jobs[{}].request", j);
    if (job.usage && *job.usage >= workload.usages.size())
      return wrong("there is no such usage", "jobs[{}].usage", j);
    if (job.tasks < 1) return wrong("a job needs at least one task", "jobs[{}].tasks", j);
    if (job.tasks > kMostWorkloadTasks - tasks)
      return wrong(fmt::format("the jobs have more than {} tasks in all", kMostWorkloadTasks),
                   "jobs[{}].tasks", j);
    tasks += job.tasks;
    if (job.gang < 1 || job.gang > job.tasks)
      return wrong("a gang has at least one of the tasks, and at most all", "jobs[{}].gang", j);
    if (job.gang > scheduling::kMaxGang)
      return wrong(fmt::format("at most {} tasks start together", scheduling::kMaxGang), "jobs[{}].gang", j);
    if (job.per_server && *job.per_server < 1)
      return wrong("there must be room for a task", "jobs[{}].per_server", j);
    if (job.runtime.count() <= 0) return wrong("a runtime must be above 0", "jobs[{}].runtime", j);
    if (job.runtime > kLongestWorkload)
      return wrong("a runtime must be within a hundred years", "jobs[{}].runtime", j);
  }
  return {};
}

Check check_changes(const Workload& workload) {
  Duration before{};
  for (std::size_t i = 0; i < workload.changes.size(); ++i) {
    const ServerChange& change = workload.changes[i];
    if (Check bad = check_time(change.at, before, "changes", i, "at")) return bad;
    before = change.at;
    if (!change.capacity.empty() && change.capacity.size() != workload.resources.size())
      return wrong(
          fmt::format("{} amounts for {} resources", change.capacity.size(), workload.resources.size()),
          "changes[{}].capacity", i);
  }
  return {};
}

}  // namespace

Check check_workload(const Problem& cluster, const Workload& workload) {
  if (Check bad = check_resources(cluster, workload)) return bad;
  if (Check bad = check_taints(cluster)) return bad;
  if (Check bad = check_users(workload)) return bad;
  if (Check bad = check_requests(workload)) return bad;
  if (Check bad = check_usages(workload)) return bad;
  if (Check bad = check_jobs(workload)) return bad;
  if (Check bad = check_changes(workload)) return bad;
  if (workload.span.count() <= 0 || workload.span > kLongestWorkload)
    return wrong("the trace must cover some time, and a hundred years at the most", "span");
  return {};
}

// A workload's file and its cluster's name the same resources, each in an order of its own: the cluster's
// counts.

std::vector<std::size_t> resource_order(const Problem& cluster, const Workload& workload) {
  std::vector<std::size_t> order;
  for (const std::string& name : cluster.resources()) {
    const auto place = std::find(workload.resources.begin(), workload.resources.end(), name);
    MIRAB_ASSERT(place != workload.resources.end(), "the workload was checked");
    order.push_back(static_cast<std::size_t>(place - workload.resources.begin()));
  }
  return order;
}

ResourceVector reordered(const ResourceVector& vector, const std::vector<std::size_t>& order) {
  ResourceVector in_order;
  for (const std::size_t place : order) in_order.push_back(vector[place]);
  return in_order;
}

std::vector<Request> reordered(std::vector<Request> requests, const std::vector<std::size_t>& order) {
  for (Request& request : requests) request.demand = reordered(request.demand, order);
  return requests;
}

}  // namespace mirab::simulation
