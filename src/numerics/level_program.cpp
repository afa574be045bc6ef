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
  double products;  // how many products x z, s π, q λ there are
};

Setting setting_of(const LevelProgram& program, int threads) {
  Setting setting{program, threads, (program.rows.alone > 0).cast<double>(),
                  (program.rows.capacity > 0).cast<double>(), 0};
  setting.products = setting.may_go.sum() + static_cast<double>(program.rows.rows()) + setting.there.sum();
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
  const auto& [rows, floor, rate] = setting.program;
  const ArrayXXd part = rows.alone.colwise() / rows.alone.rowwise().sum();
  const ArrayXXd floors = demanded_by(rows, part.colwise() * floor, setting.threads);
  const ArrayXXd rates = demanded_by(rows, part.colwise() * rate, setting.threads);
  const ArrayXXd left = (rows.capacity - floors).max(0.1 * rows.capacity);
  const double level = 0.5 * (rates > 0).select(left / rates, kInfinity).minCoeff();
  Point p;
  p.t = 0.5 * level;
  p.x = part.colwise() * (floor + level * rate);
  p.s = (0.5 * level * rate).max(0.1 * floor);
  p.s = (p.s > 0).select(p.s, 1e-3 * rows.alone.rowwise().sum());
  p.q = (rows.capacity - floors - level * rates).max(0.1 * rows.capacity) + (1 - setting.there);
  p.price = setting.there / (rows.capacity + (1 - setting.there));
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
  const auto& [rows, floor, rate] = setting.program;
  Residuals of;
  of.cost = ((p.z - costs(setting, p.price)).colwise() + p.pi) * setting.may_go;
  of.row = floor + rate * p.t + p.s - p.x.rowwise().sum();
  of.server = (rows.capacity - demanded_by(rows, p.x, setting.threads) - p.q) * setting.there;
  of.rate = 1 - (rate * p.pi).sum();
  return of;
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
  const ServerRows& rows = setting.program.rows;
  const ArrayXd& rate = setting.program.rate;
  ArrayXXd g(rows.rows(), rows.servers());  // Δx, but for what prices and π change
  ArrayXd h(rows.rows());
  const ArrayXd s_step = wanted.s / p.pi - p.s;
  const ArrayXXd q_step = (wanted.q / (p.price + (1 - setting.there)) - p.q) * setting.there;
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
  d.q = q_step - p.q / (p.price + (1 - setting.there)) * d.price;
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
    of(d.s) = of(s_step) - of(p.s) / of(p.pi) * of(d.pi);
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
        {room(of(p.x), of(d.x)), room(of(p.z), of(d.z)), room(of(p.s), of(d.s)), room(of(p.pi), of(d.pi))});
  });
  const double rows = *std::min_element(rooms.begin(), rooms.end());
  return std::min({1.0, rows, room(p.q, d.q), room(p.price, d.price)});
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
  const ArrayXXd q_by_price = p.q / (p.price + (1 - setting.there));
  const LevelSchur schur(setting.program.rows, theta, p.s / p.pi, setting.program.rate, q_by_price,
                         setting.threads);
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
  for (iterations = 0; iterations < kIterationsMost; ++iterations) {
    const Residuals off = residuals_of(setting, p);
    const double now = distance(setting, off, p);
    if (now < least) {
      least = now;
      nearest = p;
    }
    const bool worse = now > kGoneAstray * least && least < kClose;
    if (!std::isfinite(now) || worse || relative_gap(p) <= goal) break;
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
