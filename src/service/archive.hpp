// The archive of a service: a folder with a copy of the file as it was when the archive began, and every
// batch that came after it, in order. From both comes the state of any moment since (restore.hpp).
//
//   base-00000000000000000120.db   a backup whose log ends at revision 120
//   log-00000000000000000121.gz    groups of batches, each a gzip stream, from revision 121 on
//
// A group is appended and synced after its batches are committed: an acknowledgement does not wait for it.
// What a kill or a power loss leaves of a group is cut off at the next start, and the group written again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

#include "live/records.hpp"
#include "service/store.hpp"

namespace mirab::service {

/// Batches that were archived together, with what a reader must know of who decided them.
struct ArchivedGroup {
  std::string cluster_id = {};
  std::uint64_t decision_version = 0;  ///< 0: of various
  std::string libm = {};               ///< live::fingerprint_of_libm() there
  std::string previous = {};           ///< the hash before the first batch
  std::vector<live::Batch> batches = {};
};

/// As one gzip stream, and back from the bytes of one without its compression.
std::string packed(const ArchivedGroup& group);
Result<ArchivedGroup> group_of(std::string_view text);

struct ArchiveFile {
  std::string name;
  std::uint64_t revision;  ///< the first of a file of the log, the last of a base
};
struct ArchiveFolder {
  std::vector<ArchiveFile> logs = {};  ///< in order
  std::vector<ArchiveFile> bases = {};
};
/// Errors: there is no such folder.
Result<ArchiveFolder> list_archive(const std::string& folder);

/// How far a file of the log could be read.
struct ArchiveRead {
  std::uint64_t whole_bytes = 0;  ///< of groups that are whole
  bool is_cut = false;            ///< its last group has no end, as a kill leaves it
  std::optional<Error> wrong = {};
};
/// Calls `visit` with each whole group; it returns false to stop.
ArchiveRead read_archive_file(const std::string& file, const std::function<bool(ArchivedGroup&)>& visit);

/// Writes to an archive. One thread at a time.
class ArchiveWriter {
 public:
  /// Takes up the archive of `folder` behind a lock, where it ends. Errors: no such folder, another process
  /// writes there, the archive of another cluster or of another history, a gap between it and the log.
  /// Up to `elsewhere` other versions or processors decided: those batches are restored as logged.
  static Result<ArchiveWriter> open(const std::string& folder, Store& store, std::uint64_t elsewhere = 0);
  ArchiveWriter(ArchiveWriter&& other) noexcept;
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(ArchiveWriter&&) = delete;

  /// Archives what the store has beyond the archive's end, some megabytes at most; a new archive begins with
  /// its base. True when there was something. After an error it may be called again.
  Result<bool> write_next(Store& store);

  /// All up to here is in the archive, and synced; 0 while it has no base.
  std::uint64_t revision() const { return last_; }
  const std::string& folder() const { return folder_; }

 private:
  ArchiveWriter() = default;
  Check make_base(Store& store);
  Check append(std::string_view bytes, std::uint64_t first);
  Check find_end();
  Check compare(Store& store) const;
  Check forget_unfinished() const;
  Error wrong(const std::string& message) const { return Error{.message = message, .file = folder_}; }

  std::string folder_;
  int handle_ = -1;  ///< of the folder, with the lock
  std::string cluster_id_;
  std::uint64_t elsewhere_ = 0;
  std::uint64_t last_ = 0;
  std::string hash_;  ///< of the last batch
  std::string file_;  ///< to which groups are added; empty: none yet
  std::uint64_t size_ = 0;
  std::vector<std::string> empty_files_;  ///< without a whole group
};

}  // namespace mirab::service
