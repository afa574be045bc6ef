#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// Groups, and who is in them.
struct Teams {
  std::vector<Group> groups;                         ///< each after its parent
  std::vector<std::optional<std::size_t>> group_of;  ///< [member]; without a value: of the cluster itself
};

/// Reads a teams file (docs/reference/simulate.md, "Teams"): the `groups` of a cluster file, each with a list
/// `members_key` (`users`) of the members' names. A `*` in a name stands for any text; such a name takes
/// those that no plain name and no earlier one has taken. Percentages are of the cluster's capacity.
///
/// Errors name file, line and key: those of a cluster file's groups, a name that no member has, a member in
/// two groups. O(names with a `*` × members).
Result<Teams> read_teams_file(const std::string& path, const Problem& cluster,
                              std::span<const std::string> members, std::string_view members_key);

}  // namespace mirab
