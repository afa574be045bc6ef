// Steps of the engine as records, and the replay of records of the log.
#include <algorithm>
#include <fmt/format.h>

#include "live/state.hpp"
#include "scheduling/persistence/record_json.hpp"

namespace mirab::live {
namespace {

constexpr int kMostStepsOfRecord = 100;

/// Both at once: decisions of one source of random numbers, in order.
Random& source(std::optional<std::pair<std::uint64_t, Random>>& of_batch, std::uint64_t cluster,
               std::uint64_t seed) {
  if (!of_batch || of_batch->first != seed) of_batch.emplace(seed, Random(mixed(cluster, seed)));
  return of_batch->second;
}

}  // namespace

std::uint64_t mixed(std::uint64_t seed, std::uint64_t revision) {
  // The finaliser of splitmix64 (Steele, Lea, Flood 2014) on the sum.
  std::uint64_t z = seed + 0x9E3779B97F4A7C15ULL * (revision + 1);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

void State::place(Record& record, JobId id, const scheduling::Companion& each) {
  Job& job = job_of(id);
  const TaskKey key = key_of(each.task);
  const RoleNumber role = job.role_of(each.role);
  const auto again = std::find_if(job.retries.begin(), job.retries.end(),
                                  [&](const Retry& retry) { return retry.role == role; });
  if (again != job.retries.end()) {
    job.tries[key] = again->tries;
    job.retries.erase(again);
  }
  note_start(key, record.stamp.now);
  count(job, role, record, -1, 1);
  add_event(record, event_of_task("task-placed", job, key, role, name_of(each.server)));
}

void State::note(const scheduling::Placed& placed, Record& record) {
  for (const scheduling::Preempted& each : placed.preempted) {
    Job& job = job_of(each.job);
    const auto started = started_.find(key_of(each.task));
    Past past{
        .task = key_of(each.task),
        .role = job.role_of(0),  // of several tasks that started together none is preempted
        .server = name_of(placed.server),
        .attempt = 1,
        .started = started == started_.end() ? record.stamp.now : started->second,
        .ended = record.stamp.now,
        .outcome = Ended::preempted,
        .reason = std::string(scheduling::kWords<scheduling::Right>[static_cast<std::size_t>(each.right)]),
        .for_job = job_of(placed.job).label()};
    if (const auto found = job.tries.find(past.task); found != job.tries.end())
      past.attempt = found->second.attempt;
    take_back(job, record, std::move(past), true);
  }
  place(record, placed.job, {.task = placed.task, .server = placed.server, .role = placed.role});
  for (const scheduling::Companion& each : placed.with) place(record, placed.job, each);
}

int State::step(int at_most, Stamp stamp, std::uint64_t seed, const std::function<bool()>& is_enough,
                const std::function<void(Record)>& take) {
  stamp.now = std::max(stamp.now, last.now);
  clock_ = std::max(clock_, stamp.now);
  Random& random = source(random_, settings.seed, seed);
  int placed = 0;
  bool enough = false;
  for (bool over = false; !over && !enough && placed < at_most; ++stamp.revision) {
    Record record{.stamp = stamp, .what = "steps", .seed = seed};
    for (int i = 0; i < kMostStepsOfRecord && !enough && placed < at_most; ++i) {
      const std::optional<scheduling::Placed> each = engine.step(stamp.now, random);
      record.engine.push_back(engine_line(
          {.now = stamp.now, .what = scheduling::StepAsked{}, .outcome = scheduling::Outcome(each)}));
      if (!each) {
        over = true;
        break;
      }
      ++placed;
      note(*each, record);
      enough = is_enough && is_enough();
    }
    forget_ended();
    stand_at(stamp);
    wants_steps = !over;
    take(std::move(record));
  }
  return placed;
}

// Replay: the same again, and compared.

namespace {

Error differs(const Record& logged, const std::string& what) {
  return {.message = fmt::format("replaying revision {} ({}) {}", logged.stamp.revision, logged.what, what),
          .key = "engine"};
}

Check compare(const Record& logged, const Record& replayed) {
  if (logged.engine == replayed.engine && logged.events == replayed.events && logged.body == replayed.body)
    return {};
  const Json a = json_of(logged);
  const Json b = json_of(replayed);
  for (const char* const key : {"engine", "events", "body"}) {
    const Json before = a.value(key, Json());
    const Json after = b.value(key, Json());
    if (before == after) continue;
    for (std::size_t i = 0;
         before.is_array() && after.is_array() && i < std::max(before.size(), after.size()); ++i) {
      const Json was = i < before.size() ? before[i] : Json();
      const Json is = i < after.size() ? after[i] : Json();
      if (was != is)
        return differs(logged, fmt::format("gives another result in {}[{}]: {} instead of {}", key, i,
                                           is.dump(), was.dump()));
    }
    return differs(logged, fmt::format("gives another {}", key));
  }
  return {};
}

}  // namespace

/// The same steps again; the first outcome that differs is the error.
Check State::replay_steps(const Record& record, Explained* explained) {
  clock_ = std::max(clock_, record.stamp.now);
  Random& random = source(random_, settings.seed, record.seed);
  Record again{.stamp = record.stamp, .what = record.what, .seed = record.seed};
  bool over = false;
  for (std::size_t i = 0; i < record.engine.size() && !over; ++i) {
    scheduling::WhyPlaced why;
    const std::optional<scheduling::Placed> each = explained == nullptr
                                                       ? engine.step(record.stamp.now, random)
                                                       : engine.step(record.stamp.now, random, why);
    again.engine.push_back(engine_line(
        {.now = record.stamp.now, .what = scheduling::StepAsked{}, .outcome = scheduling::Outcome(each)}));
    over = !each;
    if (again.engine.back() != record.engine[i]) return compare(record, again);
    if (!each) break;
    if (explained != nullptr) {
      bool here = key_of(each->task) == explained->task;
      for (const scheduling::Companion& other : each->with)
        here = here || key_of(other.task) == explained->task;
      if (here) explained->why = why;
    }
    note(*each, again);
  }
  forget_ended();
  stand_at(record.stamp);
  wants_steps = !over;
  return compare(record, again);
}

/// What a step did, without deciding: the engine takes it over.
Check State::adopt(const scheduling::Placed& placed, Time now) {
  for (const scheduling::Preempted& each : placed.preempted) {
    if (Check bad = engine.apply(scheduling::TaskFailed{each.task}, now)) return bad;
  }
  std::vector<scheduling::Companion> tasks = placed.with;
  tasks.push_back({.task = placed.task, .server = placed.server, .role = placed.role});
  std::sort(tasks.begin(), tasks.end(),  // in the order in which they were numbered
            [](const auto& a, const auto& b) { return a.task < b.task; });
  for (const scheduling::Companion& each : tasks) {
    const auto taken = engine.apply(
        scheduling::TaskAdopted{.job = placed.job, .server = each.server, .since = now, .role = each.role},
        now);
    if (!taken) return taken.error();
    if (*taken != each.task)
      return Error{.message =
                       fmt::format("the task {} would become {}", static_cast<std::uint64_t>(each.task),
                                   static_cast<std::uint64_t>(*taken))};
  }
  return {};
}

Check State::adopt_steps(const Record& record) {
  clock_ = std::max(clock_, record.stamp.now);
  Record again{.stamp = record.stamp, .what = record.what, .seed = record.seed};
  bool over = false;
  for (const Json& line : record.engine) {
    Json entry = line;
    entry["now"] = record.stamp.now.time_since_epoch().count();
    entry["seed"] = 0;  // nothing is drawn
    const Result<scheduling::LogEntry> read = scheduling::read_log_line(entry.dump());
    if (!read) return differs(record, "cannot be read: " + describe(read.error()));
    const auto* const step =
        read->outcome ? std::get_if<std::optional<scheduling::Placed>>(&*read->outcome) : nullptr;
    over = step == nullptr || !*step;
    if (over) break;
    if (const Check bad = adopt(**step, record.stamp.now))
      return differs(record, "cannot be taken over: " + bad->message);
    note(**step, again);
  }
  forget_ended();
  stand_at(record.stamp);
  wants_steps = true;  // this version may place more
  return {};
}

Check State::replay(const Record& record, Replay how, Explained* explained) {
  if (record.stamp.revision != last.revision + 1)
    return differs(record, fmt::format("is not the revision after {}", last.revision));
  if (record.stamp.now < last.now) return differs(record, "would go back in time");
  if (record.what == "steps")
    return how == Replay::compared ? replay_steps(record, explained) : adopt_steps(record);
  const auto what = do_of(record.what);
  if (!what) return differs(record, "is nothing that is known");
  Command command{.caller = {.by = record.by, .from = record.from},
                  .what = *what,
                  .by_service = true,
                  .wants_answer = false};
  for (const auto& [key, value] : record.target.items()) {
    if (key == "failed") {
      command.failed = value.get<bool>();
    } else if (key == "queue" && record.target.contains("name")) {
      command.target.queue = value.get<std::string>();
    } else {
      command.target.name = value.get<std::string>();
    }
  }
  Parsed<Content> content = read_content(*what, record.body, settings.units, Units::Form::normal);
  if (const auto* const problem = std::get_if<Problem>(&content))
    return differs(record,
                   fmt::format("finds a body that cannot be read: {}: {}", problem->key, problem->detail));
  command.content = std::get<Content>(std::move(content));
  if (*what == Do::job_put) {
    command.form = record.body.dump();
    command.sha256 = sha256(command.form);
  }
  const Decided decided = apply(command, record.stamp);
  if (!decided.record)
    return differs(record,
                   fmt::format("changes nothing: {} {}", decided.answer.status, decided.answer.body.dump()));
  return compare(record, *decided.record);
}

Check replay_on(State& state, std::string& hash, const Batch& batch, Replay how, State::Explained* explained,
                const std::function<void(const Record&)>& visit) {
  if (batch.empty()) return {};
  std::string next = chain_hash(hash, batch.body);
  if (!batch.hash.empty() && batch.hash != next)
    return Error{.message =
                     fmt::format("the batch of revisions {} to {} does not follow from the one before: its "
                                 "hash differs",
                                 batch.first, batch.last)};
  const Result<std::vector<Record>> records = records_of(batch.body);
  if (!records) return records.error();
  int line = 0;
  for (const Record& record : *records) {
    ++line;
    if (Check bad = state.replay(record, how, explained)) {
      bad->line = line;
      return bad;
    }
    if (visit) visit(record);
  }
  hash = std::move(next);
  return {};
}

}  // namespace mirab::live
