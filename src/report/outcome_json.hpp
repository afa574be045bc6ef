#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/comparison.hpp"

namespace mirab::report {

/// The comparison as docs/output.md describes it, keys in that order. A number reads back as the same double;
/// an infinite one is null. O(grants · m + steps).
nlohmann::ordered_json comparison_json(const Comparison& comparison);

/// JSON as text, in one line without an indent, else one value a line. What is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace mirab::report
