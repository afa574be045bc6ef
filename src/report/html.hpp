#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace mirab::report {

/// The page with `__MIRAB_DATA__` replaced by the data. `<` is written \u003c, so no name in the data can end the
/// script element that holds it. Requires the mark to occur exactly once in the page.
std::string embed(std::string_view page, const nlohmann::ordered_json& data);

}  // namespace mirab::report
