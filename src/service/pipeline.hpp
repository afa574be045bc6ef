// From a command to its durable answer, and from a question to its answer: the threads behind the API.
//
//   I/O ──commands──▶ core ──batches──▶ store ──durable batches──▶ reader ──copies──▶ workers
//    ▲                                    │                          │                   │
//    └───────────── answers ◀─────────────┴──────────────────────────┴───────────────────┘
//
// Queues between them are bounded: commands and questions are refused when theirs is full, and the core
// decides nothing more while the reader is far behind. The store writes all batches that wait in one
// transaction: while it syncs, the next ones gather. The reader applies durable batches alone, so no answer
// shows what could be lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/event_watchers.hpp"
#include "api/routes.hpp"
#include "live/decider.hpp"
#include "live/reader.hpp"
#include "net/http_server.hpp"
#include "service/archive.hpp"
#include "service/recovery.hpp"
#include "service/store.hpp"

namespace mirab::service {

using api::boot_time;
using api::busy_answer;
using api::Lane;
using api::Own;
using api::Reply;  ///< called once, on a thread of the pipeline
using api::Route;
using api::Steady;
using api::Watch;

/// Milliseconds of the steady clock.
std::int64_t steady_ms();

struct PipelineOptions {
  std::string file;  ///< for workers that read the log themselves
  live::Others others = live::Others::shares;
  std::size_t commands = 8192;  ///< that wait at most, without the urgent ones
  std::size_t commands_of_batch = 64;
  int steps_of_batch = 4096;
  std::chrono::milliseconds decides_of_batch{10};  ///< then, if others wait, its commands are answered
  std::chrono::milliseconds applies_alone{20};     ///< while others wait, so long after it last decided
  std::uint64_t snapshot_revisions = 100'000;
  std::chrono::milliseconds snapshot_time = std::chrono::minutes(5);
  std::chrono::milliseconds full_disk_time = std::chrono::seconds(10);
  std::chrono::hours log_time{
      24};  ///< of running: batches are kept so long, unless the file is larger than log_bytes
  std::uint64_t log_bytes = std::uint64_t{2} << 30U;
  unsigned workers = 2;
  std::uint64_t most_behind =
      20'000;                 ///< revisions by which the reader may be behind: then nothing is decided
  std::size_t ring = 20'000;  ///< changes that are kept for watchers; older ones come from the file
};

/// What the pipeline tells its owner. Called on its threads.
struct PipelineEvents {
  /// Rows of durable batches, before the answers to their commands.
  std::function<void(std::shared_ptr<const std::vector<live::Row>>)> rows;
  /// Something for the log.
  std::function<void(std::string_view level, std::string_view what, const live::Json& fields)> say;
  /// A transaction of the log: how long it took, and how many records it had.
  std::function<void(std::chrono::nanoseconds took, std::uint64_t records)> committed;
  /// The store failed in a way after which nothing may go on (status 4).
  std::function<void(const std::string& why)> broken;
};

/// Figures, each read at any time.
struct PipelineFigures {
  std::atomic<std::uint64_t> core_revision = 0;
  std::atomic<std::uint64_t> durable_revision = 0;
  std::atomic<std::uint64_t> reader_revision = 0;
  std::atomic<std::uint64_t> oldest_revision = 0;  ///< in the log
  std::atomic<std::uint64_t> placed = 0;
  std::atomic<std::uint64_t> mismatches = 0;
  std::atomic<std::uint64_t> watchers = 0;
  std::atomic<std::uint64_t> log_bytes = 0;
  std::atomic<std::int64_t> snapshot_at_s = 0;    ///< Unix time of the latest
  std::atomic<std::int64_t> core_alive_ms = 0;    ///< steady clock, when the core last turned
  std::atomic<std::int64_t> reader_alive_ms = 0;  ///< and the reader
  std::atomic<bool> has_archive = false;
  std::atomic<std::uint64_t> archive_revision = 0;  ///< all up to here is in the archive; 0: it has no base
  std::atomic<std::int64_t> archive_level_ms = 0;   ///< steady clock, when nothing was left to archive
  std::atomic<std::uint64_t> archive_failures = 0;
  std::atomic<bool> is_disk_full = false;
  std::atomic<bool> is_ready = false;
};

class Pipeline {
 public:
  /// Starts the threads. Batches go to the archive too, where there is one.
  static std::unique_ptr<Pipeline> start(PipelineOptions options, PipelineEvents events,
                                         std::unique_ptr<Store> store, Recovered recovered,
                                         std::optional<ArchiveWriter> archive = {});
  virtual ~Pipeline() = default;

  // Where there is no room, the reply is 429 or 503.

  /// One command, or the list of POST /jobs:submit.
  virtual void submit(live::Command command, Lane lane, Reply reply) = 0;
  virtual void submit(std::vector<live::Parsed<live::Command>> commands, const std::string& tenant,
                      Reply reply) = 0;

  /// Asks when the reader has come to `at_least` (for 5 s at most).
  virtual void ask(live::Query query, live::Caller caller, Lane lane, std::uint64_t at_least,
                   Reply reply) = 0;
  /// False when there are too many; a stream is then closed, and the reply not called.
  virtual bool watch(Watch watch) = 0;
  /// Ends the watches and polls of a token whose row has changed. Called by the thread that calls watch(),
  /// once it takes no more requests with the token as it was.
  virtual void token_changed(const std::string& id) = 0;
  /// GET /servers/{name}/assignments: at once, or when something of the server has changed after `after`.
  virtual void assignments(live::Query query, live::Caller caller, std::uint64_t after,
                           std::chrono::milliseconds wait, Reply reply) = 0;
  virtual void audit(std::uint64_t after, std::size_t limit, Reply reply) = 0;
  virtual void explain_task(std::string task, live::Caller caller, Reply reply) = 0;
  /// GET /usage.
  virtual void usage(live::UsageAsked asked, live::Caller caller, Reply reply) = 0;
  /// How things stand at the reader.
  virtual void gauges(std::function<void(const live::Gauges&)> use) = 0;

  virtual const live::Units& units() const = 0;
  virtual const PipelineFigures& figures() const = 0;

  /// From here on nobody is kept waiting: watches end, and polls are answered at once.
  virtual void let_go() = 0;
  /// Answers what waits, writes a last snapshot and ends the threads.
  virtual void stop() = 0;
};

}  // namespace mirab::service
