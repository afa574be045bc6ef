// The keys of `kind: reallocation` (docs/simulate.md). The files that it names are opened by whoever runs it.

#include <array>

#include <mirab/mechanisms/mechanism.hpp>

#include "simulation/scenario_kinds.hpp"

namespace mirab::simulation {

ReallocationScenario read_reallocation(const Node& root, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 11> kKeys = {
      kVersionKey, kKindKey, kOutputsKey, "cluster",  "workload", "mechanisms",
      "interval",  "window", "claimant",  "new_jobs", "duration"};
  static constexpr std::array<std::string_view, 2> kClaimants = {"job", "user"};
  static constexpr std::array<std::string_view, 2> kNewJobs = {"wait", "reallocate"};
  ReallocationScenario scenario;
  if (!fields.expect_map(root, "", kKeys)) return scenario;
  ReallocationOptions& options = scenario.options;
  scenario.cluster = fields.path(fields.required(root, "", "cluster"), "cluster");
  scenario.workload = fields.path(fields.required(root, "", "workload"), "workload");
  options.mechanisms =
      fields.choice_list(fields.required(root, "", "mechanisms"), "mechanisms", choose_mechanism);
  if (const Node* duration = root.find("duration")) {
    scenario.duration = fields.duration(*duration, "duration");
  }
  if (const Node* interval = root.find("interval")) {
    options.interval = fields.duration(*interval, "interval");
  }
  if (const Node* window = root.find("window")) options.window = fields.duration(*window, "window");
  if (const Node* claimant = root.find("claimant")) {
    options.claimant = fields.word(*claimant, "claimant", kClaimants) == 0 ? Claimant::job : Claimant::user;
  }
  if (const Node* new_jobs = root.find("new_jobs")) {
    options.new_jobs =
        fields.word(*new_jobs, "new_jobs", kNewJobs) == 0 ? NewJobs::wait : NewJobs::reallocate;
  }
  return scenario;
}

}  // namespace mirab::simulation
