#include "service/pipeline.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <fmt/format.h>
#include <list>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <mirab/model/assert.hpp>

#include "live/content.hpp"
#include "service/command_queue.hpp"
#include "service/log_questions.hpp"

namespace mirab::service {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

live::Wall wall_now() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

/// Engine time: boot clock since the start, after the last logged time and the gap by the wall clock (0 to 24
/// h).
class EngineClock {
 public:
  EngineClock(Time last, live::Wall last_wall) {
    auto gap = std::chrono::nanoseconds(0);
    if (last_wall.time_since_epoch().count() > 0) {
      gap = std::clamp<std::chrono::nanoseconds>(wall_now() - last_wall, std::chrono::nanoseconds(0),
                                                 std::chrono::hours(24));
    }
    start_ = last + gap;
  }
  Time now() const { return start_ + (boot() - at_start_); }

 private:
  static std::chrono::nanoseconds boot() {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  Time start_{};
  std::chrono::nanoseconds at_start_ = boot();
};

/// A batch on its way to the disk, with the answers that wait for it.
struct Group {
  live::Batch batch;
  std::vector<std::pair<Reply, live::Answer>> answers;
  std::shared_ptr<std::string> snapshot;  ///< of the state after this batch; empty: none
};

/// A batch on its way to the reader; it may be empty where a snapshot was taken without one.
struct Durable {
  live::Batch batch;
  std::string snapshot_sha256;  ///< of the decider's state after this batch; empty: none was taken
};

/// Work for a worker. `refuse` is called instead of it when there is no room, or when it fails.
struct Job {
  std::string tenant;
  std::function<void()> work;
  Reply refuse;
};

live::Answer problem_answer(int status, std::string type, std::string title, std::string_view detail) {
  live::Problem problem;
  problem.status = status;
  problem.type = std::move(type);
  problem.title = std::move(title);
  problem.detail = detail;
  return live::answer_of(problem, 0);
}

/// How a watch ends early: a poll with an answer, a stream with its end.
void end_watch(const Watch& watch, const live::Answer& answer) {
  if (watch.reply) watch.reply(answer);
  if (watch.stream != nullptr) watch.stream->close();
}

struct Question {
  live::Query query;
  live::Caller caller;
  Reply reply;
  Lane lane = Lane::common;
  Steady::time_point until{};
};

struct HeldPoll {
  live::Query query;
  live::Caller caller;
  std::uint64_t after = 0;
  Reply reply;
  Steady::time_point until{};
};

struct Attached {
  Watch watch;
  std::uint64_t sent = 0;  ///< all events up to this revision are sent or do not concern it
  bool is_catching_up = false;
  Steady::time_point flushed{};
  Steady::time_point marked{};
  Steady::time_point until{};
};

class Threads final : public Pipeline {
 public:
  Threads(PipelineOptions options, PipelineEvents events, std::unique_ptr<Store> store, Recovered recovered)
      : options_(std::move(options)),
        events_(std::move(events)),
        store_(std::move(store)),
        decider_(std::move(recovered.decider)),
        reader_(std::move(recovered.reader)),
        units_(decider_.settings().units),
        clock_(decider_.now(), recovered.last_wall),
        commands_(options_.commands) {
    const LogEnds ends = store_->log_ends();
    const std::uint64_t revision = decider_.revision();
    figures_.core_revision = figures_.durable_revision = figures_.reader_revision = revision;
    figures_.oldest_revision = ends.first == 0 ? revision + 1 : ends.first;
    figures_.log_bytes = ends.bytes;
    figures_.snapshot_at_s = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    figures_.core_alive_ms = steady_ms();
    ring_after_ = revision;
    last_snapshot_ = store_->snapshots().empty() ? 0 : store_->snapshots().front().revision;
  }
  ~Threads() override { Threads::stop(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void run() {
    store_thread_ = std::thread([this] { run_store(); });
    reader_thread_ = std::thread([this] { run_reader(); });
    for (unsigned n = 0; n < options_.workers; ++n) worker_threads_.emplace_back([this] { run_worker(); });
    core_thread_ = std::thread([this] { run_core(); });
    figures_.is_ready = true;
  }

  bool submit(live::Command command, Lane lane, Reply reply) override {
    const std::string tenant = command.caller.tenant;
    std::vector<live::Parsed<live::Command>> one;
    one.emplace_back(std::move(command));
    return commands_.push({.commands = std::move(one), .is_list = false, .reply = std::move(reply)}, tenant,
                          lane == Lane::urgent);
  }
  bool submit(std::vector<live::Parsed<live::Command>> commands, const std::string& tenant,
              Reply reply) override {
    return commands_.push({.commands = std::move(commands), .is_list = true, .reply = std::move(reply)},
                          tenant, false);
  }
  bool ask(live::Query query, live::Caller caller, Lane lane, std::uint64_t at_least, Reply reply) override;
  bool watch(Watch watch) override;
  bool assignments(live::Query query, live::Caller caller, std::uint64_t after, milliseconds wait,
                   Reply reply) override;
  bool audit(std::uint64_t after, std::size_t limit, Reply reply) override {
    give_to_worker(
        {"", [this, after, limit, reply] { reply(audit_page(options_.file, after, limit)); }, reply});
    return true;
  }
  bool explain_task(std::string task, live::Caller caller, Reply reply) override {
    const std::string tenant = caller.tenant;
    give_to_worker({tenant,
                    [this, task = std::move(task), caller = std::move(caller), reply] {
                      reply(placement_of(options_.file, options_.others, task, caller));
                    },
                    reply});
    return true;
  }
  void token_changed(const std::string& id) override;

  const live::Units& units() const override { return units_; }
  const PipelineFigures& figures() const override { return figures_; }
  void stop() override;

 private:
  static std::int64_t steady_ms() {
    return std::chrono::duration_cast<milliseconds>(Steady::now().time_since_epoch()).count();
  }

  // The core.
  void run_core();
  live::Answer apply(CommandWork& work, Time now, live::Wall wall);
  void hand_to_store(Group group);
  void refuse_commands();
  bool wants_snapshot(std::uint64_t revision, bool is_last) const;

  // The store.
  void run_store();
  void write_groups(std::vector<Group>& groups);
  bool append_or_wait(std::vector<Group>& groups);
  void refuse_groups(std::vector<Group>& groups);
  void continue_snapshot(bool to_the_end);
  void broken(const std::string& why) {
    figures_.is_ready = false;
    events_.broken(why);
  }

  // The reader.
  void run_reader();
  void apply_batches(const std::vector<Durable>& batches);
  void apply_batch(const live::Batch& batch);
  void compare_snapshot(const std::string& expected);
  void say_mismatch(std::uint64_t revision, const std::string& why);
  live::Answer internal_answer(const std::exception& failure);
  live::Answer get(const live::Reader& reader, const live::Query& query, const live::Caller& caller);
  void answer_questions(std::vector<Question>& questions);
  void attach(Watch watch);
  void read_old_events(Watch watch);
  bool is_behind(const Attached& watcher) const {
    return !ring_.empty() && watcher.sent < ring_.back().revision;
  }
  bool add_message(std::string& text, const Watch& watch, const live::Change& change) const;
  std::string next_messages(Attached& watcher) const;
  bool flush_poll(Attached& watcher, Steady::time_point now, bool is_last);
  bool flush_stream(Attached& watcher, Steady::time_point now, bool is_last);
  void flush(Steady::time_point now, bool is_last);
  void turn_polls(Steady::time_point now);
  void to_reader(std::function<void()> work) {
    {
      const std::lock_guard guard(reader_mutex_);
      reader_work_.push_back(std::move(work));
    }
    reader_wakes_.notify_one();
  }

  // The workers.
  void run_worker();
  void give_to_worker(Job job);

  PipelineOptions options_;
  PipelineEvents events_;
  std::unique_ptr<Store> store_;
  live::Decider decider_;
  live::Reader reader_;
  live::Units units_;
  EngineClock clock_;
  PipelineFigures figures_;
  CommandQueue commands_;

  std::mutex store_mutex_;
  std::condition_variable store_wakes_;
  std::condition_variable store_has_room_;
  std::deque<Group> groups_;
  bool core_has_ended_ = false;

  // Of the core.
  std::uint64_t last_snapshot_ = 0;
  Steady::time_point last_snapshot_time_ = Steady::now();

  // Of the store.
  struct Writing {
    std::uint64_t revision;
    std::shared_ptr<std::string> bytes;
    std::string sha256;
    std::size_t written = 0;
    std::uint64_t parts = 0;
  };
  std::optional<Writing> writing_;
  std::atomic<std::uint64_t> agreed_ = 0;  ///< up to here the reader's snapshots were the decider's
  std::atomic<bool> differs_ = false;
  std::atomic<bool> is_stuck_ = false;  ///< the disk has been full for longer than answers may wait
  bool has_given_up_ = false;           ///< nothing more is written: a batch before is missing

  std::mutex reader_mutex_;
  std::condition_variable reader_wakes_;
  std::vector<Durable> durable_;
  std::vector<Question> questions_;
  std::vector<std::function<void()>> reader_work_;
  bool store_has_ended_ = false;

  // Of the reader.
  std::deque<live::Change> ring_;
  std::uint64_t ring_after_ = 0;                  ///< the ring has all changes after this revision
  std::multimap<std::uint64_t, Question> early_;  ///< by the revision that they wait for
  std::list<Attached> watchers_;
  std::multimap<std::string, HeldPoll> polls_;          ///< by server
  std::map<std::string, std::uint64_t> changed_;        ///< the last revision of each server
  std::map<std::string, std::uint64_t> token_changes_;  ///< how often each `token:ID` has changed
  std::shared_ptr<live::Reader> copy_;

  std::mutex worker_mutex_;
  std::condition_variable worker_wakes_;
  std::deque<Job> jobs_;
  std::set<std::string> tenants_at_work_;
  bool workers_end_ = false;

  bool is_stopped_ = false;
  std::thread core_thread_;
  std::thread store_thread_;
  std::thread reader_thread_;
  std::vector<std::thread> worker_threads_;
};

constexpr std::size_t kQuestions = 8192;
constexpr std::size_t kJobs = 32;
constexpr std::size_t kGroups = 2;
constexpr std::size_t kPiece = std::size_t{256} << 10U;  // bytes that a watcher is sent at once
constexpr std::size_t kLookedAt = 4096;                  // changes that a watcher looks at in a turn
constexpr std::string_view kDiskFull = "the disk is full; the outcome is unknown";

// ---- core

live::Answer Threads::apply(CommandWork& work, Time now, live::Wall wall) {
  std::vector<live::Answer> answers;
  answers.reserve(work.commands.size());
  for (const auto& command : work.commands) {
    const auto* problem = std::get_if<live::Problem>(&command);
    answers.push_back(problem != nullptr ? live::answer_of(*problem, decider_.revision())
                                         : decider_.apply(std::get<live::Command>(command), now, wall));
  }
  return work.is_list ? live::answer_of_submits(std::move(answers)) : std::move(answers.front());
}

void Threads::run_core() {
  auto next_by_time = Steady::now();
  while (true) {
    figures_.core_alive_ms = steady_ms();
    const auto wait = decider_.wants_steps() ? milliseconds(0) : milliseconds(1000);
    std::vector<CommandWork> taken = commands_.take(options_.commands_of_batch, wait);
    const bool is_ending = commands_.is_closed() && taken.empty();
    decider_.committed(figures_.durable_revision.load());
    const Time now = clock_.now();
    const live::Wall wall = wall_now();
    Group group;
    group.answers.reserve(taken.size());
    for (CommandWork& work : taken) {
      live::Answer answer = apply(work, now, wall);
      group.answers.emplace_back(std::move(work.reply), std::move(answer));
    }
    const bool by_time = decider_.decides_by_time() && Steady::now() >= next_by_time;
    if (decider_.wants_steps() || !taken.empty() || by_time) {
      figures_.placed += static_cast<std::uint64_t>(decider_.decide(options_.steps_of_batch, now, wall));
      next_by_time = Steady::now() + std::chrono::seconds(1);
    }
    group.batch = decider_.take_batch();
    const std::uint64_t revision = decider_.revision();
    if (wants_snapshot(revision, is_ending)) {
      group.snapshot = std::make_shared<std::string>(decider_.snapshot());
      last_snapshot_ = revision;
      last_snapshot_time_ = Steady::now();
    }
    figures_.core_revision = revision;
    if (!group.batch.empty() || !group.answers.empty() || group.snapshot != nullptr)
      hand_to_store(std::move(group));
    if (is_ending) break;
  }
  {
    const std::lock_guard guard(store_mutex_);
    core_has_ended_ = true;
  }
  store_wakes_.notify_one();
}

bool Threads::wants_snapshot(std::uint64_t revision, bool is_last) const {
  if (differs_.load() || revision == last_snapshot_) return false;
  return is_last || revision - last_snapshot_ >= options_.snapshot_revisions ||
         Steady::now() - last_snapshot_time_ >= options_.snapshot_time;
}

void Threads::hand_to_store(Group group) {
  {
    std::unique_lock lock(store_mutex_);
    while (!store_has_room_.wait_for(lock, milliseconds(100), [&] { return groups_.size() < kGroups; })) {
      figures_.core_alive_ms = steady_ms();
      if (!is_stuck_.load()) continue;
      for (auto& [reply, answer] : group.answers) reply(busy_answer(kDiskFull));
      group.answers.clear();
      refuse_commands();
    }
    groups_.push_back(std::move(group));
  }
  store_wakes_.notify_one();
}

/// While the disk is full for long: commands are refused before anything is done for them.
void Threads::refuse_commands() {
  while (true) {
    const std::vector<CommandWork> taken = commands_.take(options_.commands_of_batch, milliseconds(0));
    if (taken.empty()) return;
    for (const CommandWork& work : taken) work.reply(busy_answer("the disk is full"));
  }
}

// ---- store

void Threads::run_store() {
  auto next_reserve = Steady::now();
  while (true) {
    std::vector<Group> groups;
    bool is_ending = false;
    {
      std::unique_lock lock(store_mutex_);
      const auto has_work = [&] { return !groups_.empty() || core_has_ended_; };
      store_wakes_.wait_for(lock, writing_ ? milliseconds(1) : milliseconds(1000), has_work);
      groups.assign(std::make_move_iterator(groups_.begin()), std::make_move_iterator(groups_.end()));
      groups_.clear();
      is_ending = core_has_ended_ && groups.empty();
    }
    store_has_room_.notify_one();
    if (!groups.empty()) write_groups(groups);
    if (writing_) continue_snapshot(false);
    if (figures_.is_disk_full.load() && Steady::now() >= next_reserve) {
      next_reserve = Steady::now() + std::chrono::seconds(1);
      if (store_->restore_reserve()) {
        figures_.is_disk_full = false;
        events_.say("info", "disk-has-room", {});
      }
    }
    if (is_ending) break;
  }
  if (writing_) continue_snapshot(true);
  {
    const std::lock_guard guard(reader_mutex_);
    store_has_ended_ = true;
  }
  reader_wakes_.notify_one();
}

void Threads::refuse_groups(std::vector<Group>& groups) {
  const auto refuse = [](Group& group) {
    for (auto& [reply, answer] : group.answers) reply(busy_answer(kDiskFull));
    group.answers.clear();
  };
  for (Group& group : groups) refuse(group);
  const std::lock_guard guard(store_mutex_);
  for (Group& group : groups_) refuse(group);
}

/// True when the batches are on the disk. With a full disk it tries until there is room or the service ends;
/// answers that have waited too long are 503, those of the groups behind too.
bool Threads::append_or_wait(std::vector<Group>& groups) {
  if (has_given_up_) {
    refuse_groups(groups);
    return false;
  }
  std::vector<const live::Batch*> batches;
  for (const Group& group : groups) {
    if (!group.batch.empty()) batches.push_back(&group.batch);
  }
  if (batches.empty()) return true;
  const auto begin = Steady::now();
  bool has_said = false;
  while (const StoreCheck failure = store_->append(batches)) {
    if (failure->kind != StoreFailure::Kind::full) {
      has_given_up_ = true;
      broken(failure->message);
      return false;
    }
    figures_.is_disk_full = true;
    if (!std::exchange(has_said, true)) events_.say("error", "disk-full", {{"why", failure->message}});
    has_given_up_ = commands_.is_closed();
    if (has_given_up_ || Steady::now() - begin > options_.full_disk_time) {
      is_stuck_ = true;
      refuse_groups(groups);
    }
    if (has_given_up_) {
      events_.say("error", "disk-full", {{"why", "stopped with changes that were not acknowledged"}});
      return false;
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
  is_stuck_ = false;
  figures_.commit_ns += static_cast<std::uint64_t>(std::chrono::nanoseconds(Steady::now() - begin).count());
  ++figures_.commits;
  if (!store_->has_reserve() && !figures_.is_disk_full.exchange(true))
    events_.say("error", "disk-full", {{"why", "the reserve was given up"}});
  return true;
}

void Threads::write_groups(std::vector<Group>& groups) {
  if (!append_or_wait(groups)) return;
  auto rows = std::make_shared<std::vector<live::Row>>();
  std::vector<Durable> durable;
  std::vector<Writing> snapshots;
  for (Group& group : groups) {
    if (!group.batch.empty()) figures_.durable_revision = group.batch.last;
    for (live::Row& row : group.batch.rows) {
      if (row.table == "token" || row.table == "tenant") rows->push_back(std::move(row));
    }
    group.batch.rows.clear();
    Durable next{.batch = std::move(group.batch), .snapshot_sha256 = {}};
    if (group.snapshot != nullptr) {
      next.snapshot_sha256 = live::sha256(*group.snapshot);
      snapshots.push_back({.revision = figures_.durable_revision.load(),
                           .bytes = std::move(group.snapshot),
                           .sha256 = next.snapshot_sha256});
    }
    if (!next.batch.empty() || !next.snapshot_sha256.empty()) durable.push_back(std::move(next));
  }
  {
    const std::lock_guard guard(reader_mutex_);
    durable_.insert(durable_.end(), std::make_move_iterator(durable.begin()),
                    std::make_move_iterator(durable.end()));
  }
  reader_wakes_.notify_one();
  if (!rows->empty()) events_.rows(std::move(rows));
  for (Group& group : groups) {
    figures_.commit_commands += group.answers.size();
    for (auto& [reply, answer] : group.answers) reply(std::move(answer));
  }
  // Only now: the reader, whose agreement a snapshot needs, has all that the snapshot holds.
  for (Writing& next : snapshots) {
    if (writing_) continue_snapshot(true);
    writing_ = std::move(next);
  }
}

/// One part, so that batches come in between; the row that says complete waits for the reader's agreement.
void Threads::continue_snapshot(bool to_the_end) {
  const auto failed = [&](const StoreCheck& failure) {
    if (!failure) return false;
    if (failure->kind != StoreFailure::Kind::full) broken(failure->message);
    writing_.reset();
    return true;
  };
  do {
    if (writing_->written < writing_->bytes->size()) {
      const std::string_view part =
          std::string_view(*writing_->bytes).substr(writing_->written, kSnapshotPart);
      if (failed(store_->add_snapshot_part(writing_->revision, writing_->parts++, part))) return;
      writing_->written += part.size();
      continue;
    }
    if (differs_.load()) return writing_.reset();
    if (agreed_.load() < writing_->revision) {
      if (!to_the_end) return;
      reader_wakes_.notify_one();
      std::this_thread::sleep_for(milliseconds(1));
      continue;
    }
    const SnapshotRow row{.revision = writing_->revision,
                          .bytes = writing_->bytes->size(),
                          .sha256 = writing_->sha256,
                          .decision_version = scheduling::kDecisionVersion};
    writing_.reset();
    if (failed(store_->complete_snapshot(row)) || failed(store_->keep_snapshots(3))) return;
    const std::uint64_t oldest_snapshot = store_->snapshots().back().revision;
    if (failed(store_->trim_log(oldest_snapshot, wall_now() - options_.log_time, options_.log_bytes))) return;
    figures_.snapshot_at_s = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    events_.say("info", "snapshot", {{"revision", row.revision}, {"bytes", row.bytes}});
    const LogEnds ends = store_->log_ends();
    figures_.log_bytes = ends.bytes;
    figures_.oldest_revision = ends.first;
    return;
  } while (to_the_end);
}

// ---- reader

bool Threads::ask(live::Query query, live::Caller caller, Lane lane, std::uint64_t at_least, Reply reply) {
  {
    const std::lock_guard guard(reader_mutex_);
    if (questions_.size() >= kQuestions) return false;
    Question question{
        .query = std::move(query), .caller = std::move(caller), .reply = std::move(reply), .lane = lane};
    if (at_least > figures_.reader_revision.load()) {
      question.until = Steady::now() + std::chrono::seconds(5);
      reader_work_.push_back([this, at_least, held = std::move(question)]() mutable {
        early_.emplace(at_least, std::move(held));
      });
    } else {
      questions_.push_back(std::move(question));
    }
  }
  reader_wakes_.notify_one();
  return true;
}

void Threads::run_reader() {
  while (true) {
    std::vector<Durable> batches;
    std::vector<Question> questions;
    std::vector<std::function<void()>> work;
    bool is_last = false;
    {
      std::unique_lock lock(reader_mutex_);
      const auto has_work = [&] {
        return !durable_.empty() || !questions_.empty() || !reader_work_.empty() || store_has_ended_;
      };
      const bool is_watched = !watchers_.empty() || !polls_.empty() || !early_.empty();
      reader_wakes_.wait_for(lock, is_watched ? milliseconds(50) : milliseconds(1000), has_work);
      batches.swap(durable_);
      questions.swap(questions_);
      work.swap(reader_work_);
      is_last = store_has_ended_ && batches.empty() && questions.empty() && work.empty();
    }
    apply_batches(batches);
    for (auto& each : work) {
      try {
        each();
      } catch (const std::exception& failure) {
        internal_answer(failure);  // dropped: a request without an answer gets 503 from the server
      }
      each = nullptr;
    }
    const auto now = Steady::now();
    while (!early_.empty() && (early_.begin()->first <= figures_.reader_revision.load())) {
      questions.push_back(std::move(early_.begin()->second));
      early_.erase(early_.begin());
    }
    for (auto each = early_.begin(); each != early_.end();) {
      if (each->second.until > now && !is_last) {
        ++each;
        continue;
      }
      each->second.reply(busy_answer("that revision is not there yet"));
      each = early_.erase(each);
    }
    answer_questions(questions);
    turn_polls(is_last ? Steady::time_point::max() : now);
    flush(now, is_last);
    if (is_last) break;
  }
}

void Threads::apply_batches(const std::vector<Durable>& batches) {
  for (const Durable& next : batches) {
    if (differs_.load()) return;
    try {
      if (!next.batch.empty()) apply_batch(next.batch);
      if (!next.snapshot_sha256.empty() && !differs_.load()) compare_snapshot(next.snapshot_sha256);
    } catch (const std::exception& failure) {
      say_mismatch(next.batch.first, failure.what());
    }
  }
}

void Threads::apply_batch(const live::Batch& batch) {
  copy_.reset();
  Result<std::vector<live::Change>> changes = reader_.apply(batch);
  if (!changes) return say_mismatch(batch.first, changes.error().message);
  figures_.reader_revision = batch.last;
  for (live::Change& change : *changes) {
    for (const live::Event& event : change.events) {
      if (!event.server.empty()) changed_[event.server] = change.revision;
    }
    ring_.push_back(std::move(change));
  }
  while (ring_.size() > options_.ring) {
    ring_after_ = ring_.front().revision;
    ring_.pop_front();
  }
}

/// Two engines that were given the same have the same bytes; else one of them is damaged.
void Threads::compare_snapshot(const std::string& expected) {
  const std::uint64_t revision = figures_.reader_revision.load();
  if (live::sha256(reader_.snapshot()) != expected) return say_mismatch(revision, "the two engines differ");
  agreed_ = revision;
}

void Threads::say_mismatch(std::uint64_t revision, const std::string& why) {
  differs_ = true;
  figures_.is_ready = false;
  ++figures_.mismatches;
  events_.say("error", "state-mismatch", {{"revision", revision}, {"why", why}});
}

live::Answer Threads::internal_answer(const std::exception& failure) {
  events_.say("error", "internal", {{"why", failure.what()}});
  return problem_answer(500, "internal", "Internal error", "the service could not answer; its log says why");
}

/// The answer, whatever the question: none ends the process.
live::Answer Threads::get(const live::Reader& reader, const live::Query& query, const live::Caller& caller) {
  try {
    return reader.get(query, caller);
  } catch (const std::exception& failure) {
    return internal_answer(failure);
  }
}

void Threads::answer_questions(std::vector<Question>& questions) {
  for (Question& question : questions) {
    if (question.lane != Lane::worker) {
      question.reply(get(reader_, question.query, question.caller));
      continue;
    }
    try {
      if (copy_ == nullptr) copy_ = std::make_shared<live::Reader>(reader_.copy());
    } catch (const std::exception& failure) {
      question.reply(internal_answer(failure));
      continue;
    }
    const std::string tenant = question.caller.tenant;
    Reply reply = question.reply;
    give_to_worker(
        {tenant,
         [copy = copy_, asked = std::move(question)] { asked.reply(copy->get(asked.query, asked.caller)); },
         std::move(reply)});
  }
  copy_.reset();  // a worker that needs it has it
}

bool Threads::assignments(live::Query query, live::Caller caller, std::uint64_t after, milliseconds wait,
                          Reply reply) {
  to_reader([this, query = std::move(query), caller = std::move(caller), after, wait,
             reply = std::move(reply)]() mutable {
    const auto changed = changed_.find(query.name);
    const bool has_news = after == 0 || (changed != changed_.end() && changed->second > after) ||
                          (changed == changed_.end() && after < ring_after_);
    if (has_news || wait.count() == 0) return reply(get(reader_, query, caller));
    const std::string server = query.name;
    polls_.emplace(server, HeldPoll{.query = std::move(query),
                                    .caller = std::move(caller),
                                    .after = after,
                                    .reply = std::move(reply),
                                    .until = Steady::now() + wait});
    changed_.try_emplace(server, after);
  });
  return true;
}

void Threads::turn_polls(Steady::time_point now) {
  for (auto each = polls_.begin(); each != polls_.end();) {
    if (changed_[each->first] <= each->second.after && each->second.until > now) {
      ++each;
      continue;
    }
    each->second.reply(get(reader_, each->second.query, each->second.caller));
    each = polls_.erase(each);
  }
}

// ---- watchers

std::string sse_message(std::uint64_t revision, std::string_view event, std::string_view data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", revision, event, data);
}

live::Answer no_token_answer() { return problem_answer(401, "no-token", "A valid token is needed", ""); }

bool Threads::watch(Watch watch) {
  if (figures_.watchers.load() >= 10'000) {
    if (watch.stream != nullptr) watch.stream->close();
    return false;
  }
  to_reader([this, watch = std::move(watch)]() mutable {
    if (watch.is_from_now) watch.after = figures_.reader_revision.load();
    watch.token_changes = token_changes_[watch.caller.by];
    attach(std::move(watch));
  });
  return true;
}

void Threads::attach(Watch watch) {
  if (watch.token_changes != token_changes_[watch.caller.by]) return end_watch(watch, no_token_answer());
  Attached watcher{.watch = std::move(watch),
                   .flushed = Steady::now() - std::chrono::seconds(1),
                   .marked = Steady::now(),
                   .until = {}};
  watcher.sent = watcher.watch.after;
  watcher.until = Steady::now() + watcher.watch.wait;
  watchers_.push_back(std::move(watcher));
  figures_.watchers = watchers_.size();
}

/// Called after the I/O thread has forgotten the token, so that no watch can come in between.
void Threads::token_changed(const std::string& id) {
  to_reader([this, by = "token:" + id] {
    ++token_changes_[by];
    watchers_.remove_if([&](const Attached& watcher) {
      if (watcher.watch.caller.by != by) return false;
      end_watch(watcher.watch, no_token_answer());
      return true;
    });
    for (auto each = polls_.begin(); each != polls_.end();) {
      const bool is_over = each->second.caller.by == by;
      if (is_over) each->second.reply(no_token_answer());
      each = is_over ? polls_.erase(each) : std::next(each);
    }
  });
}

/// What the ring no longer has comes from the file, on a worker, piece by piece.
void Threads::read_old_events(Watch watch) {
  if (watch.after + 1 < figures_.oldest_revision.load())
    return end_watch(watch, live::answer_of(live::compacted(figures_.oldest_revision.load()),
                                            figures_.reader_revision.load()));
  const std::string tenant = watch.caller.tenant;
  const auto shared = std::make_shared<Watch>(std::move(watch));
  give_to_worker({tenant,
                  [this, shared] {
                    Watch& held = *shared;
                    const OldEvents old = old_events(options_.file, held.after);
                    if (!old.failure.empty()) return end_watch(held, busy_answer(old.failure));
                    std::string text;
                    std::uint64_t after = old.after;
                    for (const live::Change& change : old.changes) {
                      if (add_message(text, held, change)) continue;
                      after = change.revision - 1;
                      break;
                    }
                    held.after = after;
                    if (held.stream == nullptr && !text.empty()) {
                      return held.reply(
                          {.status = 200,
                           .body = {{"changes", live::Json::parse("[" + text + "]")}, {"revision", after}},
                           .revision = after});
                    }
                    if (held.stream != nullptr && !text.empty()) held.stream->send(std::move(text));
                    to_reader([this, shared] { attach(*shared); });
                  },
                  [shared](const live::Answer& answer) { end_watch(*shared, answer); }});
}

/// False when the piece has no room for the message.
bool Threads::add_message(std::string& text, const Watch& watch, const live::Change& change) const {
  const auto message = live::message_of(change, watch.filter, watch.caller, options_.others);
  if (!message) return true;
  if (!text.empty() && text.size() + message->size() > kPiece - 100) return false;
  if (watch.stream != nullptr) {
    text += sse_message(change.revision, "change", *message);
  } else {
    text += (text.empty() ? "" : ",") + *message;
  }
  return true;
}

/// A piece of what the ring has for the watcher.
std::string Threads::next_messages(Attached& watcher) const {
  std::string text;
  auto next = std::upper_bound(
      ring_.begin(), ring_.end(), watcher.sent,
      [](std::uint64_t revision, const live::Change& change) { return revision < change.revision; });
  for (std::size_t n = 0; n < kLookedAt && next != ring_.end(); ++n, ++next) {
    if (!add_message(text, watcher.watch, *next)) break;
    watcher.sent = next->revision;
  }
  return text;
}

/// True when the poll has its answer.
bool Threads::flush_poll(Attached& watcher, Steady::time_point now, bool is_last) {
  const std::string text = next_messages(watcher);
  if (text.empty() && now < watcher.until && !is_last) return false;
  const std::uint64_t revision =
      is_behind(watcher) ? watcher.sent : std::max(watcher.sent, figures_.reader_revision.load());
  watcher.watch.reply({.status = 200,
                       .body = {{"changes", live::Json::parse("[" + text + "]")}, {"revision", revision}},
                       .revision = figures_.reader_revision.load()});
  return true;
}

/// True when the stream is over. A client that takes little is sent little: what it has not taken yet stays
/// in the ring, or in the file.
bool Threads::flush_stream(Attached& watcher, Steady::time_point now, bool is_last) {
  net::EventStream& stream = *watcher.watch.stream;
  if (stream.is_closed()) return true;
  const bool is_due = watcher.watch.at_once || watcher.is_catching_up || is_last ||
                      now - watcher.flushed >= milliseconds(250);
  if (is_behind(watcher)) {
    if (!is_due || stream.unsent() >= kPiece) return is_last;
    std::string text = next_messages(watcher);
    watcher.is_catching_up = is_behind(watcher);
    if (text.empty()) return is_last;
    stream.send(std::move(text));
    watcher.flushed = watcher.marked = now;
  } else if (now - watcher.marked >= std::chrono::seconds(15)) {
    const std::uint64_t revision = figures_.reader_revision.load();
    stream.send(": \n\n" + sse_message(revision, "bookmark", fmt::format("{{\"revision\":{}}}", revision)));
    watcher.marked = now;
  }
  return is_last;
}

void Threads::flush(Steady::time_point now, bool is_last) {
  const live::Wall wall = wall_now();
  for (auto each = watchers_.begin(); each != watchers_.end();) {
    Watch& watch = each->watch;
    bool is_over = true;
    try {
      if (watch.expires && *watch.expires <= wall) {
        end_watch(watch, no_token_answer());
      } else if (each->sent < ring_after_ && is_last) {
        end_watch(watch, busy_answer("the service ends"));
      } else if (each->sent < ring_after_) {
        is_over = watch.stream == nullptr || watch.stream->unsent() < kPiece;
        watch.after = each->sent;
        if (is_over) read_old_events(std::move(watch));
      } else if (watch.stream == nullptr) {
        is_over = flush_poll(*each, now, is_last);
      } else {
        is_over = flush_stream(*each, now, is_last);
        if (is_over) watch.stream->close();
      }
    } catch (const std::exception& failure) {
      end_watch(watch, internal_answer(failure));
      is_over = true;
    }
    each = is_over ? watchers_.erase(each) : std::next(each);
  }
  figures_.watchers = watchers_.size();
}

// ---- workers

void Threads::give_to_worker(Job job) {
  {
    const std::lock_guard guard(worker_mutex_);
    if (jobs_.size() < kJobs) {
      jobs_.push_back(std::move(job));
      worker_wakes_.notify_one();
      return;
    }
  }
  job.refuse(busy_answer("too many long questions at once"));
}

void Threads::run_worker() {
  std::unique_lock lock(worker_mutex_);
  // One job of a tenant at a time: the next of another goes first.
  const auto next = [&] {
    return std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
      return job.tenant.empty() || !tenants_at_work_.contains(job.tenant);
    });
  };
  while (true) {
    worker_wakes_.wait(lock, [&] { return workers_end_ || next() != jobs_.end(); });
    const auto found = next();
    if (found == jobs_.end()) {
      if (workers_end_) return;
      continue;
    }
    Job job = std::move(*found);
    jobs_.erase(found);
    if (!job.tenant.empty()) tenants_at_work_.insert(job.tenant);
    lock.unlock();
    try {
      job.work();
    } catch (const std::exception& failure) {
      job.refuse(internal_answer(failure));
    }
    job.work = nullptr;
    job.refuse = nullptr;
    lock.lock();
    tenants_at_work_.erase(job.tenant);
    worker_wakes_.notify_all();
  }
}

void Threads::stop() {
  if (std::exchange(is_stopped_, true)) return;
  commands_.close();
  if (core_thread_.joinable()) core_thread_.join();
  if (store_thread_.joinable()) store_thread_.join();
  {
    const std::lock_guard guard(worker_mutex_);
    workers_end_ = true;
  }
  worker_wakes_.notify_all();
  for (std::thread& thread : worker_threads_) thread.join();
  if (reader_thread_.joinable()) reader_thread_.join();
}

}  // namespace

live::Answer busy_answer(std::string_view detail) {
  live::Problem problem;
  problem.status = 503;
  problem.type = "busy";
  problem.title = "Busy";
  problem.detail = detail;
  problem.retry_after_s = "1";
  return live::answer_of(problem, 0);
}

std::unique_ptr<Pipeline> Pipeline::start(PipelineOptions options, PipelineEvents events,
                                          std::unique_ptr<Store> store, Recovered recovered) {
  auto threads = std::make_unique<Threads>(std::move(options), std::move(events), std::move(store),
                                           std::move(recovered));
  threads->run();
  return threads;
}

}  // namespace mirab::service
