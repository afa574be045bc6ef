// An HTTP/1.1 server for one process that must not fall over: limits on everything, no answer without a
// reader, TLS whose files may change while it runs. It knows nothing of what it serves.
//
// Threads: one I/O thread owns all connections (run()). `Exchange` and `EventStream` may be used from any
// thread. A `Handler` is called on the I/O thread only and must return at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

#include "net/framing.hpp"

namespace mirab::net {

/// A request with its body. The text of the head is its own, so that it may go to another thread.
struct Request {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< names in small letters
  std::string body = {};
  std::shared_ptr<void> note = {};  ///< what the handler wants to find again when the body is there
  std::string address =
      {};  ///< of the client, without the port; behind a trusted proxy the one that it names

  std::string_view field(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string type = "application/json";  ///< empty: without a body
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
  bool closes = false;
  std::chrono::milliseconds after{
      0};  ///< how long it waits before it is sent, for a client that asks too often
};

/// An answer without an end: server-sent events. Calls after the client has gone do nothing.
class EventStream {
 public:
  virtual ~EventStream() = default;
  /// Sends the text. A client that already has more than the limit of unsent bytes is closed.
  virtual void send(std::string text) = 0;
  /// Bytes of the texts whose writing has not ended.
  virtual std::size_t unsent() const = 0;
  virtual void close() = 0;
  virtual bool is_closed() const = 0;
};

/// What is owed to one request. Exactly one of the two is called, once; an exchange that is destroyed
/// unanswered answers 503.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void answer(Response response) = 0;
  virtual std::shared_ptr<EventStream> stream(Response head) = 0;
};

/// What the handler says of a request of which it has seen the head.
struct Admission {
  std::size_t body_bytes = 0;         ///< at most; 0: the request may have no body
  std::unique_ptr<Response> refusal;  ///< set: the answer, and the body is not read
};

class Handler {
 public:
  virtual ~Handler() = default;
  virtual Admission admit(Request& head) = 0;
  virtual void handle(Request request, std::shared_ptr<Exchange> exchange) = 0;
  /// A request that was refused before the handler saw it; for the log and the metrics.
  virtual void refused(std::string_view /*address*/, int /*status*/, std::string_view /*why*/) {}
  /// The body of a refusal by the server itself.
  virtual Response refusal(int status, std::string_view why) = 0;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;             ///< 0: any; see Server::port
  std::string certificate_file = {};  ///< PEM; with the key: TLS 1.2 and later only
  std::string key_file = {};
  std::vector<std::string> trusted_proxies = {};  ///< ADDR/BITS whose X-Forwarded-For is believed
  HeadLimits head = {};
  std::size_t connections = 12'000;
  std::size_t connections_per_address = 256;  ///< 0: no limit
  std::size_t handshakes = 512;
  std::size_t unsent_bytes = std::size_t{1} << 20U;  ///< of an EventStream
  std::chrono::milliseconds head_time{10'000};
  std::chrono::milliseconds idle_time{75'000};
  std::chrono::milliseconds stall_time{30'000};
  std::size_t body_bytes_per_s = 1024;  ///< the slowest client that is waited for
};

/// Figures of a running server.
struct ServerFigures {
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::uint64_t refused_connections = 0;
  std::int64_t certificate_expiry_s = 0;  ///< Unix time; 0 without TLS
  std::uint64_t failed_reloads = 0;
};

class Server {
 public:
  /// Opens the port and reads the certificate. Errors: what the system says, with the option's key.
  static Result<std::unique_ptr<Server>> open(const ServerOptions& options, Handler& handler);
  virtual ~Server() = default;
  virtual std::uint16_t port() const = 0;
  virtual bool has_tls() const = 0;
  /// Serves until stop(), on the calling thread.
  virtual void run() = 0;
  /// From any thread: takes no new connection, lets answers that are due be written for at most `grace`,
  /// returns run().
  virtual void stop(std::chrono::milliseconds grace) = 0;
  /// From any thread: runs `work` on the I/O thread.
  virtual void post(std::function<void()> work) = 0;
  /// From any thread: runs `work` on the I/O thread at each interval.
  virtual void every(std::chrono::milliseconds interval, std::function<void()> work) = 0;
  /// On the I/O thread: reads certificate and key again. The old ones stay where the new ones cannot be used.
  virtual Check reload_certificate() = 0;
  /// Calls `work` on the I/O thread for each signal of these numbers.
  virtual void on_signal(std::vector<int> numbers, std::function<void(int)> work) = 0;
  /// On the I/O thread.
  virtual ServerFigures figures() const = 0;
};

/// Is the address one of this machine only (127.0.0.0/8, ::1)?
bool is_loopback(const std::string& address);

/// What counts as one client: the address, or of an IPv6 address its /64, which one machine may have to
/// itself.
std::string client_of(const std::string& address);

/// `127.0.0.1:7417`, `[::1]:7417`: address and port.
struct Endpoint {
  std::string address;
  std::uint16_t port;
};
Result<Endpoint> read_endpoint(const std::string& text, const std::string& key);

/// What a status is called: `Not Found`.
std::string_view reason(int status);

}  // namespace mirab::net
