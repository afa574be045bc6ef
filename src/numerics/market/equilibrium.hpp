#pragma once

#include <Eigen/Core>

#include "numerics/base/solve_report.hpp"
#include "numerics/market/price_newton.hpp"
#include "numerics/market/regret.hpp"

namespace mirab::numerics {

/// Amounts and prices of a game among servers, near an equilibrium.
struct [[nodiscard]] PricedServers {
  SolveReport report;         ///< error: relative_regret(); iterations: Newton steps, or sweeps
  Eigen::ArrayXXd amount;     ///< x ≥ 0, feasible, [n][i]
  Eigen::ArrayXXd log_price;  ///< ln λ_{i,r} per unit, [i][r], -∞ for a free resource
};

/// Constants of follow_price_path() and sweep_best_responses().
struct MarketTuning {
  // From a point of the path to amounts that fit.
  double below_cap = 1 - 1e-15;  ///< Derived: five roundings, so that none passes a cap.
  /// of a row's total: smaller placements are dropped. Harmless from 1e-15 to 1e-10.
  double dust = 1e-12;
  // Steps of every walk.
  double measured_from = 1e-6;  ///< μ, below which the regret is measured. Harmless from 1e-8 to 1e-3.
  double smallest_mu = 1e-17;   ///< Derived: products of numbers near 1 are lost in their rounding there.
  double short_step = 0.1;      ///< after it the next step only centres. Harmless from 0.01 to 0.3.
  double no_step = 1e-8;        ///< counts as none. Harmless from 1e-12 to 1e-4.
  int max_no_steps = 5;         ///< then the walk ends. Harmless from 2 to 20.
  /// of Gondzio, each a solution of the factored system. Harmless from 0 to 6.
  int corrections = 3;
  /// of the products about their mean, beyond which they are corrected, Gondzio's β_max. Harmless from 3 to
  /// 100.
  double spread = 10;
  double corrected_below = 0.95;  ///< length of a step. Harmless from 0.5 to 0.999.
  /// the length that a correction aims at: a multiple of the step's, or so much more. Harmless from 1.2
  /// to 5, and from 0.01 to 0.5.
  double hoped_times = 2, hoped_more = 0.1;
  /// times the step and so much more: a correction that lengthens it by less is the last. Measured: 386 steps
  /// in all, 440 with 1.2 times, 419 with 0.1 more. Harmless from 1.001 and from 0.001.
  double longer_times = 1.01, longer_by = 0.01;
  /// of the next μ in parts of this one. Measured: 386 steps in all, 375 with 1e-9, 482 with 1e-3.
  double min_sigma = 1e-6;
  double centring_sigma = 0.5;  ///< the same after a short step. Harmless from 0.2 to 0.9.
  /// least part of the way to the boundary; 1 - μ at the end. Measured: 386 steps in all, 440 with 0.7, 381
  /// with 0.99.
  double to_boundary = 0.9;
  /// times without a halved regret: then an accepted one is taken. Harmless from 2 to 10.
  int measured_in_vain = 3;
  // Of a centred walk.
  /// μ, below which rows keep up by themselves, to more digits. Harmless from 1e-11 to 1e-7.
  double rows_lag_from = 1e-9;
  double row_spread = 100;      ///< of a product about the mean. Harmless from 10 to 1000.
  double max_lag = 0.3;         ///< of use. Harmless from 0.1 to 1.
  double falling_lag = 0.1;     ///< of the lag and the step: less is no fall. Harmless from 0.01 to 0.5.
  double lag_per_mu = 100;      ///< of use, that a step may leave. Harmless from 30 to 1000.
  double centre_from_lag = 30;  ///< times μ, of use. Harmless from 10 to 300.
  double centred_sigma = 0.01;  ///< of the next μ at least. Harmless from 1e-4 to 0.1.
  double stalling = 0.3;        ///< length of a step that counts as short. Harmless from 0.1 to 0.5.
  /// short steps one after the other: then the walk ends. Harmless from 6 to 40.
  int max_stalled = 12;
  int max_halvings = 20;  ///< of a step. Derived: 2^-20 of it is no longer worth an iteration.
  // Of a careful walk.
  double agree = 10;     ///< factor within which z stays. Harmless from 3 to 100.
  double shrink = 0.6;   ///< of a step that does not agree. Harmless from 0.3 to 0.8.
  int max_shrinks = 60;  ///< Derived: 0.6^60 is 5e-14, a rounding.
  // The order of the walks.
  /// of ν: above what any row would pay for half of everything, 2. Measured: 386 steps in all, 494 with 2,
  /// 447 with 20.
  double first_price = 4;
  /// times that, where earlier walks did not arrive. Measured: of 1,200 small games with up to 10 orders of
  /// magnitude none is missed with 1 to 100 and with 1000, one with 10 in place of 100. Harmless from 1 to
  /// 100, and from 100 to 1000.
  double higher_price = 10, highest_price = 100;
  /// Measured: 450 small games take 4,750 steps when a bold walk comes first, 6,770 when it does not; with
  /// more placements it seldom arrives.
  Eigen::Index many_placements = 2000;
  /// Measured: with 30 as many small games arrive in as few steps; more than 100 are spent in vain.
  /// Harmless from 30 to 300.
  int bold_steps = 100;
  int centred_steps = 150;          ///< Harmless from 50 to 400.
  int careful_steps = 400;          ///< Harmless from 100 to 1000: a last resort.
  int careful_steps_of_many = 300;  ///< As careful_steps, of games that cost more.
  // Sweeps.
  /// a limit on time: at α = 1 some tens are enough, at other α sweeps may creep or circle.
  int max_sweeps = 300;
  double still = 1e-9;  ///< of X: a row that moves less does not move. Harmless from 1e-12 to 1e-7.
  /// sweeps without a halved regret: then an accepted one is taken. Harmless from 5 to 50.
  int sweeps_in_vain = 10;
  /// of one server's best response. Harmless from 1e-14 to 1e-10, for the target.
  Accuracy answer{.target = 1e-12, .accepted = 1e-9};
  PriceRowTuning rows = {};
  RegretTuning regret = {};
};

/// Finds an equilibrium: w_n^α X_n^(-α) γ_{n,i}^(α-1) ≤ λ_i·d_{n,i}, equal where x_{n,i} > 0, λ_{i,r} > 0
/// only where r is full on i. A capped row counts as if it had more than its cap, the same everywhere, where
/// it would want more.
///
/// Deterministic, whatever the threads. O(N(Km)² + (Km)³) an iteration, some 10 to 100 of them.
PricedServers follow_price_path(const ServerGame& game, const Accuracy& accuracy, int threads,
                                const MarketTuning& tuning = {});

/// Looks for an equilibrium as servers would that only know their own rows: each in turn answers what the
/// others gave, from nothing on, until the regret is the target, no row moves by more than 1e-9 of what
/// it has, an accepted regret is not halved in ten sweeps, or 300 are done. Gives the best sweep.
///
/// Every answer is a game of one server, solved by its m prices; O(K N m²) for each of some ten iterations a
/// sweep. At α = 1 every answer raises one concave potential; at other α the sweeps may creep or circle,
/// which the regret says.
PricedServers sweep_best_responses(const ServerGame& game, const Accuracy& accuracy, int threads,
                                   const MarketTuning& tuning = {});

}  // namespace mirab::numerics
