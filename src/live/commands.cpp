// Requests become commands.
#include "live/commands.hpp"

#include <fmt/format.h>

namespace mirab::live {
namespace {

constexpr std::size_t kMostSubmits = 1'000;
constexpr std::size_t kMostJobBytes = std::size_t{64} << 10U;    // in a list; as of one that is put alone
constexpr std::size_t kMostFormBytes = std::size_t{256} << 10U;  // of its normal form: what a page shows

std::string_view kind_of(Do what) {
  const std::string_view word = word_of(what);
  return word.substr(0, word.find('-'));
}

Parsed<Command> parse_submit(const Caller& caller, Json job, const std::string& key, const Units& units) {
  if (!job.is_object()) return bad_request(key, "a job is expected here");
  if (bytes_of(job) > kMostJobBytes)
    return too_large(key, fmt::format("a job has at most {} KiB", kMostJobBytes >> 10U));
  Target target;
  for (const auto& [member, into] : {std::pair("queue", &target.queue), std::pair("name", &target.name)}) {
    const auto found = job.find(member);
    if (found == job.end() || !found->is_string())
      return bad_request(pointer_to(key, member), fmt::format("the key {} is needed, a text", member));
    *into = found->get<std::string>();
    job.erase(found);
  }
  Parsed<Command> command = parse_command(caller, Do::job_put, std::move(target), job, units);
  if (auto* const problem = std::get_if<Problem>(&command)) return within(std::move(*problem), key);
  return command;
}

}  // namespace

Parsed<Command> parse_command(Caller caller, Do what, Target target, const Json& body, const Units& units,
                              Conditions conditions, std::string secret_sha256) {
  if (what != Do::policy_put) {
    if (auto bad = check_name(target.name, kind_of(what), "/name")) return *std::move(bad);
  }
  if (what == Do::job_put || what == Do::job_cancel) {
    if (auto bad = check_name(target.queue, "queue", "/queue")) return *std::move(bad);
  }
  Parsed<Content> content = read_content(what, body, units);
  if (auto* const problem = std::get_if<Problem>(&content)) return std::move(*problem);
  Command command{.caller = std::move(caller),
                  .what = what,
                  .target = std::move(target),
                  .content = std::get<Content>(std::move(content)),
                  .conditions = std::move(conditions)};
  if (auto* const token = std::get_if<TokenContent>(&command.content))
    token->secret_sha256 = std::move(secret_sha256);
  if (what == Do::job_put) {
    command.form = normal_form(command.content, units).dump();
    if (command.form.size() > kMostFormBytes)
      return too_large({}, fmt::format("with all that is left out it has {} KiB; at most {} are taken",
                                       command.form.size() >> 10U, kMostFormBytes >> 10U));
    command.sha256 = sha256(command.form);
  }
  return command;
}

Parsed<Json> read_submits(std::string_view text) {
  // Jobs are the objects of the third level. They are counted before anything is made of them.
  std::size_t jobs = 0;
  for_each_bracket(text, [&](int depth, char letter) {
    if (letter == '{' && depth == 3) ++jobs;
    return jobs <= kMostSubmits;
  });
  if (jobs > kMostSubmits)
    return too_large("/jobs", fmt::format("at most {} jobs are taken at once", kMostSubmits));
  return read_json(text);
}

Parsed<std::vector<Parsed<Command>>> parse_submits(const Caller& caller, const Json& body,
                                                   const Units& units) {
  if (!body.is_object()) return bad_request({}, "an object is expected here");
  for (const auto& [member, value] : body.items()) {
    if (member != "jobs")
      return bad_request(pointer_to({}, member), "there is no such key here; jobs is one");
  }
  const auto jobs = body.find("jobs");
  if (jobs == body.end() || !jobs->is_array()) return bad_request("/jobs", "a list of jobs is needed");
  if (jobs->size() > kMostSubmits)
    return too_large("/jobs", fmt::format("at most {} jobs are taken at once", kMostSubmits));
  std::vector<Parsed<Command>> commands;
  commands.reserve(jobs->size());
  for (std::size_t i = 0; i < jobs->size(); ++i)
    commands.push_back(parse_submit(caller, (*jobs)[i], "/jobs/" + std::to_string(i), units));
  return commands;
}

Answer answer_of_submits(std::vector<Answer> answers) {
  Answer whole{.status = 200, .body = {{"answers", Json::array()}}};
  for (Answer& answer : answers) {
    whole.revision = std::max(whole.revision, answer.revision);
    Json& body = whole.body["answers"].emplace_back(std::move(answer.body));
    if (!answer.is_problem()) {
      for (const char* const member :
           {"tasks", "demand", "demand_base", "gang", "select", "priority", "preemptible", "attempts",
            "labels", "spec", "per_server", "servers", "spread", "pack", "demand_on", "roles"})
        body.erase(member);
    }
    body["status"] = answer.status;
  }
  whole.body["revision"] = whole.revision;
  return whole;
}

Answer answer_of_parts(std::vector<Answer> parts) {
  Answer whole = std::move(parts.front());
  for (std::size_t n = 1; n < parts.size() && !whole.is_problem(); ++n) {
    if (parts[n].is_problem()) return std::move(parts[n]);
    whole.revision = std::max(whole.revision, parts[n].revision);
    for (Json& each : parts[n].body["answers"]) whole.body["answers"].push_back(std::move(each));
    whole.body["revision"] = whole.revision;
  }
  return whole;
}

}  // namespace mirab::live
