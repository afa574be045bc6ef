// Where each team stands under an outcome. A team is a person (audit/persons.hpp): a user with all its task
// shapes, or a user without them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

#include "audit/persons.hpp"

namespace mirab {

struct TeamStanding {
  Person who;                ///< its users, weight and share
  std::size_t dominant = 0;  ///< the resource of which it holds the largest part; holding none, asks for
  double tasks = 0;          ///< of all its shapes together
  std::optional<double> asked = {};           ///< tasks; without a value: endless
  std::optional<double> asked_share = {};     ///< the share that all of these would hold together
  std::vector<std::size_t> short_users = {};  ///< those of its users who lack tasks, the largest share first

  bool satisfied() const { return short_users.empty(); }
  /// Tasks that it asks for and does not get; of endless ones there is no number.
  std::optional<double> waiting() const;
  /// Its share, for its weight; the share itself where the weight is 0.
  double level() const { return who.weight > 0 ? who.share / who.weight : who.share; }
};

/// In the order of persons(). Shares are parts of `capacity`, [m], where that is above 0. O((N + grants) m +
/// N log N).
std::vector<TeamStanding> team_standings(const Problem& problem, const Outcome& outcome,
                                         std::span<const double> capacity);

/// The same in parts of the problem's own pool.
std::vector<TeamStanding> team_standings(const Problem& problem, const Outcome& outcome);

/// The node in the tree of a group, or of a user with task shapes. Requires one of that name. O(G).
std::size_t group_node(const Problem& problem, const std::string& group);

/// Where each group of users stands with all users below it, each group before those in it; users with task
/// shapes are none. O((N + grants) m depth).
std::vector<TeamStanding> group_standings(const Problem& problem, const Outcome& outcome);

/// Indices of the teams, those who are short first. Beside what runs now (`now`, the same teams; empty: it is
/// not known) these are the teams that hold less than their fair share, who lacks most of it first; then
/// those who hold their fair share and wait, who waits for most tasks first; then who holds more than is
/// fair, most first. Else those who get the least part of what they ask for are first, then who asks without
/// end, the lowest share per weight first. All others follow as they stand.
std::vector<std::size_t> short_first(std::span<const TeamStanding> fair, std::span<const TeamStanding> now);

/// At least two teams of one group, or of none, that are short of the same resources and have the same share
/// per weight: a rule that levels shares can give none of them more without giving another less.
struct LevelTeams {
  std::vector<std::size_t> teams;      ///< indices, ascending
  std::vector<std::size_t> resources;  ///< of which their tasks that wait find no more, ascending
};

/// Sets of level teams. Those of weight 0 and those with a guarantee of their own are in none, since shares
/// alone do not say what they should have. O(short users) questions of Stops, and O(N log N).
std::vector<LevelTeams> level_teams(const Problem& problem, const Outcome& outcome,
                                    std::span<const TeamStanding> teams);

}  // namespace mirab
