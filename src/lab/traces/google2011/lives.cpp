// Submissions of tasks in the Google trace of 2011, and how long they run.
#include "lab/traces/google2011/lives.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include <mirab/model/assert.hpp>

#include "lab/traces/google2011/machines.hpp"

namespace mirab::traces::google2011 {

// The course of a task, from Reiss, Wilkes and Hellerstein, "Google cluster-usage traces: format + schema",
// 2011, section "Job and task life cycles and event types":
//
//   (nothing) –submit→ pending –schedule→ running –evict, fail, finish, kill, lost→ (nothing) –submit→ …
//
// and a pending task may be ended too. The trace says that a few events are missing; what then does not
// follow is passed over and counted.

namespace {

enum class TaskEvent : std::uint64_t {
  submit,
  schedule,
  evict,
  fail,
  finish,
  kill,
  lost,
  update_pending,
  update_running
};
constexpr std::uint64_t kLastEvent = static_cast<std::uint64_t>(TaskEvent::update_running);

struct AmountsHash {
  std::size_t operator()(const Amounts& amounts) const noexcept {
    std::uint64_t hash = 0;
    for (const Quantity& amount : amounts) {
      hash = (hash ^ static_cast<std::uint64_t>(amount.digits())) * 0x9E3779B97F4A7C15;
      hash = (hash ^ static_cast<std::uint64_t>(amount.exponent())) * 0x9E3779B97F4A7C15;
    }
    return static_cast<std::size_t>(hash >> 16);
  }
};

/// One row, as it was read.
struct TaskRow {
  std::uint64_t time;
  TaskId task;
  TaskEvent event;
  std::optional<Amounts> request;
};

Result<TaskRow> task_row(const Row& row) {
  namespace column = task_column;
  const auto time = time_of(row, column::time);
  if (!time) return time.error();
  const auto job = row.whole(column::job);
  if (!job) return job.error();
  const auto index = row.whole(column::index);
  if (!index) return index.error();
  const auto event = row.whole(column::event);
  if (!event) return event.error();
  if (*event > kLastEvent) return row.error(column::event, "is no event from 0 (submit) to 8");
  const auto cpu = row.amount(column::cpu);
  if (!cpu) return cpu.error();
  const auto memory = row.amount(column::memory);
  if (!memory) return memory.error();
  TaskRow read{*time, {*job, *index}, TaskEvent{*event}, {}};
  if (*cpu && *memory) read.request = Amounts{**cpu, **memory};
  return read;
}

/// Follows every task from row to row.
class Follower {
 public:
  explicit Follower(const std::set<std::uint64_t>& machines) : machines_(machines) {}

  Check take(const Row& row) {
    const Result<TaskRow> read = task_row(row);
    if (!read) return read.error();
    if (row.text(task_column::user).empty()) return row.error(task_column::user, "names no user");
    if (read->time < lives_.window_end) {
      return row.error(task_column::time, "is before the time of the row above");
    }
    ++lives_.rows;
    if (read->time == kAfterTheTrace) {
      ++lives_.after_the_trace;
      return std::nullopt;
    }
    lives_.window_end = read->time;
    follow(*read, row);
    return std::nullopt;
  }

  Lives take_lives() { return std::move(lives_); }

 private:
  void follow(const TaskRow& read, const Row& row) {
    const auto [place, is_new] = current_.try_emplace(read.task);
    if (is_new) ++lives_.tasks;
    std::optional<std::size_t>& current = place->second;
    switch (read.event) {
      case TaskEvent::submit:
        if (current) return void(++lives_.already_there);
        current = submit(read, row);
        break;
      case TaskEvent::schedule:
        if (current && lives_.lives[*current].started) return void(++lives_.already_there);
        if (!current) {
          ++lives_.unannounced;
          current = submit(read, row);
        }
        start(lives_.lives[*current], read, row);
        break;
      case TaskEvent::update_pending:
      case TaskEvent::update_running:
        if (!current) return void(++lives_.ends_without_start);
        update(lives_.lives[*current], read);
        break;
      default:
        if (!current) return void(++lives_.ends_without_start);
        end(lives_.lives[*current], read);
        current.reset();
    }
  }

  std::size_t submit(const TaskRow& read, const Row& row) {
    if (row.text(task_column::different_machines) == "1") ++lives_.apart;
    lives_.lives.push_back({.job = read.task.job,
                            .user = user(row.text(task_column::user)),
                            .submitted = read.time,
                            .request = number(read.request)});
    return lives_.lives.size() - 1;
  }

  void start(Life& life, const TaskRow& read, const Row& row) {
    life.started = read.time;
    if (read.request) life.request = number(read.request);
    const Result<std::uint64_t> machine = row.whole(task_column::machine);
    if (!machine || !machines_.contains(*machine)) ++lives_.unknown_machines;
  }

  void update(Life& life, const TaskRow& read) {
    const std::optional<std::uint32_t> request = number(read.request);
    if (!request || request == life.request) return;
    if (life.started && life.request) return void(++lives_.updates);
    life.request = request;
  }

  void end(Life& life, const TaskRow& read) {
    life.ended = read.time;
    life.cut_short = read.event == TaskEvent::evict || read.event == TaskEvent::lost;
    if (!life.request) life.request = number(read.request);
  }

  std::optional<std::uint32_t> number(const std::optional<Amounts>& request) {
    if (!request) return {};
    const auto next = static_cast<std::uint32_t>(lives_.requests.size());
    const auto [place, is_new] = request_of_.try_emplace(*request, next);
    if (is_new) lives_.requests.push_back(*request);
    return place->second;
  }

  std::uint32_t user(std::string_view hash) {
    if (const auto known = user_of_.find(hash); known != user_of_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(lives_.users.size());
    user_of_.emplace(hash, number);
    lives_.users.emplace_back(hash);
    return number;
  }

  const std::set<std::uint64_t>& machines_;
  Lives lives_;
  std::unordered_map<TaskId, std::optional<std::size_t>, TaskIdHash> current_;  // the life that goes on
  std::map<std::string, std::uint32_t, std::less<>> user_of_;
  std::unordered_map<Amounts, std::uint32_t, AmountsHash> request_of_;
};

}  // namespace

Result<Lives> read_lives(const TraceFiles& files, const std::set<std::uint64_t>& machines, Bytes& bytes) {
  Follower follower(machines);
  const auto on_row = [&](const Row& row) { return follower.take(row); };
  if (Check failed = read_table(files.task_events, task_column::format, on_row, bytes)) return *failed;
  return follower.take_lives();
}

Kind kind_of(const Life& life) {
  if (!life.started) return life.ended ? Kind::withdrawn : Kind::pending;
  const bool old = *life.started == 0;
  if (life.ended) return old ? Kind::old : Kind::whole;
  return old ? Kind::old_open : Kind::open;
}

Lifetimes lifetimes_of(const Lives& lives) {
  Lifetimes lifetimes;
  for (const Life& life : lives.lives) {
    if (!life.started) continue;
    const Duration seen =
        time_in_window(life.ended.value_or(lives.window_end)) - time_in_window(*life.started);
    const bool is_old = *life.started == 0;
    const bool ends = life.ended && !life.cut_short;
    if (is_old) {
      ends ? lifetimes.old_ended(seen) : lifetimes.old_outlived(seen);
    } else {
      ends ? lifetimes.ended(seen) : lifetimes.outlived(seen);
    }
  }
  lifetimes.learn();
  return lifetimes;
}

Duration runtime_of(const Life& life, std::uint64_t window_end, const Lifetimes& lifetimes, Random& random) {
  const Duration start = time_in_window(life.started.value_or(0));
  const Duration window = time_in_window(window_end);
  switch (kind_of(life)) {
    case Kind::whole:
    case Kind::old:
      return std::max<Duration>(time_in_window(*life.ended) - start, std::chrono::microseconds(1));
    case Kind::old_open:
      return window + lifetimes.draw_rest_of_old(random);
    case Kind::open:
      return lifetimes.draw(window - start, random);
    case Kind::pending:
      return lifetimes.draw(Duration::zero(), random);
    case Kind::withdrawn:
      break;
  }
  MIRAB_ASSERT(false, "what never runs has no runtime");
  return {};
}

}  // namespace mirab::traces::google2011
