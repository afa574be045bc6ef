#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

/// Runs the experiment of this ID, quick.
inline Reproduction quick(const std::string& id, std::uint64_t seed = 1, int threads = 1) {
  const std::string names[] = {id};
  const Result<std::vector<Experiment>> chosen = choose_experiments(names);
  EXPECT_TRUE(chosen && chosen->size() == 1) << id;
  return reproduce(chosen->front(), {.seed = seed, .threads = threads, .effort = Effort::quick});
}

inline void expect_all_hold(const Reproduction& result) {
  for (const Finding& finding : result.findings)
    EXPECT_TRUE(finding.holds) << result.id << ": " << finding.what << ": ours " << finding.ours;
}

inline const Finding& finding_of(const Reproduction& result, const std::string& what) {
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const Finding& finding) { return finding.what == what; });
  if (found != result.findings.end()) return *found;
  ADD_FAILURE() << result.id << " has no finding '" << what << "'";
  return result.findings.front();
}

}  // namespace mirab::experiments
