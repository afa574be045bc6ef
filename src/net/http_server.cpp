#include "net/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <charconv>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <openssl/x509.h>
#include <set>
#include <unordered_map>
#include <utility>  // asio/awaitable.hpp of Boost 1.74 needs it first

namespace mirab::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;
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

/// The networks of --trusted-proxy.
struct Networks {
  std::vector<asio::ip::network_v4> v4;
  std::vector<asio::ip::network_v6> v6;

  bool contains(const asio::ip::address& address) const {
    if (address.is_v4()) {
      const auto host = asio::ip::network_v4(address.to_v4(), 32);
      return std::any_of(v4.begin(), v4.end(),
                         [&](const auto& each) { return host == each || host.is_subnet_of(each); });
    }
    const auto host = asio::ip::network_v6(address.to_v6(), 128);
    return std::any_of(v6.begin(), v6.end(),
                       [&](const auto& each) { return host == each || host.is_subnet_of(each); });
  }
};

Result<Networks> read_networks(const std::vector<std::string>& texts) {
  Networks networks;
  for (const std::string& text : texts) {
    ErrorCode error;
    const bool has_bits = text.find('/') != std::string::npos;
    if (text.find(':') == std::string::npos) {
      networks.v4.push_back(asio::ip::make_network_v4(has_bits ? text : text + "/32", error));
    } else {
      networks.v6.push_back(asio::ip::make_network_v6(has_bits ? text : text + "/128", error));
    }
    if (error)
      return Error{.message = fmt::format("'{}' is no network such as 10.0.0.0/8", text),
                   .key = "--trusted-proxy"};
  }
  return networks;
}

class BeastServer;
using Counter = std::shared_ptr<std::atomic<std::size_t>>;

/// What a connection does, whatever it is made of.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual void shut() = 0;
  /// On the I/O thread: writes the answer to the request that is being served.
  virtual void deliver(Response response) = 0;
  virtual void begin_stream(Response head, Counter unsent) = 0;
  virtual void send_event(std::string text) = 0;
  virtual bool is_idle() const = 0;
};

class BeastServer final : public Server {
 public:
  BeastServer(const ServerOptions& given, Handler& its_handler, Networks networks)
      : options(given), handler(its_handler), proxies(std::move(networks)) {}

  Check listen();
  std::uint16_t port() const override { return port_; }
  bool has_tls() const override { return !options.certificate_file.empty(); }
  void run() override;
  void stop(std::chrono::milliseconds grace) override;
  void post(std::function<void()> work) override { asio::post(context, std::move(work)); }
  void every(std::chrono::milliseconds interval, std::function<void()> work) override;
  Check reload_certificate() override;
  void on_signal(std::vector<int> numbers, std::function<void(int)> work) override;
  ServerFigures figures() const override {
    ServerFigures result = figures_;
    result.connections = connections_.size();
    result.streams = streams;
    return result;
  }

  /// Counts the connections of an address; false when there are too many.
  bool enter(const std::string& address) {
    std::size_t& count = by_address_[address];
    if (options.connections_per_address != 0 && count >= options.connections_per_address) return false;
    ++count;
    return true;
  }
  void leave(const std::string& address) {
    const auto found = by_address_.find(address);
    if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
  }
  void forget(Connection* connection) {
    connections_.erase(connection);
    if (stopping && connections_.empty()) context.stop();
  }

  ServerOptions options;
  Handler& handler;
  Networks proxies;
  std::shared_ptr<asio::ssl::context> tls;
  std::size_t handshakes = 0;
  std::size_t streams = 0;
  bool stopping = false;

 private:
  std::unordered_map<std::string, std::size_t> by_address_;
  ServerFigures figures_;

 public:
  /// Behind all that a connection uses when it is destroyed: the context's handlers own connections, and are
  /// destroyed with it.
  asio::io_context context{1};

 private:
  void accept();
  void watch_signal();

  tcp::acceptor acceptor_{context};
  asio::steady_timer retry_{context};
  asio::steady_timer last_call_{context};
  std::uint16_t port_ = 0;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::unique_ptr<asio::signal_set> signals_;
  std::function<void(int)> on_signal_;
};

/// The answer that a connection waits for.
class ConnectionExchange final : public Exchange {
 public:
  ConnectionExchange(BeastServer& server, std::weak_ptr<Connection> connection)
      : server_(server), connection_(std::move(connection)) {}
  ~ConnectionExchange() override {
    if (!is_used_.load()) ConnectionExchange::answer({.status = 503, .type = "", .closes = true});
  }
  ConnectionExchange(const ConnectionExchange&) = delete;
  ConnectionExchange& operator=(const ConnectionExchange&) = delete;

  void answer(Response response) override {
    if (is_used_.exchange(true)) return;
    asio::post(server_.context, [connection = connection_, response = std::move(response)]() mutable {
      if (const auto alive = connection.lock()) alive->deliver(std::move(response));
    });
  }
  std::shared_ptr<EventStream> stream(Response head) override;

 private:
  BeastServer& server_;
  std::weak_ptr<Connection> connection_;
  std::atomic<bool> is_used_ = false;
};

class ConnectionStream final : public EventStream {
 public:
  ConnectionStream(BeastServer& server, std::weak_ptr<Connection> connection, Counter unsent)
      : server_(server), connection_(std::move(connection)), unsent_(std::move(unsent)) {}
  std::size_t unsent() const override { return unsent_->load(); }
  void send(std::string text) override {
    *unsent_ += text.size();
    asio::post(server_.context, [connection = connection_, text = std::move(text)]() mutable {
      if (const auto alive = connection.lock()) alive->send_event(std::move(text));
    });
  }
  void close() override {
    asio::post(server_.context, [connection = connection_] {
      if (const auto alive = connection.lock()) alive->shut();
    });
  }
  bool is_closed() const override { return connection_.expired(); }

 private:
  BeastServer& server_;
  std::weak_ptr<Connection> connection_;
  Counter unsent_;
};

std::shared_ptr<EventStream> ConnectionExchange::stream(Response head) {
  if (is_used_.exchange(true)) return nullptr;
  auto unsent = std::make_shared<std::atomic<std::size_t>>(0);
  // At once on the I/O thread: what it posts waits until its handler returns, and what another thread sends
  // meanwhile would come first and be lost.
  asio::dispatch(server_.context, [connection = connection_, head = std::move(head), unsent]() mutable {
    if (const auto alive = connection.lock()) alive->begin_stream(std::move(head), std::move(unsent));
  });
  return std::make_shared<ConnectionStream>(server_, connection_, std::move(unsent));
}

/// One connection on a stream of bytes. At any time one operation reads or one request is served, and at
/// most one operation writes. It ends when it forgets itself at the server.
template <class Stream>
class StreamConnection final : public Connection {
 public:
  StreamConnection(BeastServer& server, Stream stream, std::string address)
      : server_(server), stream_(std::move(stream)), address_(std::move(address)) {}
  ~StreamConnection() override {
    if (is_streaming_) --server_.streams;
    if (is_shaking_) --server_.handshakes;
    server_.leave(address_);
  }
  StreamConnection(const StreamConnection&) = delete;
  StreamConnection& operator=(const StreamConnection&) = delete;

  void start() override {
    if constexpr (std::is_same_v<Stream, Secure>) {
      is_shaking_ = true;
      ++server_.handshakes;
      lowest().expires_after(server_.options.head_time);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](ErrorCode error) {
        self->is_shaking_ = false;
        --self->server_.handshakes;
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
    server_.forget(this);
  }

  bool is_idle() const override { return state_ == State::reading && buffer_.size() == 0; }

  void deliver(Response response) override {
    if (is_shut_ || state_ != State::serving) return;
    keeps_alive_ = keeps_alive_ && !response.closes && !server_.stopping;
    if (is_head_request_) {
      std::string bytes = as_bytes(response, keeps_alive_);
      bytes.resize(bytes.size() - response.body.size());
      return write(std::move(bytes));
    }
    write(as_bytes(response, keeps_alive_));
  }

  void begin_stream(Response head, Counter unsent) override {
    if (is_shut_ || state_ != State::serving) return;
    unsent_count_ = std::move(unsent);
    is_streaming_ = true;
    ++server_.streams;
    state_ = State::streaming;
    keeps_alive_ = false;
    watch_for_end();  // first: the time limit of the write is not the reader's
    write(as_bytes(head, false, false));
  }

  void send_event(std::string text) override {
    if (is_shut_ || state_ != State::streaming) return;
    if (unsent_.size() > server_.options.unsent_bytes) return shut();
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
    if (searched_ > server_.options.head.bytes) return refuse({431, "the head is too long"});
    if (searched_ == 0) {
      lowest().expires_after(server_.options.idle_time);
    } else if (!is_timing_head_) {
      is_timing_head_ = true;
      lowest().expires_after(server_.options.head_time);
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
      server_.handler.refused(address_, 408, "the head did not come in time");
    shut();
  }

  void take_head(std::size_t size) {
    Head head;
    if (const auto error = check_head(buffered().substr(0, size), server_.options.head, head))
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
    Admission admission = server_.handler.admit(request_);
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
    const auto seconds = 10 + head.content_length / server_.options.body_bytes_per_s;
    read_body(admission.body_bytes,
              head.is_chunked
                  ? std::chrono::seconds(10 + admission.body_bytes / server_.options.body_bytes_per_s)
                  : std::chrono::seconds(seconds),
              head.expects_continue);
  }

  void read_body(std::size_t limit, std::chrono::seconds time, bool expects_continue) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_.options.head.bytes + 1024));
    parser_->body_limit(limit);
    parser_->eager(true);
    body_time_ = time;
    if (!expects_continue) return read_rest_of_body();
    lowest().expires_after(server_.options.stall_time);
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
    server_.handler.handle(std::move(request_),
                           std::make_shared<ConnectionExchange>(server_, this->weak_from_this()));
  }

  void refuse(const FramingError& error) {
    server_.handler.refused(address_, error.status, error.why);
    state_ = State::serving;
    Response response = server_.handler.refusal(error.status, error.why);
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
    lowest().expires_after(server_.options.stall_time);
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
    if (!keeps_alive_ || server_.stopping) return linger();
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
    lowest().async_read_some(asio::buffer(scrap_), [self = self()](ErrorCode error, std::size_t count) {
      self->lingered_ += count;
      if (error || self->is_shut_ || self->lingered_ > (std::size_t{1} << 20U)) return self->shut();
      self->read_to_end();
    });
  }

  /// A client of events sends nothing; when its end comes, the stream is over.
  void watch_for_end() {
    lowest().expires_never();
    stream_.async_read_some(asio::buffer(scrap_), [self = self()](ErrorCode error, std::size_t) {
      if (error && error != beast::error::timeout) return self->shut();
      if (!self->is_shut_) self->watch_for_end();
    });
  }

  std::string client_address(const Head& head) const {
    if (server_.proxies.v4.empty() && server_.proxies.v6.empty()) return address_;
    ErrorCode error;
    const auto peer = asio::ip::make_address(address_, error);
    if (error || !server_.proxies.contains(peer)) return address_;
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

  BeastServer& server_;
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
  std::array<char, 512> scrap_{};
};

Check BeastServer::listen() {
  ErrorCode error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error)
    return Error{.message = fmt::format("'{}' is no address such as 127.0.0.1", options.address),
                 .key = "--listen"};
  const tcp::endpoint endpoint(address, options.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(4096, error);
  if (error)
    return Error{.message = fmt::format("cannot listen on {} port {}: {}", options.address, options.port,
                                        error.message()),
                 .key = "--listen"};
  port_ = acceptor_.local_endpoint().port();
  if (has_tls()) {
    if (Check failure = reload_certificate()) return failure;
  }
  accept();
  return std::nullopt;
}

Check BeastServer::reload_certificate() {
  if (!has_tls()) return std::nullopt;
  ErrorCode error;
  auto fresh = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* const raw = fresh->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  fresh->use_certificate_chain_file(options.certificate_file, error);
  const bool has_certificate = !error;
  if (!error) fresh->use_private_key_file(options.key_file, asio::ssl::context::pem, error);
  if (error || SSL_CTX_check_private_key(raw) != 1) {
    ++figures_.failed_reloads;
    return Error{
        .message = error ? "cannot be used: " + error.message() : "does not belong to the certificate",
        .key = has_certificate ? "--tls-key" : "--tls-cert",
        .file = has_certificate ? options.key_file : options.certificate_file};
  }
  std::tm until{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(SSL_CTX_get0_certificate(raw)), &until) == 1)
    figures_.certificate_expiry_s = ::timegm(&until);
  tls = std::move(fresh);
  return std::nullopt;
}

void BeastServer::accept() {
  acceptor_.async_accept(context, [this](ErrorCode error, tcp::socket socket) {
    if (stopping || error == asio::error::operation_aborted) return;
    if (error) {  // such as too many open files: wait a little rather than turn in circles
      retry_.expires_after(std::chrono::milliseconds(50));
      retry_.async_wait([this](ErrorCode cancelled) {
        if (!cancelled) accept();
      });
      return;
    }
    const auto peer = socket.remote_endpoint(error);
    const std::string address = error ? "" : peer.address().to_string();
    const bool is_proxy = !error && proxies.contains(peer.address());
    const bool has_room = !error && connections_.size() < options.connections &&
                          (!has_tls() || handshakes < options.handshakes);
    if (has_room && (is_proxy || enter(address))) {
      if (is_proxy) ++by_address_[address];
      socket.set_option(tcp::no_delay(true), error);
      std::shared_ptr<Connection> connection;
      if (has_tls()) {
        connection = std::make_shared<StreamConnection<Secure>>(*this, Secure(Plain(std::move(socket)), *tls),
                                                                address);
      } else {
        connection = std::make_shared<StreamConnection<Plain>>(*this, Plain(std::move(socket)), address);
      }
      connections_.emplace(connection.get(), connection);
      connection->start();
    } else {
      ++figures_.refused_connections;
    }
    accept();
  });
}

void BeastServer::run() {
  context.run();
  acceptor_ = tcp::acceptor(context);
  auto remaining = std::move(connections_);
  connections_.clear();
  for (auto& [raw, connection] : remaining) connection->shut();
  remaining.clear();
}

void BeastServer::stop(std::chrono::milliseconds grace) {
  asio::post(context, [this, grace] {
    if (stopping) return;
    stopping = true;
    ErrorCode ignored;
    acceptor_.close(ignored);
    std::vector<std::shared_ptr<Connection>> idle;
    for (const auto& [raw, connection] : connections_) {
      if (connection->is_idle()) idle.push_back(connection);
    }
    for (const auto& connection : idle) connection->shut();
    if (connections_.empty()) return context.stop();
    last_call_.expires_after(grace);
    last_call_.async_wait([this](ErrorCode) { context.stop(); });
  });
}

void BeastServer::every(std::chrono::milliseconds interval, std::function<void()> work) {
  struct Repeat : std::enable_shared_from_this<Repeat> {
    Repeat(asio::io_context& context, std::chrono::milliseconds each, std::function<void()> what)
        : timer(context), interval(each), work(std::move(what)) {}
    void wait() {
      timer.expires_after(interval);
      timer.async_wait([self = shared_from_this()](ErrorCode error) {
        if (error) return;
        self->work();
        self->wait();
      });
    }
    asio::steady_timer timer;
    std::chrono::milliseconds interval;
    std::function<void()> work;
  };
  auto repeat = std::make_shared<Repeat>(context, interval, std::move(work));
  asio::post(context, [repeat] { repeat->wait(); });
}

void BeastServer::on_signal(std::vector<int> numbers, std::function<void(int)> work) {
  signals_ = std::make_unique<asio::signal_set>(context);
  for (const int number : numbers) signals_->add(number);
  on_signal_ = std::move(work);
  watch_signal();
}

void BeastServer::watch_signal() {
  signals_->async_wait([this](ErrorCode error, int number) {
    if (error) return;
    on_signal_(number);
    watch_signal();
  });
}

}  // namespace

std::string_view Request::field(std::string_view name) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& each) { return each.first == name; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options, Handler& handler) {
  Result<Networks> networks = read_networks(options.trusted_proxies);
  if (!networks) return std::move(networks).error();
  auto server = std::make_unique<BeastServer>(options, handler, *std::move(networks));
  if (Check failure = server->listen()) return *std::move(failure);
  return std::unique_ptr<Server>(std::move(server));
}

bool is_loopback(const std::string& address) {
  ErrorCode error;
  const auto parsed = asio::ip::make_address(address, error);
  return !error && parsed.is_loopback();
}

Result<Endpoint> read_endpoint(const std::string& text, const std::string& key) {
  const std::size_t colon = text.rfind(':');
  Endpoint endpoint{.address = text.substr(0, colon), .port = 0};
  if (endpoint.address.starts_with('[') && endpoint.address.ends_with(']'))
    endpoint.address = endpoint.address.substr(1, endpoint.address.size() - 2);
  if (endpoint.address == "localhost") endpoint.address = "127.0.0.1";
  const std::string_view port =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  ErrorCode error;
  asio::ip::make_address(endpoint.address, error);
  if (error || port.empty() || failure != std::errc() || end != port.data() + port.size())
    return Error{.message = fmt::format("'{}' is no address and port such as 127.0.0.1:7417", text),
                 .key = key};
  return endpoint;
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

}  // namespace mirab::net
