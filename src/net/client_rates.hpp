// How often clients may do something, by their address: for what they do before anybody knows who they are.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "model/rate.hpp"

namespace mirab::net {

/// One thread. Addresses whose rate is full again are forgotten.
class ClientRates {
 public:
  using Clock = std::chrono::steady_clock;
  explicit ClientRates(const Rate& rate) : rate_(rate) {}

  /// Takes one for the client of this address (client_of()). Else after how many seconds it may again.
  std::optional<double> take(const std::string& address, Clock::time_point now);
  std::size_t size() const { return buckets_.size(); }

 private:
  Rate rate_;
  std::unordered_map<std::string, Bucket<Clock>> buckets_;
  std::size_t swept_at_ = 1024;
};

}  // namespace mirab::net
