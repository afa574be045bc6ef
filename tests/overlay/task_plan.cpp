#include "overlay/task_plan.hpp"

#include <mirab/model/random.hpp>

namespace mirab::overlay {

TaskPlan nasty_plan(std::uint64_t seed) {
  Random random(seed * 7919 + 1);
  const auto up_to = [&](double most) { return random.below(3) == 0 ? 0.0 : most * random.unit(); };
  TaskPlan plan{.seed = seed};
  plan.servers = 1 + static_cast<NodeId>(random.below(4));
  plan.users = 1 + static_cast<NodeId>(random.below(4));
  plan.runtime = random.below(4) == 0 ? 0 : 5 + static_cast<std::uint32_t>(random.below(60));
  plan.tasks = plan.runtime == 0 ? 1 : 5 + random.below(20);
  plan.lease = 24 + static_cast<std::uint32_t>(random.below(60));
  plan.loss = up_to(0.5);
  plan.duplicate = up_to(0.4);
  plan.late = up_to(0.6);
  plan.crash = up_to(0.02);
  plan.memory_lost = up_to(1);
  plan.gone_for_good = up_to(0.2);
  plan.cut = up_to(0.05);
  plan.pause = up_to(0.02);
  plan.leaves = random.below(4) == 0;
  plan.skew = plan.allowed = static_cast<std::uint32_t>(random.below(19));
  return plan;
}

TaskPlan plan_without_leases(std::uint64_t seed) {
  TaskPlan plan = nasty_plan(seed);
  plan.lease = 0;
  plan.memory_lost = plan.gone_for_good = 0;
  return plan;
}

}  // namespace mirab::overlay
