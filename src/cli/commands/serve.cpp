#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "live/amounts.hpp"
#include "service/doctor.hpp"
#include "service/recovery.hpp"
#include "service/restore.hpp"
#include "service/service.hpp"

namespace mirab::cli {
namespace {

struct ServeFlags {
  service::ServiceOptions options;
  std::string listen = "127.0.0.1:7417";
  std::string metrics = {};
  std::string others = "shares";
  std::string silent_after = "1m";
  std::string lost_after = "10m";
};

/// Makes the file of a service that was started without one, unless it is there.
Check make_state_file(const std::string& file) {
  if (service::is_there(file)) return std::nullopt;
  std::error_code error;
  const auto folder = std::filesystem::path(file).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) return Error{.message = error.message(), .file = folder.string()};
  if (Check failure = service::init_file({.file = file})) return failure;
  return std::nullopt;
}

Check read_seconds(const std::string& text, const std::string& option, std::chrono::seconds& seconds) {
  const auto duration = live::parse_duration(text);
  if (!duration) return Error{.message = duration.error().message, .key = option};
  seconds = std::chrono::duration_cast<std::chrono::seconds>(*duration);
  return std::nullopt;
}

Exit run_serve(const ServeFlags& flags) {
  service::ServiceOptions options = flags.options;
  const auto endpoint = net::read_endpoint(flags.listen, "--listen");
  if (!endpoint) return report_error(endpoint.error());
  options.server.address = endpoint->address;
  options.server.port = endpoint->port;
  options.version = MIRAB_VERSION;
  if (const Check failure = read_seconds(flags.silent_after, "--silent-after", options.silence.silent_after))
    return report_error(*failure);
  if (const Check failure = read_seconds(flags.lost_after, "--lost-after", options.silence.lost_after))
    return report_error(*failure);
  if (!flags.metrics.empty()) {
    const auto metrics = net::read_endpoint(flags.metrics, "--metrics-listen");
    if (!metrics) return report_error(metrics.error());
    options.metrics = *metrics;
  }
  options.pipeline.others = flags.others == "nothing" ? live::Others::nothing
                            : flags.others == "all"   ? live::Others::all
                                                      : live::Others::shares;
  if (options.file.empty()) {
    options.file = state_file();
    if (const Check failure = make_state_file(options.file)) return report_error(*failure);
    fmt::print(stderr, "file: {}\nadmin token: {}.admin-token\n", options.file, options.file);
  }
  const Result<int> status = service::serve(options);
  if (!status) return report_error(status.error());
  return static_cast<Exit>(*status);
}

/// What is wrong with an option, with its name.
Check check_init(const service::InitOptions& options) {
  for (const std::string& text : options.resources) {
    if (const Result<live::Resource> resource = live::parse_resource(text); !resource)
      return Error{.message = resource.error().message, .key = "--resource"};
  }
  const Result<Choice> discipline = read_choice(options.discipline, "--discipline", choose_discipline);
  if (!discipline) return discipline.error();
  const Result<Choice> placement = read_choice(options.placement, "--placement", choose_placement);
  if (!placement) return placement.error();
  return {};
}

Exit run_init(const service::InitOptions& options) {
  if (const Check wrong = check_init(options)) return report_error(*wrong);
  if (const Check failure = service::init_file(options)) return report_error(*failure);
  const std::string text = fmt::format("made {}\nadmin token: {}.admin-token\n", options.file, options.file);
  if (const Check failure = write_text(kStandardOutput, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

Exit run_backup(const std::string& file, const std::string& copy) {
  const service::FolderLock one_maker(copy);
  auto store =
      service::open_store({.file = file, .reads_only = true, .is_unknown = true, .reserve_bytes = 0});
  if (!store) return report_error(store.error());
  if (const Check failure = service::make_copy(**store, copy)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

Exit run_check(const std::string& file) {
  auto store =
      service::open_store({.file = file, .reads_only = true, .is_unknown = true, .reserve_bytes = 0});
  if (!store) return report_error(store.error());
  std::string text;
  const Check wrong =
      service::check_file(**store, [&](const std::string& sentence) { text += sentence + "\n"; });
  if (const Check failure = write_text(kStandardOutput, text)) return report_error(*failure, Exit::failed);
  if (!wrong) return Exit::done;
  Error error = *wrong;
  if (error.file.empty()) error.file = file;
  return report_error(error, Exit::failed);
}

struct QueryFlags {
  std::string file = {};
  std::string table = {};
  OutputOptions output = {};
};

Exit run_query(const QueryFlags& flags) {
  auto store =
      service::open_store({.file = flags.file, .reads_only = true, .is_unknown = true, .reserve_bytes = 0});
  if (!store) return report_error(store.error());
  const auto rows = service::rows_of_file(**store, flags.table);
  if (!rows) return report_error(rows.error(), Exit::failed);
  const bool is_json = flags.output.format == "json";
  const std::string text =
      is_json ? live::json_of_rows(flags.table, *rows).dump(1) + "\n" : live::csv_of_rows(flags.table, *rows);
  if (const Check failure = write_text(flags.output.file, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

Exit run_doctor(const std::string& file) {
  bool is_well = true;
  std::string text;
  for (const service::Finding& finding : service::examine(file)) {
    text += fmt::format("{:5} {}\n", finding.is_well ? "ok" : "wrong", finding.sentence);
    is_well = is_well && finding.is_well;
  }
  if (const Check failure = write_text(kStandardOutput, text)) return report_error(*failure, Exit::failed);
  return is_well ? Exit::done : Exit::failed;
}

Command add_init(CLI::App& serve) {
  auto options = std::make_shared<service::InitOptions>();
  CLI::App* command = serve.add_subcommand("init", "Make the file of a service");
  command->add_option("FILE", options->file, "The file to make")->required()->type_name("FILE");
  auto resources = std::make_shared<std::vector<std::string>>();
  add_list_option(
      *command, "--resource", *resources,
      "A resource of the cluster, with the unit in which it is counted: milli, micro, nano, bytes",
      "NAME[:UNIT]");
  command->add_option("--discipline", options->discipline, "Which user is next")
      ->type_name("DISCIPLINE")
      ->capture_default_str();
  command->add_option("--placement", options->placement, "On which server a task goes")
      ->type_name("PLACEMENT")
      ->capture_default_str();
  Manual manual;
  manual.paragraphs = {
      "Makes FILE, and FILE.admin-token with a token of scope admin, readable by its owner alone. Without "
      "--resource the resources are cpu:milli, memory:bytes and gpu."};
  manual.examples = {{"mirab serve init mirab.db --resource cpu:milli --resource memory:bytes --resource gpu",
                      "A cluster with three resources"}};
  return {command, std::move(manual), [options, resources](const std::string&) {
            if (!resources->empty()) options->resources = *resources;
            return run_init(*options);
          }};
}

Command add_of_file(CLI::App& serve, const std::string& name, const std::string& summary, Manual manual,
                    Exit (*run)(const std::string&)) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = serve.add_subcommand(name, summary);
  command->add_option("FILE", *file, "The file of the service")->required()->type_name("FILE");
  return {command, std::move(manual), [file, run](const std::string&) { return run(*file); }};
}

Command add_query(CLI::App& serve) {
  auto flags = std::make_shared<QueryFlags>();
  CLI::App* command = serve.add_subcommand("query", "Print what a file holds, a row for each thing");
  command->add_option("FILE", flags->file, "The file of the service")->required()->type_name("FILE");
  CLI::Option* table =
      command->add_option("TABLE", flags->table, fmt::format("Of what: {}", fmt::join(live::kTables, ", ")))
          ->required()
          ->type_name("TABLE");
  take_one_of(table, {live::kTables.begin(), live::kTables.end()});
  add_output_options(*command, flags->output, {"csv", "json"});
  Manual manual;
  manual.paragraphs = {
      "Reads the newest snapshot and the log after it, also while the service runs, and prints the state at "
      "one moment. Amounts are in base units, such as thousandths of a CPU. Changes nothing. Jobs that ended "
      "and their tasks are there for as long as the service "
      "keeps their names."};
  manual.examples = {{"mirab serve query mirab.db job > jobs.csv", "All jobs, for a spreadsheet"},
                     {"mirab serve query mirab.db task_ended --format json", "Tasks that ended, as JSON"}};
  manual.exits = {{1, "its log or all its snapshots are damaged"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_query(*flags); }};
}

Command add_backup(CLI::App& serve) {
  auto files = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App* command = serve.add_subcommand("backup", "Copy the file of a service, also while it runs");
  command->add_option("FILE", files->first, "The file of the service")->required()->type_name("FILE");
  command->add_option("COPY", files->second, "The file to make")->required()->type_name("FILE");
  Manual manual;
  manual.paragraphs = {
      "Copies the state of one moment. The service goes on. The copy is a file for `mirab serve`; "
      "copying the file itself while the service runs is not safe."};
  manual.exits = {{1, "the copy could not be written"}};
  return {command, std::move(manual),
          [files](const std::string&) { return run_backup(files->first, files->second); }};
}

struct RestoreFlags {
  service::RestoreOptions options;
  std::uint64_t revision = 0;
  std::string time = {};
};

Exit run_restore(const RestoreFlags& flags, bool has_revision) {
  service::RestoreOptions options = flags.options;
  if (has_revision) options.revision = flags.revision;
  if (!flags.time.empty()) {
    options.time = live::wall_of(flags.time);
    if (!options.time)
      return report_error(
          {.message = "a time such as 2027-03-01T08:00:00.123Z is expected here", .key = "--time"});
  }
  if (options.backup.empty() && options.archive.empty())
    return report_error({.message = "name a backup, an archive or both", .key = "--backup"});
  const auto restored = service::restore_file(options);
  if (!restored) return report_error(restored.error(), Exit::failed);
  std::string text;
  for (const std::string& note : restored->notes) text += "note: " + note + "\n";
  text += fmt::format("made {} at revision {} ({}), with {} batches of the archive\n", options.file,
                      restored->revision, live::text_of(restored->wall), restored->batches);
  if (const Check failure = write_text(kStandardOutput, text)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

Command add_restore(CLI::App& serve) {
  auto flags = std::make_shared<RestoreFlags>();
  CLI::App* command =
      serve.add_subcommand("restore", "Make the file of a service as it was, from a backup and an archive");
  command->add_option("FILE", flags->options.file, "The file to make")->required()->type_name("FILE");
  command->add_option("--backup", flags->options.backup, "A copy that `mirab serve backup` has made")
      ->type_name("FILE");
  command->add_option("--archive", flags->options.archive, "The folder of `mirab serve --archive`")
      ->type_name("DIR");
  CLI::Option* const revision =
      command->add_option("--revision", flags->revision, "Nothing after this revision")->type_name("N");
  take_whole_number(revision, 0);
  command->add_option("--time", flags->time, "Nothing that was decided later")
      ->type_name("TIME")
      ->excludes(revision);
  Manual manual;
  manual.paragraphs = {
      "Begins with the backup, or else with the newest copy in the archive that is not beyond the target, "
      "and replays what the archive has after it: to the target, or to its end. What was decided together "
      "is restored together. Every hash is checked, and every outcome compared. FILE appears when it is "
      "whole, and never takes the place of another."};
  manual.examples = {{"mirab serve restore mirab.db --archive /backup/mirab", "All that the archive has"},
                     {"mirab serve restore mirab.db --archive /backup/mirab --time 2027-03-01T08:00:00Z",
                      "As it was at a moment"}};
  manual.exits = {{1, "the backup or the archive is damaged or does not go to the target"}};
  return {command, std::move(manual),
          [flags, revision](const std::string&) { return run_restore(*flags, revision->count() > 0); }};
}

}  // namespace

std::vector<Command> add_serve(CLI::App& app) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* serve = app.add_subcommand("serve", "Serve the engine over HTTP: submit jobs, ask, watch");
  serve->require_subcommand(0, 1);
  service::ServiceOptions& options = flags->options;
  serve
      ->add_option("FILE", options.file,
                   "The file of the service; without one it is made in the state folder")
      ->type_name("FILE");
  serve->add_option("--listen", flags->listen, "Where to listen; port 0: any")
      ->type_name("ADDR:PORT")
      ->capture_default_str();
  serve
      ->add_option("--metrics-listen", flags->metrics,
                   "Where to listen for /metrics, /livez and /readyz besides")
      ->type_name("ADDR:PORT");
  serve
      ->add_option("--tls-cert", options.server.certificate_file,
                   "Certificate with its chain, as PEM; read again when it changes")
      ->type_name("FILE");
  serve->add_option("--tls-key", options.server.key_file, "Its key, as PEM")->type_name("FILE");
  serve->add_flag("--plaintext", options.allows_plaintext, "Listen beyond this machine without TLS");
  take_one_of(serve->add_option("--others", flags->others, "What a tenant sees of other tenants' queues")
                  ->capture_default_str(),
              {"nothing", "shares", "all"});
  take_whole_number(serve
                        ->add_option("--per-address", options.server.connections_per_address,
                                     "Connections of one address; 0: no limit")
                        ->type_name("N")
                        ->capture_default_str(),
                    0);
  add_list_option(*serve, "--trusted-proxy", options.server.trusted_proxies,
                  "Believe X-Forwarded-For of proxies in this network", "CIDR");
  take_whole_number(
      serve->add_option("--reserve", options.reserve_bytes, "Bytes that are kept for the case of a full disk")
          ->type_name("BYTES")
          ->capture_default_str(),
      0);
  serve
      ->add_option("--archive", options.archive, "Copy the log to this folder too, for `mirab serve restore`")
      ->type_name("DIR");
  take_whole_number(serve
                        ->add_option("--snapshot-revisions", options.pipeline.snapshot_revisions,
                                     "Write a snapshot after so much of the log")
                        ->type_name("N")
                        ->capture_default_str(),
                    1);
  serve
      ->add_option("--silent-after", flags->silent_after,
                   "An executor without a sign of life for so long gets nothing new")
      ->type_name("DURATION")
      ->capture_default_str();
  serve
      ->add_option("--lost-after", flags->lost_after,
                   "Then its server is given up, and its tasks run elsewhere")
      ->type_name("DURATION")
      ->capture_default_str();
  serve->add_flag("--log-requests", options.logs_requests,
                  "Log every request, and not only those that are refused");

  Manual manual;
  manual.paragraphs = {
      "Keeps a cluster in one file: servers, queues, jobs and what runs where. Each change is on the disk "
      "before "
      "it is acknowledged. The API is described at /docs and /openapi.json of the running service.",
      "Without FILE it takes mirab.db in $STATE_DIRECTORY, else in ~/.local/state/mirab, and makes it if "
      "need be. "
      "When it is ready it prints `listening on http://ADDR:PORT` on standard error; the other lines there "
      "are "
      "JSON. SIGTERM ends it with a snapshot; SIGHUP reads the certificate again."};
  manual.exits = {{4, "the disk failed: what it holds is read again at the next start"}};
  manual.examples = {{"mirab serve", "Start with a file in the state folder"},
                     {"mirab serve mirab.db --listen 127.0.0.1:7417", "Serve a file"}};
  std::vector<Command> commands;
  commands.push_back({serve, std::move(manual), [flags](const std::string&) { return run_serve(*flags); }});
  commands.push_back(add_init(*serve));
  commands.push_back(add_backup(*serve));
  commands.push_back(add_restore(*serve));
  commands.push_back(add_query(*serve));
  commands.push_back(add_of_file(
      *serve, "check", "Check the file of a service: database, log, snapshots, replay",
      {.paragraphs = {"Checks the database, the chain of the log's hashes, each snapshot, and that a replay "
                      "gives every outcome that was recorded. Changes nothing."},
       .examples = {{"mirab serve check mirab.db", "Check a file"}},
       .exits = {{1, "something is wrong"}}},
      run_check));
  commands.push_back(add_of_file(
      *serve, "doctor", "Look for what would harm a service: disk, clock, rights, versions",
      {.paragraphs =
           {"Looks at the file's rights, the room and the speed of its disk, the clock, the versions of the "
            "libraries, the limit of open files. A disk that is slow is found, and one that syncs more often "
            "than a disk can that keeps what it acknowledges. Changes nothing but a file that it removes "
            "again."},
       .examples = {{"mirab serve doctor mirab.db", "Look at a file and its machine"}},
       .exits = {{1, "something is wrong"}}},
      run_doctor));
  return commands;
}

}  // namespace mirab::cli
