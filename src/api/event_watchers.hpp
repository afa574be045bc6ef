// Those who watch events, as a stream or by long polls: what happens goes out in pieces, as fast as each
// client takes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/reader.hpp"
#include "net/http_server.hpp"

namespace mirab::api {

using Steady = std::chrono::steady_clock;

/// What no change of the wall clock moves; it goes on while the machine sleeps.
std::chrono::nanoseconds boot_time();

/// Called once.
using Reply = std::function<void(live::Answer)>;

live::Answer problem_answer(int status, std::string type, std::string title, std::string_view detail);
/// `503 busy` and the like, as the API's problems.
live::Answer busy_answer(std::string_view detail);

/// A watcher of events.
struct Watch {
  live::EventFilter filter = {};
  live::Caller caller = {};
  std::uint64_t after = 0;
  bool is_from_now = false;                       ///< no `after` was given
  bool at_once = false;                           ///< else at most four messages a second
  std::shared_ptr<net::EventStream> stream = {};  ///< server-sent events; else a long poll:
  Reply reply = {};
  std::chrono::milliseconds wait{0};
  std::optional<live::Wall> expires = {};  ///< of the caller's token
  std::shared_ptr<bool> is_revoked = {};   ///< of one that was taken over: whether its token has changed
  /// Of a stream: pays for looks. Called while the client catches up with what was before.
  std::function<void(std::int64_t)> charge = {};
  std::shared_ptr<void> paid_ahead = {};  ///< what was paid for that before; the rest goes back with it
  std::size_t rows = 0;  ///< changes and events that were looked at, and are not paid for yet
};

/// How a watch ends early: a poll with an answer, a stream with its end.
void end_watch(const Watch& watch, const live::Answer& answer);

/// The 401 of a watch whose token has expired, or was changed.
live::Answer no_token_answer();

class EventWatchers {
 public:
  struct Options {
    live::Others others;
    std::size_t ring;  ///< changes that are kept
    /// Takes over a watch that wants what the ring no longer has. attach() takes it back.
    std::function<void(Watch)> older;
    /// The answer after something was thrown.
    std::function<live::Answer(const std::exception&)> internal;
  };
  EventWatchers(Options options, std::uint64_t revision)
      : options_(std::move(options)), revision_(revision), ring_after_(revision) {}

  void add(std::vector<live::Change> changes);
  void watch(Watch watch);
  void attach(Watch watch);
  /// Ends the watches of the token.
  void token_changed(const std::string& id);

  /// Sends what there is, until it has taken some milliseconds; false: there is more. Those to whom it did
  /// not come are first in the next turn. With `is_last` everybody is sent what there is and let go.
  bool turn(Steady::time_point now, bool is_last);
  std::size_t size() const { return watchers_.size(); }
  std::size_t away() const { return away_.size(); }

  /// The ring has all changes after this revision.
  std::uint64_t ring_after() const { return ring_after_; }
  /// Of the latest change.
  std::uint64_t revision() const { return revision_; }

  /// False when the piece has no room for the message. Counts what was looked at.
  static bool add_message(std::string& text, Watch& watch, const live::Change& change, live::Others others);

  /// Of a stream: pays for what was looked at, and for these bytes.
  static void pay(Watch& watch, std::size_t bytes);
  /// What a poll is answered: these messages, and what is charged for them.
  static live::Answer answer_of_poll(const Watch& watch, const std::string& messages, std::uint64_t after,
                                     std::uint64_t revision);

 private:
  struct Attached {
    Watch watch;
    std::uint64_t sent = 0;  ///< all events up to this revision are sent or do not concern it
    bool is_catching_up = false;
    Steady::time_point flushed{};
    Steady::time_point marked{};
    Steady::time_point until{};
  };

  bool is_behind(const Attached& watcher) const {
    return !ring_.empty() && watcher.sent < ring_.back().revision;
  }
  void note_catching_up(Attached& watcher) const;
  std::string next_messages(Attached& watcher);
  bool flush(Attached& watcher, Steady::time_point now, bool is_last);
  bool flush_poll(Attached& watcher, Steady::time_point now, bool is_last);
  bool flush_stream(Attached& watcher, Steady::time_point now, bool is_last);

  Options options_;
  std::uint64_t revision_;
  std::deque<live::Change> ring_;
  std::uint64_t ring_after_;
  std::list<Attached> watchers_;  ///< those whose turn is next come first
  std::size_t turn_rows_ = 0;     ///< what this turn has looked at and made, as rows
  bool has_more_ = false;         ///< it has not done all that it could
  std::vector<std::pair<std::string, std::weak_ptr<bool>>> away_;  ///< taken over, by `token:ID`
};

}  // namespace mirab::api
