#include "api/routes.hpp"

#include <algorithm>
#include <array>

#include "live/records.hpp"

namespace mirab::api {
namespace {

using live::Ask;
using live::Do;

constexpr ScopeSet kReaders = kRead | kSubmit | kOperator | kAdmin;
constexpr ScopeSet kSubmitters = kSubmit | kAdmin;
constexpr ScopeSet kOperators = kOperator | kAdmin;

std::string joined_kinds() {
  std::string text;
  for (const std::string_view kind : live::event_kinds())
    text += (text.empty() ? "" : "|") + std::string(kind);
  return text;
}

const std::string kOfEvents = "after wait kind=" + joined_kinds() + " queue job server now=1|true";

// clang-format off
const std::array kRoutes = {
  Route{"GET", "/v1/cluster", kReaders | kExecutor, Ask::cluster, "", "Cluster", "at_least", Lane::common, RateOf::requests, "Resources and units, discipline, options, totals"},
  Route{"PUT", "/v1/cluster/policy", kAdmin, Do::policy_put, "Policy", "Thing", "dry_run=true|false", Lane::common, RateOf::requests, "Another discipline, placement or options"},
  Route{"GET", "/v1/servers", kReaders, Ask::servers, "", "List", "name state=open|drained|lost label limit page at_least", Lane::common, RateOf::requests, "The servers"},
  Route{"GET", "/v1/servers/{name}", kReaders | kExecutor, Ask::server, "", "Server", "at_least", Lane::common, RateOf::requests, "A server: capacity, use, labels, state"},
  Route{"PUT", "/v1/servers/{name}", kOperators | kExecutor, Do::server_put, "ServerContent", "Server", "", Lane::urgent, RateOf::requests, "Adds or changes a server"},
  Route{"DELETE", "/v1/servers/{name}", kOperators, Do::server_delete, "", "Thing", "failed=true|false", Lane::common, RateOf::requests, "Removes an empty server; with failed=true one that has failed"},
  Route{"GET", "/v1/servers/{name}/assignments", kExecutor, Own::assignments, "", "Assignments", "after wait", Lane::urgent, RateOf::requests, "What the executor of the server is to run and to stop; its heartbeat"},
  Route{"GET", "/v1/tenants", kAdmin, Ask::tenants, "", "List", "limit page at_least", Lane::common, RateOf::requests, "The tenants"},
  Route{"GET", "/v1/tenants/{name}", kAdmin, Ask::tenant, "", "Thing", "at_least", Lane::common, RateOf::requests, "A tenant and its limits"},
  Route{"PUT", "/v1/tenants/{name}", kAdmin, Do::tenant_put, "TenantContent", "Thing", "", Lane::common, RateOf::requests, "Adds or changes a tenant"},
  Route{"DELETE", "/v1/tenants/{name}", kAdmin, Do::tenant_delete, "", "Thing", "", Lane::common, RateOf::requests, "Removes a tenant without queues"},
  Route{"GET", "/v1/groups", kReaders, Ask::groups, "", "List", "limit page at_least", Lane::common, RateOf::requests, "The tree of groups"},
  Route{"GET", "/v1/groups/{name}", kReaders, Ask::group, "", "Thing", "at_least", Lane::common, RateOf::requests, "A group: weight, guarantee, limit, use, share"},
  Route{"PUT", "/v1/groups/{name}", kAdmin, Do::group_put, "GroupContent", "Thing", "", Lane::common, RateOf::requests, "Adds or changes a group"},
  Route{"DELETE", "/v1/groups/{name}", kAdmin, Do::group_delete, "", "Thing", "", Lane::common, RateOf::requests, "Removes an empty group"},
  Route{"GET", "/v1/queues", kReaders, Ask::queues, "", "List", "name limit page at_least", Lane::common, RateOf::requests, "The queues that the caller may see"},
  Route{"GET", "/v1/queues/{name}", kReaders, Ask::queue, "", "Thing", "at_least", Lane::common, RateOf::requests, "A queue: weight, use, share, running, waiting"},
  Route{"PUT", "/v1/queues/{name}", kAdmin, Do::queue_put, "QueueContent", "Thing", "", Lane::common, RateOf::requests, "Adds or changes a queue"},
  Route{"DELETE", "/v1/queues/{name}", kAdmin, Do::queue_delete, "", "Thing", "", Lane::common, RateOf::requests, "Removes a queue without jobs"},
  Route{"GET", "/v1/queues/{queue}/jobs", kReaders, Ask::jobs, "", "List", "name state=waiting|running|succeeded|failed|cancelled label limit page at_least", Lane::common, RateOf::requests, "The jobs of a queue"},
  Route{"GET", "/v1/queues/{queue}/jobs/{name}", kReaders, Ask::job, "", "Job", "at_least", Lane::common, RateOf::requests, "A job: state and counts"},
  Route{"PUT", "/v1/queues/{queue}/jobs/{name}", kSubmitters, Do::job_put, "JobContent", "Job", "", Lane::common, RateOf::submits, "Submits a job; the same again answers the same"},
  Route{"DELETE", "/v1/queues/{queue}/jobs/{name}", kSubmitters, Do::job_cancel, "", "Job", "", Lane::urgent, RateOf::cancels, "Cancels a job"},
  Route{"GET", "/v1/queues/{queue}/jobs/{name}/explain", kReaders, Ask::explain, "", "Explanation", "server at_least", Lane::common, RateOf::questions, "Why it waits, or why not on that server"},
  Route{"POST", "/v1/jobs:submit", kSubmitters, Own::submits, "Submits", "SubmitsAnswer", "", Lane::common, RateOf::submits, "Submits up to 1,000 jobs, each for itself"},
  Route{"GET", "/v1/tasks", kReaders, Ask::tasks, "", "List", "state=placed|running|succeeded|failed|lost|cancelled|preempted label limit page queue job server at_least", Lane::common, RateOf::requests, "The tasks that the caller may see, by queue and job: those that run, the newest first, and those that are over"},
  Route{"GET", "/v1/tasks/{name}", kReaders, Ask::task, "", "Thing", "at_least", Lane::common, RateOf::requests, "A task: job, server, state"},
  Route{"GET", "/v1/tasks/{name}/explain", kReaders, Own::task_explain, "", "Thing", "", Lane::worker, RateOf::questions, "Why it was placed there: replayed from the snapshot before"},
  Route{"PUT", "/v1/tasks/{name}/outcome", kExecutor | kOperators, Do::outcome_put, "OutcomeContent", "Thing", "", Lane::urgent, RateOf::requests, "That a task has started, or how it ended; repeated until it is answered"},
  Route{"POST", "/v1/whatif", kReaders, Ask::what_if, "WhatIf", "WhatIfAnswer", "", Lane::worker, RateOf::what_ifs, "What would run after these changes, on a copy of the live state"},
  Route{"GET", "/v1/shares", kReaders, Ask::shares, "", "Thing", "mechanism at_least", Lane::worker, RateOf::questions, "The fair share by each mechanism, and what each queue has"},
  Route{"GET", "/v1/mechanisms", kReaders, Ask::mechanisms, "", "Thing", "", Lane::common, RateOf::requests, "The mechanisms, their claims and options"},
  Route{"GET", "/v1/mechanisms/{name}", kReaders, Ask::mechanism, "", "Thing", "", Lane::common, RateOf::requests, "A mechanism"},
  Route{"GET", "/v1/events", kReaders, Own::events, "", "Changes", kOfEvents, Lane::common, RateOf::requests, "What happens, as server-sent events or, with wait, as a long poll"},
  Route{"GET", "/v1/history", kReaders, Ask::history, "", "History", "series=share|running|waiting|used queue resource from to step at_least", Lane::common, RateOf::questions, "A series over time: share, running or waiting of a queue, used of a resource"},
  Route{"GET", "/v1/usage", kReaders, Own::usage, "", "Usage", "from to by=queue|group|tenant", Lane::worker, RateOf::questions, "Amount times hours of each resource by queue, group or tenant, as JSON or CSV"},
  Route{"GET", "/v1/tokens", kAdmin, Ask::tokens, "", "List", "limit page at_least", Lane::common, RateOf::requests, "The tokens, without their secrets"},
  Route{"GET", "/v1/tokens/{name}", kAdmin, Ask::token, "", "Thing", "at_least", Lane::common, RateOf::requests, "A token, without its secret"},
  Route{"PUT", "/v1/tokens/{name}", kAdmin, Do::token_put, "TokenContent", "Thing", "", Lane::common, RateOf::requests, "Makes a token; the first answer alone has its secret"},
  Route{"DELETE", "/v1/tokens/{name}", kAdmin, Do::token_delete, "", "Thing", "", Lane::common, RateOf::requests, "Revokes a token"},
  Route{"GET", "/v1/audit", kAdmin, Own::audit, "", "Audit", "after limit", Lane::common, RateOf::requests, "Who did what, from the log"},
  Route{"GET", "/livez", kNoToken, Own::livez, "", "Health", "", Lane::urgent, RateOf::requests, "Does the process work?"},
  Route{"GET", "/readyz", kNoToken, Own::readyz, "", "Health", "", Lane::urgent, RateOf::requests, "Does it take requests?"},
  Route{"GET", "/metrics", kMetrics | kOperators, Own::metrics, "", "Text", "", Lane::urgent, RateOf::requests, "Figures for Prometheus"},
  Route{"GET", "/openapi.json", kNoToken, Own::openapi, "", "OpenApi", "", Lane::urgent, RateOf::requests, "This description"},
  Route{"GET", "/docs", kNoToken, Own::docs, "", "Text", "", Lane::urgent, RateOf::requests, "This description as a page"},
  Route{"GET", "/", kNoToken, Own::page, "", "Text", "", Lane::urgent, RateOf::requests, "The live page, which asks for a token"},
  Route{"GET", "/page/{name}", kNoToken, Own::page, "", "Text", "", Lane::urgent, RateOf::requests, "The files of the live page"},
};
// clang-format on

std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(between);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

/// The parts of each route's path, in the order of the table.
const std::vector<std::vector<std::string_view>>& route_parts() {
  static const auto kParts = [] {
    std::vector<std::vector<std::string_view>> all;
    for (const Route& route : kRoutes) all.push_back(parts_of(route.path.substr(1), '/'));
    return all;
  }();
  return kParts;
}

bool fits(const std::vector<std::string_view>& parts, const std::vector<std::string>& segments) {
  if (parts.size() != segments.size()) return false;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (!parts[at].starts_with('{') && parts[at] != segments[at]) return false;
  }
  return true;
}

}  // namespace

ScopeSet set_of(const live::Scopes& scopes) {
  return (scopes.admin ? kAdmin : 0) | (scopes.operates ? kOperator : 0) | (scopes.submit ? kSubmit : 0) |
         (scopes.read ? kRead : 0) | (scopes.executor ? kExecutor : 0) | (scopes.metrics ? kMetrics : 0);
}

std::span<const Route> routes() { return kRoutes; }

std::vector<Parameter> parameters_of(const Route& route) {
  std::vector<Parameter> parameters;
  for (const std::string_view part : parts_of(route.query, ' ')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    parameters.push_back({.name = part.substr(0, equals),
                          .values = parts_of(part.substr(std::min(equals + 1, part.size())), '|')});
    parameters.back().is_list = parameters.back().name == "label" || parameters.back().name == "kind";
  }
  return parameters;
}

bool is_offered(const Route& route, Offer offer) {
  if (offer == Offer::all) return true;
  if (const auto* asked = std::get_if<Ask>(&route.action)) {
    return *asked != Ask::tenant && *asked != Ask::tenants && *asked != Ask::token && *asked != Ask::tokens;
  }
  const auto* own = std::get_if<Own>(&route.action);
  return own != nullptr && *own != Own::submits && *own != Own::assignments && *own != Own::audit &&
         *own != Own::task_explain && *own != Own::usage;
}

std::size_t body_bytes(const Route& route) {
  if (route.schema.empty()) return 0;
  return route.action == Action(Own::submits) ? kSubmitsBytes : kBodyBytes;
}

std::optional<Match> match(std::string_view method, const net::Target& target,
                           std::vector<std::string>& allowed) {
  for (std::size_t at = 0; at < kRoutes.size(); ++at) {
    const auto& parts = route_parts()[at];
    if (!fits(parts, target.segments)) continue;
    if (kRoutes[at].method != method && !(method == "HEAD" && kRoutes[at].method == "GET")) {
      allowed.emplace_back(kRoutes[at].method);
      continue;
    }
    Match found{.route = &kRoutes[at], .target = {}};
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (parts[part] == "{name}") found.target.name = target.segments[part];
      if (parts[part] == "{queue}") found.target.queue = target.segments[part];
    }
    return found;
  }
  return std::nullopt;
}

std::vector<std::string> methods_of(const net::Target& target, Offer offer) {
  std::vector<std::string> methods;
  for (std::size_t at = 0; at < kRoutes.size(); ++at) {
    if (is_offered(kRoutes[at], offer) && fits(route_parts()[at], target.segments))
      methods.emplace_back(kRoutes[at].method);
  }
  return methods;
}

}  // namespace mirab::api
