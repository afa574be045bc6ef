// Watchers of events and executors that poll: what happens goes out in pieces, as fast as each client takes
// it.
#include <algorithm>
#include <fmt/format.h>

#include "service/threads.hpp"

namespace mirab::service {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;  // bytes that a watcher is sent at once
constexpr std::size_t kLookedAt = 4096;                  // changes that a watcher looks at in a turn

/// How a watch ends early: a poll with an answer, a stream with its end.
void end_watch(const Watch& watch, const live::Answer& answer) {
  if (watch.reply) watch.reply(answer);
  if (watch.stream != nullptr) watch.stream->close();
}

std::string sse_message(std::uint64_t revision, std::string_view event, std::string_view data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", revision, event, data);
}

live::Answer no_token_answer() { return problem_answer(401, "no-token", "A valid token is needed", ""); }

}  // namespace

void Watchers::add(std::vector<live::Change> changes) {
  for (live::Change& change : changes) {
    for (const live::Event& event : change.events) {
      // That a task has started comes from the executor itself: it changes nothing that it is to do.
      if (!event.server.empty() && event.kind != "task-started") changed_[event.server] = change.revision;
    }
    ring_.push_back(std::move(change));
  }
  while (ring_.size() > shared_.options.ring) {
    ring_after_ = ring_.front().revision;
    ring_.pop_front();
  }
}

void Watchers::turn(const live::Reader& reader, Steady::time_point now, bool is_last) {
  turn_polls(reader, is_last ? Steady::time_point::max() : now);
  flush(now, is_last);
}

// Polls.

void Watchers::poll(HeldPoll poll, const live::Reader& reader) {
  const std::string server = poll.query.name;
  const auto changed = changed_.find(server);
  const bool has_news = poll.after == 0 || (changed != changed_.end() && changed->second > poll.after) ||
                        (changed == changed_.end() && poll.after < ring_after_);
  if (has_news || poll.until <= Steady::now())
    return poll.reply(shared_.get(reader, poll.query, poll.caller));
  changed_.try_emplace(server, poll.after);
  polls_.emplace(server, std::move(poll));
}

void Watchers::turn_polls(const live::Reader& reader, Steady::time_point now) {
  for (auto each = polls_.begin(); each != polls_.end();) {
    if (changed_[each->first] <= each->second.after && each->second.until > now) {
      ++each;
      continue;
    }
    each->second.reply(shared_.get(reader, each->second.query, each->second.caller));
    each = polls_.erase(each);
  }
}

// Events.

void Watchers::watch(Watch watch) {
  if (watch.is_from_now) watch.after = shared_.figures.reader_revision.load();
  watch.token_changes = token_changes_[watch.caller.by];
  attach(std::move(watch));
}

void Watchers::attach(Watch watch) {
  if (watch.token_changes != token_changes_[watch.caller.by]) return end_watch(watch, no_token_answer());
  Attached watcher{.watch = std::move(watch),
                   .flushed = Steady::now() - std::chrono::seconds(1),
                   .marked = Steady::now(),
                   .until = {}};
  watcher.sent = watcher.watch.after;
  watcher.until = Steady::now() + watcher.watch.wait;
  watchers_.push_back(std::move(watcher));
  shared_.figures.watchers = watchers_.size();
}

/// Called after the I/O thread has forgotten the token, so that no watch can come in between.
void Watchers::token_changed(const std::string& id) {
  const std::string by = "token:" + id;
  ++token_changes_[by];
  watchers_.remove_if([&](const Attached& watcher) {
    if (watcher.watch.caller.by != by) return false;
    end_watch(watcher.watch, no_token_answer());
    return true;
  });
  for (auto each = polls_.begin(); each != polls_.end();) {
    const bool is_over = each->second.caller.by == by;
    if (is_over) each->second.reply(no_token_answer());
    each = is_over ? polls_.erase(each) : std::next(each);
  }
}

/// What the ring no longer has comes from the file, on a worker, piece by piece.
void Watchers::read_old_events(Watch watch) {
  if (watch.after + 1 < shared_.figures.oldest_revision.load())
    return end_watch(watch, live::answer_of(live::compacted(shared_.figures.oldest_revision.load()),
                                            shared_.figures.reader_revision.load()));
  const std::string tenant = watch.caller.tenant;
  const auto shared = std::make_shared<Watch>(std::move(watch));
  workers_.give({tenant,
                 [this, shared] {
                   Watch& held = *shared;
                   const OldEvents old = old_events(shared_.options.file, held.after);
                   if (!old.failure.empty()) return end_watch(held, busy_answer(old.failure));
                   std::string text;
                   std::uint64_t after = old.after;
                   for (const live::Change& change : old.changes) {
                     if (add_message(text, held, change)) continue;
                     after = change.revision - 1;
                     break;
                   }
                   held.after = after;
                   if (held.stream == nullptr && !text.empty()) {
                     return held.reply(
                         {.status = 200,
                          .body = {{"changes", live::Json::parse("[" + text + "]")}, {"revision", after}},
                          .revision = after});
                   }
                   if (held.stream != nullptr && !text.empty()) held.stream->send(std::move(text));
                   post_([this, shared] { attach(*shared); });
                 },
                 [shared](const live::Answer& answer) { end_watch(*shared, answer); }});
}

/// False when the piece has no room for the message.
bool Watchers::add_message(std::string& text, const Watch& watch, const live::Change& change) const {
  const auto message = live::message_of(change, watch.filter, watch.caller, shared_.options.others);
  if (!message) return true;
  if (!text.empty() && text.size() + message->size() > kPiece - 100) return false;
  if (watch.stream != nullptr) {
    text += sse_message(change.revision, "change", *message);
  } else {
    text += (text.empty() ? "" : ",") + *message;
  }
  return true;
}

/// A piece of what the ring has for the watcher.
std::string Watchers::next_messages(Attached& watcher) const {
  std::string text;
  auto next = std::upper_bound(
      ring_.begin(), ring_.end(), watcher.sent,
      [](std::uint64_t revision, const live::Change& change) { return revision < change.revision; });
  for (std::size_t n = 0; n < kLookedAt && next != ring_.end(); ++n, ++next) {
    if (!add_message(text, watcher.watch, *next)) break;
    watcher.sent = next->revision;
  }
  return text;
}

/// True when the poll has its answer.
bool Watchers::flush_poll(Attached& watcher, Steady::time_point now, bool is_last) {
  const std::string text = next_messages(watcher);
  if (text.empty() && now < watcher.until && !is_last) return false;
  const std::uint64_t revision =
      is_behind(watcher) ? watcher.sent : std::max(watcher.sent, shared_.figures.reader_revision.load());
  watcher.watch.reply({.status = 200,
                       .body = {{"changes", live::Json::parse("[" + text + "]")}, {"revision", revision}},
                       .revision = shared_.figures.reader_revision.load()});
  return true;
}

/// True when the stream is over. A client that takes little is sent little: what it has not taken yet stays
/// in the ring, or in the file.
bool Watchers::flush_stream(Attached& watcher, Steady::time_point now, bool is_last) {
  net::EventStream& stream = *watcher.watch.stream;
  if (stream.is_closed()) return true;
  const bool is_due = watcher.watch.at_once || watcher.is_catching_up || is_last ||
                      now - watcher.flushed >= milliseconds(250);
  if (is_behind(watcher)) {
    if (!is_due || stream.unsent() >= kPiece) return is_last;
    std::string text = next_messages(watcher);
    watcher.is_catching_up = is_behind(watcher);
    if (text.empty()) return is_last;
    stream.send(std::move(text));
    watcher.flushed = watcher.marked = now;
  } else if (now - watcher.marked >= std::chrono::seconds(15)) {
    const std::uint64_t revision = shared_.figures.reader_revision.load();
    stream.send(": \n\n" + sse_message(revision, "bookmark", fmt::format("{{\"revision\":{}}}", revision)));
    watcher.marked = now;
  }
  return is_last;
}

void Watchers::flush(Steady::time_point now, bool is_last) {
  const live::Wall wall = wall_now();
  for (auto each = watchers_.begin(); each != watchers_.end();) {
    Watch& watch = each->watch;
    bool is_over = true;
    try {
      if (watch.expires && *watch.expires <= wall) {
        end_watch(watch, no_token_answer());
      } else if (each->sent < ring_after_ && is_last) {
        end_watch(watch, busy_answer("the service ends"));
      } else if (each->sent < ring_after_) {
        is_over = watch.stream == nullptr || watch.stream->unsent() < kPiece;
        watch.after = each->sent;
        if (is_over) read_old_events(std::move(watch));
      } else if (watch.stream == nullptr) {
        is_over = flush_poll(*each, now, is_last);
      } else {
        is_over = flush_stream(*each, now, is_last);
        if (is_over) watch.stream->close();
      }
    } catch (const std::exception& failure) {
      end_watch(watch, shared_.internal_answer(failure));
      is_over = true;
    }
    each = is_over ? watchers_.erase(each) : std::next(each);
  }
  shared_.figures.watchers = watchers_.size();
}

}  // namespace mirab::service
