// `ostman-gradient`: how many rounds a gradient takes, from a random graph in which everyone knows its own
// utility alone, until the centre is complete (the first P + 1 have exactly each other in their views,
// Östman, 3.3) and until 99 % of the servers have the view that true news of all would give them; and how
// many the centre takes to be complete again after it served and fell back, with and without a memory of who
// fell.
//
// View 10, peers 10, one exchange of either a round, partners drawn uniformly, entries dropped after 50
// rounds.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/ostman/gossip_rounds.hpp"
#include "lab/experiments/ostman/runs.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/statistics.hpp"

namespace mirab::experiments {
namespace {

struct Start {
  std::string_view name;
  double loss;
  overlay::Introduce introduce;
};

constexpr std::array<Start, 3> kStarts = {{
    {"no loss", 0, overlay::Introduce::last_asker},
    {"10 % of loss", 0.1, overlay::Introduce::last_asker},
    {"no loss, nobody is introduced", 0, overlay::Introduce::nobody},
}};
constexpr std::array<std::size_t, 2> kIntroducing = {0, 1};
constexpr std::size_t kNobody = 2;  // beside 0
constexpr std::array<std::size_t, 4> kViews = {2, 4, 7, 10};
constexpr std::array<std::size_t, 2> kRemembered = {0, 8};
constexpr std::size_t kHealedServers = 100;

struct Plan {
  std::vector<std::size_t> sizes;  // the largest first
  std::size_t seeds, rounds, healings, services;
};

Plan plan_of(Effort effort) {
  if (effort == Effort::quick)
    return {.sizes = {1000, 100}, .seeds = 5, .rounds = 200, .healings = 6, .services = 16};
  return {.sizes = {10000, 3000, 1000, 300, 100}, .seeds = 4, .rounds = 1000, .healings = 8, .services = 40};
}

// Mean rounds from a service of the centre until the next centre is complete.
double heal(std::size_t view, std::size_t remember, std::size_t services, Random random) {
  GossipRounds gossip(kHealedServers, {.view = view, .remember = remember}, 0, std::move(random));
  const auto complete = [&] { return gossip.ideal_views().centre == view + 1; };
  for (int round = 0; round < 60; ++round) gossip.round();
  std::size_t rounds = 0;
  for (std::size_t service = 0; service < services; ++service) {
    gossip.serve_centre();
    do {
      gossip.round();
      ++rounds;
    } while (!complete());
  }
  return static_cast<double>(rounds) / static_cast<double>(services);
}

struct Runs {
  std::vector<std::array<std::vector<Convergence>, kStarts.size()>> converged;  // [size][start][seed]
  std::array<std::array<std::vector<double>, kViews.size()>, kRemembered.size()>
      healed;  // [memory][view][seed]
};

Runs all_runs(const Plan& plan, const RunOptions& options) {
  Runs runs;
  runs.converged.resize(plan.sizes.size());
  for (auto& of_size : runs.converged) of_size.fill(std::vector<Convergence>(plan.seeds));
  for (auto& of_memory : runs.healed) of_memory.fill(std::vector<double>(plan.healings));
  const std::size_t cold = plan.sizes.size() * kStarts.size() * plan.seeds;
  const std::size_t again = kRemembered.size() * kViews.size() * plan.healings;
  const auto task = [&](std::size_t index) {
    if (index < cold) {
      const std::size_t seed = index % plan.seeds, run = index / plan.seeds;
      const std::size_t start = run % kStarts.size(), size = run / kStarts.size();
      runs.converged[size][start][seed] = converge(
          plan.sizes[size], {.introduce = kStarts[start].introduce}, kStarts[start].loss, plan.rounds,
          simulation::stream(options.seed, "ostman-gradient", {plan.sizes[size], seed}));
      return;
    }
    const std::size_t seed = (index - cold) % plan.healings, run = (index - cold) / plan.healings;
    const std::size_t view = run % kViews.size(), memory = run / kViews.size();
    runs.healed[memory][view][seed] =
        heal(kViews[view], kRemembered[memory], plan.services,
             simulation::stream(options.seed, "ostman-gradient-service", {kViews[view], seed}));
  };
  simulation::sweep(cold + again, options.threads, task, options.progress);
  return runs;
}

simulation::Interval rounds_of(const std::vector<Convergence>& runs, double Convergence::*until) {
  std::vector<double> rounds;
  for (const Convergence& run : runs) rounds.push_back(run.*until);
  return simulation::mean_interval(rounds);
}

Figure rounds_figure(const Plan& plan, const Runs& runs) {
  Figure figure{.title = "Rounds of a gradient from a cold start",
                .x_label = "servers K",
                .y_label = "rounds",
                .curves = {}};
  for (std::size_t start = 0; start < kStarts.size(); ++start) {
    const std::string_view name = kStarts[start].name;
    Curve most{.name = fmt::format("99 % of the views are ideal, {}", name), .x = {}, .y = {}};
    Curve centre{.name = fmt::format("the centre is complete, {}", name), .x = {}, .y = {}};
    for (std::size_t s = plan.sizes.size(); s-- > 0;) {
      const double servers = static_cast<double>(plan.sizes[s]);
      add_point(most, servers, rounds_of(runs.converged[s][start], &Convergence::most));
      add_point(centre, servers, rounds_of(runs.converged[s][start], &Convergence::centre));
    }
    figure.curves.push_back(std::move(most));
    figure.curves.push_back(std::move(centre));
  }
  return figure;
}

// Of the first seed: a picture of one convergence, not an estimate.
Figure ideal_figure(const Plan& plan, const Runs& runs) {
  Figure figure{.title = "Ideal views from a cold start, the first seed",
                .x_label = "rounds",
                .y_label = "part of the servers with their ideal view",
                .curves = {}};
  for (std::size_t s = 0; s < plan.sizes.size(); ++s) {
    for (std::size_t start = 0; start < kStarts.size(); ++start) {
      const std::vector<double>& ideal = runs.converged[s][start].front().ideal;
      Curve curve{
          .name = fmt::format("{} servers, {}", plan.sizes[s], kStarts[start].name), .x = {}, .y = ideal};
      for (std::size_t round = 1; round <= ideal.size(); ++round)
        curve.x.push_back(static_cast<double>(round));
      figure.curves.push_back(std::move(curve));
    }
  }
  return figure;
}

Figure heal_figure(const Runs& runs) {
  Figure figure{.title = fmt::format("Until the next centre of {} servers is complete", kHealedServers),
                .x_label = "neighbours P",
                .y_label = "rounds after a service",
                .curves = {}};
  for (std::size_t memory = 0; memory < kRemembered.size(); ++memory) {
    Curve curve{.name = fmt::format("{} that fell are remembered", kRemembered[memory]), .x = {}, .y = {}};
    for (std::size_t v = 0; v < kViews.size(); ++v)
      add_point(curve, static_cast<double>(kViews[v]), simulation::mean_interval(runs.healed[memory][v]));
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Finding held(std::string what, const simulation::Interval& found, double bound) {
  Finding finding{.what = std::move(what), .ours = found.mean, .interval = {{found.low, found.high}}};
  decide(finding, Side::at_most, bound);
  return finding;
}

Finding more_rounds(std::string what, const simulation::Interval& found, double bound) {
  Finding finding{.what = std::move(what), .ours = found.mean, .interval = {{found.low, found.high}}};
  decide(finding, Side::above, bound);
  return finding;
}

void check_cold_start(const Plan& plan, const Runs& runs, Reproduction& result) {
  const double root = std::sqrt(static_cast<double>(plan.sizes[0]));
  for (const std::size_t start : kIntroducing) {
    result.findings.push_back(
        held(fmt::format("rounds until the centre of {} servers is complete, {}, at most √K = {:.1f}",
                         plan.sizes[0], kStarts[start].name, root),
             rounds_of(runs.converged[0][start], &Convergence::centre), root));
    result.findings.push_back(
        held(fmt::format("rounds until 99 % of {} servers have their ideal views, {}, at most 2 √K = {:.1f}",
                         plan.sizes[0], kStarts[start].name, 2 * root),
             rounds_of(runs.converged[0][start], &Convergence::most), 2 * root));
  }
  std::vector<double> longer;
  for (std::size_t seed = 0; seed < plan.seeds; ++seed)
    longer.push_back(runs.converged[0][kNobody][seed].most / runs.converged[0][0][seed].most);
  result.findings.push_back(more_rounds(
      fmt::format("rounds until 99 % of {} servers have their ideal views when nobody is introduced, over "
                  "those when the last asker is: more than 1",
                  plan.sizes[0]),
      simulation::mean_interval(longer), 1));
}

void check_healing(const Runs& runs, Reproduction& result) {
  for (std::size_t v = 0; v < kViews.size(); ++v) {
    result.findings.push_back(held(fmt::format("rounds from a service until the next centre is complete, {} "
                                               "neighbours, 8 remembered, at most 10",
                                               kViews[v]),
                                   simulation::mean_interval(runs.healed[1][v]), 10));
  }
  std::vector<double> gained;
  for (std::size_t seed = 0; seed < runs.healed[0].back().size(); ++seed)
    gained.push_back(runs.healed[0].back()[seed] / runs.healed[1].back()[seed]);
  result.findings.push_back(more_rounds(
      fmt::format("rounds without memory over rounds with 8 remembered, {} neighbours: more than 2",
                  kViews.back()),
      simulation::mean_interval(gained), 2));
}

Reproduction run(const RunOptions& options) {
  const Plan plan = plan_of(options.effort);
  const Runs runs = all_runs(plan, options);
  Reproduction result;
  check_cold_start(plan, runs, result);
  check_healing(runs, result);
  result.figures = {rounds_figure(plan, runs), ideal_figure(plan, runs), heal_figure(runs)};
  result.remarks = {
      "Above 1,000 servers the rounds grow about like √K, not like log K: a server whose name nobody right "
      "behind it has kept is met again by chance. When that is one of the centre, the centre waits for it.",
      "Without a memory of who fell the centre that served stays at the head of the others' views, with the "
      "utility that it had, until that news is 50 rounds old: a server that drops it for its fall takes it "
      "again "
      "from one that has not heard.  The more neighbours, the longer it goes round."};
  return result;
}

}  // namespace

Experiment ostman_gradient_row() {
  return {.id = "ostman-gradient",
          .paper = "Östman, 3.3 and 4.4",
          .title = "Rounds until a gradient has converged, and until its centre has after a service",
          .data = "stand-in: utilities drawn uniformly; the thesis does not measure convergence",
          .run = run};
}

}  // namespace mirab::experiments
