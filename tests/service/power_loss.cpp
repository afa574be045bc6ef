#include "service/power_loss.hpp"

#include <algorithm>
#include <cstring>
#include <sqlite3.h>

namespace mirab::service {

struct PowerLossDisk::State {
  struct Entry {
    enum class Kind { write, truncate, sync, note } kind;
    std::string file;
    std::uint64_t at = 0;  ///< offset, size, or what is noted
    std::string bytes;
  };
  struct Stored {
    std::string bytes;
    std::vector<std::unique_ptr<char[]>> shared;  ///< the WAL's index
  };
  std::string name;
  sqlite3_vfs vfs{};
  std::map<std::string, Stored> files;
  std::map<std::string, std::string> at_start;
  std::vector<Entry> history;
  std::uint64_t calls = 0;
  std::uint64_t fails_from = 0;
  std::uint64_t fails_to = 0;
  bool has_failed = false;

  bool fails() {
    ++calls;
    const bool now = fails_from != 0 && calls >= fails_from && calls <= fails_to;
    has_failed = has_failed || now;
    return now;
  }
};

namespace {

using State = PowerLossDisk::State;
using Entry = State::Entry;

struct OpenFile {
  sqlite3_file base;
  State* disk;
  std::string* name;
  bool is_scratch;  ///< a temporary file, which need not survive
};

OpenFile& of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
std::string& bytes_of(sqlite3_file* file) { return of(file).disk->files[*of(file).name].bytes; }

int disk_close(sqlite3_file* file) {
  delete of(file).name;
  return SQLITE_OK;
}

int disk_read(sqlite3_file* file, void* into, int count, sqlite3_int64 at) {
  if (of(file).disk->fails()) return SQLITE_IOERR_READ;
  const std::string& bytes = bytes_of(file);
  const auto offset = static_cast<std::size_t>(at);
  const auto wanted = static_cast<std::size_t>(count);
  const std::size_t there = offset >= bytes.size() ? 0 : std::min(wanted, bytes.size() - offset);
  if (there > 0) std::memcpy(into, bytes.data() + offset, there);
  std::memset(static_cast<char*>(into) + there, 0, wanted - there);
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

void put(std::string& bytes, std::size_t at, std::string_view what) {
  if (bytes.size() < at + what.size()) bytes.resize(at + what.size());
  std::copy(what.begin(), what.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

int disk_write(sqlite3_file* file, const void* from, int count, sqlite3_int64 at) {
  State& disk = *of(file).disk;
  if (disk.fails()) return SQLITE_IOERR_WRITE;
  const std::string_view what(static_cast<const char*>(from), static_cast<std::size_t>(count));
  put(bytes_of(file), static_cast<std::size_t>(at), what);
  if (!of(file).is_scratch)
    disk.history.push_back(
        {Entry::Kind::write, *of(file).name, static_cast<std::uint64_t>(at), std::string(what)});
  return SQLITE_OK;
}

int disk_truncate(sqlite3_file* file, sqlite3_int64 size) {
  State& disk = *of(file).disk;
  if (disk.fails()) return SQLITE_IOERR_TRUNCATE;
  bytes_of(file).resize(static_cast<std::size_t>(size));
  disk.history.push_back({Entry::Kind::truncate, *of(file).name, static_cast<std::uint64_t>(size), {}});
  return SQLITE_OK;
}

int disk_sync(sqlite3_file* file, int) {
  State& disk = *of(file).disk;
  if (disk.fails()) return SQLITE_IOERR_FSYNC;
  disk.history.push_back({Entry::Kind::sync, *of(file).name, 0, {}});
  return SQLITE_OK;
}

int disk_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(bytes_of(file).size());
  return SQLITE_OK;
}

int disk_lock(sqlite3_file*, int) { return SQLITE_OK; }
int disk_reserved(sqlite3_file*, int* is_reserved) {
  *is_reserved = 0;
  return SQLITE_OK;
}
int disk_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int disk_sector(sqlite3_file*) { return 512; }
int disk_traits(sqlite3_file*) { return 0; }

int disk_map(sqlite3_file* file, int region, int size, int extends, void volatile** to) {
  auto& shared = of(file).disk->files[*of(file).name].shared;
  const auto index = static_cast<std::size_t>(region);
  *to = nullptr;
  while (extends != 0 && shared.size() <= index) {
    shared.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
  }
  if (index < shared.size()) *to = shared[index].get();
  return SQLITE_OK;
}
int disk_shared_lock(sqlite3_file*, int, int, int) { return SQLITE_OK; }
void disk_barrier(sqlite3_file*) {}
int disk_unmap(sqlite3_file* file, int) {
  of(file).disk->files[*of(file).name].shared.clear();
  return SQLITE_OK;
}

const sqlite3_io_methods kMethods = {
    2,           disk_close, disk_read,        disk_write,    disk_truncate, disk_sync,
    disk_size,   disk_lock,  disk_lock,        disk_reserved, disk_control,  disk_sector,
    disk_traits, disk_map,   disk_shared_lock, disk_barrier,  disk_unmap,    nullptr,
    nullptr};

State& disk_of(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }

int disk_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* given) {
  State& disk = disk_of(vfs);
  file->pMethods = nullptr;
  if (disk.fails()) return SQLITE_CANTOPEN;
  static int scratch = 0;
  const std::string path = name == nullptr ? "scratch-" + std::to_string(++scratch) : name;
  if ((flags & SQLITE_OPEN_CREATE) == 0 && !disk.files.contains(path)) return SQLITE_CANTOPEN;
  disk.files[path];
  OpenFile& opened = of(file);
  opened.base.pMethods = &kMethods;
  opened.disk = &disk;
  opened.name = new std::string(path);
  opened.is_scratch = name == nullptr;
  if (given != nullptr) *given = flags;
  return SQLITE_OK;
}

int disk_delete(sqlite3_vfs* vfs, const char* name, int) {
  disk_of(vfs).files.erase(name);
  return SQLITE_OK;
}
int disk_access(sqlite3_vfs* vfs, const char* name, int, int* is_there) {
  *is_there = disk_of(vfs).files.contains(name) ? 1 : 0;
  return SQLITE_OK;
}
int disk_path(sqlite3_vfs*, const char* name, int size, char* full) {
  sqlite3_snprintf(size, full, "%s", name);
  return SQLITE_OK;
}
int disk_random(sqlite3_vfs*, int count, char* into) {
  std::memset(into, 7, static_cast<std::size_t>(count));
  return count;
}
int disk_sleep(sqlite3_vfs*, int time) { return time; }
int disk_time(sqlite3_vfs*, double* time) {
  *time = 2'460'000.5;
  return SQLITE_OK;
}

/// What is left of a write that was not synced.
void lose(std::string& bytes, const Entry& entry, Random& random) {
  const std::uint64_t fate = random.below(5);
  if (fate == 0) return;  // nothing
  std::string what = entry.bytes;
  if (fate == 1) {  // a part, in whole sectors
    what.resize(std::min<std::size_t>(what.size(), 512 * random.below(what.size() / 512 + 1)));
  } else if (fate == 2) {  // garbage in one sector
    const std::size_t from = 512 * random.below((what.size() + 511) / 512);
    for (std::size_t at = from; at < std::min(from + 512, what.size()); ++at)
      what[at] = static_cast<char>(random.below(256));
  }
  put(bytes, entry.at, what);
}

}  // namespace

PowerLossDisk::PowerLossDisk(const std::string& name) : state_(std::make_unique<State>()) {
  state_->name = name;
  sqlite3_vfs& vfs = state_->vfs;
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.mxPathname = 512;
  vfs.zName = state_->name.c_str();
  vfs.pAppData = state_.get();
  vfs.xOpen = disk_open;
  vfs.xDelete = disk_delete;
  vfs.xAccess = disk_access;
  vfs.xFullPathname = disk_path;
  vfs.xRandomness = disk_random;
  vfs.xSleep = disk_sleep;
  vfs.xCurrentTime = disk_time;
  sqlite3_vfs_register(&vfs, 0);
}

PowerLossDisk::~PowerLossDisk() { sqlite3_vfs_unregister(&state_->vfs); }

const std::string& PowerLossDisk::name() const { return state_->name; }
void PowerLossDisk::note(std::uint64_t what) { state_->history.push_back({Entry::Kind::note, {}, what, {}}); }
std::size_t PowerLossDisk::history_size() const { return state_->history.size(); }
std::uint64_t PowerLossDisk::calls() const { return state_->calls; }
bool PowerLossDisk::has_failed() const { return state_->has_failed; }

void PowerLossDisk::fail_from(std::uint64_t n) {
  state_->fails_from = n == 0 ? 0 : state_->calls + n;
  state_->fails_to = UINT64_MAX;
  state_->has_failed = false;
}
void PowerLossDisk::fail_at(std::uint64_t n) {
  fail_from(n);
  state_->fails_to = state_->fails_from;
}

std::map<std::string, std::string> PowerLossDisk::files() const {
  std::map<std::string, std::string> all;
  for (const auto& [name, stored] : state_->files) all[name] = stored.bytes;
  return all;
}

void PowerLossDisk::set_files(std::map<std::string, std::string> files) {
  state_->files.clear();
  for (const auto& [name, bytes] : files) state_->files[name].bytes = bytes;
  state_->at_start = std::move(files);
  state_->history.clear();
  state_->calls = 0;
  fail_from(0);
}

std::map<std::string, std::string> PowerLossDisk::after_power_loss(std::size_t moment, Random& random,
                                                                   std::vector<std::uint64_t>& noted) const {
  std::map<std::string, std::string> durable = state_->at_start;
  std::map<std::string, std::vector<const Entry*>> pending;
  for (std::size_t at = 0; at < moment; ++at) {
    const Entry& entry = state_->history[at];
    if (entry.kind == Entry::Kind::note) {
      noted.push_back(entry.at);
    } else if (entry.kind != Entry::Kind::sync) {
      pending[entry.file].push_back(&entry);
    } else {
      std::string& bytes = durable[entry.file];
      for (const Entry* each : pending[entry.file]) {
        if (each->kind == Entry::Kind::truncate) {
          bytes.resize(each->at);
        } else {
          put(bytes, each->at, each->bytes);
        }
      }
      pending[entry.file].clear();
    }
  }
  for (const auto& [file, entries] : pending) {
    for (const Entry* each : entries) {
      if (each->kind == Entry::Kind::write) {
        lose(durable[file], *each, random);
      } else if (random.below(2) == 0) {
        durable[file].resize(each->at);
      }
    }
  }
  return durable;
}

}  // namespace mirab::service
