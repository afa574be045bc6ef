#include <algorithm>
#include <fmt/format.h>

#include "service/threads.hpp"

namespace mirab::service {
namespace {

Result<std::unique_ptr<Store>> open_to_read(const std::string& file) {
  return open_store({.file = file, .reads_only = true, .reserve_bytes = 0});
}

constexpr std::size_t kPageBytes = std::size_t{1} << 20U;

/// Of a task that was placed before `oldest`, the first revision that can be replayed; 0: none can.
live::Answer placed_too_early(std::uint64_t oldest, std::uint64_t revision) {
  live::Problem problem{
      .status = 410, .type = "compacted", .title = "It was placed too long ago to be explained"};
  problem.detail = oldest == 0
                       ? "no snapshot is left from which this version of Mirab can replay the decision"
                       : fmt::format(
                             "decisions from revision {} on can be explained: the oldest snapshot "
                             "from which they can be replayed is of revision {}",
                             oldest, oldest - 1);
  if (oldest > 0) problem.more["oldest"] = oldest;
  return live::answer_of(problem, revision);
}

}  // namespace

OldEvents old_events(const std::string& file, std::uint64_t after) {
  OldEvents result{.changes = {}, .after = after, .failure = {}};
  auto store = open_to_read(file);
  if (!store) {
    result.failure = store.error().message;
    return result;
  }
  std::size_t bytes = 0;
  const auto failure = (*store)->read_log(after + 1, [&](const live::Batch& batch) {
    auto changes = live::changes_of(batch);
    if (!changes) {
      result.failure = changes.error().message;
      return false;
    }
    for (live::Change& change : *changes) {
      if (change.revision > after) result.changes.push_back(std::move(change));
    }
    result.after = batch.last;
    bytes += batch.body.size();
    return bytes < kPageBytes / 4;
  });
  if (failure) result.failure = failure->message;
  return result;
}

live::Answer audit_page(const std::string& file, std::uint64_t after, std::size_t limit) {
  auto store = open_to_read(file);
  if (!store) return busy_answer(store.error().message);
  live::Json items = live::Json::array();
  std::uint64_t read_to = after;
  std::string wrong;
  std::size_t bytes = 0;
  const auto failure = (*store)->read_log(after + 1, [&](const live::Batch& batch) {
    auto records = live::records_of(batch.body);
    if (!records) {
      wrong = records.error().message;
      return false;
    }
    for (const live::Record& record : *records) {
      if (record.stamp.revision <= after) continue;
      if (items.size() == limit) return false;
      read_to = record.stamp.revision;
      if (auto entry = live::audit_of(record)) items.push_back(*std::move(entry));
    }
    bytes += batch.body.size();
    return bytes < 16 * kPageBytes && items.size() < limit;
  });
  if (failure || !wrong.empty()) return busy_answer(failure ? failure->message : wrong);
  live::Answer answer;
  answer.body = {{"items", std::move(items)}, {"after", read_to}};
  answer.revision = (*store)->log_ends().last;
  return answer;
}

live::Answer placement_of(const std::string& file, live::Others others, const std::string& task,
                          const live::Caller& caller) {
  auto store = open_to_read(file);
  if (!store) return busy_answer(store.error().message);
  std::uint64_t oldest = 0;
  for (const SnapshotRow& row : (*store)->snapshots()) {
    if (row.decision_version != scheduling::kDecisionVersion) continue;  // it would decide otherwise
    const auto bytes = (*store)->read_snapshot(row);
    if (!bytes) continue;
    auto reader = live::Reader::restore(*bytes, others);
    if (!reader) continue;
    oldest = row.revision + 1;
    if (!reader->get({.what = live::Ask::task, .name = task}, {.scopes = {.admin = true}}).is_problem())
      continue;
    std::optional<live::Answer> answer;
    std::string wrong;
    const auto failure = (*store)->read_log(row.revision + 1, [&](const live::Batch& batch) {
      const auto why = reader->apply_explaining(batch, task);
      if (!why) {
        wrong = why.error().message;
        return false;
      }
      if (*why) answer = reader->explain_placed(task, **why, caller);
      return !answer;
    });
    if (failure || !wrong.empty()) return busy_answer(failure ? failure->message : wrong);
    return answer ? *answer : placed_too_early(oldest, (*store)->log_ends().last);
  }
  return placed_too_early(oldest, (*store)->log_ends().last);
}

std::optional<live::Answer> usage_at(const Shared& shared, TrailingReader& trailing,
                                     const live::UsageAsked& asked, const live::Caller& caller) {
  auto store = open_to_read(shared.options.file);
  if (!store) return busy_answer(store.error().message);
  // A task that ended meanwhile is in the file: it must no longer run in the state.
  StoreCheck failure;
  const auto reader = trailing.get([&](live::Reader& state) {
    bool follows = true;
    failure = (*store)->begin_read();
    if (!failure)
      failure = (*store)->read_log(state.revision() + 1, [&](const live::Batch& batch) {
        return follows = static_cast<bool>(state.apply(batch));
      });
    return follows;
  });
  if (reader == nullptr) return std::nullopt;
  live::Uses uses;
  const auto is_late = [until = Steady::now() + kTimeOfQuestion] { return Steady::now() > until; };
  if (!failure) failure = (*store)->read_uses(asked.from, asked.to, uses, is_late);
  (*store)->end_read();
  if (failure && is_late())
    return live::answer_of(
        live::too_large("/from",
                        "so much was used that to sum it up takes longer than the time of a "
                        "question: ask for a shorter span"),
        reader->revision());
  if (failure) return busy_answer(failure->message);
  return reader->usage(asked, std::move(uses), shared.clock.now(), caller);
}

}  // namespace mirab::service
