#include "traces/google2011_runtimes.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

#include "traces/google2011_park.hpp"

namespace mirab::traces::google2011 {

Kind kind_of(const Life& life) {
  if (!life.started) return life.ended ? Kind::withdrawn : Kind::pending;
  const bool old = *life.started == 0;
  if (life.ended) return old ? Kind::old : Kind::whole;
  return old ? Kind::old_open : Kind::open;
}

Lifetimes lifetimes_of(const Lives& lives) {
  Lifetimes lifetimes;
  for (const Life& life : lives.lives) {
    if (!life.started) continue;
    const Duration seen =
        time_in_window(life.ended.value_or(lives.window_end)) - time_in_window(*life.started);
    const bool is_old = *life.started == 0;
    const bool ends = life.ended && !life.cut_short;
    if (is_old) {
      ends ? lifetimes.old_ended(seen) : lifetimes.old_outlived(seen);
    } else {
      ends ? lifetimes.ended(seen) : lifetimes.outlived(seen);
    }
  }
  lifetimes.learn();
  return lifetimes;
}

Duration runtime_of(const Life& life, std::uint64_t window_end, const Lifetimes& lifetimes, Random& random) {
  const Duration start = time_in_window(life.started.value_or(0));
  const Duration window = time_in_window(window_end);
  switch (kind_of(life)) {
    case Kind::whole:
    case Kind::old:
      return std::max<Duration>(time_in_window(*life.ended) - start, std::chrono::microseconds(1));
    case Kind::old_open:
      return window + lifetimes.draw_rest_of_old(random);
    case Kind::open:
      return lifetimes.draw(window - start, random);
    case Kind::pending:
      return lifetimes.draw(Duration::zero(), random);
    case Kind::withdrawn:
      break;
  }
  MIRAB_ASSERT(false, "what never runs has no runtime");
  return {};
}

}  // namespace mirab::traces::google2011
