// The JSON that scripts and the report page read. Keys may be added, never renamed or dropped.

#include "report/outcome_json.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include <mirab/audit/group_metrics.hpp>
#include <mirab/model/classes.hpp>

#include "model/names.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

/// Appends without looking for the key first, which in ordered JSON would take a pass over the object.
void append(Json& object, const std::string& key, Json value) {
  object.get_ref<Json::object_t&>().push_back({key, std::move(value)});
}

/// {resource: value}, in the problem's order of resources.
Json by_resource(const Problem& problem, const std::vector<double>& values) {
  Json result = Json::object();
  for (std::size_t r = 0; r < values.size(); ++r) result[problem.resources()[r]] = values[r];
  return result;
}

/// Tasks that were counted are integers, tasks that were divided are doubles.
Json task_count(const Contender& contender, double tasks) {
  return contender.filling ? Json(static_cast<std::int64_t>(tasks)) : Json(tasks);
}

Json problem_json(const Problem& problem) {
  return {{"resources", problem.resources()},
          {"users", problem.user_count()},
          {"servers", total_servers(problem)},
          {"server_classes", merge(problem, MergeUsers::equal, MergeServers::equal).servers.size()}};
}

Json users_json(const Problem& problem, const Contender& contender) {
  const Allocation& allocation = contender.allocation;
  const auto granted = bundles(problem, allocation);
  const std::vector<std::size_t> dominant = dominant_resources(problem);
  Json users = Json::array();
  auto grant = allocation.grants.begin();
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    Json servers = Json::object();
    for (; grant != allocation.grants.end() && grant->user == n; ++grant) {
      append(servers, allocation.servers[grant->server].name,
             {{"tasks", task_count(contender, grant->tasks)},
              {"resources", by_resource(problem, grant->resources)}});
    }
    users.push_back({{"name", problem.users()[n].name},
                     {"weight", problem.users()[n].weight.value()},
                     {"tasks", task_count(contender, allocation.tasks[n])},
                     {"dominant_resource", problem.resources()[dominant[n]]},
                     {"dominant_share", contender.dominant_shares[n]},
                     {"resources", by_resource(problem, granted[n])},
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
               {"capacity", by_resource(problem, server.capacity)},
               {"used", by_resource(problem, server.used)}};
    if (!server.prices.empty()) entry["prices"] = by_resource(problem, server.prices);
    entry["consumption"] = by_resource(problem, groups.consumption[i]);
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
          {"utilization", by_resource(problem, metrics.utilization)},
          {"beta_dominant", metrics.beta_dominant},
          {"beta_non_dominant", metrics.beta_non_dominant},
          {"pareto_index", pareto_index_json(problem, groups)},
          {"sharing_incentive_index", groups.sharing_incentive_index},
          {"jain_dominant", by_resource(problem, groups.jain_dominant)},
          {"jain_non_dominant", by_resource(problem, groups.jain_non_dominant)}};
}

/// The indices of all steps, or of every so many and of each user's last.
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

Json steps_json(const Problem& problem, const Filling& filling, std::size_t most) {
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
Json origin_json(const Problem& problem, const Contender& contender) {
  if (!contender.filling) return {{"mechanism", contender.label}, {"label", contender.label}};
  const Filling& filling = *contender.filling;
  Json unplaced = Json::object();
  for (std::size_t n = 0; n < filling.unplaced.size(); ++n) {
    if (filling.unplaced[n] == Unplaced::nothing) continue;
    append(unplaced, problem.users()[n].name, unplaced_name(filling.unplaced[n]));
  }
  return {{"discipline", filling.discipline}, {"placement", filling.placement}, {"label", contender.label},
          {"tie", tie_name(filling.tie)},     {"seed", filling.seed},           {"placed", filling.placed},
          {"errors", filling.errors},         {"unplaced", std::move(unplaced)}};
}

Json contender_json(const Problem& problem, const Contender& contender, std::size_t most_steps) {
  Json outcome = origin_json(problem, contender);
  outcome["status"] = status_name(contender.status);
  outcome["certificate"] = {{"kind", contender.certificate.kind}, {"value", contender.certificate.value}};
  outcome["seconds"] = contender.seconds;
  outcome["users"] = users_json(problem, contender);
  const GroupMetrics groups = measure_groups(problem, contender.allocation);
  outcome["servers"] = servers_json(problem, contender.allocation, groups);
  outcome["metrics"] = metrics_json(problem, contender.metrics, groups);
  outcome["notices"] = contender.notices;
  if (contender.filling && !contender.filling->steps.empty()) {
    outcome["steps"] = steps_json(problem, *contender.filling, most_steps);
  }
  return outcome;
}

}  // namespace

Json comparison_json(const Comparison& comparison, std::size_t most_steps) {
  Json outcomes = Json::array();
  for (const Contender& contender : comparison.contenders) {
    outcomes.push_back(contender_json(comparison.problem, contender, most_steps));
  }
  return {{"version", 1},
          {"seed", comparison.seed},
          {"problem", problem_json(comparison.problem)},
          {"outcomes", std::move(outcomes)}};
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mirab::report
