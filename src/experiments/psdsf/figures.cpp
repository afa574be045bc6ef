// What `psdsf-fig1` and `psdsf-fig2` share: paper 001, section 2.2, "four users with their own demand
// vectors". These stand in a picture that our text lacks. The numbers of the text fix the memory (γ_{1,1} =
// 4, γ_{2,1} = 12 and γ_{3,1} = 4 on 4 GB), and the CPUs of user 3 in figure 2 (32/3 of them and 16/3 of user
// 4 fill 8 cores). They leave open how much network users 1 and 2 take, so much that DRFH takes it for what
// they need most, and the CPUs of users 1 and 2, at most 3 and 1. The tasks are the same with any; the use of
// the CPUs is not.
#include "experiments/psdsf/figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr const char* kCompared[] = {"ps-dsf", "drfh", "tsf"};
constexpr double kLeast = 1e-6;  // a difference of use that counts

/// Used over capacity of all servers together. [m]
std::vector<double> use(const Problem& problem, const Allocation& allocation) {
  std::vector<double> used(problem.resource_count());
  for (const ServerUse& server : allocation.servers) {
    for (std::size_t r = 0; r < used.size(); ++r) used[r] += server.used[r] / problem.pool()[r];
  }
  return used;
}

/// `2.6667`, `8`.
std::string cell(double value) {
  std::string text = fmt::format("{:.4f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Problem psdsf_figure(const std::vector<double>& demand_of_user_4) {
  return worked_example(
      {"cpu", "memory", "network"}, {{"s1", {12, 4, 75}}, {"s2", {8, 16, 0}}},
      {{"1", {1.5, 1, 6}}, {"2", {1, 1.0 / 3, 6}}, {"3", {0.25, 1, 0}}, {"4", demand_of_user_4}});
}

double tasks_alone(const Problem& problem, std::size_t user, std::size_t server) {
  if (!problem.eligible(user, server)) return 0;
  const ResourceVector& demand = problem.demand(user, server);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r].is_zero()) continue;
    least = std::min(least, problem.servers()[server].capacity[r].value() / demand[r].value());
  }
  return least;
}

void hold_psdsf_figure(const Problem& problem, std::span<const PrintedTasks> printed,
                       const RunOptions& options, Reproduction& result) {
  for (const PrintedTasks& each : printed) {
    const std::vector<double> tasks = divided(problem, each.mechanism, options.threads).tasks;
    for (std::size_t n = 0; n < tasks.size(); ++n)
      result.findings.push_back(compared(fmt::format("tasks of user {} under {}", n + 1, each.mechanism),
                                         each.tasks[n], tasks[n], each.tolerance));
  }
  Table table{.title = "Tasks, and how much of each resource is used",
              .head = {"mechanism", "user 1", "user 2", "user 3", "user 4", "CPU", "memory", "network"},
              .rows = {}};
  std::vector<double> ps_dsf;
  for (const char* mechanism : kCompared) {
    const Allocation allocation = divided(problem, mechanism, options.threads);
    const std::vector<double> used = use(problem, allocation);
    std::vector<std::string> row{mechanism};
    for (const double tasks : allocation.tasks) row.push_back(cell(tasks));
    for (const double part : used) row.push_back(fmt::format("{:.2f}%", 100 * part));
    table.rows.push_back(std::move(row));
    if (ps_dsf.empty()) {
      ps_dsf = used;
      continue;
    }
    for (std::size_t r = 0; r < used.size(); ++r) {
      Finding finding = required(
          fmt::format("use of {} under ps-dsf less that under {}", problem.resources()[r], mechanism),
          ps_dsf[r] - used[r], ps_dsf[r] >= used[r] - kLeast);
      finding.note = "depends on the demands that were chosen";
      result.findings.push_back(std::move(finding));
    }
  }
  result.tables.push_back(std::move(table));
  result.remarks.emplace_back(
      "The demands stand in a picture that our text lacks. Those taken here were chosen so that "
      "they give every number of the text, which is no evidence for it beyond their consistency. It leaves "
      "open the network of users 1 and 2 and, up to 3 and 1, their CPUs, which change no number of "
      "tasks, "
      "but how much of the CPUs is used.");
}

}  // namespace mirab::experiments
