// How a copy of a collection is kept: list it page by page, then watch from the version of the list, go on
// from the last version when a watch ends, and list again when that is too old (410). What to ask next, and
// what comes of an answer; the network, the clock and the objects belong to others. Pure.
//
//            ┌── 410 ───────────────────────────────┐
//            ▼                                      │
//          list ── last page ──▶ watch ── ends ──▶ watch from the last version seen
//            ▲ │                   │
//            └─┘ pages, pauses     └── 429, 5xx, breaks: the same after a pause
//
// The name is that of client-go's Reflector.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>

#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/watch.hpp"

namespace mirab::kubernetes {

/// Who keeps the objects. Objects are known by `metadata.uid`: a delete and an add of one name may arrive as
/// one update.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  /// A list begins. It may begin again before it ends.
  virtual void begin_list() = 0;
  /// An object as it is now: of the list, added or modified.
  virtual void put(Node object) = 0;
  /// An object that is there no more, or no more selected, as it was last.
  virtual void remove(Node object) = 0;
  /// The list is whole: what was not put since begin_list() is there no more.
  virtual void end_list() = 0;
};

/// One owner.
class Reflector {
 public:
  enum class Do { list, watch };
  struct Step {
    Do what;
    std::string path;
    std::vector<std::pair<std::string, std::string>> query;  ///< not encoded
  };

  /// The seed is that of pauses and of how long a watch is asked for, so that clients do not come at once.
  Reflector(const Resource& resource, std::uint64_t seed) : resource_(resource), random_(seed) {}

  /// How long to wait before what next() says.
  std::chrono::milliseconds pause() const { return pause_; }

  /// What to ask now. take_answer() or end() tells what came of it.
  Step next();

  /// An answer that is whole: a page, or a refusal of the list or the watch.
  void take_answer(int status, std::optional<std::chrono::seconds> retry_after, std::string_view body,
                   ObjectSink& sink);

  /// Bytes of a watch as they come; none when it has begun. False: it is of no more use, and end() is to
  /// follow.
  bool take_bytes(std::string_view bytes, ObjectSink& sink);

  /// A watch has ended, by the server or for the reason given; or a request had no answer.
  void end(std::optional<Error> broken = {});

  /// Nothing was heard of a watch for long. That is no trouble: of what does not change a server may tell
  /// nothing, bookmarks neither. It is asked for again at once.
  void fall_silent();

  /// Is the copy whole, and was the last answer good?
  bool is_current() const { return has_list_ && !trouble_; }

  /// What went wrong since the last good answer. Of what is forbidden (403) its key names the permission:
  /// `list pods`.
  const std::optional<Error>& trouble() const { return trouble_; }

  /// The status of HTTP or of the watch's error that is the trouble; 0 when it is another.
  int refused_with() const { return refused_with_; }

  /// How often anything was heard of the server: pages, refusals, bytes of a watch.
  std::uint64_t heard() const { return heard_; }
  std::uint64_t lists() const { return lists_; }      ///< that were begun
  std::uint64_t watches() const { return watches_; }  ///< that were begun

 private:
  void take_page(std::string_view body, ObjectSink& sink);
  void take_event(WatchEvent event, ObjectSink& sink);
  void take_refusal(const ApiStatus& status, std::optional<std::chrono::seconds> retry_after);
  void list_again();
  void fail(Error error, std::optional<std::chrono::seconds> retry_after = {});
  void succeed();

  const Resource resource_;
  Random random_;
  Do what_ = Do::list;
  bool is_paged_ = true;  // until a list expires between two pages
  bool has_list_ = false;
  std::string continued_;  // within a list: what the next page is asked with
  std::string version_;
  std::optional<WatchReader> reader_;
  bool is_over_ = false;  // the watch is of no more use, and the reason is known
  std::optional<Error> trouble_;
  int refused_with_ = 0;
  int failures_ = 0;  // since a watch last gave an event
  std::chrono::milliseconds pause_{0};
  std::uint64_t heard_ = 0;
  std::uint64_t lists_ = 0;
  std::uint64_t watches_ = 0;
};

}  // namespace mirab::kubernetes
