#include "service/archiver.hpp"

namespace mirab::service {

namespace {

// Each turn syncs once: so seldom, it takes next to nothing from the disk of the log.
constexpr std::chrono::milliseconds kBetweenTurns(200);
constexpr std::chrono::milliseconds kAfterFailure(1000);

}  // namespace

Archiver::Archiver(Shared& shared, ArchiveWriter archive) : shared_(shared), archive_(std::move(archive)) {
  shared_.figures.archive_revision = archive_.revision();
  shared_.figures.archive_level_ms = steady_ms();
  shared_.figures.has_archive = true;
}

void Archiver::stop() {
  {
    const std::lock_guard guard(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Archiver::say_failure(const Error& failure) {
  ++shared_.figures.archive_failures;
  store_.reset();
  const std::string why = describe(failure);
  if (why == failure_) return;
  failure_ = why;
  shared_.events.say("error", "archive", {{"why", why}});
}

bool Archiver::turn() {
  if (store_ == nullptr) {
    auto opened = open_store({.file = shared_.options.file, .reads_only = true, .reserve_bytes = 0});
    if (!opened) {
      say_failure(opened.error());
      return false;
    }
    store_ = *std::move(opened);
  }
  const std::uint64_t durable = shared_.figures.durable_revision;
  if (archive_.revision() < durable) {
    const auto written = archive_.write_next(*store_);
    if (!written) {
      say_failure(written.error());
      return false;
    }
    shared_.figures.archive_revision = archive_.revision();
    if (!failure_.empty()) {
      failure_.clear();
      shared_.events.say("info", "archive-goes-on", {{"revision", archive_.revision()}});
    }
  }
  if (archive_.revision() < durable) return true;
  shared_.figures.archive_level_ms = steady_ms();
  return false;
}

void Archiver::run() {
  bool is_last = false;
  while (true) {
    while (turn()) {
    }
    if (is_last) break;
    std::unique_lock lock(mutex_);
    wakes_.wait_for(lock, failure_.empty() ? kBetweenTurns : kAfterFailure, [this] { return is_ending_; });
    is_last = is_ending_;  // what is durable by now is archived in the turn that follows
  }
}

}  // namespace mirab::service
