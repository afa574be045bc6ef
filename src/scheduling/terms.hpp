#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <mirab/model/result.hpp>
#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

/// What a job asks for beyond room for each of its tasks: see JobSubmitted.
struct Terms {
  std::int64_t gang = 1;
  std::optional<std::int64_t> per_server = {};
  std::optional<Spread> spread = {};
  std::optional<std::string> pack = {};
  friend bool operator==(const Terms&, const Terms&) = default;
};

/// Nothing when the job's tasks start one by one, wherever there is room.
std::optional<Terms> terms_of(const JobSubmitted& job);

void set_terms(JobSubmitted& job, const Terms& terms);

/// Errors: a gang below 1 or above the tasks, numbers below 1, pack and spread by one label.
Check check_terms(const JobSubmitted& job);

}  // namespace mirab::scheduling
