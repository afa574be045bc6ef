#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <mirab/model/result.hpp>

#include "lab/traces/workload_import.hpp"

namespace mirab::traces {

/// What of a log becomes a workload, and on what.
struct SwfOptions {
  std::optional<std::int64_t> processors = {};  ///< ≥ 1; single processors, in place of the head's
  std::optional<std::int64_t> days = {};  ///< ≥ 1; only the jobs submitted within these days of the first
};

/// Reads a log in the Standard Workload Format (version 2.2: 18 fields, `;` begins a comment, -1 is unknown),
/// gzip or plain.
///
/// Servers: `nodes`, MaxNodes of them with MaxProcs / MaxNodes CPUs each, if that is whole, and MaxMemory KB
/// for each CPU, or MaxProcs of one CPU where the head names no nodes. Memory is a resource where the head
/// names MaxMemory.
///
/// Jobs: a task of one CPU for each processor (requested, or else allocated), all of which start together;
/// memory of a task is what is requested of one processor, or else used. Times count from the first
/// submission; the span ends with the last job. Runtimes are measured; 0 s counts as 1 s.
///
/// Left out, with a notice: jobs that never ran or whose end is unknown (a negative runtime), without
/// processors, that have more processors than there are, or whose task fits on no node; the parts of a job
/// that was interrupted (status 2 to 4), whose sum stands in the log too. Errors name file, line and field.
Result<WorkloadImport> import_swf(const std::string& log, const SwfOptions& options);

/// Reads `wagap-2013`, a log of MetaCentrum in that format with 21 fields, and its list of machines (number,
/// name, how many, CPUs, 1, KB of each; tabs between them).
///
/// Field 10 is the memory of a node in bytes, field 21 what is asked for: `8:ppn=8:x86_64:cl_zegox`, the
/// number of nodes, the CPUs of each, and properties. A job has a task a node, all of which start together;
/// of `A+B` each part is a job. Servers carry the labels `cluster` and `cpus`; `cl_name` and `nodecpus80`
/// become a `select`, `^cl_name` the others; a host that is wanted by name, its cluster. What else is asked
/// for is counted in notices. Otherwise as import_swf; `processors` says nothing here.
Result<WorkloadImport> import_wagap2013(const std::string& log, const std::string& machine_list,
                                        const SwfOptions& options = {});

}  // namespace mirab::traces
