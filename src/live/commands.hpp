#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/answers.hpp"
#include "live/content.hpp"

namespace mirab::live {

/// `If-Match` and `If-None-Match` of a request.
struct Conditions {
  std::string if_match = {};       ///< `"r17"` with its quotes, or `*`; empty: none
  bool if_none_match_any = false;  ///< `If-None-Match: *`
};

/// Whom or what a command is about. Which are used follows from what it does.
struct Target {
  std::string name = {};   ///< of the server, tenant, group, queue, job or token; of an outcome the task
  std::string queue = {};  ///< of a job
  friend bool operator==(const Target&, const Target&) = default;
};

/// What somebody wants to change. A plain value: any thread may make one.
struct Command {
  Caller caller = {};
  Do what = Do::job_put;
  Target target = {};
  Content content = Nothing{};
  std::string form = {};    ///< the normal form, of a job only
  std::string sha256 = {};  ///< of the normal form
  Conditions conditions = {};
  bool failed = false;       ///< DELETE /servers/{name}?failed=true
  bool by_service = false;   ///< not by a caller: no rights are checked
  bool wants_answer = true;  ///< else the answer shows nothing of the job or task
};

/// Reads a command from the parts of a request. `body` is what read_json() gave, null without one. For
/// `token_put` the service gives the SHA-256 of a new secret, which is used where the token is new.
Parsed<Command> parse_command(Caller caller, Do what, Target target, const Json& body, const Units& units,
                              Conditions conditions = {}, std::string secret_sha256 = {});

/// The body of POST /jobs:submit. What has more than 1,000 jobs is refused before anything is made of it.
Parsed<Json> read_submits(std::string_view text);

/// POST /jobs:submit: `{"jobs":[{"queue","name",…}]}`, at most 1,000; each job is a command or a problem of
/// its own, whose key begins with `/jobs/3`. A problem alone where the whole is no such list.
Parsed<std::vector<Parsed<Command>>> parse_submits(const Caller& caller, const Json& body,
                                                   const Units& units);

/// The body of the answer to POST /jobs:submit: `{"answers":[{"status":201,…}],"revision":…}`.
Answer answer_of_submits(std::vector<Answer> answers);

/// The same from the answers to its parts, one after the other. Where a part was not applied, the first
/// answer that says why; what the other parts did stays done.
Answer answer_of_parts(std::vector<Answer> parts);

}  // namespace mirab::live
