#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include <mirab/audit/explanation.hpp>

namespace mirab::report {

/// An explanation of a user's share in a problem, to be shown.
struct ExplanationReport {
  std::string title;  ///< of the cluster: what it is called, or its file
  const Problem& problem;
  const Explanation& explanation;
};

/// What a person reads, no wider than `width` where that can be.
std::string explanation_table(const ExplanationReport& explained, std::size_t width);

/// A change in a few words: `one more server: gpu`, `weight 2 instead of 1`.
std::string change_words(const Problem& problem, std::size_t user, const Change& change);

/// A full resource, and a change with what it leads to, as in docs/schema/explanation.schema.json.
nlohmann::ordered_json binding_json(const Problem& problem, const Outcome& outcome, const Binding& binding);
nlohmann::ordered_json what_if_json(const Problem& problem, std::size_t user, const WhatIf& what_if);

/// docs/schema/explanation.schema.json.
nlohmann::ordered_json explanation_json(const ExplanationReport& explained);

}  // namespace mirab::report
