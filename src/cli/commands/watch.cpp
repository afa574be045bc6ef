#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "client/events.hpp"
#include "client/tables.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct WatchFlags {
  std::vector<std::string> kinds;
  std::string queue;
  std::string job;
  std::string server;
  std::optional<std::uint64_t> after;  ///< without: from now on
  std::string format = "table";
  RemoteOptions remote;
};

/// The events of one change, whole lines at once: an interruption leaves no half of one.
std::string change_text(const client::Json& change, bool is_json) {
  if (is_json) return report::json_text(change) + "\n";
  std::string text;
  const auto events = change.find("events");
  if (events == change.end() || !events->is_array()) return text;
  for (const client::Json& event : *events) text += client::event_line(change, event);
  return text;
}

Exit run_watch(const WatchFlags& flags) {
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  client::Following following;
  if (flags.after) {
    following.after = *flags.after;
  } else {
    const Result<client::Answer> cluster = service->get(client::target_of({"cluster"}));
    if (!is_good(cluster)) return report_failure(cluster, "");
    following.after = cluster->revision;
    following.is_known = true;
  }
  for (const std::string& kind : flags.kinds) following.filter.emplace_back("kind", kind);
  for (const auto& [name, value] :
       {std::pair{"queue", flags.queue}, {"job", flags.job}, {"server", flags.server}}) {
    if (!value.empty()) following.filter.emplace_back(name, value);
  }
  Check unwritten;
  following.change = [&](const client::Json& change) {
    unwritten = write_text(kStandardOutput, change_text(change, flags.format == "json"));
    return !unwritten;
  };
  following.note = [](const std::string& sentence) { report_notes({sentence}); };
  following.gap = [](std::uint64_t up_to) {
    report_notes({"the log no longer goes back so far: events up to revision " + std::to_string(up_to) +
                  " are missing here"});
    return true;
  };
  const Result<client::Answer> answer = client::follow(*service, std::move(following));
  if (unwritten) return report_error(*unwritten, Exit::failed);
  return report_failure(answer, "");
}

}  // namespace

Command add_watch(CLI::App& app) {
  auto flags = std::make_shared<WatchFlags>();
  CLI::App* command = app.add_subcommand("watch", "Show what happens at a service, as it happens");
  add_list_option(*command, "--kind", flags->kinds, "Only events of this kind, such as task-placed", "KIND");
  command->add_option("--queue", flags->queue, "Only what concerns this queue")->type_name("QUEUE");
  command->add_option("--job", flags->job, "Only what concerns this job, as QUEUE/NAME")->type_name("JOB");
  command->add_option("--on", flags->server, "Only what happens on this server")->type_name("SERVER");
  take_whole_number(command->add_option("--after", flags->after,
                                        "Begin after this revision; default: with what happens now"),
                    0);
  take_one_of(command->add_option("--format", flags->format, "A line for each event, or JSON for each change")
                  ->capture_default_str(),
              {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "Each line has the time, the revision and the event. Where the connection breaks or is silent, "
      "a note says so, and it goes on where it broke: each event is shown once. It ends with "
      "Ctrl-C.",
      remote_words()};
  manual.exits = {{1, "the service was never reached, or refuses to go on"},
                  {2, "the token or the revision is not good"},
                  {130, "it was interrupted"}};
  manual.examples = {{"mirab watch --queue ml", "What happens to the jobs of a queue"},
                     {"mirab watch --after 1 --format json", "The whole log, for a program"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_watch(*flags); }};
}

}  // namespace mirab::cli
