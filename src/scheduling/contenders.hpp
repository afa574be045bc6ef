#pragma once

#include "scheduling/precedence.hpp"

namespace mirab::scheduling {

/// A queue that waits, as the next step would find it: the first of its entries that may be served, else the
/// first of all.
struct Contender {
  Keyed keyed;
  bool has_room;  ///< is there a server of the entry's lane where its task fits?
};

}  // namespace mirab::scheduling
