// The format, byte for byte: a change of it needs a new version, not a new expectation here. A group of
// digits is a field: version, kind, from (7), to (9), sent (3,600,001 ms), then the message's, then the
// CRC-32.

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <mirab/overlay/wire.hpp>

#include "overlay/letters.hpp"

namespace mirab::overlay {
namespace {

struct Golden {
  std::string_view kind, bytes;
};

// clang-format off: a letter, a line
constexpr std::array<Golden, kMessageKinds> kGolden = {{
    {"peer-request",
     "01 01 07 09 81dddb01 03 07 00 000000000000d0bf ac02 02 0000000000000000 f0a204 8101 000000000000f0ff "
     "9806274c"},
    {"peer-answer",
     "01 02 07 09 81dddb01 03 07 00 000000000000d0bf ac02 02 0000000000000000 f0a204 8101 000000000000f0ff "
     "eb8d1c74"},
    {"gradient-request",
     "01 03 07 09 81dddb01 01 03 07 00 000000000000d0bf ac02 02 0000000000000000 f0a204 8101 "
     "000000000000f0ff 48525e6d"},
    {"gradient-answer",
     "01 04 07 09 81dddb01 01 03 07 00 000000000000d0bf ac02 02 0000000000000000 f0a204 8101 "
     "000000000000f0ff e8945463"},
    {"push-sum-share",
     "01 05 07 09 81dddb01 03 000000000000e03f 02 0000000000802840 000000000000f0bf cf441fe6"},
    {"climb", "01 06 07 09 81dddb01 07 01 000000000000d0bf 03 bab1297e"},
    {"share-request", "01 07 07 09 81dddb01 cfe845b9"},
    {"share-answer", "01 08 07 09 81dddb01 000000000000c0bf f6290570"},
    {"load-request", "01 09 07 09 81dddb01 92937ae9"},
    {"load-answer", "01 0a 07 09 81dddb01 000000000000e83f edb56668"},
    {"confirm-request", "01 0b 07 09 81dddb01 11 03 03 01 8002 e7c2f7fc"},
    {"confirm-answer", "01 0c 07 09 81dddb01 11 01 2a87e105"},
    {"register", "01 0d 07 09 81dddb01 01 1a59a73f"},
    {"peers", "01 0e 07 09 81dddb01 03 8402 03 04 83990c6a"},
    {"server-request", "01 0f 07 09 81dddb01 06 0c 01 f1874b39"},
    {"server-answer", "01 10 07 09 81dddb01 06 0e 48af29da"},
    {"submit", "01 11 07 09 81dddb01 e907 05 03 02 00 8020 e0c65b 04 07 6d5ac84d"},
    {"pause", "01 12 07 09 81dddb01 06 05 03 02 00 8020 07 931f9a41"},
    {"received", "01 13 07 09 81dddb01 05 01 dfdd3658"},
    {"walk", "01 14 07 09 81dddb01 e907 05 03 02 00 8020 e0c65b 04 0c 02 9003 0e 000000000000f83f dd6dcf08"},
    {"placed", "01 15 07 09 81dddb01 e907 05 02 68e0f35c"},
    {"no-room", "01 16 07 09 81dddb01 e907 05 02 698611c5"},
    {"copy", "01 17 07 09 81dddb01 e907 05 03 02 00 8020 e0c65b 04 524e8de8"},
    {"free", "01 18 07 09 81dddb01 8794ebdc03 09 02 00 8001 3e53e3a2"},
    {"propose", "01 19 07 09 81dddb01 05 8794ebdc03 21 d1d5cc97"},
    {"accept", "01 1a 07 09 81dddb01 05 8794ebdc03 21 0af0adeb"},
    {"reject", "01 1b 07 09 81dddb01 05 8794ebdc03 21 7c11a276"},
    {"allocated", "01 1c 07 09 81dddb01 05 8794ebdc03 21 bcbb6f13"},
    {"refused", "01 1d 07 09 81dddb01 05 8794ebdc03 21 ca5a608e"},
    {"ended", "01 1e 07 09 81dddb01 05 8794ebdc03 21 117f01f2"},
    {"end-seen", "01 1f 07 09 81dddb01 05 8794ebdc03 21 679e0e6f"},
    {"renew", "01 20 07 09 81dddb01 08 39960824"},
    {"running", "01 21 07 09 81dddb01 08 8794ebdc03 04 01 01 03 e307 569b8c5c"},
}};
// clang-format on

std::string digits_of(const std::vector<std::uint8_t>& bytes) {
  std::string digits;
  for (const std::uint8_t byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

TEST(WireFormat, IsWhatItWas) {
  const std::vector<Message> messages = one_of_each();
  ASSERT_EQ(messages.size(), kGolden.size());
  for (std::size_t kind = 0; kind < kGolden.size(); ++kind) {
    SCOPED_TRACE(kGolden[kind].kind);
    ASSERT_EQ(messages[kind].index(), kind);
    EXPECT_EQ(name_of_kind(kind), kGolden[kind].kind);
    std::vector<std::uint8_t> bytes;
    encode({7, 9, kSent, messages[kind]}, bytes);
    std::string digits(kGolden[kind].bytes);
    std::erase(digits, ' ');
    EXPECT_EQ(digits_of(bytes), digits);
    const auto read = decode(bytes, 9, kSent, {});
    ASSERT_TRUE(std::holds_alternative<AddressedMessage>(read));
    EXPECT_EQ(std::get<AddressedMessage>(read).message, messages[kind]);
  }
}

}  // namespace
}  // namespace mirab::overlay
