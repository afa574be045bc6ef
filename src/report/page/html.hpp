#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "report/outcome/comparison.hpp"

namespace mirab::report {

/// How a page came about.
struct PageOrigin {
  std::string command;    ///< the command line
  std::string made = {};  ///< by which version, and when: `mirab 0.1.0, 2026-11-23`; empty: no footer
};

/// The page with `__MIRAB_DATA__` replaced by the data. `<` is written \u003c, so no name in the data can end
/// the script element that holds it. Requires the mark to occur exactly once in the page.
std::string embed(std::string_view page, const nlohmann::ordered_json& data);

/// The same, with `title`, `command` and `made` added to the data.
std::string embed(std::string_view page, nlohmann::ordered_json data, const std::string& title,
                  const PageOrigin& origin);

/// The self-contained report page: comparison_json with `title`, `command` and `made`, embedded. Of a long
/// filling every k-th step is kept, and each user's last, so that the curves end where the users end.
std::string report_html(std::string_view page, const Comparison& comparison, const PageOrigin& origin);

/// The page of another answer, of the JSON that its command prints: `kind` says which.
std::string answer_html(std::string_view page, std::string_view kind, const std::string& title,
                        nlohmann::ordered_json data, const PageOrigin& origin);

}  // namespace mirab::report
