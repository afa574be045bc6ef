#pragma once

#include <string>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab::traces::google2011 {

/// The part files of the two tables, in the order in which they are read.
struct TraceFiles {
  std::vector<std::string> machine_events;
  std::vector<std::string> task_events;
  std::vector<std::string> passed_over;  ///< named by the caller, of the trace, and not needed
};

/// Sorts files into tables by their names. A file belongs to the table with which its own name begins
/// (`task_events-part-00000-of-00500.csv.gz`), or else its folder's
/// (`task_events/part-00000-of-00500.csv.gz`). Of a folder, the .csv and .csv.gz files in it and in the
/// folders directly in it that belong to a table are taken, in the order of their names. The trace's other
/// tables, checksums and descriptions are passed over. Errors: a path that does not exist or is nothing of
/// the trace; a table without a file.
Result<TraceFiles> find_trace_files(const std::vector<std::string>& paths);

}  // namespace mirab::traces::google2011
