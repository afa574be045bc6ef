// The network alone: what it does to letters, one chance at a time.
#include "lab/simulation/overlay/network.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace mirab::simulation {
namespace {

using overlay::AddressedMessage;
using overlay::Drop;
using overlay::NodeId;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSeed = 11;
constexpr std::int64_t kLetters = 20'000;

AddressedMessage letter_at(Time sent, NodeId from = 1, NodeId to = 2) {
  return {.from = from, .to = to, .sent = sent, .message = overlay::Renew{.round = 77}};
}

Time at_ms(std::int64_t ms) { return Time(milliseconds(ms)); }

Network network_with(Network::Setting setting) { return Network(setting, Random(kSeed)); }

// Does the count among `trials` agree with the probability, within five standard deviations?
void expect_binomial(std::int64_t count, std::int64_t trials, double probability) {
  const double mean = probability * static_cast<double>(trials);
  EXPECT_NEAR(static_cast<double>(count), mean, 5 * std::sqrt(mean * (1 - probability))) << "seed " << kSeed;
}

std::vector<Delivery> post(Network& network, const AddressedMessage& letter, double factor = 1) {
  const std::span<const Delivery> deliveries = network.post(letter, letter.sent, factor);
  return {deliveries.begin(), deliveries.end()};
}

TEST(Network, ALetterArrivesAsItWasSentWithinTheLatency) {
  Network network = network_with({.latency = {milliseconds(3), milliseconds(8)}});
  Duration least = seconds(1), most{};
  for (std::int64_t i = 0; i < kLetters; ++i) {
    const AddressedMessage letter = letter_at(at_ms(i));
    const std::vector<Delivery> deliveries = post(network, letter);
    ASSERT_EQ(deliveries.size(), 1U);
    least = std::min(least, deliveries.front().at - letter.sent);
    most = std::max(most, deliveries.front().at - letter.sent);
    const AddressedMessage* const read = network.open(deliveries.front().letter, 2, deliveries.front().at);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->from, letter.from);
    EXPECT_EQ(read->message, letter.message);
  }
  EXPECT_GE(least, milliseconds(3));
  EXPECT_LE(most, milliseconds(8));
  EXPECT_LT(least, milliseconds(3) + std::chrono::microseconds(50)) << "the whole range is drawn";
  EXPECT_GT(most, milliseconds(8) - std::chrono::microseconds(50));
}

TEST(Network, ASlowSenderStretchesTheLatency) {
  Network network = network_with({.latency = {milliseconds(4), milliseconds(4)}});
  EXPECT_EQ(post(network, letter_at(at_ms(0)), 2.5).front().at, at_ms(10));
}

TEST(Network, LosesAsManyAsTheLossSaysUntilItIsCalm) {
  Network network = network_with({.loss = 0.1, .calm = at_ms(kLetters)});
  std::int64_t arrived = 0;
  for (std::int64_t i = 0; i < kLetters; ++i)
    arrived += static_cast<std::int64_t>(post(network, letter_at(at_ms(i))).size());
  EXPECT_EQ(arrived + network.losses().lost, kLetters);
  expect_binomial(network.losses().lost, kLetters, 0.1);
  const std::int64_t lost = network.losses().lost;
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(post(network, letter_at(at_ms(kLetters + i))).size(), 1U);
  EXPECT_EQ(network.losses().lost, lost);
}

TEST(Network, DoublesAsManyAsItShouldAndBothCopiesAreTheLetter) {
  Network network = network_with({.duplicate = 0.2});
  for (std::int64_t i = 0; i < kLetters; ++i) {
    const AddressedMessage letter = letter_at(at_ms(i));
    for (const Delivery& delivery : post(network, letter)) {
      const AddressedMessage* const read = network.open(delivery.letter, 2, delivery.at);
      ASSERT_NE(read, nullptr);
      EXPECT_EQ(read->message, letter.message);
    }
  }
  expect_binomial(network.losses().duplicated, kLetters, 0.2);
}

TEST(Network, HoldsBackSomeForUpToTenTimesTheLargestLatency) {
  Network network = network_with({.latency = {milliseconds(1), milliseconds(10)}, .reorder = 0.05});
  Duration most{};
  std::int64_t late = 0;
  for (std::int64_t i = 0; i < kLetters; ++i) {
    const Duration way = post(network, letter_at(at_ms(i))).front().at - at_ms(i);
    most = std::max(most, way);
    late += way > milliseconds(10) ? 1 : 0;
  }
  expect_binomial(network.losses().held_back, kLetters, 0.05);
  EXPECT_LE(late, network.losses().held_back);
  EXPECT_GT(late, network.losses().held_back * 9 / 10) << "most of them come after all others";
  EXPECT_GT(most, milliseconds(100));
  EXPECT_LE(most, milliseconds(110));
}

TEST(Network, ACorruptLetterIsDroppedAndCountedNeverTaken) {
  Network network = network_with({.corrupt = 0.5});
  for (std::int64_t i = 0; i < kLetters; ++i) {
    const AddressedMessage letter = letter_at(at_ms(i));
    const Delivery delivery = post(network, letter).front();
    if (const AddressedMessage* const read = network.open(delivery.letter, 2, delivery.at)) {
      EXPECT_EQ(read->message, letter.message);
    }
  }
  const auto& dropped = network.losses().dropped;
  expect_binomial(network.losses().corrupted, kLetters, 0.5);
  EXPECT_EQ(std::accumulate(dropped.begin(), dropped.end(), std::int64_t{0}), network.losses().corrupted);
}

TEST(Network, WhatIsNotForItsReaderOrTooOldIsDroppedByReason) {
  Network network = network_with({.wire = {.lifetime = seconds(2)}});
  const Delivery wrong = post(network, letter_at(at_ms(0))).front();
  EXPECT_EQ(network.open(wrong.letter, 3, wrong.at), nullptr);
  const Delivery old = post(network, letter_at(at_ms(0))).front();
  EXPECT_EQ(network.open(old.letter, 2, at_ms(2001)), nullptr);
  const Delivery early = post(network, letter_at(at_ms(100))).front();
  EXPECT_EQ(network.open(early.letter, 2, at_ms(10)), nullptr);
  const auto& dropped = network.losses().dropped;
  EXPECT_EQ(dropped[static_cast<std::size_t>(Drop::wrong_node)], 1);
  EXPECT_EQ(dropped[static_cast<std::size_t>(Drop::too_old)], 1);
  EXPECT_EQ(dropped[static_cast<std::size_t>(Drop::from_the_future)], 1);
}

TEST(Network, ACutBlocksBothWaysAndWhatIsUnderWayAndNothingInside) {
  Network network = network_with({});
  const std::vector<bool> inside = {true, true, false, false};
  const Delivery under_way = post(network, letter_at(at_ms(0), 2, 1)).front();
  network.cut(inside);
  EXPECT_TRUE(post(network, letter_at(at_ms(1), 0, 2)).empty());
  EXPECT_TRUE(post(network, letter_at(at_ms(1), 3, 1)).empty());
  EXPECT_TRUE(post(network, letter_at(at_ms(1), 9, 1)).empty()) << "users and the gateway are outside";
  EXPECT_EQ(post(network, letter_at(at_ms(1), 0, 1)).size(), 1U);
  EXPECT_EQ(post(network, letter_at(at_ms(1), 3, 9)).size(), 1U);
  EXPECT_EQ(network.open(under_way.letter, 1, under_way.at), nullptr);
  EXPECT_EQ(network.losses().lost, 4);
  network.heal(inside);
  EXPECT_EQ(post(network, letter_at(at_ms(2), 0, 2)).size(), 1U);
}

TEST(Network, CountsMessagesAndBytesByKind) {
  Network network = network_with({.loss = 0.5});
  const AddressedMessage renew = letter_at(at_ms(0));
  const AddressedMessage share{
      .from = 1, .to = 2, .sent = at_ms(0), .message = overlay::ShareAnswer{.utility = -1}};
  std::vector<std::uint8_t> bytes;
  const auto renew_bytes = static_cast<std::int64_t>(overlay::encode(renew, bytes));
  const auto share_bytes = static_cast<std::int64_t>(overlay::encode(share, bytes));
  for (int i = 0; i < 10; ++i) network.post(renew, renew.sent, 1);
  for (int i = 0; i < 3; ++i) network.post(share, share.sent, 1);
  const Traffic& sent = network.sent();
  EXPECT_EQ(sent.messages[renew.message.index()], 10);
  EXPECT_EQ(sent.bytes[renew.message.index()], 10 * renew_bytes);
  EXPECT_EQ(sent.messages[share.message.index()], 3);
  EXPECT_EQ(sent.all_messages(), 13);
  EXPECT_EQ(sent.all_bytes(), 10 * renew_bytes + 3 * share_bytes);
}

}  // namespace
}  // namespace mirab::simulation
