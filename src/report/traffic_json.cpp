#include "report/series_json.hpp"
#include "report/simulation.hpp"
#include "simulation/traffic/sizes_text.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::TrafficClass;
using simulation::TrafficModel;
using simulation::TrafficPoint;
using simulation::TrafficScenario;

Json class_json(const TrafficScenario& scenario, const TrafficClass& job_class) {
  const bool honest = job_class.claims.empty();
  return {{"name", job_class.name},
          {"demand", by_resource(scenario.resources, job_class.demand)},
          {"claims", by_resource(scenario.resources, honest ? job_class.demand : job_class.claims)},
          {"arrivals", job_class.arrivals},
          {"permanent", job_class.permanent}};
}

Json point_json(const TrafficScenario& scenario, const TrafficPoint& point) {
  return {{"load", point.load},
          {"mechanism", scenario.mechanisms[point.mechanism].text},
          {"class", scenario.classes[point.job_class].name},
          {"service_rate", point.service_rate},
          {"interval", {point.low, point.high}},
          {"jobs", point.jobs},
          {"stable", point.stable},
          {"settled", point.settled}};
}

}  // namespace

Json simulation_json(const TrafficRun& run) {
  const TrafficScenario& scenario = run.scenario;
  const bool fluid = scenario.model == TrafficModel::fluid;
  Json json = {{"version", 1},
               {"kind", "traffic"},
               {"seed", run.outcome.seed},
               {"events", run.outcome.events},
               {"model", fluid ? "fluid" : "tasks"},
               {"sizes", simulation::sizes_text(scenario.sizes)},
               {"capacity", by_resource(scenario.resources, scenario.capacity)},
               {"load_resource", scenario.resources[scenario.load_resource]},
               {"jobs", scenario.jobs}};
  if (!fluid) {
    json["tasks_per_job"] = scenario.tasks_per_job;
    json["blocking"] = scenario.freeze ? "freeze" : "skip";
  }
  json["mechanisms"] = Json::array();
  for (const Choice& mechanism : scenario.mechanisms) json["mechanisms"].push_back(mechanism.text);
  json["classes"] = Json::array();
  for (const TrafficClass& each : scenario.classes) json["classes"].push_back(class_json(scenario, each));
  json["points"] = Json::array();
  for (const TrafficPoint& point : run.outcome.points) json["points"].push_back(point_json(scenario, point));
  json["notices"] = notices_of(run);
  return json;
}

}  // namespace mirab::report
