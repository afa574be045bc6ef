#include <mirab/overlay/scheduler.hpp>

#include "model/seconds.hpp"
#include "report/overlay_figures.hpp"
#include "report/overlay_frames_json.hpp"
#include "report/series_json.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::OverlayRun;

constexpr std::size_t kAllEntries = SIZE_MAX;

Json kinds_json(const OverlayRun& run) {
  Json kinds = Json::array();
  for (const simulation::MessageCount& each : run.kinds) {
    kinds.push_back({{"kind", each.kind}, {"messages", each.messages}, {"bytes", each.bytes}});
  }
  return kinds;
}

// By reason.
Json dropped_json(const OverlayRun& run) {
  Json dropped = Json::object();
  for (std::size_t reason = 0; reason < run.dropped.size(); ++reason) {
    dropped[std::string(overlay::name_of(static_cast<overlay::Drop>(reason)))] = run.dropped[reason];
  }
  return dropped;
}

Json violations_json(const OverlayRun& run) {
  Json violations = Json::array();
  for (const simulation::Violation& each : run.violations) {
    violations.push_back({{"promise", each.promise}, {"what", each.what}, {"at", in_seconds(each.at)}});
  }
  return violations;
}

Json shares_json(const Problem& cluster, const OverlayRun& run) {
  Json shares = Json::object();
  for (std::size_t n = 0; n < run.shares.size(); ++n) shares[cluster.users()[n].name] = run.shares[n];
  return shares;
}

Json run_json(const OverlayRuns& all, std::size_t index) {
  const OverlayRun& run = all.runs[index];
  const std::optional<double> ratio = ratio_to_centralised(all, index);
  Json json = {{"scheduler", all.scenario.names[index]},
               {"rule", overlay::row_of(all.scenario.rules[index].scheduler).name},
               {"seed", run.seed},
               {"min_share", run.min_share},
               {"gini", run.gini},
               {"deviation", run.deviation},
               {"mean_min_share", run.mean_min_share},
               {"wrong", run.wrong.front()},
               {"wrong_within", run.wrong},
               {"wrong_over_time", run.wrong_over_time},
               {"placements", run.placements},
               {"ticks", run.ticks},
               {"ratio", ratio ? Json(*ratio) : Json()},
               {"messages", run.messages},
               {"bytes", run.bytes},
               {"messages_per_tick_and_node", run.messages_per_tick_and_node},
               {"bytes_per_tick_and_node", run.bytes_per_tick_and_node},
               {"kinds", kinds_json(run)},
               {"lost", run.lost},
               {"dropped", dropped_json(run)},
               {"moved", run.moved},
               {"restarted", run.restarted},
               {"used", by_resource(all.cluster.resources(), run.used)},
               {"shares", shares_json(all.cluster, run)},
               {"violations", run.violation_count},
               {"violated", violations_json(run)}};
  if (all.scenario.frames > 0) json["frames"] = frames_json(run.frames, kAllEntries);
  return json;
}

}  // namespace

Json simulation_json(const OverlayRuns& all) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < all.runs.size(); ++i) runs.push_back(run_json(all, i));
  return {{"version", 1},
          {"kind", "overlay"},
          {"seed", all.seed},
          {"cluster", all.scenario.cluster},
          {"resources", all.cluster.resources()},
          {"servers", server_names(all.cluster)},
          {"users", all.cluster.user_count()},
          {"tick", in_seconds(all.scenario.tick)},
          {"tolerances", all.scenario.tolerances},
          {"runs", std::move(runs)},
          {"notices", notices_of(all)}};
}

}  // namespace mirab::report
