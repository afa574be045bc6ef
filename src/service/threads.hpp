// The threads of a pipeline, each with what it alone owns. They share bounded queues, figures, and the two
// marks by which the engines' agreement is kept.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/command_queue.hpp"
#include "service/log_age.hpp"
#include "service/pipeline.hpp"
#include "service/trailing_reader.hpp"
#include "service/turns.hpp"

namespace mirab::service {

/// Engine time: boot clock since the start, after the last logged time and the gap by the wall clock (0 to 24
/// h).
class EngineClock {
 public:
  EngineClock(Time last, live::Wall last_wall);
  live::Moment now() const;

 private:
  Time start_{};
  std::chrono::nanoseconds at_start_;
};

/// What all threads of a pipeline may use.
struct Shared {
  PipelineOptions options;
  PipelineEvents events;
  EngineClock clock;
  PipelineFigures figures = {};
  std::atomic<std::uint64_t> agreed = 0;  ///< up to here the reader's snapshots were the decider's
  std::atomic<bool> differs = false;      ///< the two engines do

  /// Rows of the history on their way from the reader to the store.
  std::mutex series_mutex = {};
  std::vector<live::Row> series = {};

  /// The answer, whatever the question: none ends the process.
  live::Answer get(const live::Reader& reader, const live::Query& query, const live::Caller& caller) const;
  /// What a question gets that cannot be answered; the journal says why.
  live::Answer internal_answer(const std::exception& failure) const;
};

/// What a long question may take, where it can be ended.
inline constexpr std::chrono::seconds kTimeOfQuestion{5};

/// A batch on its way to the disk, with the answers that wait for it.
struct Group {
  live::Batch batch = {};
  std::vector<std::pair<Reply, live::Answer>> answers = {};
  std::shared_ptr<const std::string> snapshot = {};  ///< of the state after this batch; null: none
};

/// A batch on its way to the reader; it may be empty where a snapshot was taken without one.
struct Durable {
  live::Batch batch;
  std::shared_ptr<const std::string> snapshot;  ///< of the decider's state after this batch; null: none
};

/// Long questions, on a copy of the state or on the file. Any thread gives, one job of a tenant at a time is
/// done: the next of another goes first. A tenant has a quarter of the room.
class Workers {
 public:
  explicit Workers(const Shared& shared) : shared_(shared) {}
  void start(unsigned count);
  void stop();

  /// `refuse` is called instead of `work` when there is no room, or when it fails.
  struct Job {
    std::string tenant;
    std::function<void()> work;
    Reply refuse;
  };
  void give(Job job);
  /// False, and the reply is called, when a job of the tenant would find no room.
  bool has_room(const std::string& tenant, const Reply& refuse);

 private:
  void run();
  std::optional<live::Answer> refusal(const std::string& tenant) const;

  const Shared& shared_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<Job> jobs_;
  std::set<std::string> tenants_at_work_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

/// Those who watch events or poll for assignments. One thread, the reader's, but for `post`.
class Watchers {
 public:
  /// `post` brings work back to the reader's thread, from any.
  Watchers(Shared& shared, Workers& workers, std::uint64_t revision,
           std::function<void(std::function<void()>)> post);

  void add(std::vector<live::Change> changes);
  void watch(Watch watch);
  void token_changed(const std::string& id);

  struct HeldPoll {
    live::Query query;
    live::Caller caller;
    std::uint64_t after = 0;
    Reply reply;
    Steady::time_point until{};
  };
  /// Answers at once, or when something of the server has changed.
  void poll(HeldPoll poll, const live::Reader& reader);

  /// Sends what there is; with `is_last` everybody is sent what there is and let go.
  void turn(const live::Reader& reader, Steady::time_point now, bool is_last);
  bool is_empty() const { return events_.size() == 0 && polls_.empty(); }
  /// Did the last turn end before all was sent that there is?
  bool has_more() const { return has_more_; }
  std::size_t known_servers() const { return changed_.size(); }

 private:
  void read_old_events(Watch watch);
  void turn_polls(const live::Reader& reader, Steady::time_point now);

  Shared& shared_;
  Workers& workers_;
  std::function<void(std::function<void()>)> post_;
  api::EventWatchers events_;
  std::multimap<std::string, HeldPoll> polls_;    ///< by server
  std::map<std::string, std::uint64_t> changed_;  ///< the last revision of each server that the ring has
  std::size_t swept_at_ = 1024;                   ///< at this size those before the ring are forgotten
  bool has_more_ = false;
};

/// The reader's thread: applies what is durable, and answers.
class Follower {
 public:
  Follower(Shared& shared, Workers& workers, live::Reader reader);
  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  // From any thread.

  struct Question {
    live::Query query;
    live::Caller caller;
    Reply reply;
    Lane lane = Lane::common;
    Steady::time_point until{};
  };
  void ask(Question question, std::uint64_t at_least);
  bool watch(Watch watch);  ///< false when too many wait
  void poll(Watchers::HeldPoll poll);
  void usage(live::UsageAsked asked, live::Caller caller, Reply reply);
  void gauges(std::function<void(const live::Gauges&)> use);
  void token_changed(const std::string& id);
  void let_go();
  void follow(std::vector<Durable> batches);
  void wake() { wakes_.notify_one(); }
  /// Nothing more will be durable.
  void end();

 private:
  void run();
  void post(std::function<void()> work);
  bool post_request(std::function<void()> work);
  void apply_batches(std::vector<Durable>& batches);
  void apply_batch(const live::Batch& batch);
  void compare_snapshot(const std::string& expected);
  void say_mismatch(std::uint64_t revision, const std::string& why);
  void answer_questions(std::vector<Question>& questions);
  /// `answer` says nothing where there is no copy of the state.
  void answer_on_worker(const live::Caller& caller, const Reply& reply,
                        std::function<std::optional<live::Answer>()> answer);
  void take_sample();
  void turn_early(Steady::time_point now, bool is_last);

  Shared& shared_;
  Workers& workers_;
  live::Reader reader_;
  TrailingReader trailing_;
  Watchers watchers_;
  live::Wall sampled_{};
  std::multimap<std::uint64_t, Question> early_;  ///< by the revision that they wait for
  std::atomic<std::size_t> held_ = 0;             ///< how many these are
  bool lets_go_ = false;                          ///< of watchers, polls and early questions

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::vector<Durable> durable_;
  Turns<Question> questions_;
  std::vector<std::function<void()>> work_;
  bool store_has_ended_ = false;
  std::thread thread_;
};

/// The store's thread: all batches that wait in one transaction, answers after it, snapshots in between.
class Writer {
 public:
  Writer(Shared& shared, CommandQueue& commands, Follower& follower, std::unique_ptr<Store> store);
  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  // Of the core.

  /// Takes the group when there is room within that time; else false.
  bool offer(Group& group, std::chrono::milliseconds wait);
  /// The disk has been full for longer than answers may wait.
  bool is_stuck() const { return is_stuck_.load(); }
  /// Nothing more will come.
  void end();

  static void refuse(Group& group);

 private:
  struct Writing {
    std::uint64_t revision;
    std::shared_ptr<const std::string> bytes;
    live::Sha256 sha256 = {};  ///< of what is written
    std::size_t written = 0;
    std::uint64_t parts = 0;
  };

  void run();
  void write_groups(std::vector<Group>& groups);
  bool append_or_wait(std::vector<Group>& groups);
  void refuse_groups(std::vector<Group>& groups);
  void continue_snapshot(bool to_the_end);
  void complete_snapshot();
  StoreCheck trim_log(std::uint64_t revision);
  void write_series();
  bool has_failed(const StoreCheck& failure);
  void broken(const std::string& why);

  Shared& shared_;
  CommandQueue& commands_;
  Follower& follower_;
  std::unique_ptr<Store> store_;
  LogAge age_;
  std::chrono::seconds run_before_;  ///< of services on this file, until this one
  std::chrono::nanoseconds begun_;   ///< of the boot clock
  std::optional<Writing> writing_;
  bool has_given_up_ = false;  ///< nothing more is written: a batch before is missing
  std::atomic<bool> is_stuck_ = false;

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::condition_variable has_room_;
  std::deque<Group> groups_;
  bool core_has_ended_ = false;
  std::thread thread_;
};

/// The core's thread: takes commands, decides, hands batches to the store.
class Core {
 public:
  Core(Shared& shared, CommandQueue& commands, Writer& writer, live::Decider decider,
       std::uint64_t last_snapshot);
  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run();
  void wait_for_reader();
  std::chrono::milliseconds until(std::optional<Time> due) const;
  live::Answer apply(CommandWork& work, const live::Moment& moment);
  void hand_over(Group group);
  void refuse_commands();
  bool wants_snapshot(std::uint64_t revision, bool is_last) const;

  Shared& shared_;
  CommandQueue& commands_;
  Writer& writer_;
  live::Decider decider_;
  std::uint64_t last_snapshot_;
  Steady::time_point last_snapshot_time_ = Steady::now();
  Steady::time_point decides_at_{};  ///< while commands wait, not before
  std::thread thread_;
};

// What only the file can answer. Each opens it read-only for itself and reads a page, so that the log's own
// checkpoints are never held up for long.

struct OldEvents {
  std::vector<live::Change> changes;
  std::uint64_t after = 0;  ///< all up to here is in `changes`
  std::string failure;
};

/// What happened after revision `after`, as far as a page goes.
OldEvents old_events(const std::string& file, std::uint64_t after);

/// GET /audit.
live::Answer audit_page(const std::string& file, std::uint64_t after, std::size_t limit);

/// GET /tasks/{id}/explain: replays from the snapshot before the placement; 410 where none is left.
live::Answer placement_of(const std::string& file, live::Others others, const std::string& task,
                          const live::Caller& caller);

/// GET /usage, from the file and the state of the same revision. Nothing: there is no copy of the state.
std::optional<live::Answer> usage_at(const Shared& shared, TrailingReader& trailing,
                                     const live::UsageAsked& asked, const live::Caller& caller);

}  // namespace mirab::service
