#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include <mirab/audit/explanation.hpp>

#include "report/text/width.hpp"

namespace mirab::report {

/// An explanation of a user's share in a problem, to be shown.
struct ExplanationReport {
  std::string title;  ///< of the cluster: what it is called, or its file
  const Problem& problem;
  const Explanation& explanation;
};

/// What a person reads, no wider than the terminal where that can be. In bold: the tasks of a user who is
/// short, and the gain of the best change.
std::string explanation_table(const ExplanationReport& explained, const Terminal& terminal);

/// A change in a few words: `one more server: gpu`, `weight 2 instead of 1`.
std::string change_words(const Problem& problem, std::size_t user, const Change& change);

/// A full resource, and a change with what it leads to, as in docs/schema/explanation.schema.json.
nlohmann::ordered_json binding_json(const Problem& problem, const Outcome& outcome, const Binding& binding);
nlohmann::ordered_json what_if_json(const Problem& problem, std::size_t user, const WhatIf& what_if);

/// docs/schema/explanation.schema.json.
nlohmann::ordered_json explanation_json(const ExplanationReport& explained);

}  // namespace mirab::report
