#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "net/http_server.hpp"

namespace mirab::kube {

/// What a monitor sees: `/metrics` as text, `/healthz`, `/readyz`. And the signals that end the program,
/// which its thread waits for.
class Monitor final : public net::Handler {
 public:
  /// Without an endpoint: some free port of this machine. Errors: the port cannot be opened.
  static Result<std::unique_ptr<Monitor>> start(const std::optional<net::Endpoint>& listen,
                                                std::function<void()> stop);
  ~Monitor() override;

  void set_metrics(std::string text);
  void set_ready(bool is_ready, std::string why = {});
  /// The thread that decides is alive. Where it does not say so for a minute /healthz fails.
  void set_alive();

  net::Admission admit(net::Request& head) override;
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange) override;
  net::Response refusal(int status, std::string_view why) override;

 private:
  Monitor() = default;

  std::atomic<std::int64_t> alive_at_ms_ = 0;  // of the steady clock
  std::mutex mutex_;
  std::string metrics_ = {};
  bool is_ready_ = false;
  std::string why_ = "starting";
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
};

}  // namespace mirab::kube
