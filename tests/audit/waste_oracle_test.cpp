// Non-wastefulness and Pareto efficiency against what they mean: on every division of a few whole units, by
// taking and giving; over servers of very unequal size, by the exact frontier of two users.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

#include "audit/clusters.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using testing::cluster_of;
using testing::problem_of;

constexpr std::uint64_t kWasteOracleSeed = 3;
constexpr std::size_t kUsers = 2;
constexpr std::size_t kResources = 2;

using Bundle = std::array<double, kResources>;

struct Units {
  std::vector<Bundle> capacity;                     // [i]
  std::array<Bundle, kUsers> demand;                // [n]
  std::array<double, kUsers> cap;                   // infinite: none
  std::array<std::vector<Bundle>, kUsers> holding;  // [n][i]
};

double runs(const Bundle& demand, const Bundle& bundle) {
  double tasks = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < kResources; ++r) {
    if (demand[r] > 0) tasks = std::min(tasks, bundle[r] / demand[r]);
  }
  return tasks;
}

double value(const Units& units, std::size_t n, const std::vector<Bundle>& holding) {
  double tasks = 0;
  for (const Bundle& bundle : holding) tasks += runs(units.demand[n], bundle);
  return tasks;
}

// Could a user give away some of a resource and run as much with the rest?
bool holds_in_vain(const Units& units) {
  for (std::size_t n = 0; n < kUsers; ++n) {
    for (std::size_t i = 0; i < units.capacity.size(); ++i) {
      for (std::size_t r = 0; r < kResources; ++r) {
        std::vector<Bundle> less = units.holding[n];
        less[i][r] *= 0.999;
        if (units.holding[n][i][r] > 0 && value(units, n, less) >= value(units, n, units.holding[n]))
          return true;
      }
    }
  }
  return false;
}

// Could a user run more with what idles of one resource?
bool idles_in_vain(const Units& units) {
  for (std::size_t i = 0; i < units.capacity.size(); ++i) {
    for (std::size_t r = 0; r < kResources; ++r) {
      const double idle = units.capacity[i][r] - units.holding[0][i][r] - units.holding[1][i][r];
      for (std::size_t n = 0; n < kUsers; ++n) {
        std::vector<Bundle> more = units.holding[n];
        more[i][r] += idle;
        const double now = std::min(units.cap[n], value(units, n, units.holding[n]));
        if (std::min(units.cap[n], value(units, n, more)) > now) return true;
      }
    }
  }
  return false;
}

Units random_units(Random& random) {
  const auto draw = [&](std::uint64_t below) { return static_cast<double>(random.below(below)); };
  Units units;
  for (std::size_t i = 0; i < 1 + random.below(2); ++i) units.capacity.push_back({1 + draw(3), 1 + draw(3)});
  for (std::size_t n = 0; n < kUsers; ++n) {
    units.demand[n] = {draw(3), draw(3)};
    if (units.demand[n] == Bundle{0, 0}) units.demand[n] = {1, 1};
    units.cap[n] = random.below(4) == 0 ? 1 + draw(2) : std::numeric_limits<double>::infinity();
    units.holding[n].assign(units.capacity.size(), {0, 0});
  }
  for (std::size_t i = 0; i < units.capacity.size(); ++i) {
    for (std::size_t r = 0; r < kResources; ++r) {
      for (int left = static_cast<int>(units.capacity[i][r]); left > 0; --left) {
        const std::size_t n = random.below(kUsers + 1);  // the last of them is nobody
        if (n < kUsers && (units.demand[n][r] > 0 || random.below(4) == 0)) ++units.holding[n][i][r];
      }
    }
  }
  return units;
}

TEST(WasteOracle, NonWastefulnessIsThatNothingCanBeTakenOrGivenInVain) {
  Random random(kWasteOracleSeed);
  int kept = 0;
  int held = 0;
  int idle = 0;
  for (int trial = 0; trial < random_cases(5000); ++trial) {
    const Units units = random_units(random);
    Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
    for (std::size_t i = 0; i < units.capacity.size(); ++i)
      cluster.servers.push_back({.name = fmt::format("s{}", i),
                                 .capacity = testing::amounts({units.capacity[i][0], units.capacity[i][1]})});
    Outcome outcome{.mechanism = "test", .certificate = {}, .allocation = {}, .notices = {}};
    for (std::size_t n = 0; n < kUsers; ++n) {
      User user{.name = fmt::format("u{}", n),
                .demand = testing::amounts({units.demand[n][0], units.demand[n][1]})};
      if (std::isfinite(units.cap[n])) user.tasks = *Quantity::from(units.cap[n]);
      cluster.users.push_back(std::move(user));
      outcome.allocation.tasks.push_back(std::min(units.cap[n], value(units, n, units.holding[n])));
      for (std::size_t i = 0; i < units.capacity.size(); ++i) {
        const Bundle& bundle = units.holding[n][i];
        if (bundle == Bundle{0, 0}) continue;
        outcome.allocation.grants.add(n, i, runs(units.demand[n], bundle), {bundle[0], bundle[1]});
      }
    }
    const Problem problem = problem_of(cluster);
    const bool in_vain = holds_in_vain(units);
    const bool in_idle = idles_in_vain(units);
    EXPECT_EQ(check_non_wastefulness({problem, outcome, Scope::servers}).holds, !in_vain && !in_idle)
        << "division " << trial << " of seed " << kWasteOracleSeed << "\n"
        << write_cluster_yaml(cluster);
    kept += !in_vain && !in_idle ? 1 : 0;
    held += in_vain && !in_idle ? 1 : 0;
    idle += in_idle && !in_vain ? 1 : 0;
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(kept, 50);
  EXPECT_GT(held, 50);
  EXPECT_GT(idle, 50);
}

// A piece of a server's frontier: so much more of the first user's tasks for so much less of the other's.
struct Piece {
  double gain;
  double loss;
};

// The other user's most tasks on one server when the first has x: min_r (c_r - x d_r) / e_r.
double most_beside(const Bundle& capacity, const Bundle& demand, const Bundle& other, double x) {
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < kResources; ++r)
    most = std::min(most, (capacity[r] - x * demand[r]) / other[r]);
  return std::max(0.0, most);
}

void add_pieces(const Bundle& capacity, const Bundle& demand, const Bundle& other,
                std::vector<Piece>& pieces) {
  const double alone = runs(demand, capacity);
  std::vector<double> turns{0, alone};  // where another resource becomes the scarce one
  const double slopes = demand[0] / other[0] - demand[1] / other[1];
  const double turn = (capacity[0] / other[0] - capacity[1] / other[1]) / slopes;
  if (slopes != 0 && turn > 0 && turn < alone) turns.insert(turns.begin() + 1, turn);
  for (std::size_t k = 1; k < turns.size(); ++k)
    pieces.push_back({turns[k] - turns[k - 1], most_beside(capacity, demand, other, turns[k - 1]) -
                                                   most_beside(capacity, demand, other, turns[k])});
}

// The other user's most tasks on all servers together when the first has x of them: from everything, the
// pieces that cost least are given up first.
double most_beside(const std::vector<Bundle>& servers, const Bundle& demand, const Bundle& other, double x) {
  double most = 0;
  std::vector<Piece> pieces;
  for (const Bundle& capacity : servers) {
    most += runs(other, capacity);
    add_pieces(capacity, demand, other, pieces);
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.loss * b.gain < b.loss * a.gain; });
  for (const Piece& piece : pieces) {
    const double part = std::min(1.0, x / piece.gain);
    most -= part * piece.loss;
    x -= part * piece.gain;
    if (x <= 0) break;
  }
  return most;
}

TEST(WasteOracle, ParetoEfficiencyAgreesWithTheFrontierOfTwoUsersOverServersOfVeryUnequalSize) {
  Random random(kWasteOracleSeed);
  int efficient = 0;
  int wasteful = 0;
  for (int trial = 0; trial < random_cases(1000); ++trial) {
    const auto amount = [&](double scale) {
      return Quantity::from(std::round(1000 * (0.5 + random.unit())) * scale)->value();
    };
    const auto scale = [&] { return std::pow(10.0, static_cast<double>(random.below(9)) - 4); };
    std::vector<Bundle> servers;
    for (std::size_t i = 0; i < 2 + random.below(2); ++i) {
      const double size = scale();
      servers.push_back({amount(size), amount(size)});
    }
    std::array<Bundle, kUsers> demand;
    for (Bundle& each : demand) {
      const double size = scale();
      each = {amount(size), amount(size)};
    }
    // On every server a part for the first user, and all that is left, or nearly, for the other.
    const double rest = random.below(2) == 0 ? 1 : 0.9;
    const std::size_t pivot = random.below(servers.size());
    std::vector<std::vector<double>> tasks(kUsers);
    std::array<double, kUsers> total{};
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const bool mixed = i == pivot || random.below(2) == 0;
      const double part = mixed ? 0.1 + 0.8 * random.unit() : static_cast<double>(random.below(2));
      const double first = part * runs(demand[0], servers[i]);
      tasks[0].push_back(first);
      tasks[1].push_back(rest * most_beside(servers[i], demand[0], demand[1], first));
      for (std::size_t n = 0; n < kUsers; ++n) total[n] += tasks[n].back();
    }
    const double gain = std::max(most_beside(servers, demand[1], demand[0], total[1]) / total[0],
                                 most_beside(servers, demand[0], demand[1], total[0]) / total[1]) -
                        1;
    if (gain > 1e-8 && gain < 1e-4) continue;
    std::vector<std::vector<double>> capacities;
    for (const Bundle& each : servers) capacities.push_back({each[0], each[1]});
    const Cluster cluster =
        cluster_of(capacities, {{demand[0][0], demand[0][1]}, {demand[1][0], demand[1][1]}});
    const Problem problem = problem_of(cluster);
    const Outcome outcome = testing::giving(problem, Scope::servers, tasks);
    const Verdict verdict = check_pareto_efficiency({problem, outcome, Scope::servers});
    const std::string replay = fmt::format("division {} of seed {}, gain {}\n{}", trial, kWasteOracleSeed,
                                           gain, write_cluster_yaml(cluster));
    EXPECT_TRUE(verdict.decided) << replay;
    EXPECT_EQ(verdict.holds, gain <= 1e-8) << replay;
    if (!verdict.holds) {
      EXPECT_GT(verdict.witness->size, gain * 0.999) << replay;
    }
    ++(verdict.holds ? efficient : wasteful);
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(efficient, 100);
  EXPECT_GT(wasteful, 100);
}

}  // namespace
}  // namespace mirab
