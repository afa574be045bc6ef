#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kube/api_server.hpp"
#include "kube/mailbox.hpp"

namespace mirab::kube {

/// Sends requests on several threads, each with a connection of its own: binds first, then what people see.
/// What comes of a request goes to the mailbox, where it is wanted.
class Sending {
 public:
  /// `may_send` is asked before each request; after a no it is not sent. No answer is waited for longer than
  /// `answer_time`. Errors: as for ApiServer::open.
  static Result<std::unique_ptr<Sending>> start(const Access& access, std::size_t threads, Mailbox& mailbox,
                                                std::function<bool()> may_send,
                                                std::chrono::milliseconds answer_time, std::uint64_t seed);
  ~Sending();

  void send(std::vector<kubernetes::Request> requests);

 private:
  Sending(Mailbox& mailbox, std::function<bool()> may_send)
      : mailbox_(mailbox), may_send_(std::move(may_send)) {}
  void run(ApiServer& server);
  bool has_work() const;
  kubernetes::Reply asked(ApiServer& server, const kubernetes::Request& request) const;

  Mailbox& mailbox_;
  std::function<bool()> may_send_;
  std::mutex mutex_;
  std::condition_variable there_;
  std::deque<kubernetes::Request> binds_ = {};
  std::deque<kubernetes::Request> reports_ = {};
  std::size_t reports_under_way_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::vector<std::unique_ptr<ApiServer>> servers_ = {};
  std::vector<std::thread> threads_ = {};
};

}  // namespace mirab::kube
