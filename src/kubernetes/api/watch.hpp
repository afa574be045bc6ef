// What the API server sends: the lines of a watch, the pages of a list, and why it refuses. Bytes in, values
// out; pure.
//
//   {"type":"ADDED","object":{"kind":"Pod","metadata":{"resourceVersion":"17",…},…}}
//   {"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"41"}}}
//   {"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old …"}}
//
// A line is an event. Source: Kubernetes, "API Concepts", efficient detection of changes, chunks, bookmarks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

#include "model/document.hpp"

namespace mirab::kubernetes {

/// Why the API server refuses: the object `Status` of its API.
struct ApiStatus {
  int code = 0;              ///< of HTTP: 410
  std::string reason = {};   ///< for programs: `Expired`, `Conflict`; may be empty
  std::string message = {};  ///< for people
};

/// The status in the body of an answer. A body that is none, such as that of a proxy, is the message itself,
/// up to 200 bytes of it.
ApiStatus read_status(int code, std::string_view body);

struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark, error };
  Type type;
  Node object;               ///< without `metadata.managedFields`; of an error empty
  std::string version = {};  ///< metadata.resourceVersion of the object, from which to go on
  ApiStatus status = {};     ///< of an error
};

/// The bytes of one watch, cut anywhere. One owner.
class WatchReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{8} << 20U;

  /// `name` is what errors call the text: the path that is watched.
  explicit WatchReader(std::string name) : name_(std::move(name)) {}

  /// Calls `each` with every event that is whole now. Events of other types and empty lines are passed over.
  /// Errors, after which it takes no more: a line that is too long, no JSON, or no event. O(bytes); holds one
  /// line.
  Check take(std::string_view bytes, const std::function<void(WatchEvent event)>& each);

  /// Does the text end within a line? Such an end is a break.
  bool is_within_line() const { return !line_.empty(); }

 private:
  std::string name_;
  std::string line_;
  int number_ = 0;
  bool is_failed_ = false;
};

/// A page of a list.
struct ListPage {
  std::vector<Node> items;     ///< without `metadata.managedFields`, and mostly without a kind
  std::string version;         ///< metadata.resourceVersion: where a watch begins
  std::string continued = {};  ///< metadata.continue: what the next page is asked with; empty: the last page
};

/// Errors: no JSON, no list, no version, an item that is no map.
Result<ListPage> read_list_page(std::string_view body, const std::string& name);

}  // namespace mirab::kubernetes
