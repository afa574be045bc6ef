#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include <mirab/audit/explanation.hpp>

namespace mirab::report {

/// An explanation of a user's share in a problem, to be shown.
struct ExplanationReport {
  std::string title;  ///< the cluster file as the user named it
  const Problem& problem;
  const Explanation& explanation;
};

/// What a person reads, no wider than `width` where that can be.
std::string explanation_table(const ExplanationReport& explained, std::size_t width);

/// docs/schema/explanation.schema.json.
nlohmann::ordered_json explanation_json(const ExplanationReport& explained);

}  // namespace mirab::report
