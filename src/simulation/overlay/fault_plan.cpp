// When what goes wrong, and who is cut off.
#include "simulation/overlay/fault_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "simulation/streams.hpp"

namespace mirab::simulation {
namespace {

using What = Change::What;

// At least one server, and not all where there are two: drawn without replacement. Who is inside is the
// smaller side, so that users and the gateway, outside, are on the larger one.
std::vector<bool> drawn_part(overlay::NodeId servers, double part, Random random) {
  std::vector<bool> inside(servers, false);
  std::vector<overlay::NodeId> order(servers);
  std::iota(order.begin(), order.end(), overlay::NodeId{0});
  const auto wanted = static_cast<overlay::NodeId>(std::lround(part * servers));
  const overlay::NodeId count =
      std::clamp<overlay::NodeId>(wanted, 1, std::max<overlay::NodeId>(servers - 1, 1));
  for (overlay::NodeId i = 0; i < count; ++i) {
    std::swap(order[i], order[i + random.below(servers - i)]);
    inside[order[i]] = true;
  }
  if (2 * count > servers) inside.flip();
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

FaultPlan plan_of(const OverlayScenario& scenario, overlay::NodeId servers, std::uint64_t seed, Time origin) {
  const Faults& faults = scenario.faults;
  Planner planner(origin);
  planner.spans(faults.partitions, What::cut, What::heal);
  planner.moments(faults.crashes, What::crash);
  for (std::uint32_t i = 0; i < faults.crashes.size(); ++i)
    if (faults.crashes[i].back) planner.add(*faults.crashes[i].back, What::back, i);
  planner.spans(faults.slow, What::slow, What::fast);
  planner.moments(faults.joins, What::join);
  planner.moments(faults.leaves, What::leave);
  planner.spans(scenario.pauses, What::pause, What::resume);

  FaultPlan plan{.changes = std::move(planner).in_order(), .inside = {}};
  for (std::uint64_t p = 0; p < faults.partitions.size(); ++p)
    plan.inside.push_back(drawn_part(servers, faults.partitions[p].nodes, stream(seed, "partitions", {p})));
  return plan;
}

}  // namespace mirab::simulation
