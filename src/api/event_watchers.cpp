#include "api/event_watchers.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <utility>

#include "api/requests.hpp"

namespace mirab::api {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;    // bytes that a watcher is sent at once
constexpr std::size_t kUnsent = std::size_t{256} << 10U;  // with these unsent a client gets no more
constexpr std::size_t kRowsOfPiece = 16'384;              // rows that are looked at for it
// Of a turn, after which others of the thread come: as much as a piece.
constexpr std::size_t kRowsOfTurn = live::kRowsOfLook * kPiece / live::kBytesOfLook;

/// What is charged for these rows and bytes.
std::int64_t looks_of(std::size_t rows, std::size_t bytes) {
  return static_cast<std::int64_t>(1 + rows / live::kRowsOfLook + bytes / live::kBytesOfLook);
}

std::string sse_message(std::uint64_t revision, std::string_view event, std::string_view data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", revision, event, data);
}

}  // namespace

std::chrono::nanoseconds boot_time() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

live::Answer problem_answer(int status, std::string type, std::string title, std::string_view detail) {
  return live::answer_of(problem(status, std::move(type), std::move(title), std::string(detail)), 0);
}

live::Answer busy_answer(std::string_view detail) {
  live::Problem busy = problem(503, "busy", "Busy", std::string(detail));
  busy.retry_after_s = "1";
  return live::answer_of(busy, 0);
}

live::Answer no_token_answer() { return problem_answer(401, "no-token", "A valid token is needed", ""); }

void end_watch(const Watch& watch, const live::Answer& answer) {
  if (watch.reply) watch.reply(answer);
  if (watch.stream != nullptr) watch.stream->close();
}

void EventWatchers::add(std::vector<live::Change> changes) {
  for (live::Change& change : changes) {
    revision_ = change.revision;
    ring_.push_back(std::move(change));
  }
  while (ring_.size() > options_.ring) {
    ring_after_ = ring_.front().revision;
    ring_.pop_front();
  }
}

void EventWatchers::watch(Watch watch) {
  if (watch.is_from_now) watch.after = revision_;
  attach(std::move(watch));
}

void EventWatchers::attach(Watch watch) {
  if (watch.is_revoked != nullptr && *watch.is_revoked) return end_watch(watch, no_token_answer());
  watch.is_revoked.reset();
  Attached watcher{.watch = std::move(watch),
                   .flushed = Steady::now() - std::chrono::seconds(1),
                   .marked = Steady::now(),
                   .until = {}};
  watcher.sent = watcher.watch.after;
  watcher.until = Steady::now() + watcher.watch.wait;
  note_catching_up(watcher);
  watchers_.push_back(std::move(watcher));
}

void EventWatchers::note_catching_up(Attached& watcher) const {
  watcher.is_catching_up = is_behind(watcher);
  if (!watcher.is_catching_up) watcher.watch.paid_ahead.reset();
}

/// Called after the I/O thread has forgotten the token, so that no watch can come in between.
void EventWatchers::token_changed(const std::string& id) {
  const std::string by = "token:" + id;
  for (const auto& [of, is_revoked] : away_) {
    if (const auto mark = is_revoked.lock(); mark != nullptr && of == by) *mark = true;
  }
  watchers_.remove_if([&](const Attached& watcher) {
    if (watcher.watch.caller.by != by) return false;
    end_watch(watcher.watch, no_token_answer());
    return true;
  });
}

bool EventWatchers::add_message(std::string& text, Watch& watch, const live::Change& change,
                                live::Others others) {
  watch.rows += 1 + change.events.size();
  const auto message = live::message_of(change, watch.filter, watch.caller, others);
  if (!message) return true;
  if (!text.empty() && text.size() + message->size() > kPiece - 100) return false;
  if (watch.stream != nullptr) {
    text += sse_message(change.revision, "change", *message);
  } else {
    text += (text.empty() ? "" : ",") + *message;
  }
  return true;
}

void EventWatchers::pay(Watch& watch, std::size_t bytes) {
  const std::int64_t looks = looks_of(std::exchange(watch.rows, 0), bytes);
  if (watch.charge) watch.charge(looks);
}

live::Answer EventWatchers::answer_of_poll(const Watch& watch, const std::string& messages,
                                           std::uint64_t after, std::uint64_t revision) {
  return {.status = 200,
          .revision = revision,
          .text = fmt::format(R"({{"changes":[{}],"revision":{}}})", messages, after),
          .looks = looks_of(watch.rows, messages.size())};
}

/// A piece of what the ring has for the watcher.
std::string EventWatchers::next_messages(Attached& watcher) {
  std::string text;
  Watch& watch = watcher.watch;
  const std::size_t before = watch.rows;
  auto next = std::upper_bound(
      ring_.begin(), ring_.end(), watcher.sent,
      [](std::uint64_t revision, const live::Change& change) { return revision < change.revision; });
  for (; next != ring_.end() && watch.rows - before < kRowsOfPiece; ++next) {
    if (!add_message(text, watch, *next, options_.others)) break;
    watcher.sent = next->revision;
  }
  turn_rows_ += watch.rows - before + live::kRowsOfLook * text.size() / live::kBytesOfLook;
  return text;
}

/// True when the poll has its answer.
bool EventWatchers::flush_poll(Attached& watcher, Steady::time_point now, bool is_last) {
  const std::string text = next_messages(watcher);
  if (text.empty() && now < watcher.until && !is_last) return false;
  const std::uint64_t after = is_behind(watcher) ? watcher.sent : std::max(watcher.sent, revision_);
  watcher.watch.reply(answer_of_poll(watcher.watch, text, after, revision_));
  return true;
}

/// True when the stream is over. A client that takes little is sent little: what it has not taken yet stays
/// in the ring, or where older changes are.
bool EventWatchers::flush_stream(Attached& watcher, Steady::time_point now, bool is_last) {
  net::EventStream& stream = *watcher.watch.stream;
  if (stream.is_closed()) return true;
  const bool is_due = watcher.watch.at_once || watcher.is_catching_up || is_last ||
                      now - watcher.flushed >= milliseconds(250);
  if (is_behind(watcher)) {
    if (!is_due || stream.unsent() >= kUnsent) return is_last;
    std::string text = next_messages(watcher);
    if (watcher.is_catching_up) pay(watcher.watch, text.size());
    note_catching_up(watcher);
    has_more_ = has_more_ || watcher.is_catching_up;
    if (text.empty()) return is_last;
    stream.send(std::move(text));
    watcher.flushed = watcher.marked = now;
  } else if (now - watcher.marked >= std::chrono::seconds(15)) {
    stream.send(": \n\n" + sse_message(revision_, "bookmark", fmt::format("{{\"revision\":{}}}", revision_)));
    watcher.marked = now;
  }
  return is_last;
}

/// True when the watch is over, or another's.
bool EventWatchers::flush(Attached& watcher, Steady::time_point now, bool is_last) {
  Watch& watch = watcher.watch;
  if (watch.expires && *watch.expires <= wall_now()) {
    end_watch(watch, no_token_answer());
    return true;
  }
  if (watcher.sent < ring_after_) {
    if (is_last) {
      end_watch(watch, busy_answer("the service ends"));
      return true;
    }
    if (watch.stream != nullptr && watch.stream->unsent() >= kUnsent) return false;
    watch.after = watcher.sent;
    watch.is_revoked = std::make_shared<bool>(false);
    std::erase_if(away_, [](const auto& each) { return each.second.expired(); });
    away_.emplace_back(watch.caller.by, watch.is_revoked);
    options_.older(std::move(watch));
    return true;
  }
  if (watch.stream == nullptr) return flush_poll(watcher, now, is_last);
  if (!flush_stream(watcher, now, is_last)) return false;
  watch.stream->close();
  return true;
}

bool EventWatchers::turn(Steady::time_point now, bool is_last) {
  turn_rows_ = 0;
  has_more_ = false;
  for (std::size_t left = watchers_.size(); left > 0; --left) {
    if (turn_rows_ >= kRowsOfTurn && !is_last) {
      has_more_ = true;
      break;
    }
    const auto each = watchers_.begin();
    bool is_over = true;
    try {
      is_over = flush(*each, now, is_last);
    } catch (const std::exception& failure) {
      end_watch(each->watch, options_.internal(failure));
    }
    if (is_over) {
      watchers_.erase(each);
    } else {
      watchers_.splice(watchers_.end(), watchers_, each);
    }
  }
  return !has_more_;
}

}  // namespace mirab::api
