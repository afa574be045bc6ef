// The store loses nothing that it has acknowledged: whatever the power takes, and whichever call fails.
#include "service/store.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <mirab/model/random.hpp>

#include "live/content.hpp"
#include "service/power_loss.hpp"
#include "service/recovery.hpp"
#include "support/files.hpp"

namespace mirab::service {
namespace {

const std::string kClusterId = "cluster";

/// Batches that follow each other, of one to five revisions.
class Script {
 public:
  explicit Script(std::uint64_t seed) : random_(seed) {}

  live::Batch next() {
    live::Batch batch;
    batch.first = revision_ + 1;
    batch.last = revision_ += 1 + random_.below(5);
    batch.body = std::string(1 + random_.below(9000), static_cast<char>('a' + batch.first % 26)) + "\n";
    batch.hash = live::chain_hash(hash_, batch.body);
    hash_ = batch.hash;
    for (std::uint64_t row = random_.below(3); row > 0; --row)
      batch.rows.push_back({live::kServerTable, live::Json::array({std::to_string(batch.first)}),
                            live::Json{{"revision", batch.last}}});
    return batch;
  }
  Random& random() { return random_; }

 private:
  Random random_;
  std::uint64_t revision_ = 0;
  std::string hash_ = live::first_hash(kClusterId);
};

Result<std::unique_ptr<Store>> open_on(const PowerLossDisk& disk, bool creates,
                                       const std::string& synchronous = "FULL") {
  auto store = open_store(
      {.file = "f", .creates = creates, .vfs = disk.name(), .synchronous = synchronous, .reserve_bytes = 0});
  if (store && creates) {
    if (const auto failure = (*store)->set_meta("chain_base", live::first_hash(kClusterId)))
      return Error{.message = failure->message};
  }
  return store;
}

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// Appends batches with a snapshot in between; each acknowledged one is noted.
void play(PowerLossDisk& disk, Store& store, Script& script, int batches) {
  for (int n = 0; n < batches; ++n) {
    const live::Batch one = script.next();
    const live::Batch two = script.next();
    if (store.append({&one, &two})) return;
    disk.note(two.last);
    if (n % 8 == 7 && write_snapshot(store, two.last, std::string(20'000, 's'))) return;
    if (n % 16 == 15 && (store.keep_snapshots(2) || store.trim_log(one.first))) return;
  }
}

/// How many of the acknowledged revisions are not there; -1: the file cannot be read.
std::int64_t lost(const PowerLossDisk& disk, const std::vector<std::uint64_t>& acknowledged,
                  const std::string& synchronous) {
  auto store = open_on(disk, false, synchronous);
  if (!store) return -1;
  std::uint64_t last = 0;
  if ((*store)->read_log(0, [&](const live::Batch& batch) {
        last = batch.last;
        return true;
      }))
    return -1;
  for (const SnapshotRow& row : (*store)->snapshots()) {
    if (!(*store)->read_snapshot(row)) return -1;
  }
  const std::uint64_t wanted = acknowledged.empty() ? 0 : acknowledged.back();
  return last >= wanted ? 0 : static_cast<std::int64_t>(wanted - last);
}

struct Tried {
  std::uint64_t moments = 0;
  std::uint64_t losses = 0;
};

/// Power losses at random moments, 100 in each history.
Tried try_power_losses(std::uint64_t first_seed, std::uint64_t moments, const std::string& synchronous) {
  Tried tried;
  for (std::uint64_t seed = first_seed; tried.moments < moments; ++seed) {
    PowerLossDisk disk("power-" + synchronous + std::to_string(seed));
    Script script(seed);
    {
      auto store = open_on(disk, true, synchronous);
      EXPECT_TRUE(store);
    }
    disk.set_files(disk.files());
    {
      auto store = open_on(disk, false, synchronous);
      EXPECT_TRUE(store);
      play(disk, **store, script, 20);
      const std::size_t size = disk.history_size();
      // The files are looked at on another disk, so that the history stays.
      for (int n = 0; n < 100; ++n, ++tried.moments) {
        std::vector<std::uint64_t> acknowledged;
        PowerLossDisk after("after-" + synchronous);
        after.set_files(
            disk.after_power_loss(1 + script.random().below(size), script.random(), acknowledged));
        const std::int64_t gone = lost(after, acknowledged, synchronous);
        if (gone == 0) continue;
        ++tried.losses;
        if (synchronous == "FULL") ADD_FAILURE() << "seed " << seed << ", trial " << n << ": lost " << gone;
      }
    }
  }
  return tried;
}

TEST(Store, LosesNothingThatItAcknowledgedWhenThePowerIsLost) {
  const std::uint64_t seed = number_from_environment("MIRAB_POWER_SEED", 1);
  const std::uint64_t moments = number_from_environment("MIRAB_POWER_MOMENTS", 2000);
  const Tried tried = try_power_losses(seed, moments, "FULL");
  EXPECT_EQ(tried.losses, 0U);
  EXPECT_GE(tried.moments, moments);
}

// Else the test above proves nothing: it must see what a weaker setting loses.
TEST(Store, ThePowerLossTestFindsTheLossWithoutFullSyncs) {
  EXPECT_GT(try_power_losses(1, 300, "NORMAL").losses, 0U);
}

TEST(Store, LosesNothingWhicheverCallFails) {
  const std::uint64_t calls = number_from_environment("MIRAB_IO_CALLS", 200);
  for (std::uint64_t n = 1; n <= calls; ++n) {
    for (const bool is_once : {true, false}) {
      PowerLossDisk disk("errors");
      Script script(n);
      { ASSERT_TRUE(open_on(disk, true)); }
      disk.set_files(disk.files());
      if (is_once) {
        disk.fail_at(n);
      } else {
        disk.fail_from(n);
      }
      if (auto store = open_on(disk, false)) play(disk, **store, script, 20);
      disk.fail_from(0);
      std::vector<std::uint64_t> acknowledged;
      PowerLossDisk after("errors-after");
      after.set_files(disk.after_power_loss(disk.history_size(), script.random(), acknowledged));
      EXPECT_EQ(lost(after, acknowledged, "FULL"), 0)
          << "call " << n << (is_once ? " once" : " and all after it");
    }
  }
}

TEST(Store, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  Script script(5);
  const live::Batch one = script.next();
  const live::Batch two = script.next();
  {
    auto store = open_store({.file = folder.path("f"), .creates = true, .reserve_bytes = 0});
    ASSERT_TRUE(store);
    ASSERT_FALSE((*store)->set_meta("chain_base", live::first_hash(kClusterId)));
    ASSERT_FALSE((*store)->append({&one, &two}));
    ASSERT_FALSE(write_snapshot(**store, two.last, std::string(3 * kSnapshotPart + 17, 'x')));
  }
  auto store = open_store({.file = folder.path("f"), .reserve_bytes = 4096});
  ASSERT_TRUE(store);
  std::vector<std::string> bodies;
  EXPECT_FALSE((*store)->read_log(0, [&](const live::Batch& batch) {
    bodies.push_back(batch.body);
    return true;
  }));
  EXPECT_THAT(bodies, testing::ElementsAre(one.body, two.body));
  ASSERT_EQ((*store)->snapshots().size(), 1U);
  EXPECT_EQ((*store)->read_snapshot((*store)->snapshots()[0])->size(), 3 * kSnapshotPart + 17);
  EXPECT_EQ((*store)->integrity(), "");
  EXPECT_TRUE((*store)->has_reserve());
  struct stat status {};
  ASSERT_EQ(::stat(folder.path("f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(Store, ASnapshotTakesThePlaceOfALargerOneOfItsRevision) {
  const TemporaryFolder folder;
  auto store = open_store({.file = folder.path("f"), .creates = true, .reserve_bytes = 0});
  ASSERT_TRUE(store);
  ASSERT_FALSE(write_snapshot(**store, 7, std::string(2 * kSnapshotPart + 1, 'x')));
  ASSERT_FALSE(write_snapshot(**store, 7, std::string(kSnapshotPart, 'y')));
  ASSERT_EQ((*store)->snapshots().size(), 1U);
  EXPECT_EQ((*store)->read_snapshot((*store)->snapshots()[0]), std::string(kSnapshotPart, 'y'));
}

bool never() { return false; }

TEST(Store, AddsUpWhatWasUsedHourByHour) {
  PowerLossDisk disk("uses");
  Script script(7);
  auto store = open_on(disk, true);
  ASSERT_TRUE(store);
  live::Batch one = script.next();
  live::Batch two = script.next();
  const live::UsedBy ml{.hour = 3600, .queue = "ml", .tenant = "vision", .group = "lab"};
  live::UsedBy later = ml;
  later.hour = 7200;
  one.uses = {{ml, {1.5, 0, 4}}, {later, {10, 0, 0}}};
  two.uses = {{ml, {0.5, 2, 0}}};
  ASSERT_FALSE((*store)->append({&one, &two}));
  live::Uses uses;
  ASSERT_FALSE((*store)->read_uses(3600, 7200, uses, never));
  EXPECT_EQ(uses, (live::Uses{{ml, {2, 2, 4}}}));
  uses.clear();
  ASSERT_FALSE((*store)->read_uses(3600, 10'800, uses, never));
  EXPECT_EQ(uses, (live::Uses{{ml, {12, 2, 4}}}));
  ASSERT_FALSE((*store)->trim_uses(7200));
  uses.clear();
  ASSERT_FALSE((*store)->read_uses(0, 7200, uses, never));
  EXPECT_TRUE(uses.empty());
}

TEST(Store, EndsASumOfUsesThatTakesTooLong) {
  PowerLossDisk disk("late-uses");
  Script script(7);
  auto store = open_on(disk, true);
  ASSERT_TRUE(store);
  live::Batch batch = script.next();
  for (std::int64_t hour = 0; hour < 3600 * 5000; hour += 3600)
    batch.uses[{.hour = hour, .queue = "ml", .tenant = "vision", .group = "lab"}] = {1};
  ASSERT_FALSE((*store)->append({&batch}));
  live::Uses uses;
  int asked = 0;
  EXPECT_TRUE((*store)->read_uses(0, 3600 * 5000, uses, [&] { return ++asked == 2; }));
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(uses.empty());
  ASSERT_FALSE((*store)->read_uses(0, 3600 * 5000, uses, never));
  EXPECT_EQ(uses.begin()->second, std::vector<double>{5000});
}

TEST(Store, NamesTheRevisionWhereTheLogIsDamaged) {
  PowerLossDisk disk("damage");
  Script script(6);
  auto store = open_on(disk, true);
  ASSERT_TRUE(store);
  const live::Batch one = script.next();
  live::Batch two = script.next();
  two.body[0] = '!';
  ASSERT_FALSE((*store)->append({&one, &two}));
  const auto failure = (*store)->read_log(0, [](const live::Batch&) { return true; });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, StoreFailure::Kind::damaged);
  EXPECT_THAT(failure->message, testing::HasSubstr("revision " + std::to_string(two.first)));
}

TEST(Store, ForgetsWholeBatchesButNotTheLast) {
  PowerLossDisk disk("trim");
  Script script(8);
  auto store = open_on(disk, true);
  ASSERT_TRUE(store);
  std::vector<live::Batch> batches;
  for (int hour = 1; hour <= 5; ++hour) {
    batches.push_back(script.next());
    batches.back().wall = live::Wall(std::chrono::hours(hour));
    ASSERT_FALSE((*store)->append({&batches.back()}));
  }
  const auto first = [&] {
    std::uint64_t revision = 0;
    EXPECT_FALSE((*store)->read_log(0, [&](const live::Batch& batch) {
      revision = batch.first;
      return false;
    }));
    EXPECT_EQ((*store)->log_ends().first, revision);
    return revision;
  };
  const std::uint64_t all = batches[4].last;
  ASSERT_FALSE((*store)->trim_log(batches[0].first - 1));
  EXPECT_EQ(first(), batches[0].first);
  ASSERT_FALSE((*store)->trim_log(batches[2].last - 1));
  EXPECT_EQ(first(), batches[2].first);
  ASSERT_FALSE((*store)->trim_log(all));
  EXPECT_EQ(first(), batches[4].first);
  EXPECT_EQ((*store)->log_ends().last_wall, batches[4].wall);
}

TEST(Store, LeavesFilesOfOthersAsTheyAre) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "version: 1\n");
  const std::string other = folder.path("other");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(other.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "CREATE TABLE t(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  const std::string with_log = folder.path("with-log");
  ASSERT_EQ(sqlite3_open(with_log.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA journal_mode=WAL; CREATE TABLE t(x)", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const std::string before = read_text(other);
  for (const std::string& file : {text, other, with_log}) {
    for (const bool reads_only : {false, true}) {
      const auto store =
          open_store({.file = file, .reads_only = reads_only, .is_unknown = true, .reserve_bytes = 0});
      ASSERT_FALSE(store);
      EXPECT_THAT(store.error().message, testing::HasSubstr("no file of `mirab serve`"));
    }
  }
  EXPECT_EQ(read_text(other), before);
  EXPECT_EQ(read_text(text), "version: 1\n");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("text", "other", "with-log"));
}

TEST(Store, SaysWhyAFileOfItsOwnCannotBeOpened) {
  const TemporaryFolder folder;
  const std::string file = folder.path("f");
  ASSERT_TRUE(open_store({.file = file, .creates = true, .reserve_bytes = 0}));
  const auto failure = [&] {
    const auto store = open_store({.file = file, .reads_only = true, .is_unknown = true, .reserve_bytes = 0});
    return store ? std::string() : store.error().message;
  };
  EXPECT_EQ(failure(), "");
  std::filesystem::remove(file + "-wal");
  std::filesystem::create_directory(file + "-wal");
  EXPECT_THAT(failure(), testing::HasSubstr("its -wal and -shm files cannot be opened"));
  std::filesystem::remove(file + "-wal");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (::access(file.c_str(), R_OK) != 0) {  // root may read all
    EXPECT_THAT(failure(), testing::HasSubstr("Permission denied"));
  }
}

TEST(Store, SaysOfAFileThatIsCutOffThatItIsDamaged) {
  const TemporaryFolder folder;
  const std::string file = folder.path("f");
  ASSERT_TRUE(open_store({.file = file, .creates = true, .reserve_bytes = 0}));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2 / 4096 * 4096);
  for (const bool reads_only : {false, true}) {
    for (const bool is_unknown : {false, true}) {
      const auto store =
          open_store({.file = file, .reads_only = reads_only, .is_unknown = is_unknown, .reserve_bytes = 0});
      ASSERT_FALSE(store);
      EXPECT_THAT(store.error().message, testing::HasSubstr("the database is damaged"));
      EXPECT_THAT(store.error().message, testing::HasSubstr("`mirab serve backup`"));
      EXPECT_EQ(store.error().file, file);
    }
  }
}

TEST(Store, IsNotOpenedByASecondProcess) {
  const TemporaryFolder folder;
  auto first = open_store({.file = folder.path("f"), .creates = true, .reserve_bytes = 0});
  ASSERT_TRUE(first);
  auto second = open_store({.file = folder.path("f"), .reserve_bytes = 0});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, testing::HasSubstr("another process"));
}

TEST(Store, AFileThatAnotherProcessLocksMayBeTriedAgain) {
  const TemporaryFolder folder;
  Script script(5);
  auto store = open_store({.file = folder.path("f"), .creates = true, .reserve_bytes = 0});
  ASSERT_TRUE(store);
  ASSERT_FALSE((*store)->set_meta("chain_base", live::first_hash(kClusterId)));
  const live::Batch one = script.next();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(folder.path("f").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const StoreCheck failure = (*store)->append({&one});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, StoreFailure::Kind::busy) << failure->message;
  ASSERT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_FALSE((*store)->append({&one}));
  EXPECT_EQ((*store)->log_ends().last, one.last);
}

TEST(Store, TheReserveOfAFolderThatCannotBeSeenWasNotGivenUp) {
  if (::geteuid() == 0) GTEST_SKIP() << "root sees every folder";
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("in"));
  auto store = open_store({.file = folder.path("in/f"), .creates = true, .reserve_bytes = 4096});
  ASSERT_TRUE(store);
  ASSERT_TRUE((*store)->restore_reserve());
  std::filesystem::permissions(folder.path("in"), std::filesystem::perms::none);
  EXPECT_TRUE((*store)->has_reserve());
  std::filesystem::permissions(folder.path("in"), std::filesystem::perms::owner_all);
}

TEST(Store, AtRestItMovesTheWriteAheadLogIntoTheFileAndInAnyCaseOnceThatIsLong) {
  constexpr std::uintmax_t kPage = 4096;
  const TemporaryFolder folder;
  Script script(8);
  auto store = open_store({.file = folder.path("f"), .creates = true, .reserve_bytes = 0});
  ASSERT_TRUE(store);
  ASSERT_FALSE((*store)->set_meta("chain_base", live::first_hash(kClusterId)));
  const auto write = [&](int batches) {
    for (int n = 0; n < batches; ++n) {
      const live::Batch batch = script.next();
      ASSERT_FALSE((*store)->append({&batch}));
    }
  };
  const auto size = [&] { return std::filesystem::file_size(folder.path("f")); };
  const std::uintmax_t empty = size();
  (*store)->rest();
  EXPECT_EQ(size(), empty) << "there is too little to move";
  write(100);
  EXPECT_EQ(size(), empty) << "all of it is in the write-ahead log";
  (*store)->rest();
  const std::uintmax_t rested = size();
  EXPECT_GT(rested, empty + 100 * kPage);
  write(1'000);
  EXPECT_GT(size(), rested + 500 * kPage) << "without a rest; pages that were written twice move once";
}

TEST(Store, ABackupIsAStoreWithTheSameLog) {
  const TemporaryFolder folder;
  Script script(7);
  auto store = open_store({.file = folder.path("f"), .creates = true, .reserve_bytes = 0});
  ASSERT_TRUE(store);
  ASSERT_FALSE((*store)->set_meta("chain_base", live::first_hash(kClusterId)));
  const live::Batch one = script.next();
  ASSERT_FALSE((*store)->append({&one}));
  auto reader = open_store({.file = folder.path("f"), .reads_only = true, .reserve_bytes = 0});
  ASSERT_TRUE(reader);
  const auto failure = (*reader)->backup(folder.path("copy"));
  ASSERT_FALSE(failure) << failure->message;
  auto copy = open_store({.file = folder.path("copy"), .reads_only = true, .reserve_bytes = 0});
  ASSERT_TRUE(copy);
  EXPECT_EQ((*copy)->log_ends().last, one.last);
}

}  // namespace
}  // namespace mirab::service
