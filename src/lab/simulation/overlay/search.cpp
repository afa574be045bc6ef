// The search for faults that break a promise: trials are drawn from seeds, run under watch, and the first one
// that fails is made as small as possible.
#include "lab/simulation/overlay/search.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include <mirab/model/cluster_file.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/base/replications.hpp"

namespace mirab::simulation {

// What a search tries: everything that may go wrong, more often than it ever would, and all at once.
//
// Every part is drawn from a stream of its own, so that a change of one reshuffles no other. All times are
// whole ticks: a plan that is written down and read back is the same.

namespace {

constexpr Duration kTick = std::chrono::milliseconds(100);  // the default of a scenario
constexpr std::size_t kResources = 2;  // the fewest with which a user's dominant resource can differ

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

bool search_chance(Random& random, double part) { return random.unit() < part; }

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

/// In half of the trials so little patience that liveness (faults.hpp) is watched from 192 ticks after the
/// last fault on instead of 376.
overlay::OverlayOptions draw_options(Random random, Random confirm) {
  using namespace overlay;
  OverlayOptions options;
  options.patience = {.again = 4, .held = 16, .walk = 60, .home = 16, .user = 60, .lease = 0};
  if (search_chance(random, 0.5)) {
    options.patience = {.again = 4, .held = 12, .walk = 40, .home = 8, .user = 24, .lease = 0};
    options.gossip.oldest = 20;
  }
  if (search_chance(random, 0.5)) options.patience.lease = 40;
  options.search = static_cast<Search>(between(random, 0, 2));
  options.idle = search_chance(random, 0.5) ? Idle::block : Idle::skip;
  options.rise = search_chance(random, 0.5) ? Rise::gossip : Rise::climb;
  options.confirm = search_chance(confirm, 0.5) ? Confirm::all : Confirm::lowest;
  return options;
}

/// Draws a plan of faults for a run of this many ticks.
class SearchPlanner {
 public:
  SearchPlanner(const SearchOptions& options, Random random)
      : nodes_(options.nodes), ticks_(options.ticks), random_(std::move(random)), unused_(nodes_ - 1) {
    std::iota(unused_.begin(), unused_.end(), 1U);
    for (std::size_t i = unused_.size(); i > 1; --i) std::swap(unused_[i - 1], unused_[random_.below(i)]);
  }

  Faults draw() {
    Faults faults;
    faults.loss = search_chance(random_, 0.8) ? 0.10 : hundredths(random_, 10);
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
    const auto memory = [&] { return search_chance(random_, 0.5) ? Memory::kept : Memory::lost; };
    Crash first{.at = early(), .node = node, .back = {}, .memory = memory()};
    if (search_chance(random_, 0.8)) first.back = after(first.at);
    crashes.push_back(first);
    if (!first.back || *first.back >= calm() - 2 * kTick || search_chance(random_, 0.7)) return;
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
    if (search_chance(random, 0.5)) partition.users = 0.05 + hundredths(random, 90);
    if (search_chance(random, 0.25)) partition.gateway = Partition::Side::inside;
    if (partition.users > 0 && search_chance(random, 0.25)) partition.nodes = 0;
  }
  for (std::int64_t i = between(random, 0, 3) - 1; i > 0; --i)
    faults.restarts.push_back({between(random, 0, options.ticks * 35 / 100) * kTick});
}

/// In half of the trials clocks that differ by ticks; in half of those some messages take as long as they
/// may, so that tasks lose their leases hardly before their users rely on it
/// (docs/explanation/overlay-safety.md).
void draw_clocks(Random random, OverlayScenario& scenario) {
  if (search_chance(random, 0.5)) return;
  scenario.wire.skew = between(random, 1, 10) * kTick;
  if (search_chance(random, 0.5)) return;
  scenario.latency.max = between(random, 1, 2) * kTick / 10;
  // What is held back is as old at the most, by a clock that is ahead.
  scenario.wire.lifetime = 10 * scenario.latency.max + scenario.wire.skew;
}

/// Many short tasks and a lease, so that users and hosts talk all the time; in half of those trials nothing
/// goes wrong but what is planned for a moment, so that what is lost then is not heard of by chance, and
/// partitions that are longer than the lease cut users off from the gateway too, which then keep their homes.
void draw_request_burst(Random& random, const SearchOptions& options, OverlayScenario& scenario) {
  overlay::Patience& patience = scenario.rules.front().options.patience;
  patience.lease = 80;
  scenario.runtime = between(random, 30, 100) * kTick;
  if (search_chance(random, 0.5)) return;
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
  const bool has_burst = search_chance(bustle, 0.25);
  Trial trial{.cluster = draw_cluster(options, has_burst, stream(seed, "search cluster")),
              .scenario = {},
              .seed = seed};
  OverlayScenario& scenario = trial.scenario;
  scenario.rules = {
      {options.scheduler, draw_options(stream(seed, "search options"), stream(seed, "search confirm"))}};
  scenario.names = {std::string(overlay::row_of(options.scheduler).name)};
  scenario.tick = kTick;
  scenario.warm_up = 30;
  scenario.duration = options.ticks * kTick;
  scenario.faults = SearchPlanner(options, stream(seed, "search faults")).draw();
  draw_gateway_faults(options, stream(seed, "search gateway"), scenario.faults);
  draw_clocks(stream(seed, "search clocks"), scenario);

  Random random = stream(seed, "search traffic");
  if (search_chance(random, 0.5)) scenario.runtime = between(random, 50, 300) * kTick;
  for (std::int64_t i = between(random, 0, 2); i > 0 && options.users >= 2; --i) {
    const Duration from = between(random, 0, options.ticks / 3) * kTick;
    const auto length = between(random, 1, std::max(1U, options.ticks / 8)) * kTick;
    scenario.pauses.push_back({from, from + length, fmt::format("u{}", i - 1)});
  }
  if (has_burst) draw_request_burst(bustle, options, scenario);
  return trial;
}

// A step proposes a smaller trial; it is taken when that breaks the same promise. Steps that leave out most
// come first, and the run ends behind the violation after each, so that the many small steps at the end
// cost little. A smaller world draws other random numbers: where it does not break with the seed of the
// larger one, a few others are tried.

namespace {

constexpr std::uint64_t kSeeds = 6;  // that a smaller cluster is tried with: each costs a run of kTries

/// Servers from `nodes` on go, and what was to happen to them.
void keep_nodes(Trial& trial, std::uint32_t nodes) {
  trial.cluster.servers.resize(nodes);
  const auto gone = [&](const auto& fault) { return fault.node >= nodes; };
  Faults& faults = trial.scenario.faults;
  std::erase_if(faults.crashes, gone);
  std::erase_if(faults.slow, gone);
  std::erase_if(faults.joins, gone);
  std::erase_if(faults.leaves, gone);
}

void keep_users(Trial& trial, std::uint32_t users) {
  trial.cluster.users.resize(users);
  std::erase_if(trial.scenario.pauses, [&](const UserPause& pause) {
    return std::none_of(trial.cluster.users.begin(), trial.cluster.users.end(),
                        [&](const User& user) { return user.name == pause.user; });
  });
}

class Shrinker {
 public:
  Shrinker(Trial trial, Violation violation, const Breaks& breaks, std::size_t tries)
      : now_{std::move(trial), std::move(violation), 0}, breaks_(breaks), tries_(tries) {}

  Shrunk run() {
    end_early();
    bool smaller = true;
    while (smaller && now_.tries < tries_) {
      smaller = false;
      for (const auto step : kSteps) smaller = (this->*step)() || smaller;
    }
    return std::move(now_);
  }

 private:
  /// Does it break the same promise? A scenario file may not have a partition that cuts no node off.
  bool take(Trial trial) {
    if (now_.tries >= tries_ || check(trial.scenario)) return false;
    ++now_.tries;
    std::optional<Violation> violation = breaks_(trial);
    if (!violation || violation->promise != now_.violation.promise) return false;
    now_.trial = std::move(trial);
    now_.violation = std::move(*violation);
    return true;
  }
  /// A change that may make it smaller; as it is, it is not.
  template <class Change>
  bool change(const Change& apply) {
    Trial trial = now_.trial;
    apply(trial);
    return take(std::move(trial));
  }
  template <class Of, class Value>
  bool set(const Of& of, const Value& value) {
    if (of(now_.trial) == value) return false;
    return change([&](Trial& trial) { of(trial) = value; });
  }

  // The run ends with the tick of the violation.
  bool end_early() {
    const Duration tick = now_.trial.scenario.tick;
    const Duration end = (now_.violation.at / tick + 1) * tick;
    if (end >= *now_.trial.scenario.duration) return false;
    return change([&](Trial& trial) { trial.scenario.duration = end; });
  }

  // Parts of the list go, the largest first.
  template <class Item>
  bool drop(std::vector<Item>& (*of)(Trial&)) {
    bool smaller = false;
    for (std::size_t part = of(now_.trial).size(); part >= 1; part /= 2) {
      for (std::size_t from = 0; from < of(now_.trial).size();) {
        const bool gone = change([&](Trial& trial) {
          std::vector<Item>& items = of(trial);
          const std::size_t to = std::min(from + part, items.size());
          items.erase(items.begin() + static_cast<std::ptrdiff_t>(from),
                      items.begin() + static_cast<std::ptrdiff_t>(to));
        });
        if (gone) {
          smaller = true;
          end_early();
        } else {
          from += part;
        }
      }
    }
    return smaller;
  }

  /// By half, by a quarter, by one, as long as it still breaks, with this seed or a few others.
  bool fewer(std::uint32_t (Trial::*count)() const, void (*keep)(Trial&, std::uint32_t)) {
    bool smaller = false;
    while (fewer_once((now_.trial.*count)(), keep)) smaller = true;
    return smaller;
  }
  bool fewer_once(std::uint32_t count, void (*keep)(Trial&, std::uint32_t)) {
    for (const std::uint32_t kept : {count / 2, count / 4 * 3, count - 1}) {
      if (kept == 0 || kept >= count) continue;
      for (std::uint64_t other = 0; other < kSeeds; ++other) {
        const bool smaller = change([&](Trial& trial) {
          keep(trial, kept);
          trial.seed += other;
        });
        if (smaller) return end_early(), true;
      }
    }
    return false;
  }

  bool lists() {
    bool smaller = drop<Crash>([](Trial & t) -> auto& { return t.scenario.faults.crashes; });
    smaller |= drop<Partition>([](Trial & t) -> auto& { return t.scenario.faults.partitions; });
    smaller |= drop<Slow>([](Trial & t) -> auto& { return t.scenario.faults.slow; });
    smaller |= drop<Join>([](Trial & t) -> auto& { return t.scenario.faults.joins; });
    smaller |= drop<Leave>([](Trial & t) -> auto& { return t.scenario.faults.leaves; });
    smaller |= drop<Restart>([](Trial & t) -> auto& { return t.scenario.faults.restarts; });
    smaller |= drop<UserPause>([](Trial & t) -> auto& { return t.scenario.pauses; });
    return smaller;
  }
  /// A partition cuts off no more kinds of nodes than it must.
  bool partitions() {
    bool smaller = false;
    for (std::size_t i = 0; i < now_.trial.scenario.faults.partitions.size(); ++i) {
      const auto partition = [i](Trial & t) -> auto& { return t.scenario.faults.partitions[i]; };
      smaller |= set(
          [&](Trial & t) -> auto& { return partition(t).users; }, 0);
      smaller |= set(
          [&](Trial & t) -> auto& { return partition(t).gateway; }, Partition::Side::outside);
      smaller |= set(
          [&](Trial & t) -> auto& { return partition(t).nodes; }, 0);
    }
    return smaller;
  }
  bool chances() {
    bool smaller = set(
        [](Trial & t) -> auto& { return t.scenario.faults.corrupt; }, 0);
    smaller |= set(
        [](Trial & t) -> auto& { return t.scenario.faults.reorder; }, 0);
    smaller |= set(
        [](Trial & t) -> auto& { return t.scenario.faults.duplicate; }, 0);
    smaller |= set(
        [](Trial & t) -> auto& { return t.scenario.faults.loss; }, 0);
    return smaller;
  }
  /// Clocks that agree, and messages that live and take as long as in a scenario that says nothing of them.
  bool clocks_and_messages() {
    static const OverlayScenario kUsual;
    bool smaller = set(
        [](Trial & t) -> auto& { return t.scenario.wire.skew; }, Duration::zero());
    smaller |= set(
        [](Trial & t) -> auto& { return t.scenario.wire.lifetime; }, kUsual.wire.lifetime);
    smaller |= set(
        [](Trial & t) -> auto& { return t.scenario.latency.max; }, kUsual.latency.max);
    return smaller;
  }
  bool nodes() { return fewer(&Trial::nodes, keep_nodes); }
  bool users() { return fewer(&Trial::users, keep_users); }
  bool traffic() {
    return set(
        [](Trial & t) -> auto& { return t.scenario.runtime; }, std::nullopt);
  }

  static constexpr bool (Shrinker::*kSteps[])() = {&Shrinker::nodes,   &Shrinker::users,
                                                   &Shrinker::lists,   &Shrinker::partitions,
                                                   &Shrinker::chances, &Shrinker::clocks_and_messages,
                                                   &Shrinker::traffic, &Shrinker::end_early};

  Shrunk now_;
  const Breaks& breaks_;
  std::size_t tries_;
};

}  // namespace

Shrunk shrink_trial(const Trial& trial, const Violation& violation, const Breaks& breaks, std::size_t tries) {
  return Shrinker(trial, violation, breaks, tries).run();
}

// Looks for what breaks a promise: draws a trial from each seed and runs it under watch; the first that
// breaks one, which is the one of the lowest seed whatever the number of threads, is made small.
//
// Cost: about 5 messages a node and tick, so half a second for 100 nodes and 1,000 ticks; making small takes
// 500 runs at most, nearly all of them shorter.

namespace {

constexpr std::size_t kTries = 500;   // runs: a limit on time, as above
constexpr std::size_t kBatch = 1024;  // trials whose outcomes are kept until they are added up

std::uint64_t seed_of(const SearchOptions& options, std::size_t index) { return options.first_seed + index; }

/// Outcomes of `count` trials from the first on, up to the first that breaks a promise; those behind it may
/// not have run.
std::vector<TrialOutcome> run_batch(const SearchOptions& options, std::size_t first, std::size_t count,
                                    const Progress& progress) {
  std::vector<TrialOutcome> outcomes(count);
  std::atomic<std::size_t> broken = count;
  sweep(
      count, options.threads,
      [&](std::size_t index) {
        if (index > broken) return;
        outcomes[index] = run_trial(draw_trial(options, seed_of(options, first + index)));
        if (!outcomes[index].violation) return;
        for (std::size_t lowest = broken; index < lowest && !broken.compare_exchange_weak(lowest, index);) {
        }
      },
      progress);
  if (broken < count) outcomes.resize(broken + 1);
  return outcomes;
}

void add(const TrialOutcome& run, SearchOutcome& outcome) {
  ++outcome.tried;
  outcome.messages += run.messages;
  outcome.lost += run.lost;
  outcome.duplicated += run.duplicated;
  outcome.crashes += run.crashes;
  outcome.partitions += run.partitions;
  outcome.placements += run.placements;
  outcome.ends += run.ends;
  outcome.restarts += run.restarts;
  outcome.live += run.live ? 1 : 0;
}

SearchFind made_small(const SearchOptions& options, std::uint64_t seed, const Violation& violation) {
  const Trial drawn = draw_trial(options, seed);
  const auto breaks = [](const Trial& trial) { return run_trial(trial).violation; };
  const Shrunk small = shrink_trial(drawn, violation, breaks, kTries);
  return {.seed = seed,
          .violation = small.violation,
          .faults = drawn.scenario.faults,
          .shrunk = small.trial.scenario.faults,
          .latency = small.trial.scenario.latency,
          .wire = small.trial.scenario.wire,
          .nodes = small.trial.nodes(),
          .users = small.trial.users(),
          .ticks = small.trial.ticks(),
          .replay = write_overlay_yaml(small.trial, kReplayCluster,
                                       {small.violation.promise + ": " + small.violation.what}),
          .cluster = write_cluster_yaml(small.trial.cluster)};
}

}  // namespace

SearchOutcome search_overlay(const SearchOptions& options, const Progress& progress) {
  const auto seeds = static_cast<std::size_t>(options.seeds);
  SearchOutcome outcome;
  for (std::size_t first = 0; first < seeds && !outcome.find; first += kBatch) {
    const std::size_t count = std::min(kBatch, seeds - first);
    const auto told = [&](double part) {
      if (progress)
        progress((static_cast<double>(first) + part * static_cast<double>(count)) /
                 static_cast<double>(seeds));
    };
    const std::vector<TrialOutcome> runs = run_batch(options, first, count, told);
    for (const TrialOutcome& run : runs) add(run, outcome);
    if (runs.back().violation)
      outcome.find = made_small(options, seed_of(options, first + runs.size() - 1), *runs.back().violation);
  }
  if (progress) progress(1);
  return outcome;
}

}  // namespace mirab::simulation
