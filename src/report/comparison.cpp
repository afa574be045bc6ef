#include "report/comparison.hpp"

#include <utility>

namespace mirab::report {

Contender contender(const Problem& problem, Outcome outcome) {
  Contender result;
  result.label = std::move(outcome.mechanism);
  result.status = outcome.status;
  result.certificate = std::move(outcome.certificate);
  result.seconds = outcome.seconds;
  result.allocation = std::move(outcome.allocation);
  result.notices = std::move(outcome.notices);
  result.dominant_shares = dominant_shares(problem, result.allocation);
  result.metrics = measure(problem, result.allocation);
  return result;
}

Contender contender(const Problem& problem, FillOutcome outcome) {
  Contender result;
  result.label = outcome.discipline + "/" + outcome.placement;
  result.status = Status::exact;
  result.certificate = {.kind = "counted", .value = 0};
  result.seconds = outcome.seconds;
  result.allocation = std::move(outcome.allocation);
  result.notices = std::move(outcome.notices);
  result.dominant_shares = dominant_shares(problem, result.allocation);
  result.metrics = measure(problem, result.allocation);
  result.filling = Filling{.discipline = std::move(outcome.discipline),
                           .placement = std::move(outcome.placement),
                           .tie = outcome.tie,
                           .seed = outcome.seed,
                           .placed = outcome.placed,
                           .errors = outcome.errors,
                           .unplaced = std::move(outcome.unplaced),
                           .steps = std::move(outcome.steps)};
  return result;
}

std::string_view tie_name(Tie tie) {
  switch (tie) {
    case Tie::first:
      return "first";
    case Tie::last:
      return "last";
    case Tie::random:
      return "random";
  }
  return {};
}

std::string_view unplaced_name(Unplaced reason) {
  switch (reason) {
    case Unplaced::nothing:
      return "nothing";
    case Unplaced::no_room:
      return "no room";
    case Unplaced::blocked:
      return "blocked";
  }
  return {};
}

std::vector<std::vector<double>> bundles(const Problem& problem, const Allocation& allocation) {
  std::vector<std::vector<double>> granted(problem.user_count(),
                                           std::vector<double>(problem.resource_count()));
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < grant.resources.size(); ++r) granted[grant.user][r] += grant.resources[r];
  }
  return granted;
}

std::int64_t total_servers(const Problem& problem) {
  std::int64_t total = 0;
  for (const Server& server : problem.servers()) total += server.count;
  return total;
}

}  // namespace mirab::report
