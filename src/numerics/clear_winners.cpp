// Rows whose server is decided leave the system, so that the last iterations are on the few that may be tied.
// Source: docs/mathematics.md, section 5.
//
// Known failure: a row that left does not come back. With a window of 20 √μ that has not been seen to matter;
// where it does, the level form's violation shows it.
#include "numerics/clear_winners.hpp"

#include <limits>
#include <utility>

namespace mirab::numerics {
namespace {

using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A row's pairs are begin … end - 1.
struct Span {
  std::size_t begin, end;
};

Span pairs_of(const TiedRows& rows, std::size_t n) {
  return {static_cast<std::size_t>(rows.first[n]), static_cast<std::size_t>(rows.first[n + 1])};
}

std::size_t winner_of(const TiedRows& rows, std::size_t n) {
  const Span span = pairs_of(rows, n);
  std::size_t winner = span.begin;
  for (std::size_t p = span.begin; p < span.end; ++p) winner = rows.z[p] < rows.z[winner] ? p : winner;
  return winner;
}

bool is_clear(const TiedRows& rows, std::size_t n, std::size_t winner, double gap) {
  const Span span = pairs_of(rows, n);
  for (std::size_t p = span.begin; p < span.end; ++p) {
    if (p != winner && rows.z[p] < gap) return false;
  }
  return rows.cap[n] == kInfinity || rows.k[n] > gap || rows.t[n] > gap;
}

// What the row uses on the winner's server does not depend on who else is there any more.
void take_out(TiedSystem& system, std::size_t n, std::size_t winner) {
  const TiedRows& rows = system.rows;
  const Index m = system.resources();
  const bool enough = rows.cap[n] < kInfinity && rows.k[n] > rows.t[n];
  for (Index r = 0; r < m; ++r) {
    const Index j = rows.server[winner] * m + r;
    const double demand = rows.demand[winner * static_cast<std::size_t>(m) + static_cast<std::size_t>(r)];
    if (enough)
      system.fixed_use[j] += demand * rows.cap[n];
    else
      system.winners(j, rows.stop[winner]) += demand * rows.a[winner];
  }
}

void keep_pair(const TiedRows& rows, std::size_t p, std::size_t m, TiedRows& left) {
  left.server.push_back(rows.server[p]);
  left.stop.push_back(rows.stop[p]);
  left.a.push_back(rows.a[p]);
  left.part.push_back(rows.part[p]);
  left.x.push_back(rows.x[p]);
  left.z.push_back(rows.z[p]);
  for (std::size_t r = 0; r < m; ++r) left.demand.push_back(rows.demand[p * m + r]);
}

void keep_row(const TiedRows& rows, std::size_t n, std::size_t winner, double gap, std::size_t m,
              TiedRows& left) {
  const Span span = pairs_of(rows, n);
  double total = 0;
  for (std::size_t p = span.begin; p < span.end; ++p) {
    if (p != winner && rows.z[p] >= gap) continue;
    keep_pair(rows, p, m, left);
    total += rows.x[p];
  }
  left.row.push_back(rows.row[n]);
  left.first.push_back(left.pairs());
  left.unit.push_back(rows.unit[n]);
  left.cap.push_back(rows.cap[n]);
  left.total.push_back(total);
  left.k.push_back(rows.k[n]);
  left.t.push_back(rows.cap[n] < kInfinity ? rows.cap[n] - total : kInfinity);
}

}  // namespace

void take_out_winners(TiedSystem& system, double window) {
  const TiedRows& rows = system.rows;
  TiedRows left;
  left.first.push_back(0);
  for (std::size_t n = 0; n < rows.row.size(); ++n) {
    const std::size_t winner = winner_of(rows, n);
    const double gap = window * rows.total[n];
    if (is_clear(rows, n, winner, gap))
      take_out(system, n, winner);
    else
      keep_row(rows, n, winner, gap, static_cast<std::size_t>(system.resources()), left);
  }
  system.rows = std::move(left);
}

}  // namespace mirab::numerics
