#include <nlohmann/json.hpp>

#include "model/names.hpp"
#include "report/comparison.hpp"
#include "report/explanation.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

Json user_json(const Explained& explained) {
  const Problem& problem = explained.problem;
  const Explanation& explanation = explained.explanation;
  const Allocation& allocation = explanation.outcome.allocation;
  const User& user = problem.users()[explanation.user];
  Json demand = Json::object();
  for (std::size_t r = 0; r < user.demand.size(); ++r)
    demand[problem.resources()[r]] = user.demand[r].value();
  Json servers = Json::object();
  for (const Grant& grant : allocation.grants) {
    if (grant.user == explanation.user) servers[allocation.servers[grant.server].name] = grant.tasks;
  }
  return {{"name", user.name},
          {"weight", user.weight.value()},
          {"demand", std::move(demand)},
          {"limit", user.tasks ? Json(user.tasks->value()) : Json()},
          {"tasks", allocation.tasks[explanation.user]},
          {"dominant_resource", problem.resources()[dominant_resources(problem)[explanation.user]]},
          {"dominant_share", explanation.dominant_share},
          {"has_all_tasks", explanation.has_all_tasks},
          {"servers", std::move(servers)}};
}

Json binding_json(const Explained& explained, const Binding& binding) {
  const Allocation& allocation = explained.explanation.outcome.allocation;
  Json servers = Json::array();
  for (const std::size_t i : binding.servers) servers.push_back(allocation.servers[i].name);
  Json others = Json::array();
  for (const Holding& other : binding.others) {
    others.push_back({{"user", explained.problem.users()[other.user].name}, {"held", other.amount}});
  }
  Json json{{"servers", std::move(servers)},
            {"resource", explained.problem.resources()[binding.resource]},
            {"capacity", binding.capacity},
            {"held", binding.held},
            {"level", binding.level}};
  if (binding.price) json["price"] = *binding.price;
  json["others"] = std::move(others);
  return json;
}

Json what_if_json(const Explained& explained, const WhatIf& what_if) {
  const Change& change = what_if.change;
  Json servers = Json::array();
  for (const std::size_t i : change.servers) servers.push_back(explained.problem.servers()[i].name);
  Json json{{"change", change_name(change.kind)}, {"servers", std::move(servers)}};
  if (change.kind == ChangeKind::unit) json["resource"] = explained.problem.resources()[change.resource];
  json["amount"] = change.amount.value();
  json["tasks"] = what_if.tasks;
  json["gain"] = what_if.gain;
  json["status"] = status_name(what_if.status);
  return json;
}

}  // namespace

Json explanation_json(const Explained& explained) {
  const Explanation& explanation = explained.explanation;
  const Outcome& outcome = explanation.outcome;
  Json bindings = Json::array();
  for (const Binding& binding : explanation.bindings) bindings.push_back(binding_json(explained, binding));
  Json what_ifs = Json::array();
  for (const WhatIf& what_if : explanation.what_ifs) what_ifs.push_back(what_if_json(explained, what_if));
  return {{"version", 1},
          {"cluster", explained.title},
          {"mechanism", outcome.mechanism},
          {"status", status_name(outcome.status)},
          {"certificate", {{"kind", outcome.certificate.kind}, {"value", outcome.certificate.value}}},
          {"seconds", outcome.seconds},
          {"user", user_json(explained)},
          {"bindings", std::move(bindings)},
          {"what_ifs", std::move(what_ifs)},
          {"untried", explanation.untried},
          {"notices", outcome.notices}};
}

}  // namespace mirab::report
