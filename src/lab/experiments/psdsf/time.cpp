// `psdsf-time`: how long PS-DSF and αPF-VDS (α = 1, 3) take on the data centre of `psdsf-bitbrains`, and on
// one with twice the servers and users. Paper 001 (Ravi Kiran and Srinuvas), figure 3.
//
// Printed: PS-DSF takes about 0.03 s at either size; αPF-VDS takes longer as α grows, and less than 1 s. 10
// runs, one after the other on one thread, 95 % intervals. The seconds are those that the mechanism itself
// took: they differ from run to run and from machine to machine, and are the only such numbers of all
// experiments. With `sweep` each server answers the others in turn, as in the paper's distributed algorithm;
// our own solves for all servers together.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/psdsf/clusters.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/statistics.hpp"

namespace mirab::experiments {
namespace {

constexpr std::array<std::string_view, 5> kMechanisms = {
    "ps-dsf", "alpha-pf-vds:alpha=1", "alpha-pf-vds:alpha=3", "alpha-pf-vds:alpha=1,algorithm=sweep",
    "alpha-pf-vds:alpha=3,algorithm=sweep"};
constexpr std::size_t kTimedPsDsf = 0, kTimedAlpha1 = 1, kTimedAlpha3 = 2, kSweepAlpha1 = 3, kSweepAlpha3 = 4;
constexpr std::size_t kQuickMechanisms = kSweepAlpha1;  // those before: the sweeps take seconds
constexpr std::array<std::int64_t, 2> kSizes = {1, 2};  // multiples of the data centre
constexpr std::array<std::string_view, 2> kSizeNames = {"120 servers", "240 servers"};
constexpr std::size_t kTimeRuns = 10;
constexpr std::size_t kTimeQuickRuns = 3;
constexpr double kPrintedPsDsf = 0.03;  // seconds
constexpr double kPrintedLimit = 1;

// Of one mechanism at one size.
struct Timing {
  std::vector<double> seconds = {};  // [run]
  std::int64_t not_converged = 0;
};

struct Timings {
  std::array<std::vector<Timing>, kSizes.size()> of = {};  // [size][mechanism]
  std::array<std::size_t, kSizes.size()> users = {};       // of the last run
};

// The users of as many instants as the data centre has sizes.
Problem drawn(std::int64_t times, Random& random) {
  Cluster cluster{.resources = bitbrains_resources(), .servers = bitbrains_servers(times), .users = {}};
  for (std::int64_t part = 0; part < times; ++part) {
    for (User& user : bitbrains_users(random.below(kBitbrainsInstants))) {
      user.name = fmt::format("{} of {}", user.name, part);
      cluster.users.push_back(std::move(user));
    }
  }
  Result<Problem> problem = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(problem), "active machines are users");
  return *std::move(problem);
}

void measure(const Problem& problem, std::vector<Timing>& timings) {
  for (std::size_t m = 0; m < timings.size(); ++m) {
    const Result<Outcome> outcome = allocate(problem, kMechanisms[m]);
    MIRAB_ASSERT(static_cast<bool>(outcome), "these mechanisms take every problem");
    timings[m].seconds.push_back(outcome->seconds);
    timings[m].not_converged += outcome->status == Status::not_converged ? 1 : 0;
  }
}

Timings measured(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const std::size_t runs = quick ? kTimeQuickRuns : kTimeRuns;
  Timings timings;
  for (std::vector<Timing>& of_size : timings.of)
    of_size.resize(quick ? kQuickMechanisms : kMechanisms.size());
  for (std::size_t run_time = 0; run_time < runs; ++run_time) {
    for (std::size_t s = 0; s < kSizes.size(); ++s) {
      Random random = simulation::stream(options.seed, "psdsf-time", {run_time, s});
      const Problem problem = drawn(kSizes[s], random);
      timings.users[s] = problem.user_count();
      measure(problem, timings.of[s]);
    }
    if (options.progress) options.progress(static_cast<double>(run_time + 1) / static_cast<double>(runs));
  }
  return timings;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Finding takes_less(const Timing& timing, const std::string& what, double limit) {
  const double median = median_of(timing.seconds);
  return required(
      fmt::format("seconds of {}, solved for all servers together, median, below {}", what, limit), median,
      median < limit);
}

void check_timings(const std::vector<Timing>& timings, std::string_view size, Reproduction& result) {
  const auto named = [&](std::size_t m) { return fmt::format("{}, {}", kMechanisms[m], size); };
  result.findings.push_back(takes_less(timings[kTimedPsDsf], named(kTimedPsDsf), 10 * kPrintedPsDsf));
  result.findings.back().note = "printed: about 0.03 s, on another machine; held to its order of magnitude";
  for (const std::size_t m : {kTimedAlpha1, kTimedAlpha3})
    result.findings.push_back(takes_less(timings[m], named(m), kPrintedLimit));
}

// "Longer as α grows": told, and not held, as it is the machine's load that decides between the close ones.
Table growth_of(const Timings& timings) {
  constexpr std::array<std::array<std::size_t, 2>, 3> pairs = {
      {{kTimedAlpha1, kTimedPsDsf}, {kTimedAlpha3, kTimedAlpha1}, {kSweepAlpha3, kSweepAlpha1}}};
  Table table{
      .title = "Quotients of the medians; printed: PS-DSF takes least, and more as α grows from 1 to 3",
      .head = {"mechanism", "over", std::string(kSizeNames[0]), std::string(kSizeNames[1])},
      .rows = {}};
  for (const auto& [one, other] : pairs) {
    if (std::max(one, other) >= timings.of[0].size()) continue;
    std::vector<std::string> row = {std::string(kMechanisms[one]), std::string(kMechanisms[other])};
    for (const std::vector<Timing>& of_size : timings.of)
      row.push_back(
          fmt::format("{:.2f}", median_of(of_size[one].seconds) / median_of(of_size[other].seconds)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table table_of(const Timings& timings) {
  Table table{.title = "Milliseconds, mean of the runs, with 95 % intervals",
              .head = {"mechanism", std::string(kSizeNames[0]), std::string(kSizeNames[1])},
              .rows = {}};
  for (std::size_t m = 0; m < timings.of[0].size(); ++m) {
    std::vector<std::string> row = {std::string(kMechanisms[m])};
    for (const std::vector<Timing>& of_size : timings.of) {
      const simulation::Interval taken = simulation::mean_interval(of_size[m].seconds);
      row.push_back(fmt::format("{:.2f} ± {:.2f}", 1e3 * taken.mean, 1e3 * (taken.high - taken.mean)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Reproduction run_time(const RunOptions& options) {
  const Timings timings = measured(options);
  Reproduction result;
  std::int64_t not_converged = 0;
  for (std::size_t s = 0; s < kSizes.size(); ++s) {
    check_timings(timings.of[s], kSizeNames[s], result);
    for (const Timing& timing : timings.of[s]) not_converged += timing.not_converged;
  }
  result.findings.push_back(required("allocations without their certificate, 0",
                                     static_cast<double>(not_converged), not_converged == 0));
  result.tables = {table_of(timings), growth_of(timings)};
  result.remarks = {
      fmt::format(
          "Equal servers are merged before anything is solved, so twice the servers cost nothing; twice "
          "the users do ({} and {} in the last run).",
          timings.users[0], timings.users[1]),
      "The paper says less than 1 s of its distributed algorithm, which answers server by server. Held "
      "against it "
      "is our solver for all servers together. How closely the paper's algorithm settles is not in our text; "
      "ours "
      "by sweeps goes on to a relative regret of 1e-7, and its seconds, in the table, are not held against 1 "
      "s.",
      "Two sentences of the paper are no findings here, since the machine's load decides close quotients: "
      "that "
      "αPF-VDS takes longer as α grows, and that PS-DSF stays in the same range on twice the servers. The "
      "second "
      "table has the quotients."};
  return result;
}

}  // namespace

Experiment psdsf_time_row() {
  return {.id = "psdsf-time",
          .paper = "Ravi Kiran and Srinuvas, figure 3",
          .title = "Processing time of PS-DSF and αPF-VDS on a data centre and on one twice as large",
          .data =
              "stand-in: the data centre and the machines of psdsf-bitbrains; on the larger one those of two "
              "instants",
          .run = run_time};
}

}  // namespace mirab::experiments
