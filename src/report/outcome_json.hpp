#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "report/comparison.hpp"

namespace mirab::report {

/// The comparison as docs/output.md describes it, keys in that order. A number reads back as the same double;
/// an infinite one is null. Of a filling with more than `most_steps` every so many steps are kept, and each
/// user's last. O(grants · m + steps).
nlohmann::ordered_json comparison_json(const Comparison& comparison, std::size_t most_steps = SIZE_MAX);

/// JSON as text, in one line without an indent, else one value a line. What is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace mirab::report
