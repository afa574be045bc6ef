#include <nlohmann/json.hpp>

#include "report/outcome_json.hpp"
#include "report/registry.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

Json options_json(std::span<const OptionInfo> options) {
  Json result = Json::array();
  for (const OptionInfo& option : options) {
    result.push_back({{"name", option.name},
                      {"default", option.fallback.empty() ? Json(nullptr) : Json(option.fallback)},
                      {"meaning", option.meaning}});
  }
  return result;
}

Json claims_json(std::span<const Claim> claims) {
  Json result = Json::array();
  for (const Claim& claim : claims) {
    result.push_back({{"property", property_name(claim.property)},
                      {"holds", claim.holds},
                      {"conditions",
                       {{"positive_demands", claim.conditions.positive_demands},
                        {"no_caps", claim.conditions.no_caps},
                        {"no_placement", claim.conditions.no_placement}}},
                      {"source", claim.source},
                      {"refuted", claim.refuted}});
  }
  return result;
}

Json mechanism_json(const Mechanism& row) {
  Json aliases = Json::array();
  for (const std::string_view alias : row.aliases) aliases.push_back(alias);
  return {{"name", row.name},
          {"aliases", std::move(aliases)},
          {"scope", scope_name(row.scope)},
          {"title", row.title},
          {"summary", row.summary},
          {"yardstick", row.yardstick},
          {"alpha", row.alpha},
          {"source", row.source},
          {"accepts",
           {{"weights", row.accepts.weights},
            {"caps", row.accepts.caps},
            {"placement", row.accepts.placement},
            {"zero_demands", row.accepts.zero_demands},
            {"demand_on", row.accepts.demand_on},
            {"several_servers", row.accepts.several_servers}}},
          {"options", options_json(row.options)},
          {"claims", claims_json(row.claims)}};
}

template <class Row>
Json rows_json(const std::vector<const Row*>& rows) {
  Json result = Json::array();
  for (const Row* row : rows) {
    result.push_back({{"name", row->name},
                      {"summary", row->summary},
                      {"source", row->source},
                      {"options", options_json(row->options)}});
  }
  return result;
}

}  // namespace

std::string registry_json(const Registry& registry) {
  Json mechanisms = Json::array();
  for (const Mechanism* row : registry.mechanisms) mechanisms.push_back(mechanism_json(*row));
  const Json json{{"version", 1},
                  {"mechanisms", std::move(mechanisms)},
                  {"disciplines", rows_json(registry.disciplines)},
                  {"placements", rows_json(registry.placements)}};
  return json_text(json, 2) + "\n";
}

}  // namespace mirab::report
