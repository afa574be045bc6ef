// What must hold before jobs are divided: once, for all mechanisms.
#include "lab/simulation/reallocation.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <span>

#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/workload_check.hpp"
#include "lab/simulation/reallocation/division.hpp"
#include "model/names.hpp"
#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

/// Of a run: a limit on memory, as every server keeps its means over the window, one for each interval.
constexpr std::int64_t kMostIntervals = 1'000'000;

}  // namespace

Check check_reallocation(const Problem& cluster, const Workload& workload,
                         const ReallocationOptions& options) {
  if (options.mechanisms.empty())
    return Error{.message = "there must be at least one mechanism", .key = "mechanisms"};
  if (options.interval <= Duration::zero())
    return Error{.message = "must be greater than 0", .key = "interval"};
  if (options.window <= Duration::zero()) return Error{.message = "must be greater than 0", .key = "window"};
  if (Check wrong = check_workload(cluster, workload)) return wrong;
  if (workload.span / options.interval >= kMostIntervals)
    return Error{
        .message = fmt::format("is too short: the trace must have less than {} of them", kMostIntervals),
        .key = "interval"};
  return {};
}

// What a run reports of its use of the servers: means over the span, and moving averages at each interval's
// end.

namespace {

// Used over capacity, of one kind of server; 0 of a resource that it lacks.
std::vector<double> parts_of(const Server& server, std::span<const double> used) {
  std::vector<double> parts;
  for (std::size_t r = 0; r < used.size(); ++r) {
    const double capacity = static_cast<double>(server.count) * server.capacity[r].value();
    parts.push_back(capacity > 0 ? used[r] / capacity : 0);
  }
  return parts;
}

std::vector<Duration> interval_ends(Duration interval, Duration span) {
  std::vector<Duration> ends;
  for (Duration end = interval; end < span; end += interval) ends.push_back(end);
  ends.push_back(span);
  return ends;
}

}  // namespace

void report_use(const Problem& cluster, const ServerKinds& kinds, const ReallocationOptions& options,
                Duration span, const StepIntegral& steps, ReallocationOutcome& outcome) {
  const std::size_t m = cluster.resource_count();
  for (const Server& server : cluster.servers())
    outcome.servers.push_back({.name = server.name, .count = server.count, .mean = {}, .moving = {}});
  // Servers of a kind are used alike.
  const auto part = [&](const std::vector<double>& means, std::size_t i) {
    const std::size_t kind = kinds.kind_of[i];
    return parts_of(kinds.servers[kind], std::span(means).subspan(kind * m, m));
  };
  const std::vector<double> over_all = steps.mean(Duration::zero(), span);
  for (std::size_t i = 0; i < outcome.servers.size(); ++i) outcome.servers[i].mean = part(over_all, i);
  outcome.mean_active = over_all.back();
  for (const Duration end : interval_ends(options.interval, span)) {
    const std::vector<double> means = steps.mean(std::max(Duration::zero(), end - options.window), end);
    for (std::size_t i = 0; i < outcome.servers.size(); ++i)
      outcome.servers[i].moving.push_back(part(means, i));
    outcome.active.push_back(means.back());
    outcome.times.push_back(in_seconds(end));
  }
}

// Divisible jobs on a cluster whose resources are divided again every interval and at each job's end.
//
// Source: Ravi Kiran and Srinuvas, An Appropriate Parameterized Utility Technique On Heterogeneous Server
// Dependencies, "Adjusting the resource utilization". Job n has work q_n and runs at rate x_n, what the
// mechanism gives it, until the next division; between divisions nothing changes, so use and work are
// integrals of steps and are exact but for the rounding of a job's end up to a whole nanosecond. Example: one
// server of one CPU, jobs of 1 s and 3 s of one CPU: both at rate 1/2 until 2 s, then the second alone until
// 4 s. Cost: one solution for each division among other claims than before; O(claimants) for the others.

namespace {

// A claimant with the job that it works at.
struct Served {
  Claim claim;
  std::uint32_t job;
  double rate = 0;                 // x_n
  Duration end = Duration::max();  // of the job, at this rate
};

// One mechanism's run.
struct Run {
  const ServerKinds& kinds;
  const Workload& workload;
  const ReallocationOptions& options;
  const Choice& mechanism;
  std::vector<std::deque<std::uint32_t>> queues;  // jobs that are there, [claimant]; the first is served
  std::size_t arrived = 0;                        // jobs that were let in
  std::vector<Served> served = {};                // by claimant
  std::vector<Claim> claims = {};                 // to which `shares` belong
  DividedShares shares = {};
  Duration now{};
  StepIntegral steps;  // the use of each kind of server and resource, then the number of claimants
  ReallocationOutcome outcome;
};

double work_of(const Job& job) { return static_cast<double>(job.tasks) * in_seconds(job.runtime); }

std::uint32_t claimant_of(const Run& run, std::uint32_t job) {
  return run.options.claimant == Claimant::job ? job : run.workload.jobs[job].user;
}

Served first_of(const Run& run, std::uint32_t claimant) {
  const std::uint32_t index = run.queues[claimant].front();
  const Job& job = run.workload.jobs[index];
  return {.claim = {.claimant = claimant, .user = job.user, .request = job.request}, .job = index};
}

// Lets in what has been submitted.
void admit(Run& run) {
  const std::vector<Job>& jobs = run.workload.jobs;
  for (; run.arrived < jobs.size() && jobs[run.arrived].submitted <= run.now; ++run.arrived) {
    const auto job = static_cast<std::uint32_t>(run.arrived);
    const std::uint32_t claimant = claimant_of(run, job);
    run.queues[claimant].push_back(job);
    if (run.queues[claimant].size() > 1) continue;
    const auto before = [](const Served& one, std::uint32_t other) { return one.claim.claimant < other; };
    const auto place = std::lower_bound(run.served.begin(), run.served.end(), claimant, before);
    run.served.insert(place, first_of(run, claimant));
  }
}

// Counts what the mechanism said of its solution.
void record(Run& run) {
  ReallocationOutcome& outcome = run.outcome;
  ++outcome.solved;
  outcome.solver_seconds += run.shares.seconds;
  if (run.shares.status == Status::not_converged) ++outcome.not_converged;
  if (outcome.solved == 1 || run.shares.certificate.value > outcome.worst.value)
    outcome.worst = run.shares.certificate;
  for (const std::string& notice : run.shares.notices) {
    if (std::count(outcome.notices.begin(), outcome.notices.end(), notice) == 0)
      outcome.notices.push_back(notice);
  }
}

Duration end_at(const Run& run, const Served& one) {
  const ReallocatedJob& job = run.outcome.jobs[one.job];
  const double left_ns = std::max(1.0, std::ceil((job.work - job.done) / one.rate * 1e9));
  const auto span_ns = static_cast<double>((run.workload.span - run.now).count());
  return left_ns <= span_ns ? run.now + Duration(static_cast<std::int64_t>(left_ns)) : Duration::max();
}

// Decides the rates of all that are served.
Check divide_anew(Run& run) {
  if (run.served.empty()) return {};
  ++run.outcome.divisions;
  std::vector<Claim> claims;
  for (const Served& one : run.served) claims.push_back(one.claim);
  if (claims != run.claims) {
    Result<DividedShares> shares = divide(run.kinds, run.workload.users, run.mechanism, claims);
    if (!shares) return shares.error();
    run.claims = std::move(claims);
    run.shares = *std::move(shares);
    record(run);
  }
  for (std::size_t n = 0; n < run.served.size(); ++n) {
    run.served[n].rate = run.shares.tasks[n];
    run.served[n].end = end_at(run, run.served[n]);
  }
  return {};
}

Duration next_moment(const Run& run) {
  const Duration interval = run.options.interval;
  Duration next = std::min(run.workload.span, (run.now / interval + 1) * interval);
  if (run.options.new_jobs == NewJobs::reallocate && run.arrived < run.workload.jobs.size())
    next = std::min(next, run.workload.jobs[run.arrived].submitted);
  for (const Served& one : run.served) next = std::min(next, one.end);
  return next;
}

// All claimants work until then; one that is ready takes up its next job or goes.
void work_until(Run& run, Duration then) {
  std::vector<double> values(run.kinds.servers.size() * run.kinds.resources.size());
  if (!run.served.empty()) values = run.shares.used;
  values.push_back(static_cast<double>(run.served.size()));
  run.steps.hold(values, then);
  std::vector<Served> still;
  for (const Served& one : run.served) {
    ReallocatedJob& job = run.outcome.jobs[one.job];
    job.done = std::min(job.work, job.done + one.rate * in_seconds(then - run.now));
    std::deque<std::uint32_t>& queue = run.queues[one.claim.claimant];
    if (one.end == then) {
      job.done = job.work;
      job.completed = then;
      queue.pop_front();
    }
    if (!queue.empty()) still.push_back(first_of(run, one.claim.claimant));
  }
  run.served = std::move(still);
  run.now = then;
}

Result<ReallocationOutcome> play(const Problem& cluster, const ServerKinds& kinds, const Workload& workload,
                                 const ReallocationOptions& options, const Choice& mechanism) {
  const std::size_t claimants =
      options.claimant == Claimant::job ? workload.jobs.size() : workload.users.size();
  Run run{.kinds = kinds,
          .workload = workload,
          .options = options,
          .mechanism = mechanism,
          .queues = std::vector<std::deque<std::uint32_t>>(claimants),
          .steps = StepIntegral(kinds.servers.size() * kinds.resources.size() + 1),
          .outcome = {.mechanism = mechanism.text}};
  for (const Job& job : workload.jobs) run.outcome.jobs.push_back({.work = work_of(job)});
  while (run.now < workload.span) {
    admit(run);
    if (Check wrong = divide_anew(run)) return *std::move(wrong);
    work_until(run, next_moment(run));
  }
  report_use(cluster, kinds, options, workload.span, run.steps, run.outcome);
  return std::move(run.outcome);
}

bool honours_placement(const Choice& mechanism) {
  const Mechanism* const row = find_mechanism(mechanism.name);
  return row != nullptr && row->accepts.placement;
}

// The jobs whose request has placement constraints, by name.
std::vector<std::string_view> constrained_jobs(const Workload& workload) {
  std::vector<std::string_view> names;
  for (const Job& job : workload.jobs) {
    const Request& request = workload.requests[job.request];
    if (request.servers || !request.select.empty()) names.push_back(job.name);
  }
  return names;
}

// A mechanism that honours no constraints gets none, and one notice says so, not one for each division.
Result<ReallocationOutcome> play_what_it_honours(const Problem& cluster, const ServerKinds& kinds,
                                                 const Workload& workload, const ReallocationOptions& options,
                                                 const Choice& mechanism) {
  constexpr std::size_t kMaxNamed = 3;  // in one line
  const std::vector<std::string_view> constrained = constrained_jobs(workload);
  if (constrained.empty() || honours_placement(mechanism))
    return play(cluster, kinds, workload, options, mechanism);
  Result<ReallocationOutcome> outcome =
      play(cluster, without_constraints(kinds), workload, options, mechanism);
  if (outcome) {
    outcome->notices.push_back(fmt::format(
        "{} does not honour the placement constraints (servers, select) of {}: {}", mechanism.text,
        constrained.size() == 1 ? "1 job" : fmt::format("{} jobs", constrained.size()),
        first_names(constrained, kMaxNamed)));
  }
  return outcome;
}

}  // namespace

Result<std::vector<ReallocationOutcome>> reallocate(const Problem& cluster, const Workload& workload,
                                                    const ReallocationOptions& options, int threads,
                                                    const Progress& progress) {
  if (Check wrong = check_reallocation(cluster, workload, options)) return *std::move(wrong);
  const Result<ServerKinds> kinds = server_kinds(cluster, workload);
  if (!kinds) return kinds.error();
  std::vector<Result<ReallocationOutcome>> runs(options.mechanisms.size(), ReallocationOutcome());
  sweep(
      runs.size(), threads,
      [&](std::size_t m) {
        runs[m] = play_what_it_honours(cluster, *kinds, workload, options, options.mechanisms[m]);
      },
      progress);
  std::vector<ReallocationOutcome> outcomes;
  for (Result<ReallocationOutcome>& run : runs) {
    if (!run) return std::move(run).error();
    outcomes.push_back(*std::move(run));
    if (!workload.changes.empty()) outcomes.back().notices.emplace_back(kChangesLeftOut);
  }
  return outcomes;
}

}  // namespace mirab::simulation
