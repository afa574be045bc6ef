// The store of a pipeline: what must not be lost, on the disk before anybody is answered.
#include <algorithm>
#include <iterator>

#include "live/content.hpp"
#include "service/threads.hpp"

namespace mirab::service {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kGroups = 2;
constexpr milliseconds kQuiet{20};  // without work: then there may be some time
constexpr const char* kLogAge = "log_age";

}  // namespace

Writer::Writer(Shared& shared, CommandQueue& commands, Follower& follower, std::unique_ptr<Store> store)
    : shared_(shared),
      commands_(commands),
      follower_(follower),
      store_(std::move(store)),
      age_(LogAge::from(store_->meta(kLogAge).value_or(""))),
      run_before_(age_.run()),
      begun_(boot_time()) {}

bool Writer::offer(Group& group, milliseconds wait) {
  {
    std::unique_lock lock(mutex_);
    if (!has_room_.wait_for(lock, wait, [&] { return groups_.size() < kGroups; })) return false;
    groups_.push_back(std::move(group));
  }
  wakes_.notify_one();
  return true;
}

void Writer::end() {
  {
    const std::lock_guard guard(mutex_);
    core_has_ended_ = true;
  }
  wakes_.notify_one();
}

void Writer::broken(const std::string& why) {
  shared_.figures.is_ready = false;
  shared_.events.broken(why);
}

void Writer::run() {
  auto next_reserve = Steady::now();
  auto next_size = Steady::now();
  bool has_written = false;
  while (true) {
    std::vector<Group> groups;
    bool is_ending = false;
    {
      std::unique_lock lock(mutex_);
      const auto has_work = [&] { return !groups_.empty() || core_has_ended_; };
      wakes_.wait_for(lock, writing_ ? milliseconds(1) : has_written ? kQuiet : milliseconds(1000), has_work);
      groups.assign(std::make_move_iterator(groups_.begin()), std::make_move_iterator(groups_.end()));
      groups_.clear();
      is_ending = core_has_ended_ && groups.empty();
    }
    has_room_.notify_one();
    if (!groups.empty()) write_groups(groups);
    if (!groups.empty()) {
      has_written = true;
    } else if (has_written && !writing_) {
      store_->rest();
      has_written = false;
    }
    if (writing_) continue_snapshot(false);
    write_series();
    if (Steady::now() >= next_size) {
      next_size = Steady::now() + std::chrono::seconds(1);
      shared_.figures.log_bytes = store_->log_ends().bytes;
    }
    if (shared_.figures.is_disk_full.load() && Steady::now() >= next_reserve) {
      next_reserve = Steady::now() + std::chrono::seconds(1);
      if (store_->restore_reserve()) {
        shared_.figures.is_disk_full = false;
        shared_.events.say("info", "disk-has-room", {});
      }
    }
    if (is_ending) break;
  }
  if (writing_) continue_snapshot(true);
  write_series();
  follower_.end();
}

/// Rows of the history, when there are any and the disk has room.
void Writer::write_series() {
  if (has_given_up_ || shared_.figures.is_disk_full.load()) return;
  std::vector<live::Row> rows;
  {
    const std::lock_guard guard(shared_.series_mutex);
    rows.swap(shared_.series);
  }
  if (rows.empty()) return;
  const StoreCheck failure = store_->put_rows(rows);
  if (!failure) return;
  if (!failure->may_pass()) return broken(failure->message);
  const std::lock_guard guard(shared_.series_mutex);  // again when there is room
  shared_.series.insert(shared_.series.begin(), std::make_move_iterator(rows.begin()),
                        std::make_move_iterator(rows.end()));
}

void Writer::refuse(Group& group) {
  for (auto& [reply, answer] : group.answers)
    reply(busy_answer("nothing can be written now, as the journal says; the outcome is unknown"));
  group.answers.clear();
}

void Writer::refuse_groups(std::vector<Group>& groups) {
  for (Group& group : groups) refuse(group);
  const std::lock_guard guard(mutex_);
  for (Group& group : groups_) refuse(group);
}

/// True when the batches are on the disk. Not where the two engines differ: one of the states is wrong, and
/// nothing more is acknowledged from either. With a full disk it tries until there is room or the service
/// ends; answers that have waited too long are 503, those of the groups behind too.
bool Writer::append_or_wait(std::vector<Group>& groups) {
  has_given_up_ = has_given_up_ || shared_.differs.load();
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
    if (!failure->may_pass()) {
      has_given_up_ = true;
      broken(failure->message);
      return false;
    }
    const bool is_full = failure->kind == StoreFailure::Kind::full;
    if (is_full) shared_.figures.is_disk_full = true;
    if (!std::exchange(has_said, true))
      shared_.events.say("error", is_full ? "disk-full" : "file-busy", {{"why", failure->message}});
    has_given_up_ = commands_.is_closed();
    if (has_given_up_ || Steady::now() - begin > shared_.options.full_disk_time) {
      is_stuck_ = true;
      refuse_groups(groups);
    }
    if (has_given_up_) {
      shared_.events.say("error", "disk-full", {{"why", "stopped with changes that were not acknowledged"}});
      return false;
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
  is_stuck_ = false;
  std::uint64_t records = 0;
  for (const live::Batch* batch : batches) records += batch->last - batch->first + 1;
  shared_.events.committed(Steady::now() - begin, records);
  if (!store_->has_reserve() && !shared_.figures.is_disk_full.exchange(true))
    shared_.events.say("error", "disk-full", {{"why", "the reserve was given up"}});
  return true;
}

void Writer::write_groups(std::vector<Group>& groups) {
  if (!append_or_wait(groups)) return;
  auto rows = std::make_shared<std::vector<live::Row>>();
  std::vector<Durable> durable;
  std::vector<Writing> snapshots;
  for (Group& group : groups) {
    if (!group.batch.empty()) shared_.figures.durable_revision = group.batch.last;
    std::move(group.batch.rows.begin(), group.batch.rows.end(), std::back_inserter(*rows));
    group.batch.rows.clear();
    if (group.snapshot != nullptr)
      snapshots.push_back({.revision = shared_.figures.durable_revision.load(), .bytes = group.snapshot});
    if (!group.batch.empty() || group.snapshot != nullptr)
      durable.push_back({.batch = std::move(group.batch), .snapshot = std::move(group.snapshot)});
  }
  follower_.follow(std::move(durable));
  if (!rows->empty()) shared_.events.rows(std::move(rows));
  for (Group& group : groups) {
    for (auto& [reply, answer] : group.answers) reply(std::move(answer));
  }
  // Only now: the reader, whose agreement a snapshot needs, has all that the snapshot holds.
  for (Writing& next : snapshots) {
    if (writing_) continue_snapshot(true);
    writing_ = std::move(next);
  }
}

/// True, and the snapshot is given up, when it could not be written.
bool Writer::has_failed(const StoreCheck& failure) {
  if (!failure) return false;
  if (!failure->may_pass()) broken(failure->message);
  writing_.reset();
  return true;
}

/// One part, so that batches come in between; the row that says complete waits for the reader's agreement.
void Writer::continue_snapshot(bool to_the_end) {
  do {
    if (writing_->written < writing_->bytes->size()) {
      const std::string_view part =
          std::string_view(*writing_->bytes).substr(writing_->written, kSnapshotPart);
      if (has_failed(store_->add_snapshot_part(writing_->revision, writing_->parts++, part))) return;
      writing_->sha256.add(part);
      writing_->written += part.size();
      continue;
    }
    if (shared_.differs.load()) return writing_.reset();
    if (shared_.agreed.load() < writing_->revision) {
      if (!to_the_end) return;
      follower_.wake();
      std::this_thread::sleep_for(milliseconds(1));
      continue;
    }
    return complete_snapshot();
  } while (to_the_end);
}

/// Forgets batches that are old, or all that nothing needs where the file is large. What is needed: batches
/// after the oldest snapshot, and those that are not archived.
StoreCheck Writer::trim_log(std::uint64_t revision) {
  const auto run = run_before_ + std::chrono::duration_cast<std::chrono::seconds>(boot_time() - begun_);
  const auto kept = std::chrono::duration_cast<std::chrono::seconds>(shared_.options.log_time);
  age_.note(revision, run, kept);
  if (auto failure = store_->set_meta(kLogAge, age_.text(run))) return failure;
  std::uint64_t unneeded = store_->snapshots().back().revision;
  if (shared_.figures.has_archive.load())
    unneeded = std::min(unneeded, shared_.figures.archive_revision.load());
  const bool is_large = store_->log_ends().bytes > shared_.options.log_bytes;
  return store_->trim_log(is_large ? unneeded : std::min(unneeded, age_.older_than(run, kept)));
}

void Writer::complete_snapshot() {
  const SnapshotRow row{.revision = writing_->revision,
                        .bytes = writing_->bytes->size(),
                        .sha256 = writing_->sha256.text(),
                        .decision_version = scheduling::kDecisionVersion};
  writing_.reset();
  if (has_failed(store_->complete_snapshot(row)) || has_failed(store_->keep_snapshots(3))) return;
  if (has_failed(trim_log(row.revision))) return;
  const auto two_years_ago = wall_now() - std::chrono::days(2 * 365);
  if (has_failed(store_->trim_uses(
          std::chrono::floor<std::chrono::seconds>(two_years_ago).time_since_epoch().count())))
    return;
  shared_.figures.snapshot_at_s = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  shared_.events.say("info", "snapshot", {{"revision", row.revision}, {"bytes", row.bytes}});
  const LogEnds ends = store_->log_ends();
  shared_.figures.log_bytes = ends.bytes;
  shared_.figures.oldest_revision = ends.first;
}

}  // namespace mirab::service
