// `ostman-5.11`: the run-time of PDGDRF with 2 neighbours over that of the centralised scheduler, by the
// number of users, on 100 and 200 machines. Östman, figure 5.11; least shares as in figure A.1.
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "experiments/means.hpp"
#include "experiments/ostman/beside_central.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr double kEqual = 0.2;   // of the ticks, more or less: the thesis' clusters are not published
constexpr double kNoGain = 0.1;  // of the ratio

struct Plan {
  std::vector<std::size_t> machines, users;
  std::size_t seeds;
};

Plan plan_of(Effort effort) {
  if (effort == Effort::quick) return {.machines = {50}, .users = {10, 40, 80}, .seeds = 1};
  return {.machines = {100, 200}, .users = {10, 20, 40, 60, 80, 100, 120}, .seeds = 5};
}

std::vector<BesideCentral> run_all(const Plan& plan, const RunOptions& options) {
  std::vector<BesideCentralPlan> plans;
  for (const std::size_t machines : plan.machines) {
    plans.push_back({.name = fmt::format("{} machines", machines), .settings = {}});
    for (const std::size_t users : plan.users)
      plans.back().settings.push_back(
          {.x = static_cast<double>(users), .setting = {.machines = machines, .users = users}});
  }
  return run_beside_central(plans, plan.seeds, options);
}

Finding hold_at(const BesideCentral& beside, double users) {
  const std::vector<double> ratio = beside.ratio_at(users, ticks_of);
  const auto what = [&](std::string_view claim) {
    return fmt::format("{}, {} users: ratio of the ticks ({})", beside.name, users, claim);
  };
  if (users < 40) return above_one(what("above 1"), ratio);
  if (users > 40) return below_one(what("below 1"), ratio);
  return about(what("equal: a fifth more or less"), 1, ratio, kEqual);
}

void hold_no_gain(const BesideCentral& beside, Reproduction& result) {
  const std::vector<double> at_100 = beside.ratio_at(100, ticks_of), at_120 = beside.ratio_at(120, ticks_of);
  result.findings.push_back(about(
      fmt::format("{}: ratio with 120 users over that with 100 (no gain: a tenth more or less)", beside.name),
      1, std::vector{mean(at_120) / mean(at_100)}, kNoGain));
}

Reproduction run(const RunOptions& options) {
  const Plan plan = plan_of(options.effort);
  const std::vector<BesideCentral> all = run_all(plan, options);
  Reproduction result;
  for (const BesideCentral& beside : all) {
    for (const double users : beside.x) result.findings.push_back(hold_at(beside, users));
    result.remarks.push_back(pace_of(beside, beside.x.back()));
  }
  result.remarks.push_back(why_not_quicker());
  if (plan.users.back() == 120) hold_no_gain(all.front(), result);
  result.figures = {ticks_figure(all, "users"), shares_figure(all, "users")};
  return result;
}

}  // namespace

Experiment ostman_5_11_row() {
  return {.id = "ostman-5.11",
          .paper = "Östman, figures 5.11 and A.1",
          .title = "Run-time of PDGDRF over the centralised one, by the number of users",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
