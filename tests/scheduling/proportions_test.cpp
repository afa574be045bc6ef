// The distances of whole blocks beside those of one server after the other.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include <mirab/model/random.hpp>

#include "random_cases.hpp"
#include "scheduling/ledger/server_pool.hpp"

namespace mirab::scheduling {
namespace {

using Amounts = std::vector<std::int64_t>;
using Instructions = Columns::Instructions;

constexpr std::uint64_t kProportionsSeeds = random_cases(300);

std::vector<Instructions> proportions_available() {
  std::vector<Instructions> proportions_available = {Instructions::portable};
  if (Columns::best_instructions() != Instructions::portable)
    proportions_available.push_back(Instructions::avx2);
  if (Columns::best_instructions() == Instructions::avx512)
    proportions_available.push_back(Instructions::avx512);
  return proportions_available;
}

Amounts random_amounts(std::size_t resources, Random& random) {
  Amounts amounts(resources);
  for (std::int64_t& each : amounts) each = static_cast<std::int64_t>(random.below(5) * random.below(1'000));
  return amounts;
}

/// ‖a − b‖₁, and NaN where that is not a number.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t r = 0; r < a.size(); ++r) sum += std::abs(a[r] - b[r]);
  return sum;
}

void expect_same(double a, double b) { EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << b; }

TEST(Proportions, AreNearerInABlockAsTheyAreOneByOne) {
  for (std::uint64_t seed = 1; seed <= kProportionsSeeds; ++seed) {
    Random random(seed);
    const std::size_t resources = 1 + random.below(6);
    const FitDistance of_fit =
        random.below(2) == 0 ? FitDistance::of_proportions : FitDistance::to_first_resource;
    const Amounts pool = random_amounts(resources, random), demand = random_amounts(resources, random);
    std::vector<Amounts> free(1 + random.below(200));
    for (Amounts& each : free) each = random_amounts(resources, random);
    const double than = random.below(4) == 0 ? std::numeric_limits<double>::infinity() : random.unit();
    for (const Instructions instructions : proportions_available()) {
      SCOPED_TRACE(fmt::format("replay: seed {}, instructions {}", seed, static_cast<int>(instructions)));
      Proportions proportions(resources, of_fit, instructions);
      proportions.reset(free.size(), pool);
      for (std::size_t i = 0; i < free.size(); ++i)
        proportions.set(ServerIndex(static_cast<std::uint32_t>(i)), free[i]);
      std::vector<double> a(resources), b(resources);
      proportions.of(demand, a);
      Proportions::Distances distances;
      std::uint64_t nearer = 0;
      for (std::size_t i = 0; i < free.size(); ++i) {
        if (i % Columns::kBlock == 0) nearer = proportions.nearer(i / Columns::kBlock, a, than, distances);
        proportions.of(free[i], b);
        expect_same(distances[i % Columns::kBlock], distance(a, b));
        EXPECT_EQ((nearer >> (i % Columns::kBlock) & 1) != 0, distance(a, b) < than);
      }
    }
  }
}

TEST(Proportions, AreRelativeToTheSumOrToTheFirst) {
  std::vector<double> parts(2);
  Proportions of_sum(2, FitDistance::of_proportions);
  of_sum.reset(0, Amounts{8, 4});
  of_sum.of(Amounts{2, 3}, parts);  // 1/4 and 3/4 of the pool
  EXPECT_EQ(parts, (std::vector<double>{0.25, 0.75}));
  Proportions of_first(2, FitDistance::to_first_resource);
  of_first.reset(0, Amounts{8, 4});
  of_first.of(Amounts{2, 3}, parts);
  EXPECT_EQ(parts, (std::vector<double>{1, 3}));
}

TEST(Proportions, AResourceThatThePoolLacksHasNoPart) {
  std::vector<double> parts(2);
  Proportions proportions(2, FitDistance::of_proportions);
  proportions.reset(0, Amounts{8, 0});
  proportions.of(Amounts{2, 5}, parts);
  EXPECT_EQ(parts, (std::vector<double>{1, 0}));
}

}  // namespace
}  // namespace mirab::scheduling
