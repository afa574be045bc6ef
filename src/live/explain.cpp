// Why a job waits, as one verdict, one step that would help, and the evidence.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "live/views.hpp"
#include "model/names.hpp"
#include "model/seconds.hpp"
#include "scheduling/explain/describe.hpp"

namespace mirab::live {
namespace {

using scheduling::WhyWaiting;

struct Verdict {
  std::string_view word;
  std::string says;
  std::string next_step;
};

std::string counted(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string resource_text(const State& state, std::uint32_t resource) {
  return state.settings.units.resources()[resource].name;
}

/// The resource that most full servers lack.
std::size_t most_lacking(const std::vector<std::int64_t>& lacking) {
  return static_cast<std::size_t>(std::max_element(lacking.begin(), lacking.end()) - lacking.begin());
}

/// What a task of the job takes, where that is the same for all tasks on all servers.
std::string demand_text(const State& state, const Job& job) {
  return job.has_roles() || job.differs_on_servers ? "a task"
                                                   : state.settings.units.words(job.roles.front().demand);
}

/// Is the server silent, and not drained by an operator? The engine takes both for drained.
bool is_only_silent(const Server& server) { return server.id && server.silent && !server.drained; }

/// What the waiting tasks of the job ask for, those of each role by themselves.
std::vector<scheduling::JobSubmitted> waiting_terms(const State& state, const Job& job) {
  std::vector<scheduling::JobSubmitted> waiting;
  std::vector<scheduling::JobSubmitted> by_role = terms_by_role(content_of(state, job).terms);
  for (RoleNumber k = 0; k < by_role.size(); ++k) {
    if (job.roles[k].waiting > 0) waiting.push_back(std::move(by_role[k]));
  }
  return waiting;
}

/// Would any of them have room on the server, were it empty and allowed?
bool holds_any(const std::vector<scheduling::JobSubmitted>& waiting, const std::string& name,
               const Server& server) {
  return server.id && std::any_of(waiting.begin(), waiting.end(), [&](const scheduling::JobSubmitted& terms) {
           return is_large_enough(terms, name, server);
         });
}

/// Do all wishes of the job admit the server? Those of its roles are the same.
bool is_admitted(const State& state, const scheduling::JobSubmitted& terms, const std::string& name,
                 const Server& server) {
  const Labels& labels = server.content.labels;
  return is_allowed(state, terms, name, server) && (!terms.spread || labels.contains(terms.spread->label)) &&
         (!terms.pack || labels.contains(*terms.pack));
}

/// The servers that would do were they not silent: the engine counts them as drained.
std::vector<std::string_view> silent_among(const State& state, const WhyWaiting& why, const Job& job) {
  std::vector<std::string_view> silent;
  if (why.servers.drained == 0) return silent;
  const std::vector<scheduling::JobSubmitted> waiting = waiting_terms(state, job);
  for (const auto& [name, server] : state.servers) {
    if (is_only_silent(server) && holds_any(waiting, name, server) &&
        is_admitted(state, waiting.front(), name, server))
      silent.push_back(name);
  }
  return silent;
}

/// How many servers hold a waiting task of the job, were they empty and its wishes others.
std::int64_t large_enough(const State& state, const Job& job) {
  const std::vector<scheduling::JobSubmitted> waiting = waiting_terms(state, job);
  return std::count_if(state.servers.begin(), state.servers.end(),
                       [&](const auto& each) { return holds_any(waiting, each.first, each.second); });
}

/// Why the servers that the job may use have no room: each of them once. `silent`: of those that are drained.
std::string shortage(const State& state, const WhyWaiting::Servers& servers, std::int64_t silent) {
  std::string text;
  const auto add = [&](std::int64_t count, const std::string& part) {
    if (count > 0) text += (text.empty() ? "" : ", ") + part;
  };
  const auto add_all = [&](std::int64_t count, std::string_view what) {
    add(count, fmt::format("{} {} {}", count, count == 1 ? "is" : "are", what));
  };
  if (!servers.lacking.empty()) {
    const std::size_t r = most_lacking(servers.lacking);
    add(servers.full,
        fmt::format("too little {} on {} of {}", resource_text(state, static_cast<std::uint32_t>(r)),
                    servers.lacking[r], counted(servers.full, "server")));
  }
  add_all(servers.too_small, "too small");
  add_all(servers.drained - silent, "drained");
  add_all(silent,
          silent == 1 ? "silent (its executor does not answer)" : "silent (their executors do not answer)");
  add_all(servers.kept, "kept for others");
  add_all(servers.pack, "excluded by pack");
  add_all(servers.per_server, "excluded by per_server");
  add_all(servers.spread, "excluded by spread");
  return text;
}

/// Is a part of the cluster guaranteed to the queue, or to a group above it?
bool has_guarantee(const State& state, const Queue& queue) {
  if (queue.content.quota.guarantee) return true;
  for (std::string above = queue.content.group; !above.empty();) {
    const GroupContent& group = state.groups.at(above).content;
    if (group.quota.guarantee) return true;
    above = group.parent;
  }
  return false;
}

/// A name that the caller may see.
Json shown_queue(const Reading& reading, const std::string& name) {
  const Queue* const queue = reading.state.queue(name);
  if (queue == nullptr || reading.queue_view(name, *queue).is_null()) return {};
  return name;
}

/// The highest node of weight 0 on the job's path for which its task lies beyond the guarantee: it comes
/// after its siblings with a weight, whatever its keys. Empty: none.
std::string of_weight_zero(const Reading& reading, const WhyWaiting& why, const Job& job) {
  if (!why.tree) return {};
  for (const scheduling::InTree::Level& level : why.tree->path) {
    if (!level.is_last) continue;
    return level.name == job.queue || reading.sees_all() ? level.name : "a group above the queue";
  }
  return {};
}

/// What a gang cannot hope for, though its queue is promised something or others are preempted.
std::string limits_of_gangs(const State& state, const Job& job) {
  const bool hopes = state.engine.options().preemption || has_guarantee(state, state.queues.at(job.queue));
  return hopes ? "; guarantees and preemption do not reach gangs: no running task is ended for one" : "";
}

/// While others hold the room, small tasks take what is freed before there is enough for a gang.
std::string or_reservations(const State& state, const Job& job) {
  const bool others_run = std::cmp_greater(state.engine.running_count(), job.running);
  const bool may_help = others_run && !state.engine.options().reservations && !state.for_gangs.empty();
  return may_help ? ", or " + state.for_gangs : "";
}

Verdict no_room(const State& state, const WhyWaiting& why, const Job& job,
                const std::vector<std::string_view>& silent) {
  const Units& units = state.settings.units;
  const std::string demand = demand_text(state, job);
  if (why.gang && (why.gang->room > 0 || !why.gang->roles.empty()))
    return {"no-room",
            fmt::format("all {} must start together; there is room for {}",
                        counted(why.gang->together, "task"), why.gang->room) +
                limits_of_gangs(state, job),
            (why.gang->roles.empty() ? fmt::format("a gang of {} or fewer, or more room", why.gang->room)
                                     : "more room, or a smaller gang") +
                or_reservations(state, job)};
  Verdict verdict{"no-room",
                  fmt::format("no server has room for {}: {}", demand,
                              shortage(state, why.servers, static_cast<std::int64_t>(silent.size()))),
                  "a server more"};
  if (why.gang)
    verdict.says =
        fmt::format("all {} must start together, and {}", counted(why.gang->together, "task"), verdict.says) +
        limits_of_gangs(state, job);
  if (why.gang && why.servers.full > 0) {
    verdict.next_step = fmt::format("room for all {} at once", counted(why.gang->together, "task")) +
                        or_reservations(state, job);
  } else if (why.nearest_miss) {
    const std::string freed =
        fmt::format("{} freed on {}", units.words(why.nearest_miss->to_free), why.nearest_miss->name);
    const std::int64_t own = why.older_jobs;
    verdict.next_step = own > 0 ? fmt::format("room for the {} of its own queue that {} first, then {}",
                                              counted(own, "job"), own == 1 ? "comes" : "come", freed)
                                : freed + ", if no task that comes before takes it";
  } else if (why.servers.pack + why.servers.per_server + why.servers.spread > 0) {
    verdict.next_step = "looser terms of the job (pack, per_server, spread), or tasks of it that end";
  } else if (!silent.empty()) {
    constexpr std::size_t kMostNamed = 3;
    verdict.next_step = fmt::format("start the executor{} on {} again", silent.size() == 1 ? "" : "s",
                                    first_names(silent, kMostNamed));
  } else if (why.servers.drained > 0) {
    verdict.next_step = "a drained server opened again";
  }
  return verdict;
}

/// What preemption would do for it, or for another first, were its budget not in the way.
void add_budget(const Reading& reading, const WhyWaiting& why, Verdict& verdict) {
  if (!why.over_budget) return;
  const State& state = reading.state;
  const WhyWaiting::OverBudget& of = *why.over_budget;
  const scheduling::Preempting& budget = *state.engine.options().preemption;
  const std::string whole =
      fmt::format("{} in {} s", counted(budget.tasks, "task"), seconds_text(budget.per));
  const bool is_own = of.first.job == why.job;
  const bool is_shown = !shown_queue(reading, of.first.user_name).is_null();
  verdict.says += fmt::format(
      "; {} would end for {}, but ", counted(of.tasks, "task"),
      is_own ? "it" : fmt::format("a task of {} first", is_shown ? of.first.user_name : "another queue"));
  if (is_own) verdict.word = "budget";
  if (!of.free_at) {
    verdict.says += fmt::format("that is more than the budget of preemption ({})", whole);
    if (is_own) verdict.next_step = fmt::format("a budget of {} or more", counted(of.tasks, "task"));
    return;
  }
  const std::string at = text_of(state.wall_of(*of.free_at));
  verdict.says +=
      of.left == 0 ? fmt::format("the budget of preemption ({}) is used up; it allows that at {}", whole, at)
                   : fmt::format("the budget of preemption ({}) has only {} left; it allows that at {}",
                                 whole, of.left, at);
  if (is_own)
    verdict.next_step = fmt::format("nothing: the budget allows that at {}; or a larger budget", at);
}

/// One reason: what keeps the task whatever is free; then servers; then who is ahead.
Verdict verdict_of(const Reading& reading, const WhyWaiting& why, const Job& job,
                   const std::vector<std::string_view>& silent) {
  const State& state = reading.state;
  const Units& units = state.settings.units;
  if (why.is_next()) return {"next", "it is placed next", "nothing: it starts with the next decision"};
  if (why.tree && why.tree->limit) {
    const auto& bound = *why.tree->limit;
    Amounts allowed(units.size(), 0);
    allowed[bound.resource] = bound.allowed;
    return {"limit", fmt::format("{} may use {} and no more", bound.name, units.words(allowed)),
            fmt::format("a higher limit of {} for {}, or tasks below it that end", bound.name,
                        resource_text(state, bound.resource))};
  }
  if (why.tree && why.tree->reserve) {
    const auto& bound = *why.tree->reserve;
    return {
        "reserved",
        fmt::format("the {} that is free is reserved, most of it for {}",
                    resource_text(state, bound.resource), bound.name),
        fmt::format("less reserved for {}, or more {}", bound.name, resource_text(state, bound.resource))};
  }
  const WhyWaiting::Servers& servers = why.servers;
  const std::int64_t others = servers.with_room + servers.too_small + servers.drained + servers.kept +
                              servers.pack + servers.per_server + servers.spread + servers.full;
  if (!why.has_room()) {
    if (others == 0 && servers.not_allowed > 0)
      return {"not-allowed", fmt::format("its wishes exclude all {} servers", servers.not_allowed),
              state.other_wishes + ", or a server that its wishes admit"};
    if (servers.too_small > 0 && others == servers.too_small) {
      const std::size_t r = servers.too_small_in.empty() ? 0 : most_lacking(servers.too_small_in);
      Verdict verdict{
          "too-small",
          fmt::format("a task is larger than {} it may use, most for lack of {}",
                      servers.too_small == 1 ? "the one server"
                                             : fmt::format("each of the {} servers", servers.too_small),
                      resource_text(state, static_cast<std::uint32_t>(r))),
          "a smaller task, or a larger server"};
      // All servers that it may use are too small: those that are large enough it may not use.
      const std::int64_t excluded = servers.not_allowed > 0 ? large_enough(state, job) : 0;
      if (excluded > 0) {
        verdict.says +=
            fmt::format("; {} {} large enough, but its wishes exclude {}", counted(excluded, "server"),
                        excluded == 1 ? "is" : "are", excluded == 1 ? "it" : "them");
        verdict.next_step = state.other_wishes + ", or a smaller task";
      }
      return verdict;
    }
    if (servers.kept > 0 && servers.full == 0 && servers.with_room == 0)
      return {"kept", fmt::format("{} with room are kept for tasks that waited longer", servers.kept),
              "these tasks start first"};
    if (others == 0) return {"no-room", "there are no servers", "a server"};
    Verdict verdict = no_room(state, why, job, silent);
    add_budget(reading, why, verdict);
    return verdict;
  }
  if (why.served_first)
    return {"kept", "a server that is kept for another task has room for it, and that task is placed first",
            "nothing: it follows"};
  if (why.blocked_by)
    return {"frozen", "the discipline waits for the task with the lowest key, which has no room",
            "room for that task, or a discipline with blocking=skip"};
  Verdict verdict{"ahead", {}, {}};
  if (why.older_jobs > 0 || why.own_ahead > 0) {
    verdict.says = why.older_jobs > 0
                       ? fmt::format("{} of the same queue {} ahead", counted(why.older_jobs, "job"),
                                     why.older_jobs == 1 ? "is" : "are")
                       : "tasks of the same queue that ask for something else are ahead";
    verdict.next_step = "a higher priority among the jobs of the queue";
  } else {
    verdict.says = fmt::format("{} other queue{} ahead", why.users_ahead + why.users_tied,
                               why.users_ahead + why.users_tied == 1 ? " is" : "s are");
    verdict.next_step = why.with_weight ? fmt::format("a weight of the queue above {:.6g}", *why.with_weight)
                                        : "tasks of these queues that start";
    if (const std::string last = of_weight_zero(reading, why, job); !last.empty()) {
      verdict.says += fmt::format("; {} has weight 0, so that beyond its guarantee it comes last", last);
      verdict.next_step += fmt::format(", or a weight above 0 of {}", last);
    }
  }
  return verdict;
}

Json by_resource(const State& state, const std::vector<std::int64_t>& counts) {
  Json json = Json::object();
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] > 0) json[resource_text(state, static_cast<std::uint32_t>(r))] = counts[r];
  }
  return json;
}

Json servers_json(const State& state, const WhyWaiting::Servers& of, std::int64_t silent) {
  const std::int64_t total = of.with_room + of.not_allowed + of.too_small + of.drained + of.kept + of.pack +
                             of.per_server + of.spread + of.full;
  Json json = {{"total", total},
               {"with_room", of.with_room},
               {"not_allowed", of.not_allowed},
               {"too_small", of.too_small},
               {"drained", of.drained - silent},
               {"silent", silent},
               {"kept", of.kept},
               {"pack", of.pack},
               {"per_server", of.per_server},
               {"spread", of.spread},
               {"full", of.full}};
  json["lacking"] = by_resource(state, of.lacking);
  json["too_small_in"] = by_resource(state, of.too_small_in);
  return json;
}

/// Which queues hold most of the resource that most full servers lack, of those that the caller may see.
Json holders_of(const Reading& reading, const WhyWaiting& why) {
  constexpr std::size_t kMostHolders = 3;
  const State& state = reading.state;
  Json holders = Json::array();
  if (why.servers.full == 0 || why.servers.lacking.empty()) return holders;
  const std::size_t r = most_lacking(why.servers.lacking);
  std::vector<std::pair<std::int64_t, const std::string*>> most;
  for (const auto& [name, queue] : state.queues) {
    const std::int64_t held = use_of(state, queue).used[r];
    if (held > 0 && !reading.queue_view(name, queue).is_null()) most.emplace_back(held, &name);
  }
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  most.resize(std::min(most.size(), kMostHolders));
  for (const auto& [held, name] : most) {
    const Queue& queue = *state.queue(*name);
    Json holder = {{"queue", *name}, {"share", use_of(state, queue).share}};
    if (reading.owns(queue) || reading.others == Others::all) {
      Amounts amounts(state.settings.units.size(), 0);
      amounts[r] = held;
      holder["holds"] = state.settings.units.words(amounts);
    }
    holders.push_back(std::move(holder));
  }
  return holders;
}

Json gang_json(const WhyWaiting::Gang& gang, const Job& job) {
  Json json = {{"together", gang.together}, {"room", gang.room}};
  for (std::size_t k = 0; k < gang.roles.size(); ++k)
    json["roles"].push_back({{"role", job.roles[job.role_of(static_cast<std::int64_t>(k))].name},
                             {"together", gang.roles[k].together},
                             {"room", gang.roles[k].room}});
  return json;
}

void add_evidence(Json& body, const Reading& reading, const WhyWaiting& why, const Job& job,
                  std::int64_t silent) {
  const State& state = reading.state;
  const Units& units = state.settings.units;
  body["servers"] = servers_json(state, why.servers, silent);
  body["ahead"] = {
      {"queues", why.users_ahead}, {"tied", why.users_tied}, {"own", why.older_jobs + why.own_ahead}};
  if (why.next) {
    if (const Json next = shown_queue(reading, why.next->user_name); !next.is_null())
      body["ahead"]["next"] = next;
  }
  if (Json holders = holders_of(reading, why); !holders.empty()) body["holders"] = std::move(holders);
  if (why.key) body["key"] = *why.key;
  if (const std::string last = of_weight_zero(reading, why, job); !last.empty()) body["last"] = last;
  if (why.over_budget) {
    body["over_budget"] = over_budget_json(state, *why.over_budget);
    if (const Json first = shown_queue(reading, why.over_budget->first.user_name); !first.is_null())
      body["over_budget"]["first"] = first;
  }
  if (why.with_weight) body["with_weight"] = *why.with_weight;
  Json& constraints = body["constraints"] = Json::array();
  for (const WhyWaiting::Constraint& each : why.constraints)
    constraints.push_back({{"wish", each.label.empty() ? "servers" : each.label},
                           {"excludes", each.excludes},
                           {"alone", each.alone}});
  if (why.gang) body["gang"] = gang_json(*why.gang, job);
  if (why.nearest_miss) {
    body["nearest_miss"] = {{"server", why.nearest_miss->name}};
    units.add(body["nearest_miss"], "to_free", why.nearest_miss->to_free, 0);
  }
  if (why.kept_for_it) {
    body["kept_for_it"] = {{"server", why.kept_for_it->name},
                           {"since", text_of(state.wall_of(why.kept_for_it->since))}};
    units.add(body["kept_for_it"], "missing", why.kept_for_it->missing, 0);
  }
  if (why.tree && !why.tree->covered_by.empty() && reading.sees_all())
    body["covered_by"] = why.tree->covered_by;
}

/// Amounts in the engine's sentences, in the units of people.
scheduling::AmountWords words_of(const Units& units, Rounding bytes) {
  return [&units, bytes](const Amounts& amounts) { return units.words(amounts, bytes); };
}

/// Tasks of a job that ended in one way: how many of those that are still known, and the latest.
struct EndedTasks {
  std::int64_t count = 0;
  const Past* latest = nullptr;
};

EndedTasks tasks_that(Ended outcome, const Job& job) {
  EndedTasks tasks;
  for (const Past& past : job.past) {
    if (past.outcome != outcome) continue;
    ++tasks.count;
    if (tasks.latest == nullptr || past.ended >= tasks.latest->ended) tasks.latest = &past;
  }
  return tasks;
}

/// By which right a task ended for another.
std::string by_right(std::string_view right) {
  if (right == "share") return "since its queue had more beyond its guarantee, per weight";
  if (right == "guarantee") return "by a guarantee of the other";
  if (right == "rank") return "by its lower priority in the same queue";
  if (right == "tier") return "by its lower tier";
  return {};
}

/// What the tasks of the job came to that failed, and those that ended for others.
void add_past(Json& body, const Reading& reading, const Job& job) {
  const State& state = reading.state;
  const auto tasks_json = [&](const EndedTasks& tasks) {
    return Json{{"tasks", tasks.count}, {"latest", task_json(state, state.view_of(job, *tasks.latest))}};
  };
  if (const EndedTasks failed = tasks_that(Ended::failed, job); failed.latest != nullptr)
    body["failures"] = tasks_json(failed);
  const EndedTasks preempted = tasks_that(Ended::preempted, job);
  if (preempted.latest == nullptr) return;
  Json& json = body["preempted"] = tasks_json(preempted);
  const std::string why = by_right(preempted.latest->reason);
  if (!preempted.latest->for_job) return;  // an executor reported it, or an earlier version kept nothing
  const std::string& other = *preempted.latest->for_job;
  const std::string queue = other.substr(0, other.rfind('/'));
  const bool is_shown = !shown_queue(reading, queue).is_null();
  if (is_shown) json["for"] = other;
  json["says"] = fmt::format("{} ended on {} for a task of {}{}", text_of(preempted.latest->task),
                             preempted.latest->server, is_shown ? other : "another queue",
                             why.empty() ? "" : ", " + why);
}

Answer why_not_on(const Reading& reading, const Job& job, const std::string& server_name) {
  const State& state = reading.state;
  const Server* const server = state.server(server_name);
  if (server == nullptr) return reading.refuse(not_found());
  Json body = {{"job", job.label()}, {"server", server_name}, {"waiting", job.waiting}};
  if (job.aside) {
    body["reason"] = job.aside->verdict;
    body["says"] = job.aside->says;
    return reading.found(std::move(body), state.last.revision);
  }
  if (!server->id || !job.id) {
    body["reason"] = !server->id ? "lost" : "over";
    body["says"] = !server->id ? "the server was given up" : "the job has ended";
    return reading.found(std::move(body), state.last.revision);
  }
  const auto why = state.engine.why_not_on(*job.id, *server->id);
  constexpr std::string_view kReasons[] = {"nothing", "not-allowed", "not-allowed", "too-small",
                                           "drained", "kept",        "pack",        "per-server",
                                           "spread",  "full",        "not-allowed"};
  body["reason"] = kReasons[static_cast<std::size_t>(why->reason)];
  if (why->reason == scheduling::InTheWay::drained && is_only_silent(*server)) {
    body["reason"] = "silent";
    body["says"] = "it is silent: its executor does not answer";
    return reading.found(std::move(body), state.last.revision);
  }
  if (why->reason == scheduling::InTheWay::set) {  // of which the name is for programs
    body["says"] = "it is not among the servers that the job may use";
    return reading.found(std::move(body), state.last.revision);
  }
  if (!why->label.empty()) body["label"] = why->label;
  if (!why->missing.empty()) state.settings.units.add(body, "missing", why->missing, 0);
  scheduling::WhyNotOn shown = *why;
  if (shown.kept && shown_queue(reading, shown.kept->user_name).is_null())
    shown.kept->user_name = "another queue";
  std::string says = describe(shown, words_of(state.settings.units, Rounding::up));
  says.pop_back();  // the end of its line
  body["says"] = std::move(says);
  return reading.found(std::move(body), state.last.revision);
}

}  // namespace

Answer explain_job(const Reading& reading, const Query& query) {
  const State& state = reading.state;
  const Job* const job = reading.job(query.queue, query.name);
  if (job == nullptr) return reading.refuse(not_found());
  if (const auto server = given(query, "server")) return why_not_on(reading, *job, *server);
  Json body = {{"job", job->label()},
               {"state", word_of(job->state())},
               {"waiting", job->waiting},
               {"running", job->running}};
  add_past(body, reading, *job);
  if (job->aside) {
    body["verdict"] = job->aside->verdict;
    body["says"] = job->aside->says;
    if (!job->aside->next_step.empty()) body["next_step"] = job->aside->next_step;
    return reading.found(std::move(body), state.last.revision);
  }
  const auto why = job->id ? state.engine.why_waiting(*job->id, state.last.now) : std::nullopt;
  if (!why) {
    body["verdict"] = "nothing-waits";
    body["says"] = job->id ? "all its tasks run" : fmt::format("it has ended: {}", word_of(job->state()));
    return reading.found(std::move(body), state.last.revision);
  }
  const std::vector<std::string_view> silent = silent_among(state, *why, *job);
  Verdict verdict = verdict_of(reading, *why, *job, silent);
  // Names of groups and queues in a tree are others': a tenant gets the verdict without them.
  const bool names_others = (verdict.word == "limit" || verdict.word == "reserved") && !reading.sees_all();
  if (names_others) {
    const std::string& name = verdict.word == "limit" ? why->tree->limit->name : why->tree->reserve->name;
    if (name != job->queue && reading.others != Others::all) {
      verdict.says = verdict.word == "limit" ? "a group above the queue uses all that it may"
                                             : "what is free is reserved for others";
      verdict.next_step = "ask who runs the cluster";
    }
  }
  body["verdict"] = verdict.word;
  body["says"] = verdict.says;
  body["next_step"] = verdict.next_step;
  add_evidence(body, reading, *why, *job, static_cast<std::int64_t>(silent.size()));
  return reading.found(std::move(body), state.last.revision);
}

Answer explain_task(const Reading& reading, const std::string& task, const scheduling::WhyPlaced& why) {
  const State& state = reading.state;
  const auto key = task_key_of(task);
  const auto view = key ? state.task(*key) : std::nullopt;
  if (!view || reading.queue(view->job->queue) == nullptr) return reading.refuse(not_found());
  Json body = {{"task", task},
               {"job", view->job->label()},
               {"server", why.server_name},
               {"key", why.key},
               {"queues_waiting", why.users_waiting},
               {"queues_fitting", why.users_fitting},
               {"queues_tied", why.users_tied},
               {"servers_with_room", why.servers_with_room},
               {"together", why.together}};
  if (why.runner_up) {
    if (const Json next = shown_queue(reading, why.runner_up->user_name); !next.is_null())
      body["runner_up"] = {{"queue", next}, {"key", why.runner_up->key}};
  }
  if (why.measure) body["measure"] = {{"what", why.measure->what}, {"chosen", why.measure->chosen}};
  if (!why.runner_up_server_name.empty()) body["runner_up_server"] = why.runner_up_server_name;
  if (reading.sees_all()) {
    state.settings.units.add(body, "free_before", why.free_before);
    state.settings.units.add(body, "free_after", why.free_after);
    body["says"] =
        describe(why, state.engine.options().resources, words_of(state.settings.units, Rounding::down));
  } else {
    body["says"] = fmt::format("its queue came first of {} with a task that fits; {} servers had room",
                               why.users_fitting, why.servers_with_room);
  }
  return reading.found(std::move(body), state.last.revision);
}

}  // namespace mirab::live
