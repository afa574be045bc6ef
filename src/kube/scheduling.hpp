// `mirab kube`: the pure scheduler of kubernetes/scheduler, with threads, connections and clocks around it.
//
//   nodes ─▶ Watching ─┐                          ┌─▶ Sending ─▶ API server
//   pods  ─▶ Watching ─┴▶ Mailbox ─▶ this thread ─┘      │
//                            ▲        (Scheduler)        │ replies
//                            └───────────────────────────┘
//                   this thread ── pictures ──▶ Answering ◀── questions ── Monitor
//
// It keeps nothing on disk that it reads again: after a start, or when it becomes the leader, it lists
// everything again.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include <mirab/model/result.hpp>

#include "kube/access.hpp"
#include "kubernetes/scheduler/election.hpp"
#include "kubernetes/scheduler/scheduler.hpp"
#include "net/http_server.hpp"

namespace mirab::kube {

struct SchedulingOptions {
  Access access;
  kubernetes::SchedulerOptions scheduler = {};                 ///< its holder and looks_first are set here
  std::optional<kubernetes::Election::Options> election = {};  ///< none: it acts at once
  std::optional<net::Endpoint> listen = {};                    ///< of the Monitor
  std::string version = {};                                    ///< of the program
  std::size_t connections = 32;                                ///< that send at a time
  std::string event_logs = {};                                 ///< the folder of EventLogs; empty: none
  /// A line of the log: how grave (`info`, `warning`, `error`), what, and its particulars.
  std::function<void(std::string_view level, std::string_view what, const nlohmann::json& more)> say = {};
};

/// Schedules until SIGTERM or SIGINT. Returns what the program is to return: 0 after a signal, 1 when the
/// lease went to another. Errors: an option, the server cannot be reached within ten seconds, permissions
/// that are missing (all of them).
Result<int> schedule(const SchedulingOptions& options);

}  // namespace mirab::kube
