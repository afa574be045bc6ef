// Tokens that change while a program runs.
#include "net/credentials.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "support/files.hpp"

namespace mirab::net {
namespace {

using namespace std::chrono_literals;

TEST(Credentials, ATokenFileIsReadAgainEachMinute) {
  const TemporaryFolder folder;
  const std::string file = folder.write("token", "one\n");
  const TokenSource::Time start{};
  auto source = TokenSource::open({.token = "unused", .token_file = file}, start);
  ASSERT_TRUE(source);
  folder.write("token", "two\n");
  EXPECT_EQ(source->token(start + 59s), "one");
  EXPECT_EQ(source->token(start + 60s), "two");
  folder.write("token", "three");
  EXPECT_EQ(source->token(start + 119s), "two");
  EXPECT_TRUE(source->renew(start + 119s)) << "it was refused";
  EXPECT_EQ(source->token(start + 119s), "three");
  EXPECT_FALSE(source->renew(start + 119s)) << "nothing else is there";
}

TEST(Credentials, ATokenStaysWhileItsFileCannotBeRead) {
  const TemporaryFolder folder;
  const std::string file = folder.write("token", "one");
  const TokenSource::Time start{};
  auto source = TokenSource::open({.token_file = file}, start);
  folder.write("token", "");
  EXPECT_EQ(source->token(start + 60s), "one");
  std::filesystem::remove(file);
  EXPECT_EQ(source->token(start + 120s), "one");
  EXPECT_FALSE(TokenSource::open({.token_file = file}, start));
}

TEST(Credentials, ATokenIsVisibleAscii) {
  const TemporaryFolder folder;
  EXPECT_EQ(*read_token(folder.write("t", "abc.DEF-_~+/=\r\n")), "abc.DEF-_~+/=");
  EXPECT_EQ(read_token(folder.write("t", std::string(16'384, 'x') + "\r\n"))->size(), 16'384U);
  for (const std::string& wrong : {std::string(), std::string("\n"), std::string("a b"), std::string("a\nb"),
                                   std::string("\xc3\xa9"), std::string(16'385, 'x')})
    EXPECT_FALSE(read_token(folder.write("t", wrong)));
}

// Such as one that stands in a kubeconfig.
TEST(Credentials, ATokenThatIsGivenEndsNoLineOfARequest) {
  const TokenSource::Time start{};
  EXPECT_TRUE(TokenSource::open({.token = "abc.DEF-_~+/="}, start));
  EXPECT_TRUE(TokenSource::open({}, start)) << "none";
  for (const char* const wrong : {"a\r\nX-Remote-User: admin", "a\n", "a b", "\xc3\xa9", "\t"}) {
    const auto source = TokenSource::open({.token = wrong}, start);
    ASSERT_FALSE(source) << wrong;
    EXPECT_EQ(source.error().key, "token");
  }
}

}  // namespace
}  // namespace mirab::net
