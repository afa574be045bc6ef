#include "live/cbor.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace mirab::live {
namespace {

std::string as_the_library_writes(const Json& json) {
  const auto bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

TEST(Cbor, NumbersAreTheBytesOfTheJsonLibrary) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    for (const int beside : {-1, 0, 1}) {
      const std::uint64_t number = (std::uint64_t{1} << bits) + static_cast<std::uint64_t>(beside);
      Cbor to;
      to.number(number);
      EXPECT_EQ(to.take(), as_the_library_writes(number)) << number;
      const auto negative = static_cast<std::int64_t>(~number);
      to.number(negative);
      EXPECT_EQ(to.take(), as_the_library_writes(negative)) << negative;
    }
  }
  for (const std::int64_t number :
       {std::numeric_limits<std::int64_t>::min(), std::int64_t{-24}, std::int64_t{-25}}) {
    Cbor to;
    to.number(number);
    EXPECT_EQ(to.take(), as_the_library_writes(number)) << number;
  }
}

TEST(Cbor, TextsListsAndMapsOfEachSizeAreTheBytesOfTheJsonLibrary) {
  for (const std::size_t size : {0, 1, 23, 24, 255, 256, 65'535, 65'536}) {
    Cbor to;
    to.map(2);
    to.text("list");
    to.list(size);
    for (std::size_t i = 0; i < size; ++i) to.value(nullptr);
    to.text("text");
    to.text(std::string(size, 'x'));
    const Json same = {{"list", Json::array_t(size)}, {"text", std::string(size, 'x')}};
    EXPECT_EQ(to.take(), as_the_library_writes(same)) << size;
  }
}

}  // namespace
}  // namespace mirab::live
