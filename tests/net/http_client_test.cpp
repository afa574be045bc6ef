// The client against the project's own server, and against nothing.
#include "net/http_client.hpp"

#include <atomic>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

#include "support/files.hpp"

namespace mirab::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Repeat = HttpClient::Repeat;

/// Gives the answers of a list, one after the other, and then what it was asked.
class Scripted final : public Handler {
 public:
  Admission admit(Request& /*head*/) override { return {.body_bytes = 1000, .refusal = {}}; }
  void handle(Request request, std::shared_ptr<Exchange> exchange) override {
    const std::lock_guard guard(mutex);
    asked.push_back(request);
    if (request.target == "/late") {
      std::this_thread::sleep_for(200ms);
      stream = exchange->stream({.status = 200, .type = "text/event-stream"});
      return;
    }
    if (request.target == "/stream") {
      stream = exchange->stream({.status = 200, .type = "text/event-stream"});
      stream->send("one\n");
      stream->send("two\n");
      return;
    }
    if (answers.empty())
      return exchange->answer({.type = "text/plain",
                               .body = fmt::format("{} {} [{}] {}", request.method, request.target,
                                                   request.body, request.field("authorization"))});
    Response answer = answers.front();
    answers.pop_front();
    exchange->answer(std::move(answer));
  }
  Response refusal(int status, std::string_view why) override {
    return {.status = status, .body = std::string(why)};
  }

  std::mutex mutex;
  std::deque<Response> answers;
  std::vector<Request> asked;
  std::shared_ptr<EventStream> stream;
};

/// A server on its thread, with clients for it.
class Reached {
 public:
  explicit Reached(ServerOptions options = {}) {
    auto opened = Server::open(options, handler);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    server = *std::move(opened);
    thread_ = std::thread([this] { server->run(); });
  }
  ~Reached() {
    server->stop(100ms);
    thread_.join();
  }
  Reached(const Reached&) = delete;
  Reached& operator=(const Reached&) = delete;

  std::unique_ptr<HttpClient> client(HttpClientOptions options = {}) const {
    const std::string url =
        fmt::format("{}://127.0.0.1:{}", server->has_tls() ? "https" : "http", server->port());
    options.url = *read_url(url, "url");
    return *HttpClient::open(std::move(options));
  }

  Scripted handler;
  std::unique_ptr<Server> server;

 private:
  std::thread thread_;
};

TEST(HttpClient, SendsWhatItIsGivenOverOneConnection) {
  const Reached reached;
  const auto client = reached.client({.credentials = {.token = "x"}});
  const auto got = client->send({.method = "GET", .target = "/a?b=c%20d"}, Repeat::yes);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "GET /a?b=c%20d [] Bearer x");
  EXPECT_EQ(got->type, "text/plain");
  for (const std::string method : {"PUT", "POST", "DELETE"}) {
    const std::string body = method == "DELETE" ? "" : "{}";
    EXPECT_EQ(client->send({.method = method, .target = "/a", .body = body}, Repeat::yes)->body,
              fmt::format("{} /a [{}] Bearer x", method, body));
  }
  std::promise<std::size_t> connections;
  reached.server->post([&] { connections.set_value(reached.server->figures().connections); });
  EXPECT_EQ(connections.get_future().get(), 1U);
}

TEST(HttpClient, AsksAgainWhatIsSafeToRepeat) {
  Reached reached;
  std::vector<std::string> waits;
  const auto client = reached.client({.waits = [&](const std::string& why) { waits.push_back(why); }});
  reached.handler.answers = {
      {.status = 503, .fields = {{"Retry-After", "0"}}}, {.status = 502}, {.body = "good"}};
  EXPECT_EQ(client->send({.method = "PUT", .target = "/a", .body = "1"}, Repeat::yes)->body, "good");
  EXPECT_EQ(reached.handler.asked.size(), 3U);
  EXPECT_EQ(reached.handler.asked.back().body, "1");
  EXPECT_THAT(waits, testing::ElementsAre("answered 503"));
}

TEST(HttpClient, RepeatsNothingThatMayHaveHappenedUnlessThatIsSafe) {
  Reached reached;
  const auto client = reached.client();
  reached.handler.answers = {{.status = 503}, {.status = 429}, {.body = "good"}};
  EXPECT_EQ(client->send({.method = "POST", .target = "/a", .body = "1"}, Repeat::no)->status, 503);
  EXPECT_EQ(client->send({.method = "POST", .target = "/a", .body = "1"}, Repeat::no)->body, "good");
  EXPECT_EQ(reached.handler.asked.size(), 3U);
}

TEST(HttpClient, GivesTheAnswerOnWhenTheServerAsksForMorePatienceThanItHas) {
  Reached reached;
  const auto client = reached.client();
  reached.handler.answers = {{.status = 429, .fields = {{"Retry-After", "3600"}}}};
  EXPECT_EQ(client->send({.method = "GET", .target = "/a"}, Repeat::yes)->status, 429);
  EXPECT_EQ(reached.handler.asked.size(), 1U);
}

TEST(HttpClient, SaysWhenThereIsNoServer) {
  std::string url;
  {
    const Reached reached;
    url = fmt::format("http://127.0.0.1:{}", reached.server->port());
  }
  const auto client = *HttpClient::open({.url = *read_url(url, "url"), .patience = 0ms});
  const auto got = client->send({.method = "GET", .target = "/"}, Repeat::yes);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().file, url);
  EXPECT_THAT(got.error().message, HasSubstr("onnect"));
}

TEST(HttpClient, RefusesAnAnswerThatIsTooLong) {
  Reached reached;
  const auto client = reached.client({.answer_bytes = 10});
  reached.handler.answers = {{.body = std::string(11, 'x')}, {.body = std::string(10, 'x')}};
  const auto got = client->send({.method = "GET", .target = "/"}, Repeat::yes);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "the answer has more than 10 bytes");
  EXPECT_EQ(client->send({.method = "GET", .target = "/"}, Repeat::yes)->body.size(), 10U);
}

TEST(HttpClient, GivesAStreamAsItComesUntilThatIsEnough) {
  const Reached reached;
  const auto client = reached.client();
  std::string text;
  const auto got = client->stream({.method = "GET", .target = "/stream"}, 60s, [&](std::string_view bytes) {
    text += bytes;
    return text.find("two\n") == std::string::npos;
  });
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(text, "one\ntwo\n");
  EXPECT_EQ(client->send({.method = "GET", .target = "/after"}, Repeat::yes)->body, "GET /after [] ");
}

TEST(HttpClient, ReturnsTheRefusalOfAStreamWhole) {
  Reached reached;
  reached.handler.answers = {{.status = 410, .body = "gone"}};
  const auto got = reached.client()->stream({.method = "GET", .target = "/"}, 60s, [](std::string_view) {
    ADD_FAILURE() << "a refusal is no part of a stream";
    return true;
  });
  ASSERT_TRUE(got);
  EXPECT_EQ(got->answer.status, 410);
  EXPECT_EQ(got->answer.body, "gone");
}

TEST(HttpClient, SaysThatAStreamIsSilentHoweverLateItsHeadCame) {
  const Reached reached;
  for (const std::string target : {"/stream", "/late"}) {
    const auto got = reached.client()->stream({.method = "GET", .target = target}, 1s,
                                              [](std::string_view) { return true; });
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_TRUE(got->is_silent);
    EXPECT_EQ(got->answer.status, 200);
  }
}

TEST(HttpClient, AsksAgainOnceWithTheTokenThatItsFileHasNow) {
  const TemporaryFolder folder;
  const std::string file = folder.write("token", "old");
  Reached reached;
  const auto client = reached.client({.credentials = {.token_file = file}});
  folder.write("token", "new");
  reached.handler.answers = {{.status = 401, .body = "refused"}};
  const auto got = client->send({.method = "POST", .target = "/a", .body = "1"}, Repeat::no);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "POST /a [1] Bearer new");
  reached.handler.answers = {{.status = 401, .body = "refused"}};
  EXPECT_EQ(client->send({.method = "GET", .target = "/a"}, Repeat::no)->status, 401);
  EXPECT_EQ(reached.handler.asked.size(), 3U) << "the same token is not sent twice";
  EXPECT_FALSE(HttpClient::open({.credentials = {.token_file = folder.path("none")}}));
}

TEST(HttpClient, GivesTheTypeOfABodyOnce) {
  Reached reached;
  const auto client = reached.client();
  EXPECT_TRUE(client->send(
      {.method = "PATCH", .target = "/a", .fields = {{"content-type", "a/b"}}, .body = "1"}, Repeat::no));
  EXPECT_TRUE(client->send({.method = "POST", .target = "/a", .body = "1"}, Repeat::no));
  EXPECT_EQ(reached.handler.asked[0].field("content-type"), "a/b");
  EXPECT_EQ(reached.handler.asked[1].field("content-type"), "application/json");
}

TEST(HttpClient, SaysWhenAStreamHasBegunAndEndsItWhenItIsStopped) {
  const Reached reached;
  std::atomic<bool> is_stopped = false;
  const auto client = reached.client({.is_stopped = [&] { return is_stopped.load(); }});
  std::vector<std::string> pieces;
  const auto got = client->stream({.method = "GET", .target = "/stream"}, 60s, [&](std::string_view bytes) {
    pieces.emplace_back(bytes);
    is_stopped = pieces.size() > 1;
    return true;
  });
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "stopped");
  EXPECT_EQ(pieces.front(), "");
}

/// A certificate for 127.0.0.1, or for the name that is given instead.
void certify(const TemporaryFolder& folder, const std::string& name,
             const std::string& subject = "IP:127.0.0.1") {
  const std::string command = fmt::format(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={1} -addext "
      "subjectAltName={2} -keyout {0}/{1}.key -out {0}/{1}.pem 2>/dev/null",
      folder.path(), name, subject);
  ASSERT_EQ(std::system(command.c_str()), 0);
}

TEST(HttpClient, LooksForTheNameThatTheCertificateShallHave) {
  const TemporaryFolder folder;
  certify(folder, "inner", "DNS:inner.example");
  const Reached reached({.certificate_file = folder.path("inner.pem"), .key_file = folder.path("inner.key")});
  const auto ask = [&](HttpClientOptions options) {
    return reached.client(std::move(options))->send({.method = "GET", .target = "/a"}, Repeat::no);
  };
  const Pem ca{.text = read_text(folder.path("inner.pem"))};
  EXPECT_TRUE(ask({.ca = ca, .server_name = "inner.example"}));
  EXPECT_EQ(reached.handler.asked.back().field("host"), fmt::format("127.0.0.1:{}", reached.server->port()));
  EXPECT_FALSE(ask({.ca = ca, .server_name = "other.example"}));
  EXPECT_FALSE(ask({.ca = ca}));
  EXPECT_TRUE(ask({.is_insecure = true}));
}

TEST(HttpClient, TrustsTheCertificatesThatItIsGivenAndNoOthers) {
  const TemporaryFolder folder;
  for (const std::string name : {"mine", "other"}) certify(folder, name);
  const Reached reached({.certificate_file = folder.path("mine.pem"), .key_file = folder.path("mine.key")});
  EXPECT_EQ(reached.client({.ca = {.file = folder.path("mine.pem")}})
                ->send({.method = "GET", .target = "/"}, Repeat::yes)
                ->status,
            200);
  for (const std::string& ca : {folder.path("other.pem"), std::string()}) {
    const auto got =
        reached.client({.ca = {.file = ca}})->send({.method = "GET", .target = "/"}, Repeat::yes);
    ASSERT_FALSE(got) << ca;
    EXPECT_THAT(got.error().message, HasSubstr("certificate"));
  }
  EXPECT_FALSE(HttpClient::open({.url = *read_url("https://x", "url"), .ca = {.file = folder.path("none")}}));
}

TEST(HttpClient, ReadsUrls) {
  EXPECT_EQ(read_url("https://a.example:7417/", "k")->text, "https://a.example:7417");
  EXPECT_EQ(read_url("http://a/mirab/", "k")->text, "http://a/mirab");
  EXPECT_TRUE(read_url("https://a", "k")->has_tls);
  EXPECT_EQ(read_url("http://[::1]:7417", "k")->host, "[::1]");
  for (const std::string wrong : {"", "a.example:7417", "ftp://a", "http://", "http://user@a", "http://a?b=c",
                                  "http://a#b", "http://a:99999"}) {
    const auto read = read_url(wrong, "--server");
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().key, "--server");
  }
  for (const std::string without_scheme : {"127.0.0.1", "127.0.0.1:6443", "a.example:7417"}) {
    EXPECT_THAT(read_url(without_scheme, "k").error().message,
                HasSubstr("it begins with http:// or https://"));
  }
}

TEST(HttpClient, KnowsWhatOthersCouldReadOnTheWay) {
  for (const std::string safe : {"https://a.example", "http://127.0.0.1:1", "http://127.9.9.9",
                                 "http://[::1]", "http://localhost:7417"})
    EXPECT_FALSE(is_readable_on_the_way(*read_url(safe, "k"))) << safe;
  for (const std::string open :
       {"http://a.example", "http://10.0.0.1", "http://[fe80::1]", "http://localhost.example"})
    EXPECT_TRUE(is_readable_on_the_way(*read_url(open, "k"))) << open;
}

TEST(HttpClient, EncodesAPartOfATarget) {
  EXPECT_EQ(percent_encoded("a/b c%\xc3\xa9~"), "a%2Fb%20c%25%C3%A9~");
}

}  // namespace
}  // namespace mirab::net
