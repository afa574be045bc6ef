// `ostman-5.11`: the run-time of PDGDRF with 2 neighbours over that of the centralised scheduler, by the
// number of users, on 100 and 200 machines. Östman, figure 5.11; least shares as in figure A.1.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "experiments/means.hpp"
#include "experiments/ostman/beside_central.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr std::array<std::size_t, 2> kMachines = {100, 200};
constexpr std::array<std::size_t, 7> kUsers = {120, 100, 80, 60, 40, 20, 10};
constexpr std::size_t kSeeds = 3, kQuickSeeds = 2;

std::vector<BesideCentralPlan> plans_of(Effort effort) {
  std::vector<BesideCentralPlan> plans;
  for (const std::size_t machines : kMachines) {
    plans.push_back({.name = fmt::format("{} machines", machines), .settings = {}});
    for (const std::size_t users : kUsers)
      plans.back().settings.push_back({.x = static_cast<double>(users),
                                       .setting = {.machines = machines, .users = users}});
    if (effort == Effort::quick) break;
  }
  return plans;
}

Reproduction run(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const std::vector<BesideCentral> all =
      run_beside_central(plans_of(options.effort), quick ? kQuickSeeds : kSeeds, options);
  Reproduction result;
  for (const BesideCentral& beside : all) {
    result.findings.push_back(
        equal_ticks(beside, 40, fmt::format("{}, 40 users: ratio of the ticks (equal: a fifth more or less)", beside.name)));
    for (const double users : {10, 20})
      result.findings.push_back(
          slower(beside, users, fmt::format("{}, {} users: ratio of the ticks (above 1)", beside.name, users)));
    for (const double users : {60, 80, 100, 120})
      result.findings.push_back(
          faster(beside, users, fmt::format("{}, {} users: ratio of the ticks (below 1)", beside.name, users)));
  }
  result.figures = {ticks_figure(all, "users"), shares_figure(all, "users")};
  return result;
}

}  // namespace

Experiment ostman_5_11_row() {
  return {.id = "ostman-5.11",
          .paper = "Östman, figures 5.11 and A.1",
          .title = "Run-time of PDGDRF over the centralised one, by the number of users",
          .data = "stand-in: machines and users drawn from part 0 of the Google trace",
          .run = run};
}

}  // namespace mirab::experiments
