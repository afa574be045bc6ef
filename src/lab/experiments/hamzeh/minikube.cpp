// `hamzeh-minikube`: limits of pods. Hamzeh, Fairness for Resource Allocation in Cloud Computing,
// section 4.5, figures 4.14 and 4.15 (two pods, a node of 900m and 1800Mi, DRF) and 4.16 and 4.17 (four pods
// on Minikube). The limits of the second are called DRF's; they are those of MLF-DRS at 1800Mi.
#include <cmath>
#include <fmt/format.h>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/model/assert.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {
namespace {

constexpr double kMi = 1024.0 * 1024.0;

// A pod of the thesis: thousandths of a CPU and Mi, as asked for and as printed for its limits.
struct PrintedPod {
  const char* name;
  int cpu, memory;
  int cpu_limit, memory_limit;
};

constexpr PrintedPod kTwoPods[] = {{"pod-a", 100, 400, 300, 1200}, {"pod-b", 300, 100, 600, 200}};
constexpr PrintedPod kMinikube[] = {{"frontend", 330, 50, 720, 81},
                                    {"frontend1", 555, 150, 779, 245},
                                    {"frontend2", 111, 250, 159, 736},
                                    {"frontend3", 222, 350, 319, 736}};

constexpr double kFrontend1 = 799;  // m, printed as 779

std::string manifest(std::span<const PrintedPod> pods) {
  std::string text;
  for (const PrintedPod& pod : pods)
    text += fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec:\n  containers:\n  - name: c\n    "
        "resources:\n"
        "      requests: {{cpu: {}m, memory: {}Mi}}\n",
        pod.name, pod.cpu, pod.memory);
  return text;
}

kubernetes::Limits limits_of(std::span<const PrintedPod> pods, std::string_view node,
                             std::string_view mechanism) {
  const Result<kubernetes::Pods> read =
      kubernetes::read_pods(manifest(pods), Syntax::yaml, "thesis",
                            {.resources = {"cpu", "memory"}, .default_request = {}, .node = ""});
  MIRAB_ASSERT(read, "pods that can be read");
  const Result<kubernetes::Limits> limits = kubernetes::fair_limits(
      *read, *kubernetes::read_capacity(node), {.mechanism = *choose_mechanism(mechanism)});
  MIRAB_ASSERT(limits, "pods that have limits");
  return *limits;
}

void check_limits(std::span<const PrintedPod> pods, const kubernetes::Limits& limits, Reproduction& result) {
  for (std::size_t w = 0; w < pods.size(); ++w) {
    const std::vector<kubernetes::Units>& ours = limits.workloads[w].limits[0];
    result.findings.push_back(compared(fmt::format("CPU limit of {}, m", pods[w].name), pods[w].cpu_limit,
                                       static_cast<double>(ours[0]), 0));
    result.findings.push_back(compared(fmt::format("memory limit of {}, Mi", pods[w].name),
                                       pods[w].memory_limit, static_cast<double>(ours[1]) / kMi, 0));
  }
}

Reproduction run_minikube(const RunOptions&) {
  Reproduction result;
  const kubernetes::Limits two = limits_of(kTwoPods, "cpu=900m,memory=1800Mi", "drf");
  check_limits(kTwoPods, two, result);
  result.findings.push_back(compared("memory without a limit, Mi (section 4.5.2)", 400,
                                     1800 - static_cast<double>(two.limited[1]) / kMi, 0));
  const std::size_t minikube = result.findings.size();
  check_limits(kMinikube, limits_of(kMinikube, "cpu=2,memory=1800Mi", "mlf-drs"), result);
  Finding& slip = result.findings[minikube + 2];
  slip = corrected(
      slip.what, *slip.printed, kFrontend1, slip.ours, 0,
      "the limits would add up to 1977m of 2000m; frontend1 is to frontend3 as 555 to 222, which is 799m");
  Table table{.title = "Limits on Minikube (2 CPUs, 1800Mi) by two mechanisms, and how many pods they run",
              .head = {"pod", "mlf-drs", "pods", "drf", "pods"},
              .rows = {}};
  const kubernetes::Limits mlf = limits_of(kMinikube, "cpu=2,memory=1800Mi", "mlf-drs");
  const kubernetes::Limits drf = limits_of(kMinikube, "cpu=2,memory=1800Mi", "drf");
  double mlf_runs = 0, drf_runs = 0;
  for (std::size_t w = 0; w < std::size(kMinikube); ++w) {
    const auto cells = [&](const kubernetes::Limits& limits, double& runs) {
      const auto& of = limits.workloads[w].limits[0];
      const double cpu = static_cast<double>(of[0]), memory = static_cast<double>(of[1]) / kMi;
      const double bundles = std::min(cpu / kMinikube[w].cpu, memory / kMinikube[w].memory);
      runs += bundles;
      return std::vector<std::string>{fmt::format("{:.0f}m {:.0f}Mi", cpu, memory),
                                      fmt::format("{:.3f}", bundles)};
    };
    const std::vector<std::string> ours = cells(mlf, mlf_runs), theirs = cells(drf, drf_runs);
    table.rows.push_back({kMinikube[w].name, ours[0], ours[1], theirs[0], theirs[1]});
  }
  result.tables.push_back(std::move(table));
  result.findings.push_back(required("requests that the limits of mlf-drs hold, as a part of those of drf",
                                     mlf_runs / drf_runs, mlf_runs < drf_runs));
  result.findings.back().note = "counted as whole requests (Leontief)";
  result.remarks = {
      "Figure 4.17 calls its limits those of DRF. DRF's are in the table; the printed ones are MLF-DRS at "
      "1800Mi, with "
      "2 CPUs. Figure 4.16 prints 1936224Ki (1890Mi) as allocatable and 2838624Ki as capacity, the text "
      "2038624Ki "
      "(1990Mi) and 2000mi."};
  return result;
}

}  // namespace

Experiment hamzeh_minikube_row() {
  return {.id = "hamzeh-minikube",
          .paper = "Hamzeh, thesis, figures 4.14 to 4.17",
          .title = "Limits of two pods, and of four on Minikube",
          .data = kAsPublished,
          .run = run_minikube};
}

}  // namespace mirab::experiments
