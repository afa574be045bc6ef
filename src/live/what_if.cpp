// What would be placed if: changes on a copy of the live state, which then decides until nothing more fits.
// Running tasks do not end meanwhile.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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

/// Refused where it is of another's, as if it were not there.
std::optional<Problem> may_change(const Reading& reading, const Json& change) {
  if (reading.sees_all()) return {};
  const auto text_at = [](const Json& of, const char* key) {
    const auto found = of.is_object() ? of.find(key) : of.end();
    return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  // In the order in which the change is read.
  std::string queue;
  if (change.contains("queue")) {
    queue = text_at(change, "queue");
  } else if (change.contains("submit")) {
    queue = text_at(change["submit"], "queue");
  } else {
    const std::string job = text_at(change, "cancel");
    queue = job.substr(0, job.find('/'));
  }
  if (queue.empty()) return change.contains("add_servers") ? std::nullopt : std::optional(not_found());
  const Queue* const found = reading.state.queue(queue);
  return found != nullptr && reading.owns(*found) ? std::nullopt : std::optional(not_found());
}

/// What the changes of a question add. Of members that are not as they should be: nothing, Trial refuses
/// them.
struct Added {
  std::int64_t servers = 0;
  std::int64_t tasks = 0;
  std::int64_t mechanisms = 0;

  void add(const Json& change) {
    const auto count_of = [](const Json& of, const char* key) {
      const auto found = of.is_object() ? of.find(key) : of.end();
      const bool is_count = found != of.end() && found->is_number_integer();
      return std::clamp<std::int64_t>(is_count ? found->get<std::int64_t>() : 1, 1, kMostTasksAdded + 1);
    };
    if (change.contains("add_servers")) servers += count_of(change["add_servers"], "count");
    if (change.contains("mechanism")) ++mechanisms;
    if (!change.contains("submit")) return;
    const Json& job = change["submit"];
    const auto roles = job.is_object() ? job.find("roles") : job.end();
    if (roles == job.end() || !roles->is_array()) {
      tasks += count_of(job, "tasks");
    } else {
      for (const Json& role : *roles) tasks += count_of(role, "tasks");
    }
  }
};

/// More than one question may add. Looked at before anything is copied for it.
std::optional<Problem> over_budget(const Json& changes) {
  Added added;
  const auto too_much = [](const std::string& key, std::int64_t most, std::string_view what) {
    return too_large(key, fmt::format("with the changes before it more than {} {}, the most that one "
                                      "question tries",
                                      most, what));
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i].is_object()) continue;
    added.add(changes[i]);
    const std::string key = fmt::format("/changes/{}", i);
    if (added.servers > kMostServersAdded)
      return too_much(key + "/add_servers/count", kMostServersAdded, "servers");
    if (added.tasks > kMostTasksAdded) return too_much(key + "/submit", kMostTasksAdded, "tasks");
    if (added.mechanisms > kMostMechanismsTried)
      return too_much(key + "/mechanism", kMostMechanismsTried, "mechanisms");
  }
  return {};
}

/// The changes of one question, on a state of its own.
class Trial {
 public:
  explicit Trial(const Reading& reading) : state_(reading.state.copy()), reading_(reading) {}

  State& state() { return state_; }

  std::optional<Problem> change(const Json& change, const std::string& key) {
    if (!change.is_object()) return bad_request(key, "a change is expected here");
    if (change.contains("queue")) return put(Do::queue_put, change, "queue", key);
    if (change.contains("group")) return put(Do::group_put, change, "group", key);
    if (change.size() != 1) return bad_request(key, "one change is expected here");
    const std::string what = change.begin().key();
    const Json& value = change.begin().value();
    const std::string here = pointer_to(key, what);
    if (what == "add_servers") return add_servers(value, here);
    if (what == "submit") return submit(value, here);
    if (!value.is_string()) return bad_request(here, "a text is expected here");
    const auto& text = value.get_ref<const std::string&>();
    if (what == "drain") return drain(text);
    if (what == "cancel") {
      const std::size_t slash = text.find('/');
      if (slash == std::string::npos) return bad_request(here, "a job is named as queue/job");
      return apply({.what = Do::job_cancel,
                    .target = {.name = text.substr(slash + 1), .queue = text.substr(0, slash)},
                    .by_service = true},
                   here);
    }
    if (what == "mechanism") return change_discipline(text, here);
    return bad_request(here, "changes are queue, group, add_servers, drain, cancel, submit and mechanism");
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
  std::optional<Problem> apply(const Command& command, const std::string& key) {
    Stamp stamp = state_.last;
    ++stamp.revision;
    const Decided decided = state_.apply(command, stamp);
    if (!decided.answer.is_problem()) return {};
    if (decided.answer.status == 404) return not_found();
    Problem problem = unprocessable("refused", key, decided.answer.body.value("detail", std::string()));
    return problem;
  }

  /// What is there, with the members of the change in place of its own.
  std::optional<Problem> put(Do what, Json change, const std::string& kind, const std::string& key) {
    if (!change[kind].is_string()) return bad_request(pointer_to(key, kind), "a name is expected here");
    const std::string name = change[kind];
    change.erase(kind);
    Json body;
    if (what == Do::queue_put) {
      const Queue* const queue = state_.queue(name);
      if (queue == nullptr) return not_found();
      body = in_peoples_form(queue->content.quota);
      body["tenant"] = queue->content.tenant;
      if (!queue->content.group.empty()) body["group"] = queue->content.group;
    } else {
      const Group* const group = state_.group(name);
      if (group == nullptr) return not_found();
      body = in_peoples_form(group->content.quota);
      if (!group->content.parent.empty()) body["parent"] = group->content.parent;
    }
    body.update(change);
    if (body.contains("tenant") && !reading_.sees_all() && body["tenant"] != reading_.caller.tenant)
      return not_found();
    return parsed(what, {.name = name}, body, key);
  }

  Json in_peoples_form(const QuotaContent& quota) const {
    const Units& units = state_.settings.units;
    Json json = {{"weight", quota.weight.text()}};
    if (quota.guarantee) json["guarantee"] = units.people(*quota.guarantee);
    if (quota.limit) json["limit"] = units.people(*quota.limit, scheduling::kNoLimit);
    if (quota.reserved) json["reserved"] = units.people(*quota.reserved);
    return json;
  }

  std::optional<Problem> parsed(Do what, Target target, const Json& body, const std::string& key) {
    Parsed<Command> command = parse_command({}, what, std::move(target), body, state_.settings.units);
    if (auto* const problem = std::get_if<Problem>(&command)) {
      problem->key = key + problem->key;
      return *problem;
    }
    std::get<Command>(command).by_service = true;
    return apply(std::get<Command>(command), key);
  }

  std::optional<Problem> add_servers(const Json& value, const std::string& key) {
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
    const Server* const like = state_.server(value["like"].get<std::string>());
    if (like == nullptr) return not_found();
    const ServerContent content = like->content;
    for (std::int64_t i = 0; i < count.get<std::int64_t>(); ++i) {
      // No client can give a name with a slash.
      Command command{.what = Do::server_put, .content = content, .by_service = true};
      command.target.name = fmt::format("more/{}", ++added_);
      const std::string name = command.target.name;
      if (auto bad = apply(command, key)) return bad;
      enter_sets(name, value["like"].get<std::string>());
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

  std::optional<Problem> drain(const std::string& name) {
    const Server* const server = state_.server(name);
    if (server == nullptr) return not_found();
    ServerContent content = server->content;
    content.drained = true;
    return apply({.what = Do::server_put, .target = {.name = name}, .content = content, .by_service = true},
                 {});
  }

  std::optional<Problem> submit(Json body, const std::string& key) {
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
    return parsed(Do::job_put, std::move(target), body, key);
  }

  std::optional<Problem> change_discipline(const std::string& text, const std::string& key) {
    const Result<Choice> choice = choose_discipline(text);
    if (!choice) return unprocessable("bad-policy", key, choice.error().message);
    scheduling::EngineOptions options = state_.engine.options();
    options.discipline = *choice;
    if (const Check bad = state_.change_policy(std::move(options), state_.last.now))
      return unprocessable("bad-policy", key, bad->message);
    return {};
  }

  State state_;
  const Reading& reading_;
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

Answer outcome(const Reading& reading, const Query& query, Trial& trial, const Json& show) {
  const auto [steps, is_whole] = trial.settle(query.is_late);
  Json body = {{"settled", is_whole}, {"steps", steps}};
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
  const std::string broken = trial.state().engine.broken_invariant();
  body["invariant"] = broken.empty() ? "ok" : broken;
  return reading.found(std::move(body), reading.state.last.revision);
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

}  // namespace

double price_of_what_if(const Json& body) {
  Added added;
  const auto changes = body.is_object() ? body.find("changes") : body.end();
  if (changes == body.end() || !changes->is_array()) return 1;
  for (const Json& change : *changes) {
    if (change.is_object()) added.add(change);
  }
  return 1 + std::floor(static_cast<double>(added.servers) / kServersOfQuestion +
                        static_cast<double>(added.tasks) / kTasksOfQuestion);
}

Answer what_if(const Reading& reading, const Query& query) {
  if (!query.body.is_object()) return reading.refuse(bad_request({}, "an object is expected here"));
  for (const auto& [key, value] : query.body.items()) {
    if (key != "changes" && key != "show")
      return reading.refuse(
          bad_request(pointer_to({}, key), "there is no such key here; changes and show are"));
  }
  const Json changes = query.body.value("changes", Json::array());
  if (!changes.is_array()) return reading.refuse(bad_request("/changes", "a list is expected here"));
  if (changes.size() > kMostChanges)
    return reading.refuse(
        too_large("/changes", fmt::format("at most {} changes are tried at once", kMostChanges)));
  const Json show = query.body.value("show", Json::array({"queues"}));
  if (const auto bad = bad_show(show)) return reading.refuse(*bad);
  if (const auto bad = over_budget(changes)) return reading.refuse(*bad);
  Trial trial(reading);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::string key = fmt::format("/changes/{}", i);
    if (!changes[i].is_object()) return reading.refuse(bad_request(key, "a change is expected here"));
    if (query.is_late && query.is_late())
      return reading.refuse(too_large(key, "the changes before it took all the time that one question has"));
    if (const auto bad = may_change(reading, changes[i])) return reading.refuse(*bad);
    if (const auto bad = trial.change(changes[i], key)) return reading.refuse(*bad);
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
