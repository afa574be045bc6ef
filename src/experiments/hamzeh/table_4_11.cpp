// `hamzeh-4.11`: two users on two servers under H-FFMRA. Hamzeh, Fairness for Resource Allocation in Cloud
// Computing, sections 4.4.1 and 4.4.4.3, figures 4.9 to 4.11: servers (9, 18) and (10, 20), tasks (1, 4) and
// (3, 1) on the first, (2, 5) and (4, 3) on the second. 16 of 23 demanded units are dominant, so that on each
// server 16/23 of a resource goes to whom it dominates there.
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "experiments/hamzeh/tables.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kCutOff = 0.02;  // printed from sums that were rounded to two decimals
constexpr std::string_view kMechanisms[] = {"h-ffmra", "per-server-drf"};

// [server][user][resource]
constexpr double kPrinted[2][2][2] = {{{2.73, 12.52}, {6.24, 5.48}}, {{3.05, 13.92}, {6.95, 6.08}}};
constexpr double kFirstCpu = 9.0 * 16 / 23;  // of user 2 on server 1, by H-FFMRA

// Section 4.4.1, DRF server by server: printed, and right.
constexpr double kPrintedDrf[2][2][2] = {{{3, 12}, {6, 2}}, {{4.48, 1.2}, {5.52, 4.4}}};
constexpr double kRightDrf[2][2] = {{40.0 / 9, 100.0 / 9}, {50.0 / 9, 25.0 / 6}};  // on server 2

Problem two_servers() {
  const auto amounts = [](int a, int b) { return ResourceVector{Quantity(a), Quantity(b)}; };
  return *Problem::from(
      {.resources = {"cpu", "ram"},
       .servers = {{.name = "s1", .capacity = amounts(9, 18)}, {.name = "s2", .capacity = amounts(10, 20)}},
       .users = {{.name = "1", .demand = amounts(1, 4), .demand_on = {{"s2", amounts(2, 5)}}},
                 {.name = "2", .demand = amounts(3, 1), .demand_on = {{"s2", amounts(4, 3)}}}}});
}

void hold_drf(const Problem& problem, Reproduction& result) {
  const Allocation drf = divided(problem, "per-server-drf");
  for (const Grant& grant : drf.grants) {
    for (std::size_t r = 0; r < 2; ++r) {
      const std::string what = fmt::format("{} of user {} on server {} by DRF", problem.resources()[r],
                                           grant.user + 1, grant.server + 1);
      const double printed = kPrintedDrf[grant.server][grant.user][r];
      result.findings.push_back(
          grant.server == 0
              ? compared(what, printed, grant.resources[r], kCutOff)
              : corrected(what, printed, kRightDrf[grant.user][r], grant.resources[r], kCutOff,
                          "2.22 tasks of (2, 5) and 1.39 of (4, 3) are both 5/9 of what dominates them"));
    }
  }
  const double unused = 1 - (drf.servers[0].used[1] + drf.servers[1].used[1]) / 38;
  result.findings.push_back(compared("part of the RAM that DRF leaves unused", 0.23, unused, 0.005));
}

Reproduction run(const RunOptions&) {
  const Problem problem = two_servers();
  const Allocation ours = divided(problem, "h-ffmra");
  Reproduction result;
  for (const Grant& grant : ours.grants) {
    for (std::size_t r = 0; r < 2; ++r)
      result.findings.push_back(compared(
          fmt::format("{} of user {} on server {}", problem.resources()[r], grant.user + 1, grant.server + 1),
          kPrinted[grant.server][grant.user][r], grant.resources[r], kCutOff));
  }
  Finding& first_cpu = result.findings[4];
  first_cpu = corrected(first_cpu.what, *first_cpu.printed, kFirstCpu, first_cpu.ours, kCutOff / 2,
                        "9 · 16 / 23 is 6.26, printed as 6.24");
  for (std::size_t r = 0; r < 2; ++r)
    result.findings.push_back(
        compared(fmt::format("part of the {} with whom it dominates", problem.resources()[r]), 0.69,
                 (ours.grants[r == 0 ? 2 : 0].resources[r] / (r == 0 ? 9 : 18) +
                  ours.grants[r == 0 ? 3 : 1].resources[r] / (r == 0 ? 10 : 20)) /
                     2,
                 0.01));
  hold_drf(problem, result);
  result.tables.push_back(what_runs(problem, kMechanisms));
  result.remarks = {
      "The text gives user 1 the dominant CPU and user 2 the dominant memory; with the printed demands it is "
      "the "
      "other way round on both servers, as its own sums 5 + 4 + 4 + 3 have it."};
  return result;
}

}  // namespace

Experiment hamzeh_4_11_row() {
  return {.id = "hamzeh-4.11",
          .paper = "Hamzeh, thesis, section 4.4.4.3 and figure 4.11",
          .title = "Two users on two servers under H-FFMRA",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
