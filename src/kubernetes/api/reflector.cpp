#include "kubernetes/api/reflector.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {
namespace {

using std::chrono::milliseconds;

constexpr int kPageLimit = 500;
constexpr std::uint64_t kShortestWatchS = 300;
constexpr std::uint64_t kLongestWatchS = 600;
constexpr milliseconds kFirstPause{1'000};
constexpr milliseconds kLongestPause{30'000};
constexpr milliseconds kLongestPauseAt401{5'000};  // other credentials may be in the file by then

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kGone = 410;
constexpr int kTooManyRequests = 429;

/// Does a refusal of a watch say that it may be asked for again from the same version?
bool is_of_the_moment(int code) {
  return code == kUnauthorized || code == kForbidden || code == kTooManyRequests || code >= 500;
}

}  // namespace

Reflector::Step Reflector::next() {
  Step step{.what = what_, .path = std::string(resource_.path), .query = {}};
  pause_ = {};
  is_over_ = false;
  if (what_ == Do::list) {
    // Without resourceVersion: from a quorum, since the cache of a server may be behind what was seen.
    if (is_paged_) step.query.emplace_back("limit", std::to_string(kPageLimit));
    if (!continued_.empty()) step.query.emplace_back("continue", continued_);
  } else {
    ++watches_;
    reader_.emplace(step.path);
    const std::uint64_t seconds = kShortestWatchS + random_.below(kLongestWatchS - kShortestWatchS + 1);
    step.query = {{"watch", "1"},
                  {"resourceVersion", version_},
                  {"allowWatchBookmarks", "true"},
                  {"timeoutSeconds", std::to_string(seconds)}};
  }
  if (!resource_.field_selector.empty()) step.query.emplace_back("fieldSelector", resource_.field_selector);
  return step;
}

void Reflector::take_answer(int status, std::optional<std::chrono::seconds> retry_after,
                            std::string_view body, ObjectSink& sink) {
  ++heard_;
  if (status == kOk && what_ == Do::list) return take_page(body, sink);
  take_refusal(read_status(status, body), retry_after);
}

void Reflector::take_page(std::string_view body, ObjectSink& sink) {
  Result<ListPage> page = read_list_page(body, std::string(resource_.path));
  if (!page) return fail(std::move(page).error());
  succeed();
  failures_ = std::min(failures_, 1);  // not 0: a server may forget each list before it is watched
  if (continued_.empty()) {
    ++lists_;
    sink.begin_list();
  }
  for (Node& item : page->items) sink.put(std::move(item));
  continued_ = std::move(page->continued);
  if (!continued_.empty()) return;
  version_ = std::move(page->version);
  is_paged_ = true;
  has_list_ = true;
  what_ = Do::watch;
  sink.end_list();
}

bool Reflector::take_bytes(std::string_view bytes, ObjectSink& sink) {
  MIRAB_ASSERT(what_ == Do::watch && reader_, "bytes of a watch that was asked for");
  if (is_over_) return false;
  ++heard_;
  succeed();
  Check wrong = reader_->take(bytes, [&](WatchEvent event) { take_event(std::move(event), sink); });
  if (wrong && !is_over_) {
    // The version is that of the last good event: what cannot be read would come again.
    fail(*std::move(wrong));
    list_again();
    is_over_ = true;
  }
  return !is_over_;
}

void Reflector::take_event(WatchEvent event, ObjectSink& sink) {
  if (is_over_) return;
  if (event.type == WatchEvent::Type::error) {
    take_refusal(event.status, {});
    is_over_ = true;
    return;
  }
  failures_ = 0;
  version_ = std::move(event.version);
  if (event.type == WatchEvent::Type::deleted) return sink.remove(std::move(event.object));
  if (event.type != WatchEvent::Type::bookmark) sink.put(std::move(event.object));
}

void Reflector::end(std::optional<Error> broken) {
  if (is_over_) return;
  if (!broken && what_ == Do::watch && reader_ && reader_->is_within_line())
    broken = Error{.message = "the watch ended within a line", .file = std::string(resource_.path)};
  if (broken) return fail(*std::move(broken));
  // Servers end a watch after the time that was asked for, with an event or a bookmark in it. One that ends
  // watches at once is not asked without a pause.
  if (failures_++ > 0) pause_ = kFirstPause;
}

void Reflector::fall_silent() {
  MIRAB_ASSERT(what_ == Do::watch && reader_, "the silence of a watch that was asked for");
  if (is_over_ || reader_->is_within_line()) return end();
  failures_ = 0;
}

void Reflector::take_refusal(const ApiStatus& status, std::optional<std::chrono::seconds> retry_after) {
  const bool is_watch = what_ == Do::watch;
  Error error{.message = fmt::format("answered {}{}{}", status.code, status.message.empty() ? "" : ": ",
                                     status.message),
              .file = std::string(resource_.path)};
  if (status.code == kForbidden)
    error.key = fmt::format("{} {}", is_watch ? "watch" : "list", resource_.plural);
  const bool is_first = failures_ == 0;
  fail(std::move(error), retry_after);
  refused_with_ = status.code;
  if (status.code == kUnauthorized) pause_ = std::min(pause_, kLongestPauseAt401);
  if (status.code == kGone && is_first) pause_ = {};
  if (is_watch && !is_of_the_moment(status.code)) list_again();
  if (!is_watch && status.code == kGone) {
    // Whole the next time, and in pages again should that fail: a large list may not fit in one answer.
    is_paged_ = !is_paged_ || continued_.empty();
    list_again();
  }
}

void Reflector::list_again() {
  what_ = Do::list;
  has_list_ = false;
  continued_.clear();
}

void Reflector::fail(Error error, std::optional<std::chrono::seconds> retry_after) {
  const milliseconds longest = std::min(kLongestPause, kFirstPause * (1 << std::min(failures_, 5)));
  const auto drawn = random_.below(static_cast<std::uint64_t>(longest.count() / 2));
  const milliseconds more{static_cast<std::int64_t>(drawn)};
  pause_ = retry_after ? *retry_after + more : longest / 2 + more;
  ++failures_;
  trouble_ = std::move(error);
  refused_with_ = 0;
}

void Reflector::succeed() {
  trouble_.reset();
  refused_with_ = 0;
}

}  // namespace mirab::kubernetes
