#pragma once

// What the fuzzers of importers ask of each result.

#include <mirab/model/assert.hpp>
#include <mirab/model/cluster_file.hpp>

namespace mirab::fuzz {

inline void check_error(const Error& error) {
  MIRAB_ASSERT(!error.message.empty(), "an error says what is wrong");
  MIRAB_ASSERT(!error.file.empty() || error.key.starts_with("--"), "an error names the file or the option");
}

/// A cluster that was imported: a cluster file can hold it.
inline void check_cluster(const Cluster& cluster) {
  const Result<Problem> again = read_cluster_text(write_cluster_yaml(cluster), Syntax::yaml, "written");
  if (!again) {  // a name with more than 32 opening brackets in a row, which the reader of YAML takes for
                 // nesting
    MIRAB_ASSERT(again.error().message.starts_with("nested deeper"), "what is imported can be read");
    return;
  }
  MIRAB_ASSERT(again->servers() == cluster.servers && again->users() == cluster.users, "it is the same");
  MIRAB_ASSERT(again->cluster().running == cluster.running, "what runs is the same");
}

}  // namespace mirab::fuzz
