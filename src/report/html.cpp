#include "report/html.hpp"

#include <mirab/model/assert.hpp>

#include <nlohmann/json.hpp>

#include "report/outcome_json.hpp"

namespace mirab::report {
namespace {

constexpr std::string_view kMark = "__MIRAB_DATA__";

}  // namespace

std::string embed(std::string_view page, const nlohmann::ordered_json& data) {
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

}  // namespace mirab::report
