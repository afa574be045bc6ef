// Things as JSON: every GET and PUT of one thing gives the same object.
#include "live/views.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace mirab::live {
namespace {

constexpr std::size_t kNextJobs = 5;  // of a queue, by name

void add_quota(Json& json, const State& state, const QuotaContent& quota) {
  const Units& units = state.settings.units;
  json["weight"] = quota.weight.text();
  if (quota.guarantee) units.add(json, "guarantee", *quota.guarantee);
  if (quota.limit) units.add(json, "limit", *quota.limit, scheduling::kNoLimit);
  if (quota.reserved) units.add(json, "reserved", *quota.reserved);
}

bool is_in_set(const State& state, const std::string& set, const std::string& server) {
  const auto found = state.sets.find(set);
  return found != state.sets.end() && found->second.contains(server);
}

/// How many tasks the server holds when it is empty; of Holds::some 1 where it has some of all that they
/// take.
std::int64_t tasks_on(const scheduling::JobSubmitted& terms, const std::string& name, const Server& server,
                      Holds what) {
  const auto other = terms.demand_on.find(name);
  const Amounts& demand = other == terms.demand_on.end() ? terms.demand : other->second;
  std::int64_t tasks = what == Holds::some ? 1 : terms.per_server.value_or(INT64_MAX / 2);
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] <= 0) continue;
    const std::int64_t capacity = server.content.capacity[r];
    tasks = std::min(tasks, what == Holds::some ? std::min<std::int64_t>(capacity, 1) : capacity / demand[r]);
  }
  // A sum over all servers stays below what can be counted.
  return std::clamp<std::int64_t>(tasks, 0, std::int64_t{1} << 40);
}

double scale_of(const State& state, std::size_t r) {
  const auto& scales = state.engine.options().share_scale;
  return scales.empty() ? 1.0 : scales[r].value();
}

}  // namespace

std::string etag_of(Revision revision) { return fmt::format("\"r{}\"", revision); }

double beyond(const State& state, std::span<const std::int64_t> used,
              const std::optional<Amounts>& guarantee) {
  double most = 0;
  const std::span<const std::int64_t> pool = state.engine.pool();
  for (std::size_t r = 0; r < used.size(); ++r) {
    const std::int64_t over = used[r] - (guarantee ? (*guarantee)[r] : 0);
    if (over > 0 && pool[r] > 0)
      most = std::max(most, scale_of(state, r) * static_cast<double>(over) / static_cast<double>(pool[r]));
  }
  return most;
}

Json over_budget_json(const State& state, const scheduling::WhyWaiting::OverBudget& over) {
  Json json = {{"tasks", over.tasks}, {"left", over.left}};
  if (over.free_at) json["free_at"] = text_of(state.wall_of(*over.free_at));
  return json;
}

QueueUse use_of(const State& state, const Queue& queue) {
  QueueUse use{.used = Amounts(state.settings.units.size(), 0), .share = 0, .running = 0};
  const auto add = [&](UserId id) {
    const auto user = state.engine.user(id);
    if (!user) return;
    for (std::size_t r = 0; r < use.used.size(); ++r) use.used[r] += user->used[r];
    use.running += user->running;
    use.share = user->dominant_share;
  };
  add(queue.id);
  if (!queue.critical) return use;
  add(*queue.critical);
  use.share = beyond(state, use.used, {});
  return use;
}

bool is_allowed(const State& state, const scheduling::JobSubmitted& terms, const std::string& name,
                const Server& server) {
  const auto has = [](const auto& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  if (!server.id || (terms.servers && !has(*terms.servers, name))) return false;
  if (terms.within && !is_in_set(state, *terms.within, name)) return false;
  return std::all_of(terms.select.begin(), terms.select.end(), [&](const auto& each) {
    const auto found = server.content.labels.find(each.first);
    return found != server.content.labels.end() && has(each.second, found->second);
  });
}

bool may_hold(const State& state, const scheduling::JobSubmitted& terms, Holds what, Among among) {
  if (!terms.roles.empty()) {
    const std::vector<scheduling::JobSubmitted> by_role = terms_by_role(terms);
    return std::all_of(by_role.begin(), by_role.end(),
                       [&](const auto& role) { return may_hold(state, role, what, among); });
  }
  const std::int64_t needed = what == Holds::start ? terms.gang : 1;
  std::int64_t room = 0;
  for (const auto& [name, server] : state.servers) {
    if (room >= needed) break;
    if (among == Among::open && server.drained) continue;
    if (is_allowed(state, terms, name, server)) room += tasks_on(terms, name, server, what);
  }
  return room >= needed;
}

bool is_large_enough(const scheduling::JobSubmitted& terms, const std::string& name, const Server& server) {
  return tasks_on(terms, name, server, Holds::task) > 0;
}

JobContent content_of(const State& state, const Job& job) {
  Parsed<Content> read =
      read_content(Do::job_put, Json::parse(job.form), state.settings.units, Units::Form::normal);
  JobContent content = std::get<JobContent>(std::get<Content>(std::move(read)));
  content.terms.within = job.within;
  return content;
}

Json policy_json(const State& state) {
  return normal_form(PolicyContent{.options = state.engine.options()}, state.settings.units);
}

Json cluster_json(const State& state) {
  const Engine& engine = state.engine;
  const Units& units = state.settings.units;
  Json json = {{"id", state.settings.cluster_id}, {"policy", policy_json(state)}};
  Json& resources = json["resources"] = Json::array();
  for (const Resource& resource : units.resources())
    resources.push_back(
        {{"name", resource.name}, {"unit", resource.unit}, {"base_exponent", resource.exponent}});
  Json& totals = json["totals"];
  units.add(totals, "capacity", engine.pool());
  units.add(totals, "used", engine.used());
  std::int64_t waiting = 0;
  std::int64_t live = 0;
  for (const auto& [name, queue] : state.queues) {
    waiting += queue.waiting;
    live += queue.live;
  }
  totals["servers"] = engine.server_count();
  totals["drained"] = std::count_if(state.servers.begin(), state.servers.end(),
                                    [](const auto& each) { return each.second.id && each.second.drained; });
  totals["queues"] = state.queues.size();
  totals["jobs"] = live;
  totals["running"] = engine.running_count();
  totals["waiting"] = waiting;
  json["policy_revision"] = state.policy_changed;
  return json;
}

Json open_server_json(const State& state, const std::string& name, const Server& server) {
  Json json = {{"name", name}, {"labels", server.content.labels}};
  state.settings.units.add(json, "capacity", server.content.capacity);
  json["state"] = !server.id ? "lost" : server.drained ? "drained" : "open";
  if (server.silent) json["silent"] = true;
  return json;
}

Json server_json(const State& state, const std::string& name, const Server& server) {
  const Units& units = state.settings.units;
  Json json = open_server_json(state, name, server);
  Amounts used(units.size(), 0);
  std::int64_t tasks = 0;
  if (server.id) {
    state.engine.for_each_task(*server.id, [&](const Engine::TaskState& /*task*/) { ++tasks; });
    const auto capacity = state.engine.capacity(*server.id);
    const auto free = state.engine.free(*server.id);
    for (std::size_t r = 0; r < used.size(); ++r) used[r] = capacity[r] - free[r];
  }
  units.add(json, "used", used);
  units.add(json, "held", server.held.empty() ? Amounts(units.size(), 0) : server.held);
  json["tasks"] = tasks;
  json["stopping"] = server.stopping.size();
  return json;
}

Json tenant_json(const State& state, const std::string& name, const Tenant& tenant) {
  Json queues = Json::array();
  for (const auto& [queue_name, queue] : state.queues) {
    if (queue.content.tenant == name) queues.push_back(queue_name);
  }
  return {{"name", name},
          {"limits", tenant.content.limits},
          {"queues", std::move(queues)},
          {"jobs", tenant.jobs},
          {"waiting", tenant.waiting}};
}

Json group_json(const State& state, const std::string& name, const Group& group) {
  Json json = {{"name", name}};
  if (!group.content.parent.empty()) json["parent"] = group.content.parent;
  add_quota(json, state, group.content.quota);
  const auto inside = state.engine.group(group.id);
  state.settings.units.add(json, "used", inside->used);
  state.settings.units.add(json, "lent", inside->lent);
  json["share"] = inside->share;
  json["beyond"] = beyond(state, inside->used, inside->guarantee);
  json["running"] = inside->running;
  return json;
}

Json queue_json(const State& state, const std::string& name, const Queue& queue) {
  Json json = {{"name", name}, {"tenant", queue.content.tenant}};
  if (!queue.content.group.empty()) json["group"] = queue.content.group;
  add_quota(json, state, queue.content.quota);
  const QueueUse use = use_of(state, queue);
  state.settings.units.add(json, "used", use.used);
  json["share"] = use.share;
  json["beyond"] = beyond(state, use.used, queue.content.quota.guarantee);
  json["jobs"] = queue.live;
  json["running"] = queue.running;
  json["waiting"] = queue.waiting;
  if (queue.waiting_jobs.empty()) return json;
  json["waiting_since"] = text_of(*queue.waiting_since.begin());
  Json& next = json["next_jobs"] = Json::array();
  for (const WaitingJob& job : queue.waiting_jobs) {
    if (next.size() == kNextJobs) break;
    next.push_back(job.name);
  }
  return json;
}

Json token_json(const std::string& name, const Token& token) {
  Json json = {
      {"name", name}, {"scopes", words_of(token.content.scopes)}, {"created_at", text_of(token.created_at)}};
  if (!token.content.tenant.empty()) json["tenant"] = token.content.tenant;
  if (!token.content.server.empty()) json["server"] = token.content.server;
  if (token.content.expires) json["expires"] = text_of(*token.content.expires);
  return json;
}

Json job_json(const State& state, const Job& job) { return job_json(state, job, Json::parse(job.form)); }

Json job_json(const State& state, const Job& job, Json json) {
  const Units& units = state.settings.units;
  if (job.has_roles()) {
    json["tasks"] = job.tasks;
    for (RoleNumber k = 0; k < job.roles.size(); ++k) {
      const JobRole& role = job.roles[k];
      units.add(json["roles"][k], "demand", role.demand);
      json["roles"][k]["waiting"] = role.waiting;
      json["roles"][k]["running"] = role.running;
    }
  } else {
    units.add(json, "demand", job.roles[0].demand);
  }
  if (json.contains("demand_on")) {
    for (auto& [server, demand] : json["demand_on"].items())
      demand = units.people(std::get<Amounts>(units.read(demand, {}, Units::Form::normal)));
  }
  json["queue"] = job.queue;
  json["name"] = job.name;
  json["uid"] = fmt::format("j-{}", job.created);
  json["state"] = word_of(job.state());
  json["waiting"] = job.waiting;
  json["running"] = job.running;
  json["succeeded"] = job.succeeded;
  json["failed"] = job.failed;
  json["cancelled"] = job.cancelled;
  json["submitted"] = text_of(job.created_at);
  if (job.ended) json["ended"] = text_of(job.ended_at);
  return json;
}

namespace {

/// A time that is converted is right within a tolerance: by no more than that it comes before what was before
/// it.
Wall not_before(Wall before, Wall time) {
  return time < before && before - time <= WallTimes::kTolerance ? before : time;
}

}  // namespace

Json task_json(const State& state, const State::TaskView& task) {
  Json json = {{"task", text_of(task.key)},
               {"job", task.job->label()},
               {"server", task.server},
               {"attempt", task.tries.attempt},
               {"state", task.has_begun ? "running" : "placed"}};
  if (task.job->has_roles()) json["role"] = task.job->roles[task.role].name;
  const Wall started = not_before(task.job->created_at, state.wall_of(task.started));
  json["started"] = text_of(started);
  if (task.past == nullptr) return json;
  json["state"] = word_of(task.past->outcome);
  json["ended"] = text_of(not_before(started, state.wall_of(task.past->ended)));
  if (task.past->exit_code) json["exit_code"] = *task.past->exit_code;
  if (!task.past->usage.is_null()) json["usage"] = task.past->usage;
  if (!task.past->reason.empty()) json["reason"] = task.past->reason;
  return json;
}

}  // namespace mirab::live
