#pragma once

// What the queues of another scheduler become: the groups of a teams file (docs/how-to/import-teams.md). Each
// format has a file of its own beside this one; what they share stands here.

#include <gmpxx.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

#include "inventory/inventory.hpp"

namespace mirab::teams {

/// A file of another scheduler that was read whole.
struct SourceText {
  std::string file;  ///< as errors call it
  std::string_view text;
};

/// By the resource's name in a cluster file.
using Amounts = std::map<std::string, mpq_class>;

/// Amounts of some resources, or instead a percentage of all that the cluster has of every resource.
struct Share {
  Amounts amounts = {};
  std::optional<mpq_class> percent = {};

  bool is_empty() const { return amounts.empty() && !percent; }
};

/// A group of the teams file.
struct Group {
  std::string id;    ///< unique among the groups of its scheduler, as a path is
  std::string name;  ///< in the teams file
  std::string
      kind;  ///< what the scheduler calls it: `queue`. Where the name is taken, it gets this behind it
  std::optional<std::string> parent = {};  ///< id; without a value: a member of the cluster
  FilePosition position = {};              ///< where it names its parent, or else itself
  mpq_class weight = 1;
  Share guarantee = {};
  Share limit = {};
  Share reserved = {};
  bool is_closed = false;  ///< starts nothing: its limit is 0, and nothing is guaranteed to it or below it
  std::vector<std::string> members = {};
};

/// Groups of a teams file, and what of the foreign queues they do not say.
struct ImportedTeams {
  std::string members_key;                   ///< `namespaces` or `users`
  std::vector<Group> groups;                 ///< each after its parent
  std::vector<std::string> provenance = {};  ///< lines for the head of the file
  std::vector<std::string> notices = {};     ///< what is not kept, a sentence each
};

/// What is not kept, with the names of the queues where it stood.
class NotKept {
 public:
  /// `word`: what the name is of, in the singular: `queue`.
  void add(const std::string& what, std::string_view word, std::string name);

  /// A sentence as it stands.
  void say(std::string sentence);

  /// Each thing once, in the order in which they came: `not kept, preemption: 2 queues: a, b`.
  std::vector<std::string> notices() const;

 private:
  struct Thing {
    std::string what;
    std::string word;
    inventory::Tally tally = {};
  };
  std::vector<Thing> things_;
  std::vector<std::string> sentences_;
};

/// The groups as a teams file can hold them:
///
/// - each stands after its parent, and no two share a name, nor one with a member: groups and users of a
///   cluster have one set of names;
/// - a guarantee is no less than those below it together, a reserve no more than its guarantee, a limit no
///   less than the guarantee, with a notice where this changes an amount;
/// - a member stands in one group, the first, with a notice.
///
/// Errors name file, line and key: no group, a parent that is not there, a cycle of parents, two groups of
/// one id, a name that a teams file does not take, more levels than its reader allows, an amount beyond 2^63.
/// O(groups · levels · resources).
Result<ImportedTeams> arrange(std::string members_key, std::vector<Group> groups, NotKept not_kept);

/// The deepest tree that the reader of teams files takes, since a level nests two values.
inline constexpr std::size_t kMostLevels = 15;

/// The teams file in YAML, which `read_teams_file`, `with_teams_file` and `LiveTeams` read back. The comment
/// lines come first, each after a `# `.
std::string write_teams_yaml(const ImportedTeams& teams, const std::vector<std::string>& comment);

}  // namespace mirab::teams
