#include "model/lines.hpp"

#include <gmock/gmock.h>

#include "support/files.hpp"

namespace mirab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Read {
  std::vector<std::string> lines;
  std::string error;  // described; empty when the end was reached
};

Read read_all(const std::string& path) {
  Result<Lines> lines = Lines::open(path);
  if (!lines) return {{}, describe(lines.error())};
  Read read;
  while (true) {
    auto line = lines->next();
    if (!line) return {read.lines, describe(line.error())};
    if (!line->has_value()) return read;
    read.lines.emplace_back(**line);
    EXPECT_EQ(lines->number(), static_cast<int>(read.lines.size()));
  }
}

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "line " + std::to_string(i * 7919) + std::string(i % 90, '.') + "\n";
  return text;
}

TEST(Lines, GzipAndPlainFilesHaveTheSameLines) {
  const TemporaryFolder folder;
  const std::string text = "a,b\n\nc";
  EXPECT_THAT(read_all(folder.write("plain", text)).lines, ElementsAre("a,b", "", "c"));
  EXPECT_THAT(read_all(folder.write_gzip("gzip", text)).lines, ElementsAre("a,b", "", "c"));
}

TEST(Lines, CarriageReturnsAreNoPartOfALine) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_all(folder.write("dos", "a\r\nb\r\n")).lines, ElementsAre("a", "b"));
}

TEST(Lines, AnEmptyFileHasNone) {
  const TemporaryFolder folder;
  const Read read = read_all(folder.write("empty", ""));
  EXPECT_TRUE(read.lines.empty());
  EXPECT_EQ(read.error, "");
}

TEST(Lines, AFileManyTimesTheBufferIsReadToItsLastByte) {
  const TemporaryFolder folder;
  const std::string text = numbered_lines(40'000);
  ASSERT_GT(text.size(), 20 * Lines::kLongestLine);
  const Read read = read_all(folder.write_gzip("long", text));
  EXPECT_EQ(read.error, "");
  std::string again;
  for (const std::string& line : read.lines) again += line + "\n";
  EXPECT_EQ(again, text);
}

TEST(Lines, ALineOfTheLongestLengthIsReadAndOneByteMoreIsRefused) {
  const TemporaryFolder folder;
  const std::string longest(Lines::kLongestLine, 'x');
  EXPECT_THAT(read_all(folder.write("longest", "a\n" + longest + "\nb\n")).lines,
              ElementsAre("a", longest, "b"));

  const std::string path = folder.write("longer", "a\n" + longest + "x\nb\n");
  EXPECT_THAT(read_all(path).error, StartsWith(path + ":2: the line is longer than 65536 bytes"));
  const std::string endless = folder.write("endless", std::string(40 * Lines::kLongestLine, 'x'));
  EXPECT_THAT(read_all(endless).error, StartsWith(endless + ":1: the line is longer"));
}

TEST(Lines, AGzipFileCutAnywhereIsTruncated) {
  const TemporaryFolder folder;
  const std::string whole = read_text(folder.write_gzip("whole", numbered_lines(40)));
  for (std::size_t length = 2; length < whole.size(); ++length) {
    const std::string path = folder.write("cut", std::string_view(whole).substr(0, length));
    const Read read = read_all(path);
    ASSERT_THAT(read.error, StartsWith(path + ":")) << "cut after byte " << length << " of " << whole.size();
    ASSERT_THAT(read.error, HasSubstr("truncated")) << "cut after byte " << length << " of " << whole.size();
  }
}

TEST(Lines, WhatPrecedesTheCutIsReadFirst) {
  const TemporaryFolder folder;
  const std::string text = numbered_lines(4000);
  const std::string whole = read_text(folder.write_gzip("whole", text));
  const std::string path = folder.write("cut", std::string_view(whole).substr(0, whole.size() / 2));
  const Read read = read_all(path);
  ASSERT_GT(read.lines.size(), 1000u);
  std::string again;
  for (const std::string& line : read.lines) again += line + "\n";
  EXPECT_THAT(text, StartsWith(again));
  EXPECT_THAT(read.error, StartsWith(path + ":" + std::to_string(read.lines.size() + 1) + ": "));
}

TEST(Lines, AGzipFileWithAWrongChecksumIsDamaged) {
  const TemporaryFolder folder;
  std::string bytes = read_text(folder.write_gzip("whole", numbered_lines(40)));
  bytes[bytes.size() - 8] ^= 1;
  EXPECT_THAT(read_all(folder.write("damaged", bytes)).error, HasSubstr("damaged"));
}

TEST(Lines, GzipStreamsMayFollowOneAnother) {
  const TemporaryFolder folder;
  const std::string one = read_text(folder.write_gzip("one", "a\nb"));
  const std::string other = read_text(folder.write_gzip("other", "c\nd\n"));
  const Read read = read_all(folder.write("both", one + other + std::string(3, '\0')));
  EXPECT_THAT(read.lines, ElementsAre("a", "bc", "d"));
  EXPECT_EQ(read.error, "");
}

TEST(Lines, BytesAfterTheEndOfTheGzipStreamAreRefused) {
  const TemporaryFolder folder;
  const std::string whole = read_text(folder.write_gzip("whole", "a\nb\n"));
  const std::string path = folder.write("more", whole + "c\n");
  const Read read = read_all(path);
  EXPECT_THAT(read.lines, ElementsAre("a", "b"));
  EXPECT_EQ(read.error, path + ":3: bytes follow the end of the gzip stream");
}

TEST(Lines, WhatCannotBeOpenedOrReadIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_all(folder.path("absent")).error,
              StartsWith(folder.path("absent") + ": cannot be read: No such"));
  EXPECT_EQ(read_all(folder.path()).error, folder.path() + ": cannot be read: Is a directory");
}

}  // namespace
}  // namespace mirab
