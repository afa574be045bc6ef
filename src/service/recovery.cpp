#include "service/recovery.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <mirab/scheduling/engine.hpp>

#include "live/content.hpp"
#include "service/tokens.hpp"

namespace mirab::service {
namespace {

constexpr const char* kFingerprint = "libm";
constexpr const char* kUnfinished = ".new";  // behind the name of a file that is made
constexpr const char* kAdopted = "adopted";  // the revision of the last state that was taken over

Error error_of(const StoreFailure& failure) { return Error{.message = failure.message}; }

std::string token_of(const std::string& file) { return file + ".admin-token"; }

/// What a crash left is removed before, and what was made after it when the making is not finished.
class Unfinished {
 public:
  explicit Unfinished(std::string file) : file_(std::move(file)) { remove(); }
  ~Unfinished() { remove(); }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  void remove() const {
    for (const char* ending : {"", "-wal", "-shm", ".lock", ".reserve"}) ::unlink((file_ + ending).c_str());
  }
  std::string file_;
};

Check write_secret(const std::string& file, const std::string& secret) {
  const int handle = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (handle < 0) return Error{.message = std::strerror(errno), .file = file};
  const std::string line = secret + "\n";
  const bool is_written =
      ::write(handle, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(handle) == 0;
  ::close(handle);
  if (!is_written) return Error{.message = std::strerror(errno), .file = file};
  return std::nullopt;
}

/// The decider with its first command: the token of the administrator.
Result<live::Batch> first_batch(live::Decider& decider, const std::string& secret) {
  live::Caller caller{.by = "init", .scopes = {.admin = true}};
  auto command = live::parse_command(std::move(caller), live::Do::token_put, {.name = "admin"},
                                     live::Json{{"scopes", {"admin"}}}, decider.settings().units, {},
                                     live::sha256(secret));
  if (const auto* problem = std::get_if<live::Problem>(&command)) return Error{.message = problem->detail};
  std::get<live::Command>(command).by_service = true;
  const auto wall = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const live::Answer answer = decider.apply(std::get<live::Command>(command), decider.now(), wall);
  if (answer.is_problem()) return Error{.message = answer.body.dump()};
  return decider.take_batch();
}

struct DecidedAgain {
  std::uint64_t from = 0;
  std::uint64_t batches = 0;
  std::uint64_t snapshots = 0;  ///< later ones, that the replay gave
  std::string differs = {};     ///< the first outcome that is another now; empty: none
};

/// All that the log keeps of what one program decided, once more from its oldest snapshot.
Result<DecidedAgain> decide_again(Store& store) {
  std::vector<SnapshotRow> rows = store.snapshots();
  const std::uint64_t adopted = std::strtoull(store.meta(kAdopted).value_or("0").c_str(), nullptr, 10);
  std::erase_if(rows, [&, version = rows.front().decision_version](const SnapshotRow& row) {
    return row.decision_version != version || row.revision < adopted;
  });
  if (rows.empty()) return Error{.message = "no snapshot is of what this program or one like it decided"};
  DecidedAgain again{.from = rows.back().revision};
  auto decider = live::Decider::restore(store.read_snapshot(rows.back()).value_or(""));
  if (!decider) return std::move(decider).error();
  rows.pop_back();
  const auto failure = store.read_log(again.from + 1, [&](const live::Batch& batch) {
    if (const Check wrong = decider->replay(batch)) again.differs = describe(*wrong);
    if (again.differs.empty() && !rows.empty() && rows.back().revision <= decider->revision()) {
      // Those of another version have other bytes.
      const bool is_ours = rows.back().decision_version == scheduling::kDecisionVersion;
      if (is_ours && !live::same_state(decider->snapshot(), store.read_snapshot(rows.back()).value_or("")))
        again.differs =
            fmt::format("the replay does not give the snapshot at revision {}", decider->revision());
      again.snapshots += is_ours ? 1 : 0;
      rows.pop_back();
    }
    ++again.batches;
    return again.differs.empty();
  });
  if (failure) return error_of(*failure);
  return again;
}

}  // namespace

void sync_folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  const int handle = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

Check rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return std::nullopt;
  if (errno == EINVAL && !is_there(to) && ::rename(from.c_str(), to.c_str()) == 0)
    return std::nullopt;  // a file system that knows no other way
  return Error{.message = errno == EEXIST ? "there is such a file already" : std::strerror(errno),
               .file = to};
}

Check make_copy(Store& store, const std::string& file) {
  if (is_there(file)) return Error{.message = "there is such a file already", .file = file};
  const std::string unfinished = file + kUnfinished;
  const Unfinished removed(unfinished);
  // Made before anything is written: at no time has another user of the machine any right to it.
  const int handle = ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (handle < 0) return Error{.message = std::strerror(errno), .file = unfinished};
  Check wrong;
  if (const auto failure = store.backup(unfinished)) wrong = error_of(*failure);
  if (!wrong && ::fsync(handle) != 0) wrong = Error{.message = std::strerror(errno), .file = unfinished};
  ::close(handle);
  if (!wrong) wrong = rename_to_new(unfinished, file);
  if (!wrong) sync_folder_of(file);
  return wrong;
}

StoreCheck write_snapshot(Store& store, std::uint64_t revision, std::string_view bytes) {
  return store.replace_snapshot({.revision = revision,
                                 .bytes = bytes.size(),
                                 .sha256 = live::sha256(bytes),
                                 .decision_version = scheduling::kDecisionVersion},
                                bytes);
}

FolderLock::FolderLock(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  folder_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (folder_ >= 0 && ::flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) ::close(folder_);
}

Check init_file(const InitOptions& options) {
  const std::string token_file = token_of(options.file);
  const std::string unfinished = options.file + kUnfinished;
  const std::string unfinished_token = token_file + kUnfinished;
  const FolderLock one_maker(options.file);
  if (is_there(options.file)) return Error{.message = "there is such a file already", .file = options.file};
  // Earlier versions gave the token its name first: a crash left it beside the unfinished file.
  if (is_there(unfinished)) ::unlink(token_file.c_str());
  if (is_there(token_file)) return Error{.message = "there is such a file already", .file = token_file};
  const Unfinished removed(unfinished);
  const Unfinished removed_token(unfinished_token);

  const std::string cluster_id = random_name(32);
  const std::uint64_t seed = std::hash<std::string>{}(random_name(16));
  auto settings =
      live::make_settings(options.resources, options.discipline, options.placement, seed, cluster_id);
  if (!settings) return std::move(settings).error();
  auto decider = live::Decider::from(*std::move(settings));
  if (!decider) return std::move(decider).error();
  const std::string secret = make_secret("admin");
  const auto batch = first_batch(*decider, secret);
  if (!batch) return batch.error();
  {
    auto store = open_store({.file = unfinished, .creates = true, .reserve_bytes = 0});
    if (!store) return std::move(store).error();
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"cluster_id", cluster_id},
                                     {"chain_base", live::first_hash(cluster_id)},
                                     {kFingerprint, live::fingerprint_of_libm()}}) {
      if (const auto failure = (*store)->set_meta(key, value)) return error_of(*failure);
    }
    if (const auto failure = (*store)->append({&*batch})) return error_of(*failure);
    if (const auto failure = write_snapshot(**store, decider->revision(), decider->snapshot()))
      return error_of(*failure);
  }
  if (Check failure = write_secret(unfinished_token, secret)) return failure;
  if (Check failure = rename_to_new(unfinished, options.file)) return failure;
  sync_folder_of(options.file);
  return finish_init(options.file);
}

Check finish_init(const std::string& file) {
  const std::string token_file = token_of(file);
  if (!is_there(token_file + kUnfinished) || is_there(token_file)) return std::nullopt;
  const Unfinished removed(file + kUnfinished);
  if (Check failure = rename_to_new(token_file + kUnfinished, token_file)) return failure;
  sync_folder_of(file);
  return std::nullopt;
}

std::string fault_of_adopted(const live::Decider& decider, const live::Reader& reader) {
  if (std::string broken = decider.broken_invariant(); !broken.empty()) return broken;
  const std::string bytes = decider.snapshot();
  if (!live::same_state(reader.snapshot(), bytes)) return "the two engines differ";
  const auto again = live::Decider::restore(bytes);
  if (!again) return again.error().message;
  return live::same_state(again->snapshot(), bytes) ? "" : "its snapshot does not give its own bytes again";
}

Result<Recovered> recover(Store& store, live::Others others, const std::function<void()>& goes_on) {
  std::vector<std::string> notes;
  for (const SnapshotRow& row : store.snapshots()) {
    const auto refuse = [&](std::string_view why) {
      notes.push_back(fmt::format("the snapshot at revision {} is not used: {}", row.revision, why));
    };
    const auto bytes = store.read_snapshot(row);
    if (!bytes) {
      refuse("its bytes are damaged");
      continue;
    }
    auto decider = live::Decider::restore(*bytes);
    if (!decider) {
      refuse(decider.error().message);
      continue;
    }
    const bool decided_otherwise = row.decision_version != scheduling::kDecisionVersion;
    if (!decided_otherwise && !live::same_state(decider->snapshot(), *bytes)) {
      refuse("it does not give its own bytes again");
      continue;
    }
    auto reader = live::Reader::beside(*decider, others);
    Recovered recovered{.decider = *std::move(decider), .reader = std::move(reader), .notes = notes};
    const std::string libm = store.meta(kFingerprint).value_or(live::fingerprint_of_libm());
    recovered.was_adopted = decided_otherwise || libm != live::fingerprint_of_libm();
    const live::Replay how = recovered.was_adopted ? live::Replay::as_logged : live::Replay::compared;
    Check wrong;
    const auto failure = store.read_log(recovered.decider.revision() + 1, [&](const live::Batch& batch) {
      wrong = recovered.decider.replay(batch, how);
      if (!wrong) {
        if (auto changes = recovered.reader.apply(batch, how); !changes) wrong = std::move(changes).error();
      }
      ++recovered.replayed;
      if (goes_on) goes_on();
      return !wrong;
    });
    if (failure) {
      Error error = error_of(*failure);
      if (failure->kind == StoreFailure::Kind::damaged)
        error.message += "; put a backup in the place of the file (`mirab serve backup` makes them)";
      return error;
    }
    if (wrong) return *std::move(wrong);
    const LogEnds ends = store.log_ends();
    recovered.last_wall = ends.last_wall;
    if (recovered.was_adopted) {
      if (const std::string fault = fault_of_adopted(recovered.decider, recovered.reader); !fault.empty())
        return Error{.message = "the state that another version decided cannot be taken over: " + fault};
      recovered.notes.push_back(fmt::format(
          "{} batches were decided by another version or on another processor: they are taken over "
          "as logged",
          recovered.replayed));
    }
    if (ends.last > recovered.decider.revision())
      return Error{.message = fmt::format("the log goes to revision {}, but its replay ends at {}", ends.last,
                                          recovered.decider.revision())};
    return recovered;
  }
  std::string why = "no snapshot can be used";
  for (const std::string& note : notes) why += "; " + note;
  return Error{.message = why + "; go on with a copy that `mirab serve backup` has made"};
}

StoreCheck keep_adopted(Store& store, const Recovered& recovered) {
  if (auto failure = write_snapshot(store, recovered.decider.revision(), recovered.decider.snapshot()))
    return failure;
  if (auto failure = store.set_meta(kAdopted, std::to_string(recovered.decider.revision()))) return failure;
  return store.set_meta(kFingerprint, live::fingerprint_of_libm());
}

std::size_t load_history(Store& store, live::History& history) {
  std::size_t unread = 0;
  const auto failure = store.read_table("series", [&](const std::string& key, const std::string& columns) {
    const live::Json read_key = live::Json::parse(key, nullptr, false);
    const live::Json read_columns = live::Json::parse(columns, nullptr, false);
    if (!history.load(read_key, read_columns)) ++unread;
  });
  history.ready();
  return unread + (failure ? 1 : 0);
}

namespace {

Check check_moment(Store& store, const std::function<void(const std::string&)>& say) {
  if (const std::string found = store.integrity(); !found.empty())
    return Error{.message = "the database is damaged: " + found};
  say("the database is whole");
  std::uint64_t batches = 0;
  if (const auto failure = store.read_log(0, [&](const live::Batch&) { return ++batches > 0; }))
    return error_of(*failure);
  say(fmt::format("the log is whole: {} batches, revisions {} to {}", batches, store.log_ends().first,
                  store.log_ends().last));
  const auto rows = store.snapshots();
  for (const SnapshotRow& row : rows) {
    const auto bytes = store.read_snapshot(row);
    if (!bytes) return Error{.message = fmt::format("the snapshot at revision {} is damaged", row.revision)};
  }
  say(fmt::format("{} snapshots are whole", rows.size()));
  auto recovered = recover(store, live::Others::all);
  if (!recovered) return std::move(recovered).error();
  if (recovered->decider.snapshot() != recovered->reader.snapshot())
    return Error{.message = "the two engines differ after the replay"};
  if (const std::string broken = recovered->decider.broken_invariant(); !broken.empty())
    return Error{.message = "after the replay: " + broken};
  auto again = decide_again(store);
  if (!again) return std::move(again).error();
  if (!again->differs.empty() && !recovered->was_adopted) return Error{.message = again->differs};
  if (again->differs.empty()) {
    say(
        fmt::format("the replay from revision {} gives every recorded outcome: batches {}, later snapshots "
                    "{}; revision {}",
                    again->from, again->batches, again->snapshots, recovered->decider.revision()));
  } else {
    say("the first outcome that is another by this version or on this processor: " + again->differs);
  }
  if (recovered->was_adopted)
    say(
        fmt::format("what the log has after the last snapshot was decided elsewhere; its batches, {}, are "
                    "taken over as logged",
                    recovered->replayed));
  return std::nullopt;
}

}  // namespace

Check check_file(Store& store, const std::function<void(const std::string&)>& say) {
  if (const auto failure = store.begin_read()) return error_of(*failure);
  Check wrong = check_moment(store, say);
  store.end_read();
  return wrong;
}

Result<std::vector<live::Row>> rows_of_file(Store& store, const std::string& table) {
  if (const auto failure = store.begin_read()) return error_of(*failure);
  const auto recovered = recover(store, live::Others::all);
  store.end_read();
  if (!recovered) return recovered.error();
  return recovered->reader.rows(table);
}

}  // namespace mirab::service
