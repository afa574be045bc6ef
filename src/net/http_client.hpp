// An HTTP/1.1 client: one connection that is kept, TLS, limits on time and size, and what failed on the way
// asked again. It knows nothing of what it asks for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

#include "net/credentials.hpp"
#include "net/http_server.hpp"

namespace mirab::net {

/// A server, as its URL names it: `https://cluster.example:7417`, with a path before all targets where a
/// proxy wants one.
struct Url {
  bool has_tls = false;
  std::string host = {};
  std::string text = {};  ///< without a slash at its end
};

/// Errors, with the key: another scheme than http and https; a user, a query or a fragment in it; no host.
Result<Url> read_url(const std::string& text, const std::string& key);

/// Would what is sent there leave this machine without TLS?
bool is_readable_on_the_way(const Url& url);

/// `a b/c` is `a%20b%2Fc`: a text as one part of a path, or as a value of a query.
std::string percent_encoded(std::string_view text);

struct HttpClientOptions {
  Url url = {};
  Pem ca = {};                   ///< none: the certificates that the system trusts
  std::string server_name = {};  ///< that the server's certificate must have; empty: the host of the URL
  bool is_insecure = false;      ///< the server's certificate is not checked
  std::string proxy_url = {};    ///< empty: that of the environment
  Credentials credentials = {};
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< of every request
  std::chrono::milliseconds connect_time{10'000};
  std::chrono::milliseconds answer_time{90'000};  ///< of a whole answer; streams have none
  std::chrono::milliseconds patience{10'000};     ///< how long a request is tried again; 0: never
  std::size_t answer_bytes = std::size_t{256} << 20U;
  std::uint64_t seed = 0;  ///< of the pauses, so that clients do not come back all at once
  /// Called before the first pause of a request, with what went wrong.
  std::function<void(const std::string& why)> waits = {};
  /// Asked about once a second of a request that is on its way; true: it ends with an error.
  std::function<bool()> is_stopped = {};
};

/// What the server asks for with `Retry-After`, when that is a number of seconds of less than a day.
std::optional<std::chrono::seconds> retry_after(const Response& response);

/// What came of a stream.
struct Streamed {
  Response answer;         ///< whole, where its status is not 200
  bool is_silent = false;  ///< of status 200, and too long without a byte of its body
};

/// Not for several threads at once.
class HttpClient {
 public:
  /// Errors: a certificate, key or token that cannot be read.
  static Result<std::unique_ptr<HttpClient>> open(HttpClientOptions options);
  virtual ~HttpClient() = default;

  /// Whether the same request may be sent again when it is unknown what came of the first.
  enum class Repeat { no, yes };

  /// Sends a request and reads its answer, whatever its status. `target` of the request is encoded already.
  /// Tried again within `patience`, after the server's `Retry-After` where it sends one, else after a pause
  /// that grows from 0.1 to 5 s: always where the server was not reached or refused for load (429); with
  /// Repeat::yes also what broke on the way, and 502, 503 and 504. A 401 is asked again once where the file
  /// of the token, or the issuer, has other credentials now. Errors: what went wrong the last time; those of
  /// the issuer.
  virtual Result<Response> send(const Request& request, Repeat repeat) = 0;

  /// Gives the bytes of an answer of status 200 to `take` as they come, first none when its head is there,
  /// until `take` returns false, the server ends it, or its body is silent for `silence`: less than a byte a
  /// second, counted from the request on. Other answers are returned as send() does; nothing but a 401 is
  /// tried again. Errors: not reached, no answer within `silence`, broken; those of the issuer.
  virtual Result<Streamed> stream(const Request& request, std::chrono::seconds silence,
                                  const std::function<bool(std::string_view)>& take) = 0;
};

}  // namespace mirab::net
