// Things as the API shows them: to those who may see everything, and to tenants what is built for them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "live/reader.hpp"
#include "live/state.hpp"

namespace mirab::live {

Json cluster_json(const State& state);
Json policy_json(const State& state);
/// What everybody may know of a server.
Json open_server_json(const State& state, const std::string& name, const Server& server);
/// The same with what is in use there. O(tasks there).
Json server_json(const State& state, const std::string& name, const Server& server);
Json tenant_json(const State& state, const std::string& name, const Tenant& tenant);
Json group_json(const State& state, const std::string& name, const Group& group);
Json queue_json(const State& state, const std::string& name, const Queue& queue);
Json token_json(const std::string& name, const Token& token);
Json job_json(const State& state, const Job& job);
Json job_json(const State& state, const Job& job, Json form);  ///< `form` is the job's, parsed
Json task_json(const State& state, const State::TaskView& task);

/// `"r17"`, with its quotes.
std::string etag_of(Revision revision);

/// What a job asks for, read back from its normal form.
JobContent content_of(const State& state, const Job& job);

/// What the servers that the terms allow may hold, were they empty: a task, as many tasks as start together,
/// or at least some of every resource that a task takes. Of a job with roles: each role alone. O(servers).
enum class Holds { task, start, some };
enum class Among { present, open };  ///< with those that are drained, or without
bool may_hold(const State& state, const scheduling::JobSubmitted& terms, Holds what,
              Among among = Among::present);
/// Do the names, labels and the set that the terms ask for admit the server, and is it there?
bool is_allowed(const State& state, const scheduling::JobSubmitted& terms, const std::string& name,
                const Server& server);
/// Would a task have room on the server, were it empty and allowed? Terms without roles.
bool is_large_enough(const scheduling::JobSubmitted& terms, const std::string& name, const Server& server);

/// What a queue has: of its user, and of the second one where there is one.
struct QueueUse {
  Amounts used;
  double share;
  std::int64_t running;
};
QueueUse use_of(const State& state, const Queue& queue);

/// max_r s_r max(0, used_r − g_r) / C_r: what is used beyond a guarantee, as a share. Without one: all of it.
double beyond(const State& state, std::span<const std::int64_t> used,
              const std::optional<Amounts>& guarantee);

/// What the budget of preemption keeps from ending, but for whom.
Json over_budget_json(const State& state, const scheduling::WhyWaiting::OverBudget& over);

/// A question to a state. A caller with a tenant sees what is built for it from a list of what it may see.
struct Reading {
  const State& state;
  const Caller& caller;
  Others others;

  bool sees_all() const { return caller.tenant.empty(); }
  bool owns(const Queue& queue) const { return sees_all() || queue.content.tenant == caller.tenant; }

  /// The queue or job, where the caller may see it.
  const Queue* queue(const std::string& name) const;
  const Job* job(const std::string& queue, const std::string& name) const;

  Json cluster() const;
  Json server(const std::string& name, const Server& server) const;
  /// Another's queue as far as that may be seen; null: not at all.
  Json queue_view(const std::string& name, const Queue& queue) const;
  /// `is_above_own`: its tenant has queues below it.
  Json group(const std::string& name, const Group& group, bool is_above_own) const;
  /// The groups above queues of the tenant; none where it sees all. O(queues).
  std::set<std::string> groups_above_own() const;

  Answer found(Json body, Revision changed) const;
  Answer refuse(const Problem& problem) const { return answer_of(problem, state.last.revision); }
};

/// A parameter of the query, the first of its name.
std::optional<std::string> given(const Query& query, const std::string& name);
/// A problem where it is no whole number in the range.
Parsed<std::int64_t> given_whole(const Query& query, const std::string& name, std::int64_t fallback,
                                 std::int64_t least, std::int64_t most);

/// The answer to any question but those of a file; 304 where the caller has it already.
Answer answer_to(const Reading& reading, const History& history, const Query& query);
/// What the history takes now. O(queues).
Sample sample_of(const State& state);
/// O(queues).
Gauges gauges_of(const State& state, Wall now);

Answer list_of(const Reading& reading, const Query& query);
Answer assignments_of(const Reading& reading, const Query& query);
Answer explain_job(const Reading& reading, const Query& query);
Answer explain_task(const Reading& reading, const std::string& task, const scheduling::WhyPlaced& why);
Answer what_if(const Reading& reading, const Query& query);
Answer policy_dry_run(const Reading& reading, const Query& query);
Answer shares_of(const Reading& reading, const Query& query);
Answer history_of(const Reading& reading, const History& history, const Query& query);
Answer usage_of(const Reading& reading, const UsageAsked& asked, Uses ended, const Moment& present);
Answer mechanisms_of(const Reading& reading, const Query& query);

}  // namespace mirab::live
