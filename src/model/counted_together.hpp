#pragma once

#include <cstddef>
#include <gmpxx.h>
#include <vector>

#include <mirab/model/problem.hpp>

namespace mirab {

/// A cluster with fewer entries of servers, and in which of them each server of the problem is.
struct CountedTogether {
  Cluster cluster;
  std::vector<std::size_t> entry_of = {};  ///< [server of the problem]
};

/// The cluster in which servers that are alike (alike_servers.hpp) are one entry, each counted with the least
/// amount of each resource. Alike are servers with the same taints on which the same users may run with the
/// same demands; a label counts where some user selects by it, and the others that differ are left out. A
/// server whose tasks would not fit into the least stays alone. An entry is called after what the names of
/// its servers have in common. `merged` says what was done, together with what it said before; it stays empty
/// where no amount is left out. Servers stay apart where no count could hold their number. The result may
/// have less than its guarantees add up to, which Problem::from refuses. `tolerance` is a part of the least
/// amount, ≥ 0. O(n (log n + m) + names in the lists of users).
CountedTogether counted_together(const Problem& problem, const mpq_class& tolerance);

}  // namespace mirab
