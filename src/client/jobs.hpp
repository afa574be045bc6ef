// Jobs and changes as a client writes them, as the bodies that the API takes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/service.hpp"

namespace mirab::client {

/// A job as the options of a command say it. What is left out has the service's default.
struct JobWords {
  std::optional<std::int64_t> tasks = {};
  std::vector<std::string> demand = {};  ///< `cpu=1500m`
  std::optional<std::int64_t> gang = {};
  std::optional<std::int64_t> per_server = {};
  std::vector<std::string> select = {};  ///< `zone=a`; one label several times: alternatives
  std::string spread = {};               ///< `rack`, or `rack=2`: at most 2 apart
  std::optional<std::int64_t> attempts = {};
  std::optional<std::int64_t> priority = {};
  std::vector<std::string> labels = {};  ///< `commit=deadbeef`
  std::vector<std::string> env = {};     ///< `EPOCHS=3`
  std::string time_limit = {};           ///< `2h`
  std::vector<std::string> argv = {};
};

/// The body of a PUT of a job. Errors, with the key of the option: no `=`, a resource or label twice.
Result<Json> body_of(const JobWords& job);

/// `gpu=1` in its two parts. Errors, with the key: no `=`, nothing before it.
Result<std::pair<std::string, std::string>> read_pair(const std::string& text, const std::string& key);

/// A job of a file: its body, with `queue` and `name`, and where it stands.
struct FileJob {
  JobName job = {};
  Json body;  ///< as jobs:submit takes it
  int line = 0;
};

/// Reads jobs from YAML or JSON: one, a list, or a list under `jobs`. A job without a name gets one of
/// `new_name`. Errors: syntax, what is no job, a job without a queue, a name twice.
Result<std::vector<FileJob>> read_jobs(const std::string& file, const std::function<std::string()>& new_name);

/// Reads the changes of a what-if from YAML or JSON: a list, or a list under `changes`.
Result<Json> read_changes(const std::string& file);

/// A UUID of version 4 (RFC 9562) of 128 random bits.
std::string uuid_of(std::array<std::uint64_t, 2> random);

}  // namespace mirab::client
