// A step proposes a smaller trial; it is taken when that breaks the same promise. Steps that leave out most
// come first, and the run ends behind the violation after each, so that the many small steps at the end
// cost little. A smaller world draws other random numbers: where it does not break with the seed of the
// larger one, a few others are tried.

#include "simulation/overlay/shrink_trial.hpp"

#include <algorithm>
#include <utility>

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kSeeds = 6;  // that a smaller cluster is tried with

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
  /// Does it break the same promise? A scenario file may not have a partition that cuts nobody off.
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

}  // namespace mirab::simulation
