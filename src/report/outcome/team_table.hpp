// The answer by team: what each asks for, has now and would have, how many of its tasks wait, and what holds
// it. A team is a user, with all its task shapes where it has some.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/audit/teams.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

#include "audit/team_standing.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

/// An outcome and where each team stands under it.
struct TeamColumn {
  const Outcome& outcome;
  std::span<const TeamStanding> teams;
};

/// Is the outcome what runs now, which no rule divides?
bool is_present(const Outcome& outcome);

/// What keeps the tasks of a team that wait from running: `nvidia.com/gpu`; nothing of a team that has all.
std::string held_by_words(const Problem& problem, const Outcome& outcome, const Stops& stops,
                          const TeamStanding& team);

/// How many of its tasks wait: `0.57`, `∞`.
std::string waiting_words(const TeamStanding& team, int decimals);

/// How many decimals the waiting tasks of these teams are shown with: two at most.
int waiting_decimals(std::span<const TeamStanding> teams);

/// One row per team: shares asked for, now and under each outcome, points between, tasks that wait, and what
/// holds them under the first outcome and now. Short first under the first outcome. `now` is null where it is
/// not known. At least one column; those that do not fit side by side follow in blocks below, with the same
/// rows. Below it, what the columns mean and which teams are level.
std::string team_table(const Problem& problem, std::span<const TeamColumn> columns, const TeamColumn* now,
                       const Terminal& terminal);

/// The same rows of groups (group_standings, or some of them), each below the one around it, without what the
/// columns mean. Nothing without groups.
std::string group_table(const Problem& problem, std::span<const TeamColumn> columns, const TeamColumn* now,
                        const Terminal& terminal);

/// `level under hdrfh: team-00, team-03 and 5 more, all short of gpu, with the same share, 4.66%`, a line for
/// each tie; or only that of the team `of`.
std::string level_lines(const Problem& problem, const TeamColumn& column, std::size_t width,
                        std::string_view of = {});

/// `[{name, weight, shapes, dominant_resource, now, fair, asked, tasks, asked_tasks, waiting,
/// waiting_now, satisfied, held_by}, …]`, in the order of the table. `column` may be what runs now itself;
/// then there is no `fair`.
nlohmann::ordered_json teams_json(const Problem& problem, const TeamColumn& column, const TeamColumn* now);

/// The same of groups, with `parent` in the place of `shapes`, in the order of their tree.
nlohmann::ordered_json group_rows_json(const Problem& problem, const TeamColumn& column,
                                       const TeamColumn* now);

}  // namespace mirab::report
