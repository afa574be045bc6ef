#include "net/client_rates.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace mirab::net {
namespace {

using namespace std::chrono_literals;

TEST(ClientRates, CountAnIpv6NetworkOf64BitsAsOne) {
  ClientRates rates({100, 1000});
  const ClientRates::Clock::time_point start{};
  const auto is_refused = [&](const std::string& address) { return rates.take(address, start).has_value(); };
  for (int n = 0; n < 1000; ++n) ASSERT_FALSE(is_refused(fmt::format("2001:db8::{:x}", n + 1)));
  EXPECT_TRUE(is_refused("2001:db8::ffff:1"));
  EXPECT_FALSE(is_refused("2001:db8:0:1::1"));
  EXPECT_FALSE(is_refused("10.0.0.1"));
}

TEST(ClientRates, ForgetWhoseRateIsFullAgain) {
  ClientRates rates({100, 1000});
  ClientRates::Clock::time_point now{};
  for (int n = 0; n < 100'000; ++n, now += 1ms) {
    ASSERT_FALSE(rates.take(fmt::format("10.{}.{}.{}", n >> 16, (n >> 8) & 255, n & 255), now));
  }
  EXPECT_LE(rates.size(), 1024U);
}

}  // namespace
}  // namespace mirab::net
