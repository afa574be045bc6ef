#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>

namespace mirab {

/// One row of the table of disciplines or of the table of placements.
struct RuleInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::span<const OptionInfo> options;
};

using DisciplineInfo = RuleInfo;  ///< whom to serve next
using PlacementInfo = RuleInfo;   ///< where its task goes

std::span<const DisciplineInfo> disciplines();
std::span<const PlacementInfo> placements();

/// Does this discipline choose the servers too, whatever the placement?
bool chooses_servers(const Choice& discipline);

/// `fcfs` is another name for `fifo:blocking=freeze`. Errors as for choose(), and a bad option value.
Result<Choice> choose_discipline(std::string_view text);
Result<Choice> choose_placement(std::string_view text);

/// The most steps that are recorded. A filling with more records none, and a notice says so.
inline constexpr std::int64_t kMaxSteps = 1'000'000;

struct FillOptions {
  Choice discipline;
  Choice placement;
  Tie tie = Tie::first;
  bool trace = false;  ///< record every step, unless there are more than kMaxSteps
};

/// Called now and then with the number of tasks placed so far.
using FillProgress = std::function<void(std::int64_t placed)>;

/// Places one task after the other, from an empty cluster, until nothing fits (blocking=skip) or the next
/// user's task does not (blocking=freeze). A user's number of tasks is floored. Shares are compared exactly;
/// the same problem, options and seed give the same steps. The outcome is exact and has a FillRecord.
///
/// Errors: an unknown name or a bad option value in a choice; more than 10^7 servers; tasks so small that
/// more than 10^10 of them, of all users together, might be placed. Cost: for each placement O(log N), with
/// Tie::random and k users that are tied O(k log N), and what the placement takes, at most O(K' m) for K'
/// servers with counts spelled out; O(N K' m) in total for the tasks that fit nowhere any more.
Result<Outcome> fill(const Problem& problem, const FillOptions& options, Random& random,
                     const FillProgress& progress = {});

}  // namespace mirab
