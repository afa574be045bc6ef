#include "report/text/json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace mirab::report {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json by_resource(const std::vector<std::string>& resources, std::span<const double> values) {
  Json json = Json::object();
  for (std::size_t r = 0; r < values.size(); ++r) json[resources[r]] = values[r];
  return json;
}

Json by_resource(const std::vector<std::string>& resources, const ResourceVector& amounts) {
  Json json = Json::object();
  for (std::size_t r = 0; r < amounts.size(); ++r) json[resources[r]] = amounts[r].value();
  return json;
}

void add_merged(Json& json, const Problem& problem, const Outcome& outcome) {
  const std::optional<Merged>& merged = problem.cluster().merged;
  if (!merged) return;
  Json levels = Json::array();
  for (const MergedLevel& level : outcome.merged_levels)
    levels.push_back(
        {{"users", level.users.size()}, {"bound", level.bound}, {"user_bound", level.user_bound}});
  json["merged"] = {{"nodes", merged->nodes},
                    {"classes", merged->classes},
                    {"largest_difference", merged->largest_difference},
                    {"levels", std::move(levels)}};
}

Json certificate_json(const Certificate& certificate) {
  return {{"kind", certificate.kind}, {"value", certificate.value}};
}

}  // namespace mirab::report
