#include "report/series_json.hpp"

namespace mirab::report {

using Json = nlohmann::ordered_json;

Json thinned(const std::vector<double>& values, std::size_t most) {
  if (values.size() <= most) return values;
  const std::size_t step = (values.size() + most - 1) / most;
  Json kept = Json::array();
  for (std::size_t i = 0; i < values.size(); i += step) kept.push_back(values[i]);
  if ((values.size() - 1) % step != 0) kept.push_back(values.back());
  return kept;
}

Json series_json(const std::vector<simulation::Series>& series, std::size_t most) {
  Json all = Json::array();
  for (const simulation::Series& each : series) {
    all.push_back({{"name", each.name}, {"values", thinned(each.values, most)}});
  }
  return all;
}

Json quantiles_json(const simulation::Quantiles& q) {
  return {{"count", q.count}, {"mean", q.mean}, {"p10", q.p10}, {"p50", q.p50},
          {"p90", q.p90},     {"p99", q.p99},   {"max", q.most}};
}

Json by_resource(const std::vector<std::string>& resources, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t r = 0; r < resources.size(); ++r) json[resources[r]] = values[r];
  return json;
}

}  // namespace mirab::report
