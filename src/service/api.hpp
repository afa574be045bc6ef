// The API on the pipeline: from a request to a command or question, and from an answer to a response. All of
// it on the I/O thread, but for the replies, which come on the threads of the pipeline.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/http_server.hpp"
#include "service/metrics.hpp"
#include "service/pipeline.hpp"
#include "service/routes.hpp"
#include "service/tokens.hpp"

namespace mirab::service {

class Api final : public net::Handler {
 public:
  Api(std::string version, live::Others others, bool logs_requests)
      : version_(std::move(version)), others_(others), logs_requests_(logs_requests) {}

  /// Before the first request.
  void connect(Pipeline& pipeline, net::Server& server) {
    pipeline_ = &pipeline;
    server_ = &server;
  }

  net::Admission admit(net::Request& head) override;
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange) override;
  void refused(std::string_view address, int status, std::string_view why) override;
  net::Response refusal(int status, std::string_view why) override;

  /// Rows of the tables `token` and `tenant`. On the I/O thread.
  void set_row(const std::string& table, const std::string& key, const live::Json& columns);

  /// Executors that fell silent: 60 s without a poll, or given up after `lost_after`. On the I/O thread, once
  /// a second.
  void check_heartbeats(std::chrono::steady_clock::time_point now);

  void stop() { is_stopping_ = true; }

 private:
  struct Asked;
  struct Heartbeat {
    std::chrono::steady_clock::time_point last{};
    bool is_silent = false;
    bool is_lost = false;
  };

  std::optional<net::Response> check(Asked& asked, const net::Request& head);
  std::optional<net::Response> take_rate(const Asked& asked, RateOf of, double amount);
  void command(const std::shared_ptr<Asked>& asked, const net::Request& request, const Reply& reply);
  void submits(const std::shared_ptr<Asked>& asked, const net::Request& request, const Reply& reply);
  void question(const std::shared_ptr<Asked>& asked, const net::Request& request, const Reply& reply);
  void own(Own what, const std::shared_ptr<Asked>& asked, net::Exchange& exchange, const Reply& reply);
  void watch(const std::shared_ptr<Asked>& asked, net::Exchange& exchange, const Reply& reply);
  void say_of_server(live::Do what, const std::string& server);

  std::string version_;
  live::Others others_;
  bool logs_requests_;
  bool is_stopping_ = false;
  Pipeline* pipeline_ = nullptr;
  net::Server* server_ = nullptr;
  TokenTable tokens_;
  RateTable rates_;
  Metrics metrics_;
  std::map<std::string, Heartbeat> heartbeats_;
  std::map<std::string, std::string> executors_;  ///< server of a token
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace mirab::service
