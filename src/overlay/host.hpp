#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// What a server holds and runs: reservations that are proposed to users, and their tasks.
///
/// Never more than its capacity: held + running ≤ c_l after every call (asserted). A reservation that is not
/// answered is given back; a late Accept of it is refused; names of proposals are never given twice.
class Host {
 public:
  Host(Amounts capacity, Time start, const Patience& patience, Duration tick);

  bool fits(std::span<const std::int64_t> demand) const;
  /// Holds room and proposes to the user. Of a task that is held here already the proposal is said again; of
  /// one that runs, that it does. False, and nothing is done, when there is no room.
  bool propose(Time now, const Task& task, Effects& effects);
  /// Accept, Reject, EndSeen, Renew; others are ignored.
  void on_message(Time now, NodeId from, const Message& message, Effects& effects);
  /// Gives back what was held too long, ends what is over, stops what lost its lease.
  void on_tick(Time now, Effects& effects);
  /// Takes no more.
  void close();

  std::span<const std::int64_t> free() const;
  std::span<const std::int64_t> capacity() const;
};

}  // namespace mirab::overlay
