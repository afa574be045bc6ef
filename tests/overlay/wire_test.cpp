// The bytes of letters: what is written is read, and nothing else is (docs/reference/overlay-messages.md).

#include <gtest/gtest.h>
#include <zlib.h>

#include <mirab/overlay/wire.hpp>

#include "overlay/letters.hpp"
#include "overlay/wire_format.hpp"
#include "random_cases.hpp"

namespace mirab::overlay {
namespace {

using std::chrono::milliseconds;
using Bytes = std::vector<std::uint8_t>;
using Read = std::variant<AddressedMessage, Drop>;

constexpr NodeId kReader = 9;
constexpr WireLimits kLimits;

Bytes encoded(const AddressedMessage& letter) {
  Bytes bytes;
  encode(letter, bytes);
  return bytes;
}

Bytes encoded(const Message& message) { return encoded(AddressedMessage{7, kReader, kSent, message}); }

Read decoded(const Bytes& bytes, Time now = kSent) { return decode(bytes, kReader, now, kLimits); }

void expect_drop(Drop reason, const Read& read) {
  ASSERT_TRUE(std::holds_alternative<Drop>(read));
  EXPECT_EQ(name_of(std::get<Drop>(read)), name_of(reason));
}

// With the checksum that fits it.
Bytes sealed(Bytes bytes) {
  const std::uint32_t checksum = static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(checksum >> shift));
  return bytes;
}

// A letter to the reader of the kind with this code, whose fields are these bytes.
Bytes letter_with(std::uint8_t kind, const Bytes& fields) {
  Bytes bytes = encoded(ShareRequest{});
  bytes.resize(bytes.size() - 4);
  bytes[1] = kind;
  bytes.insert(bytes.end(), fields.begin(), fields.end());
  return sealed(bytes);
}

std::uint8_t code_of(const Message& message) { return static_cast<std::uint8_t>(message.index() + 1); }

Bytes& operator<<(Bytes& bytes, double x) {
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(std::bit_cast<std::uint64_t>(x) >> shift));
  return bytes;
}

constexpr double kWireInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Wire, EveryLetterIsReadAsItWasWritten) {
  for (std::uint64_t seed = 1; seed <= random_cases(5000); ++seed) {
    SCOPED_TRACE(testing::Message() << "Random(" << seed << ")");
    Random random(seed);
    const AddressedMessage letter = random_letter(random);
    Bytes bytes = {1, 2, 3};
    const std::size_t size = encode(letter, bytes);
    ASSERT_EQ(bytes.size(), 3 + size);
    const Read read = decode(std::span(bytes).subspan(3), letter.to, letter.sent, kLimits);
    ASSERT_TRUE(std::holds_alternative<AddressedMessage>(read));
    const AddressedMessage& again = std::get<AddressedMessage>(read);
    EXPECT_EQ(again.from, letter.from);
    EXPECT_EQ(again.to, letter.to);
    EXPECT_EQ(again.sent, letter.sent);
    EXPECT_EQ(again.message, letter.message);
    EXPECT_EQ(encoded(again), Bytes(bytes.begin() + 3, bytes.end()));
  }
}

TEST(Wire, WhateverIsTakenHasOneEncodingOnly) {
  std::size_t taken = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(20'000); ++seed) {
    SCOPED_TRACE(testing::Message() << "Random(" << seed << ")");
    Random random(seed);
    Bytes bytes = encoded(random_message(random.below(kMessageKinds), random));
    bytes.resize(bytes.size() - 4);
    for (std::uint64_t changes = 1 + random.below(2); changes > 0; --changes)
      bytes[1 + random.below(bytes.size() - 1)] = static_cast<std::uint8_t>(random.bits() >> random.below(8));
    bytes = sealed(bytes);
    const Read read = decoded(bytes);
    if (std::holds_alternative<Drop>(read)) continue;
    ++taken;
    EXPECT_EQ(encoded(std::get<AddressedMessage>(read)), bytes);
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(taken, 1000U);
}

// The table at the end of docs/reference/overlay-messages.md; eq. 4.5 has (P + 1)(8 + adr).
TEST(Wire, AShuffleOfPEntriesTakesElevenBytesForEachAndOneselfAndSixteenMore) {
  for (const std::size_t entries : {2, 4, 10, 20}) {
    const std::vector<Descriptor> offered(entries + 1, {.node = 300, .age = 3, .utility = -0.25});
    const AddressedMessage letter{200, 300, kSent, GradientRequest{Slope::poorest, offered}};
    EXPECT_EQ(encoded(letter).size(), 16 + 11 * (entries + 1));
  }
}

TEST(Wire, EveryTruncationIsMalformed) {
  for (const Message& message : one_of_each()) {
    SCOPED_TRACE(name_of_kind(message.index()));
    Bytes bytes = encoded(message);
    while (!bytes.empty()) {
      bytes.pop_back();
      expect_drop(Drop::malformed, decoded(bytes));
    }
  }
}

TEST(Wire, FieldsThatStopEarlyAreMalformedBehindARightChecksumToo) {
  for (const Message& message : one_of_each()) {
    SCOPED_TRACE(name_of_kind(message.index()));
    Bytes bytes = encoded(message);
    for (bytes.resize(bytes.size() - 5); bytes.size() > 1; bytes.pop_back())
      expect_drop(Drop::malformed, decoded(sealed(bytes)));
  }
}

TEST(Wire, ABitThatFlipsIsSeen) {
  for (const Message& message : one_of_each()) {
    SCOPED_TRACE(name_of_kind(message.index()));
    Bytes bytes = encoded(message);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      const auto flip = static_cast<std::uint8_t>(1U << bit % 8);
      bytes[bit / 8] ^= flip;
      expect_drop(bit < 8 ? Drop::other_version : Drop::malformed, decoded(bytes));
      bytes[bit / 8] ^= flip;
    }
    EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(bytes)));
  }
}

TEST(Wire, BytesAfterTheEndAreMalformed) {
  for (const Message& message : one_of_each()) {
    SCOPED_TRACE(name_of_kind(message.index()));
    Bytes bytes = encoded(message);
    bytes.resize(bytes.size() - 4);
    bytes.push_back(0);
    expect_drop(Drop::malformed, decoded(sealed(bytes)));
  }
}

TEST(Wire, AnotherVersionIsToldFromGarbage) {
  Bytes bytes = encoded(Renew{8});
  ++bytes[0];
  expect_drop(Drop::other_version, decoded(bytes));
  expect_drop(Drop::other_version, decoded({kWireVersion + 1}));
}

TEST(Wire, ALetterToSomebodyElseIsNotTaken) {
  for (const Message& message : one_of_each())
    expect_drop(Drop::wrong_node, decode(encoded(message), kReader + 1, kSent, kLimits));
}

TEST(Wire, ALetterFromTheFutureIsNotTaken) {
  const Bytes bytes = encoded(Renew{8});
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(bytes, kSent - kLimits.skew)));
  expect_drop(Drop::from_the_future, decoded(bytes, kSent - kLimits.skew - Duration(1)));
  expect_drop(Drop::from_the_future, decoded(bytes, Time{}));
}

TEST(Wire, ALetterThatIsTooOldIsNotTaken) {
  const Bytes bytes = encoded(Renew{8});
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(bytes, kSent + kLimits.lifetime)));
  expect_drop(Drop::too_old, decoded(bytes, kSent + kLimits.lifetime + Duration(1)));
  expect_drop(Drop::too_old, decoded(bytes, Time::max()));
}

TEST(Wire, TheTimeOfSendingIsRoundedDownSoThatNoLetterLivesTooLong) {
  const Duration part = milliseconds(1) - Duration(1);
  const Bytes bytes = encoded(AddressedMessage{7, kReader, kSent + part, Renew{8}});
  const Read read = decoded(bytes);
  ASSERT_TRUE(std::holds_alternative<AddressedMessage>(read));
  EXPECT_EQ(std::get<AddressedMessage>(read).sent, kSent);
  expect_drop(Drop::too_old, decoded(bytes, kSent + kLimits.lifetime + Duration(1)));
}

TEST(Wire, TimesThatCannotBeToldAreMalformed) {
  // 2^63 - 1 nanoseconds are 9,223,372,036,854 whole milliseconds.
  const Bytes latest = sealed({1, 32, 7, 9, 0xf6, 0xb5, 0xc1, 0xde, 0xb7, 0x8c, 0x02, 8});
  EXPECT_EQ(encoded(AddressedMessage{7, kReader, Time::max(), Renew{8}}), latest);
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(latest, Time::max())));
  expect_drop(Drop::malformed,
              decoded(sealed({1, 32, 7, 9, 0xf7, 0xb5, 0xc1, 0xde, 0xb7, 0x8c, 0x02, 8}), Time::max()));
}

TEST(Wire, UnknownKindsAreMalformed) {
  expect_drop(Drop::malformed, decoded(letter_with(0, {})));
  expect_drop(Drop::malformed, decoded(letter_with(kMessageKinds + 1, {})));
  expect_drop(Drop::malformed, decoded(letter_with(255, {})));
}

TEST(Wire, NumbersThatCouldBeShorterOrAreTooLargeAreMalformed) {
  const std::uint8_t renew = code_of(Renew{});
  const Bytes most(9, 0xff);
  Bytes largest = most, too_large = most, too_long = most;
  largest.push_back(1);
  too_large.push_back(2);
  too_long.insert(too_long.end(), {0x81, 0});
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(letter_with(renew, largest))));
  expect_drop(Drop::malformed, decoded(letter_with(renew, too_large)));
  expect_drop(Drop::malformed, decoded(letter_with(renew, too_long)));
  expect_drop(Drop::malformed, decoded(letter_with(renew, {0x88, 0})));
  const std::uint8_t peers = code_of(Peers{});
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(
      decoded(letter_with(peers, {1, 0xff, 0xff, 0xff, 0xff, 0x0f}))));
  expect_drop(Drop::malformed, decoded(letter_with(peers, {1, 0xff, 0xff, 0xff, 0xff, 0x1f})));
}

TEST(Wire, UtilitiesThatCannotBeAreMalformed) {
  const std::uint8_t share = code_of(ShareAnswer{});
  Bytes least, none, without_bound;
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(letter_with(share, least << -kWireInfinity))));
  expect_drop(Drop::malformed, decoded(letter_with(share, none << kNan)));
  expect_drop(Drop::malformed, decoded(letter_with(share, without_bound << kWireInfinity)));
}

TEST(Wire, LoadsAndWeightsThatCannotBeAreMalformed) {
  Bytes negative_load, negative_weight = {1}, no_sum = {1}, no_score;
  expect_drop(Drop::malformed, decoded(letter_with(code_of(LoadAnswer{}), negative_load << -0.5)));
  const std::uint8_t push_sum = code_of(PushSumShare{});
  expect_drop(Drop::malformed, decoded(letter_with(push_sum, negative_weight << -0.5)));
  no_sum << 0.5;
  no_sum.push_back(1);
  expect_drop(Drop::malformed, decoded(letter_with(push_sum, no_sum << kWireInfinity)));
}

TEST(Wire, DemandsForLessThanNothingOrForNothingAreMalformed) {
  const std::uint8_t pause = code_of(Pause{});
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(letter_with(pause, {1, 0, 2, 0, 1, 1}))));
  expect_drop(Drop::malformed, decoded(letter_with(pause, {1, 0, 2, 0, 0, 1})));
  expect_drop(Drop::malformed, decoded(letter_with(pause, {1, 0, 0, 1})));
  Bytes negative = {1, 0, 1};
  negative.insert(negative.end(), 9, 0xff);
  negative.insert(negative.end(), {1, 1});
  expect_drop(Drop::malformed, decoded(letter_with(pause, negative)));
}

TEST(Wire, ListsThatDoNotAscendAreMalformed) {
  const std::uint8_t running = code_of(Running{});
  EXPECT_TRUE(std::holds_alternative<AddressedMessage>(decoded(letter_with(running, {1, 1, 2, 0, 1}))));
  expect_drop(Drop::malformed, decoded(letter_with(running, {1, 1, 2, 1, 0})));
  const std::uint8_t confirm = code_of(ConfirmRequest{});
  expect_drop(Drop::malformed, decoded(letter_with(confirm, {1, 2, 1, 0xff, 0xff, 0xff, 0xff, 0x0f})));
}

TEST(Wire, FlagsAndSlopesThatAreNotKnownAreMalformed) {
  expect_drop(Drop::malformed, decoded(letter_with(code_of(Register{}), {2})));
  EXPECT_TRUE(
      std::holds_alternative<AddressedMessage>(decoded(letter_with(code_of(GradientRequest{}), {1, 0}))));
  expect_drop(Drop::malformed, decoded(letter_with(code_of(GradientRequest{}), {2, 0})));
}

TEST(Wire, ListsThatCannotFitAreNotMadeRoomFor) {
  const Bytes bytes = {4, 0, 0, 0};  // a count of 4, and three bytes
  WireReader plain(bytes), ascending(bytes);
  std::vector<std::uint64_t> numbers, ascents;
  plain.list(numbers, 1, [&](std::uint64_t& number) { plain.number(number); });
  ascending.ascending(ascents);
  EXPECT_TRUE(plain.failed());
  EXPECT_TRUE(ascending.failed());
  EXPECT_EQ(numbers.capacity() + ascents.capacity(), 0U);
  const Bytes huge = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
  for (const Message& message : {Message(PeerRequest{}), Message(Peers{})})
    expect_drop(Drop::malformed, decoded(letter_with(code_of(message), huge)));
}

TEST(Wire, WhatCannotBeReadIsNotWritten) {
  EXPECT_DEATH(encoded(ConfirmRequest{1, {4, 3}}), "ascends");
  EXPECT_DEATH(encoded(Pause{1, 0, {-1}, 0}), "negative");
  EXPECT_DEATH(encoded(Pause{1, 0, {0}, 0}), "nothing");
  EXPECT_DEATH(encoded(ShareAnswer{kNan}), "cannot be said");
}

}  // namespace
}  // namespace mirab::overlay
