#include "traces/google2011_machines.hpp"

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

Check enough(std::optional<std::size_t> wanted, std::size_t available, std::string_view what) {
  if (available == 0) return Error{.message = fmt::format("the trace has no {}", what)};
  if (!wanted || (*wanted >= 1 && *wanted <= available)) return std::nullopt;
  return Error{.message = fmt::format("cannot draw {} of {} {}: from 1 to {} can be drawn", *wanted,
                                      available, what, available)};
}

}  // namespace mirab::traces::google2011
