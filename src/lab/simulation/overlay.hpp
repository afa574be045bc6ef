#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/overlay/scheduler.hpp>
#include <mirab/overlay/wire.hpp>

#include "lab/simulation/base/replications.hpp"

namespace mirab::simulation {

// ---- the network and what goes wrong in it

/// Delay of a message: uniform in [min, max].
struct Latency {
  Duration min = std::chrono::milliseconds(1);
  Duration max = std::chrono::milliseconds(10);
};

/// Some nodes, drawn from the seed, cannot reach the others for a while, either way. The users are cut off
/// with the smaller part of the servers, which they reach.
struct Partition {
  /// Where the gateway, the bootstrap server and the central one are.
  enum class Side : std::uint8_t { outside, inside };

  Duration from{}, to{};
  double nodes = 0;  ///< part of the servers that is cut off; in [0, 1)
  double users = 0;  ///< part of the users; in [0, 1]
  Side gateway = Side::outside;
};

enum class Memory { kept, lost };

/// A server stops at once; what runs on it goes on when its memory is kept (only its daemon stopped), else is
/// dead.
struct Crash {
  Duration at{};
  std::uint32_t node = 0;  ///< a server by its place in the cluster (copies of an entry one by one)
  std::optional<Duration> back = {};  ///< when it starts again; none: never
  Memory memory = Memory::kept;
};

/// A server's ticks and answers take longer.
struct Slow {
  Duration from{}, to{};
  std::uint32_t node = 0;
  double factor = 1;  ///< of its ticks and of the latency of what it sends, ≥ 1
};

/// A server that comes later, or leaves in peace.
struct Join {
  Duration at{};
  std::uint32_t node = 0;
};
struct Leave {
  Duration at{};
  std::uint32_t node = 0;
};

/// The gateway and the bootstrap server restart, and know no node.
struct Restart {
  Duration at{};
};

/// What the network does, and when: times count from the first allocation tick, probabilities hold from the
/// beginning of the warm-up. Probabilities in [0, 1), each message for itself.
struct Faults {
  double loss = 0;
  double duplicate = 0;
  double reorder = 0;  ///< part of the messages that are held back for up to ten times the largest latency
  double corrupt = 0;  ///< a byte is changed
  Duration until{};    ///< loss … corrupt end then; zero: never
  std::vector<Partition> partitions;
  std::vector<Crash> crashes;
  std::vector<Slow> slow;
  std::vector<Join> joins;
  std::vector<Leave> leaves;
  std::vector<Restart> restarts;
};

/// Do all nodes tick at the same time, or each at its own offset in the tick, drawn from the seed?
enum class Ticks { staggered, in_step };

/// A user without a task for a while. Times count from the first allocation tick.
struct UserPause {
  Duration from{}, to{};
  std::string user;  ///< its name in the cluster
};

/// What is run.
struct OverlayRules {
  overlay::Scheduler scheduler = overlay::Scheduler::dgdrf;
  overlay::OverlayOptions options;
};

/// What a scenario file of kind `overlay` says (docs/reference/simulate.md).
struct OverlayScenario {
  std::string cluster;                             ///< file, as it can be opened
  std::vector<OverlayRules> rules;                 ///< one for each scheduler, in the file's order
  std::vector<std::string> names;                  ///< as the file has them. [rules]
  Duration tick = std::chrono::milliseconds(100);  ///< between a server's allocation ticks, > 0
  double shuffles_per_tick = 1;                    ///< > 0; 0.2: one in five ticks
  std::uint32_t warm_up = 100;                     ///< shuffles before the first tick
  Ticks ticks = Ticks::staggered;
  Latency latency;
  overlay::WireLimits wire;  ///< clocks of any two nodes differ by up to its skew, drawn from the seed
  Faults faults;
  std::vector<UserPause> pauses;
  std::optional<Duration> runtime = {};   ///< mean of the tasks' run times, exponential; none: they never end
  std::optional<Duration> duration = {};  ///< simulated after the warm-up; none: until nothing can be placed
                                          ///< any more, or `quiet` ticks pass in which no task is
                                          ///< placed that was not before
  std::uint32_t quiet = 500;
  /// A placement is right when its user's share was at most 1 + so much times the least; ≥ 0, the first is 0.
  std::vector<double> tolerances = {0, 0.01, 0.05, 0.10, 0.15};
  std::uint32_t frames = 0;  ///< pictures that are kept for the page, evenly over the run
};

/// What makes no sense in it, whatever the cluster. Errors carry the key of the scenario file
/// (`faults.crashes[2].back_s`).
Check check(const OverlayScenario& scenario);

// ---- what comes out

/// A safety or liveness promise that was broken.
struct Violation {
  /// "capacity", "one place", "once", "not forgotten", "confirmed", "no leak", "liveness"
  std::string promise;
  std::string what;  ///< in words, with node and task
  Duration at{};     ///< since the first allocation tick
};

/// A picture of the overlay at one moment.
struct OverlayFrame {
  double tick = 0;                               ///< since the first allocation tick; below 0: warm-up
  std::vector<double> utility;                   ///< by server; −∞ without users. [K]
  std::vector<std::vector<std::uint32_t>> view;  ///< neighbours by server. [K][P]
  std::vector<double> used;                      ///< dominant part of the server's capacity in use. [K]
  std::int64_t placements = 0;                   ///< until then
};

/// Counts by kind of message, for costs.
struct MessageCount {
  std::string kind;  ///< overlay::name_of_kind
  std::int64_t messages = 0;
  std::int64_t bytes = 0;  ///< as encoded (docs/reference/overlay-messages.md)
};

/// Room that was left at the end while the poorest user had no task, for whom all others waited
/// (Idle::block).
struct LeftOver {
  std::string user;        ///< the poorest, or the first of them
  std::int64_t tasks = 0;  ///< of others that would fit
};

/// One run of one scheduler from one seed.
struct OverlayRun {
  std::string scheduler;  ///< its name in the scenario
  std::uint64_t seed = 1;
  double min_share = 0;         ///< min_i G_i at the end
  double gini = 0;              ///< of the shares at the end, eq. 2.7; 0: all are equal
  double deviation = 0;         ///< sample standard deviation of the shares
  std::vector<double> shares;   ///< G_i at the end. [N]
  std::int64_t placements = 0;  ///< turns that led to a running task
  std::vector<std::int64_t>
      wrong;  ///< placements whose turn was of a user that was not a poorest one. [tolerances]
  std::vector<std::vector<double>>
      wrong_over_time;                   ///< part of those so far, at every 2 % of them. [tolerances][50]
  double ticks = 0;                      ///< from the first allocation tick to the last placement
  double mean_min_share = 0;             ///< over the run's time after its first tenth, for tasks that end
  std::int64_t messages = 0, bytes = 0;  ///< sent, after the warm-up
  double messages_per_tick_and_node = 0, bytes_per_tick_and_node = 0;
  std::vector<MessageCount> kinds;
  std::vector<std::int64_t> dropped;  ///< that nodes did not take, after the warm-up, by overlay::Drop
  std::int64_t lost = 0;              ///< by the network, after the warm-up
  std::vector<Violation> violations;  ///< the first few of `violation_count`
  std::int64_t violation_count = 0;
  std::int64_t moved = 0;      ///< users that went to another home
  std::int64_t restarted = 0;  ///< tasks that were lost with their host and submitted again
  std::vector<double> used;    ///< part of the cluster in use at the end, by resource. [m]
  std::optional<LeftOver> left_over;
  std::vector<OverlayFrame> frames;
};

/// Runs the scenario's schedulers, each from this seed, side by side on `threads` threads, whose number
/// changes nothing. Users of the cluster are the users, its servers (every copy of an entry for itself) the
/// resource nodes; a user's `tasks` limits how many it has. Weights other than 1, placement constraints and
/// demands per server are refused. Errors: those; a crash, pause … of who is not there; more than 1,000,000
/// servers. Broken promises are no error: OverlayRun::violations.
///
/// Cost: some 1 µs a message of processor time, and some 2 KB of memory a server
/// (docs/explanation/performance.md); `threads` runs at a time.
Result<std::vector<OverlayRun>> run_overlay(const Problem& cluster, const OverlayScenario& scenario,
                                            std::uint64_t seed, int threads, const Progress& progress = {});

// ---- search for what breaks

/// What is tried. A run of 100 servers and 1,000 ticks takes some 0.4 s of processor time.
struct SearchOptions {
  std::uint64_t first_seed = 1;
  std::int64_t seeds = 100;   ///< how many, from the first on
  std::uint32_t nodes = 100;  ///< servers, ≥ 2
  std::uint32_t users = 20;   ///< ≥ 1
  std::uint32_t ticks =
      1000;  ///< ≥ 10; from 400 on liveness can be seen to break (docs/explanation/overlay-faults.md)
  overlay::Scheduler scheduler = overlay::Scheduler::pdgdrf;
  int threads = 1;
};

/// What the scenario file of a find calls its cluster file.
inline constexpr const char* kReplayCluster = "found-cluster.yaml";

/// What was found: the smallest plan of faults that still breaks a promise.
struct SearchFind {
  std::uint64_t seed = 1;
  Violation violation;
  Faults faults;                                  ///< as drawn
  Faults shrunk;                                  ///< as small as could be made
  Latency latency;                                ///< of the shrunk run
  overlay::WireLimits wire;                       ///< of the shrunk run
  std::uint32_t nodes = 0, users = 0, ticks = 0;  ///< of the shrunk run
  std::string replay;   ///< the scenario file (YAML) that shows it, on the cluster file kReplayCluster
  std::string cluster;  ///< that file
};

/// Sums over the runs that were tried: all seeds, or those up to the one with a find.
struct SearchOutcome {
  std::int64_t tried = 0;  ///< seeds
  std::int64_t messages = 0;
  std::int64_t crashes = 0, partitions = 0, lost = 0, duplicated = 0;  ///< the last two: messages
  std::int64_t placements = 0, ends = 0, restarts = 0;                 ///< of tasks, as their users know
  std::int64_t live = 0;           ///< runs that were promised liveness and long enough to see it broken
  std::optional<SearchFind> find;  ///< of the lowest seed that breaks a promise
};

/// Draws a cluster and a plan of faults from each seed, runs it, and checks every promise after every event;
/// stops at the first that is broken and makes it small, by further runs. The outcome does not depend
/// on `threads`.
SearchOutcome search_overlay(const SearchOptions& options, const Progress& progress = {});

}  // namespace mirab::simulation
