// What a comparison holds, and its JSON and CSV.
#include "report/outcome/comparison.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/classes.hpp>

#include "model/names.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"

namespace mirab::report {

MeasuredOutcome measured(const Problem& problem, Outcome outcome) {
  Metrics metrics = measure(problem, outcome.allocation);
  return {.outcome = std::move(outcome), .metrics = std::move(metrics)};
}

std::string_view tie_name(Tie tie) {
  switch (tie) {
    case Tie::first:
      return "first";
    case Tie::last:
      return "last";
    case Tie::random:
      return "random";
  }
  return {};
}

std::string_view unplaced_name(Unplaced reason) {
  switch (reason) {
    case Unplaced::nothing:
      return "nothing";
    case Unplaced::no_room:
      return "no room";
    case Unplaced::blocked:
      return "blocked";
  }
  return {};
}

std::int64_t total_servers(const Problem& problem) {
  std::int64_t total = 0;
  for (const Server& server : problem.servers()) total += server.count;
  return total;
}

std::string comparison_csv(const Comparison& comparison) {
  const Problem& problem = comparison.problem;
  std::vector<std::string> header{"outcome", "user", "tasks", "dominant_resource", "dominant_share"};
  header.insert(header.end(), problem.resources().begin(), problem.resources().end());
  std::string csv = csv_record(header);

  for (const auto& [outcome, metrics] : comparison.outcomes) {
    const auto granted = bundles(problem, outcome.allocation);
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      std::vector<std::string> record{
          outcome.mechanism, problem.users()[n].name, csv_number(outcome.allocation.tasks[n]),
          problem.resources()[metrics.dominant_resources[n]], csv_number(metrics.dominant_shares[n])};
      for (const double held : granted[n]) record.push_back(csv_number(held));
      csv += csv_record(record);
    }
  }
  return csv;
}

// The JSON that scripts and the report page read. Keys may be added, never renamed or dropped.

namespace {

using Json = nlohmann::ordered_json;

/// Appends without looking for the key first, which in ordered JSON would take a pass over the object.
void append(Json& object, const std::string& key, Json value) {
  object.get_ref<Json::object_t&>().push_back({key, std::move(value)});
}

/// Tasks that were counted are integers, tasks that were divided are doubles.
Json task_count(const Outcome& outcome, double tasks) {
  return outcome.filling ? Json(static_cast<std::int64_t>(tasks)) : Json(tasks);
}

Json problem_json(const Problem& problem) {
  return {{"resources", problem.resources()},
          {"users", problem.user_count()},
          {"servers", total_servers(problem)},
          {"server_classes", merge(problem, MergeUsers::equal, MergeServers::equal).servers.size()}};
}

Json users_json(const Problem& problem, const MeasuredOutcome& measured) {
  const auto& [outcome, metrics] = measured;
  const Allocation& allocation = outcome.allocation;
  const auto granted = bundles(problem, allocation);
  Json users = Json::array();
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    Json servers = Json::object();
    for (const Grant& grant : allocation.grants.of(n)) {
      append(servers, allocation.servers[grant.server].name,
             {{"tasks", task_count(outcome, grant.tasks)},
              {"resources", by_resource(problem.resources(), grant.resources)}});
    }
    users.push_back({{"name", problem.users()[n].name},
                     {"weight", problem.users()[n].weight.value()},
                     {"tasks", task_count(outcome, allocation.tasks[n])},
                     {"dominant_resource", problem.resources()[metrics.dominant_resources[n]]},
                     {"dominant_share", metrics.dominant_shares[n]},
                     {"resources", by_resource(problem.resources(), granted[n])},
                     {"servers", std::move(servers)}});
  }
  return users;
}

Json servers_json(const Problem& problem, const Allocation& allocation, const GroupMetrics& groups) {
  Json servers = Json::array();
  for (std::size_t i = 0; i < allocation.servers.size(); ++i) {
    const ServerUse& server = allocation.servers[i];
    Json entry{{"name", server.name},
               {"count", server.count},
               {"capacity", by_resource(problem.resources(), server.capacity)},
               {"used", by_resource(problem.resources(), server.used)}};
    if (!server.prices.empty()) entry["prices"] = by_resource(problem.resources(), server.prices);
    entry["consumption"] = by_resource(problem.resources(), groups.consumption[i]);
    entry["penalty"] = groups.penalty[i];
    servers.push_back(std::move(entry));
  }
  return servers;
}

Json pareto_index_json(const Problem& problem, const GroupMetrics& groups) {
  Json result = Json::object();
  for (std::size_t r = 0; r < groups.pareto_index.size(); ++r) {
    const std::optional<double>& index = groups.pareto_index[r];
    result[problem.resources()[r]] = index ? Json(*index) : Json(nullptr);
  }
  return result;
}

Json metrics_json(const Problem& problem, const Metrics& metrics, const GroupMetrics& groups) {
  return {{"jain", metrics.jain},
          {"gini", metrics.gini},
          {"ratio_20_20", metrics.ratio_20_20},
          {"sample_standard_deviation", metrics.sample_standard_deviation},
          {"min_dominant_share", metrics.min_dominant_share},
          {"utilization", by_resource(problem.resources(), metrics.utilization)},
          {"beta_dominant", metrics.beta_dominant},
          {"beta_non_dominant", metrics.beta_non_dominant},
          {"pareto_index", pareto_index_json(problem, groups)},
          {"sharing_incentive_index", groups.sharing_incentive_index},
          {"jain_dominant", by_resource(problem.resources(), groups.jain_dominant)},
          {"jain_non_dominant", by_resource(problem.resources(), groups.jain_non_dominant)}};
}

/// The indices of all steps, or of every k-th and of each user's last.
std::vector<std::size_t> kept_steps(const std::vector<FillStep>& steps, std::size_t most) {
  const std::size_t stride = steps.size() <= most ? 1 : steps.size() / most + 1;
  std::map<std::size_t, std::size_t> last;
  for (std::size_t i = 0; i < steps.size(); ++i) last[steps[i].user] = i;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i % stride == 0 || last[steps[i].user] == i) kept.push_back(i);
  }
  return kept;
}

Json steps_json(const Problem& problem, const FillRecord& filling, std::size_t most) {
  Json steps = Json::array();
  for (const std::size_t step : kept_steps(filling.steps, most)) {
    const FillStep& placed = filling.steps[step];
    steps.push_back({{"step", step + 1},
                     {"user", problem.users()[placed.user].name},
                     {"server", problem.servers()[placed.server].name},
                     {"instance", placed.instance},
                     {"share", placed.share}});
  }
  return steps;
}

/// What tells how the outcome came about: the mechanism, or the parts of a filling.
Json origin_json(const Problem& problem, const Outcome& outcome) {
  if (!outcome.filling) return {{"mechanism", outcome.mechanism}, {"label", outcome.mechanism}};
  const FillRecord& filling = *outcome.filling;
  Json unplaced = Json::object();
  for (std::size_t n = 0; n < filling.unplaced.size(); ++n) {
    if (filling.unplaced[n] == Unplaced::nothing) continue;
    append(unplaced, problem.users()[n].name, unplaced_name(filling.unplaced[n]));
  }
  return {{"discipline", filling.discipline}, {"placement", filling.placement}, {"label", outcome.mechanism},
          {"tie", tie_name(filling.tie)},     {"seed", filling.seed},           {"placed", filling.placed},
          {"errors", filling.errors},         {"unplaced", std::move(unplaced)}};
}

Json outcome_json(const Problem& problem, const MeasuredOutcome& measured, std::size_t most_steps) {
  const Outcome& outcome = measured.outcome;
  Json json = origin_json(problem, outcome);
  json["status"] = status_name(outcome.status);
  json["certificate"] = certificate_json(outcome.certificate);
  json["seconds"] = outcome.seconds;
  json["users"] = users_json(problem, measured);
  const GroupMetrics groups = measure_groups(problem, outcome.allocation);
  json["servers"] = servers_json(problem, outcome.allocation, groups);
  json["metrics"] = metrics_json(problem, measured.metrics, groups);
  json["notices"] = outcome.notices;
  if (outcome.filling && !outcome.filling->steps.empty())
    json["steps"] = steps_json(problem, *outcome.filling, most_steps);
  return json;
}

}  // namespace

Json comparison_json(const Comparison& comparison, std::size_t most_steps) {
  Json outcomes = Json::array();
  for (const MeasuredOutcome& each : comparison.outcomes)
    outcomes.push_back(outcome_json(comparison.problem, each, most_steps));
  return {{"version", 1},
          {"seed", comparison.seed},
          {"problem", problem_json(comparison.problem)},
          {"outcomes", std::move(outcomes)}};
}

}  // namespace mirab::report
