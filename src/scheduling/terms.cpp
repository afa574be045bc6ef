#include "scheduling/terms.hpp"

#include <fmt/format.h>

namespace mirab::scheduling {

std::optional<Terms> terms_of(const JobSubmitted& job) {
  Terms terms{.gang = job.gang, .per_server = job.per_server, .spread = job.spread, .pack = job.pack};
  if (terms == Terms{}) return {};
  return terms;
}

void set_terms(JobSubmitted& job, const Terms& terms) {
  job.gang = terms.gang;
  job.per_server = terms.per_server;
  job.spread = terms.spread;
  job.pack = terms.pack;
}

Check check_terms(const JobSubmitted& job) {
  if (job.gang < 1) return Error{.message = fmt::format("a gang of {} tasks", job.gang), .key = "gang"};
  if (job.gang > job.tasks) {
    return Error{.message = fmt::format("a gang of {} in a job of {} tasks", job.gang, job.tasks),
                 .key = "gang"};
  }
  if (job.per_server && *job.per_server < 1) {
    return Error{.message = fmt::format("at most {} tasks on a server", *job.per_server),
                 .key = "per_server"};
  }
  if (job.spread && job.spread->most_apart < 1) {
    return Error{.message = fmt::format("domains at most {} tasks apart", job.spread->most_apart),
                 .key = "spread.most_apart"};
  }
  if (job.spread && job.spread->label == job.pack) {
    return Error{.message = fmt::format("the tasks are spread over the domains of '{}' already", *job.pack),
                 .key = "pack"};
  }
  return {};
}

}  // namespace mirab::scheduling
