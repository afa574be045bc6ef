#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "client/tables.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

struct QueuesFlags {
  std::string mechanism;  ///< empty: what the service takes
  RemoteOptions remote;
  OutputOptions output;
};

/// The fair shares by one mechanism, as /shares answers them; null where there are none, with the reason.
struct FairShares {
  client::Json mechanism = {};
  std::string reason = {};
};

FairShares fair_shares_of(const client::Json& shares) {
  if (const auto note = shares.find("note"); note != shares.end() && note->is_string())
    return {.reason = note->get<std::string>()};
  const auto list = shares.find("mechanisms");
  if (list == shares.end() || !list->is_array() || list->empty()) return {.reason = "the service names none"};
  const client::Json& mechanism = list->front();
  if (const auto refused = mechanism.find("refused"); refused != mechanism.end() && refused->is_string())
    return {.reason = refused->get<std::string>()};
  return {.mechanism = mechanism};
}

Exit run_queues(const QueuesFlags& flags) {
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  const Result<client::Answer> queues = service->list({"queues"}, {}, kAll);
  if (!is_good(queues)) return report_failure(queues, "");
  client::Query query;
  if (!flags.mechanism.empty()) query.emplace_back("mechanism", flags.mechanism);
  const Result<client::Answer> shares = service->get(client::target_of({"shares"}, query));
  // Without the fair shares the queues are worth showing all the same, unless the mechanism was asked for.
  if (!is_good(shares) && (!shares || !flags.mechanism.empty())) return report_failure(shares, "");
  const FairShares fair = shares->is_problem() ? FairShares{.reason = client::error_of(*shares, {}).message}
                                               : fair_shares_of(shares->body);
  if (!fair.reason.empty()) report_notes({"no fair shares: " + fair.reason});
  client::Json body = {{"queues", queues->body["items"]}, {"fair_shares", fair.mechanism}};
  if (queues->revision != 0) body["revision"] = queues->revision;
  const std::string text =
      flags.output.format == "json"
          ? report::json_text(body, 2) + "\n"
          : client::queues_table(body["queues"], fair.mechanism, columns_of(flags.output.file));
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

struct JobsFlags {
  std::string of;  ///< QUEUE, or QUEUE/NAME
  std::string state;
  std::vector<std::string> labels;
  std::uint64_t most = 100;
  std::string page;
  bool all = false;
  RemoteOptions remote;
  OutputOptions output;
};

Exit run_job(const JobsFlags& flags, client::Service& service) {
  const auto name = client::read_job_name(flags.of, "QUEUE");
  if (!name) return report_error(name.error());
  const Result<client::Answer> job = service.get(name->target());
  if (!is_good(job)) return report_failure(job, flags.of);
  const std::string text =
      flags.output.format == "json" ? report::json_text(job->body, 2) + "\n" : client::job_text(job->body);
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

Exit run_jobs(const JobsFlags& flags) {
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  if (flags.of.find('/') != std::string::npos) return run_job(flags, *service);
  client::Query query;
  if (!flags.state.empty()) query.emplace_back("state", flags.state);
  for (const std::string& label : flags.labels) query.emplace_back("label", label);
  if (!flags.page.empty()) query.emplace_back("page", flags.page);
  const Result<client::Answer> jobs =
      service->list({"queues", flags.of, "jobs"}, query, flags.all ? kAll : flags.most);
  if (!is_good(jobs)) return report_failure(jobs, flags.of);
  const client::Json& items = jobs->body["items"];
  const std::string text = flags.output.format == "json"
                               ? report::json_text(jobs->body, 2) + "\n"
                               : client::jobs_table(items, columns_of(flags.output.file));
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  const std::string next = client::text_at(jobs->body, "page");
  if (!next.empty())
    report_notes(
        {fmt::format("these are {} jobs of more; the next with --page {}, or --all", items.size(), next)});
  return Exit::done;
}

}  // namespace

Command add_queues(CLI::App& app) {
  auto flags = std::make_shared<QueuesFlags>();
  CLI::App* command =
      app.add_subcommand("queues", "Show what each queue of a service has, and its fair share");
  command
      ->add_option("--mechanism", flags->mechanism,
                   "By which the fair share is; default: the service's choice")
      ->type_name("MECHANISM");
  add_output_options(*command, flags->output, {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "Shows the queues that the token may see: what each has, as its dominant share, beside "
      "what a mechanism would give it for what it runs and waits for. Of other tenants' queues "
      "the service shows less.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab queues", "Who has what"},
                     {"mirab queues --mechanism ps-dsf", "Beside another share"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_queues(*flags); }};
}

Command add_jobs(CLI::App& app) {
  auto flags = std::make_shared<JobsFlags>();
  CLI::App* command = app.add_subcommand("jobs", "List the jobs of a queue of a service, or show one");
  command->add_option("QUEUE", flags->of, "The queue, or one of its jobs as QUEUE/NAME")
      ->required()
      ->type_name("QUEUE");
  take_one_of(command->add_option("--state", flags->state, "Only jobs in this state"),
              {"waiting", "running", "succeeded", "failed", "cancelled"});
  add_list_option(*command, "--label", flags->labels, "Only jobs with this label", "LABEL=VALUE");
  constexpr std::uint64_t kMost = 1'000'000;
  take_whole_number(command->add_option("--limit", flags->most, "Show at most N jobs")->capture_default_str(),
                    1, kMost);
  command->add_option("--page", flags->page, "Go on where a list before ended, which says how")
      ->type_name("PAGE");
  command->add_flag("--all", flags->all, "Show all of them");
  add_output_options(*command, flags->output, {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "In the order of their names. Where there are more than are shown, a note says so and how "
      "to go on.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab jobs ml --state waiting", "What waits"},
                     {"mirab jobs ml/train-17", "All about one job"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_jobs(*flags); }};
}

}  // namespace mirab::cli
