#include "report/page/html.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include <mirab/model/assert.hpp>

#include "report/outcome/comparison.hpp"
#include "report/simulation/runs.hpp"
#include "report/text/json.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMark = "__MIRAB_DATA__";
constexpr std::size_t kStepsShown = 4000;         // more points than a chart has pixels
constexpr std::size_t kSamplesShown = 2000;       // the same, of a series over time; there are several
constexpr std::size_t kEntriesShown = 1'000'000;  // of all pictures of an overlay, some five megabytes

}  // namespace

std::string embed(std::string_view page, const Json& data) {
  const std::size_t mark = page.find(kMark);
  MIRAB_ASSERT(mark != std::string_view::npos && page.find(kMark, mark + 1) == std::string_view::npos,
               "one place for the data in the page");
  std::string html(page.substr(0, mark));
  for (const char byte : json_text(data)) {
    if (byte == '<') {
      html += "\\u003c";
    } else {
      html += byte;
    }
  }
  html += page.substr(mark + kMark.size());
  return html;
}

std::string embed(std::string_view page, Json data, const std::string& title, const PageOrigin& origin) {
  data["title"] = title;
  data["command"] = origin.command;
  if (!origin.made.empty()) data["made"] = origin.made;
  return embed(page, data);
}

std::string report_html(std::string_view page, const Comparison& comparison, const PageOrigin& origin) {
  // Thinned before it is JSON: a million steps as JSON take a gigabyte.
  return embed(page, comparison_json(comparison, kStepsShown), comparison.title, origin);
}

std::string answer_html(std::string_view page, std::string_view kind, const std::string& title, Json data,
                        const PageOrigin& origin) {
  data["kind"] = kind;
  return embed(page, std::move(data), title, origin);
}

Json page_json(const TrafficRun& run) { return simulation_json(run); }
Json page_json(const ReplayRun& run) { return simulation_json(run, kSamplesShown); }
Json page_json(const ReallocationRun& run) { return simulation_json(run, kSamplesShown); }
Json page_json(const DemandsRun& run) { return simulation_json(run, kSamplesShown); }

Json page_json(const OverlayRuns& run) {
  Json data = simulation_json(run);
  for (std::size_t i = 0; i < run.runs.size(); ++i) {
    if (run.runs[i].frames.empty()) continue;
    data["runs"][i]["frames"] = frames_json(run.runs[i].frames, kEntriesShown / run.runs.size());
  }
  return data;
}

}  // namespace mirab::report
