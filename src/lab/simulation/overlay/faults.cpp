// When what goes wrong, and who is cut off.
#include "lab/simulation/overlay/faults.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lab/simulation/base/replications.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using What = Change::What;

// `count` of `all`, drawn without replacement.
std::vector<bool> drawn_part(NodeId all, NodeId count, Random random) {
  std::vector<bool> inside(all, false);
  std::vector<NodeId> order(all);
  std::iota(order.begin(), order.end(), NodeId{0});
  for (NodeId i = 0; i < count; ++i) {
    std::swap(order[i], order[i + random.below(all - i)]);
    inside[order[i]] = true;
  }
  return inside;
}

// At least one, if any are meant.
NodeId part_of(NodeId all, double part) {
  return part > 0 ? std::max<NodeId>(static_cast<NodeId>(std::lround(part * all)), 1) : 0;
}

// Of the servers the smaller side is inside, and not all where there are two.
std::vector<bool> inside_of(const Partition& partition, const Roster& roster, std::uint64_t seed,
                            std::uint64_t index) {
  const NodeId servers = roster.servers();
  const NodeId cut = std::min(part_of(servers, partition.nodes), std::max<NodeId>(servers - 1, 1));
  std::vector<bool> inside = drawn_part(servers, cut, stream(seed, "partitions", {index}));
  if (2 * cut > servers) inside.flip();
  const std::vector<bool> users = drawn_part(roster.users(), part_of(roster.users(), partition.users),
                                             stream(seed, "cut users", {index}));
  inside.insert(inside.end(), users.begin(), users.end());
  inside.resize(roster.nodes(), partition.gateway == Partition::Side::inside);
  return inside;
}

class Planner {
 public:
  explicit Planner(Time origin) : origin_(origin) {}

  template <class Item>
  void spans(const std::vector<Item>& items, What begin, What end) {
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      add(items[i].from, begin, i);
      add(items[i].to, end, i);
    }
  }
  template <class Item>
  void moments(const std::vector<Item>& items, What what) {
    for (std::uint32_t i = 0; i < items.size(); ++i) add(items[i].at, what, i);
  }
  void add(Duration at, What what, std::uint32_t index) { changes_.push_back({origin_ + at, what, index}); }

  std::vector<Change> in_order() && {
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      return a.at != b.at ? a.at < b.at : a.what < b.what;
    });
    return std::move(changes_);
  }

 private:
  Time origin_;
  std::vector<Change> changes_;
};

}  // namespace

FaultPlan plan_of(const OverlayScenario& scenario, const Roster& roster, std::uint64_t seed, Time origin) {
  const Faults& faults = scenario.faults;
  Planner planner(origin);
  planner.spans(faults.partitions, What::cut, What::heal);
  planner.moments(faults.crashes, What::crash);
  for (std::uint32_t i = 0; i < faults.crashes.size(); ++i)
    if (faults.crashes[i].back) planner.add(*faults.crashes[i].back, What::back, i);
  planner.spans(faults.slow, What::slow, What::fast);
  planner.moments(faults.joins, What::join);
  planner.moments(faults.leaves, What::leave);
  planner.moments(faults.restarts, What::restart);
  planner.spans(scenario.pauses, What::pause, What::resume);

  FaultPlan plan{.changes = std::move(planner).in_order(), .inside = {}};
  for (std::uint64_t p = 0; p < faults.partitions.size(); ++p)
    plan.inside.push_back(inside_of(faults.partitions[p], roster, seed, p));
  return plan;
}

// The bounds that docs/explanation/overlay-faults.md states, each a sum of the patiences that it is made of,
// in ticks:
//
//   held       held + 2: the host's timer, and the tick that sees it
//   agreed     r · again + 9/4 lease + home, and 4 lives of a message, by any clocks: the user asks again and
//              again; a host that is gone is given up (docs/explanation/overlay-safety.md)
//   placement  user + walk + held + 8 home + 2 oldest / shuffles per tick + r · again: the old home forgets
//              the user that left it, a walk that was lost is given up, reservations for no user are given
//              back, a user finds a home that lives (of 8 that the gateway names, one does), the views lose
//              who is gone, and everything is sent again.
//
// r = 3 where messages arrive; where a part p of them is lost without end, question and answer arrive with
// q = (1 - p)², and r = ⌈ln 10⁻⁹ / ln(1 - q)⌉.

namespace {

double repetitions(const Faults& faults) {
  constexpr double kFew = 3;  // where messages arrive one is enough; others for those cut off by a fault
  constexpr double kUnanswered = 1e-9;  // probability: once in a billion exchanges a bound is too tight
  const double lost = 1 - (1 - faults.loss) * (1 - faults.corrupt);
  if (faults.until > Duration::zero() || lost == 0) return kFew;
  const double answered = (1 - lost) * (1 - lost);
  return std::max(kFew, std::ceil(std::log(kUnanswered) / std::log1p(-answered)));
}

Duration ticks(double count, Duration tick) {
  return Duration(static_cast<Duration::rep>(std::ceil(count * static_cast<double>(tick.count()))));
}

}  // namespace

Bounds bounds_for(const overlay::OverlayOptions& options, const OverlayScenario& scenario) {
  const overlay::Patience& patience = options.patience;
  const double asked = repetitions(scenario.faults) * patience.again;
  const double aged = 2.0 * options.gossip.oldest / scenario.shuffles_per_tick;
  const double placed = patience.user + patience.walk + patience.held + 8.0 * patience.home + aged + asked;
  return {.held = ticks(patience.held + 2.0, scenario.tick),
          .agreed = ticks(asked + 2.25 * patience.lease + patience.home, scenario.tick) +
                    4 * (scenario.wire.lifetime + scenario.wire.skew),
          .placement = ticks(placed, scenario.tick)};
}

Duration last_fault(const Faults& faults) {
  Duration last = faults.until;
  for (const Partition& partition : faults.partitions) last = std::max(last, partition.to);
  for (const Crash& crash : faults.crashes) last = std::max(last, crash.back.value_or(crash.at));
  for (const Slow& slow : faults.slow) last = std::max(last, slow.to);
  for (const Join& join : faults.joins) last = std::max(last, join.at);
  for (const Leave& leave : faults.leaves) last = std::max(last, leave.at);
  for (const Restart& restart : faults.restarts) last = std::max(last, restart.at);
  return last;
}

double slowest(const Faults& faults, std::uint32_t node) {
  double most = 1;
  for (const Slow& begun : faults.slow) {
    double together = 1;
    for (const Slow& slow : faults.slow)
      if (slow.node == node && slow.from <= begun.from && begun.from < slow.to) together *= slow.factor;
    most = std::max(most, together);
  }
  return most;
}

}  // namespace mirab::simulation
