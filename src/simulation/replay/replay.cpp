// Traces through the engine, every contender side by side on the same input.
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <mirab/simulation/replay.hpp>

#include "simulation/replay/input.hpp"
#include "simulation/replay/play.hpp"
#include "simulation/sweep.hpp"

namespace mirab::simulation {
namespace {

Error of_contender(std::size_t contender, Error error) {
  if (error.key == "discipline" || error.key == "placement" || error.key.empty())
    error.key = fmt::format("contenders[{}]{}{}", contender, error.key.empty() ? "" : ".", error.key);
  return error;
}

}  // namespace

Result<std::vector<ReplayOutcome>> replay(const Problem& cluster, const Workload& workload,
                                          const ReplayOptions& options, std::uint64_t seed, int threads,
                                          const Progress& progress) {
  if (options.contenders.empty())
    return Error{.message = "at least one contender is needed", .key = "contenders"};
  if (options.samples < 1) return Error{.message = "at least one sample is needed", .key = "samples"};
  const Result<ReplayInput> input = replay_input(cluster, workload, options.scale, seed);
  if (!input) return input.error();
  if (std::cmp_less(input->span.count(), options.samples))
    return Error{.message = "are more than the trace has nanoseconds", .key = "samples"};

  std::vector<std::optional<Result<ReplayOutcome>>> played(options.contenders.size());
  sweep(
      played.size(), threads,
      [&](std::size_t c) {
        played[c] = play(*input, {.contender = options.contenders[c],
                                  .until = options.until,
                                  .samples = options.samples,
                                  .seed = seed});
      },
      progress);

  std::vector<ReplayOutcome> outcomes;
  for (std::size_t c = 0; c < played.size(); ++c) {
    Result<ReplayOutcome>& outcome = *played[c];
    if (!outcome) return of_contender(c, std::move(outcome).error());
    outcomes.push_back(*std::move(outcome));
  }
  return outcomes;
}

}  // namespace mirab::simulation
