#include "net/framing.hpp"

#include <gtest/gtest.h>

namespace mirab::net {
namespace {

const HeadLimits limits;

int status_of(const std::string& bytes) {
  Head head;
  const auto error = check_head(bytes, limits, head);
  return error ? error->status : 200;
}

std::string with(const std::string& fields) { return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n"; }

TEST(Framing, ReadsAHead) {
  const std::string bytes =
      "PUT /v1/queues/a%2Fb?x=1 HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 12\r\nX:  y \t\r\nExpect: "
      "100-continue\r\n\r\n";
  Head head;
  ASSERT_FALSE(check_head(bytes, limits, head));
  EXPECT_EQ(head.method, "PUT");
  EXPECT_EQ(head.target, "/v1/queues/a%2Fb?x=1");
  EXPECT_EQ(head.content_length, 12U);
  EXPECT_EQ(head.field("x"), "y");
  EXPECT_TRUE(head.expects_continue && head.keeps_alive && !head.is_chunked);
  EXPECT_EQ(head_size(bytes + "more"), bytes.size());
  EXPECT_FALSE(head_size(bytes.substr(0, bytes.size() - 1)));
}

// RFC 9112 sections 2.2, 3.2, 5.1, 6.1, 6.3 and 11.2: what two programs might read differently is refused.
TEST(Framing, RefusesWhatTwoProgramsMightReadDifferently) {
  EXPECT_EQ(status_of(with("")), 200);
  for (const char* fields : {"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
                             "Content-Length: 1\r\nContent-Length: 1\r\n",
                             "Content-Length: 1, 1\r\n",
                             "Content-Length: +1\r\n",
                             "Content-Length: -1\r\n",
                             "Content-Length: 0x1\r\n",
                             "Content-Length: \r\n",
                             "Content-Length: 1 1\r\n",
                             "Content-Length: 99999999999999999999\r\n",
                             "Content-Length : 1\r\n",
                             " Content-Length: 1\r\n",
                             "X: 1\r\n folded\r\n",
                             "X: 1\r\n\tfolded\r\n",
                             "Host: b\r\n",
                             "Authorization: a\r\nauthorization: b\r\n",
                             "X: a\rb\r\n",
                             "X: a\nb: c\r\n",
                             "X: \x01\r\n",
                             "X: \x7f\r\n",
                             ": 1\r\n",
                             "no colon\r\n",
                             "X y: 1\r\n",
                             "\r\nX: 1\r\n"})
    EXPECT_EQ(status_of(with(fields)), 400) << fields;
  for (const char* coding : {"gzip, chunked", "chunked, identity", "Chunked", "chunked;a", "\"chunked\"", ""})
    EXPECT_EQ(status_of(with(std::string("Transfer-Encoding: ") + coding + "\r\n")), 400) << coding;
  EXPECT_EQ(status_of(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status_of(std::string("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 28)), 400);
}

TEST(Framing, RefusesMalformedRequestLines) {
  for (const char* line : {"GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
                           "GET /", "GET / http/1.1", "G(T / HTTP/1.1", "GET http://a/ HTTP/1.1",
                           "GET //a HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT a:1 HTTP/1.1",
                           "GET /a b HTTP/1.1", "GET /\x80 HTTP/1.1", "GET /#a HTTP/1.1", "GET\t/ HTTP/1.1"})
    EXPECT_EQ(status_of(std::string(line) + "\r\nHost: a\r\n\r\n"), 400) << line;
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400) << "no Host";
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: a\n\n"), 400);
}

TEST(Framing, HoldsItsLimits) {
  EXPECT_EQ(status_of("GET /" + std::string(2048, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
  EXPECT_EQ(status_of(with("X: " + std::string(16'384, 'a') + "\r\n")), 431);
  std::string fields;
  for (int n = 0; n < 63; ++n) fields += "X" + std::to_string(n) + ": 1\r\n";
  EXPECT_EQ(status_of(with(fields)), 200);
  EXPECT_EQ(status_of(with(fields + "Y: 1\r\n")), 431);
}

TEST(Framing, DecodesTargets) {
  const auto target = read_target("/v1/queues/a%2Fb/jobs/%C3%BC?x=1&y=a+b%26&x=2&z");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (std::vector<std::string>{"v1", "queues", "a/b", "jobs", "ü"}));
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(target->query, (std::vector<Pair>{{"x", "1"}, {"y", "a b&"}, {"x", "2"}, {"z", ""}}));
  for (const char* bad :
       {"/a/%2", "/%zz", "/%00", "/%ff", "/a//b", "/../a", "/a/%2e%2e", "/%C0%AF", "/a?x=%ff"})
    EXPECT_FALSE(read_target(bad)) << bad;
}

}  // namespace
}  // namespace mirab::net
