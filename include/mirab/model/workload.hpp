#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/time.hpp>

namespace mirab {

/// No time of a workload is longer: a hundred years, so that a few can be added in 63 bits of nanoseconds.
inline constexpr Duration kLongestWorkload = std::chrono::hours(24 * 365) * 100;

/// The most tasks in all jobs together, a hundred million: four times those of the whole Google
/// trace of 2011. A replay keeps some 24 bytes for each.
inline constexpr std::int64_t kMostWorkloadTasks = 100'000'000;

/// Who submits jobs.
struct Submitter {
  std::string name;    ///< unique
  Quantity weight{1};  ///< φ > 0

  friend bool operator==(const Submitter&, const Submitter&) = default;
};

/// What one task asks for. Jobs that ask for the same share one request.
struct Request {
  ResourceVector demand;                                        ///< of one task; at least one amount > 0
  std::optional<std::vector<std::string>> servers = {};         ///< eligible servers by name; else all
  std::map<std::string, std::vector<std::string>> select = {};  ///< by label: any of the values

  friend bool operator==(const Request&, const Request&) = default;
};

/// How a runtime is known.
enum class Runtime {
  measured,  ///< the trace tells when it began and when it ended
  cut,       ///< it began before the trace or ended after it; the rest was drawn, as the import says
};

/// `tasks` identical tasks of one user, submitted at one time.
struct Job {
  std::string name;                             ///< as the trace calls it; several rows may belong to one
  Duration submitted{};                         ///< since the start of the trace, ≥ 0
  std::uint32_t user;                           ///< index into Workload::users
  std::uint32_t request;                        ///< index into Workload::requests
  std::int64_t tasks = 1;                       ///< ≥ 1; of all jobs together ≤ kMostWorkloadTasks
  std::int64_t gang = 1;                        ///< this many of them start together, or none; 1 … tasks
  std::optional<std::int64_t> per_server = {};  ///< at most this many on one server at a time; ≥ 1
  Duration runtime{};                           ///< of each task, from its start; > 0, ≤ kLongestWorkload
  std::optional<Duration> requested = {};       ///< the runtime that was asked for; > 0, ≤ kLongestWorkload
  Runtime known = Runtime::measured;
  std::optional<std::uint32_t> usage = {};  ///< index into Workload::usages: what a task really takes

  friend bool operator==(const Job&, const Job&) = default;
};

/// What a task really uses, in steps of equal length from its start; the last step goes on.
struct Usage {
  Duration step{};                      ///< > 0
  std::vector<std::vector<double>> of;  ///< [step][resource], ≥ 0; at least one step

  friend bool operator==(const Usage&, const Usage&) = default;
};

/// A server that comes or goes. One whose capacity changes goes and comes back.
struct ServerChange {
  enum class Kind { up, down };
  Kind kind;
  Duration at{};          ///< since the start of the trace, ≥ 0
  std::string server;     ///< the entry of the cluster that it is one of, or a new name
  std::int64_t instance;  ///< which of the entry's servers, from 0; those of the cluster file are up at first
  ResourceVector capacity = {};                    ///< of one that comes
  std::map<std::string, std::string> labels = {};  ///< of one that comes

  friend bool operator==(const ServerChange&, const ServerChange&) = default;
};

/// What users submit over time, and what becomes of the servers: the content of a workload file. It goes with
/// a cluster file, which names the same resources and holds the servers of the beginning.
struct Workload {
  std::vector<std::string> resources;  ///< the order of every ResourceVector
  std::vector<Submitter> users;
  std::vector<Request> requests;
  std::vector<Usage> usages = {};
  std::vector<Job> jobs;                   ///< by time of submission
  std::vector<ServerChange> changes = {};  ///< by time
  Duration span{};  ///< the trace covers [0, span], ≤ kLongestWorkload: no time above is later
};

}  // namespace mirab
