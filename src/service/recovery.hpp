// A file's beginning, and how a state comes back from it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "live/decider.hpp"
#include "live/reader.hpp"
#include "service/store.hpp"

namespace mirab::service {

struct InitOptions {
  std::string file;
  std::vector<std::string> resources = {"cpu:milli", "memory:bytes", "gpu"};
  std::string discipline = "drf";
  std::string placement = "best-fit";
};

/// Of several processes that make a file in one folder at a time, the others wait: they use the same names
/// until it is finished.
class FolderLock {
 public:
  explicit FolderLock(const std::string& file);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

/// Makes the file with its first snapshot, and FILE.admin-token (mode 0600) with the secret of a token of
/// scope admin. Both appear whole, first the file and then the token, and take no other's place. After a
/// crash between them `finish_init` goes on; before, init_file begins again. Errors: there is such a file, no
/// such resource unit, discipline or placement.
Check init_file(const InitOptions& options);

/// Gives the token its name where a crash kept init_file from it.
Check finish_init(const std::string& file);

/// Deciding and answering state at the end of the log.
struct Recovered {
  live::Decider decider;
  live::Reader reader;
  live::Wall last_wall{};          ///< of the last batch; the epoch without one
  std::uint64_t replayed = 0;      ///< batches after the snapshot
  std::vector<std::string> notes;  ///< snapshots that could not be used, and why
  bool was_adopted = false;        ///< the batches were decided elsewhere, and taken over as logged
};

/// What is wrong with a state that was taken over as logged, and that no replay compared; empty: nothing.
std::string fault_of_adopted(const live::Decider& decider, const live::Reader& reader);

/// The newest snapshot that reads, restores and gives its own bytes again, and the batches after it, each
/// outcome compared; where another decision version or another arithmetic decided, as logged. Errors name the
/// revision.
/// `goes_on` is called for each batch.
Result<Recovered> recover(Store& store, live::Others others, const std::function<void()>& goes_on = {});

/// After batches that were taken over as logged: a snapshot, so that they need not be again, and the
/// fingerprint of this machine.
StoreCheck keep_adopted(Store& store, const Recovered& recovered);

/// The history as far as the file has it. Rows that cannot be read are left out: how many.
std::size_t load_history(Store& store, live::History& history);

/// All that `mirab serve check` looks at: SQLite's own check, the chain from the beginning of the log, each
/// snapshot, the replay from the oldest snapshot to the end, and that both engines end with the same bytes.
/// Calls `say` with a sentence for each.
Check check_file(Store& store, const std::function<void(const std::string&)>& say);

/// The rows of one of live::kTables, as they are at the end of the log.
Result<std::vector<live::Row>> rows_of_file(Store& store, const std::string& table);

/// A snapshot in parts and its row.
StoreCheck write_snapshot(Store& store, std::uint64_t revision, std::string_view bytes);

/// A copy of the store in a new file, for its owner alone; it is there whole and synced, or not at all.
/// Errors: there is such a file.
Check make_copy(Store& store, const std::string& file);

/// Renames a file, but never onto another.
Check rename_to_new(const std::string& from, const std::string& to);

/// The names of new files are durable only after this. A folder that cannot be opened is left as it is.
void sync_folder_of(const std::string& file);

}  // namespace mirab::service
