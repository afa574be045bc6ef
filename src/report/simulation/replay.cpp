// A replayed trace as a table, JSON and CSV.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "report/simulation/runs.hpp"
#include "report/simulation/series.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

// The contenders side by side: what became of all tasks, how fair and how full it was, then the users with
// most tasks.

namespace {

using simulation::Quantiles;
using simulation::ReplayJobTally;
using simulation::ReplayOutcome;
using simulation::ReplayTally;
using simulation::ReplayTeam;
using simulation::ReplayUser;

constexpr std::size_t kUsersShown = 15;
const std::string kLegend =
    "waiting: from submission to the last start, of what started; so far: of what waits at the end; "
    "slowdown: completion over runtime, of what finished; next to a user: its mean waiting and share; n ran: "
    "how many of a user's tasks ever started; share: the largest part of any one resource "
    "that the user holds, mean over time; unfairness: the part of the cluster that users who wait lack of "
    "what they are promised, mean over time, and its integral in share-seconds, of which one is the whole "
    "cluster withheld for a second (docs/explanation/replay.md)";

// Where jobs have several tasks, as those of a log of processors have one for each.
const std::string kOfTasks =
    "counts and times are of tasks, so that a job of 4 counts 4 times, except those of jobs: a job waits "
    "until "
    "its first task starts, and completes with its last; outputs: {jobs: FILE} in the scenario writes each "
    "job; ";

bool has_jobs_of_tasks(const simulation::ReplayOutcome& outcome) {
  return outcome.of_jobs.submitted < outcome.submitted;
}

using Outcomes = std::vector<ReplayOutcome>;

SideBySide headed(const Outcomes& outcomes, const std::string& heading) {
  std::vector<std::vector<std::string>> labels;
  for (const ReplayOutcome& outcome : outcomes) {
    std::vector<std::string> label = label_lines(outcome.discipline);
    label.push_back(outcome.placement);
    labels.push_back(std::move(label));
  }
  return {heading, std::move(labels)};
}

// A row: `text` says it of each contender.
template <class Text>
void add(SideBySide& table, const std::string& what, const Outcomes& outcomes, const Text& text) {
  std::vector<std::string> values;
  for (const ReplayOutcome& outcome : outcomes) values.push_back(text(outcome));
  table.add(what, std::move(values));
}

// A count that is worth a row only when some contender has it.
void add_if_any(SideBySide& table, const std::string& what, const Outcomes& outcomes,
                std::int64_t ReplayTally::*count) {
  const bool any = std::any_of(outcomes.begin(), outcomes.end(),
                               [&](const ReplayOutcome& outcome) { return outcome.*count > 0; });
  if (any) add(table, what, outcomes, [&](const auto& outcome) { return std::to_string(outcome.*count); });
}

struct Part {
  std::string name;
  double Quantiles::*value;
};

const Part kMean{"mean", &Quantiles::mean};
const Part kMedian{"median", &Quantiles::p50};
const Part kPercentile90{"90 %", &Quantiles::p90};
const Part kLast{"99 %", &Quantiles::p99};

// Rows for some parts of a distribution. One that is at its least value under all contenders says nothing and
// is left out; when all are, one row says so.
template <class Which>
void add_quantiles(SideBySide& table, const std::string& what, const Outcomes& outcomes, const Which& which,
                   const std::vector<Part>& parts, double least, std::string (*text)(double)) {
  const std::string none = "–";
  bool any = false;
  for (const Part& part : parts) {
    const auto value = [&](const ReplayOutcome& outcome) {
      const Quantiles& of = which(outcome);
      return of.count == 0 ? none : text(of.*part.value);
    };
    if (std::all_of(outcomes.begin(), outcomes.end(), [&](const ReplayOutcome& outcome) {
          return value(outcome) == none || value(outcome) == text(least);
        }))
      continue;
    any = true;
    add(table, what + ", " + part.name, outcomes, value);
  }
  if (any) return;
  add(table, what, outcomes,
      [&](const ReplayOutcome& outcome) { return which(outcome).count == 0 ? none : text(least); });
}

std::string plain(double value) { return fixed(value, value < 100 ? 2 : 0); }

// What is granted of each resource, and what is really used, where the workload tells it.
void add_resources(SideBySide& table, const ReplayRun& run) {
  const bool used = !run.outcomes.front().used.empty();  // of the workload, so of all contenders or of none
  for (std::size_t r = 0; r < run.resources.size(); ++r) {
    const std::string name = shorten(run.resources[r], kMediumNameWidth);
    add(table, name + " granted", run.outcomes,
        [&](const auto& each) { return percent(each.utilization[r], 2); });
    if (used)
      add(table, name + " used", run.outcomes, [&](const auto& each) { return percent(each.used[r], 2); });
  }
}

void add_series_means(SideBySide& table, const Outcomes& outcomes) {
  for (const std::string name : {"jain", "gini", "fragmentation"}) {
    const auto mean = [&](const ReplayOutcome& outcome) -> std::string {
      const auto found = std::find_if(outcome.series.begin(), outcome.series.end(),
                                      [&](const auto& series) { return series.name == name; });
      if (found == outcome.series.end() || found->values.empty()) return "–";
      const double sum = std::accumulate(found->values.begin(), found->values.end(), 0.0);
      const double value = sum / static_cast<double>(found->values.size());
      return name == "fragmentation" ? percent(value, 2) : fixed(value, 4);
    };
    add(table, name + ", mean", outcomes, mean);
  }
}

// Each job counted once: the order of disciplines may differ from that by tasks.
void add_jobs(SideBySide& table, const Outcomes& outcomes) {
  const auto of_jobs = [](Quantiles ReplayJobTally::*which) {
    return [which](const ReplayOutcome& outcome) -> const Quantiles& { return outcome.of_jobs.*which; };
  };
  table.add_rule();
  add(table, "jobs started", outcomes, [](const auto& each) { return std::to_string(each.of_jobs.started); });
  add(table, "jobs finished", outcomes,
      [](const auto& each) { return std::to_string(each.of_jobs.finished); });
  add_quantiles(table, "waiting of jobs", outcomes, of_jobs(&ReplayJobTally::waiting),
                {kMean, kMedian, kPercentile90}, 0, duration);
  add_quantiles(table, "completion of jobs", outcomes, of_jobs(&ReplayJobTally::completion), {kMean, kMedian},
                0, duration);
}

std::string summary(const ReplayRun& run, std::size_t width) {
  const Outcomes& outcomes = run.outcomes;
  const ReplayOutcome& first = outcomes.front();
  SideBySide table = headed(
      outcomes,
      has_jobs_of_tasks(first)
          ? fmt::format("tasks of {}", counted(static_cast<std::size_t>(first.of_jobs.submitted), "job"))
          : "all tasks");
  add(table, "submitted", outcomes, [](const auto& each) { return std::to_string(each.submitted); });
  add(table, "started", outcomes, [](const auto& each) { return std::to_string(each.started); });
  add(table, "finished", outcomes, [](const auto& each) { return std::to_string(each.finished); });
  add_if_any(table, "running at the end", outcomes, &ReplayTally::still_running);
  add_if_any(table, "waiting at the end", outcomes, &ReplayTally::still_waiting);
  add_if_any(table, "lost with a server", outcomes, &ReplayTally::lost);
  add_if_any(table, "ended for another task", outcomes, &ReplayTally::preempted);
  add_if_any(table, "left out: fit nowhere", outcomes, &ReplayTally::oversized);
  add_if_any(table, "runtime cut by the trace", outcomes, &ReplayTally::cut);
  const auto of_tasks = [](Quantiles ReplayTally::*which) {
    return [which](const ReplayOutcome& outcome) -> const Quantiles& { return outcome.*which; };
  };
  add_quantiles(table, "waiting of started", outcomes, of_tasks(&ReplayTally::waiting),
                {kMean, kMedian, kPercentile90, kLast}, 0, duration);
  add_quantiles(table, "waiting so far", outcomes, of_tasks(&ReplayTally::waiting_so_far), {kMean, kMedian},
                0, duration);
  add_quantiles(table, "slowdown", outcomes, of_tasks(&ReplayTally::slowdown), {kMean, kMedian, kLast}, 1,
                plain);
  add_quantiles(table, "completion", outcomes, of_tasks(&ReplayTally::completion), {kMean, kMedian}, 0,
                duration);
  if (has_jobs_of_tasks(first)) add_jobs(table, outcomes);
  table.add_rule();
  add_resources(table, run);
  add_series_means(table, outcomes);
  add(table, "unfairness, mean", outcomes,
      [](const auto& each) { return percent(mean_unfairness(each), 2); });
  add(table, "unfairness, share·s", outcomes,
      [](const auto& each) { return share_seconds(each.unfairness); });
  add(table, "longest starvation", outcomes, [](const auto& each) { return duration(each.starvation); });
  add(table, "users starved", outcomes, [](const auto& each) { return std::to_string(each.starved); });
  return table.text(width);
}

// Users by the tasks that they submitted, most first.
std::vector<std::size_t> by_tasks(const std::vector<ReplayUser>& users) {
  std::vector<std::size_t> order(users.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return users[a].submitted > users[b].submitted; });
  return order;
}

// How many ran, where some never did: their waiting alone would look like that of all.
std::string waiting_and_share(const ReplayTally& tally, double share) {
  const std::string ran = tally.started < tally.submitted ? fmt::format("{} ran, ", tally.started) : "";
  const bool starved = tally.submitted > 0 && tally.started == 0;
  const std::string waits = starved                    ? "starved"
                            : tally.waiting.count == 0 ? "–"
                                                       : ran + duration(tally.waiting.mean);
  return fmt::format("{} {:>7}", waits, percent(share, 2));
}

// How many groups each one is in.
std::vector<std::size_t> depths(const std::vector<ReplayTeam>& teams) {
  std::map<std::string_view, std::size_t> depth;
  std::vector<std::size_t> depths;
  for (const ReplayTeam& team : teams) {
    depths.push_back(team.parent.empty() ? 0 : depth.at(team.parent) + 1);
    depth.emplace(team.name, depths.back());
  }
  return depths;
}

// The names of users or teams as the table shows them.
template <class Named>
std::vector<std::string> shown_names(const std::vector<Named>& all, std::size_t width) {
  std::vector<std::string> names;
  for (const Named& each : all) names.push_back(each.name);
  return shorten_apart(names, name_width(kMediumNameWidth, width));
}

std::string teams(const Outcomes& outcomes, std::size_t width) {
  const std::vector<ReplayTeam>& first = outcomes.front().teams;
  if (first.empty()) return "";
  SideBySide table = headed(outcomes, "team (tasks)");
  const std::vector<std::size_t> indent = depths(first);
  const std::vector<std::string> names = shown_names(first, width);
  for (std::size_t i = 0; i < first.size(); ++i) {
    add(table, fmt::format("{:{}}{} ({})", "", 2 * indent[i], names[i], first[i].submitted), outcomes,
        [&](const ReplayOutcome& outcome) {
          return waiting_and_share(outcome.teams[i], outcome.teams[i].share);
        });
  }
  return table.text(width);
}

std::string users(const Outcomes& outcomes, std::size_t width) {
  const std::vector<std::size_t> order = by_tasks(outcomes.front().users);
  const std::size_t shown = std::min(order.size(), kUsersShown);
  SideBySide table = headed(outcomes, "user (tasks)");
  const std::vector<std::string> names = shown_names(outcomes.front().users, width);
  for (std::size_t i = 0; i < shown; ++i) {
    const ReplayUser& first = outcomes.front().users[order[i]];
    add(table, fmt::format("{} ({})", names[order[i]], first.submitted), outcomes,
        [&](const ReplayOutcome& outcome) {
          const ReplayUser& user = outcome.users[order[i]];
          return waiting_and_share(user, user.share);
        });
  }
  std::string text = table.text(width);
  if (order.size() > shown) {
    text.insert(text.size() - 1, fmt::format("… and {} more with fewer tasks\n", order.size() - shown));
  }
  return text;
}

std::string notices(const Outcomes& outcomes, std::size_t width) {
  std::string text;
  std::set<std::string> printed;  // a notice of several contenders is printed once
  for (const ReplayOutcome& outcome : outcomes) {
    for (const std::string& notice : outcome.notices) {
      if (printed.insert(notice).second) text += broken("note: " + printable(notice), width, "      ");
    }
  }
  return text;
}

}  // namespace

double mean_unfairness(const ReplayOutcome& outcome) {
  return outcome.end > 0 ? outcome.unfairness / outcome.end : 0;
}

std::string simulation_table(const ReplayRun& run, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  const std::string title = fmt::format("{}: {} on {}, {} from {}, seed {}", run.title, run.scenario.workload,
                                        run.scenario.cluster, duration(run.outcomes.front().end),
                                        counted(run.outcomes.front().users.size(), "user"), run.seed);
  return broken(printable(title), page) + "\n" + summary(run, width) + teams(run.outcomes, width) +
         users(run.outcomes, width) +
         broken((has_jobs_of_tasks(run.outcomes.front()) ? kOfTasks : "") + kLegend, page) +
         notices(run.outcomes, page);
}

namespace {

using Json = nlohmann::ordered_json;
using simulation::ReplayOutcome;
using simulation::ReplayTally;
using simulation::ReplayUser;

void add_tally(Json& json, const ReplayTally& tally) {
  json["submitted"] = tally.submitted;
  json["started"] = tally.started;
  json["finished"] = tally.finished;
  json["still_running"] = tally.still_running;
  json["still_waiting"] = tally.still_waiting;
  json["lost"] = tally.lost;
  json["preempted"] = tally.preempted;
  json["oversized"] = tally.oversized;
  json["cut"] = tally.cut;
  json["waiting"] = quantiles_json(tally.waiting);
  json["slowdown"] = quantiles_json(tally.slowdown);
  json["completion"] = quantiles_json(tally.completion);
  json["waiting_so_far"] = quantiles_json(tally.waiting_so_far);
}

Json user_json(const ReplayUser& user) {
  Json json = {{"name", user.name}};
  add_tally(json, user);
  json["share"] = user.share;
  json["unfairness"] = user.unfairness;
  json["starvation"] = user.starvation;
  json["starved"] = user.starved;
  return json;
}

Json team_json(const ReplayTeam& team) {
  Json json = {{"name", team.name},
               {"parent", team.parent.empty() ? Json() : Json(team.parent)},
               {"weight", team.weight}};
  add_tally(json, team);
  json["share"] = team.share;
  return json;
}

Json summary_json(const ReplayOutcome& outcome) {
  Json json = {{"end", outcome.end},
               {"events", outcome.events},
               {"placements", outcome.placements},
               {"utilization", by_resource(outcome.resources, outcome.utilization)},
               {"used", outcome.used.empty() ? Json() : by_resource(outcome.resources, outcome.used)},
               {"unfairness", outcome.unfairness},
               {"mean_unfairness", mean_unfairness(outcome)},
               {"starvation", outcome.starvation},
               {"starved_users", outcome.starved}};
  add_tally(json, outcome);
  const ReplayJobTally& jobs = outcome.of_jobs;
  json["jobs"] = {{"submitted", jobs.submitted},
                  {"started", jobs.started},
                  {"finished", jobs.finished},
                  {"waiting", quantiles_json(jobs.waiting)},
                  {"completion", quantiles_json(jobs.completion)}};
  return json;
}

Json contender_json(const ReplayOutcome& outcome, std::size_t most) {
  Json users = Json::array();
  for (const ReplayUser& user : outcome.users) users.push_back(user_json(user));
  Json json = {{"discipline", outcome.discipline},
               {"placement", outcome.placement},
               {"summary", summary_json(outcome)},
               {"users", std::move(users)},
               {"times", thinned(outcome.times, most)},
               {"series", series_json(outcome.series, most)},
               {"utilization", series_json(outcome.utilization_over_time, most)},
               {"used", series_json(outcome.used_over_time, most)},
               {"shares", series_json(outcome.shares, most)},
               {"share_bands", series_json(outcome.share_bands, most)},
               {"notices", outcome.notices}};
  if (outcome.teams.empty()) return json;
  for (const ReplayTeam& team : outcome.teams) json["teams"].push_back(team_json(team));
  json["team_shares"] = series_json(outcome.team_shares, most);
  return json;
}

}  // namespace

Json simulation_json(const ReplayRun& run, std::size_t most_samples) {
  const simulation::ReplayScale& scale = run.scenario.options.scale;
  Json contenders = Json::array();
  for (const ReplayOutcome& outcome : run.outcomes) {
    contenders.push_back(contender_json(outcome, most_samples));
  }
  return {{"version", 1},
          {"kind", "trace"},
          {"seed", run.seed},
          {"cluster", run.scenario.cluster},
          {"workload", run.scenario.workload},
          {"resources", run.resources},
          {"scale", {{"machines", scale.machines}, {"users", scale.users}, {"load", scale.load}}},
          {"contenders", std::move(contenders)}};
}

namespace {

void add(std::vector<std::string>& record, const simulation::Quantiles& q) {
  for (const double value : {q.mean, q.p10, q.p50, q.p90, q.p99, q.most}) record.push_back(csv_number(value));
}

}  // namespace

std::string simulation_csv(const ReplayRun& run) {
  std::vector<std::string> header = {"discipline", "placement", "user",  "submitted",
                                     "started",    "finished",  "share", "starved"};
  for (const std::string what : {"waiting", "slowdown"}) {
    for (const std::string part : {"mean", "p10", "p50", "p90", "p99", "max"}) {
      header.push_back(what + "_" + part);
    }
  }
  std::string csv = csv_record(header);
  for (const simulation::ReplayOutcome& outcome : run.outcomes) {
    for (const simulation::ReplayUser& user : outcome.users) {
      std::vector<std::string> record = {outcome.discipline,
                                         outcome.placement,
                                         user.name,
                                         std::to_string(user.submitted),
                                         std::to_string(user.started),
                                         std::to_string(user.finished),
                                         csv_number(user.share),
                                         user.starved ? "true" : "false"};
      add(record, user.waiting);
      add(record, user.slowdown);
      csv += csv_record(record);
    }
  }
  return csv;
}

std::string jobs_csv(const std::vector<ReplayRun>& runs) {
  std::string csv = csv_record({"seed", "discipline", "placement", "job", "user", "tasks", "started",
                                "finished", "submitted", "first_start", "last_end", "waiting", "runtime"});
  const auto time = [](const std::optional<double>& at) { return at ? csv_number(*at) : std::string(); };
  for (const ReplayRun& run : runs) {
    for (const simulation::ReplayOutcome& outcome : run.outcomes) {
      for (const simulation::ReplayJobOutcome& job : outcome.jobs) {
        const std::optional<double> waiting =
            job.first_start ? std::optional(*job.first_start - job.submitted) : std::nullopt;
        csv +=
            csv_record({std::to_string(run.seed), outcome.discipline, outcome.placement, job.name,
                        outcome.users[job.user].name, std::to_string(job.tasks), std::to_string(job.started),
                        std::to_string(job.finished), csv_number(job.submitted), time(job.first_start),
                        time(job.last_end), time(waiting), csv_number(job.runtime)});
      }
    }
  }
  return csv;
}

}  // namespace mirab::report
