#include "net/http_server.hpp"

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "support/files.hpp"

namespace mirab::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// Answers with what it was asked for.
class Echo final : public Handler {
 public:
  Admission admit(Request& head) override {
    Admission admission;
    if (head.target == "/slowly")
      admission.refusal = std::make_unique<Response>(Response{.status = 429, .body = "slow", .after = 300ms});
    if (head.target == "/refuse") admission.refusal = std::make_unique<Response>(Response{.status = 401});
    admission.body_bytes = 1000;
    return admission;
  }
  void handle(Request request, std::shared_ptr<Exchange> exchange) override {
    if (request.target == "/stream") {
      stream = exchange->stream({.status = 200, .type = "text/event-stream"});
      stream->send("id: 1\n\n");
      opened.set_value();
      return;
    }
    if (request.target == "/stream-from-elsewhere") {
      const auto events = exchange->stream({.status = 200, .type = "text/event-stream"});
      std::thread([events] { events->send("first\n\n"); }).join();
      return;
    }
    if (request.target == "/drop") return;
    if (request.target == "/later") {
      std::thread([exchange] { exchange->answer({.body = "later"}); }).detach();
      return;
    }
    exchange->answer({.type = "text/plain",
                      .body = fmt::format("{} {} {} [{}]", request.method, request.target, request.address,
                                          request.body)});
  }
  Response refusal(int status, std::string_view why) override {
    return {.status = status, .body = std::string(why)};
  }
  std::shared_ptr<EventStream> stream;
  std::promise<void> opened;
};

class Running {
 public:
  explicit Running(ServerOptions options = {}) {
    auto opened = Server::open(options, echo);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    server = *std::move(opened);
    thread_ = std::thread([this] { server->run(); });
  }
  ~Running() {
    server->stop(100ms);
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  Echo echo;
  std::unique_ptr<Server> server;

 private:
  std::thread thread_;
};

class Client {
 public:
  explicit Client(const Running& running) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(running.server->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval time{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Client& send(const std::string& bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    return *this;
  }
  /// All up to a text, or to the end.
  std::string read(const std::string& until = "") {
    std::string all;
    char byte = 0;
    while ((until.empty() || !all.ends_with(until)) && ::recv(socket_, &byte, 1, 0) == 1) all += byte;
    return all;
  }

 private:
  int socket_;
};

const std::string get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(HttpServer, AStreamBeginsWithWhatAnotherThreadSendsAtOnce) {
  const Running running;
  EXPECT_THAT(
      Client(running).send("GET /stream-from-elsewhere HTTP/1.1\r\nHost: x\r\n\r\n").read("first\n\n"),
      testing::EndsWith("\r\n\r\nfirst\n\n"));
}

TEST(HttpServer, AnswersRequestAfterRequestOnOneConnection) {
  const Running running;
  Client client(running);
  for (int n = 0; n < 3; ++n) EXPECT_THAT(client.send(get).read("[]"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(client.send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").read("[abc]"),
              HasSubstr("POST /b 127.0.0.1 [abc]"));
  EXPECT_THAT(client
                  .send("POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                        "chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
                  .read("[abc]"),
              HasSubstr("[abc]"));
  EXPECT_THAT(client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n").read("later"), HasSubstr("later"));
}

TEST(HttpServer, LetsARefusedClientWaitAndNobodyElse) {
  const Running running;
  Client slow(running);
  const auto begin = std::chrono::steady_clock::now();
  slow.send("GET /slowly HTTP/1.1\r\nHost: x\r\n\r\n" + get);
  EXPECT_THAT(Client(running).send(get).read("[]"), StartsWith("HTTP/1.1 200"));
  const std::string both = slow.read("[]");
  EXPECT_THAT(both, StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(both, HasSubstr("HTTP/1.1 200"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 300ms);
}

TEST(HttpServer, CountsAnIpv6NetworkOf64BitsAsOneClient) {
  EXPECT_EQ(client_of("2001:db8::1"), client_of("2001:db8::ffff:0:0:2"));
  EXPECT_NE(client_of("2001:db8::1"), client_of("2001:db8:0:1::1"));
  EXPECT_EQ(client_of("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(client_of("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(client_of("nonsense"), "nonsense");
}

TEST(HttpServer, AnswersRequestsThatCameTogetherInOrder) {
  const Running running;
  Client client(running);
  client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string both = client.read();
  EXPECT_LT(both.find("GET /1"), both.find("GET /2"));
  EXPECT_NE(both.find("GET /2"), std::string::npos);
}

TEST(HttpServer, ClosesAfterWhatItDoubts) {
  const Running running;
  for (const char* bytes :
       {"GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET "
        "/smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nGET /smuggled "
        "HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    Client client(running);
    const std::string answer = client.send(bytes).read();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400")) << bytes;
    EXPECT_EQ(answer.find("smuggled"), std::string::npos) << bytes;
  }
}

TEST(HttpServer, HoldsTheLimitOfABodyWithAndWithoutALength) {
  const Running running;
  EXPECT_THAT(Client(running).send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n").read(),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Client(running)
                  .send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                        std::string(1001, 'a') + "\r\n0\r\n\r\n")
                  .read(),
              StartsWith("HTTP/1.1 413"));
}

TEST(HttpServer, RefusesWithoutReadingTheBody) {
  const Running running;
  const std::string answer =
      Client(running)
          .send("POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\nExpect: 100-continue\r\n\r\n")
          .read();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
}

TEST(HttpServer, AsksForTheBodyThatWaitsForIt) {
  const Running running;
  Client client(running);
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(client.send("ok").read("[ok]"), HasSubstr("200 OK"));
}

TEST(HttpServer, AnExchangeThatIsDroppedAnswers503) {
  const Running running;
  EXPECT_THAT(Client(running).send("GET /drop HTTP/1.1\r\nHost: x\r\n\r\n").read(),
              StartsWith("HTTP/1.1 503"));
}

TEST(HttpServer, ClosesClientsThatAreTooSlow) {
  ServerOptions options;
  options.head_time = 200ms;
  options.idle_time = 400ms;
  const Running running(options);
  Client slow(running);
  slow.send("GET /a HT");
  Client idle(running);
  EXPECT_EQ(slow.read(), "");
  EXPECT_EQ(idle.read(), "");
}

TEST(HttpServer, TakesNoMoreConnectionsOfAnAddressThanItMay) {
  ServerOptions options;
  options.connections_per_address = 2;
  const Running running(options);
  Client one(running);
  Client two(running);
  one.send(get).read("[]");
  two.send(get).read("[]");
  Client three(running);
  EXPECT_EQ(three.read(), "");
}

TEST(HttpServer, BelievesTheAddressThatATrustedProxyNames) {
  ServerOptions options;
  options.trusted_proxies = {"127.0.0.0/8"};
  const Running trusted(options);
  const std::string bytes = "GET /a HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.1.1.1, 9.8.7.6\r\n\r\n";
  EXPECT_THAT(Client(trusted).send(bytes).read("[]"), HasSubstr("9.8.7.6"));
  const Running plain;
  EXPECT_THAT(Client(plain).send(bytes).read("[]"), HasSubstr("127.0.0.1"));
}

TEST(HttpServer, StreamsEventsUntilTheClientFallsBehind) {
  ServerOptions options;
  options.unsent_bytes = 100'000;
  Running running(options);
  Client client(running);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read("id: 1\n\n"), HasSubstr("text/event-stream"));
  running.echo.opened.get_future().wait();
  running.echo.stream->send("id: 2\n\n");
  EXPECT_EQ(client.read("\n\n"), "id: 2\n\n");
  // Nothing is read any more: the buffers of the sockets fill, then the limit is reached.
  for (int n = 0; n < 400 && !running.echo.stream->is_closed(); ++n) {
    running.echo.stream->send(std::string(90'000, 'x'));
    std::this_thread::sleep_for(1ms);
  }
  for (int n = 0; n < 1000 && !running.echo.stream->is_closed(); ++n) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(running.echo.stream->is_closed());
}

TEST(HttpServer, OfAStreamHeadHasTheHeadAlone) {
  Running running;
  const std::string answer = Client(running).send("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n").read();
  EXPECT_THAT(answer, HasSubstr("text/event-stream"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
  running.echo.stream->send("id: 2\n\n");
  for (int n = 0; n < 1000 && !running.echo.stream->is_closed(); ++n) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(running.echo.stream->is_closed());
}

TEST(HttpServer, SendsATextBeyondTheLimitWhereNothingWasUnsent) {
  ServerOptions options;
  options.unsent_bytes = 1000;
  Running running(options);
  Client client(running);
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read("id: 1\n\n");
  running.echo.opened.get_future().wait();
  running.echo.stream->send(std::string(50'000, 'x') + "\n\n");
  EXPECT_EQ(client.read("\n\n").size(), 50'002U);
  for (int n = 0; n < 1000 && running.echo.stream->unsent() > 0; ++n) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(running.echo.stream->unsent(), 0U);
}

void make_certificate(const TemporaryFolder& folder, const std::string& name) {
  const std::string command = fmt::format(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={2} -keyout "
      "{0} -out {1} 2>&1",
      folder.path("key"), folder.path("cert"), name);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  ASSERT_EQ(::pclose(pipe), 0);
}

std::string name_in_certificate(const Running& running) {
  const std::string command = fmt::format(
      "echo | openssl s_client -connect 127.0.0.1:{} 2>/dev/null | grep '^subject='", running.server->port());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string line(200, 0);
  if (std::fgets(line.data(), 200, pipe) == nullptr) line.clear();
  ::pclose(pipe);
  return line.c_str();
}

TEST(HttpServer, TakesANewCertificateAndKeepsTheOldOneWhereTheNewOneIsBad) {
  const TemporaryFolder folder;
  make_certificate(folder, "first");
  Running running({.certificate_file = folder.path("cert"), .key_file = folder.path("key")});
  EXPECT_THAT(name_in_certificate(running), HasSubstr("first"));
  const auto reload = [&] {
    std::promise<bool> done;
    running.server->post([&] { done.set_value(!running.server->reload_certificate()); });
    return done.get_future().get();
  };
  folder.write("cert", "no certificate");
  EXPECT_FALSE(reload());
  EXPECT_THAT(name_in_certificate(running), HasSubstr("first"));
  make_certificate(folder, "second");
  EXPECT_TRUE(reload());
  EXPECT_THAT(name_in_certificate(running), HasSubstr("second"));
  EXPECT_EQ(running.server->figures().failed_reloads, 1U);
}

}  // namespace
}  // namespace mirab::net
