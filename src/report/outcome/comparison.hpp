// Outcomes for one problem that are compared with each other, and their forms: table, JSON and CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

#include "audit/team_standing.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

/// An outcome and what is measured of it, once.
struct MeasuredOutcome {
  Outcome outcome;
  Metrics metrics;
  Satisfaction satisfaction;
  std::optional<Metrics> metrics_short;  ///< over those who are short of tasks: of_short_users()
  std::vector<TeamStanding> teams;
  std::vector<TeamStanding> groups;  ///< of users: group_standings()
};

/// Several outcomes for one problem, to be shown side by side.
struct Comparison {
  std::string title;  ///< what is shared: the cluster file as the user named it
  Problem problem;
  std::uint64_t seed = 1;
  std::vector<MeasuredOutcome> outcomes;
  /// Of each entry that --alike made of several: the servers that count in it.
  std::map<std::string, std::vector<std::string>> stands_for = {};
};

MeasuredOutcome measured(const Problem& problem, Outcome outcome);

/// The outcome that is what runs now; null where none is.
const MeasuredOutcome* present_of(std::span<const MeasuredOutcome> outcomes);

/// `first`, `last`, `random`.
std::string_view tie_name(Tie tie);
/// `nothing`, `no room`, `blocked`.
std::string_view unplaced_name(Unplaced reason);

/// `warning` for a notice after which the numbers should not be used as they are, else `note`.
std::string_view notice_kind(std::string_view notice);

/// With this begins the notice which mechanism was taken, and why.
inline constexpr std::string_view kTakenMechanism = "taken since no mechanism was named";
/// The same of a discipline.
inline constexpr std::string_view kTakenDiscipline = "taken since no discipline was named";

/// Does the notice say which mechanism or discipline was taken, since none was named? Tables have it above
/// them.
bool is_of_choice(std::string_view notice);

/// `hdrfh is taken since no mechanism was named: …`, a line for each such notice.
std::string choice_lines(const Outcome& outcome, std::size_t width);

/// All users; one with task shapes is one.
std::size_t total_users(const Problem& problem);

/// Has some user task shapes? Then tables have a row a team, and one for each shape only when asked.
bool has_shapes(const Problem& problem);

/// All servers, entries counted as often as they say.
std::int64_t total_servers(const Problem& problem);

/// What the table shows beyond what most people look for.
struct TableOptions {
  bool all_metrics = false;
  bool times = false;   ///< how long each solver took
  bool shapes = false;  ///< a row for each task shape in place of one for each team
};

/// `10 of 12 get all they ask for under drf and pf`, a line for each count; nothing where no user asks for a
/// number of tasks.
std::vector<std::string> satisfied_lines(const Comparison& comparison);

/// What a person reads: by which mechanism where none was named, a row per user with tasks and dominant share
/// under every outcome, a summary, the notices. Where users have task shapes, a row a team (team_table). The
/// fairness figures are of the users who are short of tasks. As many outcomes stand side by side as the width
/// holds, at least one; the others follow below, and then the steps of fillings that recorded them. In bold:
/// users who are short, and the best of each figure.
std::string comparison_table(const Comparison& comparison, const Terminal& terminal,
                             const TableOptions& options = {});

/// The comparison as docs/reference/output.md describes it, keys in that order. A number reads back as the
/// same double; an infinite one is null. Of a filling with more than `most_steps` every k-th step is kept,
/// and each user's last. O(grants · m + steps).
nlohmann::ordered_json comparison_json(const Comparison& comparison, std::size_t most_steps = SIZE_MAX);

/// One record per outcome and user: outcome, user, tasks, dominant_resource, dominant_share, asked (empty
/// without end), satisfied (`true` or `false`), then what it is granted of every resource.
std::string comparison_csv(const Comparison& comparison);

}  // namespace mirab::report
