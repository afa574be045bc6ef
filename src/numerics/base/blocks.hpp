#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "numerics/base/rows.hpp"
#include "numerics/base/threads.hpp"

namespace mirab::numerics {

/// Rows first … first + rows - 1; the index counts the blocks.
struct Block {
  Eigen::Index index;
  Eigen::Index first;
  Eigen::Index rows;
};

inline Eigen::Index block_count(Eigen::Index rows) { return (rows + kBlockRows - 1) / kBlockRows; }

/// Calls body(Block) for every block of kBlockRows rows, on at most this many threads, or fewer where
/// the system has no more. The blocks do not depend on the number of threads: a body that keeps one sum a
/// block, added up in order afterwards, gives the same bits with any. The body must not throw.
template <class Body>
void for_each_block(Eigen::Index rows, int threads, const Body& body) {
  for_each_index(0, static_cast<std::size_t>(block_count(rows)), threads, [&](std::size_t index) {
    const auto block = static_cast<Eigen::Index>(index);
    const Eigen::Index first = block * kBlockRows;
    body(Block{block, first, std::min(kBlockRows, rows - first)});
  });
}

}  // namespace mirab::numerics
