// Writing an archive: where it ends, and what comes next.
#include "service/archive.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <mirab/scheduling/engine.hpp>

#include "live/content.hpp"
#include "service/recovery.hpp"

namespace mirab::service {
namespace {

constexpr std::size_t kGroupBytes = std::size_t{4} << 20U;      // of the log, before compression
constexpr std::uint64_t kFileBytes = std::uint64_t{16} << 20U;  // then the next file begins
constexpr const char* kUnfinishedBase = "base.unfinished";

/// The last batch of a store's log: its revision and hash.
struct LogEnd {
  std::uint64_t last = 0;
  std::string hash;
  std::string failure;
};

LogEnd end_of_log(Store& store) {
  LogEnd end{.last = store.log_ends().last, .hash = {}, .failure = {}};
  const auto failure = store.read_log(end.last, [&](const live::Batch& batch) {
    end.last = batch.last;
    end.hash = batch.hash;
    return true;
  });
  if (failure) end.failure = failure->message;
  return end;
}

class OpenFile {
 public:
  explicit OpenFile(int handle) : handle_(handle) {}
  ~OpenFile() {
    if (handle_ >= 0) ::close(handle_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return handle_; }

 private:
  int handle_;
};

}  // namespace

ArchiveWriter::ArchiveWriter(ArchiveWriter&& other) noexcept
    : folder_(std::move(other.folder_)),
      handle_(std::exchange(other.handle_, -1)),
      cluster_id_(std::move(other.cluster_id_)),
      elsewhere_(other.elsewhere_),
      last_(other.last_),
      hash_(std::move(other.hash_)),
      file_(std::move(other.file_)),
      size_(other.size_),
      empty_files_(std::move(other.empty_files_)) {}

ArchiveWriter::~ArchiveWriter() {
  if (handle_ >= 0) ::close(handle_);
}

Result<ArchiveWriter> ArchiveWriter::open(const std::string& folder, Store& store, std::uint64_t elsewhere) {
  ArchiveWriter writer;
  writer.elsewhere_ = elsewhere;
  writer.folder_ = folder;
  writer.handle_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (writer.handle_ < 0) return writer.wrong(fmt::format("the archive's folder: {}", std::strerror(errno)));
  if (::flock(writer.handle_, LOCK_EX | LOCK_NB) != 0)
    return writer.wrong("another process writes to this archive");
  writer.cluster_id_ = store.meta("cluster_id").value_or("");
  if (Check failure = writer.find_end()) return *std::move(failure);
  if (writer.last_ != 0) {
    if (Check failure = writer.compare(store)) return *std::move(failure);
  }
  if (Check failure = writer.forget_unfinished()) return *std::move(failure);
  return writer;
}

/// The last group that is whole, else the newest base.
Check ArchiveWriter::find_end() {
  const auto listed = list_archive(folder_);
  if (!listed) return listed.error();
  for (std::size_t left = listed->logs.size(); left > 0; --left) {
    const std::string& name = listed->logs[left - 1].name;
    std::string of_another;
    const ArchiveRead read = read_archive_file(folder_ + "/" + name, [&](ArchivedGroup& group) {
      if (group.cluster_id != cluster_id_) of_another = group.cluster_id;
      last_ = group.batches.back().last;
      hash_ = group.batches.back().hash;
      return true;
    });
    if (!of_another.empty())
      return Error{.message = fmt::format("this is the archive of another cluster ({}): name another folder",
                                          of_another),
                   .file = folder_ + "/" + name};
    if (read.whole_bytes == 0) {
      empty_files_.push_back(name);
      continue;
    }
    file_ = name;
    size_ = read.whole_bytes;
    return std::nullopt;
  }
  if (listed->bases.empty()) {
    if (!listed->logs.empty() && listed->logs.front().revision > 0)
      return wrong("the base of this archive is gone: name another folder");
    return std::nullopt;
  }
  const std::string base = folder_ + "/" + listed->bases.back().name;
  auto store = open_store({.file = base, .reads_only = true, .reserve_bytes = 0});
  if (!store) return store.error();
  if ((*store)->meta("cluster_id") != cluster_id_)
    return Error{.message = "this is the archive of another cluster: name another folder", .file = base};
  LogEnd end = end_of_log(**store);
  if (!end.failure.empty()) return Error{.message = end.failure};
  last_ = end.last;
  hash_ = std::move(end.hash);
  return std::nullopt;
}

/// Does the log of the file go on where the archive ends?
Check ArchiveWriter::compare(Store& store) const {
  const LogEnds ends = store.log_ends();
  if (last_ > ends.last)
    return wrong(
        fmt::format("the archive goes to revision {}, but the file only to {}: it belongs to another "
                    "history of this cluster; name another folder",
                    last_, ends.last));
  if (last_ + 1 < ends.first)
    return wrong(
        fmt::format("the archive is whole to revision {}, but the log begins at {}: what was between "
                    "them is gone; name another folder",
                    last_, ends.first));
  std::optional<std::string> hash;
  if (last_ + 1 == ends.first) {
    hash = store.meta("chain_base");
  } else if (const auto failure = store.read_log(last_, [&](const live::Batch& batch) {
               if (batch.last == last_) hash = batch.hash;
               return false;
             })) {
    return Error{.message = failure->message};
  }
  if (hash == hash_) return std::nullopt;
  return wrong(
      fmt::format("revision {} of the archive is not that of the file: it belongs to another history "
                  "of this cluster; name another folder",
                  last_));
}

/// What is not whole is in the log: it is written again.
Check ArchiveWriter::forget_unfinished() const {
  ::unlinkat(handle_, kUnfinishedBase, 0);
  for (const std::string& name : empty_files_) {
    if (::unlinkat(handle_, name.c_str(), 0) != 0) return wrong(name + ": " + std::strerror(errno));
  }
  return std::nullopt;
}

Check ArchiveWriter::make_base(Store& store) {
  const std::string unfinished = folder_ + "/" + kUnfinishedBase;
  ::unlinkat(handle_, kUnfinishedBase, 0);
  if (Check failure = make_copy(store, unfinished)) return failure;
  LogEnd end;
  {
    auto copy = open_store({.file = unfinished, .reads_only = true, .reserve_bytes = 0});
    if (!copy) return copy.error();
    end = end_of_log(**copy);
  }
  if (!end.failure.empty()) return Error{.message = end.failure};
  const std::string name = fmt::format("base-{:020}.db", end.last);
  if (::renameat(handle_, kUnfinishedBase, handle_, name.c_str()) != 0 || ::fsync(handle_) != 0)
    return wrong(name + ": " + std::strerror(errno));
  last_ = end.last;
  hash_ = std::move(end.hash);
  return std::nullopt;
}

/// Adds the bytes to the file, and syncs them. What an earlier failure has left behind its end is cut off.
Check ArchiveWriter::append(std::string_view bytes, std::uint64_t first) {
  const bool is_new = file_.empty() || size_ >= kFileBytes;
  const std::string name = is_new ? fmt::format("log-{:020}.gz", first) : file_;
  const std::uint64_t begin = is_new ? 0 : size_;
  const auto failed = [&](const std::string& why) {
    return Error{.message = fmt::format("revision {} cannot be archived: {}", first, why),
                 .file = folder_ + "/" + name};
  };
  const OpenFile file(::openat(handle_, name.c_str(), O_WRONLY | O_CLOEXEC | (is_new ? O_CREAT : 0), 0600));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return failed(std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < begin) return failed("the file has become shorter");
  if (size > begin && ::ftruncate(file.get(), static_cast<off_t>(begin)) != 0)
    return failed(std::strerror(errno));
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t now = ::pwrite(file.get(), bytes.data() + written, bytes.size() - written,
                                 static_cast<off_t>(begin + written));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return failed(std::strerror(errno));
    written += static_cast<std::size_t>(now);
  }
  if (::fsync(file.get()) != 0 || (is_new && ::fsync(handle_) != 0)) return failed(std::strerror(errno));
  file_ = name;
  size_ = begin + bytes.size();
  return std::nullopt;
}

Result<bool> ArchiveWriter::write_next(Store& store) {
  if (last_ == 0) {
    if (Check failure = make_base(store)) return *std::move(failure);
    return true;
  }
  ArchivedGroup group{
      .cluster_id = cluster_id_,
      .decision_version = last_ < elsewhere_ ? 0U : std::uint64_t{scheduling::kDecisionVersion},
      .libm = live::fingerprint_of_libm(),
      .previous = hash_};
  std::size_t bytes = 0;
  const auto failure = store.read_log(last_ + 1, [&](const live::Batch& batch) {
    bytes += batch.body.size();
    group.batches.push_back(batch);
    return bytes < kGroupBytes;
  });
  if (failure) return Error{.message = failure->message};
  if (group.batches.empty()) return false;
  const live::Batch& first = group.batches.front();
  if (first.first != last_ + 1 || live::chain_hash(hash_, first.body) != first.hash)
    return wrong(
        fmt::format("revision {} of the log does not follow revision {} of the archive", first.first, last_));
  if (Check wrong = append(packed(group), first.first)) return *std::move(wrong);
  last_ = group.batches.back().last;
  hash_ = group.batches.back().hash;
  return true;
}

}  // namespace mirab::service
