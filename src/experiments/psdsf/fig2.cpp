// `psdsf-fig2`: figure 1 with d_4 = [1, 0.5, 0]: on server 2 memory limits user 3 and the CPUs limit user 4.
// Paper 001 (Ravi Kiran and Srinuvas, after Khamse-Ashari et al.), section 2.3 and figure 2: the tasks of
// PS-DSF, those that each user runs alone, γ_{n,i}, and the virtual dominant shares s_{n,i} = X_n/γ_{n,i}
// (equation 9).
#include <array>
#include <fmt/format.h>

#include "experiments/psdsf/figures.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kTolerance = 1e-5;  // the text prints fractions; ps-dsf is solved to a certificate
constexpr PrintedTasks kPrinted[] = {{"ps-dsf", {2, 6, 32.0 / 3, 16.0 / 3}, kTolerance}};
/// γ_{n,i} and s_{n,i} of users who may run on the server; 0 for the others. [server][user]
constexpr std::array<std::array<double, 4>, 2> kAlone{{{4, 12, 4, 8}, {0, 0, 16, 8}}};
constexpr std::array<std::array<double, 4>, 2> kShare{
    {{0.5, 0.5, 8.0 / 3, 2.0 / 3}, {0, 0, 2.0 / 3, 2.0 / 3}}};

Reproduction run(const RunOptions& options) {
  const Problem problem = psdsf_figure({1, 0.5, 0});
  const std::vector<double> tasks = divided(problem, "ps-dsf", options.threads).tasks;
  Reproduction result;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      if (kAlone[i][n] == 0) continue;
      const double alone = tasks_alone(problem, n, i);
      result.findings.push_back(
          compared(fmt::format("tasks that user {} runs with server {} alone", n + 1, i + 1), kAlone[i][n],
                   alone, kTolerance));
      result.findings.push_back(
          compared(fmt::format("virtual dominant share of user {} on server {}", n + 1, i + 1), kShare[i][n],
                   tasks[n] / alone, kTolerance));
    }
  }
  hold_psdsf_figure(problem, kPrinted, options, result);
  result.remarks.emplace_back(
      "That PS-DSF uses more of every resource rests on the demands that our text lacks: when a task of user "
      "2 takes "
      "0.5 CPUs instead of 1, all printed numbers stay, and TSF uses 71.35 % of the CPUs where PS-DSF uses "
      "70 %.");
  return result;
}

}  // namespace

Experiment psdsf_fig2_row() {
  return {.id = "psdsf-fig2",
          .paper = "Ravi Kiran and Srinuvas, figure 2",
          .title = "Virtual dominant shares: what PS-DSF evens out on every server",
          .data = kChosenDemands,
          .run = run};
}

}  // namespace mirab::experiments
