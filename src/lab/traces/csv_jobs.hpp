#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

#include "lab/traces/workload_import.hpp"
#include "model/csv_table.hpp"

namespace mirab::traces {

/// On what jobs run.
struct JobServers {
  CsvTable table;                           ///< `name`, `count`, `label.KEY` and resources
  std::vector<std::string> resources = {};  ///< those of its columns that jobs must have too
};

/// `count` equal hosts. `amounts` is what one has: `cpus=64,memory=512Gi`. Errors (without a key): not of
/// this form, a resource twice.
Result<JobServers> equal_hosts(std::int64_t count, std::string_view amounts);

/// Reads a table of jobs, a row each.
///
/// Fields of jobs: `submit` (seconds, or a date with a time; from the first submission of a job that is kept
/// on), `run` and `estimate` (seconds, with a unit: `1.5h`, or in parts: `1h30m`, `1:30:00`, `2-00:00:00`),
/// `user`, `job` (its name; else the number of its row),
/// `tasks` of which `gang` start together, the `weight` of the user, `select.KEY`. A field is the column of
/// its name, or the one that `map` gives it; resources are as of find_csv_fields(). Rows may be in any order.
/// Runtimes are measured; 0 s counts as 1 s. The span ends when the last job would, were none to wait.
///
/// Left out, with a notice: jobs without a runtime, that ask for nothing, or of which fewer tasks fit on the
/// servers than start together. Errors name file, line and column, or the option: as of CsvRows and
/// CsvFields; a bad time; seconds and dates in one column; submissions a hundred years apart; more than
/// kMostWorkloadTasks tasks; no job that is left. O(rows · log rows + requests · servers).
Result<WorkloadImport> import_jobs(const CsvText& jobs, const JobServers& servers,
                                   std::span<const std::string> map);

}  // namespace mirab::traces
