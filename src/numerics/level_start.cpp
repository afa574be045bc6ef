// A start for the simplex method of levels, by a sample.
//
// The prices of an eighth of the rows, on an eighth of the capacities, are nearly those of all, and tell
// where a row costs least. Where many servers cost about the same, which is so when one resource is short
// everywhere, it is the room that must decide: rows are dealt out one after the other, to the server that is
// least full with it. The eighth has a start of the same kind. From one server for each row, chosen by what
// it holds alone, 10,000 rows on 10 servers take 20,000 pivots; from here some hundreds.
#include "numerics/level_start.hpp"

#include <limits>

#include "numerics/level_pricing.hpp"
#include "numerics/level_simplex.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr Index kEvery = 8;          // row is in the sample
constexpr Index kFewest = 256;       // rows: of fewer no sample is taken
constexpr double kAboutSame = 1.02;  // times the least cost
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ServerRows sample_of(const ServerRows& rows) {
  const Index count = (rows.rows() + kEvery - 1) / kEvery;
  const double share = static_cast<double>(count) / static_cast<double>(rows.rows());
  const auto chosen = Eigen::seqN(0, count, kEvery);
  ServerRows sample;
  for (const ArrayXXd& demand : rows.demand) sample.demand.emplace_back(demand(chosen, Eigen::all));
  sample.capacity = rows.capacity * share;
  sample.alone = rows.alone(chosen, Eigen::all) * share;
  if (rows.cap.size() > 0) sample.cap = rows.cap(chosen);
  return sample;
}

// [n][i], infinite where a row may not go. Without prices a unit costs its part of what a server holds alone.
ArrayXXd costs(const ServerRows& rows, const ArrayXd& unit) {
  if (rows.rows() >= kFewest) {
    const ServerRows sample = sample_of(rows);
    const ArrayXd sample_unit = unit(Eigen::seqN(0, sample.rows(), kEvery));
    LevelSimplex simplex(sample, sample_unit, starting_keys(sample, sample_unit));
    if (simplex.raise() && simplex.anybody_active()) return level_costs(rows, simplex.price());
  }
  return (rows.alone > 0).select(rows.alone.inverse(), kInfinity);
}

}  // namespace

std::vector<Index> starting_keys(const ServerRows& rows, const ArrayXd& unit) {
  const ArrayXXd cost = costs(rows, unit);
  const ArrayXd most = kAboutSame * cost.rowwise().minCoeff();
  const ArrayXXd per_capacity = (rows.capacity > 0).select(rows.capacity.inverse(), 0);
  ArrayXXd used = ArrayXXd::Zero(rows.servers(), rows.resources());
  std::vector<Index> keys;
  for (Index n = 0; n < rows.rows(); ++n) {
    Index key = 0;
    double least_full = kInfinity;
    for (Index i = 0; i < rows.servers(); ++i) {
      if (!(cost(n, i) <= most[n]) || rows.alone(n, i) <= 0) continue;
      double fullest = 0;
      for (Index r = 0; r < rows.resources(); ++r) {
        const double with_it = used(i, r) + unit[n] * rows.demand_on(i)(n, r);
        fullest = std::max(fullest, with_it * per_capacity(i, r));
      }
      if (fullest >= least_full) continue;
      least_full = fullest;
      key = i;
    }
    used.row(key) += unit[n] * rows.demand_on(key).row(n);
    keys.push_back(key);
  }
  return keys;
}

}  // namespace mirab::numerics
