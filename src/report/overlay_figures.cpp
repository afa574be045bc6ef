#include "report/overlay_figures.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "model/seconds.hpp"
#include "report/side_by_side.hpp"
#include "simulation/overlay/notices.hpp"

namespace mirab::report {

using simulation::OverlayRun;

double wrong_part(const OverlayRun& run) {
  const auto placements = static_cast<double>(std::max<std::int64_t>(run.placements, 1));
  return static_cast<double>(run.wrong.front()) / placements;
}

std::optional<double> ratio_to_centralised(const OverlayRuns& all, std::size_t index) {
  const auto& rules = all.scenario.rules;
  const auto central = std::find_if(rules.begin(), rules.end(), [](const simulation::OverlayRules& each) {
    return each.scheduler == overlay::Scheduler::centralised_drf;
  });
  if (central == rules.end()) return {};
  const double ticks = all.runs[static_cast<std::size_t>(central - rules.begin())].ticks;
  if (ticks <= 0) return {};
  return all.runs[index].ticks / ticks;
}

std::vector<std::string> server_names(const Problem& cluster) {
  std::vector<std::string> names;
  for (const Server& server : cluster.servers()) {
    for (std::int64_t copy = 0; copy < server.count; ++copy) {
      names.push_back(server.count == 1 ? server.name : fmt::format("{}/{}", server.name, copy));
    }
  }
  return names;
}

std::vector<std::string> notices_of(const OverlayRuns& all) {
  std::vector<std::string> notices;
  for (const Error& notice : simulation::notices(all.cluster, all.scenario))
    notices.push_back(describe(notice));
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const OverlayRun& run = all.runs[i];
    if (const auto& left = run.left_over)
      notices.push_back(fmt::format(
          "under {} {} more {} would fit: user {}, who has no task that waits, is the poorest, and nobody is "
          "served before it, unless by `idle: skip`",
          all.scenario.names[i], left->tasks, left->tasks == 1 ? "task" : "tasks", left->user));
    if (run.violation_count == 0) continue;
    std::string notice = fmt::format(
        "{}: {} broken", all.scenario.names[i],
        run.violation_count == 1 ? "a promise was" : fmt::format("{} promises were", run.violation_count));
    if (!run.violations.empty()) {
      const simulation::Violation& first = run.violations.front();
      notice += fmt::format("; the first: {}: {}, at {}", first.promise, first.what,
                            span_text(in_seconds(first.at)));
    }
    notices.push_back(std::move(notice));
  }
  return notices;
}

}  // namespace mirab::report
