// What is cut or multiplied before a replay: numbers of machines, and users.
#include "lab/simulation/replay/machines.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

/// `sample_size` of 0 … n - 1, drawn without replacement: the first of a shuffle (Fisher and Yates).
std::vector<bool> drawn(std::size_t n, std::size_t sample_size, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<bool> chosen(n, false);
  for (std::size_t k = 0; k < sample_size; ++k) {
    std::swap(order[k], order[k + random.below(n - k)]);
    chosen[order[k]] = true;
  }
  return chosen;
}

}  // namespace

std::vector<std::int64_t> scaled_counts(std::span<const std::int64_t> counts, double factor) {
  std::vector<std::int64_t> scaled;
  std::vector<double> remainders;
  for (const std::int64_t count : counts) {
    const double exact = static_cast<double>(count) * factor;
    scaled.push_back(static_cast<std::int64_t>(exact));
    remainders.push_back(exact - std::floor(exact));
  }
  const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (total == 0) return scaled;
  const std::int64_t wanted = std::max<std::int64_t>(1, std::llround(static_cast<double>(total) * factor));
  std::int64_t missing = wanted - std::accumulate(scaled.begin(), scaled.end(), std::int64_t{0});

  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (const std::size_t i : order) {
    if (missing <= 0) break;
    if (counts[i] == 0) continue;
    ++scaled[i];
    --missing;
  }
  return scaled;
}

Result<ScaledUsers> scaled_users(const std::vector<Submitter>& users, double factor, Random& random) {
  const std::size_t n = users.size();
  ScaledUsers scaled{.users = {}, .of = std::vector<std::vector<std::uint32_t>>(n)};
  if (n == 0) return scaled;
  if (factor * static_cast<double>(n) > static_cast<double>(kMostUsers))
    return Error{.message = fmt::format("makes more than {} users of {}", kMostUsers, n),
                 .key = "scale.users"};
  const auto wanted =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(factor * static_cast<double>(n))));
  const std::size_t copies = wanted / n;
  const std::vector<bool> one_more = drawn(n, wanted % n, random);

  std::set<std::string> names;
  for (std::size_t original = 0; original < n; ++original) {
    for (std::size_t copy = 1; copy <= copies + (one_more[original] ? 1 : 0); ++copy) {
      Submitter user = users[original];
      if (copy > 1) user.name = fmt::format("{}#{}", user.name, copy);
      if (!names.insert(user.name).second)
        return Error{.message = fmt::format("there are two users '{}' after copying", user.name),
                     .key = "scale.users"};
      scaled.of[original].push_back(static_cast<std::uint32_t>(scaled.users.size()));
      scaled.users.push_back(std::move(user));
    }
  }
  return scaled;
}

// The machines of a trace over time: those of the cluster's entries, spelled out, and those that come later.

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

  /// The kind of a machine that comes: the one that the change states, else that of its entry.
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
                                   comes ? "comes, but is there already," : "goes, but is not there,",
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
