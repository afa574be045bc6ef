#include "model/merged_notice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace mirab {
std::string percent_at_most(double part) {
  constexpr double kRounding = 1e-9;  // relative: so little above a digit is the digit
  const double percent = 100 * part;
  double unit = 1e-4;
  while (percent > 100 * unit) unit *= 10;
  return fmt::format("{:.6g} %", std::min(100.0, std::ceil(percent / unit * (1 - kRounding)) * unit));
}

namespace {

std::string bound_words(double part) {
  return part < 1 ? fmt::format("off by at most {}", percent_at_most(part)) : "off by any part";
}

std::string cost_words(const Outcome& outcome, double left_out) {
  if (outcome.merged_levels.empty())
    return fmt::format("what this may cost is not known for {}", outcome.mechanism);
  double later = 0, of_user = 0;
  for (const MergedLevel& level : outcome.merged_levels) {
    if (&level != &outcome.merged_levels.front()) later = std::max(later, level.bound);
    of_user = std::max(of_user, level.user_bound);
  }
  if (of_user == 0) return "nobody has fewer tasks for it";
  std::string words =
      fmt::format("so the lowest level may be {}", bound_words(outcome.merged_levels.front().bound));
  if (later > 0) words += fmt::format(", a later one {}", bound_words(later));
  words += fmt::format(", and the tasks of a single user {}", bound_words(of_user));
  if (of_user > left_out)
    words +=
        "; of a user it is more than of a server, since what all servers leave out may be one user's loss";
  return words;
}

}  // namespace

std::string merged_words(const Problem& problem, const Outcome& outcome) {
  const Merged& merged = *problem.cluster().merged;
  const bool is_one = merged.nodes == 1;
  return fmt::format(
      "{} {} alike {} as {} {}, each with the least that one of them has, which leaves out at most {} of "
      "one: {}",
      merged.nodes, is_one ? "server that is" : "servers that are", is_one ? "counts" : "count",
      merged.classes, merged.classes == 1 ? "entry" : "entries", percent_at_most(merged.largest_difference),
      cost_words(outcome, merged.largest_difference));
}

void note_merged(const Problem& problem, Outcome& outcome) {
  if (!problem.cluster().merged) return;
  outcome.notices.push_back(merged_words(problem, outcome));
  if (outcome.status == Status::converged)
    outcome.notices.push_back(
        fmt::format("apart from the servers that count together, {} is converged: {} {:.2g}",
                    outcome.mechanism, outcome.certificate.kind, outcome.certificate.value));
  else if (outcome.status != Status::exact)
    return;
  double most = outcome.merged_levels.empty() ? 1 : 0;
  for (const MergedLevel& level : outcome.merged_levels) most = std::max(most, level.user_bound);
  outcome.status = Status::converged;
  outcome.certificate = {.kind = "merged-servers", .value = most};
}

}  // namespace mirab
