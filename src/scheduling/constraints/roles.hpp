#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/constraints/constraints.hpp"

namespace mirab::scheduling {

/// The order in which the roles of a job choose: the one with the largest dominant share of a task first, of
/// equal ones the one that is given first. Requires a job with roles. O(roles (m + log roles)).
std::vector<std::uint32_t> order_of_roles(const Ledger& ledger, TaskClassIndex task_class);

/// What finds room of the waiting tasks of a job with roles, on the servers that are open: each task on the
/// first server that has room for it then, and where the terms allow it. The servers stand in their order,
/// those of `first` before all others. With pack the domain is taken where most find room, of equal ones that
/// with the first server of the first task.
///
/// O(servers + roles servers with room m + tasks log domains).
RolePacking pack_waiting(const Ledger& ledger, JobIndex job, const OpenServers& open,
                         std::span<const ServerIndex> first = {});

/// Where its first waiting task goes when all find room; nothing when some find none. As pack_waiting().
std::optional<RolePlace> first_of_roles(const Ledger& ledger, JobIndex job, const OpenServers& open,
                                        std::span<const ServerIndex> first = {});

/// What the waiting tasks of a job with roles take together, no more than can be counted. O(roles m). [m]
Amounts taken_by_waiting_roles(const Ledger& ledger, JobIndex job);

/// Could all tasks of a job with roles start if nothing else ran? Errors: the first role whose task is too
/// large for every server that it may use; the first term with which they find no room.
Check check_roles_possible(const Ledger& ledger, const JobSubmitted& job, TaskClassIndex task_class);

}  // namespace mirab::scheduling
