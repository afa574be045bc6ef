// Where the service keeps what must not be lost: the log of batches, chained by their hashes, snapshots in
// parts, and the tables that are written in the same transaction as the log. An interface, because a cluster
// of services may keep its log elsewhere.
//
// Thread safety: one thread at a time. This is more than style: SQLite 3.7.0 to 3.51.2 can damage a file in
// WAL mode when two connections write or checkpoint at the same instant. So one connection does all of both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

#include "live/records.hpp"

namespace mirab::service {

/// Why the store did not do it.
struct StoreFailure {
  enum class Kind {
    full,     ///< no room on the disk; nothing changed, and it may be tried again
    busy,     ///< another process writes the file; nothing changed, and it may be tried again
    damaged,  ///< what is in the file contradicts itself
    broken,   ///< reading, writing or syncing failed: what is on the disk is unknown, so the process must end
  };
  Kind kind;
  std::string message;
  bool may_pass() const { return kind == Kind::full || kind == Kind::busy; }
};
using StoreCheck = std::optional<StoreFailure>;

/// A snapshot that is whole.
struct SnapshotRow {
  std::uint64_t revision;
  std::uint64_t bytes;
  std::string sha256;  ///< live::sha256 of its bytes
  std::uint64_t decision_version;
};

/// How far the log goes.
struct LogEnds {
  std::uint64_t first = 0;  ///< the oldest revision that is kept; 0: none
  std::uint64_t last = 0;
  live::Wall last_wall{};   ///< of the last batch; the epoch without one
  std::uint64_t bytes = 0;  ///< of the file's pages in use, snapshots and tables with it
};

class Store {
 public:
  virtual ~Store() = default;

  /// Writes the batches with their rows in one transaction; after a return without failure they are on the
  /// disk.
  virtual StoreCheck append(const std::vector<const live::Batch*>& batches) = 0;
  /// For a time when nothing waits: does what would make a later append longer.
  virtual void rest() = 0;

  /// Calls `visit` for each batch from the one that holds revision `from` on, in order, with the chain of
  /// hashes checked; `visit` returns false to stop. Damaged: names the revision.
  virtual StoreCheck read_log(std::uint64_t from, const std::function<bool(const live::Batch&)>& visit) = 0;
  virtual LogEnds log_ends() = 0;
  /// Forgets the batches that end at or before `revision`, but never the last one of the log.
  virtual StoreCheck trim_log(std::uint64_t revision) = 0;

  /// A snapshot goes in by parts of at most kSnapshotPart bytes, so that batches come in between; it counts
  /// once it is completed.
  virtual StoreCheck add_snapshot_part(std::uint64_t revision, std::uint64_t n, std::string_view bytes) = 0;
  virtual StoreCheck complete_snapshot(const SnapshotRow& row) = 0;
  /// A whole one in one transaction, in the place of one of its revision where there is one.
  virtual StoreCheck replace_snapshot(const SnapshotRow& row, std::string_view bytes) = 0;
  /// Whole ones, the newest first.
  virtual std::vector<SnapshotRow> snapshots() = 0;
  /// None where parts are missing or the hash differs.
  virtual std::optional<std::string> read_snapshot(const SnapshotRow& row) = 0;
  /// Keeps the newest `count`, and removes the parts of what was never completed.
  virtual StoreCheck keep_snapshots(std::size_t count) = 0;

  /// Rows that are not part of a batch: table `series`. They do not take the reserve.
  virtual StoreCheck put_rows(const std::vector<live::Row>& rows) = 0;
  /// What the tasks used that ended, summed over the hours from `from` to before `to` (Unix seconds): the
  /// hour of each is `from`.
  /// `is_late` is polled; true ends it with a failure.
  virtual StoreCheck read_uses(std::int64_t from, std::int64_t to, live::Uses& uses,
                               std::function<bool()> is_late) = 0;
  /// Forgets what is older.
  virtual StoreCheck trim_uses(std::int64_t before) = 0;

  /// What is read until end_read() is of one moment.
  virtual StoreCheck begin_read() = 0;
  virtual void end_read() = 0;

  virtual StoreCheck set_meta(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> meta(const std::string& key) = 0;
  /// The rows of one of the tables of live::Row, by key.
  virtual StoreCheck read_table(
      const std::string& table,
      const std::function<void(const std::string& key, const std::string& columns)>& visit) = 0;

  /// Is there room beyond what is written? False once a full disk has taken the reserve file.
  virtual bool has_reserve() = 0;
  /// Makes the reserve file again; false while there is no room for it.
  virtual bool restore_reserve() = 0;

  /// A copy of the whole, readable as a store, in a new file.
  virtual StoreCheck backup(const std::string& file) = 0;
  /// What SQLite's own check finds; empty: nothing.
  virtual std::string integrity() = 0;
};

/// Is there such a file? False also where that cannot be seen: what opens it then says why.
bool is_there(const std::string& file);

inline constexpr std::size_t kSnapshotPart = std::size_t{1} << 20U;

struct StoreOptions {
  std::string file;
  bool creates = false;  ///< false: an error where there is none; true: an error where there is one
  bool reads_only = false;
  /// This process has it not open elsewhere: a file of others is found out without a trace beside it.
  bool is_unknown = false;
  std::string vfs = {};  ///< SQLite's name of a file system; empty: the machine's
  std::string synchronous =
      "FULL";  ///< anything less loses acknowledged batches at a power loss (a test shows it)
  std::size_t reserve_bytes = std::size_t{64} << 20U;  ///< given up when the disk is full; 0: none
};

/// Opens a file with SQLite, behind a lock that a second process cannot take.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace mirab::service
