#include "numerics/base/blocks.hpp"

#include <gmock/gmock.h>
#include <pthread.h>
#include <vector>

namespace mirab::numerics {
namespace {

using Eigen::Index;
using ::testing::Each;

// How often each row of 10 blocks and a part is visited.
std::vector<int> visits(int threads) {
  std::vector<int> count(10 * kBlockRows + 3, 0);
  for_each_block(static_cast<Index>(count.size()), threads, [&](const Block& block) {
    for (Index n = block.first; n < block.first + block.rows; ++n) ++count[static_cast<std::size_t>(n)];
  });
  return count;
}

TEST(Blocks, EveryRowIsVisitedOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 11, 1024}) EXPECT_THAT(visits(threads), Each(1)) << threads;
}

// A stack that no machine has, so that every thread is refused.
TEST(Blocks, TheWorkIsDoneWhenTheSystemHasNoMoreThreads) {
  pthread_attr_t usual, huge;
  pthread_getattr_default_np(&usual);
  pthread_getattr_default_np(&huge);
  pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  EXPECT_THROW(std::jthread([] {}), std::system_error);
  const std::vector<int> count = visits(4);
  pthread_setattr_default_np(&usual);
  EXPECT_THAT(count, Each(1));
}

}  // namespace
}  // namespace mirab::numerics
