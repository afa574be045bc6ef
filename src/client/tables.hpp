// Answers of a service as text for people. A key that is missing, as for other people's queues, shows as a
// dash.
#pragma once

#include <cstddef>
#include <string>

#include "client/service.hpp"

namespace mirab::client {

/// Where there is no queue.
inline constexpr const char* kNoQueue =
    "no queue that this token may see; an administrator makes one with PUT /v1/queues/NAME";

/// The queues with what each has beside its fair share. `mechanism`: by which the fair share is, as /shares
/// answers it; null where there is none.
std::string queues_table(const Json& queues, const Json& mechanism, std::size_t width);

/// The groups with what each has and is promised.
std::string groups_table(const Json& groups, std::size_t width);

/// A line for each job.
std::string jobs_table(const Json& jobs, std::size_t width);

/// One job with all that is known of it, a line for each key.
std::string job_text(const Json& job);

/// The tasks of one job, or of one server: a line for each, with how it ended.
std::string tasks_table(const Json& tasks, std::size_t width);

/// The servers with what they have, and hold where the answer has that.
std::string servers_table(const Json& servers, std::size_t width);

/// One server with all that is known of it, a line for each key.
std::string server_text(const Json& server);

/// `ml/train-17: running, 12 tasks run, 0 wait (uid j-42)`.
std::string job_line(const Json& job);

/// The verdict, the one step, then the evidence; of a job, of a job on one server, of a task.
std::string why_text(const Json& explanation);
std::string why_not_on_text(const Json& explanation);
std::string why_placed_text(const Json& explanation);

/// What each queue and each job that was asked for runs before and after.
std::string what_if_table(const Json& answer, std::size_t width);

/// One event as a line: when, the revision, what, of which job, where.
std::string event_line(const Json& change, const Json& event);

}  // namespace mirab::client
