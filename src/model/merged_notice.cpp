#include "model/merged_notice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace mirab {
namespace {

/// `0.31 %`, `12 %`. A bound is rounded up, and to two digits.
std::string percent_at_most(double part) {
  const double percent = 100 * part;
  double unit = 1e-4;
  while (percent > 100 * unit) unit *= 10;
  return fmt::format("{:.6g} %", std::min(100.0, std::ceil(percent / unit) * unit));
}

std::string cost_words(const Outcome& outcome) {
  if (outcome.merged_levels.empty())
    return fmt::format("what this may cost is not known for {}", outcome.mechanism);
  double later = 0, of_user = 0;
  for (const MergedLevel& level : outcome.merged_levels) {
    if (&level != &outcome.merged_levels.front()) later = std::max(later, level.bound);
    of_user = std::max(of_user, level.user_bound);
  }
  const double lowest = outcome.merged_levels.front().bound;
  if (of_user == 0) return "this costs nobody anything";
  const auto within = [](double part) {
    return part < 1 ? fmt::format("within {}", percent_at_most(part)) : "anywhere";
  };
  std::string words =
      fmt::format("the lowest level is {} of that of the servers as they are", within(lowest));
  if (later > 0) words += fmt::format(", later levels are {}", within(later));
  return words + fmt::format(", and the tasks of any one user are {}", within(of_user));
}

}  // namespace

void note_merged(const Problem& problem, Outcome& outcome) {
  if (!problem.cluster().merged) return;
  const Merged& merged = *problem.cluster().merged;
  outcome.notices.push_back(fmt::format(
      "{} servers that are alike count as {} {}, each with the least that one of them has, which leaves out "
      "at most {} of one: {}",
      merged.nodes, merged.classes, merged.classes == 1 ? "entry" : "entries",
      percent_at_most(merged.largest_difference), cost_words(outcome)));
  if (outcome.status != Status::exact) return;
  double most = outcome.merged_levels.empty() ? 1 : 0;
  for (const MergedLevel& level : outcome.merged_levels) most = std::max(most, level.user_bound);
  outcome.status = Status::converged;
  outcome.certificate = {.kind = "merged-servers", .value = most};
}

}  // namespace mirab
