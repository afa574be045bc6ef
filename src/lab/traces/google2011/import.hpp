#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>

#include "lab/traces/workload_import.hpp"

namespace mirab::traces {

/// On which machines a user's tasks may run.
enum class Confinement {
  none,             ///< on all
  drawn_platforms,  ///< on those of one, two or three platforms, drawn for each user
};

/// Which part of the trace becomes a cluster. A number to draw is at least 1; without a value: all.
struct Google2011Options {
  std::optional<std::size_t> sample_machines;  ///< how many machines to draw, without replacement
  std::optional<std::size_t> sample_users;     ///< how many users to draw, without replacement
  Confinement confinement = Confinement::none;
};

/// A cluster from the trace, and what was left out on the way.
struct Google2011Import {
  Cluster cluster;           ///< resources cpu and memory, relative to the largest machine of the trace
  std::size_t machines = 0;  ///< at time 0 with a known capacity, drawn or not
  std::size_t users = 0;     ///< with a task that fits on one of the servers, drawn or not

  /// Lines for the head of a file: attribution, licence, what was drawn, the seed.
  std::vector<std::string> provenance;

  /// What was left out, a sentence each: rows without a request, users whose tasks fit nowhere, …
  std::vector<std::string> notices;
};

/// Called now and then with the bytes read so far, and those of all files, as they are on the disk
/// (compressed).
using ReadProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Reads machine_events and task_events (CSV, gzip or plain, any number of part files) of ClusterData2011_2,
/// and draws a cluster from them as Östman does (section 5.1).
///
/// `paths`: files, in the order of the trace, and folders, whose part files are read in the order of their
/// names. A file is known by its name or by its folder's: `machine_events…`, `task_events…`.
///
/// Servers: the machines present at time 0 with some cpu and memory. All of them: one entry for each platform
/// and capacity, with a count, named `b-0.5-0.2493`. A sample: one entry for each drawn machine, named
/// `m-38709`, in the order of the ids. Both have the label `platform`: a, b or c, from small machines to
/// large, or the start of the hash of any other platform. The trace tells no disk capacity, so there is no
/// disk here; machine attributes and task constraints are not read.
///
/// Users: in the order in which they first appear, named by the start of their hash, `u-70s3v5qR`. Each has
/// endless demand for the request of one of its tasks, drawn uniformly among those that fit on one of the
/// servers. A task's request is that of its first event that asks for something. With
/// `Confinement::drawn_platforms`, of the p platforms that have a server on which that task fits, each number
/// from 1 to min(p, 3) is as likely as any other, and so is each choice of that number; a user whose choice
/// leaves a platform out has a `select`. Drawn in this order: machines, users, a task a user, platforms a
/// user.
///
/// Errors name file and line: a truncated or damaged file, a wrong number of columns, a bad number, an empty
/// file; no file of a kind; more to draw than there is. Time O(rows), memory O(distinct tasks), about 50
/// bytes each.
Result<Google2011Import> import_google2011(const std::vector<std::string>& paths,
                                           const Google2011Options& options, Random& random,
                                           const ReadProgress& progress = {});

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
/// life (src/lab/traces/lifetimes.hpp). Drawn in this order: machines, users, jobs, lives.
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
