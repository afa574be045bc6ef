#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/accounts.hpp"

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

/// Errors: a time or a number of servers that is not above 0.
Check check(const Reserving& rule);

}  // namespace mirab::scheduling
