// The ranges in which constants are harmless: with the values at both ends every problem is solved
// to the accepted accuracy, and the results agree. MIRAB_TUNING=1 prints the iterations for each value.
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <mirab/model/random.hpp>

#include "numerics/lexmaxmin/levels.hpp"
#include "numerics/many_rows.hpp"
#include "numerics/market/equilibrium.hpp"
#include "numerics/pool/classes.hpp"
#include "numerics/pool/dual.hpp"
#include "numerics/pool/water_filling.hpp"
#include "numerics/psdsf/server_levels.hpp"
#include "numerics/queueing/markov_grid.hpp"
#include "numerics/random_game.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr std::uint64_t tuning_seed = 20;

// A constant, and the ends of the range that its comment gives.
template <class Tuning>
struct Constant {
  std::string name;
  std::function<void(Tuning&, double)> set;
  double low, high;
};

template <class Tuning, class Value>
Constant<Tuning> constant(const char* name, Value Tuning::*member, double low, double high) {
  return {name, [=](Tuning& tuning, double value) { tuning.*member = static_cast<Value>(value); }, low, high};
}

// A constant of a part of a tuning.
template <class Tuning, class Part, class Value>
Constant<Tuning> constant(const char* name, Part Tuning::*part, Value Part::*member, double low,
                          double high) {
  return {name, [=](Tuning& tuning, double value) { tuning.*part.*member = static_cast<Value>(value); }, low,
          high};
}

// What a set of problems came to: the totals of all rows, and how it went.
struct Solved {
  std::vector<double> totals;
  int missed = 0, iterations = 0;

  void add(const SolveReport& report, const ArrayXd& total) {
    missed += report.converged() ? 0 : 1;
    iterations += report.iterations;
    totals.insert(totals.end(), total.begin(), total.end());
  }
};

template <class Tuning>
void sweep(const Tuning& defaults, const std::vector<Constant<Tuning>>& constants, double agreement,
           const std::function<Solved(const Tuning&)>& solve) {
  const bool print = std::getenv("MIRAB_TUNING") != nullptr;
  const Solved expected = solve(defaults);
  ASSERT_EQ(expected.missed, 0);
  if (print) fmt::print("defaults: {} iterations\n", expected.iterations);
  for (const Constant<Tuning>& constant : constants) {
    for (const double value : {constant.low, constant.high}) {
      Tuning tuning = defaults;
      constant.set(tuning, value);
      const Solved found = solve(tuning);
      double worst = 0;
      for (std::size_t k = 0; k < found.totals.size(); ++k) {
        const double size = std::max(std::abs(expected.totals[k]), std::abs(found.totals[k]));
        if (size > 0) worst = std::max(worst, std::abs(found.totals[k] - expected.totals[k]) / size);
      }
      if (print)
        fmt::print("{} = {}: {} missed, {} iterations, off by {:.1e}\n", constant.name, value, found.missed,
                   found.iterations, worst);
      EXPECT_EQ(found.missed, 0) << constant.name << " = " << value << ", seed " << tuning_seed;
      EXPECT_LE(worst, agreement) << constant.name << " = " << value << ", seed " << tuning_seed;
    }
  }
}

struct PoolInstance {
  ArrayXXd demand;
  ArrayXd capacity, coefficient, cap;
};

PoolInstance pool_instance(Random& random, Index rows, Index columns) {
  const auto draw = [&] { return std::pow(10.0, 2 * (random.unit() - 0.5)); };
  PoolInstance instance;
  instance.demand = ArrayXXd::NullaryExpr(rows, columns, [&] { return random.below(3) == 0 ? 0 : draw(); });
  for (Index n = 0; n < rows; ++n) instance.demand(n, n % columns) += draw();
  instance.capacity = ArrayXd::NullaryExpr(columns, [&] { return static_cast<double>(rows) * draw(); });
  instance.coefficient = ArrayXd::NullaryExpr(rows, [&] { return 0.2 + 4 * random.unit(); });
  instance.cap =
      ArrayXd::NullaryExpr(rows, [&] { return random.below(3) == 0 ? 5 * random.unit() : kInfinity; });
  return instance;
}

Solved solve_pools(const std::vector<PoolInstance>& instances, const DualTuning& tuning) {
  Solved solved;
  for (const PoolInstance& each : instances) {
    for (const double alpha : {0.5, 1.0, 3.0, 20.0}) {
      const PricedAmounts priced = solve_dual({each.demand, each.capacity, each.coefficient, each.cap, alpha},
                                              {.target = 1e-12, .accepted = 1e-9}, tuning);
      solved.add(priced.report, priced.amount);
    }
  }
  return solved;
}

TEST(Tuning, OfTheDual) {
  Random random(tuning_seed);
  std::vector<PoolInstance> instances;
  for (int k = 0; k < 60; ++k) instances.push_back(pool_instance(random, 2 + k % 30, 1 + k % 5));
  const std::vector<Constant<DualTuning>> constants{
      constant("certain_after", &DualTuning::certain_after, 10, 100),
      constant("decrease", &DualTuning::decrease, 0.1, 0.9),
      constant("shortest_step", &DualTuning::shortest_step, 1e-9, 1e-3),
      constant("tame_alpha", &DualTuning::tame_alpha, 1, 4),
      constant("steep_alpha", &DualTuning::steep_alpha, 4, 16),
      constant("stage_goal", &DualTuning::stage_goal, 1e-6, 1e-2),
      constant("levenberg", &DualTuning::levenberg, 1e-13, 1e-8),
      constant("lost_say", &DualTuning::lost_say, 1e-6, 1e-2),
      constant("overused", &DualTuning::overused, 1e-11, 1e-6),
      constant("bisected", &DualTuning::bisected, 1e-13, 1e-8),
      constant("rounds_each", &DualTuning::complementarity, &ComplementarityTuning::rounds_each, 3, 100),
      constant("clearly", &DualTuning::complementarity, &ComplementarityTuning::clearly, 1e-15, 1e-10)};
  sweep<DualTuning>({}, constants, 1e-9,
                    [&](const DualTuning& tuning) { return solve_pools(instances, tuning); });
}

TEST(Tuning, OfTheSampleOfTheDual) {
  Random random(tuning_seed);
  const std::vector<PoolInstance> instances{pool_instance(random, 20'000, 3)};
  const std::vector<Constant<DualTuning>> constants{
      constant("sample_goal", &DualTuning::sample_goal, 1e-10, 1e-4),
      constant("sample_every", &DualTuning::sample_every, 4, 64),
      constant("sampled_from", &DualTuning::sampled_from, 1 << 10, 1 << 20)};
  sweep<DualTuning>({}, constants, 1e-9,
                    [&](const DualTuning& tuning) { return solve_pools(instances, tuning); });
}

TEST(Tuning, OfWaterFilling) {
  Random random(tuning_seed);
  std::vector<PoolInstance> instances;
  for (int k = 0; k < 60; ++k) instances.push_back(pool_instance(random, 2 + k, 1 + k % 5));
  const std::vector<Constant<WaterTuning>> constants{
      constant("resum_below", &WaterTuning::resum_below, 0.1, 0.9)};
  sweep<WaterTuning>({}, constants, 1e-12, [&](const WaterTuning& tuning) {
    Solved solved;
    for (const PoolInstance& each : instances) {
      const WaterLevels levels = fill_with_water(
          each.demand, each.capacity, each.cap,
          [&](Index first, Eigen::Ref<ArrayXd> rates) {
            rates = each.coefficient.segment(first, rates.size());
          },
          tuning);
      solved.add(levels.report, levels.amount);
    }
    return solved;
  });
}

// One row comes or goes at a time.
TEST(Tuning, OfClassesOfRows) {
  for (const double alpha : {0.5, 1.0, 4.0}) {
    RowClasses classes{.resources = 3, .demand = {}, .alpha = alpha};
    Random draw(tuning_seed);
    for (int entry = 0; entry < 12; ++entry) classes.demand.push_back(0.1 + draw.unit());
    const std::vector<Constant<ClassPriceTuning>> constants{
        constant("max_steps", &ClassPriceTuning::max_steps, 10, 100),
        constant("armijo", &ClassPriceTuning::armijo, 1e-6, 1e-1),
        constant("ridge", &ClassPriceTuning::ridge, 1e-15, 1e-11)};
    sweep<ClassPriceTuning>({}, constants, 1e-9, [&](const ClassPriceTuning& tuning) {
      Random random(tuning_seed);
      Solved solved;
      ClassPrices prices(classes, tuning);
      std::vector<std::int64_t> counts{3, 1, 4, 2};
      std::vector<double> amounts(4);
      for (int k = 0; k < 300; ++k) {
        std::int64_t& count = counts[random.below(4)];
        count += count > 1 && random.below(2) == 0 ? -1 : 1;
        prices.divide(counts, amounts);
        solved.totals.insert(solved.totals.end(), amounts.begin(), amounts.end());
      }
      solved.missed = static_cast<int>(prices.not_converged());
      solved.iterations = static_cast<int>(prices.steps());
      return solved;
    });
  }
}

TEST(Tuning, OfMarkovChains) {
  MarkovGrid grid{.rows = 40, .columns = 30};
  for (std::size_t i = 0; i < grid.rows; ++i) {
    for (std::size_t j = 0; j < grid.columns; ++j) {
      grid.row_birth.push_back(i + 1 < grid.rows ? 0.9 : 0);
      grid.row_death.push_back(i > 0 ? 1 : 0);
      grid.column_birth.push_back(j + 1 < grid.columns ? 0.6 : 0);
      grid.column_death.push_back(j > 0 ? 1 : 0);
    }
  }
  const std::vector<Constant<MarkovTuning>> constants{
      constant("solved_directly", &MarkovTuning::solved_directly, 1, 64),
      constant("rounds", &MarkovTuning::rounds, 1, 3), constant("patience", &MarkovTuning::patience, 5, 50)};
  sweep<MarkovTuning>({}, constants, 1e-8, [&](const MarkovTuning& tuning) {
    Solved solved;
    const Stationary found = stationary_distribution(grid, std::vector<double>(40 * 30, 1.0),
                                                     {.target = 1e-12, .accepted = 1e-11}, tuning);
    solved.add(found.report, Eigen::Map<const ArrayXd>(found.probability.data(), 40 * 30));
    return solved;
  });
}

LevelsInFull unneeded() { return {.rows = {}, .unit = {}}; }

TEST(Tuning, OfLexicographicMaxMin) {
  Random random(tuning_seed);
  std::vector<ServerRows> problems;
  for (int k = 0; k < 30; ++k)
    problems.push_back(
        testing::many_rows(random, 40, 4, k % 2 == 0 ? testing::Caps::none : testing::Caps::half));
  problems.push_back(testing::many_rows(random, 600, 8, testing::Caps::half));
  LevelTuning doubles_only;
  doubles_only.big_work = 0;
  const std::vector<Constant<LevelTuning>> constants{
      constant("max_noise", &LevelTuning::max_noise, 1e-11, 1e-7),
      constant("lost_part", &LevelTuning::lost_part, 1e-12, 1e-8),
      constant("slip", &LevelTuning::slip, 1e-15, 1e-11),
      constant("flat", &LevelTuning::flat, 1e-14, 1e-10),
      constant("priced_rows", &LevelTuning::priced_rows, 16, 4096),
      constant("enough", &LevelTuning::enough, 8, 512),
      constant("kept", &LevelTuning::kept, 1, 512),
      constant("cheaper", &LevelTuning::cheaper, 1e-14, 1e-10),
      constant("no_gain", &LevelTuning::no_gain, 0, 1e-13),
      constant("negative", &LevelTuning::negative, 1e-15, 1e-11),
      constant("refresh_every", &LevelTuning::refresh_every, 8, 256),
      constant("pivots_each", &LevelTuning::pivots_each, 30, 1000),
      constant("sample_every", &LevelTuning::sample_every, 2, 32),
      constant("sampled_from", &LevelTuning::sampled_from, 64, 4096),
      constant("about_same", &LevelTuning::about_same, 1, 1.2),
      constant("fixed_within", &LevelTuning::fixed_within, 1e-7, 1e-4),
      constant("near_lowest", &LevelTuning::near_lowest, 2, 100),
      constant("as_cheap", &LevelTuning::as_cheap, 1e-11, 1e-7)};
  sweep<LevelTuning>(doubles_only, constants, 1e-8, [&](const LevelTuning& tuning) {
    Solved solved;
    for (const ServerRows& rows : problems) {
      const RaisedLevels levels = raise_levels(rows, ArrayXd::Ones(rows.rows()), unneeded, tuning);
      solved.add(levels.report, levels.amount.rowwise().sum());
    }
    return solved;
  });
}

// At α = 1 the totals are unique. A regret of 1e-7, of the second order, leaves them off by its root.
TEST(Tuning, OfTheMarket) {
  Random random(tuning_seed);
  std::vector<testing::RandomGame> games;
  for (int k = 0; k < 40; ++k) games.push_back(testing::random_game(random, {}));
  for (const testing::Caps caps : {testing::Caps::none, testing::Caps::half}) {
    testing::RandomGame game{.rows = testing::many_rows(random, 300, 8, caps), .weight = {}, .elsewhere = {}};
    game.weight = ArrayXd::Ones(300);
    games.push_back(std::move(game));
  }
  const std::vector<Constant<MarketTuning>> constants{
      constant("dust", &MarketTuning::dust, 1e-15, 1e-10),
      constant("measured_from", &MarketTuning::measured_from, 1e-8, 1e-3),
      constant("short_step", &MarketTuning::short_step, 0.01, 0.3),
      constant("no_step", &MarketTuning::no_step, 1e-12, 1e-4),
      constant("max_no_steps", &MarketTuning::max_no_steps, 2, 20),
      constant("corrections", &MarketTuning::corrections, 0, 6),
      constant("spread", &MarketTuning::spread, 3, 100),
      constant("corrected_below", &MarketTuning::corrected_below, 0.5, 0.999),
      constant("hoped_times", &MarketTuning::hoped_times, 1.2, 5),
      constant("hoped_more", &MarketTuning::hoped_more, 0.01, 0.5),
      constant("longer_times", &MarketTuning::longer_times, 1.001, 1.2),
      constant("longer_by", &MarketTuning::longer_by, 0.001, 0.1),
      constant("falling_lag", &MarketTuning::falling_lag, 0.01, 0.5),
      constant("higher_price", &MarketTuning::higher_price, 1, 100),
      constant("highest_price", &MarketTuning::highest_price, 100, 1000),
      constant("min_sigma", &MarketTuning::min_sigma, 1e-9, 1e-3),
      constant("centring_sigma", &MarketTuning::centring_sigma, 0.2, 0.9),
      constant("to_boundary", &MarketTuning::to_boundary, 0.7, 0.99),
      constant("measured_in_vain", &MarketTuning::measured_in_vain, 2, 10),
      constant("rows_lag_from", &MarketTuning::rows_lag_from, 1e-11, 1e-7),
      constant("row_spread", &MarketTuning::row_spread, 10, 1000),
      constant("max_lag", &MarketTuning::max_lag, 0.1, 1),
      constant("lag_per_mu", &MarketTuning::lag_per_mu, 30, 1000),
      constant("centre_from_lag", &MarketTuning::centre_from_lag, 10, 300),
      constant("centred_sigma", &MarketTuning::centred_sigma, 1e-4, 0.1),
      constant("stalling", &MarketTuning::stalling, 0.1, 0.5),
      constant("max_stalled", &MarketTuning::max_stalled, 6, 40),
      constant("agree", &MarketTuning::agree, 3, 100),
      constant("shrink", &MarketTuning::shrink, 0.3, 0.8),
      constant("first_price", &MarketTuning::first_price, 2, 20),
      constant("bold_steps", &MarketTuning::bold_steps, 30, 300),
      constant("centred_steps", &MarketTuning::centred_steps, 50, 400),
      constant("careful_steps", &MarketTuning::careful_steps, 100, 1000),
      constant("solved", &MarketTuning::rows, &PriceRowTuning::solved, 1e-15, 1e-10),
      constant("longest_step", &MarketTuning::rows, &PriceRowTuning::longest_step, 1, 10),
      constant("inside", &MarketTuning::rows, &PriceRowTuning::inside, 0.9, 0.9999),
      constant("lowest_start", &MarketTuning::rows, &PriceRowTuning::lowest_start, 1e-4, 0.1),
      constant("at_cap", &MarketTuning::regret, &RegretTuning::at_cap, 1e-14, 1e-10)};
  sweep<MarketTuning>({}, constants, std::sqrt(1e-7), [&](const MarketTuning& tuning) {
    Solved solved;
    for (const testing::RandomGame& game : games) {
      const PricedServers found =
          follow_price_path(game.with(1), {.target = 1e-12, .accepted = 1e-7}, 1, tuning);
      solved.add(found.report, found.amount.rowwise().sum());
    }
    return solved;
  });
}

TEST(Tuning, OfSweepsOfBestResponses) {
  Random random(tuning_seed);
  std::vector<testing::RandomGame> games;
  for (int k = 0; k < 12; ++k) games.push_back(testing::random_game(random, {.caps = false}));
  const std::vector<Constant<MarketTuning>> constants{
      constant("still", &MarketTuning::still, 1e-12, 1e-7),
      constant("sweeps_in_vain", &MarketTuning::sweeps_in_vain, 5, 50),
      {"answer", [](MarketTuning& tuning, double value) { tuning.answer.target = value; }, 1e-14, 1e-10}};
  sweep<MarketTuning>({}, constants, std::sqrt(1e-7), [&](const MarketTuning& tuning) {
    Solved solved;
    for (const testing::RandomGame& game : games) {
      const PricedServers found =
          sweep_best_responses(game.with(1), {.target = 1e-10, .accepted = 1e-7}, 1, tuning);
      solved.add(found.report, found.amount.rowwise().sum());
    }
    return solved;
  });
}

TEST(Tuning, OfLinearPrograms) {
  Random random(tuning_seed);
  std::vector<LinearProgram> programs;
  for (Index k = 0; k < 40; ++k) {
    programs.push_back({.value = Eigen::VectorXd::NullaryExpr(12, [&] { return random.unit(); }),
                        .rows = Eigen::MatrixXd::NullaryExpr(8, 12, [&] { return 0.1 + random.unit(); }),
                        .limit = Eigen::VectorXd::NullaryExpr(8, [&] { return random.unit(); })});
  }
  const std::vector<Constant<LinearTuning>> constants{
      constant("zero", &LinearTuning::zero, 1e-14, 1e-10),
      constant("pivots_each", &LinearTuning::pivots_each, 10, 1000)};
  sweep<LinearTuning>({}, constants, 1e-7, [&](const LinearTuning& tuning) {
    Solved solved;
    for (const LinearProgram& program : programs) {
      const LinearOptimum best = maximise(program, tuning);
      solved.add(best.report, ArrayXd::Constant(1, program.value.dot(best.amount)));
    }
    return solved;
  });
}

// Levels of servers have several solutions: that each is one is what can be asked.
TEST(Tuning, OfServersThatFillThemselves) {
  Random random(tuning_seed);
  std::vector<ServerRows> problems;
  for (int k = 0; k < 25; ++k) problems.push_back(testing::random_game(random, {}).rows);
  for (int k = 0; k < 3; ++k) problems.push_back(testing::many_rows(random, 400, 5, testing::Caps::half));
  using T = ServerLevelTuning;
  const std::vector<Constant<T>> constants{
      constant("few_pairs", &T::few_pairs, 0, 5000),
      constant("sweeps_of_few", &T::sweeps_of_few, 50, 1000),
      constant("first_sweeps", &T::first_sweeps, 2, 20),
      constant("patience", &T::patience, 300, 20'000),
      constant("settling_rounds", &T::tie, &TieTuning::settling_rounds, 1, 10),
      {"full", [](T& tuning, double value) { tuning.sweep.response.full = value; }, 1e-15, 1e-10},
      {"sampled",
       [](T& tuning, double value) {
         tuning.sampled_from = 300;
         tuning.sample_every = static_cast<Index>(value);
       },
       4, 16},
      constant("settled", &T::sweep, &SweepTuning::settled, 1e-15, 1e-11),
      constant("agree", &T::sweep, &SweepTuning::agree, 0.05, 0.4),
      constant("min_agree", &T::sweep, &SweepTuning::min_agree, 1e-6, 1e-2),
      constant("relax", &T::sweep, &SweepTuning::relax, 1.1, 2),
      constant("sweeps_to_agree", &T::sweep, &SweepTuning::sweeps_to_agree, 2, 6),
      constant("settling", &T::sweep, &SweepTuning::settling, 0.2, 0.8),
      constant("shortest", &T::sweep, &SweepTuning::shortest, 1, 10),
      constant("furthest", &T::sweep, &SweepTuning::furthest, 1e6, 1e12),
      constant("overflow", &T::tie, &TieTuning::overflow, 1e-12, 1e-7),
      constant("below", &T::tie, &TieTuning::below, 1e-14, 1e-9),
      constant("high_level", &T::tie, &TieTuning::high_level, 1.5, 10),
      constant("row_solved", &T::tie, &TieTuning::row_solved, 1e-14, 1e-9),
      constant("to_boundary", &T::tie, &TieTuning::to_boundary, 0.9, 0.999),
      constant("short_step", &T::tie, &TieTuning::short_step, 0.01, 0.2),
      constant("poor_prediction", &T::tie, &TieTuning::poor_prediction, 0.01, 0.3),
      constant("poor_sigma", &T::tie, &TieTuning::poor_sigma, 0.1, 0.8),
      constant("min_sigma", &T::tie, &TieTuning::min_sigma, 1e-6, 1e-2),
      constant("level_divisor", &T::tie, &TieTuning::level_divisor, 1, 100),
      constant("last_product", &T::tie, &TieTuning::last_product, 1e-14, 1e-10),
      constant("balanced", &T::tie, &TieTuning::balanced, 1e-11, 1e-7),
      constant("window", &T::tie, &TieTuning::window, 10, 100),
      constant("widest_window", &T::tie, &TieTuning::widest_window, 0.03, 0.3),
      constant("good_step", &T::tie, &TieTuning::good_step, 0.2, 0.9),
      constant("steps_between", &T::tie, &TieTuning::steps_between, 0, 6),
      constant("few_rows", &T::tie, &TieTuning::few_rows, 20, 2000),
      constant("stuck_step", &T::tie, &TieTuning::stuck_step, 1e-5, 1e-2),
      constant("stuck_steps", &T::tie, &TieTuning::stuck_steps, 4, 20),
      constant("weakest_tie", &T::tie, &TieTuning::weakest_tie, 1e-8, 1e-4),
      constant("tied", &T::tie, &TieTuning::tied, 1e-12, 1e-8),
      constant("nearly_full", &T::tie, &TieTuning::nearly_full, 1e-7, 1e-3)};
  sweep<T>({}, constants, 0, [&](const T& tuning) {
    Solved solved;
    for (const ServerRows& rows : problems) {
      const ServerLevels found =
          level_servers(rows, ArrayXd::Ones(rows.rows()), {.target = 5e-9, .accepted = 1e-8}, tuning);
      solved.add(found.report, ArrayXd());
      EXPECT_LE(level_violation(rows, rows.alone, found.x), 1e-8);
    }
    return solved;
  });
}

}  // namespace
}  // namespace mirab::numerics
