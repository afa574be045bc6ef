#pragma once

#include <vector>

#include <mirab/model/problem.hpp>

#include "traces/openb_lists.hpp"

/// Nodes and pods of the openb trace as servers and users.
namespace mirab::traces::openb {

/// An entry for each GPU model and capacity, in that order: `G2-96-393216-8`. Nodes without a capacity are
/// left out.
std::vector<Server> servers_of(const Nodes& nodes);

/// May the pod run there, and is there room for one?
bool accepts(const PodKind& pod, const Server& server);

/// Pods of one kind as the tasks of one user: `LS-12-24576-1-P100+T4`.
User user_of(const PodGroup& group);

}  // namespace mirab::traces::openb
