// When what goes wrong, and who is cut off.
#include "simulation/overlay/fault_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "simulation/streams.hpp"

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

}  // namespace mirab::simulation
