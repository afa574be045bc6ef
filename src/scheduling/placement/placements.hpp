#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/fill.hpp>

#include "fairness/exact_part.hpp"
#include "scheduling/ledger/server_pool.hpp"

namespace mirab::scheduling {

/// A task that is wanted at present.
struct Wanted {
  std::span<const std::int64_t> demand;  ///< [m], units
  double popularity;                     ///< how often, beside the others; ≥ 0
};

/// A task looks for a server.
struct Search {
  const ServerPool& server_pool;
  std::span<const SearchAlternative> search_alternatives;  ///< the ways to run it
  ServerIndex last_used;  ///< where the latest task of anybody was placed; 0 before the first
  Random& random;
  std::span<const Wanted> mix;  ///< what is wanted at present; only least-fragmentation asks for it
};

/// A server that has room for the task, or none when no server has.
using Find = std::optional<ServerIndex> (*)(const Search& search);

std::optional<ServerIndex> first_fit(const Search& search);
std::optional<ServerIndex> best_fit(const Search& search);
std::optional<ServerIndex> best_fit_as_published(const Search& search);
std::optional<ServerIndex> worst_fit(const Search& search);
std::optional<ServerIndex> next_fit(const Search& search);
std::optional<ServerIndex> random_fit(const Search& search);
std::optional<ServerIndex> least_fragmentation(const Search& search);

/// What a placement compares servers by, of one that has room for the task. O(m), times the mix if it asks
/// for that.
using Measure = double (*)(const Search& search, ServerIndex server);

double best_fit_distance(const Search& search, ServerIndex server);               ///< H, the least is best
double best_fit_as_published_distance(const Search& search, ServerIndex server);  ///< the same
double worst_fit_tasks(const Search& search, ServerIndex server);                 ///< ρ, the most is best
double fragmentation_growth(const Search& search, ServerIndex server);            ///< the least is best

/// How a task runs on the server. Requires that it may.
const SearchAlternative& variant_on(const Search& search, ServerIndex server);

/// A placement with its options read.
struct PlacementChoice {
  Find find;
  bool needs_mix = false;          ///< of Search
  Measure measure = nullptr;       ///< nullptr: it compares nothing
  std::string_view measured = {};  ///< in words
};

/// One row of the table. A new placement is a file and a row.
struct Placement {
  PlacementInfo info;
  Result<PlacementChoice> (*where)(const Choice& choice);
};

/// Errors: a name that is not in the table, a bad option value.
Result<PlacementChoice> where(const Choice& choice);

}  // namespace mirab::scheduling
