#include "net/http_server.hpp"

#include <algorithm>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <openssl/x509.h>

#include "net/connection.hpp"

namespace mirab::net {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

class BeastServer final : public Server {
 public:
  BeastServer(const ServerOptions& options, Handler& handler, Networks networks)
      : connections_(options, handler, std::move(networks)) {}

  Check listen();
  std::uint16_t port() const override { return port_; }
  bool has_tls() const override { return !options_.certificate_file.empty(); }
  void run() override;
  void stop(std::chrono::milliseconds grace) override;
  void post(std::function<void()> work) override { asio::post(context_, std::move(work)); }
  void every(std::chrono::milliseconds interval, std::function<void()> work) override;
  Check reload_certificate() override;
  void on_signal(std::vector<int> numbers, std::function<void(int)> work) override;
  ServerFigures figures() const override {
    ServerFigures result = figures_;
    result.connections = connections_.open.size();
    result.streams = connections_.streams;
    return result;
  }

 private:
  void accept();
  void watch_signal();

  Connections connections_;
  const ServerOptions& options_ = connections_.options;
  asio::io_context& context_ = connections_.context;
  ServerFigures figures_;
  tcp::acceptor acceptor_{context_};
  asio::steady_timer retry_{context_};
  asio::steady_timer last_call_{context_};
  std::uint16_t port_ = 0;
  std::unique_ptr<asio::signal_set> signals_;
  std::function<void(int)> on_signal_;
};

Check BeastServer::listen() {
  ErrorCode error;
  const auto address = asio::ip::make_address(options_.address, error);
  if (error)
    return Error{.message = fmt::format("'{}' is no address such as 127.0.0.1", options_.address),
                 .key = "--listen"};
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(4096, error);
  if (error)
    return Error{.message = fmt::format("cannot listen on {} port {}: {}", options_.address, options_.port,
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
  fresh->use_certificate_chain_file(options_.certificate_file, error);
  const bool has_certificate = !error;
  if (!error) fresh->use_private_key_file(options_.key_file, asio::ssl::context::pem, error);
  if (error || SSL_CTX_check_private_key(raw) != 1) {
    ++figures_.failed_reloads;
    return Error{
        .message = error ? "cannot be used: " + error.message() : "does not belong to the certificate",
        .key = has_certificate ? "--tls-key" : "--tls-cert",
        .file = has_certificate ? options_.key_file : options_.certificate_file};
  }
  std::tm until{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(SSL_CTX_get0_certificate(raw)), &until) == 1)
    figures_.certificate_expiry_s = ::timegm(&until);
  connections_.tls = std::move(fresh);
  return std::nullopt;
}

void BeastServer::accept() {
  acceptor_.async_accept(context_, [this](ErrorCode error, tcp::socket socket) {
    if (connections_.is_stopping || error == asio::error::operation_aborted) return;
    if (error) {  // such as too many open files: wait a little rather than turn in circles
      retry_.expires_after(std::chrono::milliseconds(50));
      retry_.async_wait([this](ErrorCode cancelled) {
        if (!cancelled) accept();
      });
      return;
    }
    const auto peer = socket.remote_endpoint(error);
    const std::string address = error ? "" : peer.address().to_string();
    const bool is_proxy = !error && connections_.proxies.contains(peer.address());
    const bool has_room = !error && connections_.open.size() < options_.connections &&
                          (!has_tls() || connections_.handshakes < options_.handshakes);
    if (has_room && connections_.enter(address, is_proxy, ClientRates::Clock::now())) {
      socket.set_option(tcp::no_delay(true), error);
      const auto connection = make_connection(connections_, std::move(socket), address);
      connections_.open.emplace(connection.get(), connection);
      connection->start();
    } else {
      ++figures_.refused_connections;
    }
    accept();
  });
}

void BeastServer::run() {
  context_.run();
  acceptor_ = tcp::acceptor(context_);
  auto remaining = std::exchange(connections_.open, {});
  for (auto& [raw, connection] : remaining) connection->shut();
  remaining.clear();
}

void BeastServer::stop(std::chrono::milliseconds grace) {
  asio::post(context_, [this, grace] {
    if (connections_.is_stopping) return;
    connections_.is_stopping = true;
    ErrorCode ignored;
    acceptor_.close(ignored);
    std::vector<std::shared_ptr<Connection>> idle;
    for (const auto& [raw, connection] : connections_.open) {
      if (connection->is_idle()) idle.push_back(connection);
    }
    for (const auto& connection : idle) connection->shut();
    if (connections_.open.empty()) return context_.stop();
    last_call_.expires_after(grace);
    last_call_.async_wait([this](ErrorCode) { context_.stop(); });
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
  auto repeat = std::make_shared<Repeat>(context_, interval, std::move(work));
  asio::post(context_, [repeat] { repeat->wait(); });
}

void BeastServer::on_signal(std::vector<int> numbers, std::function<void(int)> work) {
  signals_ = std::make_unique<asio::signal_set>(context_);
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

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options, Handler& handler) {
  Result<Networks> networks = read_networks(options.trusted_proxies);
  if (!networks) return std::move(networks).error();
  auto server = std::make_unique<BeastServer>(options, handler, *std::move(networks));
  if (Check failure = server->listen()) return *std::move(failure);
  return std::unique_ptr<Server>(std::move(server));
}

std::string_view Request::field(std::string_view name) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& each) { return each.first == name; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
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
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

}  // namespace mirab::net
