// Runs of the thesis' schedulers on clusters drawn from the Google trace, for one setting and for
// every number of neighbours, and serial DRF on random servers as the yardstick for their lowest
// shares.
#include "lab/experiments/ostman/runs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/overlay/scheduler.hpp>
#include <mirab/scheduling/fill.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/experiments/own_files.hpp"
#include "lab/simulation/base/replications.hpp"

namespace mirab::experiments {

// Clusters drawn from the Google trace. Östman, 5.1: "X amount of machines are picked at random from the
// google cluster trace, and Y amount of users … If a user contains several different tasks, one will be
// picked at random". The thesis' own draws are not published.

namespace {

Quantity amount(double value) {
  const Result<Quantity> quantity = Quantity::from(value);
  MIRAB_ASSERT(static_cast<bool>(quantity), "amounts of the tables are decimals");
  return *quantity;
}

// One of the rows, each as likely as its last column says, which then counts one less when it is taken.
std::size_t draw_row(const std::vector<std::vector<double>>& rows, Random& random) {
  std::uint64_t all = 0;
  for (const std::vector<double>& row : rows) all += static_cast<std::uint64_t>(row.back());
  std::uint64_t draw = random.below(all);
  for (std::size_t i = 0;; ++i) {
    const auto count = static_cast<std::uint64_t>(rows[i].back());
    if (draw < count) return i;
    draw -= count;
  }
}

std::vector<Server> machines_drawn(std::size_t count, Random random) {
  std::vector<std::vector<double>> kinds = data_rows("google2011_machines.csv");  // cpu, memory, machines
  std::vector<Server> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double>& kind = kinds[draw_row(kinds, random)];
    kind.back() -= 1;
    drawn.push_back({.name = fmt::format("m{}", i + 1), .capacity = {amount(kind[0]), amount(kind[1])}});
  }
  return drawn;
}

// The requests of each user: cpu, memory, tasks.
std::vector<std::vector<std::vector<double>>> requests_by_user() {
  std::vector<std::vector<std::vector<double>>> users;
  for (const std::vector<double>& row : data_rows("google2011_users.csv.gz")) {
    users.resize(std::max(users.size(), static_cast<std::size_t>(row[0])));
    users.back().push_back({row[1], row[2], row[3]});
  }
  return users;
}

std::vector<User> users_drawn(std::size_t count, Random random) {
  std::vector<std::vector<std::vector<double>>> all = requests_by_user();
  MIRAB_ASSERT(count <= all.size(), "the trace has 505 users");
  std::vector<User> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + random.below(all.size() - i)]);
    const std::vector<double>& request = all[i][draw_row(all[i], random)];
    drawn.push_back({.name = fmt::format("u{}", i + 1), .demand = {amount(request[0]), amount(request[1])}});
  }
  return drawn;
}

}  // namespace

Problem google_cluster(std::size_t machines, std::size_t users, std::uint64_t seed) {
  Result<Problem> problem = Problem::from(
      {.resources = {"cpu", "memory"},
       .servers = machines_drawn(machines, simulation::stream(seed, "ostman-machines", {machines})),
       .users = users_drawn(users, simulation::stream(seed, "ostman-users"))});
  MIRAB_ASSERT(static_cast<bool>(problem), "machines and requests of the trace make a cluster");
  return *std::move(problem);
}

// Runs of the thesis' schedulers, many settings at a time. Östman, chapter 5: allocation ticks of 100 ms;
// tasks never end, and users never stop to ask. The thesis ran each setting once; here each is run from
// several seeds.

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

simulation::OverlayRules rules_of(const OverlaySetting& setting) {
  simulation::OverlayRules rules{.scheduler = setting.scheduler, .options = {}};
  rules.options.gossip.view = setting.neighbours;
  rules.options.gossip.oldest = kOldest;
  rules.options.confirm = setting.confirm;
  return rules;
}

simulation::OverlayRun run_once(const OverlaySetting& setting, std::uint64_t seed) {
  simulation::OverlayScenario scenario;
  scenario.rules = {rules_of(setting)};
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
  decide(finding, Side::above, 1);
  if (!finding.holds && !finding.undecided)
    finding.note = "the other way round on clusters drawn from the trace";
  return finding;
}

Finding below_one(std::string what, std::span<const double> ratios) {
  Finding finding = on_ratios(std::move(what), ratios);
  decide(finding, Side::below, 1);
  if (!finding.holds && !finding.undecided)
    finding.note = "the other way round on clusters drawn from the trace";
  return finding;
}

Finding about(std::string what, double printed, std::span<const double> ratios, double tolerance) {
  const simulation::Interval ratio = ratio_over_seeds(ratios);
  Finding finding = compared(std::move(what), printed, ratio.mean, tolerance);
  if (ratios.size() > 1) finding.interval = {{ratio.low, ratio.high}};
  decide_near(finding, printed, tolerance);
  if (!finding.holds && !finding.undecided) finding.note = "not found on clusters drawn from the trace";
  return finding;
}

Finding at_least(std::string what, std::span<const double> parts, double bound) {
  Finding finding = with_interval(std::move(what), parts);
  decide(finding, Side::at_least, bound);
  return finding;
}

Finding at_most(std::string what, std::span<const double> parts, double bound) {
  Finding finding = with_interval(std::move(what), parts);
  decide(finding, Side::at_most, bound);
  return finding;
}

void add_point(Curve& curve, double x, const simulation::Interval& y) {
  curve.x.push_back(x);
  curve.y.push_back(y.mean);
  curve.low.push_back(y.low);
  curve.high.push_back(y.high);
}

// All schedulers at every number of neighbours: what tables 5.1 to 5.4 and figures 5.1 to 5.5, 5.8 to 5.10 of
// the thesis show (Östman, chapter 5).

using overlay::Scheduler;

const std::vector<SeedRuns>& Solutions::of(Scheduler scheduler) const {
  const auto at = std::find(schedulers.begin(), schedulers.end(), scheduler);
  MIRAB_ASSERT(at != schedulers.end(), "it was run");
  return runs[static_cast<std::size_t>(at - schedulers.begin())];
}

namespace {

// [setting]: the scheduler and the number of neighbours among those of the plan.
using Places = std::vector<std::pair<std::size_t, std::size_t>>;

std::pair<std::vector<OverlaySetting>, Places> placed_settings(const SolutionsPlan& plan) {
  std::vector<OverlaySetting> settings;
  Places where;
  // Many neighbours run longest, and dgdrf and pdgdrf stand last among the schedulers.
  for (std::size_t p = plan.neighbours.size(); p-- > 0;) {
    for (std::size_t s = plan.schedulers.size(); s-- > 0;) {
      if (p > 0 && overlay::row_of(plan.schedulers[s]).is_central) continue;
      settings.push_back({.machines = plan.machines,
                          .users = plan.users,
                          .scheduler = plan.schedulers[s],
                          .neighbours = plan.neighbours[p]});
      where.emplace_back(s, p);
    }
  }
  return {std::move(settings), std::move(where)};
}

}  // namespace

std::vector<OverlaySetting> settings_of(const SolutionsPlan& plan) { return placed_settings(plan).first; }

OwnFiles files_of(std::string_view id, std::span<const OverlaySetting> settings, const RunOptions& options) {
  const OverlaySetting& first = settings.front();
  simulation::OverlayScenario scenario;
  scenario.shuffles_per_tick = first.shuffles_per_tick;
  for (const OverlaySetting& setting : settings) {
    if (setting.machines == first.machines && setting.users == first.users &&
        setting.shuffles_per_tick == first.shuffles_per_tick)
      scenario.rules.push_back(rules_of(setting));
  }
  return overlay_files(
      id, google_cluster(first.machines, first.users, options.seed), scenario, options.seed,
      fmt::format("the runs from seed {} of {} settings of {}, on {} machines with {} users; for each "
                  "other seed the experiment draws another cluster",
                  options.seed, scenario.rules.size(), settings.size(), first.machines, first.users));
}

Solutions run_solutions(const SolutionsPlan& plan, const RunOptions& options) {
  const auto [settings, where] = placed_settings(plan);
  const std::vector<SeedRuns> runs = overlay_runs(settings, plan.seeds, options);
  Solutions solutions{
      .schedulers = plan.schedulers,
      .neighbours = {plan.neighbours.begin(), plan.neighbours.end()},
      .runs = std::vector(plan.schedulers.size(), std::vector<SeedRuns>(plan.neighbours.size()))};
  for (std::size_t i = 0; i < settings.size(); ++i) solutions.runs[where[i].first][where[i].second] = runs[i];
  for (std::size_t s = 0; s < plan.schedulers.size(); ++s) {
    if (overlay::row_of(plan.schedulers[s]).is_central)
      std::fill(solutions.runs[s].begin() + 1, solutions.runs[s].end(), solutions.runs[s].front());
  }
  return solutions;
}

std::vector<double> mean_over_neighbours(const Solutions& solutions, Scheduler scheduler, Measure measure,
                                         double from, double to) {
  const std::vector<SeedRuns>& runs = solutions.of(scheduler);
  std::vector<double> sums(runs.front().size());
  std::size_t numbers = 0;
  for (std::size_t p = 0; p < runs.size(); ++p) {
    if (solutions.neighbours[p] < from || solutions.neighbours[p] > to) continue;
    const std::vector<double> values = measured(runs[p], measure);
    std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
    ++numbers;
  }
  MIRAB_ASSERT(numbers > 0, "a number of neighbours lies there");
  for (double& sum : sums) sum /= static_cast<double>(numbers);
  return sums;
}

Figure figure_of(const Solutions& solutions, std::string_view title, std::string_view label, Measure measure,
                 std::span<const std::vector<double>> printed) {
  Figure figure{
      .title = std::string(title), .x_label = "neighbours", .y_label = std::string(label), .curves = {}};
  for (std::size_t s = 0; s < solutions.schedulers.size(); ++s) {
    Curve curve{.name = std::string(overlay::row_of(solutions.schedulers[s]).name), .x = {}, .y = {}};
    for (std::size_t p = 0; p < solutions.neighbours.size(); ++p)
      add_point(curve, solutions.neighbours[p], over_seeds(measured(solutions.runs[s][p], measure)));
    if (s < printed.size()) curve.printed = printed[s];
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Table table_of(const Solutions& solutions, std::string_view title, Measure measure, int decimals,
               std::span<const std::vector<double>> printed) {
  Table table{.title = std::string(title), .head = {"scheduler"}, .rows = {}};
  for (const double neighbours : solutions.neighbours) table.head.push_back(fmt::format("{}", neighbours));
  for (std::size_t s = 0; s < solutions.schedulers.size(); ++s) {
    std::vector<std::string> row{std::string(overlay::row_of(solutions.schedulers[s]).name)};
    for (std::size_t p = 0; p < solutions.neighbours.size(); ++p) {
      const double ours = over_seeds(measured(solutions.runs[s][p], measure)).mean;
      row.push_back(s < printed.size() && !printed[s].empty()
                        ? fmt::format("{:.{}f} ({:.{}f})", ours, decimals, printed[s][p], decimals)
                        : fmt::format("{:.{}f}", ours, decimals));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What a lowest share without a centre can be held against. The centralised scheduler goes through the
// servers in their order, a walk comes to them as good as at random. Serial DRF that gives each task to a
// server drawn from those where it fits is about a DGDRF that never errs and whose walks are never in vain;
// it stops when the poorest user's task fits nowhere, as DGDRF does. (No bound: DGDRF's tasks try their home
// first.)

namespace {

constexpr std::size_t kDraws = 40;  // for each seed

double least_share_by_serial_drf(const Problem& cluster, Random random) {
  const Result<Outcome> filled = fill(
      cluster,
      {.discipline = *choose_discipline("drf:blocking=freeze"), .placement = *choose_placement("random")},
      random);
  MIRAB_ASSERT(static_cast<bool>(filled), "the drawn clusters can be filled");
  return std::ranges::min(dominant_shares(cluster, filled->allocation));
}

}  // namespace

Yardstick yardstick_of(std::size_t machines, std::size_t users, const SeedRuns& centralised,
                       std::uint64_t first_seed) {
  Yardstick yardstick;
  for (std::uint64_t s = 0; s < centralised.size(); ++s) {
    const Problem cluster = google_cluster(machines, users, first_seed + s);
    std::vector<double> draws;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      draws.push_back(
          least_share_by_serial_drf(cluster, simulation::stream(first_seed + s, "ostman-yardstick", {draw})) /
          least_share(centralised[s]));
    }
    yardstick.means.push_back(mean(draws));
    yardstick.draws.insert(yardstick.draws.end(), draws.begin(), draws.end());
  }
  return yardstick;
}

std::string in_words(const Yardstick& yardstick, double nearly) {
  const auto below = std::ranges::count_if(yardstick.draws, [&](double draw) { return draw < nearly; });
  return fmt::format(
      "What random servers alone lose: serial DRF, each task on a random server where it fits, ends with "
      "{:.2f} of the centralised lowest share, the mean of {} draws for each seed; the draws lie between "
      "{:.2f} and "
      "{:.2f}, {} of {} below {}.",
      mean(yardstick.means), kDraws, std::ranges::min(yardstick.draws), std::ranges::max(yardstick.draws),
      below, yardstick.draws.size(), nearly);
}

std::vector<double> over_yardstick(std::vector<double> ratios, const Yardstick& yardstick) {
  std::ranges::transform(ratios, yardstick.means, ratios.begin(), std::divides<>());
  return ratios;
}

}  // namespace mirab::experiments
