#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/ledger/ledger.hpp"

namespace mirab::scheduling {

/// The servers that are kept, each for one queue. How they are chosen and what ends them: reservations.cpp.
///
/// A kept server is closed in the park, so that no search finds it, and is not drained. Drained servers are
/// closed too, but never kept.
struct Reservations {
  struct Kept {
    std::uint32_t server;
    std::uint32_t queue;
    Time since;
  };

  Reserving rule;
  std::vector<Kept> kept = {};       ///< in the order in which they were
  std::optional<Time> looked = {};   ///< when it was last looked who is due
  std::set<std::uint32_t> met = {};  ///< tasks that started on a server kept for them, and run

  const Kept* of_queue(std::uint32_t queue) const {
    return known([&](const Kept& each) { return each.queue == queue; });
  }
  const Kept* on_server(std::uint32_t server) const {
    return known([&](const Kept& each) { return each.server == server; });
  }

 private:
  template <class Is>
  const Kept* known(Is is) const {
    const auto at = std::find_if(kept.begin(), kept.end(), is);
    return at == kept.end() ? nullptr : &*at;
  }
};

/// The reservations as a step at some time would find them before it places anything: those that lasted have
/// ended, and servers are kept for the queues that are due. A value: nothing in the engine changes. The step
/// itself keeps what its preview says.
struct ReservationPreview {
  Time at;
  OpenServers open;                               ///< those that take tasks then
  std::optional<Reservations> reservations = {};  ///< with the option; `met` is left out
  std::vector<std::uint32_t> ended_for = {};      ///< queues whose reservations end by their time

  const Reservations* kept() const { return reservations ? &*reservations : nullptr; }
};

/// Errors: a time or a number of servers that is not above 0.
Check check(const Reserving& rule);

}  // namespace mirab::scheduling
