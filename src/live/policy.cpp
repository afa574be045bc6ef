// Another discipline or other options on the live state: a new engine in which everything stands as in the
// one before.
#include <algorithm>
#include <utility>

#include "live/state.hpp"
#include "live/views.hpp"

namespace mirab::live {
namespace {

/// Where each role of a live job is among those of which tasks wait or run; a new engine gets these alone.
std::vector<std::optional<std::int64_t>> places_of_roles(const Job& job) {
  std::vector<std::optional<std::int64_t>> places;
  std::int64_t next = 0;
  for (const JobRole& role : job.roles) {
    places.emplace_back();
    if (role.waiting + role.running > 0) places.back() = next++;
  }
  return places;
}

/// A job without the tasks that are over.
scheduling::JobSubmitted left_of(const State& state, const Job& job) {
  scheduling::JobSubmitted terms = content_of(state, job).terms;
  if (!job.has_roles()) {
    terms.tasks = job.waiting + job.running;
    terms.gang = std::min(terms.gang, terms.tasks);
    return terms;
  }
  const std::vector<scheduling::Role> roles = std::exchange(terms.roles, {});
  for (RoleNumber k = 0; k < roles.size(); ++k) {
    const std::int64_t tasks = job.roles[k].waiting + job.roles[k].running;
    if (tasks > 0) terms.roles.push_back({.tasks = tasks, .demand = roles[k].demand});
  }
  return terms;
}

}  // namespace

Decided State::put_policy(const Command& command, Record record) {
  const auto& content = std::get<PolicyContent>(command.content);
  if (auto bad = conditions_of(command, &policy_changed)) return refuse(*bad);
  const PolicyContent present{.options = engine.options()};
  if (normal_form(content, settings.units) == normal_form(present, settings.units))
    return unchanged(policy_json(*this), policy_changed);
  if (const Check bad = change_policy(content.options, record.stamp.now))
    return refuse(refused(*bad, "bad-policy"));
  forget_ended();
  policy_changed = record.stamp.revision;
  add_event(record, {.kind = "policy-changed", .why = content.options.discipline.text});
  return finish(std::move(record), 200, policy_json(*this), policy_changed);
}

Check State::change_policy(scheduling::EngineOptions options, Time now) {
  options.resources = settings.units.names();
  options.oversized = scheduling::Oversized::wait;
  Result<Engine> made = Engine::from(std::move(options));
  if (!made) return made.error();
  Engine& fresh = *made;
  std::map<std::string, ServerId> server_ids;
  for (const auto& [name, server] : servers) {
    if (!server.id) continue;
    const auto id = fresh.apply(
        scheduling::ServerAdded{
            .name = name, .capacity = server.content.capacity, .labels = server.content.labels},
        now);
    if (!id) return id.error();
    server_ids[name] = *id;
    if (server.drained || server.silent) {
      if (Check bad = fresh.apply(scheduling::ServerDrained{*id}, now)) return bad;
    }
    if (!server.held.empty()) {
      if (Check bad = fresh.apply(scheduling::ServerHeld{*id, server.held}, now)) return bad;
    }
  }
  for (const auto& [set, names] : sets) {
    scheduling::SetChanged event{.set = set};
    for (const std::string& name : names) {
      if (server_ids.contains(name)) event.add.push_back(server_ids.at(name));
    }
    if (event.add.empty()) continue;
    if (Check bad = fresh.apply(event, now)) return bad;
  }
  std::map<std::string, GroupId> group_ids = {{"", scheduling::kCluster}};
  while (group_ids.size() <= groups.size()) {  // parents first
    for (const auto& [name, group] : groups) {
      if (group_ids.contains(name) || !group_ids.contains(group.content.parent)) continue;
      scheduling::GroupAdded event{.name = name, .parent = group_ids.at(group.content.parent)};
      event.weight = group.content.quota.weight;
      event.limit = group.content.quota.limit;
      const auto id = fresh.apply(event, now);
      if (!id) return id.error();
      group_ids[name] = *id;
    }
  }
  std::map<std::string, UserId> user_ids, critical_ids;
  for (const auto& [name, queue] : queues) {
    const auto id = fresh.apply(added(scheduling::UserAdded{.name = name,
                                                            .group = group_ids.at(queue.content.group),
                                                            .tier = queue.is_critical ? 1 : 0},
                                      queue.content),
                                now);
    if (!id) return id.error();
    user_ids[name] = *id;
    if (!queue.critical) continue;
    const auto critical = fresh.apply(
        scheduling::UserAdded{.name = name, .group = group_ids.at(queue.content.group), .tier = 1}, now);
    if (!critical) return critical.error();
    critical_ids[name] = *critical;
  }
  std::vector<std::string> lowest_first;  // a group's guarantee holds its members'
  for (const auto& [name, group] : groups) lowest_first.push_back(name);
  const auto depth = [&](std::string name) {
    int levels = 0;
    for (; !name.empty(); name = groups.at(name).content.parent) ++levels;
    return levels;
  };
  std::stable_sort(lowest_first.begin(), lowest_first.end(),
                   [&](const auto& a, const auto& b) { return depth(a) > depth(b); });
  for (const std::string& name : lowest_first) {
    const QuotaContent& quota = groups.at(name).content.quota;
    if (!quota.guarantee && !quota.reserved) continue;
    if (Check bad = fresh.apply(scheduling::GroupChanged{.group = group_ids.at(name),
                                                         .weight = quota.weight,
                                                         .guarantee = quota.guarantee,
                                                         .limit = quota.limit,
                                                         .reserved = quota.reserved},
                                now))
      return bad;
  }
  std::vector<const Job*> live;
  for (const auto& [name, queue] : queues) {
    for (const auto& [job_name, job] : queue.jobs) {
      if (job.id) live.push_back(&job);
    }
  }
  std::sort(live.begin(), live.end(), [](const Job* a, const Job* b) { return a->created < b->created; });
  std::map<std::pair<std::string, std::string>, JobId> job_ids;
  std::map<TaskId, TaskKey> adopted;
  for (const Job* const job : live) {
    scheduling::JobSubmitted terms = left_of(*this, *job);
    const bool is_critical = queues.at(job->queue).critical == engine.job(*job->id)->user;
    terms.user = (is_critical ? critical_ids : user_ids).at(job->queue);
    const auto places = places_of_roles(*job);
    const auto id = fresh.apply(terms, now);
    if (!id) return id.error();
    job_ids[{job->queue, job->name}] = *id;
    std::vector<Engine::TaskState> tasks;
    engine.for_each_task(*job->id, [&](const auto& task) { tasks.push_back(task); });
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {  // the oldest first
      const auto taken = fresh.apply(scheduling::TaskAdopted{.job = *id,
                                                             .server = server_ids.at(name_of(task->server)),
                                                             .since = task->started,
                                                             .role = *places[job->role_of(task->role)]},
                                     now);
      if (!taken) return taken.error();
      adopted[*taken] = key_of(task->task);
    }
  }
  // Nothing below can fail.
  for (auto& [name, server] : servers) {
    if (server.id) server.id = server_ids.at(name);
  }
  for (auto& [name, group] : groups) group.id = group_ids.at(name);
  for (auto& [name, queue] : queues) {
    queue.id = user_ids.at(name);
    if (queue.critical) queue.critical = critical_ids.at(name);
    for (auto& [job_name, job] : queue.jobs) {
      if (!job.id) continue;
      job.id = job_ids.at({name, job_name});
      const auto places = places_of_roles(job);
      for (RoleNumber k = 0; k < job.roles.size(); ++k) job.roles[k].inside = places[k];
    }
  }
  ++epoch_;
  adopted_ = std::move(adopted);
  adopted_ids_.clear();
  for (const auto& [id, key] : adopted_) adopted_ids_[key] = id;
  engine = std::move(fresh);
  index();
  wants_steps = true;
  return {};
}

}  // namespace mirab::live
