#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "kube/answering.hpp"
#include "net/http_server.hpp"

namespace mirab::kube {

/// What the program answers: `/metrics`, `/healthz`, `/livez`, `/readyz` to everybody, and to those on this
/// machine the read API and the live page. And the signals that end the program, which its thread waits for.
class Monitor final : public net::Handler {
 public:
  struct Options {
    /// None: some free port of this machine, which has /metrics and the health, and answers no questions.
    std::optional<net::Endpoint> listen = {};
    std::string version = {};         ///< of the program
    std::function<void()> stop = {};  ///< after a signal
    Answering::Options answering = {};
  };
  /// Errors: the port cannot be opened.
  static Result<std::unique_ptr<Monitor>> start(Options options);
  ~Monitor() override;

  void set_metrics(std::string text);
  void set_ready(bool is_ready, std::string why = {});
  /// The thread that decides is alive. Where it does not say so for a minute /healthz and /livez fail.
  void set_alive();
  /// Null where no one can ask.
  Answering* answering() { return answering_.get(); }

  net::Admission admit(net::Request& head) override;
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange) override;
  net::Response refusal(int status, std::string_view why) override;

 private:
  Monitor() = default;
  net::Response health(std::string_view path);

  std::string version_;
  std::unique_ptr<Answering> answering_;
  std::mutex mutex_;
  std::string metrics_ = {};
  bool is_ready_ = false;
  std::string why_ = "starting";
  std::chrono::steady_clock::time_point alive_at_ = std::chrono::steady_clock::now();
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
};

}  // namespace mirab::kube
