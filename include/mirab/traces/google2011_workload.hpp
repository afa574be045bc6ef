#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>
#include <mirab/traces/google2011.hpp>
#include <mirab/traces/workload_import.hpp>

namespace mirab::traces {

/// Which part of the trace becomes a workload.
struct Google2011WorkloadOptions {
  std::optional<std::size_t> sample_machines = {};  ///< ≥ 1; without a value, all
  std::optional<std::size_t> sample_users = {};     ///< ≥ 1; without a value, all
  double sample_jobs = 1;                           ///< the part of their jobs, in (0, 1]
};

/// Reads machine events and task events of the Google trace of 2011 as a workload: every submission of a task
/// is a job of one task, named by its job. Files, servers and names are as of import_google2011.
///
/// Times count from the beginning of the trace, whose timestamps are 600 s larger; the span ends with the
/// last task event. A task that ran before the trace is submitted at 0.
///
/// Runtimes: start to end, measured, where both are in the trace. Cut (Runtime::cut): what ran before the
/// trace and ends in it, for what is left of it there; what outlives it, or never starts in it, with a drawn
/// life (src/traces/lifetimes.hpp). Drawn in this order: machines, users, jobs, lives.
///
/// Left out, with a notice: submissions that are withdrawn before they start, that ask for nothing, or that
/// fit on no server; rows that do not follow from the ones before. Errors name file, line and column: a
/// truncated or damaged file, a wrong number of columns, a bad or negative number, an unknown event, times
/// that go backwards, an empty file; no file of a kind; more to draw than there is; nothing left; no task
/// that ends.
Result<WorkloadImport> import_google2011_workload(const std::vector<std::string>& paths,
                                                  const Google2011WorkloadOptions& options, Random& random,
                                                  const ReadProgress& progress = {});

}  // namespace mirab::traces
