// What the parts of the reader share: a question, who asks, and the state that answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "live/reader.hpp"
#include "live/state.hpp"

namespace mirab::live {

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
  Json group(const std::string& name, const Group& group) const;

  Answer found(Json body, Revision changed) const;
  Answer refuse(const Problem& problem) const { return answer_of(problem, state.last.revision); }
};

/// A parameter of the query, the first of its name.
std::optional<std::string> given(const Query& query, const std::string& name);
/// A problem where it is no whole number in the range.
Parsed<std::int64_t> given_whole(const Query& query, const std::string& name, std::int64_t fallback,
                                 std::int64_t least, std::int64_t most);

Answer list_of(const Reading& reading, const Query& query);
Answer assignments_of(const Reading& reading, const Query& query);
Answer explain_job(const Reading& reading, const Query& query);
Answer explain_task(const Reading& reading, const std::string& task, const scheduling::WhyPlaced& why);
Answer what_if(const Reading& reading, const Query& query);
Answer policy_dry_run(const Reading& reading, const Query& query);
Answer shares_of(const Reading& reading, const Query& query);
Answer mechanisms_of(const Reading& reading, const Query& query);

}  // namespace mirab::live
