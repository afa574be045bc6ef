#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "client/events.hpp"
#include "client/jobs.hpp"
#include "client/tables.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

using client::Answer;
using client::FileJob;
using client::JobName;
using client::Json;

constexpr std::size_t kMostOfBatch = 1'000;

struct SubmitFlags {
  std::string job;   ///< QUEUE/NAME, or QUEUE
  std::string file;  ///< of jobs
  client::JobWords words;
  bool waits = false;
  RemoteOptions remote;
  OutputOptions output;
};

std::string new_name() {
  std::random_device device;
  std::array<std::uint64_t, 2> random{};
  for (std::uint64_t& half : random) {
    const std::uint64_t high = device();
    half = high << 32U | device();
  }
  return client::uuid_of(random);
}

/// The job of the command line. Errors name the option.
Result<FileJob> job_of(const SubmitFlags& flags) {
  Result<Json> body = client::body_of(flags.words);
  if (!body) return body.error();
  if (flags.words.demand.empty())
    return Error{.message = "say what each task takes, such as --demand cpu=4", .key = "--demand"};
  const bool is_named = flags.job.find('/') != std::string::npos;
  const auto name = client::read_job_name(is_named ? flags.job : flags.job + "/" + new_name(), "JOB");
  if (!name) return name.error();
  return FileJob{.job = *name, .body = *std::move(body)};
}

Result<std::vector<FileJob>> jobs_of(const SubmitFlags& flags) {
  if (!flags.file.empty()) {
    if (!flags.job.empty())
      return Error{.message = "give a job or a file of jobs, not both", .key = "--file"};
    return client::read_jobs(flags.file, new_name);
  }
  if (flags.job.empty())
    return Error{.message = "name the job as QUEUE/NAME, or its queue, or a --file of jobs", .key = "JOB"};
  const Result<FileJob> job = job_of(flags);
  if (!job) return job.error();
  return std::vector<FileJob>{*job};
}

/// Puts a job under its name: sent again after a break, it is the same job.
Result<Answer> put_job(client::Service& service, const FileJob& job) {
  return service.ask("PUT", job.job.target(), job.body);
}

/// The answers of one batch, each with its own status.
Result<Answer> post_jobs(client::Service& service, const std::vector<FileJob>& jobs, std::size_t first,
                         std::vector<Answer>& answers) {
  Json list = Json::array();
  const std::size_t last = std::min(jobs.size(), first + kMostOfBatch);
  for (std::size_t i = first; i < last; ++i) list.push_back(jobs[i].body);
  Result<Answer> whole = service.ask("POST", client::target_of({"jobs:submit"}), {{"jobs", std::move(list)}});
  if (!is_good(whole)) return whole;
  const Json& each = whole->body["answers"];
  if (!each.is_array() || each.size() != last - first)
    return Error{.message = "the service answered another number of jobs than were sent"};
  for (const Json& answer : each) {
    const auto status = answer.find("status");
    const bool is_whole = status != answer.end() && status->is_number_integer();
    answers.push_back(
        {.status = is_whole ? status->get<int>() : 500, .body = answer, .revision = whole->revision});
  }
  return whole;
}

constexpr int kTooMany = 429;

/// Submits all, batch by batch, as fast as the service takes them: where a rate of the tenant is used up, it
/// says when there is more. Ends before the last one where the tenant may have no more jobs.
Result<Answer> post_all(client::Service& service, const std::vector<FileJob>& jobs,
                        std::vector<Answer>& answers) {
  const auto progress = [&] { return fmt::format("{} of {} submitted", answers.size(), jobs.size()); };
  while (answers.size() < jobs.size()) {
    Result<Answer> batch = post_jobs(service, jobs, answers.size(), answers);
    if (batch && batch->status == kTooMany && batch->retry_after) {
      report_notes(
          {fmt::format("{}; the service takes more in {} s", progress(), batch->retry_after->count())});
      std::this_thread::sleep_for(*batch->retry_after);
      continue;
    }
    if (!is_good(batch)) {
      if (jobs.size() > kMostOfBatch) report_notes({progress()});
      return batch;
    }
    const auto of_batch = answers.end() - static_cast<std::ptrdiff_t>(batch->body["answers"].size());
    if (std::all_of(of_batch, answers.end(), [](const Answer& each) { return each.status == kTooMany; }))
      break;
  }
  return Answer{.status = 200};
}

/// Follows until all of these jobs have ended. `after`: the first revision at which one could have.
Result<Answer> wait_for(client::Service& service, std::vector<JobName> jobs, std::uint64_t after) {
  // An event tells that a job ended; where events were missed, and at the start, the jobs themselves do.
  Result<Answer> last = Answer{.status = 200};
  const auto look = [&] {
    std::erase_if(jobs, [&](const JobName& job) {
      if (!is_good(last)) return false;
      last = service.get(job.target());
      if (!is_good(last)) return false;
      const std::string state = client::text_at(last->body, "state");
      return state != "waiting" && state != "running";
    });
    return is_good(last) && !jobs.empty();
  };
  if (!look()) return last;
  client::Following following{.filter = {{"kind", "job-ended"}}, .after = after, .is_known = true};
  if (jobs.size() == 1) following.filter.emplace_back("job", jobs.front().text());
  following.note = [](const std::string& sentence) { report_notes({sentence}); };
  following.gap = [&](std::uint64_t) { return look(); };
  following.change = [&](const Json& change) {
    const auto events = change.find("events");
    if (events == change.end() || !events->is_array()) return true;
    for (const Json& event : *events) {
      const std::string ended = client::text_at(event, "job");
      std::erase_if(jobs, [&](const JobName& job) { return job.text() == ended; });
    }
    return !jobs.empty();
  };
  const Result<Answer> followed = client::follow(service, std::move(following));
  return is_good(followed) ? last : followed;
}

bool has_succeeded(const Json& job) { return client::text_at(job, "state") == "succeeded"; }

bool has_ended_badly(const Json& job) {
  const std::string state = client::text_at(job, "state");
  return state == "failed" || state == "cancelled";
}

std::string ended_words(const Json& job) {
  return client::text_at(job, "state") == "failed" ? "failed" : "been cancelled";
}

/// After the submits: waits where that was asked for, and has each job as it is then.
std::optional<Exit> wait_for_all(client::Service& service, const std::vector<FileJob>& jobs,
                                 std::vector<Answer>& answers) {
  std::vector<JobName> open;
  std::uint64_t after = UINT64_MAX;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].is_problem()) continue;
    open.push_back(jobs[i].job);
    after = std::min(after, answers[i].revision);
  }
  if (open.empty()) return {};
  const Result<Answer> waited = wait_for(service, open, after);
  if (!is_good(waited)) return report_failure(waited, open.size() == 1 ? open.front().text() : "");
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].is_problem()) continue;
    Result<Answer> now = service.get(jobs[i].job.target());
    if (!is_good(now)) return report_failure(now, jobs[i].job.text());
    answers[i] = *std::move(now);
  }
  return {};
}

/// `/demand/gpu` of `/jobs/3/demand/gpu`: the line says which job of the file it is.
std::string key_in_job(const std::string& key) {
  if (!key.starts_with("/jobs/")) return key;
  const std::size_t end = key.find('/', std::string_view("/jobs/").size());
  return end == std::string::npos ? "" : key.substr(end);
}

std::string submitted_text(const std::vector<Answer>& answers, bool is_list, bool is_json) {
  if (is_json) {
    if (!is_list) return report::json_text(answers.front().body, 2) + "\n";
    Json list = Json::array();
    for (const Answer& answer : answers) list.push_back(answer.body);
    return report::json_text(Json{{"jobs", std::move(list)}}, 2) + "\n";
  }
  std::string text;
  for (const Answer& answer : answers) {
    if (!answer.is_problem()) text += client::job_line(answer.body);
  }
  return text;
}

Exit run_submit(const SubmitFlags& flags) {
  const bool is_json = flags.output.format == "json";
  if (const Check wrong = check_destinations({{"-o", flags.output.file}}, {flags.file}))
    return report_error(*wrong);
  const Result<std::vector<FileJob>> jobs = jobs_of(flags);
  if (!jobs) return report_error(jobs.error());
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  const bool is_list = !flags.file.empty();
  std::vector<Answer> answers;
  if (is_list) {
    const Result<Answer> all = post_all(*service, *jobs, answers);
    if (!is_good(all)) return report_failure(all, flags.file);
  } else {
    const Result<Answer> put = put_job(*service, jobs->front());
    const JobName& name = jobs->front().job;
    if (!is_good(put))
      return put && put->status == 404 ? report_missing(*service, put, {.queue = name.queue, .name = {}})
                                       : report_failure(put, name.text());
    answers.push_back(*put);
    if (flags.words.argv.empty())
      report_notes(
          {"no command follows --: an executor such as that of Mirab lets a task fail that has none"});
  }
  Exit exit = Exit::done;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Json& body = answers[i].body;
    if (answers[i].is_problem()) {
      Error error = client::error_of(answers[i], flags.file);
      error.line = (*jobs)[i].line;
      error.key = key_in_job(error.key);
      error.message = fmt::format("{}: {}", (*jobs)[i].job.text(), error.message);
      exit = report_error(error, Exit::failed);
    } else if (has_ended_badly(body)) {
      exit = report_error(Error{.message = fmt::format("{}: it was submitted before, and has {}; nothing of "
                                                       "it runs again. Submit it under another name",
                                                       (*jobs)[i].job.text(), ended_words(body))},
                          Exit::failed);
    } else if (const auto note = body.find("note"); note != body.end() && note->is_string()) {
      report_notes({fmt::format("{}: {}", (*jobs)[i].job.text(), note->get<std::string>())});
    }
    if (flags.waits && !answers[i].is_problem())
      report_notes({fmt::format("{} is submitted; waiting for its end", (*jobs)[i].job.text())});
  }
  if (answers.size() < jobs->size()) {
    report_notes({fmt::format("{} of {} submitted; submit the file again for the others",
                              std::count_if(answers.begin(), answers.end(),
                                            [](const Answer& answer) { return !answer.is_problem(); }),
                              jobs->size())});
    exit = Exit::failed;
  }
  if (flags.waits) {
    if (const auto failed = wait_for_all(*service, *jobs, answers)) return *failed;
    const bool is_fine = std::all_of(answers.begin(), answers.end(),
                                     [](const Answer& answer) { return has_succeeded(answer.body); });
    if (!is_fine) exit = Exit::failed;
  }
  if (const Check failure = write_text(flags.output.file, submitted_text(answers, is_list, is_json)))
    return report_error(*failure, Exit::failed);
  return exit;
}

struct CancelFlags {
  std::vector<std::string> jobs;
  RemoteOptions remote;
  OutputOptions output;
};

Exit run_cancel(const CancelFlags& flags) {
  std::vector<JobName> names;
  for (const std::string& text : flags.jobs) {
    const auto name = client::read_job_name(text, "JOB");
    if (!name) return report_error(name.error());
    names.push_back(*name);
  }
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  Exit exit = Exit::done;
  std::vector<Answer> answers;
  for (const JobName& name : names) {
    const Result<Answer> answer = service->ask("DELETE", name.target());
    if (!is_good(answer)) {
      exit = report_missing(*service, answer, name);
      if (!answer) break;
      continue;
    }
    answers.push_back(*answer);
  }
  if (answers.empty()) return exit;
  const std::string text = submitted_text(answers, names.size() > 1, flags.output.format == "json");
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return exit == Exit::done ? Exit::done : Exit::failed;
}

/// An option of a whole number that may be left out.
void add_count(CLI::App& app, const std::string& name, std::optional<std::int64_t>& value,
               const std::string& meaning) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  take_whole_number(app.add_option(name, value, meaning), 1, kMost);
}

void add_job_options(CLI::App& app, client::JobWords& words) {
  add_count(app, "--tasks", words.tasks, "How many tasks; default: 1");
  add_list_option(app, "--demand", words.demand, "What each task takes, such as cpu=1500m or memory=4Gi",
                  "RESOURCE=AMOUNT");
  add_count(app, "--gang", words.gang, "Start N tasks together or none");
  add_count(app, "--per-server", words.per_server, "At most N of its tasks on one server");
  add_list_option(app, "--select", words.select,
                  "Only servers with this label; one label several times: any of the values", "LABEL=VALUE");
  app.add_option("--spread", words.spread,
                 "Spread the tasks over the values of a label, their counts at most N apart")
      ->type_name("LABEL[=N]");
  add_count(app, "--attempts", words.attempts, "How often a task may fail until it counts as failed");
  constexpr std::int64_t kMostPriority = 1'000'000'000;
  take_integer(app.add_option("--priority", words.priority, "Among the jobs of the queue; default: 0"),
               -kMostPriority, kMostPriority);
  add_list_option(app, "--label", words.labels, "A label of the job", "LABEL=VALUE");
  add_list_option(app, "--env", words.env, "A variable of the environment of its tasks", "NAME=VALUE");
  app.add_option("--time-limit", words.time_limit, "End a task after this time, such as 2h")
      ->type_name("TIME");
  app.add_option("ARGV", words.argv, "What its tasks run, after --")->type_name("WORD");
}

}  // namespace

Command add_submit(CLI::App& app) {
  auto flags = std::make_shared<SubmitFlags>();
  CLI::App* command = app.add_subcommand("submit", "Submit a job, or a file of jobs, to a service");
  command
      ->add_option("JOB", flags->job, "QUEUE/NAME, or QUEUE alone: then the name is a UUID, which is printed")
      ->type_name("JOB");
  add_job_options(*command, flags->words);
  command->add_option("--file", flags->file, "Submit the jobs of a YAML or JSON file")->type_name("FILE");
  command->add_flag("--wait", flags->waits, "Wait until the job ends");
  add_output_options(*command, flags->output, {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "The name makes a submit safe to repeat: the same job under the same name is the same job, whether or "
      "not the first request arrived, and another job under the name is refused.",
      "A file is a list of jobs, or holds one under `jobs`; each has the keys of the API with `queue` and "
      "`name`. They are submitted a thousand at a time, each for itself: what is refused is reported with "
      "its "
      "line, and the others are submitted. Where a limit of the tenant on submits a second is reached, it "
      "waits for as long as the service says, and goes on.",
      remote_words()};
  manual.exits = {{1,
                   "the service was not reached or had no room; a job of a file was refused; a job was "
                   "submitted before and has failed or was cancelled; with --wait, a job failed or was "
                   "cancelled"},
                  {2, "the job was refused, or is not one"}};
  manual.examples = {
      {"mirab submit ml/train-17 --tasks 8 --demand cpu=4 --demand gpu=1 --gang 8 -- ./train.sh --epochs 3",
       "Eight tasks that start together"},
      {"mirab submit ml --demand cpu=1 --wait -- make test", "A job without a name of its own, and its end"},
      {"mirab submit --file jobs.yaml", "Many jobs"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_submit(*flags); }};
}

Command add_cancel(CLI::App& app) {
  auto flags = std::make_shared<CancelFlags>();
  CLI::App* command = app.add_subcommand("cancel", "Cancel jobs of a service");
  command->add_option("JOB", flags->jobs, "The jobs, as QUEUE/NAME")->required()->type_name("JOB");
  add_output_options(*command, flags->output, {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "Its waiting tasks go, its running tasks are stopped. A job that has ended stays as it "
      "ended, so cancelling twice does no harm.",
      remote_words()};
  manual.exits = {{1, "the service was not reached, or some of several jobs could not be cancelled"}};
  manual.examples = {{"mirab cancel ml/train-17", "Cancel a job"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_cancel(*flags); }};
}

}  // namespace mirab::cli
