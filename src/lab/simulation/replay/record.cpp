// Fairness over time is measured as measure() of mirab/audit/metrics.hpp does it, over the users with demand:
// the inequality of s_n · mean(φ) / φ_n, and the lowest s_n.
#include "lab/simulation/replay/record.hpp"

#include <algorithm>

#include <mirab/audit/metrics.hpp>
#include <mirab/scheduling/fill.hpp>

#include "lab/simulation/replay.hpp"
#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

constexpr double kBands[] = {0.1, 0.5, 0.9};  // quantiles of the users that are not shown one by one

void keep_every_second(std::vector<double>& values) {
  for (std::size_t k = 0; 2 * k < values.size(); ++k) values[k] = values[2 * k];
  values.resize((values.size() + 1) / 2);
}

}  // namespace

ReplaySeries::ReplaySeries(const ReplayInput& input, const scheduling::Engine& engine, std::size_t samples)
    : input_(input), engine_(engine), samples_(samples), is_largest_(input.users.size(), false) {
  for (const std::string& resource : input.resources) {
    granted_.push_back({.name = resource, .values = {}});
    if (!input.usages.empty()) used_.push_back({.name = resource, .values = {}});
  }
  for (const std::uint32_t user : input.largest) {
    is_largest_[user] = true;
    shares_.push_back({.name = input.users[user].name, .values = {}});
  }
  for (const scheduling::UnitGroup& team : input.teams) teams_.push_back({.name = team.name, .values = {}});
  if (input.users.size() > input.largest.size()) bands_ = {{"p10", {}}, {"p50", {}}, {"p90", {}}};
}

/// k span / n, with no product beyond 63 bits: of k = a n + b it is a span + b span / n. What lies behind the
/// end of counted time is never.
Duration ReplaySeries::instant(std::size_t k) const {
  const auto n = static_cast<std::int64_t>(samples_);
  const auto spans = static_cast<std::int64_t>(k / samples_);    // a
  const auto samples = static_cast<std::int64_t>(k % samples_);  // b
  if (spans >= Duration::max() / input_.span) return Duration::max();
  return spans * input_.span + input_.span / n * samples + input_.span % n * samples / n;
}

void ReplaySeries::sample(const ReplayUsers& users, const ReplayTeams& teams,
                          ReplayFragmentation& fragmentation, const ReplayUsage& usage) {
  const Duration now = next();
  times_.push_back(in_seconds(now));
  waiting_.push_back(static_cast<double>(users.waiting()));
  running_.push_back(static_cast<double>(users.running()));
  sample_fairness(users);
  sample_shares(users);
  for (std::size_t team = 0; team < teams_.size(); ++team) teams_[team].values.push_back(teams.share(team));
  sample_use(usage, now);
  fragmentation_.push_back(fragmentation.now());
  next_ += stride_;
  if (times_.size() == 2 * samples_) thin_out();
}

void ReplaySeries::sample_fairness(const ReplayUsers& users) {
  std::vector<double> per_weight;  // of those with demand
  double weights = 0, unfairness = 0, least = 1;
  for (const ReplayUsers::User& user : users.users()) {
    unfairness += user.unfairness;
    if (!user.has_demand()) continue;
    per_weight.push_back(user.share / user.weight);
    weights += user.weight;
    least = std::min(least, user.share);
  }
  for (double& share : per_weight) share *= weights / static_cast<double>(per_weight.size());
  users_.push_back(static_cast<double>(per_weight.size()));
  jain_.push_back(jain(per_weight));
  gini_.push_back(gini(per_weight));
  min_share_.push_back(per_weight.empty() ? 0 : least);
  unfairness_.push_back(unfairness);
}

void ReplaySeries::sample_shares(const ReplayUsers& users) {
  for (std::size_t k = 0; k < input_.largest.size(); ++k)
    shares_[k].values.push_back(users.users()[input_.largest[k]].share);
  if (bands_.empty()) return;
  std::vector<double> others;
  for (std::size_t n = 0; n < users.users().size(); ++n) {
    if (!is_largest_[n] && users.users()[n].has_demand()) others.push_back(users.users()[n].share);
  }
  std::sort(others.begin(), others.end());
  for (std::size_t b = 0; b < bands_.size(); ++b)
    bands_[b].values.push_back(others.empty() ? 0 : quantile(others, kBands[b]));
}

void ReplaySeries::sample_use(const ReplayUsage& usage, Duration now) {
  std::vector<double> surplus;
  if (usage.is_known()) surplus = usage.surplus(now);
  for (std::size_t r = 0; r < granted_.size(); ++r) {
    const double pool = static_cast<double>(engine_.pool()[r]) * input_.unit[r];
    const double granted = static_cast<double>(engine_.used()[r]) * input_.unit[r];
    granted_[r].values.push_back(pool > 0 ? granted / pool : 0);
    if (usage.is_known()) used_[r].values.push_back(pool > 0 ? (granted + surplus[r]) / pool : 0);
  }
}

void ReplaySeries::thin_out() {
  for (std::vector<double>* values :
       {&times_, &waiting_, &running_, &users_, &jain_, &gini_, &min_share_, &unfairness_, &fragmentation_})
    keep_every_second(*values);
  for (std::vector<Series>* all : {&granted_, &used_, &shares_, &bands_, &teams_}) {
    for (Series& series : *all) keep_every_second(series.values);
  }
  stride_ *= 2;
}

void ReplaySeries::write(ReplayOutcome& outcome) {
  outcome.times = std::move(times_);
  outcome.series = {{"waiting", std::move(waiting_)},
                    {"running", std::move(running_)},
                    {"users", std::move(users_)},
                    {"jain", std::move(jain_)},
                    {"gini", std::move(gini_)},
                    {"min_share", std::move(min_share_)},
                    {"unfairness", std::move(unfairness_)},
                    {"fragmentation", std::move(fragmentation_)}};
  outcome.utilization_over_time = std::move(granted_);
  outcome.used_over_time = std::move(used_);
  outcome.shares = std::move(shares_);
  outcome.share_bands = std::move(bands_);
  outcome.team_shares = std::move(teams_);
}

ReplayRecord::ReplayRecord(const ReplayInput& input, const scheduling::Engine& engine, std::size_t samples)
    : input_(input),
      engine_(engine),
      users_(input, engine),
      teams_(input, engine),
      fragmentation_(input, engine),
      tasks_(input),
      usage_(input),
      series_(input, engine, samples),
      granted_integral_(input.resources.size(), 0.0),
      pool_integral_(granted_integral_) {}

void ReplayRecord::pass_until(Duration now) {
  while (series_.next() < now) series_.sample(users_, teams_, fragmentation_, usage_);
  const double elapsed = in_seconds(now - now_);
  for (std::size_t r = 0; r < pool_integral_.size(); ++r) {
    granted_integral_[r] += static_cast<double>(engine_.used()[r]) * elapsed;
    pool_integral_[r] += static_cast<double>(engine_.pool()[r]) * elapsed;
  }
  waiting_integral_ += static_cast<double>(users_.waiting()) * elapsed;
  running_integral_ += static_cast<double>(users_.running()) * elapsed;
  now_ = now;
}

void ReplayRecord::submit(std::uint32_t job) {
  MIRAB_ASSERT(job == jobs_.size(), "jobs are submitted in their order");
  jobs_.emplace_back();
  users_.submit(input_.jobs[job].user, input_.jobs[job].tasks);
  tasks_.submitted(input_.jobs[job].user, input_.jobs[job].tasks);
  ++events_;
}

void ReplayRecord::start(const RunningTask& task) {
  const ReplayJob& job = input_.jobs[task.job];
  fragmentation_.task_changed(task.server);
  users_.start(job.user);
  teams_.change(job, 1);
  usage_.start(task.number, job, now_);
  ++placements_;
  // Tasks that were lost wait before the others of their job, so they start first.
  OfJob& of = jobs_[task.job];
  if (of.to_restart > 0) {
    --of.to_restart;
    return;
  }
  tasks_.started_first(job.user);
  if (of.started++ == 0) of.first_start = now_;
}

void ReplayRecord::take_off(const RunningTask& task) {
  fragmentation_.task_changed(task.server);
  teams_.change(input_.jobs[task.job], -1);
  usage_.end(task.number, now_);
}

void ReplayRecord::finish(const RunningTask& task) {
  const ReplayJob& job = input_.jobs[task.job];
  take_off(task);
  users_.finish(job.user);
  tasks_.finished(job.user, task.started - job.submitted, job.runtime);
  ++jobs_[task.job].finished;
  jobs_[task.job].last_end = now_;
  ++events_;
}

void ReplayRecord::wait_again(const RunningTask& task) {
  take_off(task);
  users_.lose(input_.jobs[task.job].user);
  ++jobs_[task.job].to_restart;
}

void ReplayRecord::lose(const RunningTask& task) {
  wait_again(task);
  tasks_.lost(input_.jobs[task.job].user);
}

void ReplayRecord::preempt(const RunningTask& task) {
  wait_again(task);
  tasks_.preempted(input_.jobs[task.job].user);
}

void ReplayRecord::still_running(const RunningTask& task) {
  const ReplayJob& job = input_.jobs[task.job];
  tasks_.still_running(job.user, task.started - job.submitted);
}

void ReplayRecord::still_waiting(std::uint32_t job, std::int64_t tasks) {
  tasks_.still_waiting(input_.jobs[job].user, now_ - input_.jobs[job].submitted, tasks);
}

ReplayUser ReplayRecord::user(std::uint32_t n) const {
  const ReplayUsers::User& over_time = users_.users()[n];
  ReplayUser user;
  static_cast<ReplayTally&>(user) = tasks_.tally(n);
  user.name = input_.users[n].name;
  user.oversized = input_.oversized[n];
  user.cut = input_.cut[n];
  user.share = over_time.share_integral / in_seconds(now_);
  user.unfairness = over_time.unfairness_integral;
  user.starvation = in_seconds(over_time.starvation);
  user.starved = user.submitted > 0 && user.started == 0;
  return user;
}

std::vector<ReplayTeam> ReplayRecord::teams() const {
  std::vector<std::vector<std::uint32_t>> users(teams_.size());  // all below
  for (std::uint32_t n = 0; n < input_.team_of.size(); ++n) {
    for (std::optional<std::size_t> at = input_.team_of[n]; at; at = input_.teams[*at].parent)
      users[*at].push_back(n);
  }
  std::vector<ReplayTeam> teams;
  for (std::size_t at = 0; at < teams_.size(); ++at) {
    const scheduling::UnitGroup& group = input_.teams[at];
    ReplayTeam& team = teams.emplace_back();
    static_cast<ReplayTally&>(team) = tasks_.tally(users[at]);
    team.name = group.name;
    if (group.parent) team.parent = input_.teams[*group.parent].name;
    team.weight = group.weight.value();
    team.share = teams_.mean_share(at, now_);
    for (const std::uint32_t n : users[at]) {
      team.oversized += input_.oversized[n];
      team.cut += input_.cut[n];
    }
  }
  return teams;
}

void ReplayRecord::add_up_users(ReplayOutcome& outcome) const {
  for (const ReplayUser& user : outcome.users) {
    outcome.oversized += user.oversized;
    outcome.cut += user.cut;
    outcome.unfairness += user.unfairness;
    outcome.starvation = std::max(outcome.starvation, user.starvation);
    if (user.starved) ++outcome.starved;
  }
}

void ReplayRecord::add_means(ReplayOutcome& outcome) const {
  const std::vector<double> surplus = usage_.surplus_integral(now_);
  for (std::size_t r = 0; r < pool_integral_.size(); ++r) {
    const double pool = pool_integral_[r] * input_.unit[r];
    const double granted = granted_integral_[r] * input_.unit[r];
    outcome.utilization.push_back(pool > 0 ? granted / pool : 0);
    if (usage_.is_known()) outcome.used.push_back(pool > 0 ? (granted + surplus[r]) / pool : 0);
  }
  outcome.mean_waiting_tasks = waiting_integral_ / in_seconds(now_);
  outcome.mean_running_tasks = running_integral_ / in_seconds(now_);
}

ReplayJobOutcome ReplayRecord::job(std::uint32_t index) const {
  const ReplayJob& job = input_.jobs[index];
  const OfJob of = index < jobs_.size() ? jobs_[index] : OfJob();  // submitted after the end
  ReplayJobOutcome outcome{.name = "",
                           .user = job.user,
                           .tasks = job.tasks,
                           .started = of.started,
                           .finished = of.finished,
                           .submitted = in_seconds(job.submitted),
                           .runtime = in_seconds(job.runtime)};
  if (of.started > 0) outcome.first_start = in_seconds(of.first_start);
  if (of.finished == job.tasks) outcome.last_end = in_seconds(of.last_end);
  return outcome;
}

ReplayJobTally ReplayRecord::tally_jobs() const {
  ReplayJobTally tally{.submitted = static_cast<std::int64_t>(jobs_.size()), .waiting = {}, .completion = {}};
  std::vector<double> waiting, completion;
  for (std::size_t index = 0; index < jobs_.size(); ++index) {
    const ReplayJob& job = input_.jobs[index];
    const OfJob& of = jobs_[index];
    if (of.started > 0) waiting.push_back(in_seconds(of.first_start - job.submitted));
    if (of.finished == job.tasks) completion.push_back(in_seconds(of.last_end - job.submitted));
  }
  tally.started = static_cast<std::int64_t>(waiting.size());
  tally.finished = static_cast<std::int64_t>(completion.size());
  tally.waiting = quantiles_of(std::move(waiting));
  tally.completion = quantiles_of(std::move(completion));
  return tally;
}

ReplayOutcome ReplayRecord::outcome(const ReplayContender& contender, bool with_jobs) {
  users_.close(now_);
  ReplayOutcome outcome;
  for (std::uint32_t n = 0; n < input_.users.size(); ++n) outcome.users.push_back(user(n));
  outcome.teams = teams();
  for (std::uint32_t index = 0; with_jobs && index < input_.jobs.size(); ++index)
    outcome.jobs.push_back(job(index));
  static_cast<ReplayTally&>(outcome) = tasks_.tally_all();
  add_up_users(outcome);
  add_means(outcome);
  outcome.discipline = contender_text(contender);
  outcome.placement =
      (chooses_servers(contender.discipline) ? contender.discipline : contender.placement).text;
  outcome.resources = input_.resources;
  outcome.end = in_seconds(now_);
  outcome.events = events_;
  outcome.placements = placements_;
  outcome.of_jobs = tally_jobs();
  outcome.notices = input_.notices;
  series_.write(outcome);
  return outcome;
}

}  // namespace mirab::simulation
