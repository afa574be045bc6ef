// The ledger of an observer: which tasks run on which server.
#include "simulation/overlay/ledger.hpp"

#include <algorithm>

namespace mirab::simulation {

using overlay::NodeId;
using overlay::TaskId;

Ledger::Ledger(const Roster& roster)
    : roster_(roster), running_(roster.users(), 0), tasks_(roster.servers()) {
  free_.reserve(roster.capacity.size() * roster.total.size());
  for (const overlay::Amounts& capacity : roster.capacity)
    free_.insert(free_.end(), capacity.begin(), capacity.end());
}

void Ledger::on_fact(NodeId node, const overlay::Fact& fact) {
  if (const auto* started = std::get_if<overlay::Started>(&fact)) {
    tasks_[node].push_back(started->task);
    change(node, started->task, 1);
  } else if (const auto* stopped = std::get_if<overlay::Stopped>(&fact)) {
    stop(node, stopped->task);
  } else if (const auto* lost = std::get_if<overlay::Lost>(&fact)) {
    for (NodeId server = 0; server < roster_.servers(); ++server)
      if (stop(server, lost->task)) return;
  }
}

// False: it does not run there, or no longer.
bool Ledger::stop(NodeId server, const TaskId& task) {
  std::vector<TaskId>& here = tasks_[server];
  const auto at = std::ranges::find(here, task);
  if (at == here.end()) return false;
  *at = here.back();
  here.pop_back();
  change(server, task, -1);
  return true;
}

std::span<const TaskId> Ledger::on_death(NodeId server) {
  dead_.clear();
  std::swap(dead_, tasks_[server]);
  for (const TaskId& task : dead_) change(server, task, -1);
  return dead_;
}

void Ledger::change(NodeId server, const TaskId& task, std::int64_t tasks) {
  const NodeId n = task.user - roster_.servers();
  running_[n] += static_cast<std::uint64_t>(tasks);
  const overlay::Amounts& demand = roster_.demand[n];
  for (std::size_t r = 0; r < demand.size(); ++r) free_[server * demand.size() + r] -= tasks * demand[r];
}

std::vector<double> Ledger::shares() const {
  std::vector<double> shares;
  shares.reserve(running_.size());
  for (std::size_t n = 0; n < running_.size(); ++n)
    shares.push_back(static_cast<double>(running_[n]) * roster_.dominant[n]);
  return shares;
}

double Ledger::least_share() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < running_.size(); ++n)
    least = std::min(least, static_cast<double>(running_[n]) * roster_.dominant[n]);
  return least;
}

std::span<const std::int64_t> Ledger::free(NodeId server) const {
  const std::size_t resources = roster_.total.size();
  return std::span(free_).subspan(server * resources, resources);
}

double Ledger::used_part(NodeId server) const {
  double part = 0;
  for (std::size_t r = 0; r < roster_.total.size(); ++r)
    if (const std::int64_t capacity = roster_.capacity[server][r]; capacity > 0)
      part = std::max(part, 1 - static_cast<double>(free(server)[r]) / static_cast<double>(capacity));
  return part;
}

std::vector<double> Ledger::used() const {
  const std::size_t resources = roster_.total.size();
  std::vector<double> used(resources, 0);
  for (std::size_t r = 0; r < resources; ++r) {
    std::int64_t free = 0;
    for (std::size_t server = 0; server < tasks_.size(); ++server) free += free_[server * resources + r];
    if (roster_.total[r] > 0) used[r] = 1 - static_cast<double>(free) / static_cast<double>(roster_.total[r]);
  }
  return used;
}

}  // namespace mirab::simulation
