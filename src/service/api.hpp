// The API on the pipeline: from a request to a command or question, and from an answer to a response. All of
// it on the I/O thread, but for the replies, which come on the threads of the pipeline.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/routes.hpp"
#include "net/http_server.hpp"
#include "service/heartbeats.hpp"
#include "service/metrics.hpp"
#include "service/pipeline.hpp"
#include "service/tokens.hpp"

namespace mirab::service {

class Api final : public net::Handler {
 public:
  Api(std::string version, live::Others others, bool logs_requests, Silence silence)
      : version_(std::move(version)), others_(others), logs_requests_(logs_requests), heartbeats_(silence) {}

  /// Before the first request.
  void connect(Pipeline& pipeline, net::Server& server) {
    pipeline_ = &pipeline;
    server_ = &server;
  }

  net::Admission admit(net::Request& head) override;
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange) override;
  void refused(std::string_view address, int status, std::string_view why) override;
  net::Response refusal(int status, std::string_view why) override;

  /// Rows of the tables `token`, `tenant` and `server`. On the I/O thread.
  void set_row(const std::string& table, const std::string& key, const live::Json& columns);

  /// Executors that fell silent, are back, or are given up. On the I/O thread, once a second.
  void check_heartbeats(std::chrono::steady_clock::time_point now);

  /// Whether the core turned in the last 30 seconds.
  bool is_alive() const;

  void stop() { is_stopping_ = true; }
  Metrics& metrics() { return metrics_; }

 private:
  struct Asked;
  /// Says whether a watch is still open.
  using Open = std::function<bool()>;

  std::optional<net::Response> check_token(Asked& asked, const net::Request& head) const;
  std::optional<net::Response> check(Asked& asked, const net::Request& head);
  std::optional<net::Response> take_rate(const Asked& asked, RateOf of, double amount);
  void command(const std::shared_ptr<Asked>& asked, const net::Request& request, const Reply& reply);
  void submits(const std::shared_ptr<Asked>& asked, const net::Request& request, net::Exchange& exchange,
               const Reply& reply);
  void question(const std::shared_ptr<Asked>& asked, const net::Request& request, const Reply& reply);
  /// Of the process itself: /metrics, /docs, the live page.
  void answer_itself(const Asked& asked, net::Exchange& exchange, net::Response response);
  void own(Own what, const std::shared_ptr<Asked>& asked, const std::shared_ptr<net::Exchange>& exchange,
           const Reply& reply);
  void watch(const std::shared_ptr<Asked>& asked, net::Exchange& exchange, const Reply& reply);
  std::vector<Open>* watches_of(const std::string& tenant);

  std::string version_;
  live::Others others_;
  bool logs_requests_;
  bool is_stopping_ = false;
  Pipeline* pipeline_ = nullptr;
  net::Server* server_ = nullptr;
  TokenTable tokens_;
  RateTable rates_;
  Metrics metrics_;
  Heartbeats heartbeats_;
  std::map<std::string, std::vector<Open>> watches_;  ///< of each tenant
};

}  // namespace mirab::service
