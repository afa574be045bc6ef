// Which executors are silent, and which servers are given up for it. Pure: time is passed in, and the
// commands to send are returned. What the cluster itself knows of a server comes from its rows, so a restart,
// a PUT by the executor and a refused command all lead to the same answer: what has not happened yet is asked
// for again.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/content.hpp"

namespace mirab::service {

/// How long a server may be without a poll.
struct Silence {
  std::chrono::seconds silent_after{60};  ///< then it takes nothing new
  std::chrono::seconds lost_after =
      std::chrono::minutes(10);  ///< then it is given up; more than silent_after
};

/// What a row of table `server` says of it.
struct ServerState {
  bool is_silent = false;
  bool is_lost = false;
};

/// One thread (I/O).
class Heartbeats {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kTogether = std::chrono::minutes(2);  ///< within which silences count as one
  static constexpr auto kAgain = std::chrono::seconds(10);    ///< until a command is sent again

  explicit Heartbeats(Silence silence = {}) : silence_(silence) {}

  const Silence& silence() const { return silence_; }

  /// The row of a server; none when it is gone.
  void set_server(const std::string& server, const std::optional<ServerState>& state, Clock::time_point now);

  /// An executor has a token for this server: from now on it is expected to poll. When the token goes, or
  /// names another server, this one is expected as before, so that its tasks are not forgotten.
  void expect(const std::string& server, Clock::time_point now);
  /// A token for this server has gone, or names another. When it was the last and the server is gone too,
  /// nothing is kept of it.
  void release(const std::string& server);

  /// The executor spoke.
  void beat(const std::string& server, Clock::time_point now);

  struct Saying {
    live::Do what = live::Do::server_silent;
    std::string server = {};
    friend bool operator==(const Saying&, const Saying&) = default;
  };
  /// What is to be said now: silent, back or lost. When at least three servers, and a third of all, fell
  /// silent together, the fault may be ours: none of them is given up.
  std::vector<Saying> check(Clock::time_point now);

  std::size_t size() const { return beats_.size(); }

 private:
  struct Beat {
    Clock::time_point last{};
    bool was_heard = false;  ///< since the start
    int tokens = 0;          ///< for its executor
    std::optional<ServerState> state = {};
    std::map<live::Do, Clock::time_point> said = {};
  };

  Beat& known(const std::string& server, Clock::time_point now);
  void forget_if_gone(std::map<std::string, Beat>::iterator beat);
  bool is_expected(const Beat& beat) const { return beat.state && !beat.state->is_lost; }
  bool fell_silent_with_others(const Beat& beat, Clock::time_point now) const;
  bool may_say(Beat& beat, live::Do what, Clock::time_point now);

  Silence silence_;
  std::map<std::string, ServerState> servers_;
  std::map<std::string, Beat> beats_;
};

}  // namespace mirab::service
