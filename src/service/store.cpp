#include "service/store.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "live/content.hpp"
#include "service/statement.hpp"

namespace mirab::service {
namespace {

// Format 1 had the tables `group`, `queue`, `job` and `task_ended` too, which nothing read.
constexpr int kFormat = 2;
constexpr const char* kFormat1 = "1";
constexpr const char* kFromFormat1 =
    "DROP TABLE IF EXISTS \"group\"; DROP TABLE IF EXISTS queue; DROP TABLE IF EXISTS job;"
    " DROP TABLE IF EXISTS task_ended; UPDATE meta SET value = '2' WHERE key = 'format';";
constexpr std::uint64_t kDatabasePage = 4096;

// Pages in the write-ahead log after which a checkpoint is worth its time while nothing waits, and after
// which it is made in any case: then a commit takes longer, with 1,000 pages 20 to 30 ms, with 16,000 it
// would be 400 ms.
constexpr int kPagesWorthACheckpoint = 250;
constexpr int kMostPages = 2'500;
constexpr int kStepsOfQuestion = 10'000;  // of SQLite, then it asks whether it is late
constexpr std::array kTables = {live::kTenantTable, live::kServerTable, live::kTokenTable, "series"};

/// Files that were made before it get it when they are opened.
constexpr const char* kUses =
    "CREATE TABLE IF NOT EXISTS uses(hour INTEGER NOT NULL, queue TEXT NOT NULL, tenant TEXT NOT NULL,"
    " \"group\" TEXT NOT NULL, resource INTEGER NOT NULL, amount REAL NOT NULL,"
    " PRIMARY KEY(hour, queue, tenant, \"group\", resource)) STRICT, WITHOUT ROWID;";

std::string schema() {
  std::string text =
      "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
      "CREATE TABLE batch(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, wall INTEGER NOT NULL,"
      " hash TEXT NOT NULL, body BLOB NOT NULL) STRICT;"
      "CREATE TABLE snapshot(revision INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL,"
      " decision_version INTEGER NOT NULL) STRICT;"
      "CREATE TABLE snapshot_part(revision INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL,"
      " PRIMARY KEY(revision, n)) STRICT;";
  for (const char* table : kTables)
    text += fmt::format(
        "CREATE TABLE \"{}\"(key TEXT PRIMARY KEY, columns TEXT NOT NULL) STRICT, WITHOUT ROWID;", table);
  return text + kUses;
}

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(StoreOptions options) : options_(std::move(options)) {}
  ~SqliteStore() override {
    statements_.clear();
    if (database_ != nullptr) sqlite3_close_v2(database_);
    if (lock_ >= 0) ::close(lock_);
  }
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  Check open();

  StoreCheck append(const std::vector<const live::Batch*>& batches) override {
    StoreCheck failure = try_append(batches);
    if (failure && failure->kind == StoreFailure::Kind::full && give_up_reserve())
      failure = try_append(batches);
    return failure;
  }

  StoreCheck read_log(std::uint64_t from, const std::function<bool(const live::Batch&)>& visit) override;
  LogEnds log_ends() override;
  StoreCheck trim_log(std::uint64_t revision) override;
  StoreCheck add_snapshot_part(std::uint64_t revision, std::uint64_t n, std::string_view bytes) override;
  StoreCheck complete_snapshot(const SnapshotRow& row) override;
  StoreCheck replace_snapshot(const SnapshotRow& row, std::string_view bytes) override;
  std::vector<SnapshotRow> snapshots() override;
  std::optional<std::string> read_snapshot(const SnapshotRow& row) override;
  StoreCheck keep_snapshots(std::size_t count) override;

  StoreCheck put_rows(const std::vector<live::Row>& rows) override {
    int code = statement(kBegin, "BEGIN IMMEDIATE").run();
    for (std::size_t at = 0; at < rows.size() && code == SQLITE_OK; ++at) code = put_row(rows[at]);
    return finished(code);
  }
  StoreCheck read_uses(std::int64_t from, std::int64_t to, live::Uses& uses,
                       std::function<bool()> is_late) override;
  StoreCheck trim_uses(std::int64_t before) override {
    return checked(Statement(database_, "DELETE FROM uses WHERE hour < ?1")
                       .bind(1, static_cast<std::uint64_t>(before))
                       .run());
  }
  void rest() override {
    if (pages_ >= kPagesWorthACheckpoint) checkpoint();
  }
  StoreCheck begin_read() override { return checked(statement(kBeginRead, "BEGIN").run()); }
  void end_read() override { statement(kRollback, "ROLLBACK").run(); }

  StoreCheck set_meta(const std::string& key, const std::string& value) override {
    return checked(statement(kSetMeta, "INSERT INTO meta VALUES(?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")
                       .bind(1, key)
                       .bind(2, value)
                       .run());
  }
  std::optional<std::string> meta(const std::string& key) override {
    Statement& query = statement(kMeta, "SELECT value FROM meta WHERE key = ?1").bind(1, key);
    std::optional<std::string> value;
    if (query.step() == SQLITE_ROW) value = query.text(0);
    query.reset();
    return value;
  }
  StoreCheck read_table(const std::string& table,
                        const std::function<void(const std::string&, const std::string&)>& visit) override {
    Statement query(database_, fmt::format("SELECT key, columns FROM \"{}\" ORDER BY key", table));
    int code = query.step();
    for (; code == SQLITE_ROW; code = query.step()) visit(query.text(0), query.text(1));
    return checked(code == SQLITE_DONE ? SQLITE_OK : code);
  }

  bool has_reserve() override {
    if (options_.reserve_bytes == 0) return true;
    std::error_code unseen;  // then it was not given up
    return std::filesystem::exists(reserve_file(), unseen) || unseen;
  }
  bool restore_reserve() override;
  StoreCheck backup(const std::string& file) override;
  std::string integrity() override;

 private:
  enum Which {
    kBegin,
    kBeginRead,
    kCommit,
    kRollback,
    kAddBatch,
    kSetMeta,
    kMeta,
    kPageCount,
    kAddPart,
    kAddSnapshot,
    kAddUse,
    kPutRow,
    kDropRow = kPutRow + 16,
    kEnd = kDropRow + 16
  };

  Statement& statement(int which, const std::string& text) {
    auto& place = statements_[static_cast<std::size_t>(which)];
    if (place == nullptr) place = std::make_unique<Statement>(database_, text);
    return *place;
  }

  StoreCheck checked(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE) return std::nullopt;
    const int kind = code & 0xff;
    std::string message = fmt::format("{}: {}", options_.file, sqlite3_errmsg(database_));
    if (kind == SQLITE_FULL) return StoreFailure{StoreFailure::Kind::full, std::move(message)};
    if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
      return StoreFailure{StoreFailure::Kind::busy, std::move(message)};
    if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
      return StoreFailure{StoreFailure::Kind::damaged, std::move(message)};
    return StoreFailure{StoreFailure::Kind::broken, std::move(message)};
  }

  StoreCheck try_append(const std::vector<const live::Batch*>& batches);
  int put_batch(const live::Batch& batch);
  int put_row(const live::Row& row);
  int add_use(const live::UsedBy& by, std::size_t resource, double amount);

  /// What the writes of a transaction gave. Rolls back where one failed.
  StoreCheck finished(int code) {
    if (code == SQLITE_OK) code = statement(kCommit, "COMMIT").run();
    if (code == SQLITE_OK) return std::nullopt;
    StoreCheck failure = checked(code);
    if (sqlite3_get_autocommit(database_) == 0) statement(kRollback, "ROLLBACK").run();
    return failure;
  }

  /// SQLite calls it after each transaction, with the number of pages in the write-ahead log.
  static int has_committed(void* self, sqlite3*, const char*, int pages) {
    auto* const store = static_cast<SqliteStore*>(self);
    store->pages_ = pages;
    if (pages >= store->most_pages()) store->checkpoint();
    return SQLITE_OK;
  }
  /// Half of the reserve has room for all that a checkpoint moves: on a full disk, where the reserve is given
  /// up, checkpoints go on, and what is written next takes the room of what they moved.
  int most_pages() const {
    if (options_.reserve_bytes == 0) return kMostPages;
    return static_cast<int>(std::clamp<std::uint64_t>(options_.reserve_bytes / kDatabasePage / 2,
                                                      kPagesWorthACheckpoint, kMostPages));
  }
  /// Moves pages from the write-ahead log into the file. Where that fails they stay there, and the next
  /// transaction shows what is wrong.
  void checkpoint() {
    if (!has_room_for_checkpoint()) return;
    sqlite3_wal_checkpoint_v2(database_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    pages_ = 0;
  }

  /// Has the disk the room by which a checkpoint makes the file grow? One that ends half-way leaves the
  /// write-ahead log as long as it was and takes the room that the next transaction needs.
  bool has_room_for_checkpoint() {
    Statement& query = statement(kPageCount, "PRAGMA page_count");
    const std::uint64_t whole = query.step() == SQLITE_ROW ? query.number(0) * kDatabasePage : 0;
    query.reset();
    std::error_code unseen;  // then it is tried
    const std::uint64_t now = std::filesystem::file_size(options_.file, unseen);
    const std::uint64_t room = unseen ? whole : std::filesystem::space(options_.file, unseen).available;
    return unseen || whole <= now || whole - now <= room;
  }

  std::string reserve_file() const { return options_.file + ".reserve"; }
  bool give_up_reserve() { return options_.reserve_bytes > 0 && ::unlink(reserve_file().c_str()) == 0; }
  std::string lock_file() const { return options_.file + ".lock"; }
  Check lock();
  /// Takes the lock of a file that is ours, or that is to be made.
  Check take();
  Check check_format();
  int move_from_format_1();
  /// What keeps a file from being one of ours; `code`: what SQLite said when it was asked.
  Error wrong_file(int code) const {
    if ((code & 0xff) == SQLITE_CORRUPT)
      return Error{.message = fmt::format(
                       "the database is damaged ({}); a copy that `mirab serve backup` made can take "
                       "its place, or one that `mirab serve restore` makes of an archive",
                       sqlite3_errstr(code)),
                   .file = options_.file};
    std::error_code unseen;  // then it is not a folder
    const bool is_unopened = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
    if (is_unopened && !std::filesystem::is_directory(options_.file, unseen)) return unopened_file();
    return Error{.message = "this is no file of `mirab serve`", .file = options_.file};
  }
  /// One that SQLite could not open.
  Error unopened_file() const {
    if (::access(options_.file.c_str(), options_.reads_only ? R_OK : R_OK | W_OK) != 0)
      return Error{.message = std::strerror(errno), .file = options_.file};
    return Error{.message =
                     "its -wal and -shm files cannot be opened; SQLite needs them while the service runs "
                     "and after a crash: run this as the user of the service",
                 .file = options_.file};
  }
  Check error_of_file(const StoreFailure& failure) const { return Error{.message = failure.message}; }

  StoreOptions options_;
  sqlite3* database_ = nullptr;
  int lock_ = -1;
  int pages_ = 0;  ///< that a checkpoint would move, or less
  std::vector<std::unique_ptr<Statement>> statements_ = std::vector<std::unique_ptr<Statement>>(kEnd);
};

Check SqliteStore::lock() {
  const std::string name = lock_file();
  lock_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) return Error{.message = fmt::format("cannot make {}: {}", name, std::strerror(errno))};
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
    return Error{.message = "another process has it open", .file = options_.file};
  return std::nullopt;
}

std::string absolute_name(const std::string& file) {
  std::error_code unknown;  // where the folder of this process is
  const std::filesystem::path name = std::filesystem::absolute(file, unknown);
  return unknown ? file : name.string();
}

/// SQLITE_ROW: the file says that it is one of ours; else why it does not. Changes nothing, neither the file
/// nor SQLite's files next to it. Not for a file that this process has open: closing it would release the
/// process's locks on it.
int says_that_it_is_ours(const std::string& file) {
  std::string uri = "file://";
  for (const char byte : absolute_name(file)) {
    const bool is_plain = byte == '/' || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= 'a' && byte <= 'z');
    uri += is_plain ? std::string(1, byte) : fmt::format("%{:02x}", static_cast<unsigned char>(byte));
  }
  // Where the last process left a log behind, its pages count; else SQLite need make no file beside this one.
  if (!is_there(file + "-wal")) uri += "?immutable=1";
  sqlite3* database = nullptr;
  int code = sqlite3_open_v2(uri.c_str(), &database,
                             SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    Statement format(database, "SELECT value FROM meta WHERE key = 'format'");
    code = format.step() == SQLITE_ROW ? SQLITE_ROW : sqlite3_errcode(database);
  }
  sqlite3_close(database);
  return code;
}

Check SqliteStore::take() {
  // A process that has the file open made the file of the lock: this one then goes no further.
  if (is_there(lock_file())) {
    if (Check failure = lock()) return failure;
  }
  if (!options_.creates) {
    if (const int code = says_that_it_is_ours(options_.file); code != SQLITE_ROW) return wrong_file(code);
  }
  return lock_ < 0 ? lock() : std::nullopt;
}

Check SqliteStore::check_format() {
  const auto format = meta("format");
  if (!format) return wrong_file(sqlite3_errcode(database_));
  if (*format == std::to_string(kFormat) || *format == kFormat1) return std::nullopt;
  return Error{
      .message = fmt::format(
          "its format is {}; this version reads formats up to {}: start the newer version that wrote it",
          *format, kFormat),
      .file = options_.file};
}

// Where the disk is full the file stays as it is until the next start: nothing needs the move.
int SqliteStore::move_from_format_1() {
  const int code = sqlite3_exec(database_, (std::string("BEGIN;") + kFromFormat1 + "COMMIT").c_str(), nullptr,
                                nullptr, nullptr);
  if (code == SQLITE_OK) return code;
  sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  return (code & 0xff) == SQLITE_FULL ? SQLITE_OK : code;
}

Check SqliteStore::open() {
  const bool is_real = options_.vfs.empty();
  if (is_real) {
    const bool is_present = is_there(options_.file);
    if (options_.creates && is_present)
      return Error{.message = "there is such a file already", .file = options_.file};
    if (!options_.creates && !is_present)
      return Error{.message = "there is no such file; `mirab serve init` makes one", .file = options_.file};
    if (!options_.reads_only) {
      if (Check failure = take()) return failure;
    } else if (options_.is_unknown) {
      if (const int code = says_that_it_is_ours(options_.file); code != SQLITE_ROW) return wrong_file(code);
    }
    if (options_.creates) {  // SQLite would make it readable for all
      const int made = ::open(options_.file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (made < 0) return Error{.message = std::strerror(errno), .file = options_.file};
      ::close(made);
    }
  }
  const int flags = options_.reads_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(options_.file.c_str(), &database_, flags | SQLITE_OPEN_NOMUTEX,
                                   is_real ? nullptr : options_.vfs.c_str());
  if (code != SQLITE_OK) return Error{.message = sqlite3_errstr(code), .file = options_.file};
  sqlite3_extended_result_codes(database_, 1);
  sqlite3_busy_timeout(database_, 5000);
  if (!options_.creates) {  // before a setting could change a file of others
    if (Check wrong = check_format()) return wrong;
  }
  std::string settings = options_.reads_only
                             ? "PRAGMA query_only=ON; PRAGMA wal_autocheckpoint=0; PRAGMA trusted_schema=OFF;"
                             : fmt::format(
                                   "PRAGMA page_size={}; PRAGMA journal_mode=WAL; PRAGMA synchronous={};"
                                   "PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;"
                                   // No page is written for the zeros alone: a table that goes may be large.
                                   "PRAGMA secure_delete=FAST;",
                                   kDatabasePage, options_.synchronous);
  int result = sqlite3_exec(database_, settings.c_str(), nullptr, nullptr, nullptr);
  if (options_.reads_only) {
    sqlite3_db_config(database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  } else {
    sqlite3_wal_hook(database_, has_committed, this);
  }
  if (result == SQLITE_OK && !options_.creates && !options_.reads_only) {
    result = sqlite3_exec(database_, kUses, nullptr, nullptr, nullptr);
    if (result == SQLITE_OK && meta("format") == kFormat1) result = move_from_format_1();
  }
  if (result == SQLITE_OK && options_.creates) {
    result = sqlite3_exec(database_, ("BEGIN;" + schema() + "COMMIT").c_str(), nullptr, nullptr, nullptr);
    if (result == SQLITE_OK) {
      if (const StoreCheck failure = set_meta("format", std::to_string(kFormat)))
        return error_of_file(*failure);
    }
  }
  if (result != SQLITE_OK) return error_of_file(*checked(result));
  if (is_real && !options_.reads_only && !options_.creates) restore_reserve();
  return std::nullopt;
}

StoreCheck SqliteStore::try_append(const std::vector<const live::Batch*>& batches) {
  int code = statement(kBegin, "BEGIN IMMEDIATE").run();
  for (std::size_t at = 0; at < batches.size() && code == SQLITE_OK; ++at) code = put_batch(*batches[at]);
  return finished(code);
}

int SqliteStore::put_batch(const live::Batch& batch) {
  int code = statement(kAddBatch, "INSERT INTO batch VALUES(?1, ?2, ?3, ?4, ?5)")
                 .bind(1, batch.first)
                 .bind(2, batch.last)
                 .bind(3, static_cast<std::uint64_t>(batch.wall.time_since_epoch().count()))
                 .bind(4, batch.hash)
                 .bind_bytes(5, batch.body)
                 .run();
  for (std::size_t at = 0; at < batch.rows.size() && code == SQLITE_OK; ++at) code = put_row(batch.rows[at]);
  for (const auto& [by, amounts] : batch.uses) {
    for (std::size_t r = 0; r < amounts.size() && code == SQLITE_OK; ++r) {
      if (amounts[r] > 0) code = add_use(by, r, amounts[r]);
    }
  }
  return code;
}

int SqliteStore::add_use(const live::UsedBy& by, std::size_t resource, double amount) {
  return statement(kAddUse,
                   "INSERT INTO uses VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
                   " ON CONFLICT DO UPDATE SET amount = amount + ?6")
      .bind(1, static_cast<std::uint64_t>(by.hour))
      .bind(2, by.queue)
      .bind(3, by.tenant)
      .bind(4, by.group)
      .bind(5, resource)
      .bind(6, amount)
      .run();
}

StoreCheck SqliteStore::read_uses(std::int64_t from, std::int64_t to, live::Uses& uses,
                                  std::function<bool()> is_late) {
  const auto ask = [](void* asked) { return (*static_cast<std::function<bool()>*>(asked))() ? 1 : 0; };
  sqlite3_progress_handler(database_, kStepsOfQuestion, ask, &is_late);
  Statement query(database_,
                  "SELECT queue, tenant, \"group\", resource, sum(amount) FROM uses"
                  " WHERE hour >= ?1 AND hour < ?2 GROUP BY queue, tenant, \"group\", resource");
  query.bind(1, static_cast<std::uint64_t>(from)).bind(2, static_cast<std::uint64_t>(to));
  int code = query.step();
  for (; code == SQLITE_ROW; code = query.step()) {
    std::vector<double>& amounts =
        uses[{.hour = from, .queue = query.text(0), .tenant = query.text(1), .group = query.text(2)}];
    const auto resource = static_cast<std::size_t>(query.number(3));
    if (amounts.size() <= resource) amounts.resize(resource + 1);
    amounts[resource] += query.real(4);
  }
  sqlite3_progress_handler(database_, 0, nullptr, nullptr);
  return checked(code == SQLITE_DONE ? SQLITE_OK : code);
}

int SqliteStore::put_row(const live::Row& row) {
  std::size_t table = 0;
  while (table < kTables.size() && row.table != kTables[table]) ++table;
  if (table == kTables.size()) return SQLITE_ERROR;
  const std::string key = row.key.dump();
  if (row.columns.is_null())
    return statement(kDropRow + static_cast<int>(table),
                     fmt::format("DELETE FROM \"{}\" WHERE key = ?1", row.table))
        .bind(1, key)
        .run();
  const std::string columns = row.columns.dump();
  return statement(kPutRow + static_cast<int>(table),
                   fmt::format("INSERT INTO \"{}\" VALUES(?1, ?2) ON CONFLICT DO UPDATE SET columns = ?2",
                               row.table))
      .bind(1, key)
      .bind(2, columns)
      .run();
}

StoreCheck SqliteStore::read_log(std::uint64_t from, const std::function<bool(const live::Batch&)>& visit) {
  // The batch before the first one that is wanted gives the hash from which the chain goes on.
  std::string previous = meta("chain_base").value_or("");
  std::uint64_t next = 0;
  {
    Statement before(database_, "SELECT hash, last FROM batch WHERE last < ?1 ORDER BY first DESC LIMIT 1");
    if (before.bind(1, from).step() == SQLITE_ROW) {
      previous = before.text(0);
      next = before.number(1) + 1;
    }
  }
  Statement query(database_,
                  "SELECT first, last, wall, hash, body FROM batch WHERE last >= ?1 ORDER BY first");
  query.bind(1, from);
  int code = query.step();
  for (; code == SQLITE_ROW; code = query.step()) {
    live::Batch batch;
    batch.first = query.number(0);
    batch.last = query.number(1);
    batch.wall = live::Wall(std::chrono::milliseconds(static_cast<std::int64_t>(query.number(2))));
    batch.hash = query.text(3);
    batch.body = query.text(4);
    if (live::chain_hash(previous, batch.body) != batch.hash || (next != 0 && batch.first != next))
      return StoreFailure{StoreFailure::Kind::damaged,
                          fmt::format("{}: the log is damaged at revision {}", options_.file, batch.first)};
    previous = batch.hash;
    next = batch.last + 1;
    if (!visit(batch)) return std::nullopt;
  }
  return checked(code == SQLITE_DONE ? SQLITE_OK : code);
}

LogEnds SqliteStore::log_ends() {
  LogEnds ends;
  Statement query(database_,
                  "SELECT (SELECT min(first) FROM batch), last, wall FROM batch ORDER BY first DESC LIMIT 1");
  if (query.step() == SQLITE_ROW) {
    ends.first = query.number(0);
    ends.last = query.number(1);
    ends.last_wall = live::Wall(std::chrono::milliseconds(static_cast<std::int64_t>(query.number(2))));
  }
  std::uint64_t pages = 0;
  Statement all(database_, "PRAGMA page_count"), unused(database_, "PRAGMA freelist_count");
  if (all.step() == SQLITE_ROW && unused.step() == SQLITE_ROW) pages = all.number(0) - unused.number(0);
  ends.bytes = pages * kDatabasePage;
  return ends;
}

StoreCheck SqliteStore::trim_log(std::uint64_t revision) {
  std::uint64_t last = 0;
  std::string base;
  {
    Statement query(database_,
                    "SELECT last, hash FROM batch WHERE last <= ?1"
                    " AND last < (SELECT max(last) FROM batch) ORDER BY first DESC LIMIT 1");
    if (query.bind(1, revision).step() != SQLITE_ROW) return {};
    last = query.number(0);
    base = query.text(1);
  }
  int code = statement(kBegin, "BEGIN IMMEDIATE").run();
  if (code == SQLITE_OK)
    code =
        Statement(database_, "INSERT INTO meta VALUES('chain_base', ?1) ON CONFLICT DO UPDATE SET value = ?1")
            .bind(1, base)
            .run();
  if (code == SQLITE_OK)
    code = Statement(database_, "DELETE FROM batch WHERE last <= ?1").bind(1, last).run();
  return finished(code);
}

StoreCheck SqliteStore::add_snapshot_part(std::uint64_t revision, std::uint64_t n, std::string_view bytes) {
  return checked(statement(kAddPart, "INSERT OR REPLACE INTO snapshot_part VALUES(?1, ?2, ?3)")
                     .bind(1, revision)
                     .bind(2, n)
                     .bind_bytes(3, bytes)
                     .run());
}

StoreCheck SqliteStore::complete_snapshot(const SnapshotRow& row) {
  return checked(statement(kAddSnapshot, "INSERT OR REPLACE INTO snapshot VALUES(?1, ?2, ?3, ?4)")
                     .bind(1, row.revision)
                     .bind(2, row.bytes)
                     .bind(3, row.sha256)
                     .bind(4, row.decision_version)
                     .run());
}

StoreCheck SqliteStore::replace_snapshot(const SnapshotRow& row, std::string_view bytes) {
  int code = statement(kBegin, "BEGIN IMMEDIATE").run();
  if (code == SQLITE_OK)
    code = Statement(database_, "DELETE FROM snapshot_part WHERE revision = ?1").bind(1, row.revision).run();
  if (code != SQLITE_OK) return finished(code);
  StoreCheck failure;
  std::uint64_t n = 0;
  for (std::size_t at = 0; at < bytes.size() && !failure; at += kSnapshotPart)
    failure = add_snapshot_part(row.revision, n++, bytes.substr(at, kSnapshotPart));
  if (!failure) failure = complete_snapshot(row);
  if (!failure) return finished(SQLITE_OK);
  static_cast<void>(finished(SQLITE_ERROR));  // rolls back
  return failure;
}

std::vector<SnapshotRow> SqliteStore::snapshots() {
  Statement query(database_,
                  "SELECT revision, bytes, sha256, decision_version FROM snapshot ORDER BY revision DESC");
  std::vector<SnapshotRow> rows;
  while (query.step() == SQLITE_ROW)
    rows.push_back({.revision = query.number(0),
                    .bytes = query.number(1),
                    .sha256 = query.text(2),
                    .decision_version = query.number(3)});
  return rows;
}

std::optional<std::string> SqliteStore::read_snapshot(const SnapshotRow& row) {
  Statement query(database_, "SELECT bytes FROM snapshot_part WHERE revision = ?1 ORDER BY n");
  query.bind(1, row.revision);
  std::string bytes;
  while (query.step() == SQLITE_ROW) bytes += query.text(0);
  if (bytes.size() != row.bytes || live::sha256(bytes) != row.sha256) return std::nullopt;
  return bytes;
}

StoreCheck SqliteStore::keep_snapshots(std::size_t count) {
  int code = statement(kBegin, "BEGIN IMMEDIATE").run();
  if (code == SQLITE_OK)
    code = Statement(database_,
                     "DELETE FROM snapshot WHERE revision NOT IN"
                     " (SELECT revision FROM snapshot ORDER BY revision DESC LIMIT ?1)")
               .bind(1, count)
               .run();
  if (code == SQLITE_OK)
    code = Statement(database_,
                     "DELETE FROM snapshot_part WHERE revision NOT IN (SELECT revision FROM snapshot)")
               .run();
  return finished(code);
}

bool SqliteStore::restore_reserve() {
  if (options_.reserve_bytes == 0 || has_reserve()) return true;
  const std::string name = reserve_file();
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool is_made = ::posix_fallocate(file, 0, static_cast<off_t>(options_.reserve_bytes)) == 0;
  ::close(file);
  if (!is_made) ::unlink(name.c_str());
  return is_made;
}

StoreCheck SqliteStore::backup(const std::string& file) {
  // The copy is written through this connection, so for once it may write; the file itself is open read-only.
  sqlite3_exec(database_, "PRAGMA query_only=OFF", nullptr, nullptr, nullptr);
  StoreCheck failure;
  {
    Statement copy(database_, "VACUUM INTO ?1");
    failure = checked(copy.bind(1, file).run());
  }
  if (options_.reads_only) sqlite3_exec(database_, "PRAGMA query_only=ON", nullptr, nullptr, nullptr);
  return failure;
}

std::string SqliteStore::integrity() {
  Statement query(database_, "PRAGMA integrity_check(10)");
  std::string found;
  int code = query.step();
  for (; code == SQLITE_ROW; code = query.step()) {
    const std::string line = query.text(0);
    if (line != "ok") found += line + "\n";
  }
  if (code != SQLITE_DONE) found += sqlite3_errmsg(database_);
  return found;
}

}  // namespace

bool is_there(const std::string& file) {
  std::error_code unseen;
  return std::filesystem::exists(file, unseen);
}

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  auto store = std::make_unique<SqliteStore>(options);
  if (Check failure = store->open()) return *std::move(failure);
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace mirab::service
