#pragma once

#include "scheduling/precedence.hpp"

namespace mirab::scheduling {

/// A queue that waits, as the next step would find it: the first of its entries that may be served, else the
/// first of all.
struct Contender {
  Keyed keyed;
  bool
      has_room;  ///< in the entry's lane, on servers that are not kept; of a gang for all that start together
};

}  // namespace mirab::scheduling
