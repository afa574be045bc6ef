#include "kube/monitor.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace mirab::kube {
namespace {

constexpr std::int64_t kHangs_ms = 60'000;

std::int64_t monitor_now_ms() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::start(const std::optional<net::Endpoint>& listen,
                                                std::function<void()> stop) {
  std::unique_ptr<Monitor> monitor(new Monitor());
  monitor->set_alive();
  net::ServerOptions options;
  if (listen) {
    options.address = listen->address;
    options.port = listen->port;
  }
  options.connections = 64;
  Result<std::unique_ptr<net::Server>> server = net::Server::open(options, *monitor);
  if (!server) return std::move(server).error();
  monitor->server_ = *std::move(server);
  monitor->server_->on_signal({SIGTERM, SIGINT}, [stop = std::move(stop)](int) { stop(); });
  monitor->thread_ = std::thread([raw = monitor.get()] { raw->server_->run(); });
  return monitor;
}

Monitor::~Monitor() {
  if (!thread_.joinable()) return;
  server_->stop(std::chrono::milliseconds(0));
  thread_.join();
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

void Monitor::set_alive() { alive_at_ms_ = monitor_now_ms(); }

net::Admission Monitor::admit(net::Request& /*head*/) { return {}; }

void Monitor::handle(net::Request request, std::shared_ptr<net::Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  if (request.target == "/metrics")
    return exchange->answer({.type = "text/plain; version=0.0.4", .body = metrics_});
  if (request.target == "/healthz") {
    const bool hangs = monitor_now_ms() - alive_at_ms_ > kHangs_ms;
    return exchange->answer({.status = hangs ? 500 : 200,
                             .type = "text/plain",
                             .body = hangs ? "nothing was decided for a minute\n" : "ok\n"});
  }
  if (request.target == "/readyz") {
    return exchange->answer(
        {.status = is_ready_ ? 200 : 503, .type = "text/plain", .body = is_ready_ ? "ok\n" : why_ + "\n"});
  }
  exchange->answer(refusal(404, "there are /metrics, /healthz and /readyz"));
}

net::Response Monitor::refusal(int status, std::string_view why) {
  return {.status = status, .type = "text/plain", .body = std::string(why) + "\n"};
}

}  // namespace mirab::kube
