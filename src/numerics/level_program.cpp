// A primal-dual interior point method for a linear program with a row for each user and K m capacities.
//
//   max t    Σ_i x_{n,i} - s_n - w_n t = f_n            (π_n)        x z = s π = q λ = μ → 0
//            Σ_n x_{n,i} d_{n,i,r} + q_{i,r} = c_{i,r}  (λ_{i,r})
//   dual     λ_i·d_{n,i} - π_n - z_{n,i} = 0,  Σ_n w_n π_n = 1
//
// Sources: Mehrotra, On the Implementation of a Primal-Dual Interior Point Method, 1992; the correctors of
// Gondzio, Multiple Centrality Corrections in a Primal-Dual Method for Linear Programming, 1996;
// docs/mathematics.md, section 4.
//
// A Newton step eliminates x, z, s and π row by row (numerics/level_schur). Both programs take the same step:
// with many rows on few servers this halves the iterations. Every quantity keeps its unit, because the method
// does not notice how rows, servers and resources are scaled.
#include "numerics/level_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/blocks.hpp"
#include "numerics/level_schur.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr int kIterationsMost = 200;
constexpr int kCorrectorsMost = 2;
constexpr double kAspired = 0.3;  // by how much a corrector tries to lengthen a step
constexpr double kCentred = 0.1;  // products between 0.1 μ and 10 μ are left alone
constexpr double kShortest = 1e-9;
constexpr double kClose = 1e-6;
constexpr int kVainMost = 4;
constexpr double kGoneAstray = 100;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A point of both programs, or a direction. Where a row may not go x = 0 and z = 1, where a server has
// nothing λ = 0 and q = 1, and a direction is 0.
struct Point {
  ArrayXXd x, z;      // [n][i]
  ArrayXd s, pi;      // [n]
  ArrayXXd q, price;  // [i][r]
  double t = 0;
};

// What a step should bring the products x z, s π and q λ to, and to first order only its own part of it.
struct Products {
  ArrayXXd x;
  ArrayXd s;
  ArrayXXd q;
};

struct Residuals {
  ArrayXXd cost;    // z + π - λ·d, [n][i]
  ArrayXd row;      // f + w t + s - Σ x, [n]
  ArrayXXd server;  // c - Σ x d - q, [i][r]
  double rate = 0;  // 1 - Σ w π
};

struct Setting {
  const LevelProgram& program;
  int threads;
  ArrayXXd may_go;  // 1 or 0, [n][i]
  ArrayXXd there;   // 1 or 0, [i][r]: the server has some of it
  ArrayXXd open;    // 1 or 0, [i][r]: and may keep some of it
  ArrayXd loose;    // 1 or 0, [n]: the row may have more than its floor
  double products;  // how many products x z, s π, q λ there are
};

Setting setting_of(const LevelProgram& program, int threads) {
  Setting setting{program, threads, (program.rows.alone > 0).cast<double>(),
                  (program.rows.capacity > 0).cast<double>(),
                  (program.rows.capacity > 0 && !program.full).cast<double>(), (!program.held).cast<double>(), 0};
  setting.products = setting.may_go.sum() + setting.loose.sum() + setting.open.sum();
  return setting;
}

// λ_i·d_{n,i}, [n][i]; 0 where a row may not go.
ArrayXXd costs(const Setting& setting, const ArrayXXd& price) {
  const ServerRows& rows = setting.program.rows;
  ArrayXXd cost(rows.rows(), rows.servers());
  for_each_block(rows.rows(), setting.threads, [&](const Block& b) {
    for (Index i = 0; i < rows.servers(); ++i) {
      auto column = cost.col(i).segment(b.first, b.rows);
      column = rows.demand_on(i).col(0).segment(b.first, b.rows) * price(i, 0);
      for (Index r = 1; r < rows.resources(); ++r)
        column += rows.demand_on(i).col(r).segment(b.first, b.rows) * price(i, r);
      column *= setting.may_go.col(i).segment(b.first, b.rows);
    }
  });
  return cost;
}

// Everybody spreads over its servers in proportion to γ, above its floor so far that half of what is left is
// used; equal prices for whole servers, of which rows pay half.
Point starting_point(const Setting& setting) {
  const auto& [rows, floor, rate, held, full] = setting.program;
  const ArrayXXd part = rows.alone.colwise() / rows.alone.rowwise().sum();
  const ArrayXXd floors = demanded_by(rows, part.colwise() * floor, setting.threads);
  const ArrayXXd rates = demanded_by(rows, part.colwise() * rate, setting.threads);
  const ArrayXXd left = (rows.capacity - floors).max(0.1 * rows.capacity);
  const double level = 0.5 * (rates * setting.open > 0).select(left / rates, kInfinity).minCoeff();
  Point p;
  p.t = 0.5 * level;
  p.x = part.colwise() * (floor + level * rate);
  p.s = (0.5 * level * rate).max(0.1 * floor);
  p.s = (p.s > 0).select(p.s, 1e-3 * rows.alone.rowwise().sum()) * setting.loose;
  p.q = (rows.capacity - floors - level * rates).max(0.1 * rows.capacity) * setting.open + (1 - setting.there);
  const ArrayXXd largest = rows.capacity.colwise().maxCoeff().replicate(rows.servers(), 1);
  p.price = (setting.there > 0).select(setting.there / (setting.open > 0).select(rows.capacity, largest), 0);
  const ArrayXXd cost = costs(setting, p.price);
  p.pi = 0.5 * (setting.may_go > 0).select(cost, kInfinity).rowwise().minCoeff();
  const double scale = (rate * p.pi).sum();
  p.price /= scale;
  p.pi /= scale;
  p.z = ((cost / scale).colwise() - p.pi) * setting.may_go + (1 - setting.may_go);
  p.x = (setting.may_go > 0).select(p.x.max(1e-6 * rows.alone), 0);
  return p;
}

Residuals residuals_of(const Setting& setting, const Point& p) {
  const auto& [rows, floor, rate, held, full] = setting.program;
  Residuals of;
  of.cost = ((p.z - costs(setting, p.price)).colwise() + p.pi) * setting.may_go;
  of.row = floor + rate * p.t + p.s - p.x.rowwise().sum();
  of.server = (rows.capacity - demanded_by(rows, p.x, setting.threads) - p.q) * setting.there;
  of.rate = 1 - (rate * p.pi).sum();
  return of;
}

// s/π and q/λ, 0 for equations.
ArrayXd s_by_pi(const Setting& setting, const Point& p) { return (setting.loose > 0).select(p.s / p.pi, 0); }
ArrayXXd q_by_price(const Setting& setting, const Point& p) {
  return (setting.open > 0).select(p.q / p.price, 0);
}

// The products after a step of such a length.
Products products_at(const Point& p, const Point& d, double step) {
  return {.x = (p.x + step * d.x) * (p.z + step * d.z),
          .s = (p.s + step * d.s) * (p.pi + step * d.pi),
          .q = (p.q + step * d.q) * (p.price + step * d.price)};
}

double sum(const Products& products) { return products.x.sum() + products.s.sum() + products.q.sum(); }

// Newton's direction from p towards products of `wanted` (less what is of second order), and no residuals.
Point direction(const Setting& setting, const Point& p, const Residuals& off, const LevelSchur& schur,
                const ArrayXXd& theta, const Products& wanted) {
  const auto& [rows, floor, rate, held, full] = setting.program;
  ArrayXXd g(rows.rows(), rows.servers());  // Δx, but for what prices and π change
  ArrayXd h(rows.rows());
  const ArrayXd s_step = (setting.loose > 0).select(wanted.s / p.pi - p.s, 0);
  const ArrayXXd q_step = (setting.open > 0).select(wanted.q / p.price - p.q, 0);
  ArrayXXd y(rows.rows(), rows.servers());
  for_each_block(rows.rows(), setting.threads, [&](const Block& b) {
    const auto of = [&](auto& array) { return array.middleRows(b.first, b.rows); };
    of(g) = (of(theta) * of(off.cost) - of(p.x) + of(wanted.x) / of(p.z)) * of(setting.may_go);
    of(h) = of(off.row) + of(s_step) - of(g).rowwise().sum();
    of(y) = of(g) + of(theta).colwise() * (of(h) / of(schur.pivot()));
  });
  const ArrayXXd u = demanded_by(rows, y, setting.threads) + q_step - off.server;
  const LevelSchur::Step step = schur.solve(u * setting.there, off.rate - (rate * h / schur.pivot()).sum());

  Point d;
  d.t = step.level;
  d.price = step.price * setting.there;
  d.q = q_step - q_by_price(setting, p) * d.price;
  const ArrayXXd cost = costs(setting, d.price);
  d.x.resizeLike(p.x);
  d.z.resizeLike(p.z);
  d.s.resizeLike(p.s);
  d.pi.resizeLike(p.pi);
  for_each_block(rows.rows(), setting.threads, [&](const Block& b) {
    const auto of = [&](auto& array) { return array.middleRows(b.first, b.rows); };
    of(d.pi) = (of(h) + (of(theta) * of(cost)).rowwise().sum() + of(rate) * d.t) / of(schur.pivot());
    of(d.x) = of(g) - of(theta) * (of(cost).colwise() - of(d.pi));
    of(d.z) = ((of(cost) - of(off.cost)).colwise() - of(d.pi)) * of(setting.may_go);
    of(d.s) = (of(setting.loose) > 0).select(of(s_step) - of(p.s) / of(p.pi) * of(d.pi), 0);
  });
  return d;
}

// The longest step that keeps v + step d ≥ 0.
double room(const Eigen::Ref<const ArrayXXd>& v, const Eigen::Ref<const ArrayXXd>& d) {
  const double steepest = (d < 0).select(-d / v, 0).maxCoeff();
  return steepest > 0 ? 1 / steepest : kInfinity;
}

double longest_step(const Setting& setting, const Point& p, const Point& d) {
  std::vector<double> rooms(static_cast<std::size_t>(block_count(p.x.rows())));
  for_each_block(p.x.rows(), setting.threads, [&](const Block& b) {
    const auto of = [&](auto& array) { return array.middleRows(b.first, b.rows); };
    rooms[static_cast<std::size_t>(b.index)] = std::min(
        {room(of(p.x), of(d.x)), room(of(p.z), of(d.z)), room(of(p.s), of(d.s)), room(of(p.pi), of(d.pi) * of(setting.loose))});
  });
  const double rows = *std::min_element(rooms.begin(), rooms.end());
  return std::min({1.0, rows, room(p.q, d.q), room(p.price, d.price * setting.open)});
}

// Gondzio's: adds to the wanted products what brings outliers of a step that is longer by kAspired back.
void pull_outliers(const Point& p, const Point& d, double step, double mu, Products& wanted) {
  const Products far = products_at(p, d, std::min(1.0, step + kAspired));
  const auto pull = [mu](const auto& product) {
    return (product.max(kCentred * mu).min(mu / kCentred) - product).max(-mu / kCentred);
  };
  wanted.x += pull(far.x);
  wanted.s += pull(far.s);
  wanted.q += pull(far.q);
}

// One iteration. The length of the step.
double advance(const Setting& setting, const Residuals& off, Point& p) {
  const ArrayXXd theta = p.x / p.z;
  const LevelSchur schur(setting.program.rows, theta, s_by_pi(setting, p), setting.program.rate,
                         q_by_price(setting, p) + (1 - setting.there), setting.threads);
  Products wanted{.x = ArrayXXd::Zero(p.x.rows(), p.x.cols()),
                  .s = ArrayXd::Zero(p.s.size()),
                  .q = ArrayXXd::Zero(p.q.rows(), p.q.cols())};
  const Point affine = direction(setting, p, off, schur, theta, wanted);
  const double gap = sum(products_at(p, affine, 0));
  const double sigma = std::pow(sum(products_at(p, affine, longest_step(setting, p, affine))) / gap, 3);
  const double mu = sigma * gap / setting.products;
  wanted = {.x = mu - affine.x * affine.z, .s = mu - affine.s * affine.pi, .q = mu - affine.q * affine.price};
  Point d = direction(setting, p, off, schur, theta, wanted);
  double step = longest_step(setting, p, d);
  for (int corrector = 0; corrector < kCorrectorsMost && step < 0.9; ++corrector) {
    pull_outliers(p, d, step, mu, wanted);
    Point corrected = direction(setting, p, off, schur, theta, wanted);
    const double corrected_step = longest_step(setting, p, corrected);
    if (corrected_step < step + 0.05 * kAspired) break;
    step = corrected_step;
    d = std::move(corrected);
  }
  step *= std::clamp(1 - 0.1 * gap / p.t, 0.9, 0.9995);
  p.x += step * d.x;
  p.z += step * d.z;
  p.s += step * d.s;
  p.pi += step * d.pi;
  p.q += step * d.q;
  p.price += step * d.price;
  p.t += step * d.t;
  return step;
}

double relative_gap(const Point& p) {
  return ((p.x * p.z).sum() + (p.s * p.pi).sum() + (p.q * p.price).sum()) / std::abs(p.t);
}

// How far p is from being optimal: its gap, and what it misses of rows and servers, relatively.
double distance(const Setting& setting, const Residuals& off, const Point& p) {
  const ArrayXd row = setting.program.floor + setting.program.rate * std::abs(p.t);
  const double rows = (row > 0).select(off.row.abs() / row, 0).maxCoeff();
  const ArrayXXd& capacity = setting.program.rows.capacity;
  return relative_gap(p) + rows + (capacity > 0).select(off.server.abs() / capacity, 0).maxCoeff();
}

// The point nearest to an optimum on the way: the last steps can do harm when nothing is left between floors
// and capacities.
Point nearest_point(const Setting& setting, double goal, int& iterations) {
  Point p = starting_point(setting);
  Point nearest = p;
  double least = kInfinity;
  int in_vain = 0;
  for (iterations = 0; iterations < kIterationsMost; ++iterations) {
    const Residuals off = residuals_of(setting, p);
    const double now = distance(setting, off, p);
    in_vain = now < 0.5 * least ? 0 : in_vain + 1;
    if (now < least) {
      least = now;
      nearest = p;
    }
    const bool worse = now > kGoneAstray * least && least < kClose;
#ifdef TRACE
    if(getenv("LV")) printf("  it %d t %.12g gap %.3g dist %.3g price %g x %g z %g q %g\n",iterations,p.t,relative_gap(p),now,p.price.minCoeff(),p.x.maxCoeff(),p.z.minCoeff(),p.q.minCoeff());
    if(getenv("LV2")) { const ArrayXd row = setting.program.floor + setting.program.rate * std::abs(p.t); const ArrayXXd& cc=setting.program.rows.capacity; Index n,i,r; const double a=(row>0).select(off.row.abs()/row,0).maxCoeff(&n); const double b=(cc>0).select(off.server.abs()/cc,0).maxCoeff(&i,&r); printf("  it %d gap %.3g row %g (X %g held %d go %g) server %g (%ld %ld c %g full %d mincap %g)\n",iterations,relative_gap(p),a,row[n],(int)setting.program.held[n],setting.may_go.row(n).sum(),b,(long)i,(long)r,cc(i,r),(int)setting.program.full(i,r),cc.minCoeff()); }
#endif
    const bool stalled = in_vain > kVainMost && least < kClose;
    if (!std::isfinite(now) || worse || stalled || relative_gap(p) <= goal) break;
    if (advance(setting, off, p) < kShortest) break;
  }
  return nearest;
}

}  // namespace

LevelSolution solve_level_program(const LevelProgram& program, double goal, int threads) {
  const Setting setting = setting_of(program, threads);
  const ServerRows& rows = program.rows;
  int iterations = 0;
  const Point p = nearest_point(setting, goal, iterations);
  const ArrayXXd used = demanded_by(rows, p.x, threads);
  const double most = (rows.capacity > 0).select(used / rows.capacity, 0).maxCoeff();
  LevelSolution solution{.amount = p.x / std::max(1.0, most), .price = p.price, .iterations = iterations};
  const ArrayXd above = solution.amount.rowwise().sum() - program.floor;
  solution.level = (program.rate > 0).select(above / program.rate, kInfinity).minCoeff();
  return solution;
}

}  // namespace mirab::numerics
