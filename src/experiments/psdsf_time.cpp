// `psdsf-time`: how long PS-DSF and αPF-VDS (α = 1, 3) take on the data centre of `psdsf-bitbrains`, and on
// one with twice the servers and users. Paper 001 (Ravi Kiran and Srinuvas), figure 3.
//
// Printed: PS-DSF takes about 0.03 s at either size; αPF-VDS takes longer as α grows, and less than 1 s. 10
// runs, one after the other on one thread, 95 % intervals. The seconds are those that the mechanism itself
// took; they differ from run to run and from machine to machine, and are the only such numbers of all
// experiments. `sweep` lets each server answer the others in turn, as the paper's distributed algorithm does;
// our own algorithm is the other.
#include <array>
#include <cmath>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

#include "experiments/bitbrains_cluster.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"
#include "simulation/interval.hpp"
#include "simulation/streams.hpp"

namespace mirab::experiments {
namespace {

using simulation::Interval;

constexpr std::array<std::string_view, 5> kMechanisms = {
    "ps-dsf", "alpha-pf-vds:alpha=1", "alpha-pf-vds:alpha=3", "alpha-pf-vds:alpha=1,algorithm=sweep",
    "alpha-pf-vds:alpha=3,algorithm=sweep"};
constexpr std::array<std::int64_t, 2> kSizes = {1, 2};  // so many times the data centre
constexpr std::size_t kRuns = 10;
constexpr std::size_t kQuickRuns = 3;
constexpr double kPrintedPsDsf = 0.03;  // seconds
constexpr double kPrintedLimit = 1;

struct Timing {
  std::vector<double> seconds = {};  // [run]
  std::size_t users = 0;             // of the last run
  std::int64_t not_converged = 0;
};
using Timings = std::array<std::array<Timing, kMechanisms.size()>, kSizes.size()>;

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

Timings measured(const RunOptions& options) {
  Timings timings;
  const std::size_t runs = options.effort == Effort::quick ? kQuickRuns : kRuns;
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t s = 0; s < kSizes.size(); ++s) {
      Random random = simulation::stream(options.seed, "psdsf-time", {run, s});
      const Problem problem = drawn(kSizes[s], random);
      for (std::size_t m = 0; m < kMechanisms.size(); ++m) {
        const Result<Outcome> outcome = allocate(problem, kMechanisms[m]);
        MIRAB_ASSERT(static_cast<bool>(outcome), "these mechanisms take every problem");
        Timing& timing = timings[s][m];
        timing.seconds.push_back(outcome->seconds);
        timing.users = problem.user_count();
        timing.not_converged += outcome->status == Status::not_converged ? 1 : 0;
      }
    }
    if (options.progress) options.progress(static_cast<double>(run + 1) / static_cast<double>(runs));
  }
  return timings;
}

std::string named(std::size_t mechanism, std::size_t size) {
  return fmt::format("{}, {} servers", kMechanisms[mechanism], 120 * kSizes[size]);
}

Finding takes_less(const Timing& timing, std::string what, std::optional<double> printed, double limit) {
  const Interval taken = simulation::mean_interval(timing.seconds);
  return {.what = fmt::format("seconds of {}, below {}", what, limit),
          .printed = printed,
          .ours = taken.mean,
          .interval = {{taken.low, taken.high}},
          .holds = taken.mean < limit};
}

Table table_of(const Timings& timings) {
  Table table{.title = "Milliseconds, mean of the runs, with 95 % intervals",
              .head = {"mechanism", "120 servers", "240 servers"},
              .rows = {}};
  for (std::size_t m = 0; m < kMechanisms.size(); ++m) {
    std::vector<std::string> row = {std::string(kMechanisms[m])};
    for (std::size_t s = 0; s < kSizes.size(); ++s) {
      const Interval taken = simulation::mean_interval(timings[s][m].seconds);
      row.push_back(fmt::format("{:.2f} ± {:.2f}", 1e3 * taken.mean, 1e3 * (taken.high - taken.mean)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Reproduction run(const RunOptions& options) {
  const Timings timings = measured(options);
  Reproduction result;
  std::int64_t not_converged = 0;
  for (std::size_t s = 0; s < kSizes.size(); ++s) {
    result.findings.push_back(takes_less(timings[s][0], named(0, s), kPrintedPsDsf, 2 * kPrintedPsDsf));
    for (std::size_t m = 1; m < kMechanisms.size(); ++m)
      result.findings.push_back(takes_less(timings[s][m], named(m, s), {}, kPrintedLimit));
    for (const Timing& timing : timings[s]) not_converged += timing.not_converged;
  }
  result.findings.push_back(required("allocations without their certificate, 0",
                                     static_cast<double>(not_converged), not_converged == 0));
  result.tables.push_back(table_of(timings));
  result.remarks.push_back(
      fmt::format("Equal servers and users whose demands point the same way are merged before anything is "
                  "solved, so twice "
                  "the servers cost nothing; in the last run there were {} and {} users.",
                  timings[0][0].users, timings[1][0].users));
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
          .run = run};
}

}  // namespace mirab::experiments
