#include "client/events.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include <mirab/model/random.hpp>

namespace mirab::client {
namespace {

const std::string kStream =
    ": \n\nid: 7\nevent: change\ndata: {\"revision\":7}\n\nid:8\r\nevent: bookmark\r\ndata: "
    "{\"revision\":8}\r\n\r\n"
    "event: change\ndata: a\ndata: b\n\n: \n\nid: 9\n\n";

std::vector<Message> messages_of(const std::vector<std::string>& pieces) {
  std::vector<Message> messages;
  MessageReader reader;
  for (const std::string& piece : pieces) {
    EXPECT_TRUE(reader.feed(piece, [&](const Message& message) {
      messages.push_back(message);
      return true;
    }));
  }
  return messages;
}

TEST(MessageReader, PutsMessagesTogetherHoweverTheyAreCut) {
  const std::vector<Message> whole = messages_of({kStream});
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_EQ(whole[0].event, "change");
  EXPECT_EQ(whole[0].id, 7U);
  EXPECT_EQ(whole[0].data, "{\"revision\":7}");
  EXPECT_EQ(whole[1].event, "bookmark");
  EXPECT_EQ(whole[1].id, 8U);
  EXPECT_EQ(whole[2].data, "a\nb");
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + " of seed 1");
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < kStream.size();) {
      const std::size_t size = 1 + random.below(9);
      pieces.push_back(kStream.substr(at, size));
      at += size;
    }
    const std::vector<Message> cut = messages_of(pieces);
    ASSERT_EQ(cut.size(), whole.size());
    for (std::size_t i = 0; i < cut.size(); ++i) {
      EXPECT_EQ(cut[i].event, whole[i].event);
      EXPECT_EQ(cut[i].id, whole[i].id);
      EXPECT_EQ(cut[i].data, whole[i].data);
    }
  }
}

TEST(MessageReader, StopsWhereItIsEnough) {
  MessageReader reader;
  int seen = 0;
  EXPECT_FALSE(reader.feed(kStream, [&](const Message&) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace mirab::client
