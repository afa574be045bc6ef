// What the JSON of several commands has in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/allocation.hpp>

namespace mirab::report {

/// JSON as text, in one line without an indent, else one value a line. What is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

/// `{resource: value}`, in the order of the resources; `{}` where there are no values. Requires one for each,
/// or none.
nlohmann::ordered_json by_resource(const std::vector<std::string>& resources, std::span<const double> values);
nlohmann::ordered_json by_resource(const std::vector<std::string>& resources, const ResourceVector& amounts);

/// `{"kind": …, "value": …}`.
nlohmann::ordered_json certificate_json(const Certificate& certificate);

/// Adds `merged` where alike servers count together: which, and what that may cost each level of the outcome.
void add_merged(nlohmann::ordered_json& json, const Problem& problem, const Outcome& outcome);

}  // namespace mirab::report
