#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduling/plain/ledger.hpp"
#include "scheduling/plain/placements.hpp"

namespace mirab::plain {

/// Where MRFS places tasks: keeps on every server the tasks that different resources dominate equal in
/// number.
class DominanceBalance {
 public:
  explicit DominanceBalance(const Ledger& ledger);

  /// The server for the user's next task, which has room on some server; counts the task there. O(K' m).
  std::size_t place(const Search& search);

 private:
  struct Dominance {
    std::size_t resource;
    std::int64_t units;  ///< d_r
  };
  Dominance dominance(std::size_t user, std::size_t server) const;
  bool all_equal(std::size_t server) const;
  double demand(std::size_t server) const;

  const Ledger* ledger_;
  std::vector<std::vector<std::int64_t>> dominated_;  // Ψ, [server][k]
  std::vector<std::vector<std::int64_t>> units_;      // dominant demand of the tasks there, [server][k]
};

}  // namespace mirab::plain
