// Plays a trace on a service, as clients and executors would: submits jobs at their times, and ends their
// tasks when their runtimes are over.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include <mirab/model/result.hpp>

#include "cli/demo/trace.hpp"
#include "client/service.hpp"

namespace mirab::cli::demo {

/// Makes the trace's tenants, groups, queues and servers.
Check set_up(client::Service& service, const Trace& trace);

/// One thread; `is_over` may be set by another.
class Player {
 public:
  Player(client::Service& service, const Trace& trace, double speed, const std::atomic<bool>& is_over)
      : service_(service), trace_(trace), speed_(speed), is_over_(is_over) {}

  /// Plays the trace from its start to its end, then cancels what is left of it and begins again, until it is
  /// over. `says` hears of each beginning. Errors: the service did not answer or refused.
  Check play(const std::function<void(const std::string& sentence)>& says);

 private:
  Check play_once();
  Check submit_due(double now_s);
  Check hear(double now_s);
  Check end_due(double now_s);
  Check cancel_rest();
  Check report(const std::string& task, const std::string& outcome);
  std::string name_of(const TimedJob& job) const;

  client::Service& service_;
  const Trace& trace_;
  double speed_;
  const std::atomic<bool>& is_over_;

  int round_ = 0;                                     // how often it began
  std::size_t next_ = 0;                              // the first job that is not submitted yet
  std::uint64_t heard_ = 0;                           // revision of the latest events
  std::unordered_map<std::string, double> runtimes_;  // of jobs of this round by `QUEUE/NAME`
  std::unordered_map<std::string, double> ends_;      // when a task ends, in seconds of the trace
  std::multimap<double, std::string> tasks_by_end_;   // the same by time; tasks that are gone stay in it
};

}  // namespace mirab::cli::demo
