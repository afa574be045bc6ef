#include "overlay/checksum.hpp"

#include <gtest/gtest.h>
#include <vector>
#include <zlib.h>

#include <mirab/model/random.hpp>

namespace mirab::overlay {
namespace {

TEST(Checksum, IsThatOfZlib) {
  Random random(1);
  std::vector<std::uint8_t> bytes;
  for (std::size_t size = 0; size < 300; ++size) {
    EXPECT_EQ(crc32_of(bytes.data(), size), crc32_z(0, bytes.data(), size)) << size << " bytes";
    bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
}

TEST(Checksum, OfTheDigitsIsTheCheckOfTheCatalogue) {  // CRC-32/ISO-HDLC
  const std::vector<std::uint8_t> digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(crc32_of(digits.data(), digits.size()), 0xcbf43926);
}

}  // namespace
}  // namespace mirab::overlay
