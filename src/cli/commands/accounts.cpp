#include "client/accounts.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

/// The time that is asked about. What is left out is the service's choice.
struct TimeSpan {
  std::string from;
  std::string to;
};

void add_time_span(CLI::App& app, TimeSpan& span, const std::string& fallback) {
  app.add_option("--from", span.from,
                 "From this time, such as 2027-03-01T08:00:00Z, or seconds since 1970; default: " + fallback)
      ->type_name("TIME");
  app.add_option("--to", span.to, "Up to this time; default: now")->type_name("TIME");
}

void ask_for(client::Query& query, const std::string& name, const std::string& value) {
  if (!value.empty()) query.emplace_back(name, value);
}

struct UsageFlags {
  std::string by = "queue";
  TimeSpan span;
  RemoteOptions remote;
  OutputOptions output;
};

Exit run_usage(const UsageFlags& flags) {
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  client::Query query = {{"by", flags.by}};
  ask_for(query, "from", flags.span.from);
  ask_for(query, "to", flags.span.to);
  const Result<client::Answer> usage = service->get(client::target_of({"usage"}, query));
  if (!is_good(usage)) return report_failure(usage, "");
  const std::string text = flags.output.format == "json" ? report::json_text(usage->body, 2) + "\n"
                           : flags.output.format == "csv"
                               ? client::usage_csv(usage->body)
                               : client::usage_table(usage->body, columns_of(flags.output.file));
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

struct HistoryFlags {
  std::string queue;
  std::string resource;
  std::string series;  ///< empty: the share of a queue
  std::string step;
  TimeSpan span;
  RemoteOptions remote;
  OutputOptions output;
};

Exit run_history(const HistoryFlags& flags) {
  if (flags.queue.empty() == flags.resource.empty())
    return report_error({.message = "a queue or a --resource is expected, one of them", .key = "QUEUE"});
  if (!flags.resource.empty() && !flags.series.empty())
    return report_error({.message = "is of a queue; of a resource there is what is used", .key = "--series"});
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  client::Query query;
  ask_for(query, "series", flags.resource.empty() ? flags.series : "used");
  ask_for(query, "queue", flags.queue);
  ask_for(query, "resource", flags.resource);
  ask_for(query, "from", flags.span.from);
  ask_for(query, "to", flags.span.to);
  ask_for(query, "step", flags.step);
  const std::string& subject = flags.resource.empty() ? flags.queue : flags.resource;
  const Result<client::Answer> history = service->get(client::target_of({"history"}, query));
  if (!is_good(history)) return report_failure(history, subject);
  std::string text;
  if (flags.output.format == "json") {
    text = report::json_text(history->body, 2) + "\n";
  } else {
    client::Json body = history->body;
    if (!flags.resource.empty()) {
      const Result<client::Answer> cluster = service->get(client::target_of({"cluster"}));
      if (!is_good(cluster)) return report_failure(cluster, "");
      body = client::in_units(std::move(body), cluster->body);
    }
    text = flags.output.format == "csv" ? client::history_csv(body)
                                        : client::history_table(body, columns_of(flags.output.file));
  }
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

}  // namespace

Command add_usage(CLI::App& app) {
  auto flags = std::make_shared<UsageFlags>();
  CLI::App* command = app.add_subcommand("usage", "Show what was used of a service's cluster, and by whom");
  take_one_of(command->add_option("--by", flags->by, "Sums for each of these")->capture_default_str(),
              {"queue", "group", "tenant"});
  add_time_span(*command, flags->span, "24 hours before");
  add_output_options(*command, flags->output, {"table", "json", "csv"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "Shows amount times hours of each resource that tasks held, whether they did well or not: what may be "
      "charged. The times are widened to whole hours; running tasks count up to now.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab usage --by tenant", "Of the latest 24 hours"},
                     {"mirab usage --from 2027-03-01T00:00:00Z --to 2027-04-01T00:00:00Z --format csv",
                      "Of a month, for a spreadsheet"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_usage(*flags); }};
}

Command add_history(CLI::App& app) {
  auto flags = std::make_shared<HistoryFlags>();
  CLI::App* command =
      app.add_subcommand("history", "Show how a queue or a resource of a service was over time");
  command->add_option("QUEUE", flags->queue, "The queue")->type_name("QUEUE");
  take_one_of(command->add_option("--series", flags->series,
                                  "Of the queue, its dominant share, or its tasks; default: share"),
              {"share", "running", "waiting"});
  command->add_option("--resource", flags->resource, "In place of a queue: what was used of this resource")
      ->type_name("RESOURCE");
  add_time_span(*command, flags->span, "an hour before");
  command
      ->add_option("--step", flags->step,
                   "The mean of each such time, 10s or a multiple; default: what gives 1,000 rows or fewer")
      ->type_name("TIME");
  add_output_options(*command, flags->output, {"table", "json", "csv"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "Steps of 10 s are kept a day, of a minute a month, and of an hour two years. JSON is the answer of "
      "the "
      "service, in which what is used of a resource is in base units.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab history ml --series waiting --step 1m", "How much waited in the latest hour"},
                     {"mirab history --resource gpu --format csv", "What was used, for a chart"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_history(*flags); }};
}

}  // namespace mirab::cli
