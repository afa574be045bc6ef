// Figures 1 and 2 of paper 001: four users on two servers.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/own_files.hpp"
#include "lab/experiments/psdsf/clusters.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {

// What `psdsf-fig1` and `psdsf-fig2` share: paper 001, section 2.2, "four users with their own demand
// vectors". These stand in a picture that our text lacks. The numbers of the text fix the memory (γ_{1,1} =
// 4, γ_{2,1} = 12 and γ_{3,1} = 4 on 4 GB), and the CPUs of user 3 in figure 2 (32/3 of them and 16/3 of user
// 4 fill 8 cores). They leave open how much network users 1 and 2 take, so much that DRFH takes it for what
// they need most, and the CPUs of users 1 and 2, at most 3 and 1. The tasks are the same with any; the use of
// the CPUs is not.

namespace {

constexpr const char* kCompared[] = {"ps-dsf", "drfh", "tsf"};
constexpr double kLeast = 1e-6;         // a difference of use that counts
constexpr double kMostCpus[] = {3, 1};  // of users 1 and 2, by the text, which fixes no more

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

// The least and the most by which one allocation uses more of the CPUs than another, whatever users 1 and 2
// take of them: a sum that is linear in these demands.
std::pair<double, double> use_whatever_is_chosen(const Problem& problem, const Allocation& one,
                                                 const Allocation& other) {
  double least = 0, most = 0;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const double more = (one.tasks[n] - other.tasks[n]) / problem.pool()[0];
    const bool open = n < std::size(kMostCpus);
    const double cpus = open ? kMostCpus[n] : problem.users()[n].demand[0].value();
    least += open ? std::min(0.0, cpus * more) : cpus * more;
    most += open ? std::max(0.0, cpus * more) : cpus * more;
  }
  return {least, most};
}

// Whether the CPUs that the text leaves open decide it.
void decide_whatever_is_chosen(Finding& finding, const std::pair<double, double>& difference) {
  const auto& [least, most] = difference;
  finding.holds = least >= -kLeast;
  finding.undecided = !finding.holds && most >= -kLeast;
  finding.note = fmt::format(
      "{:.4g} to {:.4g} with other CPUs of users 1 and 2, up to {} and {}, which the text leaves open", least,
      most, kMostCpus[0], kMostCpus[1]);
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

void check_psdsf_figure(const Problem& problem, std::span<const PrintedTasks> printed,
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
  Allocation by_ps_dsf;
  for (const char* mechanism : kCompared) {
    const Allocation allocation = divided(problem, mechanism, options.threads);
    const std::vector<double> used = use(problem, allocation);
    std::vector<std::string> row{mechanism};
    for (const double tasks : allocation.tasks) row.push_back(cell(tasks));
    for (const double part : used) row.push_back(fmt::format("{:.2f}%", 100 * part));
    table.rows.push_back(std::move(row));
    if (ps_dsf.empty()) {
      ps_dsf = used;
      by_ps_dsf = allocation;
      continue;
    }
    for (std::size_t r = 0; r < used.size(); ++r) {
      Finding finding = required(
          fmt::format("use of {} under ps-dsf less that under {}", problem.resources()[r], mechanism),
          ps_dsf[r] - used[r], ps_dsf[r] >= used[r] - kLeast);
      if (r == 0) decide_whatever_is_chosen(finding, use_whatever_is_chosen(problem, by_ps_dsf, allocation));
      result.findings.push_back(std::move(finding));
    }
  }
  result.tables.push_back(std::move(table));
  result.remarks.emplace_back(
      "The demands stand in a picture that our text lacks. Those taken here were chosen so that "
      "they give every number of the text, which is no evidence for it beyond their consistency. It leaves "
      "open how much network users 1 and 2 take and, up to 3 and 1, how many CPUs: taken are 1.5 and 1. "
      "These "
      "change no number of tasks, but they decide who uses more of the CPUs. With 0.5 CPUs of user 2, as in "
      "examples/psdsf-fig1.yaml and psdsf-fig2.yaml, the uses are others.");
}

namespace {

constexpr std::string_view kFigureNote = "the cluster: mirab allocate FILE -m ps-dsf -m drfh -m tsf";

}  // namespace

// `psdsf-fig1`: four users on two servers, of which only the first has a network, that users 1 and 2 need.
// Paper 001 (Ravi Kiran and Srinuvas, after Khamse-Ashari et al.), figure 1 and section 2.2: memory is what
// every user needs most wherever it may run, so a fair allocation shares it evenly, as PS-DSF does; DRFH and
// TSF do not.

namespace {

constexpr double kTolerance = 1e-5;  // the text prints fractions; ps-dsf and tsf are solved to a certificate
constexpr PrintedTasks kPrinted1[] = {
    {"ps-dsf", {2, 6, 8, 8}, kTolerance},
    {"drfh", {3, 3, 8, 8}, kTolerance},
    {"tsf", {5.0 / 3, 5, 25.0 / 3, 25.0 / 3}, kTolerance},
};
/// y_n, the tasks that user n may run in the whole cluster.
constexpr double kAlone1[] = {4, 12, 20, 20};

Reproduction run_figure_1(const RunOptions& options) {
  const Problem problem = psdsf_figure({0.5, 1, 0});
  Reproduction result;
  for (std::size_t n = 0; n < problem.user_count(); ++n)
    result.findings.push_back(compared(fmt::format("tasks that user {} runs with both servers alone", n + 1),
                                       kAlone1[n], tasks_alone(problem, n, 0) + tasks_alone(problem, n, 1),
                                       kTolerance));
  check_psdsf_figure(problem, kPrinted1, options, result);
  return result;
}

}  // namespace

Experiment psdsf_fig1_row() {
  return {.id = "psdsf-fig1",
          .paper = "Ravi Kiran and Srinuvas, figure 1",
          .title = "A fair allocation of the bottleneck, and what DRFH and TSF make of it",
          .data = kChosenDemands,
          .run = run_figure_1,
          .own_files = [](const RunOptions&) {
            return cluster_files("psdsf-fig1", psdsf_figure({0.5, 1, 0}), std::string(kFigureNote));
          }};
}

// `psdsf-fig2`: figure 1 with d_4 = [1, 0.5, 0]: on server 2 memory limits user 3 and the CPUs limit user 4.
// Paper 001 (Ravi Kiran and Srinuvas, after Khamse-Ashari et al.), section 2.3 and figure 2: the tasks of
// PS-DSF, those that each user runs alone, γ_{n,i}, and the virtual dominant shares s_{n,i} = X_n/γ_{n,i}
// (equation 9).

namespace {

constexpr PrintedTasks kPrinted2[] = {{"ps-dsf", {2, 6, 32.0 / 3, 16.0 / 3}, kTolerance}};
/// γ_{n,i} and s_{n,i} of users who may run on the server; 0 for the others. [server][user]
constexpr std::array<std::array<double, 4>, 2> kAlone2{{{4, 12, 4, 8}, {0, 0, 16, 8}}};
constexpr std::array<std::array<double, 4>, 2> kShare{
    {{0.5, 0.5, 8.0 / 3, 2.0 / 3}, {0, 0, 2.0 / 3, 2.0 / 3}}};

Reproduction run_figure_2(const RunOptions& options) {
  const Problem problem = psdsf_figure({1, 0.5, 0});
  const std::vector<double> tasks = divided(problem, "ps-dsf", options.threads).tasks;
  Reproduction result;
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      if (kAlone2[i][n] == 0) continue;
      const double alone = tasks_alone(problem, n, i);
      result.findings.push_back(
          compared(fmt::format("tasks that user {} runs with server {} alone", n + 1, i + 1), kAlone2[i][n],
                   alone, kTolerance));
      result.findings.push_back(
          compared(fmt::format("virtual dominant share of user {} on server {}", n + 1, i + 1), kShare[i][n],
                   tasks[n] / alone, kTolerance));
    }
  }
  check_psdsf_figure(problem, kPrinted2, options, result);
  result.remarks.emplace_back(
      "That PS-DSF is more efficient cannot be told of the CPUs without the picture: when a task of user 2 "
      "takes "
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
          .run = run_figure_2,
          .own_files = [](const RunOptions&) {
            return cluster_files("psdsf-fig2", psdsf_figure({1, 0.5, 0}), std::string(kFigureNote));
          }};
}

}  // namespace mirab::experiments
