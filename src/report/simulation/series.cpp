#include "report/simulation/series.hpp"

#include <fmt/format.h>
#include <numeric>

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
  Json values = Json::array();
  Json parts = Json::array();
  for (const simulation::CdfStep& step : q.cdf) {
    values.push_back(step.value);
    parts.push_back(step.part);
  }
  return {{"count", q.count}, {"mean", q.mean},
          {"p10", q.p10},     {"p50", q.p50},
          {"p90", q.p90},     {"p99", q.p99},
          {"max", q.most},    {"cdf", {{"values", std::move(values)}, {"parts", std::move(parts)}}}};
}

std::vector<simulation::Series> course_series(const simulation::MechanismCourse& course,
                                              const std::vector<std::string>& resources) {
  std::vector<simulation::Series> all;
  const auto add = [&](const std::string& name, const simulation::Course& values) {
    if (!values.empty()) all.push_back({name, values});
  };
  const auto add_each = [&](const std::string& name, const std::vector<simulation::Course>& courses) {
    for (std::size_t r = 0; r < courses.size(); ++r)
      add(fmt::format("{} {}", name, resources[r]), courses[r]);
  };
  add_each("granted", course.granted);
  add_each("run", course.run);
  add("tasks", course.tasks);
  add("counted tasks", course.counted_tasks);
  add_each("jain dominant", course.jain_dominant);
  add_each("jain non-dominant", course.jain_non_dominant);
  add_each("dominant part", course.dominant_part);
  add_each("non-dominant part", course.non_dominant_part);
  add("beta dominant", course.beta_dominant);
  add("beta non-dominant", course.beta_non_dominant);
  add("sharing incentive", course.sharing_incentive);
  return all;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string user_label(std::size_t index) { return fmt::format("user {}", index + 1); }

}  // namespace mirab::report
