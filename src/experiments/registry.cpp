// The table of all experiments, in the order of the papers: 002 (random traffic), 001 (PS-DSF), 003 (the
// slides), 004 (MLF-DRS and its family).
#include <algorithm>
#include <vector>

#include "experiments/rows.hpp"

namespace mirab::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> rows = {};
  return rows;
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::shape_agrees:
      return "shape agrees";
    case Verdict::differs:
      break;
  }
  return "differs";
}

Verdict verdict_of(std::span<const Finding> findings) {
  const auto holds = [](const Finding& finding) { return finding.holds; };
  if (!std::all_of(findings.begin(), findings.end(), holds)) return Verdict::differs;
  const auto is_printed = [](const Finding& finding) { return finding.printed.has_value(); };
  const bool printed = std::any_of(findings.begin(), findings.end(), is_printed);
  return printed ? Verdict::agrees : Verdict::shape_agrees;
}

}  // namespace mirab::experiments
