// Machines of the Google trace of 2011 as servers, at time 0 and over time.
#include "lab/traces/google2011/machines.hpp"

#include <array>
#include <fmt/format.h>

namespace mirab::traces::google2011 {

const std::string& PlatformLabels::label(const std::string& hash) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLetters{{
      {"70ZOvysYGtB6j9MUHMPzA2Iy7GRzWeJTdX0YCLRKGVg=", "a"},
      {"HofLGzk1Or/8Ildj2+Lqv0UGGvY82NLoni8+J/Yy0RU=", "b"},
      {"GtXakjpd0CD41brK7k/27s3Eby3RpJKy7taB9S8UQRA=", "c"},
      {"", "unknown"},
  }};
  const auto [place, is_new] = known_.try_emplace(hash);
  if (!is_new) return place->second;
  const auto* const letter =
      std::find_if(kLetters.begin(), kLetters.end(), [&](const auto& entry) { return entry.first == hash; });
  place->second = letter != kLetters.end() ? std::string(letter->second) : names_.name("", hash);
  return place->second;
}

std::optional<Candidate> candidate(std::uint64_t id, const Machine& machine, PlatformLabels& labels) {
  if (!machine.cpu || machine.cpu->is_zero() || !machine.memory || machine.memory->is_zero()) return {};
  return Candidate{id, labels.label(machine.platform), {*machine.cpu, *machine.memory}};
}

std::vector<Candidate> machines_with_capacity(const Machines& machines, PlatformLabels& labels) {
  std::vector<Candidate> candidates;
  for (const auto& [id, machine] : machines) {
    if (auto usable = candidate(id, machine, labels)) candidates.push_back(*std::move(usable));
  }
  return candidates;
}

ResourceVector vector_of(const Amounts& amounts) { return {amounts.begin(), amounts.end()}; }

Server server_of(const Candidate& machine) {
  return {.name = fmt::format("m-{}", machine.id),
          .capacity = vector_of(machine.capacity),
          .labels = {{"platform", machine.platform}}};
}

std::vector<Server> server_each(const std::vector<Candidate>& machines) {
  std::vector<Server> servers;
  servers.reserve(machines.size());
  for (const Candidate& machine : machines) servers.push_back(server_of(machine));
  return servers;
}

std::string class_name(const Candidate& machine) {
  return fmt::format("{}-{}-{}", machine.platform, machine.capacity[0].text(), machine.capacity[1].text());
}

std::vector<Server> server_classes(const std::vector<Candidate>& machines) {
  std::map<std::pair<std::string, Amounts>, Server> classes;
  for (const Candidate& machine : machines) {
    const auto [place, is_new] = classes.try_emplace({machine.platform, machine.capacity});
    if (is_new) {
      place->second = server_of(machine);
      place->second.name = class_name(machine);
    } else {
      ++place->second.count;
    }
  }
  std::vector<Server> servers;
  for (auto& [kind, server] : classes) servers.push_back(std::move(server));
  return servers;
}

Check enough(std::optional<std::size_t> wanted, std::size_t available, std::string_view what,
             const std::string& file) {
  if (available == 0) return Error{.message = fmt::format("the trace has no {}", what), .file = file};
  if (!wanted || (*wanted >= 1 && *wanted <= available)) return std::nullopt;
  return Error{.message = fmt::format("cannot draw {} of {} {}: from 1 to {} can be drawn", *wanted,
                                      available, what, available)};
}

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

Result<ServerTimeline> servers_over_time(const MachineEvents& events, std::optional<std::size_t> sample,
                                         std::uint64_t end, const std::string& file, Random& random) {
  PlatformLabels labels;
  std::vector<Candidate> machines = machines_with_capacity(events.at_start, labels);
  ServerTimeline park{.servers = {}, .changes = {}, .machines = machines.size()};
  if (Check failed = enough(sample, machines.size(), "machines with a capacity at time 0", file))
    return *failed;
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
