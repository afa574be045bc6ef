// The API on the pipeline: from a request to a command or question, and from an answer to a response. All of
// it on the I/O thread, but for the replies, which come on the threads of the pipeline.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/requests.hpp"
#include "api/routes.hpp"
#include "net/client_rates.hpp"
#include "net/http_server.hpp"
#include "service/body_room.hpp"
#include "service/heartbeats.hpp"
#include "service/metrics.hpp"
#include "service/pipeline.hpp"
#include "service/refusals.hpp"
#include "service/tokens.hpp"

namespace mirab::service {

class Api final : public net::Handler {
 public:
  Api(const std::string& version, bool logs_requests, Silence silence);

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

  /// What is due once a second, on the I/O thread: executors that fell silent, are back, or are given up; a
  /// sum of refusals; the server's figures for other threads.
  void turn(std::chrono::steady_clock::time_point now);

  // Of any thread.

  /// Whether the core and the reader turned in the last 30 seconds.
  bool is_alive() const;
  /// The answer of /livez, and of /readyz.
  live::Answer livez() const;
  live::Answer readyz() const;
  /// The text of /metrics, made on the thread of that server when the reader has said how things stand.
  void metrics_text(net::Server& server, std::function<void(std::string)> use);
  Metrics& metrics() { return metrics_; }
  Refusals& refusals() { return refusals_; }

  void stop() { is_stopping_ = true; }

 private:
  struct Asked;
  /// A response that refuses, and why, for the journal.
  struct Refusal {
    net::Response response;
    std::string why = {};
  };
  static Refusal refusal_of(const live::Problem& wrong);
  /// Says whether a watch is still open.
  using Open = std::function<bool()>;

  std::optional<Refusal> check_token(Asked& asked, const net::Request& head);
  std::optional<Refusal> check(Asked& asked, const net::Request& head);
  std::optional<Refusal> check_client(const Asked& asked, const net::Request& head);
  /// Takes all of the amount, of which `paid` was taken before. Where there is less, that stays paid.
  std::optional<Refusal> take_rate(const Asked& asked, RateOf of, double amount, double paid = 0);
  std::optional<Refusal> take_room(Asked& asked);
  /// What is not paid yet of a body.
  std::optional<Refusal> pay_body(Asked& asked, std::size_t bytes);
  std::optional<Refusal> pay_for_body(Asked& asked, double price);
  void refuse(const Asked& asked, net::Exchange& exchange, Refusal refusal);
  void note_refusal(const Asked& asked, int status, const std::string& why);
  void charge(const std::string& tenant, RateOf of, double amount);
  void command(const std::shared_ptr<Asked>& asked, const net::Request& request, const Reply& reply);
  void submits(const std::shared_ptr<Asked>& asked, const net::Request& request, net::Exchange& exchange,
               const Reply& reply);
  void question(const std::shared_ptr<Asked>& asked, const net::Request& request, net::Exchange& exchange,
                const Reply& reply);
  /// Of the process itself: /metrics, /docs, the live page.
  void answer_itself(const Asked& asked, net::Exchange& exchange, net::Response response);
  void own(Own what, const std::shared_ptr<Asked>& asked, const std::shared_ptr<net::Exchange>& exchange,
           const Reply& reply);
  void watch(const std::shared_ptr<Asked>& asked, net::Exchange& exchange, const Reply& reply);
  std::vector<Open>* watches_of(const std::string& tenant);
  void check_heartbeats(std::chrono::steady_clock::time_point now);
  void note_figures();

  bool logs_requests_;
  api::Document description_;
  api::Document description_page_;
  std::atomic<bool> is_stopping_ = false;
  Pipeline* pipeline_ = nullptr;
  net::Server* server_ = nullptr;
  TokenTable tokens_;
  RateTable rates_;
  net::ClientRates health_rates_{{20, 100}};
  net::ClientRates client_rates_{{100, 1000}};  ///< of clients without a token, for all else
  BodyRoom bodies_;
  Refusals refusals_;
  Metrics metrics_;
  Heartbeats heartbeats_;
  std::mutex figures_mutex_;
  net::ServerFigures server_figures_;                 ///< of a second ago at most
  std::map<std::string, std::vector<Open>> watches_;  ///< of each tenant
};

}  // namespace mirab::service
