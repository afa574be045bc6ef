#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <mirab/traces/workload_import.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace CLI {
class Option;
}

namespace mirab::cli {

// Each adds one format to `mirab import`: src/cli/import_<name>.cpp.
Command add_import_bitbrains(CLI::App& import);
Command add_import_google2011(CLI::App& import);
Command add_import_openb(CLI::App& import);
Command add_import_swf(CLI::App& import);
Command add_import_wagap2013(CLI::App& import);

/// Where the files go that a trace becomes.
struct ImportFiles {
  std::string cluster = kStandardOutput;
  std::string workload = {};  ///< empty: none is asked for
};

/// Adds -o.
void add_cluster_file(CLI::App& command, ImportFiles& files);

/// Adds --workload.
CLI::Option* add_workload_file(CLI::App& command, ImportFiles& files);

/// A trace is never replaced by what is made of it, nor one file that is made by the other.
Check check_files(const ImportFiles& files, const std::vector<std::string>& inputs);

/// Says on standard error what was left out or mended.
void say(const std::vector<std::string>& notices);

/// Writes a cluster file with its head.
Exit write_cluster(const Cluster& cluster, std::vector<std::string> provenance, const ImportFiles& files,
                   const std::string& command_line);

/// Writes the workload, in gzip if its name ends in .gz, and then the cluster; says the notices.
Exit write_import(const traces::WorkloadImport& import, const ImportFiles& files,
                  const std::string& command_line);

/// A line on standard error that counts up what of a trace is read, while somebody is there to see it.
std::function<void(std::uint64_t done, std::uint64_t total)> reading_line();

/// The option takes a part of a whole: more than 0, at most 1.
void take_part(CLI::Option* option);

}  // namespace mirab::cli
