// A connection: reads a request, hands it over, writes the answer; or streams events.
#include "net/connection.hpp"

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <fmt/format.h>
#include <utility>  // asio/awaitable.hpp of Boost 1.74 needs it first

namespace mirab::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;

/// Head and body of a response as they are sent.
std::string as_bytes(const Response& response, bool keeps_alive, bool has_end = true) {
  std::string bytes;
  bytes.reserve(256 + response.body.size());
  fmt::format_to(std::back_inserter(bytes), "HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
  if (!response.type.empty())
    fmt::format_to(std::back_inserter(bytes), "Content-Type: {}\r\n", response.type);
  for (const auto& [name, value] : response.fields)
    fmt::format_to(std::back_inserter(bytes), "{}: {}\r\n", name, value);
  if (has_end && response.status != 204 && response.status != 304)
    fmt::format_to(std::back_inserter(bytes), "Content-Length: {}\r\n", response.body.size());
  bytes += keeps_alive && has_end ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  bytes += response.body;
  return bytes;
}

using Counter = std::shared_ptr<std::atomic<std::size_t>>;

/// What an answer needs of a connection, whatever the connection is made of.
class Answering : public Connection, public std::enable_shared_from_this<Answering> {
 public:
  /// On the I/O thread: writes the answer to the request that is being served.
  virtual void deliver(Response response) = 0;
  virtual void begin_stream(Response head, Counter unsent) = 0;
  virtual void send_event(std::string text) = 0;
};

/// The answer that a connection waits for.
class ConnectionExchange final : public Exchange {
 public:
  ConnectionExchange(Connections& connections, std::weak_ptr<Answering> connection)
      : connections_(connections), connection_(std::move(connection)) {}
  ~ConnectionExchange() override {
    if (!is_used_.load()) ConnectionExchange::answer({.status = 503, .type = "", .closes = true});
  }
  ConnectionExchange(const ConnectionExchange&) = delete;
  ConnectionExchange& operator=(const ConnectionExchange&) = delete;

  void answer(Response response) override {
    if (is_used_.exchange(true)) return;
    asio::post(connections_.context, [connection = connection_, response = std::move(response)]() mutable {
      if (const auto alive = connection.lock()) alive->deliver(std::move(response));
    });
  }
  std::shared_ptr<EventStream> stream(Response head) override;

 private:
  Connections& connections_;
  std::weak_ptr<Answering> connection_;
  std::atomic<bool> is_used_ = false;
};

class ConnectionStream final : public EventStream {
 public:
  ConnectionStream(Connections& connections, std::weak_ptr<Answering> connection, Counter unsent)
      : connections_(connections), connection_(std::move(connection)), unsent_(std::move(unsent)) {}
  std::size_t unsent() const override { return unsent_->load(); }
  void send(std::string text) override {
    *unsent_ += text.size();
    asio::post(connections_.context, [connection = connection_, text = std::move(text)]() mutable {
      if (const auto alive = connection.lock()) alive->send_event(std::move(text));
    });
  }
  void close() override {
    asio::post(connections_.context, [connection = connection_] {
      if (const auto alive = connection.lock()) alive->shut();
    });
  }
  bool is_closed() const override { return connection_.expired(); }

 private:
  Connections& connections_;
  std::weak_ptr<Answering> connection_;
  Counter unsent_;
};

std::shared_ptr<EventStream> ConnectionExchange::stream(Response head) {
  if (is_used_.exchange(true)) return nullptr;
  auto unsent = std::make_shared<std::atomic<std::size_t>>(0);
  // At once on the I/O thread: what it posts waits until its handler returns, and what another thread sends
  // meanwhile would come first and be lost.
  asio::dispatch(connections_.context, [connection = connection_, head = std::move(head), unsent]() mutable {
    if (const auto alive = connection.lock()) alive->begin_stream(std::move(head), std::move(unsent));
  });
  return std::make_shared<ConnectionStream>(connections_, connection_, std::move(unsent));
}

/// One connection on a stream of bytes. At any time one operation reads or one request is served, and at
/// most one operation writes. It ends when it forgets itself at the server.
template <class Stream>
class StreamConnection final : public Answering {
 public:
  StreamConnection(Connections& connections, Stream stream, std::string address)
      : connections_(connections), stream_(std::move(stream)), address_(std::move(address)) {}
  ~StreamConnection() override {
    if (is_streaming_) --connections_.streams;
    if (is_shaking_) --connections_.handshakes;
    connections_.leave(address_);
  }
  StreamConnection(const StreamConnection&) = delete;
  StreamConnection& operator=(const StreamConnection&) = delete;

  void start() override {
    if constexpr (std::is_same_v<Stream, Secure>) {
      is_shaking_ = true;
      ++connections_.handshakes;
      lowest().expires_after(connections_.options.head_time);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](ErrorCode error) {
        self->is_shaking_ = false;
        --self->connections_.handshakes;
        if (error) return self->shut();
        self->read_head();
      });
    } else {
      read_head();
    }
  }

  void shut() override {
    if (is_shut_) return;
    is_shut_ = true;
    ErrorCode ignored;
    lowest().socket().shutdown(tcp::socket::shutdown_send, ignored);
    lowest().close();
    connections_.forget(this);
  }

  bool is_idle() const override { return state_ == State::reading && buffer_.size() == 0; }

  void deliver(Response response) override {
    if (is_shut_ || state_ != State::serving) return;
    if (response.after.count() > 0) return deliver_later(std::move(response));
    keeps_alive_ = keeps_alive_ && !response.closes && !connections_.is_stopping;
    if (is_head_request_) {
      std::string bytes = as_bytes(response, keeps_alive_);
      bytes.resize(bytes.size() - response.body.size());
      return write(std::move(bytes));
    }
    write(as_bytes(response, keeps_alive_));
  }

  void begin_stream(Response head, Counter unsent) override {
    if (is_shut_ || state_ != State::serving) return;
    if (is_head_request_) {  // an answer without a body; the stream is over before it begins
      keeps_alive_ = false;
      return write(as_bytes(head, false, false));
    }
    unsent_count_ = std::move(unsent);
    is_streaming_ = true;
    ++connections_.streams;
    state_ = State::streaming;
    keeps_alive_ = false;
    watch_for_end();  // first: the time limit of the write is not the reader's
    write(as_bytes(head, false, false));
  }

  void send_event(std::string text) override {
    if (is_shut_ || state_ != State::streaming) return;
    if (unsent_.size() > connections_.options.unsent_bytes) return shut();
    if (is_writing_) {
      unsent_ += text;
    } else {
      write_events(std::move(text));
    }
  }

 private:
  enum class State { reading, serving, streaming };

  std::shared_ptr<StreamConnection> self() {
    return std::static_pointer_cast<StreamConnection>(this->shared_from_this());
  }
  Plain& lowest() { return beast::get_lowest_layer(stream_); }

  std::string_view buffered() const {
    return {static_cast<const char*>(buffer_.data().data()), buffer_.size()};
  }

  /// Reads until a head is whole. The first byte may take the idle time, the rest of the head its own.
  void read_head() {
    state_ = State::reading;
    searched_ = 0;
    is_timing_head_ = false;
    read_more_of_head();
  }

  void read_more_of_head() {
    if (const auto size = head_size(buffered(), searched_)) return take_head(*size);
    searched_ = buffer_.size();
    if (searched_ > connections_.options.head.bytes) return refuse({431, "the head is too long"});
    if (searched_ == 0) {
      lowest().expires_after(connections_.options.idle_time);
    } else if (!is_timing_head_) {
      is_timing_head_ = true;
      lowest().expires_after(connections_.options.head_time);
    }
    stream_.async_read_some(buffer_.prepare(4096), [self = self()](ErrorCode error, std::size_t count) {
      if (self->is_shut_) return;
      self->buffer_.commit(count);
      if (error) return self->end_of_reading(error);
      self->read_more_of_head();
    });
  }

  void end_of_reading(ErrorCode error) {
    if (error == beast::error::timeout && buffer_.size() > 0 && state_ == State::reading)
      connections_.handler.refused(address_, 408, "the head did not come in time");
    shut();
  }

  void take_head(std::size_t size) {
    Head head;
    if (const auto error = check_head(buffered().substr(0, size), connections_.options.head, head))
      return refuse(*error);
    request_ = {};
    request_.method = head.method;
    request_.target = head.target;
    request_.fields.reserve(head.fields.size());
    for (const auto& [name, value] : head.fields) request_.fields.emplace_back(name, value);
    request_.address = client_address(head);
    keeps_alive_ = head.keeps_alive;
    is_head_request_ = head.method == "HEAD";
    const bool has_body = head.is_chunked || head.content_length > 0;
    Admission admission = connections_.handler.admit(request_);
    if (admission.refusal == nullptr && head.content_length > admission.body_bytes)
      return refuse({413, "the body is too long"});
    if (admission.refusal != nullptr) {
      // A body that is not read would be taken for the next request.
      if (has_body) admission.refusal->closes = true;
      state_ = State::serving;
      if (!has_body) buffer_.consume(size);
      return deliver(std::move(*admission.refusal));
    }
    if (!has_body) {
      buffer_.consume(size);
      return serve();
    }
    const auto seconds = 10 + head.content_length / connections_.options.body_bytes_per_s;
    read_body(admission.body_bytes,
              head.is_chunked
                  ? std::chrono::seconds(10 + admission.body_bytes / connections_.options.body_bytes_per_s)
                  : std::chrono::seconds(seconds),
              head.expects_continue);
  }

  void read_body(std::size_t limit, std::chrono::seconds time, bool expects_continue) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(connections_.options.head.bytes + 1024));
    parser_->body_limit(limit);
    parser_->eager(true);
    body_time_ = time;
    if (!expects_continue) return read_rest_of_body();
    lowest().expires_after(connections_.options.stall_time);
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = self()](ErrorCode error, std::size_t) {
                        if (error || self->is_shut_) return self->shut();
                        self->read_rest_of_body();
                      });
  }

  void read_rest_of_body() {
    lowest().expires_after(body_time_);
    http::async_read(stream_, buffer_, *parser_, [self = self()](ErrorCode error, std::size_t) {
      if (self->is_shut_) return;
      if (error == http::error::body_limit || error == http::error::buffer_overflow)
        return self->refuse({413, "the body is too long"});
      if (error == beast::error::timeout) return self->refuse({408, "the body did not come in time"});
      if (error.category() == http::make_error_code(http::error::bad_chunk).category() &&
          error != http::error::partial_message && error != http::error::end_of_stream)
        return self->refuse({400, "malformed body"});
      if (error) return self->shut();
      self->request_.body = std::move(self->parser_->get().body());
      self->parser_.reset();
      self->serve();
    });
  }

  void serve() {
    state_ = State::serving;
    lowest().expires_never();
    connections_.handler.handle(std::move(request_),
                                std::make_shared<ConnectionExchange>(connections_, this->weak_from_this()));
  }

  void deliver_later(Response response) {
    auto timer = std::make_shared<asio::steady_timer>(connections_.context, response.after);
    response.after = {};
    timer->async_wait([self = self(), timer, response = std::move(response)](ErrorCode error) mutable {
      if (!error) self->deliver(std::move(response));
    });
  }

  void refuse(const FramingError& error) {
    connections_.handler.refused(address_, error.status, error.why);
    state_ = State::serving;
    Response response = connections_.handler.refusal(error.status, error.why);
    response.closes = true;
    deliver(std::move(response));
  }

  void write(std::string bytes) {
    is_writing_ = true;
    writing_ = std::move(bytes);
    written_ = 0;
    write_more();
  }

  void write_events(std::string text) {
    event_bytes_ = text.size();
    write(std::move(text));
  }

  /// Each write must make progress within the stall time, however long the whole is.
  void write_more() {
    lowest().expires_after(connections_.options.stall_time);
    stream_.async_write_some(asio::buffer(writing_.data() + written_, writing_.size() - written_),
                             [self = self()](ErrorCode error, std::size_t count) {
                               if (error || self->is_shut_) return self->shut();
                               self->written_ += count;
                               if (self->written_ < self->writing_.size()) return self->write_more();
                               self->end_of_writing();
                             });
  }

  void end_of_writing() {
    is_writing_ = false;
    if (state_ == State::streaming) {
      lowest().expires_never();
      *unsent_count_ -= std::exchange(event_bytes_, 0);
      if (!unsent_.empty()) write_events(std::exchange(unsent_, {}));
      return;
    }
    writing_.clear();
    if (writing_.capacity() > 65536) writing_.shrink_to_fit();
    if (!keeps_alive_ || connections_.is_stopping) return linger();
    if (buffer_.size() == 0 && buffer_.capacity() > 65536) buffer_.shrink_to_fit();
    read_head();
  }

  /// Closes so that the answer arrives: sends the end, and reads for a moment what the client still sends
  /// (closing with unread bytes would take the answer back, RFC 9112 section 9.6).
  void linger() {
    ErrorCode ignored;
    lowest().socket().shutdown(tcp::socket::shutdown_send, ignored);
    lowest().expires_after(std::chrono::seconds(2));
    lingered_ = 0;
    read_to_end();
  }

  void read_to_end() {
    lowest().async_read_some(asio::buffer(connections_.scrap),
                             [self = self()](ErrorCode error, std::size_t count) {
                               self->lingered_ += count;
                               if (error || self->is_shut_ || self->lingered_ > (std::size_t{1} << 20U))
                                 return self->shut();
                               self->read_to_end();
                             });
  }

  /// A client of events sends nothing; when its end comes, the stream is over.
  void watch_for_end() {
    lowest().expires_never();
    stream_.async_read_some(asio::buffer(connections_.scrap), [self = self()](ErrorCode error, std::size_t) {
      if (error && error != beast::error::timeout) return self->shut();
      if (!self->is_shut_) self->watch_for_end();
    });
  }

  std::string client_address(const Head& head) const {
    if (connections_.proxies.v4.empty() && connections_.proxies.v6.empty()) return address_;
    ErrorCode error;
    const auto peer = asio::ip::make_address(address_, error);
    if (error || !connections_.proxies.contains(peer)) return address_;
    // The last field and its last word is what the proxy itself has added.
    std::string_view last;
    for (const auto& [name, value] : head.fields) {
      if (name == "x-forwarded-for") last = value;
    }
    last = last.substr(last.rfind(',') + 1);
    while (last.starts_with(' ')) last.remove_prefix(1);
    const auto named = asio::ip::make_address(std::string(last), error);
    return error ? address_ : named.to_string();
  }

  Connections& connections_;
  Stream stream_;
  std::string address_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  State state_ = State::reading;
  std::size_t searched_ = 0;
  std::size_t lingered_ = 0;
  std::chrono::seconds body_time_{};
  bool is_timing_head_ = false;
  bool is_shut_ = false;
  bool is_shaking_ = false;
  bool is_streaming_ = false;
  bool is_writing_ = false;
  bool is_head_request_ = false;
  bool keeps_alive_ = false;
  std::string writing_;
  std::size_t written_ = 0;
  std::string unsent_;
  Counter unsent_count_;
  std::size_t event_bytes_ = 0;  ///< of the events that are being written; a head is none
};

}  // namespace

bool Connections::enter(const std::string& address, bool is_proxy, ClientRates::Clock::time_point now) {
  const std::string client = client_of(address);
  if (!is_proxy && options.connections_per_address != 0) {
    const auto found = by_address.find(client);
    if (found != by_address.end() && found->second >= options.connections_per_address) return false;
    if (begun.take(address, now)) return false;
  }
  ++by_address[client];
  return true;
}

void Connections::leave(const std::string& address) {
  const auto found = by_address.find(client_of(address));
  if (found != by_address.end() && --found->second == 0) by_address.erase(found);
}

void Connections::forget(Connection* connection) {
  open.erase(connection);
  if (is_stopping && open.empty()) context.stop();
}

std::shared_ptr<Connection> make_connection(Connections& connections, tcp::socket socket,
                                            std::string address) {
  Plain plain(std::move(socket));
  if (connections.tls == nullptr)
    return std::make_shared<StreamConnection<Plain>>(connections, std::move(plain), std::move(address));
  return std::make_shared<StreamConnection<Secure>>(connections, Secure(std::move(plain), *connections.tls),
                                                    std::move(address));
}

}  // namespace mirab::net
