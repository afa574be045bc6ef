// From a request to a question, and from an answer to a response: what every process does alike that offers
// routes of the table.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/event_watchers.hpp"
#include "api/routes.hpp"
#include "live/answers.hpp"
#include "live/reader.hpp"
#include "net/http_server.hpp"

namespace mirab::api {

live::Problem problem(int status, std::string type, std::string title, std::string detail = {},
                      std::string key = {});

net::Response response_of(const live::Answer& answer);
net::Response response_of(const live::Problem& wrong);
/// What the server itself refuses, as a problem.
net::Response response_of_refusal(int status, std::string_view why);
/// 405 with `Allow`.
net::Response method_refusal(const std::vector<std::string>& allowed);

/// The path of a request that reads, without its query and as it was sent; empty where the request is to
/// change something.
std::string_view path_read(const net::Request& head);

/// The token that it gives; empty: none.
std::string_view bearer_of(const net::Request& head);

std::optional<std::uint64_t> whole_number(std::string_view text);

/// A request for a route of the table, read from its head.
struct Asked {
  const Route* route = nullptr;
  live::Target target = {};
  std::multimap<std::string, std::string> given = {};
  bool takes_gzip = false;
  std::string if_none_match = {};

  /// The first parameter of the name; empty: there is none.
  std::string first(const std::string& name) const {
    const auto found = given.find(name);
    return found == given.end() ? "" : found->second;
  }
};
Asked asked_of(const Match& match, const net::Target& target, const net::Request& head);

/// A parameter that the route does not have, or that is not of its form.
std::optional<live::Problem> wrong_parameter(const Asked& asked);

/// The question of a route whose action is one, without `at_least`. Problems: a body that cannot be read.
live::Parsed<live::Query> query_of(const Asked& asked, const net::Request& request);

/// Of /events, but for the caller, the stream and the reply; `waits`: a long poll.
struct WatchAsked {
  Watch watch;
  bool waits = false;
};
live::Parsed<WatchAsked> watch_of(const Asked& asked);
/// The head of a stream of events.
net::Response stream_head();

/// A document of the process itself: /metrics, /docs.
net::Response text_response(std::string type, std::string text);

/// One that stays the same while the process runs: made once, with an ETag.
class Document {
 public:
  explicit Document(net::Response response);
  /// 304 without a body where the client has it already.
  net::Response answer(const Asked& asked) const;

 private:
  net::Response response_;
  std::string etag_;
};

/// A file of the live page; nothing where there is none of the name.
std::optional<net::Response> page_response(const Asked& asked);

}  // namespace mirab::api
