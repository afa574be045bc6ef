#pragma once

#include <string>

#include <mirab/model/result.hpp>

namespace CLI {
class App;
}

namespace mirab::cli {

/// Adds the argument CLUSTER, a cluster file.
void add_cluster_argument(CLI::App& app, std::string& cluster);

/// What the cluster file is called where it is shown: its name, or `standard input`.
std::string title_of(const std::string& cluster);

/// The error with the place in the cluster file that its key names: what a mechanism or a filling cannot do
/// with a cluster is found after its file was read.
Error placed_in(const std::string& cluster, Error error);

}  // namespace mirab::cli
