#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <thread>
#include <vector>

#include "numerics/demands.hpp"

namespace mirab::numerics {

/// Rows first … first + rows - 1; the index counts the blocks.
struct Block {
  Eigen::Index index;
  Eigen::Index first;
  Eigen::Index rows;
};

inline Eigen::Index block_count(Eigen::Index rows) { return (rows + kBlockRows - 1) / kBlockRows; }

/// Calls body(Block) for every block of kBlockRows rows, on so many threads at most. The blocks do not depend
/// on the number of threads: a body that keeps one sum a block, added up in order afterwards, gives the same
/// bits with any. The body must not throw.
template <class Body>
void for_each_block(Eigen::Index rows, int threads, const Body& body) {
  const Eigen::Index blocks = block_count(rows);
  const Eigen::Index workers = std::min<Eigen::Index>(threads, blocks);
  const auto work = [&](Eigen::Index worker) {
    for (Eigen::Index b = worker; b < blocks; b += workers) {
      const Eigen::Index first = b * kBlockRows;
      body(Block{b, first, std::min(kBlockRows, rows - first)});
    }
  };
  std::vector<std::jthread> others;
  for (Eigen::Index worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
  if (workers > 0) work(0);
}

}  // namespace mirab::numerics
