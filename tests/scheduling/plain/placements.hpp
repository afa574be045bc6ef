#pragma once

#include <cstddef>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/fill.hpp>

#include "scheduling/plain/ledger.hpp"

namespace mirab::plain {

/// A user's next task looks for a server.
struct Search {
  const Ledger& ledger;
  std::size_t user;
  std::size_t first_fit;  ///< the first server where the task fits: there is one
  std::size_t last_used;  ///< where the latest task of anybody was placed; 0 before the first
  Random& random;
};

/// A placement with its options read.
struct Where {
  std::size_t (*server)(const Search& search);  ///< the server for the task, which fits there
};

/// One row of the table. A new placement is a file and a row.
struct Placement {
  PlacementInfo info;
  Result<Where> (*where)(const Choice& choice);
};

std::size_t first_fit(const Search& search);
std::size_t best_fit(const Search& search);
std::size_t best_fit_as_published(const Search& search);
std::size_t worst_fit(const Search& search);
std::size_t next_fit(const Search& search);
std::size_t random_fit(const Search& search);

/// Errors: a name that is not in the table, a bad option value.
Result<Where> where(const Choice& choice);

}  // namespace mirab::plain
