// The thread that archives what is durable, behind the answers: it reads the log of the file as any reader
// does.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "service/archive.hpp"
#include "service/threads.hpp"

namespace mirab::service {

class Archiver {
 public:
  Archiver(Shared& shared, ArchiveWriter archive);
  ~Archiver() { stop(); }
  Archiver(const Archiver&) = delete;
  Archiver& operator=(const Archiver&) = delete;

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  /// Archives what is left, unless that fails, and ends.
  void stop();

 private:
  void run();
  /// True when it may be that more is left.
  bool turn();
  void say_failure(const Error& failure);

  Shared& shared_;
  ArchiveWriter archive_;
  std::unique_ptr<Store> store_;
  std::string failure_;  ///< that lasts
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace mirab::service
