#include "report/html.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include <mirab/model/assert.hpp>

#include "report/outcome_json.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMark = "__MIRAB_DATA__";
constexpr std::size_t kStepsShown = 4000;  // more points than a chart has pixels

void thin_steps(Json& outcome) {
  if (!outcome.contains("steps") || outcome["steps"].size() <= kStepsShown) return;
  const Json all = std::move(outcome["steps"]);
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < all.size(); ++i) last[all[i]["user"].get<std::string>()] = i;
  const std::size_t stride = all.size() / kStepsShown + 1;
  Json kept = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % stride == 0 || last[all[i]["user"].get<std::string>()] == i) kept.push_back(all[i]);
  }
  outcome["steps"] = std::move(kept);
}

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

std::string report_html(std::string_view page, const Comparison& comparison, const std::string& command) {
  Json data = comparison_json(comparison);
  data["title"] = comparison.title;
  data["command"] = command;
  for (Json& outcome : data["outcomes"]) thin_steps(outcome);
  return embed(page, data);
}

}  // namespace mirab::report
