#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "kube/api_server.hpp"
#include "kube/mailbox.hpp"

namespace mirab::kube {

/// Keeps a copy of a collection up to date, on a thread and a connection of its own, and tells the mailbox.
class Watching {
 public:
  enum class What { nodes, pods };

  /// Errors: as for ApiServer::open.
  static Result<std::unique_ptr<Watching>> start(const kubernetes::ApiAccess& access, What what,
                                                 Mailbox& mailbox, std::uint64_t seed);
  ~Watching();

  /// Since when the copy may be old; zero while it is not.
  std::chrono::milliseconds old_for() const;
  /// What went wrong with the latest request; empty: nothing.
  std::string trouble() const;

 private:
  Watching(What what, Mailbox& mailbox) : what_(what), mailbox_(mailbox) {}
  void run(std::uint64_t seed);

  What what_;
  Mailbox& mailbox_;
  std::unique_ptr<ApiServer> server_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<std::int64_t> old_since_ms_ = 0;  // of the steady clock; 0: it is not
  mutable std::mutex mutex_;
  std::string trouble_ = {};
  std::thread thread_;
};

}  // namespace mirab::kube
