#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
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

/// A change in a few words: `one more server: gpu`, `weight 2 instead of 1`. `user` is whose weight or tasks
/// it changes, if it does.
std::string change_words(const Problem& problem, std::size_t user, const Change& change);

/// Who has less, of whom `named` by name: `team-08 -0.39 points, team-29 -0.39 points and 4 more`; of one
/// that loses less than 0.005 points, the tasks that it lacks. Empty: nobody.
std::string losers_words(const Losers& losers, std::size_t named);

/// The changes as a table, equal ones in one row: the same on other servers, with the same gain. In bold
/// those that bring most. `head` stands above the changes.
std::string what_if_table(const Problem& problem, std::size_t user, std::span<const WhatIf> what_ifs,
                          const std::string& head, const Terminal& terminal);

/// A full resource, and a change with what it leads to, as in docs/schema/explanation.schema.json.
nlohmann::ordered_json binding_json(const Problem& problem, const Outcome& outcome, const Binding& binding);
nlohmann::ordered_json what_if_json(const Problem& problem, std::size_t user, const WhatIf& what_if);

/// docs/schema/explanation.schema.json.
nlohmann::ordered_json explanation_json(const ExplanationReport& explained);

}  // namespace mirab::report
