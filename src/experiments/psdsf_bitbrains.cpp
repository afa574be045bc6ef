// `psdsf-bitbrains`: how much of a data centre is used when the active Bitbrains machines share it, under
// αPF-VDS with α = 1, 3, ∞ (PS-DSF), DRFH and TSF. Paper 001 (Ravi Kiran and Srinuvas), figures 4 and 5.
//
// Printed: use falls as α grows; PS-DSF uses no less of any resource than DRFH and TSF, up to 20 % more. The
// bars' heights are not in our text. 100 runs, each on the machines that are active at an instant drawn at
// random; the use of a resource is the mean over servers of the part that is used, with 95 % intervals.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

#include "experiments/bitbrains_cluster.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"
#include "simulation/interval.hpp"
#include "simulation/streams.hpp"
#include "simulation/sweep.hpp"

namespace mirab::experiments {
namespace {

using simulation::Interval;

// By use, as the paper has it: each is said to use no less than the next.
constexpr std::array<std::string_view, 5> kMechanisms = {"alpha-pf-vds:alpha=1", "alpha-pf-vds:alpha=3",
                                                         "ps-dsf", "drfh", "tsf"};
constexpr std::size_t kPsDsf = 2;
constexpr std::size_t kRuns = 100;
constexpr std::size_t kQuickRuns = 8;
constexpr double kMostMore = 0.2;       // printed: "up to 20%"
constexpr double kMoreTolerance = 0.1;  // other servers and other instants than the paper's
constexpr double kNothing = 1e-6;       // certificates let use differ by less

// The mean over servers of the part that is used, [resource].
std::vector<double> use_of(const Allocation& allocation) {
  std::vector<double> use(allocation.servers.front().used.size());
  double servers = 0;
  for (const ServerUse& server : allocation.servers) servers += static_cast<double>(server.count);
  for (const ServerUse& server : allocation.servers) {
    for (std::size_t r = 0; r < use.size(); ++r)
      use[r] += static_cast<double>(server.count) / servers * server.used[r] / server.capacity[r];
  }
  return use;
}

struct Run {
  std::size_t instant = 0;
  std::vector<std::vector<double>> use = {};  // [mechanism][resource]
  std::int64_t not_converged = 0;
};

Run run_at(std::size_t instant) {
  const Result<Problem> problem = Problem::from({.resources = bitbrains_resources(),
                                                 .servers = bitbrains_servers(1),
                                                 .users = bitbrains_users(instant)});
  MIRAB_ASSERT(static_cast<bool>(problem), "active machines are users");
  Run run{.instant = instant};
  for (const std::string_view mechanism : kMechanisms) {
    const Result<Outcome> outcome = allocate(*problem, mechanism);
    MIRAB_ASSERT(static_cast<bool>(outcome), "these mechanisms take every problem");
    run.use.push_back(use_of(outcome->allocation));
    run.not_converged += outcome->status == Status::not_converged ? 1 : 0;
  }
  return run;
}

std::vector<Run> runs_of(const RunOptions& options) {
  std::vector<Run> runs(options.effort == Effort::quick ? kQuickRuns : kRuns);
  const auto task = [&](std::size_t index) {
    Random random = simulation::stream(options.seed, "psdsf-bitbrains", {index});
    runs[index] = run_at(random.below(kBitbrainsInstants));
  };
  simulation::sweep(runs.size(), options.threads, task, options.progress);
  return runs;
}

Interval mean_use(const std::vector<Run>& runs, std::size_t mechanism, std::size_t resource) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(run.use[mechanism][resource]);
  return simulation::mean_interval(values);
}

// How much more the one uses than the other in the same runs.
Interval mean_gain(const std::vector<Run>& runs, std::size_t one, std::size_t other, std::size_t resource) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(run.use[one][resource] - run.use[other][resource]);
  return simulation::mean_interval(values);
}

Finding uses_no_less(const std::vector<Run>& runs, std::size_t one, std::size_t other, std::size_t resource) {
  const Interval gain = mean_gain(runs, one, other, resource);
  return {.what = fmt::format("{}: use under {} less that under {}, ≥ 0", bitbrains_resources()[resource],
                              kMechanisms[one], kMechanisms[other]),
          .ours = gain.mean,
          .interval = {{gain.low, gain.high}},
          .holds = gain.mean >= -kNothing};
}

// Of PS-DSF over DRFH and TSF.
Finding largest_gain(const std::vector<Run>& runs) {
  double most = 0;
  for (std::size_t r = 0; r < bitbrains_resources().size(); ++r) {
    for (std::size_t other = kPsDsf + 1; other < kMechanisms.size(); ++other)
      most = std::max(most, mean_gain(runs, kPsDsf, other, r).mean);
  }
  return compared("the most that ps-dsf uses beyond drfh or tsf, of any resource", kMostMore, most,
                  kMoreTolerance);
}

Table table_of(const std::vector<Run>& runs) {
  Table table{.title = "Part of a server that is used, mean over servers and runs, with 95 % intervals",
              .head = {"mechanism"},
              .rows = {}};
  for (const std::string& resource : bitbrains_resources()) table.head.push_back(resource);
  for (std::size_t m = 0; m < kMechanisms.size(); ++m) {
    std::vector<std::string> row = {std::string(kMechanisms[m])};
    for (std::size_t r = 0; r < bitbrains_resources().size(); ++r) {
      const Interval use = mean_use(runs, m, r);
      row.push_back(fmt::format("{:.4f} ± {:.4f}", use.mean, use.high - use.mean));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Use of the processors at each instant that was drawn.
Figure figure_of(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.instant < b.instant; });
  const auto again = std::unique(runs.begin(), runs.end(),
                                 [](const Run& a, const Run& b) { return a.instant == b.instant; });
  runs.erase(again, runs.end());
  Figure figure{
      .title = "Use of the processors", .x_label = "hour of the day", .y_label = "part used", .curves = {}};
  for (std::size_t m = 0; m < kMechanisms.size(); ++m) {
    Curve curve{.name = std::string(kMechanisms[m]), .x = {}, .y = {}};
    for (const Run& run : runs) {
      curve.x.push_back(static_cast<double>(run.instant) / 2);
      curve.y.push_back(run.use[m][0]);
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Reproduction run(const RunOptions& options) {
  const std::vector<Run> runs = runs_of(options);
  Reproduction result;
  for (std::size_t r = 0; r < bitbrains_resources().size(); ++r) {
    result.findings.push_back(uses_no_less(runs, 0, 1, r));
    result.findings.push_back(uses_no_less(runs, 1, kPsDsf, r));
    for (std::size_t other = kPsDsf + 1; other < kMechanisms.size(); ++other)
      result.findings.push_back(uses_no_less(runs, kPsDsf, other, r));
  }
  result.findings.push_back(largest_gain(runs));
  std::int64_t not_converged = 0;
  for (const Run& one : runs) not_converged += one.not_converged;
  result.findings.push_back(required("allocations without their certificate, 0",
                                     static_cast<double>(not_converged), not_converged == 0));
  result.tables.push_back(table_of(runs));
  result.figures.push_back(figure_of(runs));
  return result;
}

}  // namespace

Experiment psdsf_bitbrains_row() {
  return {
      .id = "psdsf-bitbrains",
      .paper = "Ravi Kiran and Srinuvas, figures 4 and 5",
      .title = "Use of a data centre by Bitbrains machines under αPF-VDS, PS-DSF, DRFH and TSF",
      .data =
          "stand-in: the first day of the Bitbrains trace Rnd, 48 instants half an hour apart, all machines "
          "that then use CPU and memory, may run anywhere and take what they use; 120 servers, 40 at each "
          "place, with the slow network at the first two places and the fast one at the last",
      .run = run};
}

}  // namespace mirab::experiments
