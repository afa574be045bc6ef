#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "client/jobs.hpp"
#include "client/tables.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct WhatIfFlags {
  std::vector<std::string> weights;
  std::vector<std::string> drains;
  std::vector<std::string> cancels;
  std::optional<std::uint64_t> more_servers;
  std::string like;
  std::string mechanism;
  std::string file;
  std::vector<std::string> jobs;  ///< that are shown
  RemoteOptions remote;
  OutputOptions output;
};

/// The changes: those of the file first, then those of the options.
Result<client::Json> changes_of(const WhatIfFlags& flags) {
  client::Json changes = client::Json::array();
  if (!flags.file.empty()) {
    Result<client::Json> read = client::read_changes(flags.file);
    if (!read) return read.error();
    changes = *std::move(read);
  }
  for (const std::string& weight : flags.weights) {
    const auto pair = client::read_pair(weight, "--weight");
    if (!pair) return pair.error();
    changes.push_back({{"queue", pair->first}, {"weight", pair->second}});
  }
  for (const std::string& server : flags.drains) changes.push_back({{"drain", server}});
  for (const std::string& job : flags.cancels) changes.push_back({{"cancel", job}});
  if (flags.more_servers.has_value() != !flags.like.empty())
    return Error{.message = "--add-servers N and --like SERVER go together", .key = "--add-servers"};
  if (flags.more_servers)
    changes.push_back({{"add_servers", {{"like", flags.like}, {"count", *flags.more_servers}}}});
  if (!flags.mechanism.empty()) changes.push_back({{"mechanism", flags.mechanism}});
  if (changes.empty())
    return Error{.message = "say what would change, such as --weight ml=2", .key = "--weight"};
  return changes;
}

/// A thing that a change or --job names and that is not there; nothing where it cannot be told.
std::optional<Error> missing_in(client::Service& service, const client::Json& change) {
  const auto with_key = [](std::optional<Error> missing, const char* option) {
    if (missing) missing->key = option;
    return missing;
  };
  const auto text = [&](const char* key) { return client::text_at(change, key); };
  if (const std::string queue = text("queue"); !queue.empty())
    return with_key(missing_job(service, {.queue = queue, .name = {}}), "--weight");
  if (const std::string server = text("drain"); !server.empty())
    return with_key(missing_server(service, server), "--drain");
  if (const auto job = client::read_job_name(text("cancel"), {}))
    return with_key(missing_job(service, *job), "--cancel");
  if (const auto more = change.find("add_servers"); more != change.end() && more->is_object())
    return with_key(missing_server(service, client::text_at(*more, "like")), "--like");
  if (const auto submit = change.find("submit"); submit != change.end() && submit->is_object())
    return missing_job(service, {.queue = client::text_at(*submit, "queue"), .name = {}});
  return {};
}

/// The service says only that something is not there, and not what: that is looked up.
Exit report_unknown(client::Service& service, const Result<client::Answer>& answer, const WhatIfFlags& flags,
                    const client::Json& changes) {
  for (const client::Json& change : changes) {
    auto missing = change.is_object() ? missing_in(service, change) : std::nullopt;
    if (!missing) continue;
    if (!flags.file.empty()) missing->key = {};  // it may be of the file
    return report_error(*missing);
  }
  for (const std::string& job : flags.jobs) {
    auto missing = missing_job(service, *client::read_job_name(job, "--job"));
    if (!missing) continue;
    missing->key = "--job";
    return report_error(*missing);
  }
  return report_failure(answer, "");
}

Exit run_whatif(const WhatIfFlags& flags) {
  Result<client::Json> changes = changes_of(flags);
  if (!changes) return report_error(changes.error());
  client::Json show = client::Json::array({"queues"});
  for (const std::string& job : flags.jobs) {
    if (const auto name = client::read_job_name(job, "--job"); !name) return report_error(name.error());
    show.push_back("job:" + job);
  }
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  const Result<client::Answer> answer =
      service->ask("POST", client::target_of({"whatif"}), {{"changes", *changes}, {"show", std::move(show)}});
  if (answer && answer->status == 404) return report_unknown(*service, answer, flags, *changes);
  if (!is_good(answer)) return report_failure(answer, "");
  const std::string text = flags.output.format == "json"
                               ? report::json_text(answer->body, 2) + "\n"
                               : client::what_if_table(answer->body, columns_of(flags.output.file));
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

}  // namespace

Command add_whatif(CLI::App& app) {
  auto flags = std::make_shared<WhatIfFlags>();
  CLI::App* command =
      app.add_subcommand("whatif", "Show what a service would place after a change, without it");
  add_list_option(*command, "--weight", flags->weights, "A queue with another weight", "QUEUE=WEIGHT");
  add_list_option(*command, "--drain", flags->drains, "A server that takes nothing new", "SERVER");
  add_list_option(*command, "--cancel", flags->cancels, "A job, as QUEUE/NAME, that is cancelled", "JOB");
  constexpr std::uint64_t kMost = 10'000;
  take_whole_number(command->add_option("--add-servers", flags->more_servers, "N servers more"), 1, kMost);
  command->add_option("--like", flags->like, "The server that those are like")->type_name("SERVER");
  command->add_option("--mechanism", flags->mechanism, "The discipline that decides who is next")
      ->type_name("DISCIPLINE");
  command->add_option("--file", flags->file, "Changes as a YAML or JSON file has them")->type_name("FILE");
  add_list_option(*command, "--job", flags->jobs, "Also show this job, as QUEUE/NAME", "JOB");
  add_output_options(*command, flags->output, {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "The service makes the changes on a copy of its state and places what then fits; what it runs "
      "does not end meanwhile, and nothing is changed.",
      "A file is a list of changes as the API takes them, or holds one under `changes`: queues and "
      "groups with other weights, guarantees and limits, servers that are added or drained, jobs "
      "that are submitted or cancelled. A token of a tenant may ask about its own queues and about "
      "more servers.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab whatif --weight ml=2", "What would a doubled weight bring?"},
                     {"mirab whatif --add-servers 2 --like n12 --job ml/train-17",
                      "Would two servers more let this job start?"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_whatif(*flags); }};
}

}  // namespace mirab::cli
