// The vector instructions beside comparisons one by one.
#include "scheduling/ledger/columns.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>

#include "random_cases.hpp"
#include "scheduling/ledger/server_pool.hpp"
#include "scheduling/order/bracket.hpp"
#include "scheduling/parks.hpp"

namespace mirab::scheduling {
namespace {

using Instructions = Columns::Instructions;

constexpr std::uint64_t kSeeds = random_cases(300);
constexpr std::int64_t kExact = 32'766;  // amounts up to here are not rounded

std::vector<Instructions> available() {
  std::vector<Instructions> available = {Instructions::portable};
  if (Columns::best_instructions() != Instructions::portable) available.push_back(Instructions::avx2);
  if (Columns::best_instructions() == Instructions::avx512) available.push_back(Instructions::avx512);
  return available;
}

/// Rows of a few distinct amounts up to `most`; some are absent.
std::vector<std::optional<Amounts>> random_rows(std::size_t width, std::int64_t most, Random& random) {
  std::vector<std::optional<Amounts>> rows(1 + random.below(random.below(20) == 0 ? 9'000 : 400));
  for (auto& row : rows) {
    if (random.below(8) == 0) continue;
    row.emplace(width);
    for (std::int64_t& each : *row) {
      each = most - static_cast<std::int64_t>(random.below(10) * (static_cast<std::uint64_t>(most) / 10));
    }
  }
  return rows;
}

Columns columns_of(const std::vector<std::optional<Amounts>>& rows, std::size_t width, std::int64_t covered,
                   Instructions instructions) {
  Columns columns(width, instructions);
  for (std::size_t r = 0; r < width; ++r) columns.cover(r, covered);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    columns.set(k, rows[k].value_or(Amounts(width, 1)));
    if (!rows[k]) columns.clear(k);
  }
  return columns;
}

std::vector<std::size_t> found(const Columns& columns, const Columns::Query& query, std::size_t from,
                               const ServerSet* among) {
  std::vector<std::size_t> found;
  columns.any(query, from, among, [&](std::size_t row) {
    found.push_back(row);
    return false;
  });
  return found;
}

bool all_less_or_equal(const Amounts& a, const Amounts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
}

template <class Holds>
std::vector<std::size_t> by_looking(const std::vector<std::optional<Amounts>>& rows, std::size_t from,
                                    const ServerSet* among, Holds holds) {
  std::vector<std::size_t> found;
  for (std::size_t k = from; k < rows.size(); ++k) {
    const bool asked = among == nullptr || among->contains(ServerIndex(static_cast<std::uint32_t>(k)));
    if (rows[k] && asked && holds(*rows[k])) found.push_back(k);
  }
  return found;
}

ServerSet random_set(std::size_t size, Random& random) {
  ServerSet set;
  for (const ServerIndex server : Indices<ServerIndex>(size)) {
    if (random.below(2) == 0) set.insert(server);
  }
  return set;
}

TEST(Columns, FindExactlyTheRightRowsWhereNothingIsRounded) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed);
    const std::size_t width = 1 + random.below(Columns::Query::kMaxBounds);
    const auto rows = random_rows(width, kExact, random);
    const Amounts x = rows.front().value_or(Amounts(width, kExact / 2));
    const std::size_t from = random.below(rows.size() + 70);
    const ServerSet set = random_set(random.below(2 * rows.size()), random);
    const ServerSet* among = random.below(2) == 0 ? nullptr : &set;
    for (const Instructions instructions : available()) {
      SCOPED_TRACE(fmt::format("replay: seed {}, instructions {}", seed, static_cast<int>(instructions)));
      const Columns columns = columns_of(rows, width, kExact, instructions);
      EXPECT_EQ(found(columns, columns.at_least(x), from, among),
                by_looking(rows, from, among, [&](const Amounts& row) { return all_less_or_equal(x, row); }));
      EXPECT_EQ(found(columns, columns.at_most(x), from, among),
                by_looking(rows, from, among, [&](const Amounts& row) { return all_less_or_equal(row, x); }));
    }
  }
}

// Amounts up to 2^62, of which 47 bits are rounded away; columns that are too fine for them; more columns
// than are looked at.
TEST(Columns, MissNoRightRowHoweverTheyRound) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed);
    const std::size_t width = 1 + random.below(12);
    const std::int64_t most = std::int64_t{1} << (10 + random.below(53));
    const std::int64_t covered = random.below(4) == 0 ? most / 16 : most;
    const auto rows = random_rows(width, most, random);
    Amounts x = rows.back().value_or(Amounts(width, most / 2));
    std::optional<std::vector<std::size_t>> least, greatest;
    for (const Instructions instructions : available()) {
      SCOPED_TRACE(fmt::format("replay: seed {}, instructions {}", seed, static_cast<int>(instructions)));
      const Columns columns = columns_of(rows, width, covered, instructions);
      const auto at_least = found(columns, columns.at_least(x), 0, nullptr);
      const auto at_most = found(columns, columns.at_most(x), 0, nullptr);
      const auto right_least =
          by_looking(rows, 0, nullptr, [&](const Amounts& row) { return all_less_or_equal(x, row); });
      const auto right_most =
          by_looking(rows, 0, nullptr, [&](const Amounts& row) { return all_less_or_equal(row, x); });
      EXPECT_TRUE(std::includes(at_least.begin(), at_least.end(), right_least.begin(), right_least.end()));
      EXPECT_TRUE(std::includes(at_most.begin(), at_most.end(), right_most.begin(), right_most.end()));
      EXPECT_EQ(least.value_or(at_least), at_least) << "the instructions disagree";
      EXPECT_EQ(greatest.value_or(at_most), at_most) << "the instructions disagree";
      least = at_least;
      greatest = at_most;
    }
  }
}

TEST(Columns, RowsThatAreAbsentAnswerNothing) {
  Columns columns(1);
  columns.set(100, Amounts{0});
  columns.set(3, Amounts{0});
  columns.clear(3);
  columns.clear(1000);
  EXPECT_EQ(found(columns, columns.at_least(Amounts{0}), 0, nullptr), std::vector<std::size_t>{100});
  EXPECT_EQ(found(columns, columns.at_most(Amounts{INT64_MAX}), 0, nullptr), std::vector<std::size_t>{100});
}

TEST(Columns, SayWhenTheyBecameCoarser) {
  Columns columns(2);
  EXPECT_FALSE(columns.cover(0, kExact));
  EXPECT_TRUE(columns.cover(0, kExact + 1));
  EXPECT_FALSE(columns.cover(0, 2 * kExact + 1));
  EXPECT_TRUE(columns.cover(1, INT64_MAX));
}

TEST(Columns, SayWhenTheyBecameFiner) {
  Columns columns(1);
  columns.cover(0, INT64_MAX);
  EXPECT_TRUE(columns.refine(0, 2 * kExact));
  EXPECT_FALSE(columns.refine(0, 2 * kExact));
  EXPECT_FALSE(columns.refine(0, INT64_MAX));
  EXPECT_TRUE(columns.refine(0, kExact));
}

TEST(Columns, TheLargestAmountOfACoarsenessIsTheLast) {
  EXPECT_EQ(Columns::coarseness(INT64_MAX), Columns::kCoarsest);
  EXPECT_EQ(Columns::largest_of(Columns::kCoarsest), INT64_MAX);
  for (std::size_t coarseness = 0; coarseness < Columns::kCoarsest; ++coarseness) {
    EXPECT_EQ(Columns::coarseness(Columns::largest_of(coarseness)), coarseness);
    EXPECT_EQ(Columns::coarseness(Columns::largest_of(coarseness) + 1), coarseness + 1);
  }
}

// 1,000 full servers and one of 2^60 that came and went: a search passes them all by.
TEST(ServerPool, AHugeServerThatHasGoneLeavesSmallAmountsExact) {
  for (const bool shrinks : {false, true}) {
    ServerPool pool(1);
    for (int i = 0; i < 1000; ++i) pool.take(pool.add(Amounts{8}), Amounts{8});
    const ServerIndex huge = pool.add(Amounts{std::int64_t{1} << 60});
    const std::int64_t one = 1;
    const auto blocks_with_room = [&] {
      int blocks = 0;
      pool.for_each_block_with_room({.demand = std::span(&one, 1), .among = nullptr},
                                    [&](const Columns::Block& /*block*/) { ++blocks; });
      return blocks;
    };
    EXPECT_EQ(blocks_with_room(), 16);
    if (shrinks) {
      pool.resize(huge, Amounts{0});
    } else {
      pool.remove(huge);
    }
    EXPECT_EQ(blocks_with_room(), 0);
  }
}

// A task that no server can hold waits with the others, which are found as if it were not there.
TEST(UnschedulableClasses, AHugeDemandLeavesSmallOnesExact) {
  const Amounts bound{Columns::largest_of(0)};
  UnschedulableClasses classes(1);
  for (std::uint32_t i = 0; i < 1000; ++i) classes.add(TaskClassIndex(i), 0, Amounts{10 + i}, bound);
  classes.add(TaskClassIndex(1000), 0, Amounts{std::int64_t{1} << 60}, bound);
  const auto looked_at = [&](std::int64_t free) {
    int count = 0;
    classes.for_each_that_may_fit(std::span(&free, 1), [&](UnschedulableClasses::Place /*at*/) { ++count; });
    return count;
  };
  EXPECT_EQ(looked_at(9), 0);
  EXPECT_EQ(looked_at(19), 10);
  EXPECT_EQ(looked_at(std::int64_t{1} << 60), 1001);
  // While there are servers of 2^60 the columns are coarser, and no longer once there are none.
  classes.add(TaskClassIndex(1001), 0, Amounts{std::int64_t{1} << 60}, Amounts{INT64_MAX});
  EXPECT_EQ(looked_at(9), 1000);
  classes.add(TaskClassIndex(1002), 0, Amounts{20'000}, bound);
  EXPECT_EQ(looked_at(9), 0);
}

}  // namespace
}  // namespace mirab::scheduling
