// `mirab serve`: the API on a file.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "live/reader.hpp"
#include "net/http_server.hpp"
#include "service/heartbeats.hpp"
#include "service/pipeline.hpp"

namespace mirab::service {

struct ServiceOptions {
  std::string file;
  std::string archive = {};  ///< a folder; empty: none
  net::ServerOptions server = {};
  PipelineOptions pipeline = {};
  Silence silence = {};                       ///< of executors
  std::optional<net::Endpoint> metrics = {};  ///< where /metrics, /livez and /readyz are too
  bool allows_plaintext = false;              ///< beyond this machine without TLS
  bool logs_requests = false;                 ///< each, and not only those that are refused
  std::size_t reserve_bytes = std::size_t{64} << 20U;
  std::string version = {};                                ///< in the API's description
  std::function<void(const std::string& url)> ready = {};  ///< called once, when it takes requests
  std::function<void()> stopping = {};                     ///< called at the signal that ends it
};

/// What the process returns when the store has failed: see the service's manual.
inline constexpr int kStoreFailed = 4;

/// Serves until SIGTERM or SIGINT. Prints `listening on http://ADDR:PORT` on standard error when it is ready.
/// Returns the exit status. Errors: what keeps it from starting.
Result<int> serve(const ServiceOptions& options);

}  // namespace mirab::service
