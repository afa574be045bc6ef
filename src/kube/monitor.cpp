#include "kube/monitor.hpp"

#include <csignal>
#include <utility>

namespace mirab::kube {

Result<std::unique_ptr<Monitor>> Monitor::start(const std::optional<net::Endpoint>& listen,
                                                std::function<void()> stop) {
  std::unique_ptr<Monitor> monitor(new Monitor());
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

net::Admission Monitor::admit(net::Request& /*head*/) { return {}; }

void Monitor::handle(net::Request request, std::shared_ptr<net::Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  if (request.target == "/metrics")
    return exchange->answer({.type = "text/plain; version=0.0.4", .body = metrics_});
  if (request.target == "/healthz") return exchange->answer({.type = "text/plain", .body = "ok\n"});
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
