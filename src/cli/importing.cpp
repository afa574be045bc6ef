#include "cli/importing.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/workload_file.hpp>

#include "cli/gzip.hpp"
#include "cli/terminal.hpp"
#include "report/text_width.hpp"

namespace mirab::cli {

void add_cluster_file(CLI::App& command, ImportFiles& files) {
  command.add_option("-o", files.cluster, "Write the cluster file to FILE instead of standard output")
      ->type_name("FILE");
}

CLI::Option* add_workload_file(CLI::App& command, ImportFiles& files) {
  return command
      .add_option(
          "--workload", files.workload,
          "Write jobs over time to FILE, in gzip if its name ends in .gz; the cluster file then holds "
          "the servers of the beginning and every user of the jobs")
      ->type_name("FILE");
}

Check check_files(const ImportFiles& files, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    for (const auto& [option, file] : {std::pair("-o", &files.cluster), {"--workload", &files.workload}}) {
      if (!would_replace(*file, input)) continue;
      return Error{.message = fmt::format("'{}' is an input, which would be replaced", *file), .key = option};
    }
  }
  if (files.workload.empty() || !same_file(files.workload, files.cluster)) return {};
  return Error{.message = fmt::format("'{}' is the cluster file too; they are two", files.workload),
               .key = "--workload"};
}

void say(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) {
    fmt::print(stderr, "mirab: note: {}\n", report::printable(notice));
  }
}

Exit write_cluster(const Cluster& cluster, std::vector<std::string> provenance, const ImportFiles& files,
                   const std::string& command_line) {
  provenance.push_back("Made by: " + command_line);
  const Check failure = write_text(files.cluster, write_cluster_yaml(cluster, provenance));
  return failure ? complain(*failure, Exit::failed) : Exit::done;
}

Exit write_import(const traces::WorkloadImport& import, const ImportFiles& files,
                  const std::string& command_line) {
  say(import.notices);
  std::vector<std::string> provenance = import.provenance;
  provenance.push_back("Made by: " + command_line);
  std::string text = write_workload(import.workload, provenance);
  if (files.workload.ends_with(".gz")) text = gzipped(text);
  if (const Check failure = write_text(files.workload, text)) return complain(*failure, Exit::failed);
  return write_cluster(import.cluster, import.provenance, files, command_line);
}

std::function<void(std::uint64_t, std::uint64_t)> reading_line() {
  if (!shows_progress()) return {};
  return [](std::uint64_t done, std::uint64_t total) {
    const std::uint64_t percent = total == 0 ? 100 : 100 * done / total;
    const bool over = done >= total;
    show_progress(over ? "" : fmt::format("mirab: read {} % of {} MB", percent, total / 1'000'000));
  };
}

void take_part(CLI::Option* option) {
  option->type_name("PART");
  option->check([](const std::string& written) -> std::string {
    double part = 0;
    const char* end = written.data() + written.size();
    const auto [stop, failure] = std::from_chars(written.data(), end, part);
    if (failure == std::errc{} && stop == end && part > 0 && part <= 1) return {};
    return fmt::format("'{}' is not a part of a whole, more than 0 and at most 1", written);
  });
}

}  // namespace mirab::cli
