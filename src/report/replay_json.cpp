#include <nlohmann/json.hpp>

#include "report/simulation.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::Quantiles;
using simulation::ReplayOutcome;
using simulation::ReplayUser;

Json quantiles_json(const Quantiles& q) {
  return {{"mean", q.mean}, {"p10", q.p10}, {"p50", q.p50}, {"p90", q.p90}, {"p99", q.p99}, {"max", q.most}};
}

Json user_json(const ReplayUser& user) {
  return {{"name", user.name},
          {"submitted", user.submitted},
          {"started", user.started},
          {"finished", user.finished},
          {"waiting", quantiles_json(user.waiting)},
          {"slowdown", quantiles_json(user.slowdown)},
          {"share", user.share},
          {"starved", user.starved}};
}

Json summary_json(const ReplayOutcome& outcome) {
  std::int64_t submitted = 0;
  std::int64_t started = 0;
  std::int64_t finished = 0;
  std::int64_t starved = 0;
  for (const ReplayUser& user : outcome.users) {
    submitted += user.submitted;
    started += user.started;
    finished += user.finished;
    starved += user.starved ? 1 : 0;
  }
  return {{"submitted", submitted},
          {"started", started},
          {"finished", finished},
          {"starved_users", starved},
          {"waiting", quantiles_json(outcome.waiting)},
          {"slowdown", quantiles_json(outcome.slowdown)},
          {"completion", quantiles_json(outcome.completion)},
          {"unfairness", outcome.unfairness}};
}

// Every so many of the values, and the last, so that a curve ends where it ended.
Json thinned(const std::vector<double>& values, std::size_t most) {
  if (values.size() <= most) return values;
  const std::size_t step = (values.size() + most - 1) / most;
  Json kept = Json::array();
  for (std::size_t i = 0; i < values.size(); i += step) kept.push_back(values[i]);
  if ((values.size() - 1) % step != 0) kept.push_back(values.back());
  return kept;
}

Json contender_json(const ReplayOutcome& outcome, std::size_t most) {
  Json json = {{"discipline", outcome.discipline}, {"placement", outcome.placement},
               {"events", outcome.events},         {"summary", summary_json(outcome)},
               {"users", Json::array()},           {"times", thinned(outcome.times, most)},
               {"series", Json::array()}};
  for (const ReplayUser& user : outcome.users) json["users"].push_back(user_json(user));
  for (const simulation::Series& series : outcome.series) {
    json["series"].push_back({{"name", series.name}, {"values", thinned(series.values, most)}});
  }
  return json;
}

}  // namespace

Json simulation_json(const ReplayRun& run, std::size_t most_samples) {
  const simulation::ReplayScale& scale = run.scenario.options.scale;
  Json json = {{"version", 1},
               {"kind", "trace"},
               {"seed", run.seed},
               {"cluster", run.scenario.cluster},
               {"workload", run.scenario.workload},
               {"resources", run.resources},
               {"scale", {{"machines", scale.machines}, {"users", scale.users}, {"load", scale.load}}},
               {"contenders", Json::array()}};
  for (const ReplayOutcome& outcome : run.outcomes) {
    json["contenders"].push_back(contender_json(outcome, most_samples));
  }
  return json;
}

}  // namespace mirab::report
