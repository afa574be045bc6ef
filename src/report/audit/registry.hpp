#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/result.hpp>
#include <mirab/scheduling/fill.hpp>

namespace mirab::report {

/// The rows that can be named on the command line, or some of them.
struct Registry {
  std::vector<const Mechanism*> mechanisms;
  std::vector<const DisciplineInfo*> disciplines;
  std::vector<const DisciplineInfo*> of_replays;  ///< in addition, of contenders of a replay
  std::vector<const PlacementInfo*> placements;
};

Registry whole_registry();

/// Every row that bears this name or alias. Error: none does, with the nearest names.
Result<Registry> named(std::string_view name);

/// A line a row.
std::string registry_table(const Registry& registry, std::size_t width);
/// All that is known of each row.
std::string registry_details(const Registry& registry, std::size_t width);
/// One record a row: kind, name, aliases, scope, title, summary, source.
std::string registry_csv(const Registry& registry);
std::string registry_json(const Registry& registry);
/// docs/reference/mechanisms.md.
std::string registry_markdown(const Registry& registry);

/// A cluster for which a mechanism is wanted.
struct ClusterChoice {
  std::string title;
  const Problem& problem;
};

/// Which mechanisms apply to it and what each leaves out of account, the recommended one first.
std::string chooser_table(const ClusterChoice& choice, std::size_t width);
std::string chooser_json(const ClusterChoice& choice);

/// `one pool`, `all servers`, `each server`.
std::string_view scope_words(Scope scope);
/// The name in JSON and CSV: `pool`, `servers`, `each server`.
std::string_view scope_name(Scope scope);

/// A row's summary as a sentence: with a capital, and a full stop.
std::string sentence(std::string_view text);

/// What a mechanism maximises, as a formula: its own, or the one equation in its yardstick u_n and α.
std::string objective(const Mechanism& mechanism);

/// Under which conditions a claim is made, in words: ` with positive demands and no caps`, or nothing.
std::string conditions_words(const Conditions& conditions);

/// The same as JSON, every condition by its name.
nlohmann::ordered_json conditions_json(const Conditions& conditions);

/// The kinds of input with whether a mechanism honours them, in the order in which they are shown.
struct Acceptance {
  std::string_view name;  ///< `weights`, `caps`, …
  bool honoured;
};
std::vector<Acceptance> acceptances(const Accepts& accepts);

}  // namespace mirab::report
