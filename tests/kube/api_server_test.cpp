// The client of the API server against a server that answers what a test tells it to.
#include "kube/api_server.hpp"

#include <atomic>
#include <deque>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

#include "kubernetes/objects.hpp"
#include "net/http_server.hpp"

namespace mirab::kube {
namespace {

using namespace std::chrono_literals;
using kubernetes::Reflector;
using testing::ElementsAre;
using testing::HasSubstr;

/// Gives its replies in their order. A watch is streamed piece by piece, and kept open where `stays_open`.
class ScriptedApi final : public net::Handler {
 public:
  struct Reply {
    net::Response response = {};
    std::vector<std::string> pieces = {};  // of a watch
    bool stays_open = false;
  };

  net::Admission admit(net::Request& /*head*/) override { return {.body_bytes = 10'000, .refusal = {}}; }
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange) override {
    const std::lock_guard guard(mutex);
    asked.push_back(request);
    if (replies.empty()) return exchange->answer({.status = 404});
    Reply reply = std::move(replies.front());
    replies.pop_front();
    if (reply.pieces.empty() && !reply.stays_open) return exchange->answer(std::move(reply.response));
    stream = exchange->stream({.status = 200});
    for (const std::string& piece : reply.pieces) stream->send(piece);
    is_to_close = !reply.stays_open;
  }
  /// Ends a watch of which all is written: close() drops the rest.
  void close_what_is_written() {
    const std::lock_guard guard(mutex);
    if (!stream || !is_to_close || stream->unsent() > 0) return;
    stream->close();
    stream.reset();
  }
  net::Response refusal(int status, std::string_view why) override {
    return {.status = status, .body = std::string(why)};
  }

  std::mutex mutex;
  std::deque<Reply> replies;
  std::vector<net::Request> asked;
  std::shared_ptr<net::EventStream> stream;
  bool is_to_close = false;
};

class Names final : public kubernetes::ObjectSink {
 public:
  void begin_list() override { calls.emplace_back("begin"); }
  void put(Node object) override { calls.push_back("put " + name_of(object)); }
  void remove(Node object) override { calls.push_back("remove " + name_of(object)); }
  void end_list() override { calls.emplace_back("end"); }
  static std::string name_of(const Node& object) {
    return kubernetes::value_at(object, "/metadata/name")->text;
  }
  std::vector<std::string> calls;
};

std::string object(const std::string& name, int version) {
  return fmt::format(R"({{"metadata":{{"name":"{}","resourceVersion":"{}"}}}})", name, version);
}

net::Response page(const std::string& items, const std::string& more = "") {
  return {.body = fmt::format(
              R"({{"kind":"PodList","metadata":{{"resourceVersion":"5","continue":"{}"}},"items":[{}]}})",
              more, items)};
}

std::string line(const std::string& type, const std::string& name, int version) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object(name, version));
}

class ApiServerTest : public testing::Test {
 protected:
  ApiServerTest() : server_(*net::Server::open({}, api)) {
    server_->every(5ms, [this] { api.close_what_is_written(); });
    access.api.server = fmt::format("http://127.0.0.1:{}", server_->port());
    access.api.token = "sEcReT";
    thread_ = std::thread([this] { server_->run(); });
  }
  ~ApiServerTest() override {
    server_->stop(100ms);
    thread_.join();
  }

  std::unique_ptr<ApiServer> client(ApiServerOptions options = {}) const {
    return *ApiServer::open(access, std::move(options));
  }

  void reply(net::Response response) { api.replies.push_back({.response = std::move(response)}); }
  void watch(std::vector<std::string> pieces, bool stays_open = false) {
    api.replies.push_back({.pieces = std::move(pieces), .stays_open = stays_open});
  }

  ScriptedApi api;
  Access access;

 private:
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
};

TEST_F(ApiServerTest, ListsAllPagesWithItsToken) {
  reply(page(object("a", 1), "a b/c"));
  reply(page(object("b", 2)));
  Names names;
  EXPECT_FALSE(client()->list(kubernetes::kPods, names));
  EXPECT_THAT(names.calls, ElementsAre("begin", "put a", "put b", "end"));
  const std::string selector = "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";
  ASSERT_EQ(api.asked.size(), 2U);
  EXPECT_EQ(api.asked[0].target, "/api/v1/pods?limit=500&" + selector);
  EXPECT_EQ(api.asked[1].target, "/api/v1/pods?limit=500&continue=a%20b%2Fc&" + selector);
  EXPECT_EQ(api.asked[0].field("authorization"), "Bearer sEcReT");
}

TEST_F(ApiServerTest, ListsAgainWhatIsRefusedForNowOrExpires) {
  reply({.status = 429, .fields = {{"Retry-After", "0"}}});
  reply(page(object("a", 1), "more"));
  reply({.status = 410, .body = R"({"kind":"Status","reason":"Expired"})"});
  reply(page(object("b", 2)));
  Names names;
  EXPECT_FALSE(client()->list(kubernetes::kPods, names));
  EXPECT_THAT(names.calls, ElementsAre("begin", "put a", "begin", "put b", "end"));
  EXPECT_THAT(api.asked.back().target, Not(HasSubstr("limit")));
}

TEST_F(ApiServerTest, SaysWhichPermissionIsMissing) {
  reply({.status = 403, .body = R"({"kind":"Status","message":"nodes is forbidden: User \"me\" cannot"})"});
  Names names;
  const Check wrong = client()->list(kubernetes::kNodes, names);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(describe(*wrong), access.api.server +
                                  "/api/v1/nodes: list nodes: answered 403: nodes is forbidden: User \"me\" "
                                  "cannot");
  EXPECT_EQ(api.asked.size(), 1U);
}

TEST_F(ApiServerTest, GivesUpAListThatFailsTooOftenOrAsksForTooMuchPatience) {
  for (int i = 0; i < 5; ++i) reply({.status = 500, .body = "etcd is away"});
  Names names;
  const Check wrong = client()->list(kubernetes::kNodes, names, 2);
  ASSERT_TRUE(wrong);
  EXPECT_THAT(wrong->message, HasSubstr("answered 500: etcd is away"));
  EXPECT_EQ(api.asked.size(), 2U);
  api.replies.clear();
  reply({.status = 429, .fields = {{"Retry-After", "3600"}}});
  EXPECT_TRUE(client()->list(kubernetes::kNodes, names));
  EXPECT_EQ(api.asked.size(), 3U);
}

TEST_F(ApiServerTest, WatchesFromTheVersionOfTheListAndGoesOn) {
  reply(page(object("a", 1)));
  const std::string added = line("ADDED", "b", 6);
  watch({added.substr(0, 10), added.substr(10), line("DELETED", "a", 7)});
  watch({line("MODIFIED", "b", 9),
         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"message\":\"old\"}}\n"},
        true);
  reply(page(object("c", 4)));
  Names names;
  Reflector reflector(kubernetes::kPods, 1);
  const auto server = client();
  for (int i = 0; i < 4; ++i) server->step(reflector, names);
  EXPECT_THAT(names.calls,
              ElementsAre("begin", "put a", "end", "put b", "remove a", "put b", "begin", "put c", "end"));
  EXPECT_TRUE(reflector.is_current());
  ASSERT_EQ(api.asked.size(), 4U);
  EXPECT_THAT(
      api.asked[1].target,
      testing::StartsWith("/api/v1/pods?watch=1&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds="));
  EXPECT_THAT(api.asked[2].target, HasSubstr("resourceVersion=7&"));
  EXPECT_THAT(api.asked[3].target, HasSubstr("limit=500"));
}

TEST_F(ApiServerTest, AWatchThatIsSilentIsCurrentAndEndsWhenItIsStopped) {
  reply(page(object("a", 1)));
  watch({}, true);
  std::atomic<bool> is_stopped = false;
  Names names;
  Reflector reflector(kubernetes::kPods, 1);
  bool was_current = false;
  const auto server = client({.is_stopped = [&] {
    was_current = reflector.watches() == 1 && reflector.is_current();
    return is_stopped.load();
  }});
  server->step(reflector, names);
  std::thread stopper([&] {
    std::this_thread::sleep_for(300ms);
    is_stopped = true;
  });
  server->step(reflector, names);
  stopper.join();
  EXPECT_TRUE(was_current);
  EXPECT_EQ(reflector.trouble()->message, "stopped");
}

TEST_F(ApiServerTest, AWatchOfWhatDoesNotChangeIsHeardOfByAskingForItAgain) {
  reply(page(object("a", 5)));
  for (int i = 0; i < 3; ++i) watch({}, true);
  watch({line("ADDED", "b", 9)});
  const auto server = client({.silence = std::chrono::seconds(1)});
  kubernetes::Reflector reflector(kubernetes::kPods, 1);
  Names names;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t heard = reflector.heard();
    server->step(reflector, names);
    EXPECT_GT(reflector.heard(), heard);
    EXPECT_TRUE(reflector.is_current());
    EXPECT_FALSE(reflector.trouble());
    EXPECT_EQ(reflector.pause(), 0ms);
  }
  server->step(reflector, names);
  EXPECT_EQ(names.calls.back(), "put b");
}

TEST_F(ApiServerTest, SendsOnceWhatMayNotBeRepeated) {
  reply({.status = 201, .body = R"({"kind":"Status","status":"Success"})"});
  reply({.status = 409, .body = R"({"kind":"Status","reason":"Conflict","message":"already assigned"})"});
  reply({.status = 429, .fields = {{"Retry-After", "1"}}});
  reply({.status = 503});
  const auto server = client();
  auto answer = server->send("POST", "/api/v1/namespaces/a/pods/p/binding", "{}");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->is_good());
  answer = server->send("PATCH", "/x", "{\"a\":1}", "application/strategic-merge-patch+json");
  EXPECT_EQ(answer->refusal().reason, "Conflict");
  EXPECT_EQ(answer->refusal().code, 409);
  answer = server->send("POST", "/x", "{}");
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->retry_after, 1s);
  EXPECT_EQ(server->send("POST", "/x", "{}")->status, 503);
  ASSERT_EQ(api.asked.size(), 4U);
  EXPECT_EQ(api.asked[0].field("content-type"), "application/json");
  EXPECT_EQ(api.asked[1].field("content-type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(api.asked[1].body, "{\"a\":1}");
  EXPECT_EQ(api.asked[1].method, "PATCH");
}

TEST(ApiServer, DoesNotSendATokenBeyondThisMachineWithoutTls) {
  const auto server = ApiServer::open({.api = {.server = "http://10.0.0.1:8080", .token = "sEcReT"}});
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr("without TLS"));
  EXPECT_TRUE(ApiServer::open({.api = {.server = "http://10.0.0.1:8080"}}));
  EXPECT_EQ(ApiServer::open({.api = {.server = "ftp://a"}}).error().key, "server");
}

}  // namespace
}  // namespace mirab::kube
