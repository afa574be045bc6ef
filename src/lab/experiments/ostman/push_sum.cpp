// `ostman-push-sum`: how soon push-sum (Östman, Algorithm 2; Kempe, Dobra and Gehrke 2003) is within 1 % at
// every server, with and without loss, against the number of servers.
//
// Every server has x_i, uniform in (0, 1], begins with the weight 1, and sends half of what it has to one of
// its peer-sampling view each round. What is held: O(log K) rounds, at 10 % of loss too, as three times
// log2 K; from 100 to 10,000 servers, log2 K doubles. Beside it the sum of Algorithm 2, whose weight is 1 at
// one server alone: of the same shares it is (mean of the x_i) / (mean of the weights).
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/ostman/gossip_rounds.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/statistics.hpp"

namespace mirab::experiments {
namespace {

constexpr double kWithin = 0.01;
constexpr std::array<double, 2> kLosses = {0, 0.1};
constexpr std::array<std::string_view, 2> kLossNames = {"no loss", "10 % of loss"};
constexpr std::size_t kRounds = 45;

struct PushSumPlan {
  std::vector<std::size_t> sizes;  // the largest first
  std::size_t seeds;
};

PushSumPlan push_sum_plan(Effort effort) {
  if (effort == Effort::quick) return {.sizes = {3000, 300, 100}, .seeds = 2};
  return {.sizes = {10000, 3000, 1000, 300, 100}, .seeds = 8};
}

// The largest relative error of all servers, by round.
struct PushSumErrors {
  std::vector<double> mean, sum;

  double rounds_until_within() const {
    const auto last = std::find_if(mean.rbegin(), mean.rend(), [](double error) { return error > kWithin; });
    return static_cast<double>(mean.rend() - last) + 1;
  }
};

// One plan's runs: [size][loss][seed].
using PushSumRuns = std::vector<std::array<std::vector<PushSumErrors>, kLosses.size()>>;

PushSumErrors errors_of(std::size_t servers, double loss, Random random) {
  GossipRounds gossip(servers, {}, loss, std::move(random));
  double total = 0;
  for (const GossipServer& server : gossip.servers()) total -= server.own.utility;
  PushSumErrors errors;
  for (std::size_t round = 0; round < kRounds; ++round) {
    gossip.round();
    double mean = 0, sum = 0;
    for (const GossipServer& server : gossip.servers()) {
      const std::vector<double> found = *server.push_sum.present();
      mean = std::max(mean, std::abs(found[0] * static_cast<double>(servers) / total - 1));
      sum = std::max(sum, std::abs(found[0] / found[1] / total - 1));
    }
    errors.mean.push_back(mean);
    errors.sum.push_back(sum);
  }
  return errors;
}

PushSumRuns all_runs(const PushSumPlan& plan, const RunOptions& options) {
  PushSumRuns runs(plan.sizes.size());
  for (auto& of_size : runs)
    for (std::vector<PushSumErrors>& of_loss : of_size) of_loss.resize(plan.seeds);
  const std::size_t each = kLosses.size() * plan.seeds;
  simulation::sweep(
      plan.sizes.size() * each, options.threads,
      [&](std::size_t task) {
        const std::size_t size = task / each, loss = task % kLosses.size(),
                          seed = task % each / kLosses.size();
        runs[size][loss][seed] =
            errors_of(plan.sizes[size], kLosses[loss],
                      simulation::stream(options.seed, "ostman-push-sum", {plan.sizes[size], seed}));
      },
      options.progress);
  return runs;
}

simulation::Interval rounds_of(const std::vector<PushSumErrors>& runs) {
  std::vector<double> rounds;
  for (const PushSumErrors& errors : runs) rounds.push_back(errors.rounds_until_within());
  return simulation::mean_interval(rounds);
}

Curve error_curve(std::string name, const std::vector<PushSumErrors>& runs,
                  std::vector<double> PushSumErrors::*which) {
  Curve curve{.name = std::move(name), .x = {}, .y = {}};
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::vector<double> errors;
    for (const PushSumErrors& run_push_sum : runs) errors.push_back((run_push_sum.*which)[round]);
    const simulation::Interval interval = simulation::mean_interval(errors);
    if (!std::isfinite(interval.mean)) continue;  // the one server's weight has not reached all
    curve.x.push_back(static_cast<double>(round + 1));
    curve.y.push_back(interval.mean);
    curve.low.push_back(std::max(interval.low, 0.0));
    curve.high.push_back(interval.high);
  }
  return curve;
}

Figure error_figure(const PushSumPlan& plan, const PushSumRuns& runs) {
  Figure figure{.title = fmt::format("Push-sum at {} servers", plan.sizes[0]),
                .x_label = "rounds",
                .y_label = "largest relative error of all servers",
                .curves = {}};
  for (std::size_t l = 0; l < kLosses.size(); ++l) {
    figure.curves.push_back(
        error_curve(fmt::format("mean, {}", kLossNames[l]), runs[0][l], &PushSumErrors::mean));
    figure.curves.push_back(error_curve(fmt::format("sum by one server's weight, {}", kLossNames[l]),
                                        runs[0][l], &PushSumErrors::sum));
  }
  return figure;
}

Figure push_sum_rounds_figure(const PushSumPlan& plan, const PushSumRuns& runs) {
  Curve rounds{.name = "rounds until all are within 1 %, no loss", .x = {}, .y = {}};
  Curve bound{.name = "3 log2 K", .x = {}, .y = {}};
  for (std::size_t s = plan.sizes.size(); s-- > 0;) {
    const simulation::Interval found = rounds_of(runs[s][0]);
    const double size = static_cast<double>(plan.sizes[s]);
    for (Curve* curve : {&rounds, &bound}) curve->x.push_back(size);
    rounds.y.push_back(found.mean);
    rounds.low.push_back(found.low);
    rounds.high.push_back(found.high);
    bound.y.push_back(3 * std::log2(size));
  }
  return {.title = "Push-sum against the number of servers",
          .x_label = "servers K",
          .y_label = "rounds",
          .curves = {std::move(rounds), std::move(bound)}};
}

Table left_table(const PushSumPlan& plan, const PushSumRuns& runs) {
  Table table{
      .title = fmt::format("Largest relative error after {} rounds, mean of the runs, per cent", kRounds),
      .head = {"servers", "mean, no loss", "mean, 10 % of loss", "sum by one server's weight, 10 % of loss"},
      .rows = {}};
  const auto last = [](const std::vector<PushSumErrors>& of, std::vector<double> PushSumErrors::*which) {
    double sum = 0;
    for (const PushSumErrors& run_push_sum : of) sum += (run_push_sum.*which).back();
    return fmt::format("{:.3f}", 100 * sum / static_cast<double>(of.size()));
  };
  for (std::size_t s = plan.sizes.size(); s-- > 0;)
    table.rows.push_back({fmt::format("{}", plan.sizes[s]), last(runs[s][0], &PushSumErrors::mean),
                          last(runs[s][1], &PushSumErrors::mean), last(runs[s][1], &PushSumErrors::sum)});
  return table;
}

Finding within_logarithm(const PushSumPlan& plan, const PushSumRuns& runs, std::size_t loss) {
  const simulation::Interval rounds = rounds_of(runs[0][loss]);
  const double bound = 3 * std::log2(static_cast<double>(plan.sizes[0]));
  Finding finding{.what = fmt::format("rounds until the estimates of {} servers are all within 1 % for "
                                      "good, {}, at most 3 log2 K = {:.1f}",
                                      plan.sizes[0], kLossNames[loss], bound),
                  .ours = rounds.mean,
                  .interval = {{rounds.low, rounds.high}}};
  decide(finding, Side::at_most, bound);
  return finding;
}

Finding grows_like_the_logarithm(const PushSumPlan& plan, const PushSumRuns& runs) {
  const double grown = rounds_of(runs.front()[0]).mean / rounds_of(runs.back()[0]).mean;
  const double logarithms =
      std::log(static_cast<double>(plan.sizes.front())) / std::log(static_cast<double>(plan.sizes.back()));
  return required(
      fmt::format("rounds at {} servers over rounds at {}, no loss, at most as their logarithms: {:.2f}",
                  plan.sizes.front(), plan.sizes.back(), logarithms),
      grown, grown <= logarithms);
}

Finding sum_suffers(const PushSumPlan& plan, const PushSumRuns& runs) {
  double error = 0;
  for (const PushSumErrors& run_push_sum : runs[0][1])
    error += run_push_sum.sum.back() / static_cast<double>(runs[0][1].size());
  return required(
      fmt::format("relative error of the sum by one server's weight at {} servers, 10 % of loss: above 1 %",
                  plan.sizes[0]),
      error, error > kWithin);
}

Reproduction run_push_sum(const RunOptions& options) {
  const PushSumPlan plan = push_sum_plan(options.effort);
  const PushSumRuns runs = all_runs(plan, options);
  Reproduction result;
  result.findings = {within_logarithm(plan, runs, 0), within_logarithm(plan, runs, 1),
                     grows_like_the_logarithm(plan, runs), sum_suffers(plan, runs)};
  result.figures = {error_figure(plan, runs), push_sum_rounds_figure(plan, runs)};
  result.tables = {left_table(plan, runs)};
  result.remarks = {
      "Lost shares take as much of the weight as of the sum, so means stay near; a sum has all its weight at "
      "one server at first, and a share lost then is a large part of it. Shares relative to the mean server "
      "are in the order of shares relative to the whole cluster: means are what the schedulers take."};
  return result;
}

}  // namespace

Experiment ostman_push_sum_row() {
  return {.id = "ostman-push-sum",
          .paper = "Östman, Algorithm 2",
          .title = "Rounds until push-sum is within 1 %, with and without loss",
          .data = "stand-in: x_i drawn uniformly; the thesis measures no push-sum",
          .run = run_push_sum};
}

}  // namespace mirab::experiments
