#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "model/csv_table.hpp"

namespace mirab::traces {

struct CsvClusterOptions {
  /// Which column is which field, `memory=ram_gb*1Gi`, `servers.name=host`: docs/how-to/import-csv.md.
  std::vector<std::string> map = {};
  bool row_per_task = false;  ///< every row of the users is one task
};

/// A cluster file's content, and what was passed over.
struct CsvCluster {
  Cluster cluster;
  std::vector<std::string> provenance;
  std::vector<std::string> notices;
};

/// Servers and users from two tables. Fields of servers: `name`, `count`, `label.KEY`; of users: `name`,
/// `shape`, `tasks`, `weight`, `server` (where the tasks run), `select.KEY`. A field is the column of its
/// name, or the one that `map` gives it. Resources are the fields that `map` names besides these, and the
/// columns that both tables have.
///
/// Errors name file, line and column, or the option: no such column, two of a name, no amount, a server that
/// there is not, a user without tasks in several rows.
Result<CsvCluster> import_csv(const CsvText& servers, const CsvText& users, const CsvClusterOptions& options);

}  // namespace mirab::traces
