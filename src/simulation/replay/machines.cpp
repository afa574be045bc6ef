// The machines of a trace over time: those of the cluster's entries, spelled out, and those that come later.
#include "simulation/replay/machines.hpp"

#include <fmt/format.h>
#include <optional>
#include <tuple>

#include "model/seconds.hpp"
#include "simulation/replay/scale.hpp"

namespace mirab::simulation {

bool MachineKind::operator<(const MachineKind& other) const {
  return std::tie(name, capacity, labels) < std::tie(other.name, other.capacity, other.labels);
}

namespace {

using Instance =
    std::pair<std::string, std::int64_t>;  // entry and number of a machine, as the trace calls it

/// The machines that are scaled together, as the trace calls them.
struct Group {
  std::optional<std::uint32_t> up_as;  // the kind of those that are up at first
  std::vector<Instance> members;
};

class Reader {
 public:
  explicit Reader(const Problem& cluster) : cluster_(cluster) {
    for (std::size_t i = 0; i < cluster.server_count(); ++i) entries_[cluster.servers()[i].name] = i;
  }

  Result<Machines> read(const std::vector<ServerChange>& changes, double factor) {
    if (Check bad = add_first()) return *std::move(bad);
    if (Check bad = add_later(changes)) return *std::move(bad);
    if (static_cast<double>(is_up_.size()) * factor > static_cast<double>(kMostMachines))
      return Error{.message = fmt::format("makes more than {} machines of {}", kMostMachines, is_up_.size()),
                   .key = "scale.machines"};
    number_machines(factor);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const std::uint32_t becomes =
          changes[i].kind == ServerChange::Kind::up ? intern(kind_of(changes[i])) : 0;
      for (const std::uint32_t machine : numbers_[{changes[i].server, changes[i].instance}])
        machines_.changes.push_back(
            {.at = changes[i].at, .machine = machine, .kind = changes[i].kind, .becomes = becomes});
    }
    return std::move(machines_);
  }

 private:
  std::uint32_t intern(const MachineKind& kind) {
    const auto [place, is_new] = kinds_.try_emplace(kind, static_cast<std::uint32_t>(machines_.kinds.size()));
    if (is_new) machines_.kinds.push_back(kind);
    return place->second;
  }

  /// Of a machine that comes: what it is said to be, else what its entry is.
  MachineKind kind_of(const ServerChange& change) const {
    if (!change.capacity.empty())
      return {.name = change.server, .capacity = change.capacity, .labels = change.labels};
    const Server& entry = cluster_.servers()[entries_.at(change.server)];
    return {.name = entry.name, .capacity = entry.capacity, .labels = entry.labels};
  }

  Check add_first() {
    std::int64_t machines = 0;
    for (std::size_t i = 0; i < cluster_.server_count(); ++i) {
      const Server& entry = cluster_.servers()[i];
      if (entry.count > kMostMachines - machines)
        return Error{.message = fmt::format("the cluster has more than {} machines in all", kMostMachines),
                     .key = fmt::format("servers[{}].count", i)};
      machines += entry.count;
      Group group{.up_as = intern({entry.name, entry.capacity, entry.labels}), .members = {}};
      for (std::int64_t instance = 0; instance < entry.count; ++instance) {
        group.members.emplace_back(entry.name, instance);
        is_up_[group.members.back()] = true;
      }
      groups_.push_back(std::move(group));
    }
    return {};
  }

  Check add_later(const std::vector<ServerChange>& changes) {
    std::map<std::string, std::size_t> later;  // by entry, an index into groups_
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const ServerChange& change = changes[i];
      const bool comes = change.kind == ServerChange::Kind::up;
      const Instance instance{change.server, change.instance};
      const auto known = is_up_.find(instance);
      if (comes == (known != is_up_.end() && known->second))
        return Error{
            .message = fmt::format("server {} of '{}' {} at {} s", change.instance, change.server,
                                   comes ? "comes, and is there already," : "goes, and is not there,",
                                   seconds_text(change.at)),
            .key = fmt::format("changes[{}]", i)};
      if (comes && change.capacity.empty() && !entries_.contains(change.server))
        return Error{
            .message = fmt::format("the cluster has no server '{}' to take the capacity from", change.server),
            .key = fmt::format("changes[{}].capacity", i)};
      if (known == is_up_.end()) {
        const auto [place, is_new] = later.try_emplace(change.server, groups_.size());
        if (is_new) groups_.emplace_back();
        groups_[place->second].members.push_back(instance);
      }
      is_up_[instance] = comes;
    }
    return {};
  }

  void number_machines(double factor) {
    std::vector<std::int64_t> sizes;
    for (const Group& group : groups_) sizes.push_back(static_cast<std::int64_t>(group.members.size()));
    const std::vector<std::int64_t> scaled = scaled_counts(sizes, factor);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::vector<Instance>& members = groups_[g].members;
      for (std::int64_t k = 0; k < scaled[g]; ++k) {
        numbers_[members[static_cast<std::size_t>(k) % members.size()]].push_back(
            static_cast<std::uint32_t>(machines_.count++));
        if (groups_[g].up_as) machines_.first.push_back(*groups_[g].up_as);
      }
    }
  }

  const Problem& cluster_;
  std::map<std::string, std::size_t> entries_;  // of the cluster
  std::vector<Group> groups_;                   // those that are up at first, then the others
  std::map<Instance, bool> is_up_;
  std::map<Instance, std::vector<std::uint32_t>> numbers_;  // of the copies
  std::map<MachineKind, std::uint32_t> kinds_;
  Machines machines_;
};

}  // namespace

Result<Machines> machines_of(const Problem& cluster, const std::vector<ServerChange>& changes,
                             double factor) {
  return Reader(cluster).read(changes, factor);
}

}  // namespace mirab::simulation
