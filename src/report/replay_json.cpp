#include "report/series_json.hpp"
#include "report/simulation.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::ReplayOutcome;
using simulation::ReplayTally;
using simulation::ReplayUser;

void add_tally(Json& json, const ReplayTally& tally) {
  json["submitted"] = tally.submitted;
  json["started"] = tally.started;
  json["finished"] = tally.finished;
  json["still_running"] = tally.still_running;
  json["still_waiting"] = tally.still_waiting;
  json["lost"] = tally.lost;
  json["oversized"] = tally.oversized;
  json["cut"] = tally.cut;
  json["waiting"] = quantiles_json(tally.waiting);
  json["slowdown"] = quantiles_json(tally.slowdown);
  json["completion"] = quantiles_json(tally.completion);
  json["waiting_so_far"] = quantiles_json(tally.waiting_so_far);
}

Json user_json(const ReplayUser& user) {
  Json json = {{"name", user.name}};
  add_tally(json, user);
  json["share"] = user.share;
  json["unfairness"] = user.unfairness;
  json["starvation"] = user.starvation;
  json["starved"] = user.starved;
  return json;
}

Json summary_json(const ReplayOutcome& outcome) {
  Json json = {{"end", outcome.end},
               {"events", outcome.events},
               {"placements", outcome.placements},
               {"utilization", by_resource(outcome.resources, outcome.utilization)},
               {"used", outcome.used.empty() ? Json() : by_resource(outcome.resources, outcome.used)},
               {"unfairness", outcome.unfairness},
               {"starvation", outcome.starvation},
               {"starved_users", outcome.starved}};
  add_tally(json, outcome);
  return json;
}

Json contender_json(const ReplayOutcome& outcome, std::size_t most) {
  Json users = Json::array();
  for (const ReplayUser& user : outcome.users) users.push_back(user_json(user));
  return {{"discipline", outcome.discipline},
          {"placement", outcome.placement},
          {"summary", summary_json(outcome)},
          {"users", std::move(users)},
          {"times", thinned(outcome.times, most)},
          {"series", series_json(outcome.series, most)},
          {"utilization", series_json(outcome.utilization_over_time, most)},
          {"used", series_json(outcome.used_over_time, most)},
          {"shares", series_json(outcome.shares, most)},
          {"share_bands", series_json(outcome.share_bands, most)},
          {"notices", outcome.notices}};
}

}  // namespace

Json simulation_json(const ReplayRun& run, std::size_t most_samples) {
  const simulation::ReplayScale& scale = run.scenario.options.scale;
  Json contenders = Json::array();
  for (const ReplayOutcome& outcome : run.outcomes) {
    contenders.push_back(contender_json(outcome, most_samples));
  }
  return {{"version", 1},
          {"kind", "trace"},
          {"seed", run.seed},
          {"cluster", run.scenario.cluster},
          {"workload", run.scenario.workload},
          {"resources", run.resources},
          {"scale", {{"machines", scale.machines}, {"users", scale.users}, {"load", scale.load}}},
          {"contenders", std::move(contenders)}};
}

}  // namespace mirab::report
