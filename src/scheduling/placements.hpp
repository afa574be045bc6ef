#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/fill.hpp>

#include "scheduling/park.hpp"

namespace mirab::scheduling {

/// A task that is wanted at present.
struct Wanted {
  std::span<const std::int64_t> demand;  ///< [m], units
  double popularity;                     ///< how often, beside the others; ≥ 0
};

/// A task looks for a server.
struct Search {
  const Park& park;
  std::span<const Variant> variants;  ///< the ways to run it
  std::uint32_t last_used;            ///< where the latest task of anybody was placed; 0 before the first
  Random& random;
  std::span<const Wanted> mix;  ///< what is wanted at present; only least-fragmentation asks for it
};

/// A server that has room for the task, or none when no server has.
using Find = std::optional<std::uint32_t> (*)(const Search& search);

std::optional<std::uint32_t> first_fit(const Search& search);
std::optional<std::uint32_t> best_fit(const Search& search);
std::optional<std::uint32_t> best_fit_as_published(const Search& search);
std::optional<std::uint32_t> worst_fit(const Search& search);
std::optional<std::uint32_t> next_fit(const Search& search);
std::optional<std::uint32_t> random_fit(const Search& search);
std::optional<std::uint32_t> least_fragmentation(const Search& search);

/// A placement with its options read.
struct Where {
  Find find;
  bool needs_mix = false;  ///< of Search
};

/// One row of the table. A new placement is a file and a row.
struct Placement {
  PlacementInfo info;
  Result<Where> (*where)(const Choice& choice);
};

/// Errors: a name that is not in the table, a bad option value.
Result<Where> where(const Choice& choice);

}  // namespace mirab::scheduling
