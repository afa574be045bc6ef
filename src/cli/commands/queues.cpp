#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "client/tables.hpp"
#include "model/names.hpp"
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

/// Which jobs, of those that the token may see, count for no fair share; empty: all do.
std::string left_out_of(const client::Json& shares) {
  constexpr std::size_t kMostNamed = 5;
  const auto list = shares.find("left_out");
  if (list == shares.end() || !list->is_array() || list->empty()) return {};
  std::vector<std::string> names;
  for (const client::Json& job : *list) names.push_back(job.is_string() ? job.get<std::string>() : "?");
  return fmt::format("the fair shares leave out what the open servers can never hold: {}",
                     first_names(std::vector<std::string_view>(names.begin(), names.end()), kMostNamed));
}

/// What of the cluster is divided, where that is not all that it promises.
std::vector<std::string> divided_of(const client::Json& shares) {
  std::vector<std::string> notes;
  const auto drained = shares.find("drained");
  if (drained != shares.end() && drained->is_number_integer() && *drained > 0)
    notes.push_back(fmt::format("the fair shares do not count drained servers: {}", drained->dump()));
  const auto cut = shares.find("guarantees_cut");
  if (cut != shares.end() && cut->is_boolean() && cut->get<bool>())
    notes.emplace_back(
        "the guarantees together are more than the open servers have: the fair shares cut each in "
        "the same proportion");
  return notes;
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
  if (!fair.reason.empty() && !queues->body["items"].empty())
    report_notes({"no fair shares: " + fair.reason});
  if (const std::string left_out = shares->is_problem() ? "" : left_out_of(shares->body); !left_out.empty())
    report_notes({left_out});
  if (!shares->is_problem()) report_notes(divided_of(shares->body));
  client::Json body = {{"queues", queues->body["items"]}, {"fair_shares", fair.mechanism}};
  if (queues->revision != 0) body["revision"] = queues->revision;
  const std::string text =
      flags.output.format == "json"
          ? report::json_text(body, 2) + "\n"
          : client::queues_table(body["queues"], fair.mechanism, columns_of(flags.output.file));
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

struct GroupsFlags {
  RemoteOptions remote;
  OutputOptions output;
};

Exit run_groups(const GroupsFlags& flags) {
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  const Result<client::Answer> groups = service->list({"groups"}, {}, kAll);
  if (!is_good(groups)) return report_failure(groups, "");
  const std::string text = flags.output.format == "json"
                               ? report::json_text(groups->body, 2) + "\n"
                               : client::groups_table(groups->body["items"], columns_of(flags.output.file));
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

struct ListFlags {
  std::string of;  ///< QUEUE, or QUEUE/NAME; of servers: one of them, or empty
  std::string state;
  std::vector<std::string> labels;
  std::uint64_t most = 100;
  std::string page;
  bool all = false;
  RemoteOptions remote;
  OutputOptions output;

  bool is_json() const { return output.format == "json"; }
  std::size_t most_items() const { return all ? kAll : most; }
  std::size_t width() const { return columns_of(output.file); }
};

/// What of a list is asked for, and from where on.
client::Query query_of(const ListFlags& flags) {
  client::Query query;
  if (!flags.state.empty()) query.emplace_back("state", flags.state);
  for (const std::string& label : flags.labels) query.emplace_back("label", label);
  if (!flags.page.empty()) query.emplace_back("page", flags.page);
  return query;
}

/// Writes the text, or the JSON; where the list has more items, a note says how to go on.
Exit write_list(const ListFlags& flags, const client::Json& body, const std::string& text,
                const client::Json& list, std::string_view things) {
  const std::string written = flags.is_json() ? report::json_text(body, 2) + "\n" : text;
  if (const Check failure = write_text(flags.output.file, written))
    return report_error(*failure, Exit::failed);
  const std::string next = client::text_at(list, "page");
  if (!next.empty())
    report_notes({fmt::format("these are {} {} of more; the next with --page {}, or --all",
                              list.at("items").size(), things, next)});
  return Exit::done;
}

/// A thing and its tasks.
Exit run_with_tasks(const ListFlags& flags, client::Service& service, const client::Json& thing,
                    const std::string& text, const std::string& kind) {
  client::Query query = query_of(flags);
  query.emplace_back(kind, flags.of);
  const Result<client::Answer> tasks = service.list({"tasks"}, query, flags.most_items());
  if (!is_good(tasks)) return report_failure(tasks, flags.of);
  const client::Json& items = tasks->body["items"];
  client::Json body = thing;
  body["tasks_shown"] = items;
  if (const auto next = tasks->body.find("page"); next != tasks->body.end()) body["page"] = *next;
  const std::string shown = items.empty() ? "" : "\n" + client::tasks_table(items, flags.width());
  return write_list(flags, body, text + shown, tasks->body, "tasks");
}

Exit run_jobs(const ListFlags& flags) {
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  if (flags.of.find('/') != std::string::npos) {
    const auto name = client::read_job_name(flags.of, "QUEUE");
    if (!name) return report_error(name.error());
    const Result<client::Answer> job = service->get(name->target());
    if (!is_good(job)) return report_missing(*service, job, *name);
    return run_with_tasks(flags, *service, job->body, client::job_text(job->body), "job");
  }
  const Result<client::Answer> jobs =
      service->list({"queues", flags.of, "jobs"}, query_of(flags), flags.most_items());
  if (!is_good(jobs)) return report_missing(*service, jobs, {.queue = flags.of, .name = {}});
  return write_list(flags, jobs->body, client::jobs_table(jobs->body["items"], flags.width()), jobs->body,
                    "jobs");
}

Exit run_servers(const ListFlags& flags) {
  Result<client::Service> service = connect(flags.remote);
  if (!service) return report_error(service.error());
  if (!flags.of.empty()) {
    const Result<client::Answer> server = service->get(client::target_of({"servers", flags.of}));
    if (server && server->status == 404) {
      if (const auto missing = missing_server(*service, flags.of)) return report_error(*missing);
    }
    if (!is_good(server)) return report_failure(server, flags.of);
    return run_with_tasks(flags, *service, server->body, client::server_text(server->body), "server");
  }
  const Result<client::Answer> servers = service->list({"servers"}, query_of(flags), flags.most_items());
  if (!is_good(servers)) return report_failure(servers, "");
  return write_list(flags, servers->body, client::servers_table(servers->body["items"], flags.width()),
                    servers->body, "servers");
}

void add_list_options(CLI::App& command, ListFlags& flags) {
  add_list_option(command, "--label", flags.labels, "Only those with this label", "LABEL=VALUE");
  constexpr std::uint64_t kMost = 1'000'000;
  take_whole_number(command.add_option("--limit", flags.most, "Show at most N")->capture_default_str(), 1,
                    kMost);
  command.add_option("--page", flags.page, "Go on where a list before ended, which says how")
      ->type_name("PAGE");
  command.add_flag("--all", flags.all, "Show all of them");
  add_output_options(command, flags.output, {"table", "json"});
  add_remote_options(command, flags.remote);
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
      "what a mechanism would give it for what it runs and waits for. A job that the present servers could "
      "not hold even if they were empty counts for no fair share; a note names such jobs. Of other tenants' "
      "queues the service shows less.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab queues", "Who has what"},
                     {"mirab queues --mechanism ps-dsf", "Beside another share"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_queues(*flags); }};
}

Command add_groups(CLI::App& app) {
  auto flags = std::make_shared<GroupsFlags>();
  CLI::App* command =
      app.add_subcommand("groups", "Show the groups of queues of a service, and what each has");
  add_output_options(*command, flags->output, {"table", "json"});
  add_remote_options(*command, flags->remote);
  Manual manual;
  manual.paragraphs = {
      "Shows the tree of groups: in which group each is, its weight, its dominant share and what of that "
      "lies "
      "beyond its guarantee, what its tasks use, what it is guaranteed, limited to, has reserved, and lends. "
      "`mirab queues` shows which queues are in which group. A token of a tenant sees the groups above its "
      "own "
      "queues.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab groups", "What each group has, is promised, and lends"},
                     {"mirab groups --format json | jq '.items[0]'", "As the API has it"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_groups(*flags); }};
}

Command add_jobs(CLI::App& app) {
  auto flags = std::make_shared<ListFlags>();
  CLI::App* command =
      app.add_subcommand("jobs", "List the jobs of a queue of a service, or show one with its tasks");
  command->add_option("QUEUE", flags->of, "The queue, or one of its jobs as QUEUE/NAME")
      ->required()
      ->type_name("QUEUE");
  take_one_of(command->add_option("--state", flags->state, "Only jobs, or tasks of the job, in this state"),
              {"waiting", "placed", "running", "succeeded", "failed", "cancelled", "lost", "preempted"});
  add_list_options(*command, *flags);
  Manual manual;
  manual.paragraphs = {
      "In the order of their names. Where there are more than are shown, a note says so and how "
      "to go on. Of a job waiting is a state, of a task placed, lost and preempted.",
      "One job is shown with its tasks: on which server each runs or ran, its state, and how it ended, with "
      "the exit code and the reason that its executor gave. In JSON they are in `tasks_shown`.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab jobs ml --state waiting", "What waits"},
                     {"mirab jobs ml/train-17", "All about one job, and its tasks"},
                     {"mirab jobs ml/train-17 --state failed", "Which of its tasks failed, and why"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_jobs(*flags); }};
}

Command add_servers(CLI::App& app) {
  auto flags = std::make_shared<ListFlags>();
  CLI::App* command =
      app.add_subcommand("servers", "List the servers of a service, or show one with its tasks");
  command->add_option("SERVER", flags->of, "One of them")->type_name("SERVER");
  take_one_of(
      command->add_option("--state", flags->state, "Only servers, or tasks of the server, in this state"),
      {"open", "drained", "lost", "placed", "running", "succeeded", "failed", "cancelled", "preempted"});
  add_list_options(*command, *flags);
  Manual manual;
  manual.paragraphs = {
      "Shows what each server has and what tasks take of it. A drained server gets no new tasks, a silent "
      "one has an executor that does not answer, a lost one was given up. Of a server's tasks those are "
      "shown that the token may see, those that ended too. In JSON they are in `tasks_shown`. A token of a "
      "tenant sees what servers have, and not what others use of them.",
      remote_words()};
  manual.exits = {{1, "the service was not reached"}};
  manual.examples = {{"mirab servers", "What each has, and what is used"},
                     {"mirab servers --state drained", "Which get no new tasks"},
                     {"mirab servers n12", "All about one server, and its tasks"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_servers(*flags); }};
}

}  // namespace mirab::cli
