#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <mirab/audit/difference.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "report/text/width.hpp"

namespace mirab::report {

/// One of two outcomes that are compared, and where it comes from.
struct DiffSide {
  std::string title;  ///< of the cluster: what it is called, or its file
  const Problem& problem;
  const Outcome& outcome;
};

/// Two outcomes and what lies between them.
struct Diff {
  DiffSide before;
  DiffSide after;
  Difference difference;
};

/// Which lines a table has: one for each user, or one for each of its task shapes besides.
enum class Detail { teams, shapes };

struct DiffView {
  std::size_t most = 20;  ///< users who gain, as many who lose, and as many who are on one side only
  Detail detail = Detail::teams;
};

/// What a person reads; no wider than the terminal where that can be. In bold: users who are short, and the
/// better of two sums.
std::string difference_table(const Diff& diff, const DiffView& view, const Terminal& terminal);

/// docs/schema/difference.schema.json.
nlohmann::ordered_json difference_json(const Diff& diff);

/// One record a user: user, tasks and dominant share before and after, change; empty where there is none.
std::string difference_csv(const Diff& diff);

}  // namespace mirab::report
