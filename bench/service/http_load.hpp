// A load generator for the service: HTTP/1.1 over kept connections, all on one thread with epoll.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mirab::bench {

using Clock = std::chrono::steady_clock;

/// `method target` with a token and a JSON body, as bytes.
std::string http_request(std::string_view method, std::string_view target, std::string_view token,
                         std::string_view body = {});

/// Connections that do alike.
struct Lane {
  int connections = 1;
  std::function<std::string()> request;  ///< the next one, as bytes
  double per_s = 0;  ///< at fixed times, counted from when they were due; 0: the next after each answer
  std::function<void(std::string_view body)> answered = {};  ///< of each answer, where somebody wants it

  // Filled by drive().
  std::vector<double> ms = {};       ///< of each answer
  std::map<int, int> statuses = {};  ///< how many answers had which
  double seconds = 0;                ///< from the first request to the last answer

  /// The quantile q of `ms`: 0.5, 0.99.
  double quantile(double q) const;
};

/// Sends the lanes' requests to 127.0.0.1 for a time, or until `requests` answers have come to the first
/// lane (0: no such end). Where an answer says that it ends the connection, there is a new one. Throws
/// std::runtime_error where a connection ends otherwise.
void drive(int port, const std::vector<Lane*>& lanes, std::chrono::milliseconds time,
           std::size_t requests = 0);

/// A connection that asks one thing after the other.
class Asker {
 public:
  Asker(int port, std::string token);
  ~Asker();
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  struct Answer {
    int status = 0;
    std::string body = {};
  };
  Answer ask(std::string_view method, std::string_view target, std::string_view body = {});
  /// The same; throws where the status is 300 or more.
  std::string must(std::string_view method, std::string_view target, std::string_view body = {});

 private:
  int handle_;
  std::string token_;
};

/// Reads the streams of some watchers until each has come to a revision. Returns how many messages came.
class Watchers {
 public:
  Watchers(int port, const std::string& token, int count);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  std::size_t read_until(std::uint64_t revision);

 private:
  struct Watcher {
    int handle = -1;
    std::string unread = {};
    std::uint64_t last = 0;
  };
  int epoll_;
  std::vector<Watcher> watchers_;
};

}  // namespace mirab::bench
