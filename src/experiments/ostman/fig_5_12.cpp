// `ostman-5.12`: the run-time of PDGDRF with 2 neighbours over that of the centralised scheduler, by how
// often the gradient is updated: shuffles a tick with 20 users, ticks a shuffle with 100 users, on 100
// machines. Östman, figure 5.12; least shares as in figures A.2 and A.3.
#include <fmt/format.h>
#include <vector>

#include "experiments/means.hpp"
#include "experiments/ostman/beside_central.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr double kEqual = 0.2;   // of the ticks, more or less: the thesis' clusters are not published
constexpr double kLinear = 0.2;  // of a step of the curve
constexpr std::size_t kFull = 100, kQuick = 50;  // machines
constexpr std::size_t kSeeds = 5, kQuickSeeds = 1;

BesideCentralPlan per_tick(std::size_t machines, std::size_t users, const std::vector<double>& numbers) {
  BesideCentralPlan plan{.name = fmt::format("{} users, shuffles a tick", users), .settings = {}};
  for (const double x : numbers)
    plan.settings.push_back(
        {.x = x, .setting = {.machines = machines, .users = users, .shuffles_per_tick = x}});
  return plan;
}

BesideCentralPlan ticks_each(std::size_t machines, std::size_t users, const std::vector<double>& numbers) {
  BesideCentralPlan plan{.name = fmt::format("{} users, ticks a shuffle", users), .settings = {}};
  for (const double x : numbers)
    plan.settings.push_back(
        {.x = x, .setting = {.machines = machines, .users = users, .shuffles_per_tick = 1 / x}});
  return plan;
}

void hold_sentences(const BesideCentral& often, const BesideCentral& seldom, const BesideCentral& many,
                    Reproduction& result) {
  const auto step = [&](double from, double to) {
    return mean(seldom.ratio_at(to, ticks_of)) - mean(seldom.ratio_at(from, ticks_of));
  };
  result.findings = {
      above_one("20 users, 1 shuffle a tick: ratio of the ticks (above 1)", often.ratio_at(1, ticks_of)),
      about("20 users, 3 shuffles a tick: ratio of the ticks (equal: a fifth more or less)", 1,
            often.ratio_at(3, ticks_of), kEqual),
      about("20 users: the ratio's step from 3 to 4 ticks a shuffle over that from 2 to 3 (linear: a fifth "
            "more or less)",
            1, std::vector{step(3, 4) / step(2, 3)}, kLinear),
      below_one("100 users, 1 tick a shuffle: ratio of the ticks (below 1)", many.ratio_at(1, ticks_of)),
      about("100 users, 5 ticks a shuffle: ratio of the ticks (equal: a fifth more or less)", 1,
            many.ratio_at(5, ticks_of), kEqual)};
}

Reproduction run(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const std::size_t machines = quick ? kQuick : kFull;
  const std::vector<double> often = quick ? std::vector<double>{1, 3} : std::vector<double>{1, 2, 3, 4, 5};
  const std::vector<double> many = quick ? std::vector<double>{1, 5} : std::vector<double>{1, 2, 3, 4, 5, 6};
  const std::vector<BesideCentral> all = run_beside_central(
      {per_tick(machines, 20, often), ticks_each(machines, 20, {2, 3, 4}), ticks_each(machines, 100, many)},
      quick ? kQuickSeeds : kSeeds, options);
  Reproduction result;
  hold_sentences(all[0], all[1], all[2], result);
  result.figures = {ticks_figure(all, "shuffles a tick, or ticks a shuffle"),
                    shares_figure(all, "shuffles a tick, or ticks a shuffle")};
  result.remarks = {pace_of(all[0], 1), pace_of(all[2], 1), why_not_quicker()};
  return result;
}

}  // namespace

Experiment ostman_5_12_row() {
  return {.id = "ostman-5.12",
          .paper = "Östman, figures 5.12, A.2 and A.3",
          .title = "Run-time of PDGDRF over the centralised one, by how often the gradient is updated",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
