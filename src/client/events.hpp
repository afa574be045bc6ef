// What happens, as it happens: the stream of server-sent events of a service, followed through breaks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "client/service.hpp"

namespace mirab::client {

/// A server-sent event (HTML Living Standard, 9.2).
struct Message {
  std::string event = {};
  std::uint64_t id = 0;  ///< the revision
  std::string data = {};
};

/// Puts messages together from the bytes of a stream, however they are cut.
class MessageReader {
 public:
  /// Calls `visit` for each message that ends in these bytes, until it returns false; then so does feed().
  bool feed(std::string_view bytes, const std::function<bool(const Message&)>& visit);

 private:
  void read_line(std::string_view line);

  std::string rest_ = {};  ///< a line without its end
  Message message_ = {};
};

/// What to follow, and who is to know.
struct Following {
  Query filter = {};        ///< kind, queue, job, server
  std::uint64_t after = 0;  ///< the revision after which it begins
  bool is_known = false;    ///< the service has answered before: also the first break is waited out
  /// The service sends something every 15 s: a stream that is silent for so long is broken.
  std::chrono::seconds silence{45};
  std::function<bool(const Json& change)> change = {};  ///< {"revision", "at", "events"}; false: enough
  std::function<void(const std::string& sentence)> note = {};  ///< breaks, and that they are over
  /// The log no longer goes back to where the stream broke: the events up to this revision are not seen.
  std::function<bool(std::uint64_t up_to)> gap = {};  ///< false: enough
};

/// Follows until `change` or `gap` returns false, and comes back after each break of the connection at the
/// revision where it broke, so that each event is seen once. The answer: status 200, or the problem for
/// which the service refuses to go on. Errors: it was never reached.
Result<Answer> follow(Service& service, Following following);

}  // namespace mirab::client
