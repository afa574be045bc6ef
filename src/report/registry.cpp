#include "report/registry.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace mirab::report {

Registry whole_registry() {
  Registry registry;
  for (const Mechanism& row : mechanisms()) registry.mechanisms.push_back(&row);
  for (const DisciplineInfo& row : disciplines()) registry.disciplines.push_back(&row);
  for (const PlacementInfo& row : placements()) registry.placements.push_back(&row);
  return registry;
}

Result<Registry> named(std::string_view name) {
  Registry found;
  std::vector<std::string_view> candidates;
  for (const Mechanism& row : mechanisms()) {
    candidates.push_back(row.name);
    candidates.insert(candidates.end(), row.aliases.begin(), row.aliases.end());
    const bool alias = std::count(row.aliases.begin(), row.aliases.end(), name) > 0;
    if (row.name == name || alias) found.mechanisms.push_back(&row);
  }
  for (const DisciplineInfo& row : disciplines()) {
    candidates.push_back(row.name);
    if (row.name == name) found.disciplines.push_back(&row);
  }
  for (const PlacementInfo& row : placements()) {
    candidates.push_back(row.name);
    if (row.name == name) found.placements.push_back(&row);
  }
  if (!found.mechanisms.empty() || !found.disciplines.empty() || !found.placements.empty()) return found;

  std::sort(candidates.begin(), candidates.end());  // a mechanism and a discipline may share a name
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  const std::string near = nearest_names(name, candidates);
  return Error{.message = fmt::format("there is no mechanism, discipline or placement '{}'{}", name,
                                      near.empty() ? "; 'mirab mechanisms' lists them" : near),
               .key = {},
               .file = {}};
}

std::string_view scope_words(Scope scope) {
  switch (scope) {
    case Scope::pool:
      return "one pool";
    case Scope::servers:
      return "all servers";
    case Scope::each_server:
      return "each server";
  }
  return {};
}

std::string_view scope_name(Scope scope) {
  switch (scope) {
    case Scope::pool:
      return "pool";
    case Scope::servers:
      return "servers";
    case Scope::each_server:
      return "each server";
  }
  return {};
}

std::string sentence(std::string_view text) {
  std::string result(text);
  if (!result.empty() && result.front() >= 'a' && result.front() <= 'z') {
    result.front() = static_cast<char>(result.front() - 'a' + 'A');
  }
  return result.ends_with('.') ? result : result + ".";
}

std::string objective(const Mechanism& mechanism) {
  if (!mechanism.objective.empty()) return std::string(mechanism.objective);
  constexpr std::string_view kShare = "s_n = X_n / (φ_n u_n)";
  if (mechanism.alpha == "∞")
    return fmt::format("the lowest share {}, then the next lowest, and so on (α = ∞)", kShare);
  if (mechanism.alpha == "1") return fmt::format("Σ φ_n ln s_n, {} (α = 1)", kShare);
  return fmt::format("Σ φ_n s_n^(1-α) / (1-α), {} ({})", kShare, mechanism.alpha);
}

std::string conditions_words(const Conditions& conditions) {
  std::vector<std::string_view> words;
  if (conditions.positive_demands) words.push_back("positive demands");
  if (conditions.no_caps) words.push_back("no caps");
  if (conditions.no_placement) words.push_back("no placement constraints");
  if (conditions.same_demand) words.push_back("the same demand everywhere");
  if (words.empty()) return {};
  const std::string_view last = words.back();
  words.pop_back();
  if (words.empty()) return fmt::format(" with {}", last);
  return fmt::format(" with {} and {}", fmt::join(words, ", "), last);
}

std::vector<Acceptance> acceptances(const Accepts& accepts) {
  return {{"weights", accepts.weights},
          {"caps", accepts.caps},
          {"placement constraints", accepts.placement},
          {"zero demands", accepts.zero_demands},
          {"demand per server", accepts.demand_on},
          {"several servers", accepts.several_servers}};
}

}  // namespace mirab::report
