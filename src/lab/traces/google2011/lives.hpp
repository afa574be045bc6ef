#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/traces/google2011/events.hpp"
#include "lab/traces/lifetimes.hpp"

/// What the task events of the Google trace of 2011 tell of each submission.
namespace mirab::traces::google2011 {

/// One submission of a task, up to its end. Times in µs, as in the trace.
struct Life {
  std::uint64_t job;
  std::uint32_t user;  ///< index into Lives::users
  std::uint64_t submitted;
  std::optional<std::uint64_t> started = {};
  std::optional<std::uint64_t> ended = {};
  bool cut_short = false;  ///< it ended for reasons of its machine (evicted, lost): it would have run on
  std::optional<std::uint32_t> request = {};  ///< index into Lives::requests; the latest that was told until
                                              ///< it started, or the first after
};

/// Every submission of every task.
struct Lives {
  std::vector<std::string> users;  ///< hashes, in the order in which they first appear
  std::vector<Amounts> requests;   ///< the different ones
  std::vector<Life> lives;         ///< in the order of submission
  std::uint64_t tasks = 0;         ///< job and index
  std::uint64_t rows = 0;
  std::uint64_t window_end = 0;  ///< µs; the time of the last row

  // Rows that a task's course does not allow for, passed over.
  std::uint64_t ends_without_start = 0;  ///< and updates
  std::uint64_t already_there = 0;       ///< submissions of what waits or runs, starts of what runs
  std::uint64_t after_the_trace = 0;     ///< stand for something that happens later
  // Rows that are used, but not wholly.
  std::uint64_t unannounced = 0;       ///< starts without a submission: submitted then
  std::uint64_t unknown_machines = 0;  ///< starts on machines that the machine events do not know
  std::uint64_t updates = 0;           ///< of the request of what runs, not followed
  std::uint64_t apart = 0;             ///< submissions that want their job's tasks on different machines
};

/// Reads all task events. A task is submitted (0), starts (1), ends (2 evicted, 3 failed, 4 finished, 5
/// killed, 6 lost), and may be submitted again, which is another life; 7 and 8 update the request.
/// Errors: as of read_rows; an unknown event; times that go backwards; no user.
/// Memory: some 100 bytes a submission.
Result<Lives> read_lives(const TraceFiles& files, const std::set<std::uint64_t>& machines, Bytes& bytes);

}  // namespace mirab::traces::google2011

/// How long the tasks of the Google trace of 2011 run, where its window shows only a part of it.
namespace mirab::traces::google2011 {

/// How a life lies to the window.
enum class Kind {
  whole,      ///< starts and ends in it
  old,        ///< ran before it and ends in it
  old_open,   ///< ran before it and outlives it
  open,       ///< starts in it and outlives it
  pending,    ///< never starts in it
  withdrawn,  ///< ends without having started
};
Kind kind_of(const Life& life);

/// What all lives together tell of how long a task lives. One that its machine cut short lived at least so
/// long: it counts as one that outlives what was seen of it.
Lifetimes lifetimes_of(const Lives& lives);

/// From its start, or from the beginning of the window, to its end, at least 1 µs: measured where the window
/// shows both, and drawn beyond it (traces/lifetimes.hpp). Requires a life that is not withdrawn.
Duration runtime_of(const Life& life, std::uint64_t window_end, const Lifetimes& lifetimes, Random& random);

}  // namespace mirab::traces::google2011
