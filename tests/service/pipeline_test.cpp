// The threads behind the API, on a store in memory that can be slow or full.
#include "service/pipeline.hpp"

#include <condition_variable>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

#include "live/cluster.hpp"
#include "service/threads.hpp"

namespace mirab::service {
namespace {

using namespace std::chrono_literals;

/// What a store in memory has, seen by the test while the pipeline owns the store.
struct Disk {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_full = false;
  bool is_busy = false;  ///< another process has the file locked
  bool is_held = false;  ///< append() waits
  std::uint64_t last = 0;
  std::vector<SnapshotRow> snapshots;
  std::vector<live::Row> rows = {};

  void set(bool Disk::*what, bool value) {
    {
      const std::lock_guard guard(mutex);
      this->*what = value;
    }
    changed.notify_all();
  }
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) {}
  void rest() override {}
  StoreCheck append(const std::vector<const live::Batch*>& batches) override {
    std::unique_lock lock(disk_->mutex);
    disk_->changed.wait(lock, [&] { return !disk_->is_held; });
    if (disk_->is_full) return StoreFailure{StoreFailure::Kind::full, "no room"};
    if (disk_->is_busy) return StoreFailure{StoreFailure::Kind::busy, "locked"};
    disk_->last = batches.back()->last;
    return std::nullopt;
  }
  StoreCheck read_log(std::uint64_t, const std::function<bool(const live::Batch&)>&) override { return {}; }
  LogEnds log_ends() override { return {}; }
  StoreCheck trim_log(std::uint64_t) override { return {}; }
  StoreCheck add_snapshot_part(std::uint64_t, std::uint64_t, std::string_view) override { return {}; }
  StoreCheck replace_snapshot(const SnapshotRow& row, std::string_view) override {
    return complete_snapshot(row);
  }
  StoreCheck complete_snapshot(const SnapshotRow& row) override {
    const std::lock_guard guard(disk_->mutex);
    disk_->snapshots.insert(disk_->snapshots.begin(), row);
    return {};
  }
  std::vector<SnapshotRow> snapshots() override {
    const std::lock_guard guard(disk_->mutex);
    return disk_->snapshots;
  }
  std::optional<std::string> read_snapshot(const SnapshotRow&) override { return {}; }
  StoreCheck keep_snapshots(std::size_t) override { return {}; }
  StoreCheck put_rows(const std::vector<live::Row>& rows) override {
    const std::lock_guard guard(disk_->mutex);
    disk_->rows.insert(disk_->rows.end(), rows.begin(), rows.end());
    return {};
  }
  StoreCheck read_uses(std::int64_t, std::int64_t, live::Uses&, std::function<bool()>) override { return {}; }
  StoreCheck trim_uses(std::int64_t) override { return {}; }
  StoreCheck begin_read() override { return {}; }
  void end_read() override {}
  StoreCheck set_meta(const std::string&, const std::string&) override { return {}; }
  std::optional<std::string> meta(const std::string&) override { return {}; }
  StoreCheck read_table(const std::string&,
                        const std::function<void(const std::string&, const std::string&)>&) override {
    return {};
  }
  bool has_reserve() override { return true; }
  bool restore_reserve() override { return true; }
  StoreCheck backup(const std::string&) override { return {}; }
  std::string integrity() override { return {}; }

 private:
  std::shared_ptr<Disk> disk_;
};

/// A client of events that takes what it is sent when the test says so.
class SlowClient final : public net::EventStream {
 public:
  void send(std::string text) override {
    const std::lock_guard guard(mutex_);
    most_unsent_ = std::max(most_unsent_, unsent_ += text.size());
    pieces_.push_back(std::move(text));
  }
  std::size_t unsent() const override {
    const std::lock_guard guard(mutex_);
    return unsent_;
  }
  void close() override { is_closed_ = true; }
  bool is_closed() const override { return is_closed_; }

  std::vector<std::string> take() {
    const std::lock_guard guard(mutex_);
    unsent_ = 0;
    return std::exchange(pieces_, {});
  }
  std::size_t most_unsent() const {
    const std::lock_guard guard(mutex_);
    return most_unsent_;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t unsent_ = 0;
  std::size_t most_unsent_ = 0;
  std::vector<std::string> pieces_;
  std::atomic<bool> is_closed_ = false;
};

/// True when it became true within a minute.
bool comes(const std::function<bool()>& what) {
  for (int n = 0; n < 6000 && !what(); ++n) std::this_thread::sleep_for(10ms);
  return what();
}

/// A pipeline on the small cluster of the tests of src/live.
struct Piped {
  explicit Piped(PipelineOptions options = {}, std::optional<live::Reader> reader = {}) {
    auto cluster = live::small_cluster();
    if (reader) cluster.reader = *std::move(reader);
    units = cluster.units;
    begin = cluster.decider.revision();
    PipelineEvents events;
    events.rows = [this](const std::shared_ptr<const std::vector<live::Row>>& rows) {
      for (const live::Row& row : *rows) tables.insert(row.table);
    };
    events.committed = [](std::chrono::nanoseconds, std::uint64_t) {};
    events.say = [](std::string_view, std::string_view, const live::Json&) {};
    events.broken = [](const std::string& why) { ADD_FAILURE() << why; };
    pipeline = Pipeline::start(std::move(options), std::move(events), std::make_unique<MemoryStore>(disk),
                               Recovered{.decider = std::move(cluster.decider),
                                         .reader = std::move(cluster.reader),
                                         .last_wall = {},
                                         .replayed = 0,
                                         .notes = {}});
  }
  ~Piped() {
    disk->set(&Disk::is_held, false);
    pipeline->stop();
  }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

  std::future<live::Answer> put_tenant(const std::string& name) {
    return put(live::Do::tenant_put, name, live::Json::object());
  }
  std::future<live::Answer> put(live::Do what, const std::string& name, const live::Json& body) {
    auto command = live::parse_command(live::admin(), what, {.name = name}, body, units);
    auto promise = std::make_shared<std::promise<live::Answer>>();
    pipeline->submit(std::get<live::Command>(std::move(command)), Lane::common,
                     [promise](live::Answer answer) { promise->set_value(std::move(answer)); });
    return promise->get_future();
  }
  /// Refused, so that a group without a batch comes of it.
  std::future<live::Answer> refused() {
    auto command = live::parse_command(live::admin(), live::Do::queue_delete, {.name = "no-such"}, {}, units);
    auto promise = std::make_shared<std::promise<live::Answer>>();
    pipeline->submit(std::get<live::Command>(std::move(command)), Lane::common,
                     [promise](live::Answer answer) { promise->set_value(std::move(answer)); });
    return promise->get_future();
  }

  std::shared_ptr<Disk> disk = std::make_shared<Disk>();
  live::Units units{{}};
  std::uint64_t begin = 0;
  std::set<std::string> tables = {};  // of the rows that came; read after an answer, or after stop()
  std::unique_ptr<Pipeline> pipeline;
};

// By them a heartbeat is expected of a server that comes while the service runs.
TEST(Pipeline, RowsOfServersTenantsAndTokensReachItsOwnerBeforeTheAnswer) {
  Piped piped;
  const live::Json server = {{"capacity", {{"cpu", 1}}}};
  ASSERT_EQ(piped.put(live::Do::server_put, "n9", server).get().status, 201);
  EXPECT_THAT(piped.tables, testing::ElementsAre("server"));
  ASSERT_EQ(piped.put_tenant("t").get().status, 201);
  EXPECT_THAT(piped.tables, testing::ElementsAre("server", "tenant"));
}

TEST(Pipeline, ASnapshotWithoutABatchIsComparedBeforeTheNextBatch) {
  PipelineOptions options;
  options.snapshot_time = 100ms;
  Piped piped(options);
  for (int n = 0; n < 5; ++n) {
    ASSERT_EQ(piped.put_tenant("a" + std::to_string(n)).get().status, 201);
    std::this_thread::sleep_for(120ms);
    ASSERT_TRUE(piped.refused().get().is_problem());
    ASSERT_EQ(piped.put_tenant("b" + std::to_string(n)).get().status, 201);
  }
  piped.pipeline->stop();
  EXPECT_EQ(piped.pipeline->figures().mismatches.load(), 0U);
  ASSERT_FALSE(piped.disk->snapshots.empty());
  EXPECT_EQ(piped.disk->snapshots.front().revision, piped.disk->last);
}

TEST(Pipeline, TwoSnapshotsTakenTogetherAreBothWritten) {
  PipelineOptions options;
  options.snapshot_revisions = 1;
  Piped piped(options);
  piped.disk->set(&Disk::is_held, true);
  std::vector<std::future<live::Answer>> answers;
  for (std::uint64_t n = 1; n <= 3; ++n) {
    answers.push_back(piped.put_tenant("t" + std::to_string(n)));
    ASSERT_TRUE(comes([&] { return piped.pipeline->figures().core_revision.load() == piped.begin + n; }));
  }
  piped.disk->set(&Disk::is_held, false);
  for (auto& answer : answers) EXPECT_EQ(answer.get().status, 201);
  piped.pipeline->stop();
  EXPECT_EQ(piped.disk->snapshots.size(), 3U);
}

TEST(Pipeline, AFullDiskRefusesAllThatWaitsAndLetsTheServiceEnd) {
  PipelineOptions options;
  options.full_disk_time = 0ms;
  options.commands_of_batch = 1;
  Piped piped(options);
  piped.disk->set(&Disk::is_full, true);
  std::vector<std::future<live::Answer>> answers;
  for (int n = 0; n < 20; ++n) answers.push_back(piped.put_tenant("t" + std::to_string(n)));
  for (auto& answer : answers) EXPECT_EQ(answer.get().status, 503);
  const auto alive = piped.pipeline->figures().core_alive_ms.load();
  EXPECT_TRUE(comes([&] { return piped.pipeline->figures().core_alive_ms.load() > alive; }));
  piped.disk->set(&Disk::is_full, false);
  ASSERT_TRUE(comes([&] {
    return piped.pipeline->figures().durable_revision.load() ==
           piped.pipeline->figures().core_revision.load();
  }));
  EXPECT_EQ(piped.put_tenant("after").get().status, 201);
  EXPECT_EQ(piped.pipeline->figures().mismatches.load(), 0U);

  const std::uint64_t durable = piped.disk->last;
  piped.disk->set(&Disk::is_full, true);
  auto last = piped.put_tenant("last");
  piped.pipeline->stop();
  EXPECT_EQ(last.get().status, 503);
  EXPECT_EQ(piped.disk->last, durable);
}

/// Asks, and holds the thread that answers until it is released.
struct Holding {
  void ask(Piped& piped, live::Query query, Lane lane) {
    piped.pipeline->ask(std::move(query), live::member("dear"), lane, 0, [this](const live::Answer&) {
      begun.set_value();
      released.get_future().wait();
    });
    begun.get_future().wait();
  }
  std::promise<void> begun;
  std::promise<void> released;
};

// A tenant's lists wait for each other, and not for them another's read.
TEST(Pipeline, TheReaderTakesTenantsInTurn) {
  Piped piped;
  Holding first;
  first.ask(piped, {.what = live::Ask::cluster}, Lane::common);
  std::mutex mutex;
  std::string order;
  const auto note = [&](char letter) {
    return [&, letter](const live::Answer&) {
      const std::lock_guard guard(mutex);
      order += letter;
    };
  };
  for (int n = 0; n < 20; ++n)
    piped.pipeline->ask({.what = live::Ask::queues}, live::member("dear"), Lane::common, 0, note('d'));
  piped.pipeline->ask({.what = live::Ask::cluster}, live::member("quiet"), Lane::common, 0, note('q'));
  first.released.set_value();
  EXPECT_TRUE(comes([&] {
    const std::lock_guard guard(mutex);
    return order.size() == 21;
  }));
  EXPECT_LE(order.find('q'), 1U) << order;
}

// Each in its order of revisions; nothing of one that was answered is looked at again.
TEST(Pipeline, QuestionsThatWaitForARevisionAreAllAnsweredWhenTheyAreLetGo) {
  Piped piped;
  std::vector<std::future<live::Answer>> answers;
  for (std::uint64_t ahead = 1; ahead <= 5; ++ahead) {
    auto promise = std::make_shared<std::promise<live::Answer>>();
    piped.pipeline->ask({.what = live::Ask::cluster}, live::admin(), Lane::common, piped.begin + ahead,
                        [promise](live::Answer answer) { promise->set_value(std::move(answer)); });
    answers.push_back(promise->get_future());
  }
  for (int n = 0; n < 2; ++n) ASSERT_EQ(piped.put_tenant("t" + std::to_string(n)).get().status, 201);
  for (int n = 0; n < 2; ++n) EXPECT_EQ(answers[static_cast<std::size_t>(n)].get().status, 200);
  piped.pipeline->let_go();
  for (int n = 2; n < 5; ++n) EXPECT_EQ(answers[static_cast<std::size_t>(n)].get().status, 503);
}

TEST(Workers, TakeTenantsInTurn) {
  Shared shared{.options = {}, .events = {}, .clock = EngineClock({}, {})};
  shared.events.say = [](std::string_view, std::string_view, const live::Json&) {};
  Workers workers(shared);
  std::mutex mutex;
  std::string order;
  const auto give = [&](char letter) {
    workers.give({std::string(1, letter),
                  [&, letter] {
                    const std::lock_guard guard(mutex);
                    order += letter;
                  },
                  [](const live::Answer&) { ADD_FAILURE() << "refused"; }});
  };
  for (const char letter : std::string_view("aaabbbc")) give(letter);
  workers.start(1);
  EXPECT_TRUE(comes([&] {
    const std::lock_guard guard(mutex);
    return order.size() == 7;
  }));
  workers.stop();
  EXPECT_EQ(order, "abcabab");
}

TEST(Pipeline, ATenantFillsNotAllTheRoomOfLongQuestions) {
  Piped piped;
  Holding first;
  first.ask(piped, {.what = live::Ask::shares}, Lane::worker);
  std::vector<std::future<live::Answer>> answers;
  const auto ask = [&](const std::string& tenant) {
    auto promise = std::make_shared<std::promise<live::Answer>>();
    piped.pipeline->ask({.what = live::Ask::shares}, live::member(tenant), Lane::worker, 0,
                        [promise](live::Answer answer) { promise->set_value(std::move(answer)); });
    return promise->get_future();
  };
  for (int n = 0; n < 9; ++n) answers.push_back(ask("dear"));
  const live::Answer refused = answers.back().get();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.body.at("type"), "/problems/room");
  EXPECT_EQ(refused.retry_after_s, "") << "nobody knows how long those before it take";
  EXPECT_EQ(ask("quiet").get().status, 200);
  first.released.set_value();
  answers.pop_back();
  for (auto& answer : answers) EXPECT_EQ(answer.get().status, 200);
}

// What is durable and not yet read is kept in memory: so much of it, and commands wait.
TEST(Pipeline, TheCoreDecidesNothingMoreWhileTheReaderIsFarBehind) {
  PipelineOptions options;
  options.most_behind = 10;
  options.commands_of_batch = 1;
  Piped piped(options);
  Holding first;
  first.ask(piped, {.what = live::Ask::cluster}, Lane::common);
  std::vector<std::future<live::Answer>> answers;
  for (int n = 0; n < 30; ++n) answers.push_back(piped.put_tenant("t" + std::to_string(n)));
  const PipelineFigures& figures = piped.pipeline->figures();
  EXPECT_TRUE(comes([&] { return figures.durable_revision.load() > piped.begin + 10; }));
  const auto alive = figures.core_alive_ms.load();
  EXPECT_TRUE(comes([&] { return figures.core_alive_ms.load() > alive + 100; }));
  EXPECT_LE(figures.core_revision.load(), piped.begin + 11);
  first.released.set_value();
  for (auto& answer : answers) EXPECT_EQ(answer.get().status, 201);
}

TEST(Pipeline, AServerHasFourPollsAtATime) {
  std::atomic<int> answered = 0;
  Piped piped;
  const auto poll = [&] {
    piped.pipeline->assignments({.what = live::Ask::assignments, .name = "n1"}, live::executor("n1"),
                                piped.pipeline->figures().reader_revision.load(), 60s,
                                [&](const live::Answer&) { ++answered; });
  };
  for (int n = 0; n < 4; ++n) poll();
  ASSERT_EQ(piped.put_tenant("t").get().status, 201);  // the reader has turned
  EXPECT_EQ(answered.load(), 0);
  for (int n = 0; n < 100; ++n) poll();
  EXPECT_TRUE(comes([&] { return answered.load() == 100; }));
}

// While a worker reads the log for a watch, its token may be revoked.
TEST(EventWatchers, AWatchThatComesBackIsEndedWhereItsTokenHasChanged) {
  std::vector<api::Watch> away;
  api::EventWatchers watchers({.others = live::Others::all,
                               .ring = 10,
                               .older = [&](api::Watch watch) { away.push_back(std::move(watch)); },
                               .internal = [](const std::exception&) { return live::Answer{}; }},
                              100);
  const auto revoked = std::make_shared<SlowClient>();
  const auto other = std::make_shared<SlowClient>();
  watchers.watch({.caller = live::member("a"), .after = 1, .stream = revoked});
  watchers.watch({.caller = live::member("b"), .after = 1, .stream = other});
  watchers.turn(api::Steady::now(), false);
  ASSERT_EQ(away.size(), 2U);
  watchers.token_changed("a");
  for (api::Watch& watch : away) watch.after = 100;
  for (api::Watch& watch : std::exchange(away, {})) watchers.attach(watch);
  EXPECT_TRUE(revoked->is_closed());
  EXPECT_FALSE(other->is_closed());
  EXPECT_EQ(watchers.size(), 1U);
  for (int n = 0; n < 1'000; ++n) {
    watchers.watch({.caller = live::member("c" + std::to_string(n)), .after = 1, .stream = other});
    watchers.turn(api::Steady::now(), false);
    away.clear();
  }
  EXPECT_LE(watchers.away(), 1U);
}

// However many servers there were: what is known of them is what the ring of changes still has.
TEST(Watchers, ForgetServersThatChangedLongAgo) {
  for (const int servers : {1'000, 10'000, 100'000}) {
    Shared shared{.options = {}, .events = {}, .clock = EngineClock({}, {})};
    shared.options.ring = 100;
    Workers workers(shared);
    Watchers watchers(shared, workers, 0, [](const std::function<void()>&) {});
    for (int n = 0; n < servers; ++n) {
      live::Change change{.revision = static_cast<std::uint64_t>(n) + 1};
      change.events.push_back({.kind = "server-removed", .server = "n" + std::to_string(n)});
      watchers.add({change});
    }
    EXPECT_LE(watchers.known_servers(), 1'024U) << servers;
  }
}

TEST(TrailingReader, FollowsTheLogAndLeavesOthersWhatTheyRead) {
  live::LiveCluster cluster = live::small_cluster();
  TrailingReader trailing;
  EXPECT_EQ(trailing.get(), nullptr);
  trailing.want(cluster.reader);
  const auto before = trailing.get();
  cluster.submit("ml", "a", R"({"demand":{"cpu":1}})");
  trailing.add(cluster.log.back());
  const auto after = trailing.get();
  EXPECT_EQ(after->snapshot(), cluster.reader.snapshot());
  EXPECT_LT(before->revision(), after->revision());
  const live::Reader* const same = after.get();
  EXPECT_EQ(trailing.get().get(), same) << "nobody copies what nobody has changed";
  EXPECT_EQ(trailing.give_up_unused(TrailingReader::Clock::now() + 2min).get(), same);
  EXPECT_EQ(trailing.get(), nullptr);
}

// The file may be ahead of the reader: what it had is not applied once more when the reader has it.
TEST(TrailingReader, FollowsFurtherThanTheReaderAndAppliesNothingTwice) {
  live::LiveCluster cluster = live::small_cluster();
  TrailingReader trailing;
  trailing.want(cluster.reader);
  cluster.submit("ml", "a", R"({"demand":{"cpu":1}})");
  const auto ahead =
      trailing.get([&](live::Reader& state) { return static_cast<bool>(state.apply(cluster.log.back())); });
  EXPECT_EQ(ahead->snapshot(), cluster.reader.snapshot());
  trailing.add(cluster.log.back());
  EXPECT_EQ(trailing.get()->snapshot(), cluster.reader.snapshot());
}

TEST(TrailingReader, IsMadeAgainAfterItCouldNotFollow) {
  live::LiveCluster cluster = live::small_cluster();
  TrailingReader trailing;
  for (const bool throws : {false, true}) {
    trailing.want(cluster.reader);
    const auto fails = [&](live::Reader&) -> bool {
      if (throws) throw std::runtime_error("no memory");
      return false;
    };
    try {
      EXPECT_EQ(trailing.get(fails), nullptr);
    } catch (const std::runtime_error&) {
      EXPECT_TRUE(throws);
    }
    cluster.submit("ml", throws ? "a" : "b", R"({"demand":{"cpu":1}})");
    trailing.add(cluster.log.back());  // nobody follows, and nothing is kept
    EXPECT_EQ(trailing.get(), nullptr);
    trailing.want(cluster.reader);
    EXPECT_EQ(trailing.get()->snapshot(), cluster.reader.snapshot());
    EXPECT_NE(trailing.give_up_unused(TrailingReader::Clock::now() + 2min), nullptr);
  }
}

TEST(Pipeline, WhatMeetsALockedFileWaitsAndIsThereWhenTheLockIsGone) {
  Piped piped;
  piped.disk->set(&Disk::is_busy, true);
  auto answer = piped.put_tenant("t");
  ASSERT_TRUE(comes([&] { return piped.pipeline->figures().core_revision.load() == piped.begin + 1; }));
  EXPECT_EQ(answer.wait_for(300ms), std::future_status::timeout);
  piped.disk->set(&Disk::is_busy, false);
  EXPECT_EQ(answer.get().status, 201);
  EXPECT_FALSE(piped.pipeline->figures().is_disk_full.load());
}

// One of the two states is wrong, and nobody knows which.
TEST(Pipeline, NothingIsAcknowledgedOnceTheTwoEnginesDiffer) {
  auto other = live::small_cluster();
  other.put(live::Do::tenant_put, "a flipped bit", "{}");
  Piped piped({}, std::move(other.reader));
  static_cast<void>(piped.put_tenant("a").get());  // it may be on the disk before they are compared
  ASSERT_TRUE(comes([&] { return piped.pipeline->figures().mismatches.load() == 1; }));
  const std::uint64_t durable = piped.disk->last;
  for (const char* name : {"b", "c"}) EXPECT_EQ(piped.put_tenant(name).get().status, 503);
  EXPECT_FALSE(piped.pipeline->figures().is_ready.load());
  const auto alive = piped.pipeline->figures().core_alive_ms.load();
  EXPECT_TRUE(comes([&] { return piped.pipeline->figures().core_alive_ms.load() > alive; }));
  piped.pipeline->stop();
  EXPECT_EQ(piped.disk->last, durable);
}

TEST(Pipeline, AWatchThatIsRefusedHasItsStreamClosed) {
  PipelineOptions options;
  options.workers = 0;  // what waits for a worker waits without end
  Piped piped(options);
  for (int n = 0; n < 128; ++n) piped.pipeline->audit(0, 1, [](const live::Answer&) {});
  const auto client = std::make_shared<SlowClient>();
  // From the file, because the ring begins at the start.
  ASSERT_TRUE(piped.put_tenant("a").get().status == 201);
  EXPECT_TRUE(piped.pipeline->watch({.caller = live::admin(), .after = piped.begin - 1, .stream = client}));
  EXPECT_TRUE(comes([&] { return client->is_closed(); }));
}

TEST(Pipeline, AWatcherFarBehindCatchesUpInPieces) {
  Piped piped;
  std::vector<std::future<live::Answer>> answers;
  for (int n = 0; n < 6000; ++n) answers.push_back(piped.put_tenant("t" + std::to_string(n)));
  for (auto& answer : answers) ASSERT_EQ(answer.get().status, 201);
  const auto client = std::make_shared<SlowClient>();
  ASSERT_TRUE(piped.pipeline->watch(
      {.caller = live::admin(), .after = piped.begin, .at_once = true, .stream = client}));
  std::string all;
  std::size_t most = 0;
  const std::string end = "id: " + std::to_string(piped.begin + 6000) + "\n";
  EXPECT_TRUE(comes([&] {
    for (const std::string& piece : client->take()) {
      most = std::max(most, piece.size());
      all += piece;
    }
    return all.find(end) != std::string::npos;
  }));
  EXPECT_FALSE(client->is_closed());
  EXPECT_LE(most, std::size_t{256} << 10U);
  EXPECT_LE(client->most_unsent(), std::size_t{512} << 10U);
  EXPECT_GT(all.size(), std::size_t{512} << 10U);  // else there was nothing to divide
  std::size_t at = 0;
  for (std::uint64_t revision = piped.begin + 1; revision <= piped.begin + 6000; ++revision) {
    at = all.find("id: ", at);
    ASSERT_EQ(all.substr(at, all.find('\n', at) - at), "id: " + std::to_string(revision));
    ++at;
  }
}

TEST(Pipeline, AWatchEndsWithItsToken) {
  Piped piped;
  const auto revoked = std::make_shared<SlowClient>();
  const auto expired = std::make_shared<SlowClient>();
  const auto other = std::make_shared<SlowClient>();
  const live::Wall past(1h);
  piped.pipeline->watch({.caller = live::member("vision"), .is_from_now = true, .stream = revoked});
  piped.pipeline->watch({.caller = live::admin(), .is_from_now = true, .stream = expired, .expires = past});
  piped.pipeline->watch({.caller = live::admin(), .is_from_now = true, .stream = other});
  EXPECT_TRUE(comes([&] { return expired->is_closed(); }));
  EXPECT_FALSE(revoked->is_closed());
  piped.pipeline->token_changed("vision");
  EXPECT_TRUE(comes([&] { return revoked->is_closed(); }));
  EXPECT_FALSE(other->is_closed());
}

}  // namespace
}  // namespace mirab::service
