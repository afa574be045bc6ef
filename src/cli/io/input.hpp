// Input files: text, cluster files, and which kind of file one is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/result.hpp>

#include "model/document.hpp"

namespace CLI {
class App;
}

namespace mirab::cli {

/// Adds the argument CLUSTER, a cluster file.
void add_cluster_argument(CLI::App& app, std::string& cluster);

/// Adds --allocation.
void add_allocation_option(CLI::App& app, std::string& allocation);

/// Adds --teams.
void add_teams_option(CLI::App& app, std::string& teams);

/// What is known of a cluster. All but the first may be empty.
struct ClusterFiles {
  std::string cluster;
  std::string allocation = {};  ///< what runs there now; empty: what the cluster file says
  std::string teams = {};       ///< groups, and their users; empty: those of the cluster file
  std::string alike = {};       ///< by how many percent servers may differ that count as one entry
};

/// A problem without groups, with those of the teams file; a note says which names of it no user has.
Result<Problem> with_teams(const Problem& problem, const ClusterFiles& files);

/// The cluster file, with what an allocation file says is running, and the groups of a teams file. Servers
/// are as they stand, whatever `alike` says (alike.hpp). Errors say what kind of file was given where it is
/// another one.
Result<Problem> read_problem(const ClusterFiles& files);

/// What the cluster file is called where it is shown: its name, or `standard input`.
std::string title_of(const std::string& cluster);

/// The index of a user; one task shape is a user by its name `user/shape`. Errors name the key, and the names
/// that are near, or the shapes of a user who has several.
Result<std::size_t> find_user(const Problem& problem, const std::string& name, const std::string& cluster,
                              const std::string& key);

/// The error with the place in the cluster file, or the teams file, that its key names: what a mechanism or a
/// filling cannot do with a cluster is found after its file was read.
Error with_cluster_position(const ClusterFiles& files, Error error);

/// A file of others, such as an importer reads: a text, or one that gzip has packed. Errors: besides those of
/// read_input(), it is packed by something else, or damaged.
Result<InputText> read_foreign_input(const std::string& path);

/// Refuses what is packed, and says by what.
Check check_unpacked(const InputText& input);

/// What a file of Mirab's own can be.
enum class FileKind { cluster, workload, scenario };

/// Is the first key of its first line that of a workload's head? Of a text that gzip has packed too.
bool is_workload(std::string_view text);

/// What a file of others is: the queues of another scheduler, objects of Kubernetes or a table of kubectl,
/// what Slurm prints, a log in the Standard Workload Format, a table.
struct ForeignKind {
  std::string_view importer;  ///< its command under `mirab import`; empty where there is none
  std::string description;    ///< what it is, and which commands read it
  bool is_table = false;      ///< with a head, so that `mirab import jobs` reads it too
};

/// Nothing for any other text. Looks at its beginning only, also where gzip has packed it.
std::optional<ForeignKind> foreign_kind(const InputText& input);

/// Why an importer failed. Where one of its inputs is of another kind, the error says so, and which command
/// reads that; else the error stays. `like`: the importers of files that look like those of this one.
Error explain_wrong_import(Error error, std::span<const InputText> inputs,
                           std::span<const std::string_view> like);

/// The same for the importer of a trace, which reads its files itself: looks at the file that the error names
/// where that failed on its first line. `like`: the importer of files that look like the trace's, `csv` or
/// `swf`.
Error explain_wrong_trace(Error error, std::string_view like);

/// Why manifests of Kubernetes could not be read. Where the text is of another kind, the error says so, and
/// which command reads that; else the error stays.
Error explain_wrong_manifests(Error error, const InputText& input);

/// Why a file could not be read. Where it is a good file of another kind than was wanted, the error says so,
/// and where such a file belongs. Reads the file that the error names once more; errors of others stay.
Error explain_wrong_kind(Error error, FileKind wanted);

}  // namespace mirab::cli
