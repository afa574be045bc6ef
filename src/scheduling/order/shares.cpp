// What the discipline compares users by, kept up to date with the events.
#include "scheduling/order/shares.hpp"

#include <algorithm>

namespace mirab::scheduling {

Shares::Shares(const Ledger& ledger, const Discipline& of, fairness::ShareScale scale,
               std::optional<Duration> half_life)
    : discipline(&of),
      context{.ledger = ledger,
              .server_classes = ledger.server_classes,
              .rounds = Rounds(ledger.resource_count()),
              .prices = std::vector<double>(ledger.resource_count(), 0.0),
              .scale = std::move(scale)},
      tournaments(of.tournaments, ledger) {
  if (half_life) context.usage.emplace(*half_life);
}

Shares::Shares(const Shares& other, const Ledger& ledger)
    : discipline(other.discipline),
      context{.ledger = ledger,
              .server_classes = ledger.server_classes,
              .rounds = other.context.rounds,
              .prices = other.context.prices,
              .scale = other.context.scale,
              .usage = other.context.usage,
              .alone = other.context.alone,
              .alone_value = other.context.alone_value},
      tournaments(other.tournaments, ledger),
      are_stale(other.are_stale) {}

void Shares::user_added(UserIndex user, Time now) {
  if (context.usage) context.usage->begin(user, now);
}

void Shares::capacities_changed(Time now) {
  if (context.usage) {
    for (const UserIndex user : context.ledger.users.present()) user_changed(user, now);
  }
  are_stale = true;
}

void Shares::task_class_added(TaskClassIndex task_class) {
  if (discipline->monopolised) count_alone(task_class);
}

void Shares::count_alone(TaskClassIndex task_class) {
  const Ledger& ledger = context.ledger;
  if (ledger.task_classes.alternatives(task_class).empty()) return;
  context.alone.cover(task_class);
  context.alone_value.cover(task_class);
  context.alone[task_class] = tasks_alone(ledger, context.server_classes, task_class);
  context.alone_value[task_class] = context.alone[task_class].get_d();
}

void Shares::refresh() {
  are_stale = false;
  if (discipline->monopolised) {
    for (const TaskClassIndex task_class : context.ledger.task_classes.indices()) count_alone(task_class);
  }
  if (discipline->priced) context.prices = pool_prices(context.ledger);
}

std::optional<ShareContext> Shares::refreshed(Time at) const {
  const bool usage_is_due = context.usage && context.usage->is_due(at);
  if (!usage_is_due && !are_stale) return {};
  std::optional<ShareContext> fresh(context);
  if (usage_is_due) fresh->usage->refresh(at);
  if (!are_stale) return fresh;
  if (discipline->priced) fresh->prices = pool_prices(context.ledger);
  // Task classes that have gone since may have been the last ones.
  const TaskClasses& task_classes = context.ledger.task_classes;
  for (const TaskClassIndex task_class : fresh->alone.indices()) {
    if (!task_classes.holds(task_class)) continue;
    fresh->alone[task_class] = tasks_alone(context.ledger, context.server_classes, task_class);
    fresh->alone_value[task_class] = fresh->alone[task_class].get_d();
  }
  return fresh;
}

}  // namespace mirab::scheduling
