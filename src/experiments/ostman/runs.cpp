// Runs of the thesis' schedulers, many settings at a time. Östman, chapter 5: allocation ticks of 100 ms;
// tasks never end, and users never stop to ask. The thesis ran each setting once; here each is run from
// several seeds.
#include "experiments/ostman/runs.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include <mirab/model/assert.hpp>

#include "experiments/means.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/worked_example.hpp"
#include "simulation/sweep.hpp"

namespace mirab::experiments {

class SharedRuns {
 public:
  struct RunOf {
    OverlaySetting setting;
    std::uint64_t seed = 1;

    friend auto operator<=>(const RunOf&, const RunOf&) = default;
  };
  std::map<RunOf, simulation::OverlayRun> runs;
};

std::shared_ptr<SharedRuns> no_runs_yet() { return std::make_shared<SharedRuns>(); }

namespace {

// Shuffles after which news is dropped. The thesis says nothing of it. With 50, the default, DGDRF waits
// twice as long for old news to go.
constexpr std::uint32_t kOldest = 12;

simulation::OverlayRun run_once(const OverlaySetting& setting, std::uint64_t seed) {
  simulation::OverlayScenario scenario;
  simulation::OverlayRules rules{.scheduler = setting.scheduler, .options = {}};
  rules.options.gossip.view = setting.neighbours;
  rules.options.gossip.oldest = kOldest;
  rules.options.confirm = setting.confirm;
  scenario.rules = {rules};
  scenario.shuffles_per_tick = setting.shuffles_per_tick;
  Result<std::vector<simulation::OverlayRun>> runs =
      simulation::run_overlay(google_cluster(setting.machines, setting.users, seed), scenario, seed, 1);
  MIRAB_ASSERT(static_cast<bool>(runs), "the thesis' scenarios can be run");
  return std::move(runs->front());
}

Finding on_ratios(std::string what, std::span<const double> ratios) {
  const simulation::Interval ratio = ratio_over_seeds(ratios);
  Finding finding{.what = std::move(what), .ours = ratio.mean};
  if (ratios.size() < 2) return finding;
  finding.interval = {{ratio.low, ratio.high}};
  if (ratio.low <= 1 && ratio.high >= 1) finding.note = "1 is in the interval: neither side is shown";
  return finding;
}

Finding with_interval(std::string what, std::span<const double> parts) {
  const simulation::Interval interval = over_seeds(parts);
  return {.what = std::move(what),
          .printed = {},
          .ours = interval.mean,
          .interval = {{interval.low, interval.high}}};
}

}  // namespace

std::vector<SeedRuns> overlay_runs(std::span<const OverlaySetting> settings, std::size_t seeds,
                                   const RunOptions& options) {
  const std::shared_ptr<SharedRuns> shared = options.shared ? options.shared : no_runs_yet();
  std::vector<SharedRuns::RunOf> missing;
  for (const OverlaySetting& setting : settings) {
    for (std::size_t s = 0; s < seeds; ++s) {
      const SharedRuns::RunOf run{setting, options.seed + s};
      if (!shared->runs.contains(run)) missing.push_back(run);
    }
  }
  std::vector<simulation::OverlayRun> fresh(missing.size());
  const auto task = [&](std::size_t i) { fresh[i] = run_once(missing[i].setting, missing[i].seed); };
  simulation::sweep(missing.size(), options.threads, task, options.progress);
  for (std::size_t i = 0; i < missing.size(); ++i) shared->runs[missing[i]] = std::move(fresh[i]);

  std::vector<SeedRuns> runs(settings.size());
  for (std::size_t setting = 0; setting < settings.size(); ++setting) {
    for (std::size_t s = 0; s < seeds; ++s)
      runs[setting].push_back(shared->runs.at({settings[setting], options.seed + s}));
  }
  return runs;
}

double least_share(const simulation::OverlayRun& run) { return run.min_share; }
double gini_of(const simulation::OverlayRun& run) { return run.gini; }
double deviation_of(const simulation::OverlayRun& run) { return run.deviation; }
double ticks_of(const simulation::OverlayRun& run) { return run.ticks; }

double wrong_part(const simulation::OverlayRun& run) {
  return run.placements == 0 ? 0
                             : static_cast<double>(run.wrong.front()) / static_cast<double>(run.placements);
}

std::vector<double> measured(const SeedRuns& runs, Measure measure) {
  std::vector<double> values;
  for (const simulation::OverlayRun& run : runs) values.push_back(measure(run));
  return values;
}

std::vector<double> ratios(const SeedRuns& runs, const SeedRuns& to, Measure measure) {
  MIRAB_ASSERT(runs.size() == to.size(), "the same seeds");
  std::vector<double> values;
  for (std::size_t seed = 0; seed < runs.size(); ++seed)
    values.push_back(measure(runs[seed]) / measure(to[seed]));
  return values;
}

simulation::Interval over_seeds(std::span<const double> values) {
  if (values.size() > 1) return simulation::mean_interval(values);
  return {.mean = mean(values), .low = mean(values), .high = mean(values)};
}

simulation::Interval ratio_over_seeds(std::span<const double> ratios) {
  if (ratios.size() == 1) return over_seeds(ratios);
  std::vector<double> logarithms;
  for (const double ratio : ratios) logarithms.push_back(std::log(ratio));
  const simulation::Interval mean = over_seeds(logarithms);
  return {.mean = std::exp(mean.mean), .low = std::exp(mean.low), .high = std::exp(mean.high)};
}

Finding above_one(std::string what, std::span<const double> ratios) {
  Finding finding = on_ratios(std::move(what), ratios);
  finding.holds = ratio_over_seeds(ratios).low > 1;
  if (!finding.holds && finding.note.empty())
    finding.note = "the other way round on clusters drawn from the trace";
  return finding;
}

Finding below_one(std::string what, std::span<const double> ratios) {
  Finding finding = on_ratios(std::move(what), ratios);
  finding.holds = ratio_over_seeds(ratios).high < 1;
  if (!finding.holds && finding.note.empty())
    finding.note = "the other way round on clusters drawn from the trace";
  return finding;
}

Finding about(std::string what, double printed, std::span<const double> ratios, double tolerance) {
  const simulation::Interval ratio = ratio_over_seeds(ratios);
  Finding finding = compared(std::move(what), printed, ratio.mean, tolerance);
  if (ratios.size() > 1) finding.interval = {{ratio.low, ratio.high}};
  if (!finding.holds) finding.note = "not found on clusters drawn from the trace";
  return finding;
}

Finding at_least(std::string what, std::span<const double> parts, double bound) {
  Finding finding = with_interval(std::move(what), parts);
  finding.holds = finding.ours >= bound;
  return finding;
}

Finding at_most(std::string what, std::span<const double> parts, double bound) {
  Finding finding = with_interval(std::move(what), parts);
  finding.holds = finding.ours <= bound;
  return finding;
}

void add_point(Curve& curve, double x, const simulation::Interval& y) {
  curve.x.push_back(x);
  curve.y.push_back(y.mean);
  curve.low.push_back(y.low);
  curve.high.push_back(y.high);
}

}  // namespace mirab::experiments
