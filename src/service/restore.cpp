#include "service/restore.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include <mirab/scheduling/engine.hpp>

#include "live/content.hpp"
#include "service/archive.hpp"
#include "service/recovery.hpp"

namespace mirab::service {
namespace {

constexpr std::size_t kBatchesOfTransaction = 256;

/// The file that is made, removed again unless it was finished.
class Aside {
 public:
  explicit Aside(std::string file) : file_(std::move(file)) { remove(); }
  ~Aside() { remove(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  const std::string& file() const { return file_; }

 private:
  void remove() const {
    for (const char* ending : {"", "-wal", "-shm", ".lock", ".new"}) ::unlink((file_ + ending).c_str());
  }
  std::string file_;
};

bool is_beyond(const RestoreOptions& options, std::uint64_t last, live::Wall wall) {
  return (options.revision && last > *options.revision) || (options.time && wall > *options.time);
}

std::string target_of(const RestoreOptions& options) {
  return options.revision ? fmt::format("revision {}", *options.revision) : live::text_of(*options.time);
}

Result<std::unique_ptr<Store>> open_to_copy(const std::string& file) {
  return open_store({.file = file, .reads_only = true, .is_unknown = true, .reserve_bytes = 0});
}

/// The backup that was named, else the newest base of the archive that is not beyond the target.
Result<std::unique_ptr<Store>> open_begin(const RestoreOptions& options, const ArchiveFolder& archive) {
  std::vector<std::string> files;
  if (!options.backup.empty()) {
    files = {options.backup};
  } else {
    for (const ArchiveFile& base : archive.bases) files.push_back(options.archive + "/" + base.name);
  }
  if (files.empty())
    return Error{.message = "this archive has no base: name a backup with --backup", .file = options.archive};
  LogEnds ends;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    auto store = open_to_copy(*file);
    if (!store) return std::move(store).error();
    ends = (*store)->log_ends();
    if (!is_beyond(options, ends.last, ends.last_wall)) return store;
  }
  return Error{.message = fmt::format("it is at revision {} ({}), after {}: an earlier backup is needed",
                                      ends.last, live::text_of(ends.last_wall), target_of(options)),
               .file = files.front()};
}

/// Brings batches of an archive into a store, one after the other.
class Taker {
 public:
  Taker(Store& store, live::Decider& decider, const RestoreOptions& options, std::string cluster_id,
        live::Wall wall)
      : store_(store), decider_(decider), options_(options), cluster_id_(std::move(cluster_id)) {
    restored_.revision = decider.revision();
    restored_.wall = wall;
    is_done_ = options.revision == restored_.revision;
  }

  Check take(const ArchiveFolder& archive) {
    for (std::size_t at = 0; at < archive.logs.size() && !is_done_; ++at) {
      // The file ends where the next one begins.
      const bool is_last = at + 1 == archive.logs.size();
      if (!is_last && archive.logs[at + 1].revision <= decider_.revision() + 1) continue;
      const std::string file = options_.archive + "/" + archive.logs[at].name;
      Check wrong;
      const ArchiveRead read = read_archive_file(file, [&](ArchivedGroup& group) {
        wrong = take_group(group, file);
        return !wrong && !is_done_;
      });
      if (wrong) return wrong;
      if (is_done_) break;
      if (read.wrong) return read.wrong;
      if (read.is_cut && !is_last)
        return Error{.message = fmt::format("the archive is damaged after revision {}: the file is cut short",
                                            decider_.revision()),
                     .file = file};
      if (read.is_cut)
        restored_.notes.push_back(fmt::format("{}: its last group has no end; it is left out", file));
    }
    return write();
  }
  Restored& restored() { return restored_; }
  /// Is there something beyond the target?
  bool found_end() const { return is_done_; }

 private:
  Check take_group(ArchivedGroup& group, const std::string& file) {
    if (group.cluster_id != cluster_id_)
      return Error{.message = fmt::format("the archive is of cluster {}, but the backup of {}",
                                          group.cluster_id, cluster_id_),
                   .file = file};
    const bool is_alike =
        group.decision_version == scheduling::kDecisionVersion && group.libm == live::fingerprint_of_libm();
    for (live::Batch& batch : group.batches) {
      const std::uint64_t next = decider_.revision() + 1;
      if (batch.last < next) continue;
      if (is_beyond(options_, batch.last, batch.wall)) {
        is_done_ = true;
        return std::nullopt;
      }
      const auto wrong = [&](const std::string& message) { return Error{.message = message, .file = file}; };
      if (batch.first != next)
        return wrong(batch.first > next
                         ? fmt::format("revisions {} to {} are not in the archive", next, batch.first - 1)
                         : fmt::format("revision {} of the archive is of another history than the backup",
                                       batch.first));
      if (live::chain_hash(decider_.hash(), batch.body) != batch.hash)
        return wrong(
            fmt::format("revision {} does not follow from the one before: its hash differs (damage, "
                        "or a backup of another history)",
                        batch.first));
      if (const Check differs =
              decider_.take_over(batch, is_alike ? live::Replay::compared : live::Replay::as_logged)) {
        Error error = *differs;
        error.line = 0;
        error.file = file;
        return error;
      }
      restored_.revision = batch.last;
      restored_.wall = batch.wall;
      ++restored_.batches;
      batches_.push_back(std::move(batch));
      if (batches_.size() == kBatchesOfTransaction) {
        if (Check failure = write()) return failure;
      }
      is_done_ = options_.revision == restored_.revision;
      if (is_done_) return std::nullopt;  // what may be damaged behind it is not read
    }
    return std::nullopt;
  }

  Check write() {
    if (batches_.empty()) return std::nullopt;
    std::vector<const live::Batch*> all;
    for (const live::Batch& batch : batches_) all.push_back(&batch);
    const StoreCheck failure = store_.append(all);
    batches_.clear();
    if (failure) return Error{.message = failure->message};
    return std::nullopt;
  }

  Store& store_;
  live::Decider& decider_;
  const RestoreOptions& options_;
  std::string cluster_id_;
  std::vector<live::Batch> batches_;
  Restored restored_;
  bool is_done_ = false;  ///< the target is reached, or the next batch is beyond it
};

/// Takes what the archive has into the copy, and writes a snapshot of it.
Result<Restored> continue_copy(const RestoreOptions& options, const ArchiveFolder& archive,
                               const std::string& backup, const std::string& copy) {
  auto store = open_store({.file = copy, .reserve_bytes = 0});
  if (!store) return std::move(store).error();
  auto recovered = recover(**store, live::Others::all);
  if (!recovered) {
    Error error = recovered.error();
    error.file = backup;
    return error;
  }
  Taker taker(**store, recovered->decider, options, (*store)->meta("cluster_id").value_or(""),
              recovered->last_wall);
  if (Check wrong = taker.take(archive)) return *std::move(wrong);
  Restored restored = std::move(taker.restored());
  if (options.revision && restored.revision < *options.revision) {
    if (!taker.found_end())
      return Error{.message = fmt::format("what is there ends at revision {}, before {}", restored.revision,
                                          *options.revision),
                   .file = options.archive.empty() ? options.backup : options.archive};
    restored.notes.push_back(fmt::format(
        "revision {} became durable together with later ones: the file ends before it", *options.revision));
  }
  if (restored.batches > 0 || recovered->was_adopted) {
    if (const auto failure = keep_adopted(**store, *recovered)) return Error{.message = failure->message};
    if (const auto failure = (*store)->keep_snapshots(3)) return Error{.message = failure->message};
  }
  if (Check wrong = check_file(**store, [](const std::string&) {})) return *std::move(wrong);
  return restored;
}

}  // namespace

Result<Restored> restore_file(const RestoreOptions& options) {
  for (const char* ending : {"", "-wal", "-shm", ".lock"}) {
    if (is_there(options.file + ending))
      return Error{.message = "there is such a file already", .file = options.file + ending};
  }
  if (options.backup.empty() && options.archive.empty())
    return Error{.message = "name a backup, an archive or both", .key = "--backup"};
  ArchiveFolder archive;
  if (!options.archive.empty()) {
    auto listed = list_archive(options.archive);
    if (!listed) return std::move(listed).error();
    archive = *std::move(listed);
  }
  const FolderLock one_maker(options.file);
  const Aside aside(options.file + ".restoring");
  {
    auto store = open_begin(options, archive);
    if (!store) return std::move(store).error();
    if (Check failure = make_copy(**store, aside.file())) return *std::move(failure);
  }
  auto restored = continue_copy(options, archive, options.backup.empty() ? options.archive : options.backup,
                                aside.file());
  if (!restored) return restored;
  const int handle = ::open(aside.file().c_str(), O_RDWR | O_CLOEXEC);
  const bool is_synced = handle >= 0 && ::fsync(handle) == 0;
  if (handle >= 0) ::close(handle);
  if (!is_synced) return Error{.message = "it cannot be synced", .file = aside.file()};
  if (Check failure = rename_to_new(aside.file(), options.file)) return *std::move(failure);
  sync_folder_of(options.file);
  return restored;
}

}  // namespace mirab::service
