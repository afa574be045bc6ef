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

/// Errors as for choose(), and a bad option value.
Result<Choice> choose_discipline(std::string_view text);
Result<Choice> choose_placement(std::string_view text);

/// Which of several users with equal keys is served: the first declared, the last declared, or one drawn at
/// random.
enum class Tie { first, last, random };

/// The most steps that are recorded. A filling with more records none, and a notice says so.
inline constexpr std::int64_t kMaxSteps = 1'000'000;

struct FillOptions {
  Choice discipline;
  Choice placement;
  Tie tie = Tie::first;
  bool trace = false;  ///< record every step, unless there are more than kMaxSteps
};

/// One placed task.
struct FillStep {
  std::size_t user;
  std::size_t server;     ///< the server entry
  std::int64_t instance;  ///< which of the entry's servers, from 0
  double share;  ///< G_n / φ_n, the user's global dominant share over its weight, after the placement
};

/// Why a user has no more tasks placed.
enum class Unplaced {
  nothing,  ///< all its tasks are placed
  no_room,  ///< the next task fits on no eligible server
  blocked,  ///< it would fit, but the discipline waits for another user's task (blocking=freeze)
};

struct FillOutcome {
  std::string discipline;  ///< as asked for
  std::string placement;   ///< as asked for, or the discipline where that chooses the servers
  Tie tie = Tie::first;
  std::uint64_t seed = 0;
  double seconds = 0;       ///< for the caller to fill in: there is no clock in this layer
  Allocation allocation;    ///< tasks are whole numbers
  std::int64_t placed = 0;  ///< tasks, all users together

  /// Wrong allocations: placements whose user had not the lowest G_n / φ_n of all users who had a task left
  /// that fitted somewhere, whatever the discipline. Source: Östman, section 5.3.
  std::int64_t errors = 0;

  std::vector<Unplaced> unplaced;    ///< [n]
  std::vector<FillStep> steps;       ///< with trace only, and not of more than kMaxSteps
  std::vector<std::string> notices;  ///< e.g. a user whose task no server holds
};

/// Called now and then with the number of tasks placed so far.
using FillProgress = std::function<void(std::int64_t placed)>;

/// Places one task after the other, from an empty cluster, until nothing fits (blocking=skip) or the next
/// user's task does not (blocking=freeze). A user's number of tasks is floored. Shares are compared exactly;
/// the same problem, options and seed give the same steps.
///
/// Errors: an unknown name or a bad option value in a choice; more than 10^7 servers; tasks so small that
/// more than 10^10 of them, of all users together, might be placed. Cost: for each placement O(log N), with
/// Tie::random and k users that are tied O(k log N), and what the placement takes, at most O(K' m) for K'
/// servers with counts spelled out; O(N K' m) in total for the tasks that fit nowhere any more.
Result<FillOutcome> fill(const Problem& problem, const FillOptions& options, Random& random,
                         const FillProgress& progress = {});

}  // namespace mirab
