// αPF-VDS and PS-DSF with time division on servers as they are given, before any merging.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "mechanisms/servers.hpp"
#include "numerics/random_game.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using testing::RandomGame;

constexpr std::uint64_t market_servers_seed = 1703;

// Users with integer demands, who may run everywhere.
struct Drawn {
  Cluster cluster;
  ArrayXXd alone;  // γ, [n][i]
};

Drawn draw(Random& random, std::size_t users, std::size_t servers, std::size_t resources,
           std::uint64_t most) {
  const auto amounts = [&](std::uint64_t largest) {
    ResourceVector vector;
    for (std::size_t r = 0; r < resources; ++r)
      vector.push_back(Quantity(static_cast<std::int64_t>(1 + random.below(largest))));
    return vector;
  };
  Drawn drawn;
  Cluster& cluster = drawn.cluster;
  for (std::size_t r = 0; r < resources; ++r) cluster.resources.push_back(fmt::format("r{}", r));
  for (std::size_t i = 0; i < servers; ++i)
    cluster.servers.push_back({.name = fmt::format("s{}", i), .capacity = amounts(30)});
  for (std::size_t n = 0; n < users; ++n) {
    cluster.users.push_back({.name = fmt::format("u{}", n), .demand = amounts(most)});
    cluster.users.back().weight = Quantity(static_cast<std::int64_t>(1 + random.below(4)));
  }
  drawn.alone = ArrayXXd::Constant(static_cast<Index>(users), static_cast<Index>(servers), 1e300);
  for (std::size_t n = 0; n < users; ++n) {
    for (std::size_t i = 0; i < servers; ++i) {
      double& alone = drawn.alone(static_cast<Index>(n), static_cast<Index>(i));
      for (std::size_t r = 0; r < resources; ++r) {
        alone = std::min(alone, cluster.servers[i].capacity[r].value() / cluster.users[n].demand[r].value());
      }
    }
  }
  return drawn;
}

// Section 5: the time-division market has the same solution whatever α.
TEST(PsDsfTdm, IsTheSameAtEveryAlpha) {
  Random random(market_servers_seed);
  for (int i = 0; i < random_cases(200); ++i) {
    const Drawn drawn = draw(random, 1 + random.below(8), 1 + random.below(5), 1 + random.below(4), 5);
    const Result<Outcome> outcome = allocate(*Problem::from(drawn.cluster), "ps-dsf-tdm");
    ASSERT_EQ(outcome->status, Status::converged);
    const Eigen::Map<const ArrayXd> tasks(outcome->allocation.tasks.data(), drawn.alone.rows());
    RandomGame time;
    time.rows.alone = drawn.alone;
    time.rows.capacity = ArrayXXd::Ones(drawn.alone.cols(), 1);
    for (Index k = 0; k < drawn.alone.cols(); ++k) time.rows.demand.push_back(drawn.alone.col(k).inverse());
    time.weight.resize(drawn.alone.rows());
    for (Index n = 0; n < time.weight.size(); ++n)
      time.weight[n] = drawn.cluster.users[static_cast<std::size_t>(n)].weight.value();
    for (const double alpha : {0.5, 1.0, 2.0, 5.0}) {
      const ServerShares shares = solve_market(time.with(alpha), MarketSolver::path, 1);
      ASSERT_EQ(shares.status, Status::converged);
      const ArrayXd total = shares.tasks.rowwise().sum();
      ASSERT_TRUE(((tasks - total).abs() <= 1e-3 * total).all())
          << "α = " << alpha << ", problem " << i << " of seed " << market_servers_seed;
    }
  }
}

// Section 6's conditions on every server as given: the second has a third of the first, and is merged with
// it.
TEST(AlphaPfVds, PricesOfProportionalServersAreThoseOfEachAlone) {
  for (const double alpha : {0.5, 1.0, 3.0, 10.0}) {
    Random random(market_servers_seed);
    for (int i = 0; i < random_cases(50); ++i) {
      SCOPED_TRACE(fmt::format("α = {}, problem {} of seed {}", alpha, i, market_servers_seed));
      Drawn drawn = draw(random, 4, 3, 2, 5);
      std::vector<Server>& servers = drawn.cluster.servers;
      for (std::size_t r = 0; r < 2; ++r)
        servers[0].capacity[r] = *Quantity::from(3 * servers[1].capacity[r].value());
      drawn.alone.col(0) = 3 * drawn.alone.col(1);
      const Result<Outcome> outcome =
          allocate(*Problem::from(drawn.cluster), fmt::format("alpha-pf-vds:alpha={}", alpha));
      ASSERT_EQ(outcome->status, Status::converged);
      for (std::size_t k = 0; k < servers.size(); ++k) {
        const std::vector<double>& prices = outcome->allocation.servers[k].prices;
        ASSERT_EQ(prices.size(), 2U);
        double nearest = 0;  // of what users would pay there to what they pay: 1 for those who are served
        for (std::size_t n = 0; n < 4; ++n) {
          const User& user = drawn.cluster.users[n];
          const double paid = prices[0] * user.demand[0].value() + prices[1] * user.demand[1].value();
          const double alone = drawn.alone(static_cast<Index>(n), static_cast<Index>(k));
          const double ratio =
              std::pow(user.weight.value() * alone / outcome->allocation.tasks[n], alpha) / (alone * paid);
          nearest = std::max(nearest, std::pow(ratio, 1 / alpha));
        }
        ASSERT_NEAR(nearest, 1, 1e-2) << "server " << k;
      }
    }
  }
}

TEST(AlphaPfVds, ConvergesOnServersFourOrdersOfMagnitudeApart) {
  for (const double alpha : {1.0, 3.0}) {
    Random random(market_servers_seed);
    for (int i = 0; i < random_cases(300); ++i) {
      Drawn drawn = draw(random, 12, 5, 4, 4);
      for (Server& server : drawn.cluster.servers) {
        const double size = std::pow(10.0, static_cast<double>(random.below(5)));
        for (Quantity& capacity : server.capacity) capacity = *Quantity::from(size * capacity.value());
      }
      const Result<Outcome> outcome =
          allocate(*Problem::from(drawn.cluster), fmt::format("alpha-pf-vds:alpha={}", alpha));
      ASSERT_EQ(outcome->status, Status::converged)
          << "α = " << alpha << ", problem " << i << " of seed " << market_servers_seed << ": "
          << outcome->certificate.value;
    }
  }
}

TEST(AlphaPfVds, ATripleBlockOfUsersIsTheSameOnAnyNumberOfThreads) {
  Random random(market_servers_seed);
  const Problem problem = *Problem::from(draw(random, 1200, 3, 3, 1'000'000).cluster);
  for (const char* mechanism : {"alpha-pf-vds:alpha=1", "alpha-pf-vds:alpha=3", "ps-dsf-tdm"}) {
    const Result<Outcome> one = allocate(problem, mechanism, {.threads = 1});
    ASSERT_TRUE(one);
    for (const int threads : {2, 3}) {
      const Result<Outcome> more = allocate(problem, mechanism, {.threads = threads});
      ASSERT_TRUE(more);
      EXPECT_EQ(one->allocation.tasks, more->allocation.tasks) << mechanism << " on " << threads;
      EXPECT_EQ(one->certificate.value, more->certificate.value) << mechanism << " on " << threads;
      for (std::size_t k = 0; k < problem.servers().size(); ++k)
        EXPECT_EQ(one->allocation.servers[k].prices, more->allocation.servers[k].prices) << mechanism;
    }
  }
}

}  // namespace
}  // namespace mirab
