// Figures for Prometheus, and the journal: one JSON object a line on standard error, without bodies and
// secrets.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "live/answers.hpp"
#include "net/http_server.hpp"
#include "service/pipeline.hpp"

namespace mirab::service {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// A request was answered. `route` null: none fitted. Any thread.
  void count(const Route* route, int status, std::chrono::nanoseconds took);
  /// A command was answered.
  void count_command(live::Do what, int status);

  /// A transaction of the log.
  void count_commit(std::chrono::nanoseconds took, std::uint64_t records);

  /// The text of GET /metrics (Prometheus text format 0.0.4). Queues beyond the 200 oldest are one, `other`.
  std::string text(const PipelineFigures& figures, const net::ServerFigures& server,
                   const live::Gauges& gauges);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

/// Writes `{"at":…,"level":…,"what":…,…}` as one line. Texts are cut at 200 bytes. Any thread.
void journal(std::string_view level, std::string_view what, const live::Json& fields = live::Json::object());

}  // namespace mirab::service
