// What a connection of the HTTP server is to the server: something that starts, answers, and ends.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/client_rates.hpp"
#include "net/http_server.hpp"

namespace mirab::net {

/// The networks of --trusted-proxy.
struct Networks {
  std::vector<boost::asio::ip::network_v4> v4 = {};
  std::vector<boost::asio::ip::network_v6> v6 = {};

  bool contains(const boost::asio::ip::address& address) const;
};
/// `10.0.0.0/8`, `::1`. Errors: no such network, with the option's key.
Result<Networks> read_networks(const std::vector<std::string>& texts);

/// One on the I/O thread, whatever it is made of.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual void shut() = 0;
  /// Waits for a request of which nothing has come.
  virtual bool is_idle() const = 0;
};

/// The open connections, and what they share. One thread (I/O).
struct Connections {
  Connections(const ServerOptions& given, Handler& its_handler, Networks networks)
      : options(given), handler(its_handler), proxies(std::move(networks)) {}

  /// Counts the connections of an address; false when there are too many, or too many in a short time. A
  /// proxy has no limit.
  bool enter(const std::string& address, bool is_proxy, ClientRates::Clock::time_point now);
  void leave(const std::string& address);
  void forget(Connection* connection);

  ServerOptions options;
  Handler& handler;
  Networks proxies;
  std::shared_ptr<boost::asio::ssl::context> tls = {};  ///< none: plain
  std::size_t handshakes = 0;
  std::size_t streams = 0;
  bool is_stopping = false;
  std::unordered_map<std::string, std::size_t> by_address = {};
  ClientRates begun{{100, 500}};  ///< connections: a client that makes one for each request is held back
  /// Where bytes go that nobody wants, such as the rest of a refused body: in few pieces.
  std::array<char, 65536> scrap = {};
  /// Behind all that a connection uses when it is destroyed: the context's handlers own connections, and are
  /// destroyed with it.
  boost::asio::io_context context{1};
  std::unordered_map<Connection*, std::shared_ptr<Connection>> open = {};
};

/// With TLS where there is a certificate. `address` has entered; the connection leaves.
std::shared_ptr<Connection> make_connection(Connections& connections, boost::asio::ip::tcp::socket socket,
                                            std::string address);

}  // namespace mirab::net
