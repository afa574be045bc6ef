// A service in a process of its own, on a file in a temporary folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>

namespace mirab::bench {

class ForkedService {
 public:
  /// Starts it on a new file. Throws std::runtime_error where it does not start.
  ForkedService();
  ~ForkedService();
  ForkedService(const ForkedService&) = delete;
  ForkedService& operator=(const ForkedService&) = delete;

  int port() const { return port_; }
  const std::string& token() const { return token_; }

  /// Ends it with a snapshot.
  void stop();
  /// Starts it again on its file; returns the seconds until it listens.
  double start();
  /// Bytes of memory that the process holds.
  std::uint64_t resident() const;
  /// Bytes that it has written to its journal.
  std::uint64_t journal() const;

 private:
  std::filesystem::path folder_;
  std::string file_;
  std::string journal_;  ///< a file beside it
  std::string token_;
  pid_t process_ = -1;
  int port_ = 0;
};

}  // namespace mirab::bench
