#include "kube/monitor.hpp"

#include <chrono>
#include <csignal>
#include <utility>

#include "api/gauges.hpp"
#include "api/requests.hpp"
#include "kube/read_api.hpp"

namespace mirab::kube {
namespace {

constexpr std::chrono::seconds kHangs{60};  // without a turn of the thread that decides

bool is_own(const net::Request& head) {
  const std::string_view path = api::path_read(head);
  return path == "/metrics" || path == "/healthz" || path == "/livez" || path == "/readyz";
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::start(Options given) {
  std::unique_ptr<Monitor> monitor(new Monitor());
  monitor->version_ = std::move(given.version);
  net::ServerOptions options;
  if (given.listen) {
    Result<std::unique_ptr<Answering>> answering = Answering::start(std::move(given.answering));
    if (!answering) return std::move(answering).error();
    monitor->answering_ = *std::move(answering);
    options.address = given.listen->address;
    options.port = given.listen->port;
  }
  options.connections = 256;
  Result<std::unique_ptr<net::Server>> server = net::Server::open(options, *monitor);
  if (!server) return std::move(server).error();
  monitor->server_ = *std::move(server);
  monitor->server_->on_signal({SIGTERM, SIGINT}, [stop = std::move(given.stop)](int) { stop(); });
  monitor->thread_ = std::thread([raw = monitor.get()] { raw->server_->run(); });
  return monitor;
}

Monitor::~Monitor() {
  if (thread_.joinable()) {
    server_->stop(std::chrono::milliseconds(0));
    thread_.join();
  }
  answering_.reset();  // before the server, whose exchanges it holds
}

void Monitor::set_metrics(std::string text) {
  const std::lock_guard lock(mutex_);
  metrics_ = std::move(text);
}

void Monitor::set_ready(bool is_ready, std::string why) {
  const std::lock_guard lock(mutex_);
  is_ready_ = is_ready;
  why_ = std::move(why);
}

void Monitor::set_alive() {
  const std::lock_guard lock(mutex_);
  alive_at_ = std::chrono::steady_clock::now();
}

net::Admission Monitor::admit(net::Request& head) {
  return is_own(head) || !answering_ ? net::Admission() : admit_read(head);
}

void Monitor::handle(net::Request request, std::shared_ptr<net::Exchange> exchange) {
  if (is_own(request)) return exchange->answer(health(api::path_read(request)));
  if (!answering_) return exchange->answer(refusal(404, "without --listen it answers no questions"));
  answer_read(*answering_, version_, request, exchange);
}

net::Response Monitor::health(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const bool hangs = std::chrono::steady_clock::now() - alive_at_ > kHangs;
  if (path == "/metrics")
    return {.type = "text/plain; version=0.0.4",
            .body = metrics_ + (answering_ ? api::text_of(answering_->gauges()) : "")};
  if (path == "/healthz")
    return {.status = hangs ? 500 : 200,
            .type = "text/plain",
            .body = hangs ? "nothing was decided for a minute\n" : "ok\n"};
  if (path == "/livez") {
    return api::response_of(
        live::Answer{.status = hangs ? 503 : 200, .body = {{"status", hangs ? "stuck" : "alive"}}});
  }
  live::Json body = {{"status", is_ready_ ? "ready" : "not ready"}, {"offers", "reads"}};
  if (!is_ready_) body["why"] = why_;
  return api::response_of(live::Answer{.status = is_ready_ ? 200 : 503, .body = std::move(body)});
}

net::Response Monitor::refusal(int status, std::string_view why) {
  return api::response_of_refusal(status, why);
}

}  // namespace mirab::kube
