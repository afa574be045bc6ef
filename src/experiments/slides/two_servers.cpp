// `slides-two-servers`: why "all in one pool" misleads. The slides (Katsaros, HY623), "What if all-in-one is
// not valid": DRF promises 3 tasks <1 CPU, 4 GB> of A and 2 tasks <3 CPUs, 1 GB> of B, but "user A can get at
// most 1 task in either server". The picture with the servers is not in our text: two halves of <9 CPUs, 18
// GB> stand in, where a task of B leaves <1.5, 8>, room for one task of A. Tasks are whole here.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/scheduling/fill.hpp>

#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kTolerance = 1e-9;
constexpr std::array<double, 2> kPooled{3, 2};  // tasks of A and B that DRF promises
constexpr double kMostOfA = 1;                  // tasks in either server

const std::vector<NamedAmounts> kUsers{{"A", {1, 4}}, {"B", {3, 1}}};
const std::vector<NamedAmounts> kPool{{"pool", {9, 18}}};
const std::vector<NamedAmounts> kHalves{{"first", {4.5, 9}}, {"second", {4.5, 9}}};

/// Whole tasks, one after the other, on the two halves. [user][server]
std::array<std::array<double, 2>, 2> filled(const std::string& placement, std::uint64_t seed) {
  const Problem problem = worked_example({"cpu", "memory"}, kHalves, kUsers);
  Random random(seed);
  const FillOutcome outcome = *fill(
      problem,
      {.discipline = *choose_discipline("drf"), .placement = *choose_placement(placement), .tie = Tie::last},
      random);
  std::array<std::array<double, 2>, 2> tasks{};
  for (const Grant& grant : outcome.allocation.grants) tasks[grant.user][grant.server] = grant.tasks;
  return tasks;
}

Reproduction run(const RunOptions& options) {
  Reproduction result;
  const std::vector<double> pooled =
      divided(worked_example({"cpu", "memory"}, kPool, kUsers), "drf", options.threads).tasks;
  for (std::size_t n = 0; n < kUsers.size(); ++n)
    result.findings.push_back(compared(fmt::format("all in one: tasks of {} under DRF", kUsers[n].name),
                                       kPooled[n], pooled[n], kTolerance));

  Table table{.title = "Whole tasks on two halves, by where they are placed",
              .head = {"placement", "A on the first", "A on the second", "B on the first", "B on the second"},
              .rows = {}};
  for (const std::string placement : {"first-fit", "best-fit", "worst-fit"}) {
    const auto tasks = filled(placement, options.seed);
    std::vector<std::string> row{placement};
    for (const auto& user : tasks) {
      for (const double count : user) row.push_back(fmt::format("{:.0f}", count));
    }
    table.rows.push_back(std::move(row));
    result.findings.push_back(compared(fmt::format("two servers, {}: most tasks of A in either", placement),
                                       kMostOfA, std::max(tasks[0][0], tasks[0][1]), kTolerance));
    const double less = pooled[0] - tasks[0][0] - tasks[0][1];
    result.findings.push_back(
        required(fmt::format("two servers, {}: A loses tasks that DRF promised", placement), less, less > 0));
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace

Experiment slides_two_servers_row() {
  return {.id = "slides-two-servers",
          .paper = "Katsaros, slides on DRF, \"What if all-in-one is not valid?\"",
          .title = "DRF on one pool promises tasks that two servers cannot hold",
          .data = "stand-in: two halves of <9 CPUs, 18 GB>; the picture of the servers is not in our text",
          .run = run};
}

}  // namespace mirab::experiments
