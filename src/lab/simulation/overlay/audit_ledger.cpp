// Double entry of an overlay: whatever a host holds, starts, stops or gives back is written down here too, by
// the users' true demands and the servers' true capacities, never by what a message says. So a state machine
// that loses count is found by the difference.
#include "lab/simulation/overlay/audit_ledger.hpp"

#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace mirab::simulation {
namespace {

using overlay::Amounts;
using overlay::NodeId;
using overlay::TaskId;

Disagreement disagreement_of(const TaskRecord& record) {
  if (record.believed) return record.runs == record.believed ? Disagreement::none : Disagreement::forgotten;
  return record.runs ? Disagreement::unknown : Disagreement::none;
}

}  // namespace

bool AuditLedger::fits(NodeId user, NodeId server) const {
  const Amounts& wanted = demand(user);
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    if (wanted[r] > free_[server][r]) return false;
  }
  return true;
}

void AuditLedger::take(Time now, NodeId server, NodeId user, ViolationLog& findings) {
  if (!fits(user, server))
    findings.add("capacity", fmt::format("server {} takes a task of user {} that does not fit", server, user),
                 now);
  for (std::size_t r = 0; r < demand(user).size(); ++r) free_[server][r] -= demand(user)[r];
}

void AuditLedger::give(NodeId server, NodeId user) {
  for (std::size_t r = 0; r < demand(user).size(); ++r) free_[server][r] += demand(user)[r];
}

void AuditLedger::on_fact(Time now, NodeId node, const overlay::Fact& fact, ViolationLog& findings) {
  std::visit(
      [&](const auto& what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, overlay::Held>) {
          take(now, node, what.task.user, findings);
          held_[{node, what.proposal}] = {what.task, now};
        } else if constexpr (std::is_same_v<What, overlay::Prolonged>) {
          held_.insert_or_assign({node, what.proposal}, HeldRecord{what.task, now});
        } else if constexpr (std::is_same_v<What, overlay::GivenBack>) {
          if (held_.erase({node, what.proposal}) > 0) give(node, what.task.user);
        } else if constexpr (std::is_same_v<What, overlay::Started>) {
          on_started(now, node, what, findings);
        } else if constexpr (std::is_same_v<What, overlay::Stopped>) {
          on_stopped(now, node, what);
        } else if constexpr (std::is_same_v<What, overlay::Leased>) {
          on_leased(node, what);
        } else if constexpr (std::is_same_v<What, overlay::Known>) {
          believe(now, what.task, what.host);
        } else if constexpr (std::is_same_v<What, overlay::Lost>) {
          believe(now, what.task, std::nullopt);
        } else if constexpr (std::is_same_v<What, overlay::Over>) {
          believe(now, what.task, std::nullopt);
          end(now, what.task, findings);
        } else if constexpr (std::is_same_v<What, overlay::Wanted>) {
          want(now, what.task, findings);
        }
      },
      fact);
}

void AuditLedger::want(Time now, const TaskId& task, ViolationLog& findings) {
  expect_open(now, task, "is wanted", findings);
  TaskNumbers& fates = task_numbers_[task.user - roster_.servers()];
  if (task.number <= fates.highest) return;
  fates.highest = task.number;
  fates.open.insert(task.number);
}

void AuditLedger::end(Time now, const TaskId& task, ViolationLog& findings) {
  expect_open(now, task, "ends", findings);
  task_numbers_[task.user - roster_.servers()].open.erase(task.number);
}

void AuditLedger::expect_open(Time now, const TaskId& task, std::string_view what, ViolationLog& findings) {
  if (task_numbers_[task.user - roster_.servers()].is_over(task.number))
    findings.add("once", fmt::format("{} {} though its user took its end", in_words(task), what), now);
}

void AuditLedger::on_started(Time now, NodeId server, const overlay::Started& started,
                             ViolationLog& findings) {
  expect_open(now, started.task, fmt::format("starts on server {}", server), findings);
  if (held_.erase({server, started.proposal}) == 0) take(now, server, started.task.user, findings);
  const auto task = tasks_.try_emplace(started.task).first;
  TaskRecord& record = task->second;
  if (record.runs)
    findings.add("one place",
                 fmt::format("{} starts on server {} while it runs on server {}", in_words(started.task),
                             server, *record.runs),
                 now);
  record.runs = server;
  record.proposal = started.proposal;
  settle(now, task);
}

void AuditLedger::on_stopped(Time now, NodeId server, const overlay::Stopped& stopped) {
  give(server, stopped.task.user);
  const auto task = tasks_.find(stopped.task);
  if (task == tasks_.end() || task->second.runs != server) return;
  task->second.runs.reset();
  settle(now, task);
}

void AuditLedger::on_leased(NodeId server, const overlay::Leased& leased) {
  Time& until = leases_[{server, leased.user}];
  if (leased.until <= until) return;
  until = leased.until;
  expiries_.push({until, server, leased.user});
}

// The room is not free before the server says so.
std::vector<TaskId> AuditLedger::expire(Time now) {
  std::vector<TaskId> stopped;
  for (; !expiries_.empty() && expiries_.top().until <= now; expiries_.pop()) {
    const Expiry lease = expiries_.top();
    const auto last = leases_.find({lease.server, lease.user});
    if (last == leases_.end() || last->second != lease.until) continue;
    leases_.erase(last);
    for (auto task = tasks_.lower_bound({lease.user, 0}); task != tasks_.end();) {
      if (task->first.user != lease.user) break;
      const auto next = std::next(task);
      if (task->second.runs == lease.server) {
        stopped.push_back(task->first);
        task->second.runs.reset();
        settle(lease.until, task);
      }
      task = next;
    }
  }
  return stopped;
}

void AuditLedger::on_lost_memory(Time now, NodeId server) {
  free_[server] = roster_.capacity[server];
  std::erase_if(held_, [&](const auto& held) { return held.first.host == server; });
  std::erase_if(leases_, [&](const auto& lease) { return lease.first.first == server; });
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    const auto next = std::next(task);
    if (task->second.runs == server) {
      task->second.runs.reset();
      settle(now, task);
    }
    task = next;
  }
}

void AuditLedger::believe(Time now, const TaskId& id, std::optional<NodeId> host) {
  const auto task = tasks_.try_emplace(id).first;
  task->second.believed = host;
  settle(now, task);
}

// A task that neither runs nor is believed to is past; a new disagreement begins now.
void AuditLedger::settle(Time now, std::map<TaskId, TaskRecord>::iterator task) {
  TaskRecord& record = task->second;
  if (!record.runs && !record.believed) {
    tasks_.erase(task);
    return;
  }
  const Disagreement disagreement = disagreement_of(record);
  if (std::exchange(record.disagreement, disagreement) != disagreement) record.since = now;
}

std::string in_words(const TaskId& task) { return fmt::format("task {} of user {}", task.number, task.user); }

}  // namespace mirab::simulation
