// Addresses, networks and ports as options write them.
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <fmt/format.h>

#include "net/connection.hpp"

namespace mirab::net {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

bool Networks::contains(const asio::ip::address& address) const {
  if (address.is_v4()) {
    const auto host = asio::ip::network_v4(address.to_v4(), 32);
    return std::any_of(v4.begin(), v4.end(),
                       [&](const auto& each) { return host == each || host.is_subnet_of(each); });
  }
  const auto host = asio::ip::network_v6(address.to_v6(), 128);
  return std::any_of(v6.begin(), v6.end(),
                     [&](const auto& each) { return host == each || host.is_subnet_of(each); });
}

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

bool is_loopback(const std::string& address) {
  ErrorCode error;
  const auto parsed = asio::ip::make_address(address, error);
  return !error && parsed.is_loopback();
}

std::string client_of(const std::string& address) {
  ErrorCode error;
  const auto parsed = asio::ip::make_address(address, error);
  if (error || !parsed.is_v6()) return address;
  asio::ip::address_v6 host = parsed.to_v6();
  if (host.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, host).to_string();
  host.scope_id(0);
  return asio::ip::network_v6(host, 64).canonical().to_string();
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

}  // namespace mirab::net
