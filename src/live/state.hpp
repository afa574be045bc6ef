// What a live cluster is at a revision: the engine, the names of what it knows, and what only the service
// counts. Applying a command or steps is a function of the state, the command and the stamp, so the
// same records give the same state: decider, reader and recovery are all this class.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/event_log.hpp>

#include "live/commands.hpp"
#include "live/decider.hpp"
#include "live/records.hpp"
#include "live/wall_times.hpp"

namespace mirab::live {

using scheduling::Engine;
using scheduling::GroupId;
using scheduling::JobId;
using scheduling::ServerId;
using scheduling::TaskId;
using scheduling::UserId;

/// What a task is called outside as long as anybody knows it: `t-77`. A change of the policy makes a new
/// engine, which numbers its tasks from the beginning; its tasks are of the next epoch, `t1-77`, and those
/// that run keep their names.
struct TaskKey {
  std::uint32_t epoch = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const TaskKey&, const TaskKey&) = default;
};
std::string text_of(TaskKey key);
std::optional<TaskKey> task_key_of(std::string_view text);

struct Tenant {
  TenantContent content = {};
  Revision changed = 0;
  std::int64_t jobs = 0;     ///< not ended, of all its queues
  std::int64_t waiting = 0;  ///< tasks
};

struct Group {
  GroupContent content = {};
  Revision changed = 0;
  GroupId id = {};
};

/// The first tasks of a job to wait again come back with these.
struct Tries {
  std::int64_t attempt = 1;   ///< which one this is
  std::int64_t failures = 0;  ///< of the task itself, before
  friend bool operator==(const Tries&, const Tries&) = default;
};

/// Which of its roles a task has, by the place in Job::roles.
using RoleNumber = std::size_t;

/// A task that waits again.
struct Retry {
  Tries tries = {};
  RoleNumber role = 0;
};

/// A task that is over.
struct Past {
  TaskKey task = {};
  RoleNumber role = 0;
  std::string server = {};
  std::int64_t attempt = 1;
  Time started = {};
  Time ended = {};
  Ended outcome = Ended::succeeded;
  std::optional<std::int64_t> exit_code = {};
  std::string reason = {};
  Json usage = {};                          ///< null: none
  std::optional<std::string> for_job = {};  ///< preempted: for a task of which job it ended; not always known
};

enum class JobState { waiting, running, succeeded, failed, cancelled };

/// Tasks of a job that take the same. A job without roles is one of them, without a name.
struct JobRole {
  std::string name = {};
  Amounts demand = {};  ///< of a task on a server that `demand_on` does not name
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  /// Its place among the roles that the engine knows; none: it was over when a change of the policy made
  /// this engine.
  std::optional<std::int64_t> inside = {};
};

/// Why a task waits of which the engine knows nothing, where another scheduler's rules say so.
struct Aside {
  std::string verdict;
  std::string says;
  std::string next_step;
};

struct Job {
  std::string queue;
  std::string name;
  std::string form;    ///< its normal form
  std::string sha256;  ///< of that
  Labels labels = {};  ///< those of its form
  Revision created = 0;
  Revision changed = 0;
  Wall created_at = {};
  std::int64_t priority = 0;
  std::int64_t tasks = 0;
  std::int64_t attempts = 1;
  std::vector<JobRole> roles = {};  ///< at least one
  bool differs_on_servers = false;  ///< has `demand_on`
  std::optional<JobId> id = {};     ///< none: it has ended
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::optional<Time> ended = {};
  Wall ended_at = {};
  std::list<Retry> retries = {};        ///< of tasks that wait again
  std::map<TaskKey, Tries> tries = {};  ///< of running tasks beyond their first attempt
  std::set<TaskKey> begun = {};         ///< running tasks of which the executor says that they have started
  std::list<Past> past = {};            ///< tasks that are over, the oldest first
  std::optional<std::string> within = {};  ///< the set of servers on which its tasks may run
  std::optional<Aside> aside = {};         ///< it waits outside of the engine

  JobState state() const {
    if (running > 0) return JobState::running;
    if (waiting > 0) return JobState::waiting;
    if (failed > 0) return JobState::failed;
    return cancelled > 0 ? JobState::cancelled : JobState::succeeded;
  }
  std::string label() const { return queue + "/" + name; }
  bool has_roles() const { return !roles.front().name.empty(); }
  /// The role at this place in the engine.
  RoleNumber role_of(std::int64_t inside) const;
};
/// As a new job has them, with all tasks still to come.
std::vector<JobRole> roles_of(const JobContent& content);
std::string_view word_of(JobState state);

/// A job with a task that waits, in the order in which people expect the jobs of a queue: by priority, and
/// then the oldest first.
struct WaitingJob {
  std::int64_t priority = 0;
  Wall created_at = {};
  std::string name = {};
  friend bool operator<(const WaitingJob& a, const WaitingJob& b) {
    return std::tie(b.priority, a.created_at, a.name) < std::tie(a.priority, b.created_at, b.name);
  }
  friend bool operator==(const WaitingJob&, const WaitingJob&) = default;
};

struct Queue {
  QueueContent content = {};
  Revision changed = 0;
  UserId id = {};
  /// A second user of the same name, in the tier above: of pods that are critical for their cluster.
  std::optional<UserId> critical = {};
  bool is_critical = false;              ///< `id` itself is in that tier: of a queue that has such pods alone
  std::map<std::string, Job> jobs = {};  ///< others point into it
  std::int64_t live = 0;                 ///< jobs that have not ended
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::set<WaitingJob> waiting_jobs = {};
  std::multiset<Wall> waiting_since = {};  ///< when each of those was submitted

  /// After a change of whether tasks of the job wait.
  void note_waiting(const Job& job);
};

/// A task that is over for the engine, but perhaps not for the machine: it holds its room until the executor
/// says that it is gone.
struct Stopping {
  std::string job;
  std::int64_t attempt = 1;
  std::string why;
  Amounts demand;
};

struct Server {
  ServerContent content = {};
  Revision changed = 0;
  bool drained = false;
  bool silent = false;
  std::optional<ServerId> id = {};  ///< none: it was given up
  std::map<TaskKey, Stopping> stopping = {};
  Amounts held = {};  ///< by others, on which nothing is decided here; empty: nothing
};

struct Token {
  TokenContent content = {};
  Revision changed = 0;
  Wall created_at = {};
};

/// What a command gave: an answer, and a record where something happened.
struct Decided {
  Answer answer;
  std::optional<Record> record = {};
};

class State {
 public:
  static Result<State> from(Settings settings);
  State copy() const;

  State(State&&) noexcept = default;
  State& operator=(State&&) noexcept = default;

  /// The stamp's revision is that of the record, if there is one; its time is not before the last.
  Decided apply(const Command& command, Stamp stamp);

  /// At most `at_most` steps, for which records of some placements each are given to `take`; returns the
  /// tasks placed. `seed` is the first revision of the batch.
  int step(int at_most, Stamp stamp, std::uint64_t seed, const std::function<bool()>& is_enough,
           const std::function<void(Record)>& take);

  /// Applies a record of the log. Errors: the record cannot be applied, or gives something else than it says.
  /// Where `task` is placed by it, `why` is written.
  struct Explained {
    TaskKey task;
    std::optional<scheduling::WhyPlaced> why = {};
  };
  Check replay(const Record& record, Replay how = Replay::compared, Explained* explained = nullptr);

  /// All of one of kTables, in order. O(rows).
  std::vector<Row> rows(const std::string& table) const;
  /// The rows of tenants, servers and tokens that changed since the last call.
  std::vector<Row> take_rows();
  void forget_rows();  ///< where they are durable already
  /// What the tasks used that ended since the last call.
  Uses take_uses() { return std::exchange(uses_, {}); }

  /// Finds the ids of everything again: after a restore, with a new engine, or where somebody else fills this
  /// state (`mirab kube`).
  void index();

  /// A new engine with other options in which everything stands as it does here, and the same in this state.
  /// Errors: options that the engine refuses, or quotas that it cannot honour.
  Check change_policy(scheduling::EngineOptions options, Time now);

  // What is known. Pointers hold until the next change.

  const Tenant* tenant(const std::string& name) const;
  const Group* group(const std::string& name) const;
  const Queue* queue(const std::string& name) const;
  const Server* server(const std::string& name) const;
  const Token* token(const std::string& name) const;
  /// Nothing when it ended so long ago that its name is free.
  const Job* job(const std::string& queue, const std::string& name) const;
  const Job* job(JobId id) const;
  bool is_forgotten(const Job& job) const;  ///< it ended so long ago that its name is free
  const std::string& name_of(ServerId id) const;
  const std::string& name_of(UserId id) const;

  /// A task that runs, or one of the past that is still known.
  struct TaskView {
    TaskKey key;
    const Job* job;
    RoleNumber role;
    std::string server;
    Time started;
    Tries tries;
    const Past* past = nullptr;
    bool has_begun = false;  ///< the executor says so
  };
  std::optional<TaskView> task(TaskKey key) const;
  TaskView view_of(const Engine::TaskState& task) const;
  TaskView view_of(const Job& job, const Past& past) const;
  /// The tasks of the job that ended after this one; all that are known where it is not.
  std::list<Past>::const_iterator past_behind(const Job& job, TaskKey key) const;
  TaskKey key_of(TaskId task) const;
  /// What the engine calls the task; nothing: it cannot know it.
  std::optional<TaskId> id_of(TaskKey key) const;
  /// What a task of the job takes, or took, on that server.
  Amounts demand_of(const Job& job, RoleNumber role, const std::string& server) const;

  /// When that was by the wall clock as it stood then. The time of a record, within WallTimes::kTolerance.
  Wall wall_of(Time time) const { return walls.at(time); }

  /// Now this record, or this moment, is the latest.
  void stand_at(const Stamp& stamp);

  /// The first invariant that does not hold, in words; empty when all do.
  std::string broken_invariant() const;

  Settings settings;
  Engine engine;
  std::map<std::string, Tenant> tenants = {};
  std::map<std::string, Group> groups = {};
  std::map<std::string, Queue> queues = {};
  std::map<std::string, Server> servers = {};
  std::map<std::string, Token> tokens = {};
  std::map<std::string, std::set<std::string>> sets = {};  ///< of servers, by name (JobSubmitted::within)
  std::optional<std::string> common_set = {};              ///< of jobs that are submitted without one
  /// What would let a job use more servers, as those who submit it say it.
  std::string other_wishes = "fewer wishes (select, servers)";
  /// What would keep servers free for a gang, as an operator says it; empty: nothing.
  std::string for_gangs = "reservations in the policy, which keep servers free for it";
  Stamp last = {};         ///< of the latest record
  WallTimes walls = {};    ///< of all records
  Revision committed = 0;  ///< all up to here is durable; not part of the snapshot
  Revision policy_changed = 0;
  bool wants_steps = false;  ///< may a step place something?

 private:
  State(Settings settings_, Engine engine_) : settings(std::move(settings_)), engine(std::move(engine_)) {}
  friend struct Snapshot;

  // Commands; each checks everything before it changes anything.
  Decided put_server(const Command& command, Record record);
  Decided delete_server(const Command& command, Record record);
  Decided silence_server(const Command& command, Record record);
  Decided lose_server(const Command& command, Record record);
  Decided put_tenant(const Command& command, Record record);
  Decided delete_tenant(const Command& command, Record record);
  Decided put_group(const Command& command, Record record);
  Decided delete_group(const Command& command, Record record);
  Decided put_queue(const Command& command, Record record);
  Decided delete_queue(const Command& command, Record record);
  Decided put_token(const Command& command, Record record);
  Decided delete_token(const Command& command, Record record);
  Decided put_policy(const Command& command, Record record);
  Decided put_job(const Command& command, Record record);
  Decided cancel_job(const Command& command, Record record);
  Decided put_outcome(const Command& command, Record record);
  Decided put_begun(const Command& command, Record record, const TaskView& view);

  Decided refuse(const Problem& problem) const;
  Decided finish(Record record, int status, Json body, Revision etag);
  Decided unchanged(Json body, Revision etag) const;

  /// Applies an event to the engine and notes it in the record.
  Result<scheduling::Outcome> tell(Record& record, const scheduling::Event& event);
  /// The same, of events that cannot fail here.
  scheduling::Outcome must(Record& record, const scheduling::Event& event);
  /// Several that stand or fall together; nothing has changed after an error.
  Check tell_all(Record& record, const std::vector<scheduling::Event>& events);

  Check change_quota(Record& record, UserId id, const QueueContent& from, const QueueContent& to);
  Check change_quota(Record& record, GroupId id, const GroupContent& from, const GroupContent& to);
  GroupId group_id(const std::string& name) const;
  std::optional<Problem> conditions_of(const Command& command, const Revision* present) const;
  Record record_of(const Command& command, const Stamp& stamp) const;

  void forget_ended();
  void forget(const Job& job);
  void remember(Job& job, Past past);
  void count(Job& job, RoleNumber role, const Record& record, std::int64_t waiting, std::int64_t running);
  void end_if_over(Job& job, Record& record);
  /// A running task is over for the engine; its tries go with it.
  Tries end_task(Job& job, Record& record, Past past);
  /// A task that ran waits again: its place on the server is to be left.
  void take_back(Job& job, Record& record, Past past, bool stops);
  void stop_on(const std::string& server, const Job& job, const Past& past, const std::string& why);
  void lose_tasks(Record& record, const std::vector<Engine::TaskState>& tasks);
  void place(Record& record, JobId id, const scheduling::Companion& each);
  void note(const scheduling::Placed& placed, Record& record);
  Check replay_steps(const Record& record, Explained* explained);
  Check adopt_steps(const Record& record);
  Check adopt(const scheduling::Placed& placed, Time now);
  void charge(const Job& job, const Past& past);
  void note_start(TaskKey task, Time started);
  void index_jobs();
  Past past_of(const Engine::TaskState& task, Ended outcome) const;
  Job& job_of(JobId id);
  void add_event(Record& record, Event event) const;
  Event event_of_job(std::string kind, const Job& job) const;
  Event event_of_task(std::string kind, const Job& job, TaskKey task, RoleNumber role,
                      const std::string& server) const;
  Row row(const std::string& table, const std::string& name) const;
  Time clock_ = {};                         // of the latest question whether something has expired
  std::uint32_t epoch_ = 0;                 // how often there was a new engine
  std::map<TaskId, TaskKey> adopted_ = {};  // tasks that are older than this engine
  std::map<TaskKey, TaskId> adopted_ids_ = {};
  std::unordered_map<JobId, Job*> jobs_ = {};  // of `queues`: those that have not ended
  std::unordered_map<UserId, std::string> queue_names_ = {};
  std::unordered_map<ServerId, std::string> server_names_ = {};
  struct EndedJob {
    Time ended;
    std::string queue;
    std::string name;
    Revision created;
  };
  std::deque<EndedJob> ended_jobs_ = {};  // in the order in which they ended
  struct PastPlace {
    Job* job;
    std::list<Past>::const_iterator at;
  };
  std::map<TaskKey, PastPlace> past_places_ = {};  // of `queues`: the tasks that are over
  std::deque<TaskKey> past_order_ = {};
  std::set<std::pair<std::string, std::string>> touched_ = {};  // table and name
  Uses uses_ = {};                                              // of tasks that ended
  std::map<TaskKey, Time> started_ = {};  // where tasks may be preempted: the engine then forgets it
  std::optional<std::pair<std::uint64_t, Random>> random_ = {};  // of the batch
};

/// Applies a batch of the log; `hash` is that of the batch before, and becomes this one's. Errors: a hash
/// that differs, or the first line whose outcome does. `visit` gets each record.
Check replay_on(State& state, std::string& hash, const Batch& batch, Replay how,
                State::Explained* explained = nullptr, const std::function<void(const Record&)>& visit = {});

/// A snapshot: the state, and the hash of the latest batch.
struct Whole {
  State state;
  std::string hash;
};
std::string write_whole(const State& state, const std::string& hash);
Result<Whole> read_whole(std::string_view bytes);

/// Adds what a demand is from one time to another, hour by hour.
void add_use(Uses& uses, UsedBy by, const Amounts& demand, Wall from, Wall to);

/// What the engine refuses, as a problem of this type with the key that the engine names.
Problem refused(const Error& error, const std::string& type);

/// The event that adds a group or queue, with its weight and quota.
template <class Added, class Content>
Added added(Added event, const Content& content) {
  event.weight = content.quota.weight;
  event.guarantee = content.quota.guarantee;
  event.limit = content.quota.limit;
  event.reserved = content.quota.reserved;
  return event;
}

/// The seed of the random numbers of a batch.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t revision);

}  // namespace mirab::live
