#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

#include "lab/simulation/base/replications.hpp"

namespace mirab::simulation {

/// Who is a user of the mechanism.
enum class Claimant {
  job,   ///< every job for itself, with the weight of its user
  user,  ///< every user of the workload, with its jobs one after another
};

/// When, besides every interval and each job's end, resources are divided again.
enum class NewJobs {
  wait,        ///< what is submitted begins with the next division
  reallocate,  ///< a submission is a reason to divide
};

struct ReallocationOptions {
  std::vector<Choice> mechanisms;
  Duration interval = std::chrono::minutes(5);  ///< > 0
  Duration window = std::chrono::hours(1);      ///< of the moving averages, > 0
  Claimant claimant = Claimant::job;
  NewJobs new_jobs = NewJobs::wait;
};

/// What a scenario file of this kind says (docs/reference/simulate.md):
///
///     kind: reallocation
///     cluster: google2011.yaml
///     workload: google2011.workload
///     mechanisms: [ps-dsf, drfh, "alpha-pf-vds:alpha=3"]
///     interval: 5min           # optional, as are those below
///     window: 1h
///     claimant: job            # or user
///     new_jobs: wait           # or reallocate
struct ReallocationScenario {
  std::string cluster;                 ///< file, as it can be opened
  std::string workload;                ///< idem
  std::optional<Duration> duration{};  ///< of the trace, what comes later is left out; > 0
  ReallocationOptions options;
};

/// What became of a job of the workload, in the workload's order.
struct ReallocatedJob {
  double work = 0;                         ///< q_n, in seconds of one task
  double done = 0;                         ///< of it, when the workload's span ends
  std::optional<Duration> completed = {};  ///< when it ended, since the start of the trace
};

/// How much of an entry of the cluster is used, per resource: 0 of a resource that it lacks. [m]
struct ClassUse {
  std::string name;
  std::int64_t count = 1;
  std::vector<double> mean;                 ///< over the workload's span
  std::vector<std::vector<double>> moving;  ///< mean over the window that ends at times[t]: [t][m]
};

/// One mechanism's reallocations.
struct ReallocationOutcome {
  std::string mechanism;  ///< as it was asked for
  std::vector<ReallocatedJob> jobs = {};
  std::vector<double> times = {};      ///< seconds: every interval's end, the last at the end of the span
  std::vector<ClassUse> servers = {};  ///< by entry of the cluster
  std::vector<double> active = {};  ///< claimants that have work, mean over the window that ends at times[t]
  double mean_active = 0;           ///< the same over the span
  std::int64_t divisions = 0;       ///< moments at which a share was decided
  std::int64_t solved = 0;          ///< of them, those that differ from the one before and were computed
  std::int64_t not_converged = 0;   ///< of these, those that ended without their certificate
  Certificate worst = {};           ///< the largest certificate of all that were computed
  double solver_seconds = 0;        ///< spent in the mechanism: a field that holds a time
  std::vector<std::string> notices = {};
};

/// Plays a workload of divisible jobs on a cluster, once for each mechanism, side by side on `threads`
/// threads, whose number changes nothing but solver_seconds.
///
/// Source: Ravi Kiran and Srinuvas, An Appropriate Parameterized Utility Technique On Heterogeneous Server
/// Dependencies, "Adjusting the resource utilization". A job's work is q_n = tasks · runtime quanta, a
/// quantum being one task's demand for a second; while the mechanism gives it x_n tasks it works at rate x_n,
/// without limit by its number of tasks, and a share that does not change ends it after q_n / x_n. Shares are
/// decided again every interval and at each job's end, by `allocate` on the claimants that have work. Only
/// the cluster's servers count: its users and the workload's changes of servers are left out, the latter with
/// a notice, as are what tasks really use (Workload::usages).
///
/// Errors: no mechanism, an interval or window of no length, a million intervals or more, a workload that
/// is not sound or whose resources are not the cluster's (`jobs[3].user`), a
/// request that fits no server, input that a mechanism cannot honour. The cost is that of the mechanism times
/// `solved`, plus O(divisions · (claimants + K m)).
Result<std::vector<ReallocationOutcome>> reallocate(const Problem& cluster, const Workload& workload,
                                                    const ReallocationOptions& options, int threads,
                                                    const Progress& progress = {});

}  // namespace mirab::simulation
