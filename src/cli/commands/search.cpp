// `mirab simulate --search`: random faults against an overlay, until a promise breaks.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mirab/overlay/scheduler.hpp>

#include "cli/commands/simulate.hpp"
#include "cli/io/output.hpp"
#include "report/outcome/comparison.hpp"
#include "report/simulation/runs.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

constexpr std::uint64_t kMaxSeeds = 10'000'000;
constexpr std::uint64_t kMaxNodes = 100'000;
constexpr std::uint64_t kMaxTicks = 10'000'000;

std::string replay_in(const std::string& folder) { return folder + "/found.yaml"; }

std::string cluster_in(const std::string& folder) { return folder + "/" + simulation::kReplayCluster; }

/// A text that is written to a file is no folder afterwards, nor a file where a folder was made.
bool would_block_folder(const std::string& file, const std::string& folder) {
  std::error_code none;
  std::filesystem::path above = std::filesystem::absolute(folder, none);
  for (; above.has_relative_path(); above = above.parent_path())
    if (same_file(file, above.string())) return true;
  return false;
}

/// What would be in vain to find out after hours of search. The folder is made for a find only.
Check check_destinations_of(const SearchFlags& flags, const OutputOptions& output) {
  const std::string& folder = flags.witness_dir;
  std::vector<Destination> files = {{"-o", output.file}};
  if (folder.empty()) return check_destinations(files);
  std::error_code none;
  const bool is_there = std::filesystem::is_directory(folder, none);
  if (Check failure = check_folder({"--witness-dir", folder})) return failure;
  if (would_block_folder(output.file, folder))
    return Error{.message = fmt::format("'{}' is the folder of --witness-dir, or one above it", output.file),
                 .key = "-o"};
  if (is_there) {
    files.push_back({"--witness-dir", replay_in(folder)});
    files.push_back({"--witness-dir", cluster_in(folder)});
  }
  return check_destinations(files);
}

}  // namespace

void add_search_options(CLI::App& app, SearchFlags& flags) {
  CLI::Option* search = app.add_flag(
      "--search", flags.search,
      "Instead of a scenario: draw random faults for servers that gossip, until a promise breaks");
  const std::string group = std::string(kOptionsOf) + "--search";
  const auto whole = [&](const char* name, auto& value, const char* meaning, std::uint64_t least,
                         std::uint64_t most) {
    const std::string range = fmt::format("{}, {} to {}", meaning, least, most);
    take_whole_number(app.add_option(name, value, range)->needs(search)->group(group)->capture_default_str(),
                      least, most);
  };
  whole("--seeds", flags.options.seeds, "Number of runs, each with its own seed", 1, kMaxSeeds);
  whole("--nodes", flags.options.nodes, "Servers of a run", 2, kMaxNodes);
  whole("--users", flags.options.users, "Users of a run", 1, kMaxNodes);
  whole("--ticks", flags.options.ticks,
        "Length of a run in ticks; faults occur in its first half; below about 400 liveness is not checked",
        10, kMaxTicks);
  flags.scheduler = overlay::row_of(flags.options.scheduler).name;
  std::vector<std::string> names;
  for (const overlay::SchedulerRow& row : overlay::schedulers()) names.emplace_back(row.name);
  take_one_of(app.add_option("--scheduler", flags.scheduler, "Who decides whose turn it is")
                  ->needs(search)
                  ->group(group)
                  ->capture_default_str(),
              names);
  app.add_option("--witness-dir", flags.witness_dir,
                 "Write the smallest run that breaks a promise as found.yaml, and its cluster, to FOLDER")
      ->needs(search)
      ->group(group)
      ->type_name("FOLDER");
}

Exit search(const SearchFlags& flags, const SimulateOptions& options) {
  if (!options.scenario.empty())
    return report_error(
        {.message = "--search draws its own scenarios: leave one of them out", .key = "SCENARIO"});
  if (!options.report.file.empty())
    return report_error({.message = "a search has no page: leave one of them out", .key = "--report"});
  if (options.output.format == "csv")
    return report_error({.message = "a search prints a table or JSON", .key = "--format"});
  report::FaultSearch searched{flags.options, {}};
  searched.options.scheduler = *overlay::find_scheduler(flags.scheduler);
  searched.options.threads = options.threads;
  if (options.seed) searched.options.first_seed = *options.seed;
  if (const Check wrong =
          check_seeds(searched.options.first_seed, static_cast<std::uint64_t>(searched.options.seeds)))
    return report_error(*wrong);
  if (const Check failure = check_destinations_of(flags, options.output)) return report_error(*failure);
  searched.outcome = simulation::search_overlay(searched.options, percent_progress("search"));

  const auto& find = searched.outcome.find;
  std::vector<Text> files;
  if (find && !flags.witness_dir.empty()) {
    if (const Check failure = make_folder(flags.witness_dir)) return report_error(*failure, Exit::failed);
    files.push_back({replay_in(flags.witness_dir), find->replay});
    files.push_back({cluster_in(flags.witness_dir), find->cluster});
  }
  files.push_back(
      {options.output.file, options.output.format == "json"
                                ? report::json_text(report::search_json(searched), 2) + "\n"
                                : report::search_table(searched, columns_of(options.output.file))});
  if (const Check failure = write_texts(files)) return report_error(*failure, Exit::failed);
  return find ? Exit::failed : Exit::done;
}

}  // namespace mirab::cli
