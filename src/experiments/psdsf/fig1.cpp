// `psdsf-fig1`: four users on two servers, of which only the first has a network, that users 1 and 2 need.
// Paper 001 (Ravi Kiran and Srinuvas, after Khamse-Ashari et al.), figure 1 and section 2.2: memory is what
// everybody needs most wherever it may run, so a fair allocation shares it evenly, as PS-DSF does; DRFH and
// TSF do not.
#include <fmt/format.h>

#include "experiments/psdsf/figures.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kTolerance = 1e-5;  // the text prints fractions; ps-dsf and tsf are solved to a certificate
constexpr PrintedTasks kPrinted[] = {
    {"ps-dsf", {2, 6, 8, 8}, kTolerance},
    {"drfh", {3, 3, 8, 8}, kTolerance},
    {"tsf", {5.0 / 3, 5, 25.0 / 3, 25.0 / 3}, kTolerance},
};
/// y_n, the tasks that user n may run in the whole cluster.
constexpr double kAlone[] = {4, 12, 20, 20};

Reproduction run(const RunOptions& options) {
  const Problem problem = psdsf_figure({0.5, 1, 0});
  Reproduction result;
  for (std::size_t n = 0; n < problem.user_count(); ++n)
    result.findings.push_back(compared(fmt::format("tasks that user {} runs with both servers alone", n + 1),
                                       kAlone[n], tasks_alone(problem, n, 0) + tasks_alone(problem, n, 1),
                                       kTolerance));
  hold_psdsf_figure(problem, kPrinted, options, result);
  return result;
}

}  // namespace

Experiment psdsf_fig1_row() {
  return {.id = "psdsf-fig1",
          .paper = "Ravi Kiran and Srinuvas, figure 1",
          .title = "A fair allocation of the bottleneck, and what DRFH and TSF make of it",
          .data = kChosenDemands,
          .run = run};
}

}  // namespace mirab::experiments
