// What would be placed if: changes on a copy of the live state, which then decides until nothing more fits.
// Running tasks do not end meanwhile.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

#include "live/views.hpp"

namespace mirab::live {
namespace {

constexpr std::size_t kMostChanges = 100;
constexpr std::int64_t kMostSteps = 100'000;
constexpr std::int64_t kMostServersAdded = 10'000;
constexpr std::int64_t kMostTasksAdded = 1'000'000;
constexpr double kServersOfQuestion = 1'000;  // that count as one more question
constexpr double kTasksOfQuestion = 100'000;
constexpr std::int64_t kMostMechanismsTried = 4;  // each builds an engine

// The changes, as they are read. Whether they may be made is asked of these alone.

/// Other terms of a queue or a group: the members that take the place of its own.
struct TermsChange {
  Do what;
  std::string name;
  Json members;
};
struct AddServers {
  std::string like;
  std::int64_t count = 1;
};
struct DrainServer {
  std::string name;
};
struct CancelJob {
  Target target;
};
struct SubmitJob {
  Command command;
};
struct DisciplineChange {
  Choice discipline;
};
using WhatIfChange =
    std::variant<TermsChange, AddServers, DrainServer, CancelJob, SubmitJob, DisciplineChange>;

Parsed<WhatIfChange> read_terms(Do what, Json change, const std::string& kind, const std::string& key) {
  if (!change[kind].is_string()) return bad_request(pointer_to(key, kind), "a name is expected here");
  std::string name = change[kind];
  change.erase(kind);
  return TermsChange{.what = what, .name = std::move(name), .members = std::move(change)};
}

Parsed<WhatIfChange> read_add_servers(const Json& value, const std::string& key) {
  if (!value.is_object()) return bad_request(key, "an object with like and count is expected here");
  for (const auto& [name, member] : value.items()) {
    if (name != "like" && name != "count")
      return bad_request(pointer_to(key, name), "there is no such key here");
  }
  if (!value.contains("like") || !value["like"].is_string())
    return bad_request(pointer_to(key, "like"), "the name of a server is needed");
  const Json count = value.value("count", Json(1));
  if (!count.is_number_integer() || count < 1 || count > kMostServersAdded)
    return bad_request(pointer_to(key, "count"),
                       fmt::format("a whole number of 1 to {} is expected here", kMostServersAdded));
  return AddServers{.like = value["like"].get<std::string>(), .count = count.get<std::int64_t>()};
}

Parsed<WhatIfChange> read_submit(Json body, const Units& units, const std::string& key) {
  if (!body.is_object()) return bad_request(key, "a job is expected here");
  Target target{.name = "what-if", .queue = {}};
  if (const auto name = body.find("name"); name != body.end()) {
    if (!name->is_string()) return bad_request(pointer_to(key, "name"), "a text is expected here");
    target.name = *name;
  }
  if (!body.contains("queue") || !body["queue"].is_string())
    return bad_request(pointer_to(key, "queue"), "the name of a queue is needed");
  target.queue = body["queue"];
  body.erase("queue");
  body.erase("name");
  auto command = parse_command({}, Do::job_put, std::move(target), body, units);
  if (auto* const problem = std::get_if<Problem>(&command)) return within(std::move(*problem), key);
  return SubmitJob{.command = std::get<Command>(std::move(command))};
}

Parsed<WhatIfChange> read_change(const Json& change, const Units& units, const std::string& key) {
  if (!change.is_object()) return bad_request(key, "a change is expected here");
  // A queue may be given another `group`.
  if (change.contains("queue")) return read_terms(Do::queue_put, change, "queue", key);
  if (change.contains("group")) return read_terms(Do::group_put, change, "group", key);
  if (change.size() != 1) return bad_request(key, "one change is expected here");
  const std::string what = change.begin().key();
  const Json& value = change.begin().value();
  const std::string here = pointer_to(key, what);
  if (what == "add_servers") return read_add_servers(value, here);
  if (what == "submit") return read_submit(value, units, here);
  if (!value.is_string()) return bad_request(here, "a text is expected here");
  const auto& text = value.get_ref<const std::string&>();
  if (what == "drain") return DrainServer{text};
  if (what == "cancel") {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return bad_request(here, "a job is named as queue/job");
    return CancelJob{{.name = text.substr(slash + 1), .queue = text.substr(0, slash)}};
  }
  if (what != "mechanism")
    return bad_request(here, "changes are queue, group, add_servers, drain, cancel, submit and mechanism");
  Result<Choice> choice = choose_discipline(text);
  if (!choice) return unprocessable("bad-policy", here, choice.error().message);
  return DisciplineChange{*std::move(choice)};
}

/// What the changes of a question add.
struct Added {
  std::int64_t servers = 0;
  std::int64_t tasks = 0;
  std::int64_t mechanisms = 0;

  void add(const WhatIfChange& change) {
    if (const auto* const more = std::get_if<AddServers>(&change)) servers += more->count;
    if (const auto* const job = std::get_if<SubmitJob>(&change))
      tasks += tasks_of(std::get<JobContent>(job->command.content).terms);
    if (std::holds_alternative<DisciplineChange>(change)) ++mechanisms;
  }
};

/// With the last change, of this key, more than one question may add.
std::optional<Problem> over_budget(const Added& added, const std::string& key) {
  const auto too_much = [&](std::string_view member, std::int64_t most, std::string_view what) {
    return too_large(
        fmt::format("{}/{}", key, member),
        fmt::format("with the changes before it more than {} {}, the most that one question tries", most,
                    what));
  };
  if (added.servers > kMostServersAdded) return too_much("add_servers/count", kMostServersAdded, "servers");
  if (added.tasks > kMostTasksAdded) return too_much("submit", kMostTasksAdded, "tasks");
  if (added.mechanisms > kMostMechanismsTried)
    return too_much("mechanism", kMostMechanismsTried, "mechanisms");
  return {};
}

std::optional<Problem> bad_show(const Json& show) {
  if (!show.is_array() || show.size() > kMostChanges) return bad_request("/show", "a list is expected here");
  for (std::size_t i = 0; i < show.size(); ++i) {
    if (!show[i].is_string() ||
        (show[i] != "queues" && !show[i].get_ref<const std::string&>().starts_with("job:")))
      return bad_request(fmt::format("/show/{}", i), "queues, or job:queue/name, is expected here");
  }
  return {};
}

struct WhatIf {
  std::vector<WhatIfChange> changes;
  Added added;  ///< by all of them
  Json show;
};

std::string key_of_change(std::size_t place) { return fmt::format("/changes/{}", place); }

Parsed<WhatIf> read_what_if(const Json& body, const Units& units) {
  if (!body.is_object()) return bad_request({}, "an object is expected here");
  for (const auto& [key, value] : body.items()) {
    if (key != "changes" && key != "show")
      return bad_request(pointer_to({}, key), "there is no such key here; changes and show are");
  }
  const Json changes = body.value("changes", Json::array());
  if (!changes.is_array()) return bad_request("/changes", "a list is expected here");
  if (changes.size() > kMostChanges)
    return too_large("/changes", fmt::format("at most {} changes are tried at once", kMostChanges));
  WhatIf what_if{.changes = {}, .added = {}, .show = body.value("show", Json::array({"queues"}))};
  if (auto bad = bad_show(what_if.show)) return *std::move(bad);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Parsed<WhatIfChange> change = read_change(changes[i], units, key_of_change(i));
    if (auto* const problem = std::get_if<Problem>(&change)) return std::move(*problem);
    what_if.changes.push_back(std::get<WhatIfChange>(std::move(change)));
    what_if.added.add(what_if.changes.back());
    if (auto bad = over_budget(what_if.added, key_of_change(i))) return *std::move(bad);
  }
  return what_if;
}

/// A tenant may try what concerns its own queues, in groups that it sees, and more servers. All else is to it
/// as if it were not there.
class MayTry {
 public:
  explicit MayTry(const Reading& reading) : reading_(reading), above_own_(reading.groups_above_own()) {}

  bool operator()(const TermsChange& change) const {
    return change.what == Do::queue_put && owns(change.name) && sees_group(change.members) &&
           keeps_tenant(change.members);
  }
  bool operator()(const AddServers& /*change*/) const { return true; }
  bool operator()(const DrainServer& /*change*/) const { return false; }
  bool operator()(const CancelJob& change) const { return owns(change.target.queue); }
  bool operator()(const SubmitJob& change) const { return owns(change.command.target.queue); }
  bool operator()(const DisciplineChange& /*change*/) const { return false; }

 private:
  bool owns(const std::string& name) const {
    const Queue* const queue = reading_.state.queue(name);
    return queue != nullptr && reading_.owns(*queue);
  }
  bool sees_group(const Json& members) const {
    const auto given = members.find("group");
    if (given == members.end() || !given->is_string() || *given == "") return true;
    const Group* const group = reading_.state.group(*given);
    return group != nullptr && !reading_.group(*given, *group, above_own_.contains(*given)).is_null();
  }
  bool keeps_tenant(const Json& members) const {
    const auto given = members.find("tenant");
    return given == members.end() || *given == reading_.caller.tenant;
  }
  const Reading& reading_;
  const std::set<std::string> above_own_;
};

/// The changes of one question, on a state of its own.
class Trial {
 public:
  explicit Trial(const Reading& reading) : state_(reading.state.copy()) {}

  State& state() { return state_; }

  /// `key`: of the change.
  std::optional<Problem> make(const WhatIfChange& change, const std::string& key) {
    return std::visit([&](const auto& each) { return make(each, key); }, change);
  }

  struct Settled {
    std::int64_t steps = 0;
    bool is_whole = false;  ///< nothing more fits
  };
  Settled settle(const std::function<bool()>& is_late) {
    Random random(mixed(state_.settings.seed, state_.last.revision + 1));
    Settled settled;
    while (settled.steps < kMostSteps && !(settled.steps % 64 == 0 && is_late && is_late())) {
      settled.is_whole = !state_.engine.step(state_.last.now, random);
      if (settled.is_whole) break;
      ++settled.steps;
    }
    return settled;
  }

 private:
  std::optional<Problem> apply(Command command, const std::string& key) {
    command.by_service = true;
    Stamp stamp = state_.last;
    ++stamp.revision;
    const Decided decided = state_.apply(command, stamp);
    if (!decided.answer.is_problem()) return {};
    if (decided.answer.status == 404) return not_found();
    Problem problem = unprocessable("refused", key, decided.answer.body.value("detail", std::string()));
    return problem;
  }

  /// What is there, with the members of the change in place of its own.
  std::optional<Problem> make(const TermsChange& change, const std::string& key) {
    Json body;
    if (change.what == Do::queue_put) {
      const Queue* const queue = state_.queue(change.name);
      if (queue == nullptr) return not_found();
      body = in_peoples_form(queue->content.quota);
      body["tenant"] = queue->content.tenant;
      if (!queue->content.group.empty()) body["group"] = queue->content.group;
    } else {
      const Group* const group = state_.group(change.name);
      if (group == nullptr) return not_found();
      body = in_peoples_form(group->content.quota);
      if (!group->content.parent.empty()) body["parent"] = group->content.parent;
    }
    body.update(change.members);
    Parsed<Command> command =
        parse_command({}, change.what, {.name = change.name}, body, state_.settings.units);
    if (auto* const problem = std::get_if<Problem>(&command)) return within(std::move(*problem), key);
    return apply(std::get<Command>(std::move(command)), key);
  }

  Json in_peoples_form(const QuotaContent& quota) const {
    const Units& units = state_.settings.units;
    Json json = {{"weight", quota.weight.text()}};
    if (quota.guarantee) json["guarantee"] = units.people(*quota.guarantee);
    if (quota.limit) json["limit"] = units.people(*quota.limit, scheduling::kNoLimit);
    if (quota.reserved) json["reserved"] = units.people(*quota.reserved);
    return json;
  }

  std::optional<Problem> make(const AddServers& change, const std::string& key) {
    const Server* const like = state_.server(change.like);
    if (like == nullptr) return not_found();
    const ServerContent content = like->content;
    for (std::int64_t i = 0; i < change.count; ++i) {
      // No client can give a name with a slash.
      Command command{.what = Do::server_put, .content = content};
      command.target.name = fmt::format("more/{}", ++added_);
      const std::string name = command.target.name;
      if (auto bad = apply(command, pointer_to(key, "add_servers"))) return bad;
      enter_sets(name, change.like);
    }
    return {};
  }

  /// A new server is in the sets in which the one like it is.
  void enter_sets(const std::string& name, const std::string& like) {
    for (auto& [set, servers] : state_.sets) {
      if (!servers.contains(like)) continue;
      servers.insert(name);
      const Check bad = state_.engine.apply(
          scheduling::SetChanged{.set = set, .add = {*state_.servers.at(name).id}}, state_.last.now);
      MIRAB_ASSERT(!bad, "a server that is there, and was in no set");
    }
  }

  std::optional<Problem> make(const DrainServer& change, const std::string& /*key*/) {
    const Server* const server = state_.server(change.name);
    if (server == nullptr) return not_found();
    ServerContent content = server->content;
    content.drained = true;
    return apply({.what = Do::server_put, .target = {.name = change.name}, .content = content}, {});
  }

  std::optional<Problem> make(const CancelJob& change, const std::string& key) {
    return apply({.what = Do::job_cancel, .target = change.target}, pointer_to(key, "cancel"));
  }

  std::optional<Problem> make(const SubmitJob& change, const std::string& key) {
    return apply(change.command, pointer_to(key, "submit"));
  }

  std::optional<Problem> make(const DisciplineChange& change, const std::string& key) {
    scheduling::EngineOptions options = state_.engine.options();
    options.discipline = change.discipline;
    if (const Check bad = state_.change_policy(std::move(options), state_.last.now))
      return unprocessable("bad-policy", pointer_to(key, "mechanism"), bad->message);
    return {};
  }

  State state_;
  std::int64_t added_ = 0;
};

Json queues_json(const Reading& reading, const State& after) {
  Json queues = Json::array();
  for (const auto& [name, queue] : reading.state.queues) {
    const Queue* const then = after.queue(name);
    if (then == nullptr || reading.queue_view(name, queue).is_null()) continue;
    const QueueUse from = use_of(reading.state, queue);
    const QueueUse to = use_of(after, *then);
    Json row = {{"queue", name}, {"dominant_share", {from.share, to.share}}};
    if (reading.owns(queue) || reading.others == Others::all) row["running"] = {from.running, to.running};
    queues.push_back(std::move(row));
  }
  return queues;
}

std::int64_t running_of(const State& state, const std::string& queue, const std::string& name) {
  const Job* const job = state.job(queue, name);
  const auto inside = job != nullptr && job->id ? state.engine.job(*job->id) : std::nullopt;
  return inside ? inside->running : 0;
}

/// What preemption's budget keeps from ending after the changes; null: nothing. It is the same whichever job
/// is asked about.
Json over_budget_after(const State& after) {
  if (!after.engine.options().preemption) return {};
  for (const auto& [name, queue] : after.queues) {
    if (queue.waiting == 0) continue;
    for (const auto& [job_name, job] : queue.jobs) {
      const auto why =
          job.id && job.waiting > 0 ? after.engine.why_waiting(*job.id, after.last.now) : std::nullopt;
      if (!why) continue;
      return why->over_budget ? over_budget_json(after, *why->over_budget) : Json();
    }
  }
  return {};
}

Answer outcome(const Reading& reading, const Query& query, Trial& trial, const Json& show) {
  const auto [steps, is_whole] = trial.settle(query.is_late);
  Json body = {{"settled", is_whole}};
  if (reading.sees_all() || reading.others != Others::nothing) body["steps"] = steps;  // of all queues
  for (const Json& each : show) {
    const std::string what = each.get<std::string>();
    if (what == "queues") {
      body["queues"] = queues_json(reading, trial.state());
      continue;
    }
    const std::string label = what.substr(4);
    const std::size_t slash = label.find('/');
    const std::string queue = label.substr(0, slash);
    const std::string name = slash == std::string::npos ? "" : label.substr(slash + 1);
    const Queue* const of = reading.queue(queue);
    if (of == nullptr || trial.state().job(queue, name) == nullptr) return reading.refuse(not_found());
    body["jobs"].push_back(
        {{"job", label},
         {"running", {running_of(reading.state, queue, name), running_of(trial.state(), queue, name)}}});
  }
  if (is_whole && (reading.sees_all() || reading.others != Others::nothing)) {
    if (Json over = over_budget_after(trial.state()); !over.is_null()) body["over_budget"] = std::move(over);
  }
  const std::string broken = trial.state().engine.broken_invariant();
  body["invariant"] = broken.empty() ? "ok" : broken;
  return reading.found(std::move(body), reading.state.last.revision);
}

}  // namespace

double price_of_what_if(const Json& body, const Units& units) {
  const Parsed<WhatIf> read = read_what_if(body, units);
  const auto* const what_if = std::get_if<WhatIf>(&read);
  if (what_if == nullptr) return 1;
  return 1 + std::floor(static_cast<double>(what_if->added.servers) / kServersOfQuestion +
                        static_cast<double>(what_if->added.tasks) / kTasksOfQuestion);
}

Answer what_if(const Reading& reading, const Query& query) {
  const Parsed<WhatIf> read = read_what_if(query.body, reading.state.settings.units);
  if (const auto* const problem = std::get_if<Problem>(&read)) return reading.refuse(*problem);
  const auto& [changes, added, show] = std::get<WhatIf>(read);
  const MayTry may_try(reading);
  const auto is_allowed = [&](const WhatIfChange& change) { return std::visit(may_try, change); };
  if (!reading.sees_all() && !std::all_of(changes.begin(), changes.end(), is_allowed))
    return reading.refuse(not_found());
  Trial trial(reading);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::string key = key_of_change(i);
    if (query.is_late && query.is_late())
      return reading.refuse(too_large(key, "the changes before it took all the time that one question has"));
    if (const auto bad = trial.make(changes[i], key)) return reading.refuse(*bad);
  }
  return outcome(reading, query, trial, show);
}

Answer policy_dry_run(const Reading& reading, const Query& query) {
  const auto content = read_content(Do::policy_put, query.body, reading.state.settings.units);
  if (const auto* const problem = std::get_if<Problem>(&content)) return reading.refuse(*problem);
  Trial trial(reading);
  const scheduling::EngineOptions& options = std::get<PolicyContent>(std::get<Content>(content)).options;
  if (const Check bad = trial.state().change_policy(options, reading.state.last.now))
    return reading.refuse(unprocessable("bad-policy", bad->key.empty() ? "" : "/" + bad->key, bad->message));
  return outcome(reading, query, trial, Json::array({"queues"}));
}

}  // namespace mirab::live
