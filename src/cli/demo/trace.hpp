// What `mirab demo` plays: a trace as the bodies that a service takes, embedded in the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

#include "client/service.hpp"

namespace mirab::cli::demo {

/// A job, when it is submitted and how long its tasks run, in seconds of the trace.
struct TimedJob {
  double at_s = 0;
  double runtime_s = 0;
  std::string queue;
  std::string name;
  client::Json body = {};
};

/// Things with names, in the order in which they are made.
using Named = std::vector<std::pair<std::string, client::Json>>;

/// A trace with teams: each team is a group and a tenant, each of its users a queue.
struct Trace {
  std::string title;  ///< a sentence
  double speed = 1;   ///< so that it takes some eight minutes
  std::vector<std::string> resources = {};
  std::vector<std::string> tenants = {};
  Named groups = {}, queues = {}, servers = {};
  std::vector<TimedJob> jobs = {};  ///< by time
  double span_s = 0;
};

/// The names of the traces; the first is the default.
std::span<const std::string_view> trace_names();

/// A trace by its name, which is one of those.
Result<Trace> read_trace(std::string_view name);

}  // namespace mirab::cli::demo
