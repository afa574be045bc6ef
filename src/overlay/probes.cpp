// Probes (Östman, 4.2 and Algorithm 4, after Sparrow).

#include "overlay/probes.hpp"

#include <algorithm>

#include "overlay/limits.hpp"
#include "overlay/walk.hpp"

namespace mirab::overlay {
namespace {

bool comes_before(const Probe& a, const Probe& b) {
  return a.share != b.share ? a.share < b.share : a.task.id < b.task.id;
}

}  // namespace

const Probe* next_probe(std::span<const Probe> waiting, std::span<const std::int64_t> free) {
  const Probe* next = nullptr;
  for (const Probe& probe : waiting) {
    if (probe.proposed || !fits_in(probe.task.demand, free)) continue;
    if (next == nullptr || comes_before(probe, *next)) next = &probe;
  }
  return next;
}

std::vector<NodeId> two_least_loaded(std::span<const Descriptor> neighbours) {
  std::vector<Descriptor> sorted(neighbours.begin(), neighbours.end());
  std::ranges::sort(sorted, ranks_before);
  if (sorted.size() > 2) sorted.resize(2);
  std::vector<NodeId> nodes;
  for (const Descriptor& neighbour : sorted) nodes.push_back(neighbour.node);
  return nodes;
}

Probes::Probes(std::vector<NodeId> neighbours, Duration forgotten) : forgotten_(forgotten) {
  for (const NodeId node : neighbours) neighbours_.push_back({.node = node, .utility = 0});
}

// Null: there is no room for more.
Probe* Probes::queue(Time now, const Task& task, double share) {
  // A user has one present task: an older one of it is not wanted any more, wherever it went.
  std::erase_if(waiting_, [&](const Probe& probe) {
    return probe.task.id.user == task.id.user && probe.task.id.number < task.id.number;
  });
  for (Probe& probe : waiting_) {
    if (probe.task.id != task.id) continue;
    probe.proposed = false;  // said again: the proposal, or its answer, may have been lost
    probe.heard_at = now;
    return &probe;
  }
  if (waiting_.size() >= kMostProbes) return nullptr;
  return &waiting_.emplace_back(Probe{.task = task, .share = share, .heard_at = now});
}

void Probes::on_submit(Time now, const Task& task, double share, Effects& effects) {
  Probe* probe = queue(now, task, share);
  if (probe == nullptr) return;
  if (probe->copies.empty()) probe->copies = two_least_loaded(neighbours_);
  for (const NodeId node : probe->copies) effects.sends.push_back({node, Copy{task}});
}

void Probes::on_copy(Time now, const Task& task, double share) { queue(now, task, share); }

void Probes::forget_silent(Time now) {
  std::erase_if(waiting_, [&](const Probe& probe) { return now - probe.heard_at >= forgotten_; });
}

void Probes::ask(Effects& effects) const {
  for (const Descriptor& neighbour : neighbours_) effects.sends.push_back({neighbour.node, LoadRequest{}});
}

void Probes::hear(NodeId from, const LoadAnswer& answer) {
  const auto known = std::ranges::find(neighbours_, from, &Descriptor::node);
  if (known != neighbours_.end()) known->utility = -answer.load;
}

std::optional<Task> Probes::next(std::span<const std::int64_t> free) {
  const Probe* next = next_probe(waiting_, free);
  if (next == nullptr) return std::nullopt;
  waiting_[static_cast<std::size_t>(next - waiting_.data())].proposed = true;
  return next->task;
}

void Probes::answered(const TaskId& task) {
  std::erase_if(waiting_, [&](const Probe& probe) { return probe.task.id == task; });
}

void Probes::forget(NodeId node) {
  std::erase_if(neighbours_, [&](const Descriptor& neighbour) { return neighbour.node == node; });
}

}  // namespace mirab::overlay
