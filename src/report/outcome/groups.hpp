// What groups have under an outcome: the tree of groups and users as a table and as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <mirab/audit/teams.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab::report {

/// `gpu`, `its tasks`, `limit of research: gpu`, `room in fragments only`.
std::string stop_words(const Problem& problem, const Outcome& outcome, const Stop& stop);

/// Does the outcome divide by groups, guarantees, limits and reserves?
bool honours_groups(const Outcome& outcome);

/// Are there groups of users, guarantees, limits or reserves? Task shapes alone make no groups.
bool has_groups(const Problem& problem);

/// Where the table of groups ends: at users with all their task shapes, or at these.
enum class Leaves { teams, shapes };

/// A row for each group and user, members below their group: what it uses, its guarantee, its dominant share,
/// that beyond its guarantee per weight, and what holds a user back. Below it, the lowest share beyond its
/// guarantee per weight on each level. Requires a problem with groups or quotas. O((G + N) depth m + grants
/// m).
std::string groups_table(const Problem& problem, const Outcome& outcome, std::size_t width,
                         Leaves leaves = Leaves::shapes);

/// What these nodes of the tree are called.
std::vector<std::string> node_names(const Problem& problem, const std::vector<std::size_t>& nodes);

/// What stops a user: `by`, `words`, and of a limit `of` and `also`.
nlohmann::ordered_json held_back_json(const Problem& problem, const Outcome& outcome, const Stop& stop);

/// The groups as docs/reference/output.md describes them; users with task shapes are among them.
nlohmann::ordered_json groups_json(const Problem& problem, const Outcome& outcome);

}  // namespace mirab::report
