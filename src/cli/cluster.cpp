#include "cli/cluster.hpp"

#include <CLI/CLI.hpp>

#include <mirab/model/cluster_file.hpp>

#include "cli/output.hpp"

namespace mirab::cli {

void add_cluster_argument(CLI::App& app, std::string& cluster) {
  app.add_option("CLUSTER", cluster, "The cluster file, in YAML or JSON; - reads it from standard input")
      ->required()
      ->type_name("FILE");
}

std::string title_of(const std::string& cluster) {
  return cluster == kStandardInput ? "standard input" : cluster;
}

Error placed_in(const std::string& cluster, Error error) {
  if (!error.file.empty()) return error;
  error.file = title_of(cluster);
  if (!error.key.empty()) error.line = line_in_cluster_file(cluster, error.key);
  return error;
}

}  // namespace mirab::cli
