// The bounds that docs/overlay-faults.md states, each a sum of the patiences that it is made of, in ticks:
//
//   held       held + 2: the host's timer, and the tick that sees it
//   agreed     r · again + 9/4 lease + home, and 4 lives of a message, by any clocks: the user asks again and
//              again; a host that is gone is given up (docs/overlay-safety.md)
//   placement  user + walk + held + 8 home + 2 oldest / shuffles per tick + r · again: the old home forgets
//              the user that left it, a walk that was lost is given up, reservations for nobody are given
//              back, a user finds a home that lives (of 8 that the gateway names, one does), the views lose
//              who is gone, and everything is said again.
//
// r = 3 where messages arrive; where a part p of them is lost for ever, question and answer arrive with
// q = (1 - p)², and r = ⌈ln 10⁻⁹ / ln(1 - q)⌉.

#include "simulation/overlay/bounds.hpp"

#include <algorithm>
#include <cmath>

namespace mirab::simulation {
namespace {

double repetitions(const Faults& faults) {
  constexpr double kFew = 3;
  const double lost = 1 - (1 - faults.loss) * (1 - faults.corrupt);
  if (faults.until > Duration::zero() || lost == 0) return kFew;
  const double answered = (1 - lost) * (1 - lost);
  return std::max(kFew, std::ceil(std::log(1e-9) / std::log1p(-answered)));
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
