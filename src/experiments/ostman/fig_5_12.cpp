// `ostman-5.12`: the run-time of PDGDRF with 2 neighbours over that of the centralised scheduler, by how
// often the gradient is updated: shuffles a tick with 20 users, ticks a shuffle with 100 users, on 100
// machines. Östman, figure 5.12; least shares as in figures A.2 and A.3.
#include <array>
#include <fmt/format.h>

#include "experiments/means.hpp"
#include "experiments/ostman/beside_central.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr std::size_t kMachines = 100;
constexpr std::array<std::size_t, 2> kUsers = {20, 100};
constexpr std::size_t kSeeds = 3, kQuickSeeds = 2;

std::vector<BesideCentralPlan> plans_of(Effort) {
  std::vector<BesideCentralPlan> plans = {{.name = "20 users, shuffles a tick", .settings = {}},
                                          {.name = "20 users, ticks a shuffle", .settings = {}},
                                          {.name = "100 users, ticks a shuffle", .settings = {}}};
  for (const double x : {1, 2, 3, 4, 5})
    plans[0].settings.push_back(
        {.x = x, .setting = {.machines = 100, .users = 20, .shuffles_per_tick = x}});
  for (const double x : {2, 3, 4})
    plans[1].settings.push_back(
        {.x = x, .setting = {.machines = 100, .users = 20, .shuffles_per_tick = 1 / x}});
  for (const double x : {1, 2, 3, 4, 5, 6})
    plans[2].settings.push_back(
        {.x = x, .setting = {.machines = 100, .users = 100, .shuffles_per_tick = 1 / x}});
  return plans;
}

Reproduction run(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const std::vector<BesideCentral> all =
      run_beside_central(plans_of(options.effort), quick ? kQuickSeeds : kSeeds, options);
  Reproduction result;
  result.findings.push_back(equal_ticks(all[0], 3, "20 users, 3 shuffles a tick: ratio of the ticks (equal: a fifth more or less)"));
  result.findings.push_back(equal_ticks(all[2], 5, "100 users, 5 ticks a shuffle: ratio of the ticks (equal: a fifth more or less)"));
  result.figures = {ticks_figure(all, "shuffles"), shares_figure(all, "users")};
  return result;
}

}  // namespace

Experiment ostman_5_12_row() {
  return {.id = "ostman-5.12",
          .paper = "Östman, figures 5.12, A.2 and A.3",
          .title = "Run-time of PDGDRF over the centralised one, by how often the gradient is updated",
          .data = "stand-in: machines and users drawn from part 0 of the Google trace",
          .run = run};
}

}  // namespace mirab::experiments
