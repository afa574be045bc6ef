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
  using Sink = std::unique_ptr<kubernetes::ObjectSink>;

  /// Errors: as for ApiServer::open.
  static Result<std::unique_ptr<Watching>> start(const Access& access, const kubernetes::Resource& resource,
                                                 Sink sink, std::uint64_t seed);
  ~Watching();

  /// How long ago the copy was last known to be new: since the latest byte of the watch, of which one comes
  /// a minute at least.
  std::chrono::milliseconds age() const;
  /// What went wrong with the latest request; empty: nothing.
  std::string trouble() const;

 private:
  Watching(const kubernetes::Resource& resource, Sink sink, std::uint64_t seed)
      : sink_(std::move(sink)), reflector_(resource, seed) {}
  void run();
  void look();

  Sink sink_;
  kubernetes::Reflector reflector_;
  std::uint64_t heard_ = 0;  // of the reflector, at the latest look; its thread only
  std::unique_ptr<ApiServer> server_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<std::chrono::steady_clock::time_point> new_at_ = {};  // the epoch: never yet
  mutable std::mutex mutex_;
  std::string trouble_ = {};
  std::thread thread_;
};

// What a copy tells the mailbox.
Watching::Sink node_news(Mailbox& mailbox);
Watching::Sink pod_news(Mailbox& mailbox);
Watching::Sink space_news(Mailbox& mailbox, std::string team_label);
Watching::Sink budget_news(Mailbox& mailbox, std::string version);

}  // namespace mirab::kube
