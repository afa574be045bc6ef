#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "model/document.hpp"

namespace mirab {

/// Groups, and who is in them.
struct Teams {
  std::vector<Group> groups;                         ///< each after its parent
  std::vector<std::optional<std::size_t>> group_of;  ///< [member]; without a value: of the cluster itself
  std::vector<FilePosition> positions = {};          ///< of the groups in the file
};

/// Reads a teams file (docs/reference/simulate.md, "Teams"): the `groups` of a cluster file, each with a list
/// `members_key` (`users`) of the members' names. A `*` in a name stands for any text; such a name takes
/// those that no plain name and no earlier one has taken. Percentages are of the cluster's capacity.
///
/// Errors name file, line and key: those of a cluster file's groups, a name that no member has, a member in
/// two groups. O(names with a `*` × members).
Result<Teams> read_teams_file(const std::string& path, const Problem& cluster,
                              std::span<const std::string> members, std::string_view members_key);

/// A teams file of a live cluster, in which members, servers and resources come and go.
class LiveTeams {
 public:
  /// Errors name file, line and key: those of read_teams_file(), but for names that no member has. Guarantees
  /// in amounts are not compared with a capacity, nor percentages with amounts; percentages are with 100.
  static Result<LiveTeams> read(const std::string& path, std::string_view members_key);

  std::size_t group_count() const { return groups_.size(); }
  /// How many names of members, or patterns of names, the groups list.
  std::size_t name_count() const { return members_.size() + patterns_.size(); }

  /// The groups, each after its parent, with percentages of this capacity; [r] as `resources`.
  std::vector<Group> groups(std::span<const std::string> resources, const ResourceVector& capacity) const;

  /// The place of a member's group among them; nothing: no group names it.
  std::optional<std::size_t> group_of(std::string_view member) const;
  /// The place of the group of a name.
  std::optional<std::size_t> group_called(std::string_view name) const;

  /// Resources that some group names.
  const std::vector<std::string>& resources() const { return resources_; }

 private:
  std::string file_;
  std::string members_key_;
  std::shared_ptr<const Node> root_;
  std::vector<std::string> resources_ = {};
  std::map<std::string, std::size_t, std::less<>> groups_ = {}, members_ = {};
  std::vector<std::pair<std::string, std::size_t>> patterns_ = {};  // names with a `*`, in the file's order
};

/// The key under which the groups of a text list their members, `users` or `namespaces`, or nearly do, if it
/// is a teams file: it has `groups` and none of the other parts of a cluster.
std::optional<std::string_view> teams_members_key(std::string_view text, Syntax syntax);

}  // namespace mirab
