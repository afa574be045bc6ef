#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>
#include <mirab/scheduling/engine.hpp>

#include "lab/simulation/base/replications.hpp"
#include "model/teams_file.hpp"

namespace mirab::simulation {

/// Who holds back the tasks that wait.
enum class ReplayQueue {
  engine,  ///< none: they are the engine's at once
  easy,    ///< EASY backfilling, replay/easy.hpp: the engine has them when they start
};

/// Who is served next and where: one engine, and what stands before it.
struct ReplayContender {
  Choice discipline;  ///< its text may be a name that replays alone know
  Choice placement;
  ReplayQueue queue = ReplayQueue::engine;
  std::optional<Duration> half_life = {};
  std::optional<scheduling::Reserving> reservations = {};
  std::optional<scheduling::Preempting> preemption = {};
};

/// A discipline by a name that replays have, in addition to those of disciplines().
struct ReplayDiscipline {
  DisciplineInfo info;
  std::string_view of_engine;  ///< what the engine is given for it
  ReplayQueue queue;
};

/// The baselines of papers on logs: `fcfs` and `easy`.
std::span<const ReplayDiscipline> replay_disciplines();

/// The discipline of a contender by its name: one of the engine's or of replay_disciplines(). Errors as of
/// choose_discipline().
Result<ReplayContender> choose_contender(std::string_view discipline);

/// What it asks of the engine besides a discipline and a placement; empty for nothing.
std::string options_text(const ReplayContender& contender);
/// What distinguishes it from others: its discipline, and its options.
std::string contender_text(const ReplayContender& contender);

/// What is cut or multiplied before the replay. Each > 0; 1 changes nothing. See docs/explanation/replay.md.
struct ReplayScale {
  double machines = 1;  ///< of all machines, each entry of the cluster in proportion
  double users = 1;     ///< below 1 users are drawn, above 1 copied with their jobs
  double load = 1;      ///< arrival times, and the span, are divided by it
};

/// When a replay ends.
enum class ReplayUntil {
  span,     ///< with the trace; at the very end nothing starts
  drained,  ///< when nothing runs any more and nothing is to come, but not before the trace ends
};

struct ReplayOptions {
  std::vector<ReplayContender> contenders;
  ReplayScale scale = {};
  ReplayUntil until = ReplayUntil::span;
  std::size_t samples = 400;  ///< of every series over time; ≥ 1. Until drained up to twice as many
  bool keeps_jobs = false;    ///< ReplayOutcome::jobs
  Teams teams = {};           ///< members are the workload's users; without any all users are alike
};

/// A step of an empirical distribution function: this part of the values is at most `value`.
struct CdfStep {
  double value = 0;
  double part = 0;  ///< in (0, 1]

  friend bool operator==(const CdfStep&, const CdfStep&) = default;
};

inline constexpr std::size_t kCdfSteps = 400;       // of all tasks: more than a chart has pixels
inline constexpr std::size_t kCdfStepsOfUser = 40;  // there may be thousands of users

/// Mean, quantiles (the ⌈q n⌉-th smallest of n, exactly) and maximum of something that tasks have, in seconds
/// or without unit. All 0 of no tasks.
struct Quantiles {
  std::int64_t count = 0;
  double mean = 0, p10 = 0, p50 = 0, p90 = 0, p99 = 0, most = 0;
  std::vector<CdfStep> cdf = {};  ///< ascending in both; the last is (most, 1)

  friend bool operator==(const Quantiles&, const Quantiles&) = default;
};

/// What became of tasks, one user's or all: submitted = finished + still_running + still_waiting.
struct ReplayTally {
  std::int64_t submitted = 0;  ///< without the oversized ones
  std::int64_t started = 0;    ///< ran at least once: finished, running, or lost and waiting again
  std::int64_t finished = 0;
  std::int64_t still_running = 0;  ///< at the end
  std::int64_t still_waiting = 0;  ///< at the end
  std::int64_t lost = 0;           ///< runs that ended with their server; each time the task waited again
  std::int64_t preempted = 0;      ///< runs that ended so that another task could start; the same
  std::int64_t oversized = 0;      ///< left out, since they fit on no server of the trace, even an empty one
  std::int64_t cut = 0;            ///< of those submitted, tasks whose runtime was drawn (Runtime::cut)

  Quantiles waiting;         ///< of finished and running tasks: submission to the last start, seconds
  Quantiles slowdown;        ///< completion / runtime, of finished tasks
  Quantiles completion;      ///< of finished tasks: submission to end, seconds
  Quantiles waiting_so_far;  ///< of tasks that still wait at the end: since their submission, seconds

  friend bool operator==(const ReplayTally&, const ReplayTally&) = default;
};

/// What became of jobs, each counted once, however many tasks it has.
struct ReplayJobTally {
  std::int64_t submitted = 0;  ///< without the oversized ones
  std::int64_t started = 0;    ///< some task of it ran
  std::int64_t finished = 0;   ///< all its tasks

  Quantiles waiting;     ///< of started jobs: submission to the first start of a task, seconds
  Quantiles completion;  ///< of finished jobs: submission to the end of the last task, seconds

  friend bool operator==(const ReplayJobTally&, const ReplayJobTally&) = default;
};

/// What became of one user.
struct ReplayUser : ReplayTally {
  std::string name;
  double share = 0;       ///< dominant share, mean over time
  double unfairness = 0;  ///< its part of ReplayOutcome::unfairness, seconds
  double starvation = 0;  ///< the longest time with waiting tasks and none that ran, seconds
  bool starved = false;   ///< had waiting tasks, and never one that ran

  friend bool operator==(const ReplayUser&, const ReplayUser&) = default;
};

/// What became of a team: a group with all users below it.
struct ReplayTeam : ReplayTally {
  std::string name;
  std::string parent;  ///< empty: the cluster
  double weight = 1;
  double share = 0;  ///< dominant share of what all its users hold together, mean over time

  friend bool operator==(const ReplayTeam&, const ReplayTeam&) = default;
};

/// What became of a job: a row of the workload, for one of the users who submit it.
struct ReplayJobOutcome {
  std::string name;                                   ///< as the trace calls it
  std::uint32_t user = 0;                             ///< index into ReplayOutcome::users
  std::int64_t tasks = 0, started = 0, finished = 0;  ///< started: ran at least once
  double submitted = 0;                               ///< seconds, as all times here
  double runtime = 0;                                 ///< of each task
  std::optional<double> first_start = {};             ///< of any of its tasks
  std::optional<double> last_end = {};                ///< when its last task ended; none while some have not

  friend bool operator==(const ReplayJobOutcome&, const ReplayJobOutcome&) = default;
};

/// Something over time, on the grid ReplayOutcome::times.
struct Series {
  std::string name;
  std::vector<double> values;

  friend bool operator==(const Series&, const Series&) = default;
};

/// One contender's replay, and all its tasks. docs/explanation/replay.md defines every number.
struct ReplayOutcome : ReplayTally {
  std::string discipline, placement;
  std::vector<ReplayUser> users;  ///< in the order of the workload, copies after their originals
  std::vector<ReplayTeam> teams;  ///< in the order of the teams file; none without one

  std::vector<ReplayJobOutcome> jobs;  ///< by time of submission, where they are kept; without oversized ones

  std::vector<std::string> resources;
  std::vector<double> utilization;  ///< ∫ granted / ∫ capacity, [resource]
  std::vector<double> used;  ///< ∫ really used / ∫ capacity, [resource]; empty when no job has a usage
  double unfairness = 0;     ///< share-weighted, integrated over time, seconds
  double starvation = 0;     ///< the longest of any user, seconds
  std::size_t starved = 0;   ///< users
  double mean_waiting_tasks = 0;  ///< over time
  double mean_running_tasks = 0;  ///< the same
  double end = 0;                 ///< when the replay ended, seconds
  std::int64_t events = 0;        ///< submitted jobs, ended tasks, server changes
  std::int64_t placements = 0;    ///< starts of tasks
  ReplayJobTally of_jobs;         ///< whose tasks `submitted` counts

  std::vector<double> times;  ///< the grid of all series, seconds
  /// `waiting` and `running` (tasks), `users` (with demand), `jain`, `gini`, `min_share`, `unfairness`,
  /// `fragmentation`.
  std::vector<Series> series;
  std::vector<Series> utilization_over_time;  ///< by resource: granted over capacity
  std::vector<Series> used_over_time;         ///< by resource: really used over capacity; may be empty
  std::vector<Series> shares;                 ///< dominant shares of the users who ask for most, by name
  std::vector<Series> share_bands;            ///< `p10`, `p50`, `p90` of the other users with demand
  std::vector<Series> team_shares;            ///< dominant shares of the teams, by name
  std::vector<std::string> notices;           ///< amounts that had to be rounded, machines that were cut

  friend bool operator==(const ReplayOutcome&, const ReplayOutcome&) = default;
};

/// Plays a workload on a cluster's servers (its users are not looked at), once for each contender, side by
/// side on `threads` threads, whose number changes nothing. A workload's user is one that submits to the
/// engine. Events go to the engine in the order of their times, at one time ends of tasks first, then changes
/// of servers, then submissions; then it places until nothing more is placed.
///
/// Errors: no contenders, an unknown one; a factor that is not above 0; a resource of one file that the other
/// does not know; a job, request or change of the workload that is not sound (`jobs[3].user`). Cost of one
/// contender: O(events (the engine's + log running tasks)), O(users + servers) more for each sample and each
/// change of a server; memory O(tasks + users × samples of the largest).
///
/// With teams the engine has their groups, where the discipline honours groups; elsewhere a notice says that
/// it does not. A copy of a user is in the user's team. Guarantees, limits and reserves are scaled as the
/// machines are.
Result<std::vector<ReplayOutcome>> replay(const Problem& cluster, const Workload& workload,
                                          const ReplayOptions& options, std::uint64_t seed, int threads,
                                          const Progress& progress = {});

/// Mean, quantiles and maximum of the values; all 0 of none. Exact, by sorting. O(n log n). Of more than
/// `most_steps` values the distribution function has as many steps, at evenly spaced ranks; each lies on it.
Quantiles quantiles_of(std::vector<double> values, std::size_t most_steps = kCdfSteps);

/// The ⌈q n⌉-th smallest of n values in ascending order, the first for q = 0: the inverse of their empirical
/// distribution (Hyndman and Fan 1996, type 1). Requires n ≥ 1 and 0 ≤ q ≤ 1.
double quantile(const std::vector<double>& ascending, double q);

}  // namespace mirab::simulation
