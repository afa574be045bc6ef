// Watchers of events, whose older ones come from the file, and executors that poll.
#include <algorithm>

#include "service/threads.hpp"

namespace mirab::service {
namespace {

constexpr std::size_t kPollsOfServer = 4;

}  // namespace

Watchers::Watchers(Shared& shared, Workers& workers, std::uint64_t revision,
                   std::function<void(std::function<void()>)> post)
    : shared_(shared),
      workers_(workers),
      post_(std::move(post)),
      events_(
          {.others = shared.options.others,
           .ring = shared.options.ring,
           .older = [this](Watch watch) { read_old_events(std::move(watch)); },
           .internal = [&shared](const std::exception& failure) { return shared.internal_answer(failure); }},
          revision) {}

void Watchers::add(std::vector<live::Change> changes) {
  for (const live::Change& change : changes) {
    for (const live::Event& event : change.events) {
      // That a task has started comes from the executor itself: it changes nothing that it is to do.
      if (!event.server.empty() && event.kind != "task-started") changed_[event.server] = change.revision;
    }
  }
  events_.add(std::move(changes));
  if (changed_.size() < swept_at_) return;
  // A poll that knows less than the ring is answered at once, whatever is known of its server.
  std::erase_if(changed_, [&](const auto& each) { return each.second <= events_.ring_after(); });
  swept_at_ = std::max<std::size_t>(1024, 2 * changed_.size());
}

void Watchers::turn(const live::Reader& reader, Steady::time_point now, bool is_last) {
  turn_polls(reader, is_last ? Steady::time_point::max() : now);
  has_more_ = !events_.turn(now, is_last);
  shared_.figures.watchers = events_.size();
}

void Watchers::watch(Watch watch) {
  events_.watch(std::move(watch));
  shared_.figures.watchers = events_.size();
}

void Watchers::token_changed(const std::string& id) {
  events_.token_changed(id);
  const std::string by = "token:" + id;
  for (auto each = polls_.begin(); each != polls_.end();) {
    const bool is_over = each->second.caller.by == by;
    if (is_over) each->second.reply(api::no_token_answer());
    each = is_over ? polls_.erase(each) : std::next(each);
  }
}

// Polls.

void Watchers::poll(HeldPoll poll, const live::Reader& reader) {
  const std::string server = poll.query.name;
  const auto changed = changed_.find(server);
  const bool has_news = poll.after == 0 || (changed != changed_.end() && changed->second > poll.after) ||
                        (changed == changed_.end() && poll.after < events_.ring_after());
  if (has_news || poll.until <= Steady::now())
    return poll.reply(shared_.get(reader, poll.query, poll.caller));
  // An executor has one poll at a time. Where more come, the oldest is let go.
  if (polls_.count(server) >= kPollsOfServer) {
    const auto oldest = polls_.find(server);
    oldest->second.reply(shared_.get(reader, oldest->second.query, oldest->second.caller));
    polls_.erase(oldest);
  }
  polls_.emplace(server, std::move(poll));
}

void Watchers::turn_polls(const live::Reader& reader, Steady::time_point now) {
  for (auto each = polls_.begin(); each != polls_.end();) {
    const auto changed = changed_.find(each->first);
    const bool has_news = changed != changed_.end() && changed->second > each->second.after;
    if (!has_news && each->second.until > now) {
      ++each;
      continue;
    }
    each->second.reply(shared_.get(reader, each->second.query, each->second.caller));
    each = polls_.erase(each);
  }
}

/// What the ring no longer has comes from the file, on a worker, piece by piece.
void Watchers::read_old_events(Watch watch) {
  if (watch.after + 1 < shared_.figures.oldest_revision.load())
    return api::end_watch(watch, live::answer_of(live::compacted(shared_.figures.oldest_revision.load()),
                                                 shared_.figures.reader_revision.load()));
  const std::string tenant = watch.caller.tenant;
  const auto shared = std::make_shared<Watch>(std::move(watch));
  workers_.give({tenant,
                 [this, shared] {
                   Watch& held = *shared;
                   const OldEvents old = old_events(shared_.options.file, held.after);
                   if (!old.failure.empty()) return api::end_watch(held, busy_answer(old.failure));
                   std::string text;
                   std::uint64_t after = old.after;
                   for (const live::Change& change : old.changes) {
                     if (api::EventWatchers::add_message(text, held, change, shared_.options.others))
                       continue;
                     after = change.revision - 1;
                     break;
                   }
                   held.after = after;
                   if (held.stream == nullptr && !text.empty()) {
                     return held.reply(api::EventWatchers::answer_of_poll(held, text, after, after));
                   }
                   if (held.stream != nullptr && !text.empty()) {
                     api::EventWatchers::pay(held, text.size());
                     held.stream->send(std::move(text));
                   }
                   post_([this, shared] { events_.attach(*shared); });
                 },
                 [shared](const live::Answer& answer) { api::end_watch(*shared, answer); }});
}

}  // namespace mirab::service
