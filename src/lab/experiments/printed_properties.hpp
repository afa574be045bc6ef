#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

/// A row of a printed table of properties: for each mechanism, does it have the property?
struct PrintedProperty {
  Property property;
  std::string_view name;           ///< as printed
  std::vector<bool> holds;         ///< as printed, in the order of the mechanisms
  std::vector<bool> refuted = {};  ///< a counterexample is known to what is printed; empty for none
};

/// A printed table, and on which clusters it is meant.
struct PrintedProperties {
  std::vector<std::string_view> mechanisms;  ///< names in the registry
  std::vector<PrintedProperty> rows;
  Conditions conditions;
};

/// How many random clusters are looked at for each mechanism and property, and attempts in all.
struct SearchBudget {
  std::uint64_t clusters;
  std::uint64_t attempts;
};

/// Holds every mechanism against every property on random clusters (audit_random), and what is found against
/// what is printed: a finding for each, a table of both, and a table of the counterexamples. Where the
/// printed one is refuted the counterexample must be found. That none is found is no proof.
void check_properties(const PrintedProperties& printed, const SearchBudget& lookout,
                      const RunOptions& options, Reproduction& result);

}  // namespace mirab::experiments
