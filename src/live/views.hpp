// Things as the API shows them to who may see everything. Tenants get what reader.cpp builds for them.
#pragma once

#include <string>

#include "live/state.hpp"

namespace mirab::live {

Json cluster_json(const State& state);
Json policy_json(const State& state);
Json server_json(const State& state, const std::string& name, const Server& server);
Json tenant_json(const State& state, const std::string& name, const Tenant& tenant);
Json group_json(const State& state, const std::string& name, const Group& group);
Json queue_json(const State& state, const std::string& name, const Queue& queue);
Json token_json(const std::string& name, const Token& token);
Json job_json(const State& state, const Job& job);
Json task_json(const State& state, const State::TaskView& task);

/// `"r17"`, with its quotes.
std::string etag_of(Revision revision);

/// What a job asks for, read back from its normal form.
JobContent content_of(const State& state, const Job& job);

/// max_r s_r max(0, used_r − g_r) / C_r: what is used beyond a guarantee, as a share. Without one: all of it.
double beyond(const State& state, std::span<const std::int64_t> used, const std::optional<Amounts>& guarantee);

}  // namespace mirab::live
