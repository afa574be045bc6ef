// What a search tries: everything that may go wrong, more often than it ever would, and all at once.
//
// Every part is drawn from a stream of its own, so that a change of one reshuffles no other. All times are
// whole ticks: a plan that is written down and read back is the same.

#include "simulation/overlay/draw_faults.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include <mirab/overlay/scheduler.hpp>

#include "simulation/streams.hpp"

namespace mirab::simulation {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(100);
constexpr std::size_t kResources = 2;

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

bool chance(Random& random, double part) { return random.unit() < part; }

/// In hundredths, up to `most`.
double hundredths(Random& random, std::int64_t most) {
  return static_cast<double>(between(random, 0, most)) / 100;
}

/// Room for few tasks in some trials, so that it fills, and for many in others.
Cluster draw_cluster(const SearchOptions& options, bool bustle, Random random) {
  const std::int64_t room = between(random, 4, 24) * (bustle ? 16 : 1);
  const auto amounts = [&](std::int64_t low, std::int64_t high) {
    ResourceVector drawn;
    for (std::size_t r = 0; r < kResources; ++r) drawn.emplace_back(between(random, low, high));
    return drawn;
  };
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (std::uint32_t l = 0; l < options.nodes; ++l)
    cluster.servers.push_back({.name = fmt::format("s{}", l), .capacity = amounts(room / 2, room)});
  for (std::uint32_t n = 0; n < options.users; ++n)
    cluster.users.push_back({.name = fmt::format("u{}", n), .demand = amounts(1, 3)});
  return cluster;
}

/// In half of the trials so little patience that liveness (bounds.hpp) is watched from 192 ticks after the
/// last fault on instead of 376.
overlay::OverlayOptions draw_options(Random random, Random confirm) {
  using namespace overlay;
  OverlayOptions options;
  options.patience = {.again = 4, .held = 16, .walk = 60, .home = 16, .user = 60, .lease = 0};
  if (chance(random, 0.5)) {
    options.patience = {.again = 4, .held = 12, .walk = 40, .home = 8, .user = 24, .lease = 0};
    options.gossip.oldest = 20;
  }
  if (chance(random, 0.5)) options.patience.lease = 40;
  options.search = static_cast<Search>(between(random, 0, 2));
  options.idle = chance(random, 0.5) ? Idle::block : Idle::skip;
  options.rise = chance(random, 0.5) ? Rise::gossip : Rise::climb;
  options.confirm = chance(confirm, 0.5) ? Confirm::all : Confirm::lowest;
  return options;
}

/// Draws a plan of faults for a run of so many ticks.
class Planner {
 public:
  Planner(const SearchOptions& options, Random random)
      : nodes_(options.nodes), ticks_(options.ticks), random_(std::move(random)), unused_(nodes_ - 1) {
    std::iota(unused_.begin(), unused_.end(), 1U);
    for (std::size_t i = unused_.size(); i > 1; --i) std::swap(unused_[i - 1], unused_[random_.below(i)]);
  }

  Faults draw() {
    Faults faults;
    faults.loss = chance(random_, 0.8) ? 0.10 : hundredths(random_, 10);
    faults.duplicate = hundredths(random_, 5);
    faults.reorder = hundredths(random_, 10);
    faults.corrupt = hundredths(random_, 2);
    faults.until = calm();
    for (std::int64_t i = between(random_, 0, 3); i > 0; --i) faults.partitions.push_back(partition());
    for (std::int64_t i = up_to(10); i > 0 && !unused_.empty(); --i) crash(faults.crashes);
    for (std::int64_t i = up_to(20); i > 0; --i) faults.slow.push_back(slow());
    for (std::int64_t i = up_to(20); i > 0 && !unused_.empty(); --i)
      faults.joins.push_back({.at = early(), .node = unused()});
    for (std::int64_t i = up_to(20); i > 0 && !unused_.empty(); --i)
      faults.leaves.push_back({.at = early(), .node = unused()});
    return faults;
  }

 private:
  Duration calm() const { return ticks_ / 2 * kTick; }
  /// A moment in the first 0.35 of the run.
  Duration early() { return between(random_, 0, ticks_ * 35 / 100) * kTick; }
  /// Later than `from`, by up to 0.15 of the run.
  Duration after(Duration from) {
    return from + between(random_, 1, std::max(1U, ticks_ * 15 / 100)) * kTick;
  }
  /// One in `part` of the servers at most, or one.
  std::int64_t up_to(std::uint32_t part) { return between(random_, 0, std::max(1U, nodes_ / part)); }
  std::uint32_t unused() {
    const std::uint32_t node = unused_.back();
    unused_.pop_back();
    return node;
  }

  Partition partition() {
    const Duration from = early();
    const Duration to = after(from);
    return {.from = from, .to = to, .nodes = 0.05 + hundredths(random_, 40)};
  }
  // Comes back, mostly; sometimes to crash again.
  void crash(std::vector<Crash>& crashes) {
    const std::uint32_t node = unused();
    const auto memory = [&] { return chance(random_, 0.5) ? Memory::kept : Memory::lost; };
    Crash first{.at = early(), .node = node, .back = {}, .memory = memory()};
    if (chance(random_, 0.8)) first.back = after(first.at);
    crashes.push_back(first);
    if (!first.back || *first.back >= calm() - 2 * kTick || chance(random_, 0.7)) return;
    const Duration again = *first.back + kTick;
    crashes.push_back(
        {.at = again, .node = node, .back = std::min(after(again), calm()), .memory = memory()});
  }
  Slow slow() {
    const Duration from = early();
    const Duration to = after(from);
    return {.from = from,
            .to = to,
            .node = static_cast<std::uint32_t>(random_.below(nodes_)),
            .factor = static_cast<double>(between(random_, 2, 5))};
  }

  std::uint32_t nodes_, ticks_;
  Random random_;
  std::vector<std::uint32_t> unused_;  // servers that nothing happens to yet, but server 0
};

/// Who else the partitions cut off; and the gateway and the bootstrap server forget all, mostly not.
void draw_gateway_faults(const SearchOptions& options, Random random, Faults& faults) {
  for (Partition& partition : faults.partitions) {
    if (chance(random, 0.5)) partition.users = 0.05 + hundredths(random, 90);
    if (chance(random, 0.25)) partition.gateway = Partition::Side::inside;
    if (partition.users > 0 && chance(random, 0.25)) partition.nodes = 0;
  }
  for (std::int64_t i = between(random, 0, 3) - 1; i > 0; --i)
    faults.restarts.push_back({between(random, 0, options.ticks * 35 / 100) * kTick});
}

/// In half of the trials clocks that differ by ticks; in half of those some messages take as long as they
/// may, so that tasks lose their leases hardly before their users rely on it (docs/overlay-safety.md).
void draw_clocks(Random random, OverlayScenario& scenario) {
  if (chance(random, 0.5)) return;
  scenario.wire.skew = between(random, 1, 10) * kTick;
  if (chance(random, 0.5)) return;
  scenario.latency.max = between(random, 1, 2) * kTick / 10;
  // What is held back is as old at the most, by a clock that is ahead.
  scenario.wire.lifetime = 10 * scenario.latency.max + scenario.wire.skew;
}

/// Many short tasks and a lease, so that users and hosts talk all the time; in half of those trials nothing
/// goes wrong but what is planned for a moment, so that what is lost then is not heard of by chance, and
/// partitions that are longer than the lease cut users off from the gateway too, which then keep their homes.
void draw_bustle(Random& random, const SearchOptions& options, OverlayScenario& scenario) {
  overlay::Patience& patience = scenario.rules.front().options.patience;
  patience.lease = 80;
  scenario.runtime = between(random, 30, 100) * kTick;
  if (chance(random, 0.5)) return;
  Faults& faults = scenario.faults;
  faults.loss = faults.duplicate = faults.reorder = faults.corrupt = 0;
  faults.until = Duration::zero();
  for (Partition& partition : faults.partitions) {
    partition.gateway = Partition::Side::inside;
    partition.to = std::min(partition.to + 2 * patience.lease * kTick, options.ticks / 2 * kTick);
  }
}

}  // namespace

Trial draw_trial(const SearchOptions& options, std::uint64_t seed) {
  Random bustle = stream(seed, "search bustle");
  const bool bustles = chance(bustle, 0.25);
  Trial trial{.cluster = draw_cluster(options, bustles, stream(seed, "search cluster")),
              .scenario = {},
              .seed = seed};
  OverlayScenario& scenario = trial.scenario;
  scenario.rules = {
      {options.scheduler, draw_options(stream(seed, "search options"), stream(seed, "search confirm"))}};
  scenario.names = {std::string(overlay::row_of(options.scheduler).name)};
  scenario.tick = kTick;
  scenario.warm_up = 30;
  scenario.duration = options.ticks * kTick;
  scenario.faults = Planner(options, stream(seed, "search faults")).draw();
  draw_gateway_faults(options, stream(seed, "search gateway"), scenario.faults);
  draw_clocks(stream(seed, "search clocks"), scenario);

  Random random = stream(seed, "search traffic");
  if (chance(random, 0.5)) scenario.runtime = between(random, 50, 300) * kTick;
  for (std::int64_t i = between(random, 0, 2); i > 0 && options.users >= 2; --i) {
    const Duration from = between(random, 0, options.ticks / 3) * kTick;
    const auto length = between(random, 1, std::max(1U, options.ticks / 8)) * kTick;
    scenario.pauses.push_back({from, from + length, fmt::format("u{}", i - 1)});
  }
  if (bustles) draw_bustle(bustle, options, scenario);
  return trial;
}

}  // namespace mirab::simulation
