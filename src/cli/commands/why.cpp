#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "client/tables.hpp"
#include "live/state.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct WhyFlags {
  std::string of;  ///< QUEUE/NAME, or a task
  std::string on;  ///< a server; empty: any
  RemoteOptions remote;
  OutputOptions output;
};

/// What is asked, and how the answer is written for people.
struct Why {
  std::string target;
  std::string (*text)(const client::Json&);
  std::optional<client::JobName> job = {};  ///< of a job, on a server or not
};

Result<Why> why_of(const WhyFlags& flags) {
  if (flags.of.find('/') == std::string::npos) {
    if (!live::task_key_of(flags.of))
      return Error{.message = "'" + flags.of + "' is neither a job as QUEUE/NAME nor a task such as t-77",
                   .key = "JOB"};
    if (!flags.on.empty())
      return Error{.message = "goes with a job; a task has its server already", .key = "--on"};
    return Why{client::target_of({"tasks", flags.of, "explain"}), client::why_placed_text};
  }
  const auto name = client::read_job_name(flags.of, "JOB");
  if (!name) return name.error();
  if (flags.on.empty()) return Why{name->target("explain"), client::why_text, *name};
  return Why{
      client::target_of({"queues", name->queue, "jobs", name->name, "explain"}, {{"server", flags.on}}),
      client::why_not_on_text, *name};
}

Exit run_why(const WhyFlags& flags) {
  const Result<Why> why = why_of(flags);
  if (!why) return report_error(why.error());
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  const Result<client::Answer> answer = service->get(why->target);
  if (answer && answer->status == 404 && !flags.on.empty()) {
    if (auto missing = missing_job(*service, *why->job)) return report_error(*missing);
    if (auto missing = missing_server(*service, flags.on)) {
      missing->key = "--on";
      return report_error(*missing);
    }
  }
  if (!is_good(answer) && why->job && flags.on.empty()) return report_missing(*service, answer, *why->job);
  if (!is_good(answer))
    return report_failure(answer, flags.on.empty() ? flags.of : flags.of + " on " + flags.on);
  const std::string text =
      flags.output.format == "json" ? report::json_text(answer->body, 2) + "\n" : why->text(answer->body);
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

}  // namespace

Command add_why(CLI::App& app) {
  auto flags = std::make_shared<WhyFlags>();
  CLI::App* command =
      app.add_subcommand("why", "Say why a job of a service waits, or why a task runs where it does");
  command->add_option("JOB", flags->of, "The job, as QUEUE/NAME, or a task, such as t-77")
      ->required()
      ->type_name("JOB");
  command->add_option("--on", flags->on, "Why not on this server?")->type_name("SERVER");
  add_output_options(*command, flags->output, {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "The first line is the verdict: the one reason that counts. The second is the one step that "
      "would help. What they are drawn from follows; where tasks of the job failed, with the exit code and "
      "the reason of the latest.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab why ml/train-17", "Why does it wait?"},
                     {"mirab why ml/train-17 --on n12", "Why not on this server, which looks free?"},
                     {"mirab why t-77", "Why was this task placed there?"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_why(*flags); }};
}

}  // namespace mirab::cli
