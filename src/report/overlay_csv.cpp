#include <numeric>

#include "report/csv.hpp"
#include "report/overlay_figures.hpp"

namespace mirab::report {
namespace {

using simulation::OverlayRun;

// One column for each tolerance but the first, which is 0.
std::vector<std::string> header(const OverlayRuns& all) {
  std::vector<std::string> fields = {"scheduler", "min_share", "gini", "deviation", "wrong"};
  for (std::size_t t = 1; t < all.scenario.tolerances.size(); ++t) {
    fields.push_back("wrong_within_" + csv_number(all.scenario.tolerances[t]));
  }
  for (const char* name :
       {"placements", "ticks", "ratio", "messages", "bytes", "messages_per_tick_and_node",
        "bytes_per_tick_and_node", "violations", "mean_min_share", "lost", "dropped", "moved", "restarted"}) {
    fields.emplace_back(name);
  }
  return fields;
}

std::vector<std::string> record(const OverlayRuns& all, std::size_t index) {
  const OverlayRun& run = all.runs[index];
  std::vector<std::string> fields = {all.scenario.names[index], csv_number(run.min_share),
                                     csv_number(run.gini), csv_number(run.deviation)};
  for (const std::int64_t wrong : run.wrong) fields.push_back(std::to_string(wrong));
  const std::optional<double> ratio = ratio_to_centralised(all, index);
  const auto dropped = std::accumulate(run.dropped.begin(), run.dropped.end(), std::int64_t{0});
  const std::vector<std::string> rest = {std::to_string(run.placements),
                                         csv_number(run.ticks),
                                         ratio ? csv_number(*ratio) : "",
                                         std::to_string(run.messages),
                                         std::to_string(run.bytes),
                                         csv_number(run.messages_per_tick_and_node),
                                         csv_number(run.bytes_per_tick_and_node),
                                         std::to_string(run.violation_count),
                                         csv_number(run.mean_min_share),
                                         std::to_string(run.lost),
                                         std::to_string(dropped),
                                         std::to_string(run.moved),
                                         std::to_string(run.restarted)};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

}  // namespace

std::string simulation_csv(const OverlayRuns& all) {
  std::string csv = csv_record(header(all));
  for (std::size_t i = 0; i < all.runs.size(); ++i) csv += csv_record(record(all, i));
  return csv;
}

}  // namespace mirab::report
