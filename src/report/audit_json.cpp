#include <nlohmann/json.hpp>

#include "model/names.hpp"
#include "report/audit.hpp"
#include "report/comparison.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

Json amounts_json(const Cluster& cluster, const ResourceVector& amounts) {
  Json json = Json::object();
  for (std::size_t r = 0; r < amounts.size(); ++r) json[cluster.resources[r]] = amounts[r].value();
  return json;
}

Json server_json(const Cluster& cluster, const Server& server) {
  Json json{{"name", server.name}, {"capacity", amounts_json(cluster, server.capacity)}};
  if (server.count != 1) json["count"] = server.count;
  if (!server.labels.empty()) json["labels"] = server.labels;
  return json;
}

Json user_json(const Cluster& cluster, const User& user) {
  Json json{{"name", user.name}, {"demand", amounts_json(cluster, user.demand)}};
  if (user.weight != Quantity(1)) json["weight"] = user.weight.value();
  if (user.tasks) json["tasks"] = user.tasks->value();
  if (user.servers) json["servers"] = *user.servers;
  if (!user.select.empty()) json["select"] = user.select;
  for (const auto& [server, demand] : user.demand_on)
    json["demand_on"][server] = amounts_json(cluster, demand);
  return json;
}

// A cluster file.
Json cluster_json(const Cluster& cluster) {
  Json servers = Json::array();
  for (const Server& server : cluster.servers) servers.push_back(server_json(cluster, server));
  Json users = Json::array();
  for (const User& user : cluster.users) users.push_back(user_json(cluster, user));
  return {{"version", 1},
          {"resources", cluster.resources},
          {"servers", std::move(servers)},
          {"users", std::move(users)}};
}

// What happened, without the cluster.
Json event_json(const Witness& witness) {
  Json json{{"words", witness.words}};
  if (!witness.user.empty()) json["user"] = witness.user;
  if (!witness.other.empty()) json["other"] = witness.other;
  for (const auto& [name, number] : witness.numbers) json[name] = number;
  json["size"] = witness.size;
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json json{{"property", property_name(verdict.property)},
            {"decided", verdict.decided},
            {"holds", verdict.decided ? Json(verdict.holds) : Json(nullptr)},
            {"vacuous", verdict.vacuous},
            {"scope", verdict.scope == VerdictScope::instance ? "instance" : "searched"},
            {"tried", verdict.tried}};
  if (!verdict.note.empty()) json["note"] = verdict.note;
  if (verdict.witness) json["witness"] = event_json(*verdict.witness);
  if (verdict.smallest) json["smallest"] = witness_json(*verdict.smallest);
  return json;
}

}  // namespace

Json witness_json(const Witness& witness) {
  Json json = event_json(witness);
  json["cluster"] = cluster_json(witness.problem);
  if (witness.changed) json["changed"] = cluster_json(*witness.changed);
  return json;
}

Json audit_json(const Audited& audited) {
  Json outcomes = Json::array();
  for (const MechanismAudit& audit : audited.mechanisms) {
    Json verdicts = Json::array();
    for (const Verdict& verdict : audit.verdicts) verdicts.push_back(verdict_json(verdict));
    Json outcome{{"mechanism", audit.mechanism}};
    if (audit.refused)
      outcome["refused"] = audit.refused->message;
    else
      outcome["status"] = status_name(audit.status);
    outcome["properties"] = std::move(verdicts);
    outcomes.push_back(std::move(outcome));
  }
  return {{"version", 1},
          {"audited", audited.title},
          {"budget", audited.budget},
          {"seed", audited.seed},
          {"outcomes", std::move(outcomes)}};
}

Json claims_json(const AuditedClaims& audited) {
  Json claims = Json::array();
  for (const ClaimAudit& each : audited.claims) {
    const Conditions& conditions = each.claim.conditions;
    claims.push_back({{"mechanism", each.mechanism},
                      {"property", property_name(each.claim.property)},
                      {"printed", printed_word(each.claim)},
                      {"conditions",
                       {{"positive_demands", conditions.positive_demands},
                        {"no_caps", conditions.no_caps},
                        {"no_placement", conditions.no_placement}}},
                      {"source", each.claim.source},
                      {"found", verdict_json(each.verdict)}});
  }
  return {{"version", 1},
          {"clusters", audited.clusters},
          {"budget", audited.budget},
          {"seed", audited.seed},
          {"claims", std::move(claims)}};
}

}  // namespace mirab::report
