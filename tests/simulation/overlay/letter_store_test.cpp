#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include <mirab/model/random.hpp>

#include "lab/simulation/overlay/network.hpp"

namespace mirab::simulation {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(MessageStore, GivesBackWhatWasPutWhateverElseComesAndGoes) {
  constexpr std::uint64_t kSeed = 3;
  Random random(kSeed);
  MessageStore store;
  std::map<MessageStore::Id, Bytes> here;
  for (int step = 0; step < 20'000; ++step) {
    if (here.size() > 200 || (!here.empty() && random.below(2) == 0)) {
      const auto one = std::next(here.begin(), static_cast<std::ptrdiff_t>(random.below(here.size())));
      ASSERT_EQ(bytes_of(store.at(one->first)), one->second) << "seed " << kSeed;
      store.drop(one->first);
      here.erase(one);
    } else {
      Bytes bytes(random.below(random.below(10) == 0 ? 5000 : 200));
      std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(step));
      ASSERT_TRUE(here.emplace(store.put(bytes), bytes).second) << "a name that is still taken";
    }
  }
}

TEST(MessageStore, RoomOfLettersThatArrivedIsUsedAgain) {
  MessageStore store;
  const Bytes letter(150, 7);
  store.drop(store.put(letter));
  const std::size_t held = store.bytes_held();
  for (int again = 0; again < 1000; ++again) store.drop(store.put(letter));
  EXPECT_EQ(store.bytes_held(), held);
}

}  // namespace
}  // namespace mirab::simulation
