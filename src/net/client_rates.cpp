#include "net/client_rates.hpp"

#include <algorithm>

#include "net/http_server.hpp"

namespace mirab::net {

std::optional<double> ClientRates::take(const std::string& address, Clock::time_point now) {
  if (buckets_.size() >= swept_at_) {
    std::erase_if(buckets_, [&](const auto& each) { return each.second.is_full(rate_, now); });
    swept_at_ = std::max<std::size_t>(1024, 2 * buckets_.size());
  }
  return buckets_.try_emplace(client_of(address), rate_).first->second.take(rate_, 1, now);
}

}  // namespace mirab::net
