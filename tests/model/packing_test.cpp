// What a file is packed by, and the text of one packed by gzip.
#include "model/packing.hpp"

#include <gmock/gmock.h>
#include <string>

#include "support/files.hpp"

namespace mirab {
namespace {

using ::testing::HasSubstr;

std::string packed(const std::string& text) {
  const TemporaryFolder folder;
  return read_text(folder.write_gzip("t.gz", text));
}

std::string packing_refusal(const std::string& gzip, std::size_t most = 1 << 20) {
  const Result<std::string> text = unpacked(gzip, most);
  return text ? "unpacked" : text.error().message;
}

TEST(Packing, IsKnownByItsFirstBytes) {
  EXPECT_EQ(packing_of(packed("a")), "gzip");
  EXPECT_EQ(packing_of("\xfd\x37zXZ rest"), "xz");
  EXPECT_EQ(packing_of("BZh91AY"), "bzip2");
  EXPECT_EQ(packing_of("\x28\xb5\x2f\xfd$"), "zstd");
  EXPECT_EQ(packing_of("PK\x03\x04 rest"), "zip");
  EXPECT_EQ(packing_of("BZ: a text"), std::nullopt);
  EXPECT_EQ(packing_of(""), std::nullopt);
}

TEST(Packing, TheTextOfSeveralStreamsIsOne) {
  const std::string large(300'000, 'x');
  EXPECT_EQ(*unpacked(packed("a\n") + packed(large) + std::string(7, '\0'), 1 << 20), "a\n" + large);
  EXPECT_EQ(*unpacked(packed(""), 10), "");
}

TEST(Packing, WhatIsNoWholeFileIsRefused) {
  const std::string whole = packed(std::string(1000, 'x') + "y");
  EXPECT_THAT(packing_refusal(whole.substr(0, whole.size() - 9)), HasSubstr("truncated"));
  EXPECT_THAT(packing_refusal(whole + "more"), HasSubstr("bytes follow the end"));
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_THAT(packing_refusal(damaged), HasSubstr("damaged"));
  EXPECT_EQ(packing_refusal(whole, 1000), "more than 1000 bytes");
  EXPECT_EQ(packing_refusal(whole, 1001), "unpacked");
}

TEST(Packing, TheBeginningIsReadOfADamagedFileToo) {
  const std::string whole = packed("abcdef");
  EXPECT_EQ(unpacked_beginning(whole, 3), "abc");
  EXPECT_EQ(unpacked_beginning(whole + "more", 100), "abcdef");
  EXPECT_EQ(unpacked_beginning("no gzip", 100), "");
}

}  // namespace
}  // namespace mirab
