#pragma once

#include <optional>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/scheduling/engine.hpp>

namespace mirab::scheduling {

/// `drf:blocking=freeze`, with one option at the most.
inline Choice choice(const std::string& text) {
  Choice choice{.name = text.substr(0, text.find(':')), .options = {}, .text = text};
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos)
    choice.options[text.substr(choice.name.size() + 1, equals - choice.name.size() - 1)] =
        text.substr(equals + 1);
  return choice;
}

/// Whole amounts in units of 1.
inline Amounts units(const ResourceVector& amounts) {
  Amounts units;
  for (const Quantity& amount : amounts) units.push_back(*count_units(amount, 0, Rounding::down));
  return units;
}

/// An engine whose resources are r0, r1, …, in words short enough for a test. What it is asked for must be
/// possible.
struct SmallEngine {
  Engine engine;
  Random random{1};
  Time now{};

  explicit SmallEngine(const std::string& discipline, const std::string& placement = "first-fit",
                       std::size_t resources = 1, Tie tie = Tie::first,
                       Oversized oversized = Oversized::refuse)
      : engine(*Engine::from({.resources = names(resources),
                              .discipline = choice(discipline),
                              .placement = choice(placement),
                              .tie = tie,
                              .oversized = oversized})) {}

  ServerId server(Amounts capacity, const std::string& name = "s",
                  const std::map<std::string, std::string>& labels = {}) {
    return *engine.apply(ServerAdded{.name = name, .capacity = std::move(capacity), .labels = labels}, now);
  }
  UserId user(Quantity weight = Quantity{1}) {
    return *engine.apply(UserAdded{.name = "u", .weight = weight}, now);
  }
  JobId job(UserId user, Amounts demand, std::int64_t tasks = 1) {
    return *engine.apply(JobSubmitted{.user = user, .demand = std::move(demand), .tasks = tasks}, now);
  }
  JobId job(const JobSubmitted& job) { return *engine.apply(job, now); }

  std::optional<Placed> step() { return engine.step(now, random); }

  /// Steps until nothing is placed.
  std::vector<Placed> run() {
    std::vector<Placed> all;
    while (const std::optional<Placed> placed = step()) all.push_back(*placed);
    return all;
  }

 private:
  static std::vector<std::string> names(std::size_t resources) {
    std::vector<std::string> names;
    for (std::size_t r = 0; r < resources; ++r) names.push_back("r" + std::to_string(r));
    return names;
  }
};

}  // namespace mirab::scheduling
