#include "traces/google2011_park.hpp"

#include <fmt/format.h>

namespace mirab::traces::google2011 {

namespace {

constexpr std::uint64_t kStart = 600'000'000;  // µs

/// The servers of a workload that machines become: an entry, and which of its servers.
class Places {
 public:
  Places(bool one_by_one, const std::vector<Candidate>& machines) : one_by_one_(one_by_one) {
    for (const Candidate& machine : machines) instance(machine);
  }

  std::string entry(const Candidate& machine) const {
    return one_by_one_ ? server_of(machine).name : class_name(machine);
  }

  /// The same machine in the same entry is the same instance.
  std::int64_t instance(const Candidate& machine) {
    const std::string name = entry(machine);
    const auto [place, is_new] = instances_.try_emplace({name, machine.id});
    if (is_new) place->second = next_[name]++;
    return place->second;
  }

 private:
  bool one_by_one_;
  std::map<std::pair<std::string, std::uint64_t>, std::int64_t> instances_;
  std::map<std::string, std::int64_t> next_;
};

bool same_kind(const Candidate& a, const Candidate& b) {
  return a.platform == b.platform && a.capacity == b.capacity;
}

std::optional<Candidate> usable(const Machines& machines, std::uint64_t id, PlatformLabels& labels) {
  const auto machine = machines.find(id);
  return machine == machines.end() ? std::nullopt : candidate(id, machine->second, labels);
}

}  // namespace

Duration time_in_window(std::uint64_t microseconds) {
  return std::chrono::microseconds(microseconds < kStart ? 0 : microseconds - kStart);
}

Result<Park> park_over_time(const MachineEvents& events, std::optional<std::size_t> sample, std::uint64_t end,
                            Random& random) {
  PlatformLabels labels;
  std::vector<Candidate> machines = machines_with_capacity(events.at_start, labels);
  Park park{.servers = {}, .changes = {}, .machines = machines.size()};
  if (Check failed = enough(sample, machines.size(), "machines with a capacity at time 0")) return *failed;
  if (sample) machines = draw(std::move(machines), *sample, random);
  park.servers = sample ? server_each(machines) : server_classes(machines);

  std::set<std::uint64_t> drawn;
  for (const Candidate& machine : machines) drawn.insert(machine.id);
  Places places(sample.has_value(), machines);
  Machines now = events.at_start;
  for (const MachineChange& change : events.later) {
    if (change.time > end) break;
    if (sample && !drawn.contains(change.id)) continue;
    const std::optional<Candidate> before = usable(now, change.id, labels);
    follow(change, now);
    const std::optional<Candidate> after = usable(now, change.id, labels);
    if (before && after && same_kind(*before, *after)) continue;
    const Duration at = time_in_window(change.time);
    if (before) {
      park.changes.push_back({ServerChange::Kind::down, at, places.entry(*before), places.instance(*before)});
    }
    if (after) {
      Server server = server_of(*after);
      park.changes.push_back({ServerChange::Kind::up, at, places.entry(*after), places.instance(*after),
                              std::move(server.capacity), std::move(server.labels)});
    }
  }
  return park;
}

}  // namespace mirab::traces::google2011
