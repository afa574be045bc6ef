#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <mirab/audit/explanation.hpp>

#include "report/text/width.hpp"

namespace mirab::report {

/// What every user has and why, to be shown.
struct SurveyReport {
  std::string title;  ///< of the cluster: what it is called, or its file
  const Problem& problem;
  const Survey& survey;
  const Outcome* now = nullptr;  ///< what runs now; null: it is not known, or is what is explained
  std::string team = {};         ///< of a survey of one team alone: its name, or that of its group
};

/// What a person reads: a line for each user with what it asks for, what it gets, what holds it back, and
/// the best remedy; those who are short first, what they get in bold. Where users have task shapes, a row a
/// team (team_table), and below it these lines for the shape of each team that lacks most; of one team, for
/// its shapes that wait, and what changes would bring the team. `shapes`: a line for each shape. No wider
/// than the terminal where that can be.
std::string survey_table(const SurveyReport& report, const Terminal& terminal, bool shapes = false);

/// docs/schema/survey.schema.json.
nlohmann::ordered_json survey_json(const SurveyReport& report);

/// One record a user: user, group, asked, tasks, satisfied, dominant_share, held_back_by, held_back, remedy,
/// remedy_tasks, remedy_gain; empty where there is none.
std::string survey_csv(const SurveyReport& report);

}  // namespace mirab::report
