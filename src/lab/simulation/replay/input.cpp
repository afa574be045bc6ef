// The tasks for which fragmentation is measured. Weng et al. (FGD, USENIX ATC 2023, section 4.2) take the
// kinds of tasks that a workload has most; here a systematic sample (Cochran, Sampling Techniques, chapter 8)
// of all tasks in the order of their size is taken: the ⌈(k + ½) T / 64⌉-th smallest of T for k = 0 … 63. So
// small and large tasks are there as often as they are submitted, and nothing is drawn.
#include "lab/simulation/replay/input.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "fairness/share.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/workload_check.hpp"
#include "lab/simulation/replay/machines.hpp"
#include "model/exact.hpp"
#include "model/label_values.hpp"
#include "scheduling/fill/integer_problem.hpp"

namespace mirab::simulation {

bool may_use(const scheduling::JobSubmitted& task, const MachineKind& kind) {
  if (task.servers && std::find(task.servers->begin(), task.servers->end(), kind.name) == task.servers->end())
    return false;
  return has_selected_values(kind.labels, task.select);
}

bool fits_empty(const scheduling::JobSubmitted& task, const MachineKind& kind, const Amounts& capacity) {
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    if (task.demand[r] > capacity[r]) return false;
  }
  return may_use(task, kind);
}

std::vector<double> dominant_parts(const ReplayInput& input) {
  std::vector<double> pool(input.resources.size(), 0.0);
  const auto add = [&](std::uint32_t kind) {
    for (std::size_t r = 0; r < pool.size(); ++r) pool[r] += static_cast<double>(input.capacity[kind][r]);
  };
  for (const std::uint32_t kind : input.machines.first) add(kind);
  if (input.machines.first.empty()) {
    for (const MachineChange& change : input.machines.changes) {
      if (change.kind == ServerChange::Kind::up) add(change.becomes);
    }
  }
  std::vector<double> parts;
  for (const scheduling::JobSubmitted& request : input.requests)
    parts.push_back(fairness::dominant_share<double>(request.demand, pool));
  return parts;
}

std::vector<TypicalTask> typical_tasks(const ReplayInput& input, const std::vector<double>& parts) {
  std::vector<double> tasks(input.requests.size(), 0.0);
  for (const ReplayJob& job : input.jobs) tasks[job.request] += static_cast<double>(job.tasks);
  std::vector<std::size_t> order(input.requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a] < parts[b]; });
  std::erase_if(order, [&](std::size_t request) { return tasks[request] == 0; });
  const double total = std::accumulate(tasks.begin(), tasks.end(), 0.0);

  std::vector<TypicalTask> typical;
  double passed = 0;  // tasks before the request and of it
  std::size_t drawn = 0;
  for (const std::size_t request : order) {
    passed += tasks[request];
    TypicalTask task{.demand = input.requests[request].demand, .popularity = 0, .may_use = {}};
    for (; drawn < kTypical && (static_cast<double>(drawn) + 0.5) / kTypical * total <= passed; ++drawn)
      task.popularity += 1.0 / kTypical;
    if (task.popularity == 0) continue;
    for (const MachineKind& kind : input.machines.kinds)
      task.may_use.push_back(may_use(input.requests[request], kind));
    typical.push_back(std::move(task));
  }
  return typical;
}

// A workload and a cluster, scaled and counted in whole units, so that every contender plays the same.

namespace {

std::vector<ServerChange> changes_in_order(std::vector<ServerChange> changes,
                                           const std::vector<std::size_t>& order) {
  for (ServerChange& change : changes) {
    if (!change.capacity.empty()) change.capacity = reordered(change.capacity, order);
  }
  return changes;
}

std::vector<Usage> usages_in_order(std::vector<Usage> usages, const std::vector<std::size_t>& order) {
  for (Usage& usage : usages) {
    for (std::vector<double>& step : usage.of) {
      std::vector<double> in_order;
      for (const std::size_t place : order) in_order.push_back(step[place]);
      step = std::move(in_order);
    }
  }
  return usages;
}

/// How many machines of each kind are up at first or come, [kind]: at least as many as are ever up at once.
std::vector<std::int64_t> machines_by_kind(const Machines& machines) {
  std::vector<std::int64_t> counts(machines.kinds.size(), 0);
  for (const std::uint32_t kind : machines.first) ++counts[kind];
  for (const MachineChange& change : machines.changes) {
    if (change.kind == ServerChange::Kind::up) ++counts[change.becomes];
  }
  return counts;
}

/// Counts capacities and demands, exactly where some power of ten allows it.
void count_units(const std::vector<ResourceVector>& demands, ReplayInput& input) {
  const std::vector<std::int64_t> counts = machines_by_kind(input.machines);
  input.capacity.resize(input.machines.kinds.size());
  for (std::size_t r = 0; r < input.resources.size(); ++r) {
    std::vector<scheduling::Offered> offered;
    std::vector<Quantity> asked;
    for (std::size_t k = 0; k < counts.size(); ++k)
      offered.push_back(
          {.amount = input.machines.kinds[k].capacity[r], .count = std::max<std::int64_t>(counts[k], 1)});
    for (const ResourceVector& demand : demands) asked.push_back(demand[r]);
    const scheduling::Unit unit = scheduling::choose_unit(offered, asked);

    input.unit.push_back(std::pow(10.0, unit.exponent));
    for (std::size_t k = 0; k < counts.size(); ++k)
      input.capacity[k].push_back(scheduling::units_offered(offered[k].amount, unit));
    for (std::size_t i = 0; i < asked.size(); ++i)
      input.requests[i].demand.push_back(scheduling::units_asked(asked[i], unit));
    if (!unit.exact)
      input.notices.push_back(
          fmt::format("{}: the amounts have too many digits between them to be counted exactly; counted in "
                      "units of 1e{}, "
                      "with demands rounded up and capacities down",
                      input.resources[r], unit.exponent));
  }
}

/// Could the job's gang start if all machines of the trace were there and empty? A machine that comes back
/// counts as another, so that a gang may wait without end after all.
class Fitting {
 public:
  explicit Fitting(const ReplayInput& input) : input_(input), machines_(machines_by_kind(input.machines)) {
    for (const scheduling::JobSubmitted& request : input.requests) {
      kinds_.emplace_back();
      for (std::size_t k = 0; k < input.capacity.size(); ++k) {
        if (fits_empty(request, input.machines.kinds[k], input.capacity[k])) kinds_.back().push_back(k);
      }
    }
  }

  bool operator()(const Job& job) const {
    std::int64_t missing = job.gang;
    for (const std::size_t k : kinds_[job.request]) {
      const std::int64_t each = tasks_on(k, job);
      if (machines_[k] >= (missing + each - 1) / each) return true;
      missing -= machines_[k] * each;
    }
    return false;
  }

 private:
  /// How many of the gang an empty machine of the kind holds; one at least, since a task fits there.
  std::int64_t tasks_on(std::size_t kind, const Job& job) const {
    std::int64_t tasks = job.per_server.value_or(job.gang);
    const Amounts& demand = input_.requests[job.request].demand;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] > 0) tasks = std::min(tasks, input_.capacity[kind][r] / demand[r]);
    }
    return tasks;
  }

  const ReplayInput& input_;
  std::vector<std::int64_t> machines_;           // [kind]
  std::vector<std::vector<std::size_t>> kinds_;  // [request], those where a task fits
};

/// Arrivals are `load` times as fast.
Duration divided(Duration time, double load) {
  if (load == 1) return time;
  return Duration(std::llround(static_cast<double>(time.count()) / load));
}

/// Copies submit what their originals do: there must not be too many tasks with theirs.
Check check_tasks(const Workload& workload, const ScaledUsers& scaled) {
  std::int64_t tasks = 0;
  for (const Job& job : workload.jobs) {
    const auto copies = static_cast<std::int64_t>(scaled.of[job.user].size());
    if (copies > 0 && job.tasks > (kMostWorkloadTasks - tasks) / copies)
      return Error{.message = fmt::format("the jobs have more than {} tasks in all", kMostWorkloadTasks),
                   .key = "scale.users"};
    tasks += job.tasks * copies;
  }
  return {};
}

void add_jobs(const Workload& workload, const ScaledUsers& scaled, double load, ReplayInput& input) {
  const Fitting fits(input);
  for (std::uint32_t row = 0; row < workload.jobs.size(); ++row) {
    const Job& job = workload.jobs[row];
    const bool can_start = fits(job);
    for (const std::uint32_t user : scaled.of[job.user]) {
      if (!can_start) {
        input.oversized[user] += job.tasks;
        continue;
      }
      if (job.known == Runtime::cut) input.cut[user] += job.tasks;
      input.jobs.push_back({.row = row,
                            .submitted = divided(job.submitted, load),
                            .runtime = job.runtime,
                            .requested = job.requested.value_or(job.runtime),
                            .tasks = job.tasks,
                            .gang = job.gang,
                            .per_server = job.per_server,
                            .user = user,
                            .request = job.request,
                            .usage = job.usage.value_or(kNoUsage)});
    }
  }
}

/// Those whose tasks would take the largest part of the cluster's resources for the longest time.
std::vector<std::uint32_t> largest_users(const ReplayInput& input,
                                         const std::vector<double>& dominant_parts) {
  std::vector<double> work(input.users.size(), 0.0);
  for (const ReplayJob& job : input.jobs)
    work[job.user] += static_cast<double>(job.tasks) * static_cast<double>(job.runtime.count()) *
                      dominant_parts[job.request];
  std::vector<std::uint32_t> order(input.users.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return work[a] > work[b]; });
  order.resize(std::min(order.size(), kLargest));
  return order;
}

/// The teams, with their quotas scaled as the machines are: by what there is at first over what the cluster
/// has. Where no machine is up at first, by the factor itself.
void add_teams(const Problem& cluster, const Teams& teams, const ScaledUsers& scaled, double factor,
               ReplayInput& input) {
  if (teams.groups.empty()) return;
  ExactVector there(input.resources.size());  // at first
  for (const std::uint32_t kind : input.machines.first) {
    for (std::size_t r = 0; r < there.size(); ++r)
      there[r] += rational(input.machines.kinds[kind].capacity[r]);
  }
  const ExactVector full = exact_pool(cluster);
  const auto units = [&](std::size_t r, const Quantity& amount) {
    const bool is_known = full[r] > 0 && !input.machines.first.empty();
    const mpq_class part = is_known ? mpq_class(there[r] / full[r]) : mpq_class(factor);
    const int exponent = static_cast<int>(std::lround(std::log10(input.unit[r])));
    return count_units(rounded_down(rational(amount) * part), exponent, Rounding::down).value_or(INT64_MAX);
  };
  input.teams = scheduling::in_units(teams.groups, units);
  input.team_of.resize(input.users.size());
  for (std::size_t n = 0; n < scaled.of.size(); ++n) {
    for (const std::uint32_t user : scaled.of[n]) input.team_of[user] = teams.group_of[n];
  }
}

Check check_scale(const ReplayScale& scale, const Workload& workload) {
  for (const auto& [key, factor] :
       {std::pair{"scale.machines", scale.machines}, std::pair{"scale.users", scale.users},
        std::pair{"scale.load", scale.load}}) {
    if (!std::isfinite(factor) || factor <= 0)
      return Error{.message = "a factor must be a number above 0", .key = key};
  }
  const auto hundred_years = static_cast<double>(kLongestWorkload.count());
  const Duration last = workload.jobs.empty() ? Duration::zero() : workload.jobs.back().submitted;
  if (static_cast<double>(std::max(workload.span, last).count()) / scale.load > hundred_years)
    return Error{.message = "the trace would last more than a hundred years", .key = "scale.load"};
  return {};
}

}  // namespace

Result<ReplayInput> replay_input(const Problem& cluster, const Workload& workload, const ReplayScale& scale,
                                 std::uint64_t seed, const Teams& teams) {
  if (Check bad = check_workload(cluster, workload)) return *std::move(bad);
  if (Check bad = check_scale(scale, workload)) return *std::move(bad);
  const std::vector<std::size_t> order = resource_order(cluster, workload);

  Result<Machines> machines = machines_of(cluster, changes_in_order(workload.changes, order), scale.machines);
  if (!machines) return std::move(machines).error();
  Random draws = stream(seed, "users of a replay");
  Result<ScaledUsers> scaled = scaled_users(workload.users, scale.users, draws);
  if (!scaled) return std::move(scaled).error();
  if (Check bad = check_tasks(workload, *scaled)) return *std::move(bad);

  ReplayInput input;
  input.resources = cluster.resources();
  input.machines = *std::move(machines);
  input.users = std::move(scaled->users);
  input.oversized.assign(input.users.size(), 0);
  input.cut.assign(input.users.size(), 0);
  input.usages = usages_in_order(workload.usages, order);
  input.span = divided(workload.span, scale.load);
  std::vector<ResourceVector> demands;
  for (const Request& request : workload.requests) {
    demands.push_back(reordered(request.demand, order));
    input.requests.push_back(
        {.user = {}, .demand = {}, .servers = request.servers, .select = request.select});
  }
  count_units(demands, input);
  add_jobs(workload, *scaled, scale.load, input);
  add_teams(cluster, teams, *scaled, scale.machines, input);
  const std::vector<double> parts = dominant_parts(input);
  input.largest = largest_users(input, parts);
  input.typical = typical_tasks(input, parts);
  return input;
}

}  // namespace mirab::simulation
