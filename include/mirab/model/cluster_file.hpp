#pragma once

#include <string>
#include <string_view>

#include <mirab/model/problem.hpp>

namespace mirab {

/// In what a file is written.
enum class Syntax { yaml, json };

/// Reads a cluster file (YAML, or JSON when the name ends in .json; `-` is standard input, JSON when it
/// begins with `{`) and validates it.
/// Its keys are described in docs/reference/cluster-file.md. Errors name file, line and key; nothing is read
/// by halves.
Result<Problem> read_cluster_file(const std::string& path);

/// The same for a text in memory; `name` stands for the file in errors.
Result<Problem> read_cluster_text(std::string_view text, Syntax syntax, const std::string& name);

/// The problem with what runs on it according to an allocation file, in place of what its own file says: the
/// list `running` of a cluster file in YAML or JSON, alone or under that key, or CSV with the header
/// `user,shape,server,tasks`, where `shape` may be left out (docs/reference/cluster-file.md). A name that
/// ends in `.json`, `.yaml`, `.yml` or `.csv` says which; else the first character does. `-` reads standard
/// input. Errors name file, line and key, or of CSV the column.
Result<Problem> with_allocation_file(const Problem& problem, const std::string& path);

/// The cluster file with what runs on it according to an allocation file. What its own `running` says must be
/// written as there, but need not fit the cluster. Errors and names as above.
Result<Problem> read_cluster_file(const std::string& path, const std::string& allocation);

/// The problem with the groups of a teams file (docs/reference/simulate.md, "Teams"), as `mirab kube` reads
/// it: its `users` or `namespaces` are the problem's users, one with several task shapes as a whole. In such
/// a file teams come and go: a name that no user has is added to `absent`, a group without a user is left
/// out, and who is in no group is a member of the cluster. Standard input for `-`.
///
/// Errors: those of a cluster file's groups, with file, line and key; the problem has groups of its own.
/// O(users × names with a `*`), and what the groups cost to check.
Result<Problem> with_teams_file(const Problem& problem, const std::string& path,
                                std::vector<std::string>& absent);

/// Where a key of the problem, such as `users[3].demand_on`, stands in the cluster file it was read from: for
/// an error that is found after the file was read. Reads the file again. Without the name of the file.
FilePosition position_in_cluster_file(const std::string& path, const std::string& key);

/// The same of a problem with the groups of a teams file, which come first; empty: none. With the name of the
/// teams file where the key stands there. Reads both again.
FilePosition position_in_files(const std::string& path, const std::string& teams_path,
                               const std::string& key);

/// The cluster in YAML, in the order in which it was given: reading it back gives an equal problem. `comment`
/// lines come first, each after a `# `.
std::string write_cluster_yaml(const Cluster& cluster, const std::vector<std::string>& comment = {});

}  // namespace mirab
