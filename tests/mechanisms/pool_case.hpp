#pragma once

#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

namespace mirab::testing {

/// A pool and its users as plain numbers. An empty `weight` or `cap` means 1 and none; a cap < 0 means none.
struct PoolCase {
  std::vector<double> capacity;             // [m]
  std::vector<std::vector<double>> demand;  // [n][m]
  std::vector<double> weight;               // [n]
  std::vector<double> cap;                  // [n]

  double weight_of(std::size_t n) const { return weight.empty() ? 1 : weight[n]; }
  bool has_cap(std::size_t n) const { return !cap.empty() && cap[n] >= 0; }
};

/// One server and the users u0, u1, …; aborts when it is not valid.
Problem problem_of(const PoolCase& pool);

/// The tasks that a mechanism gives; aborts on an error or a result without its certificate.
std::vector<double> tasks_of(const PoolCase& pool, std::string_view mechanism);

/// How a random pool looks.
struct PoolStyle {
  std::size_t users_max = 8;
  std::size_t resources_max = 4;
  double zero_demands = 0.25;  // the part of them
  double capped_users = 0.3;
  double weighted = 0.5;  // the part of the pools whose weights are not all 1
};

PoolCase random_pool(Random& random, const PoolStyle& style);

/// In one line, to be pasted into a test.
std::string text_of(const PoolCase& pool);

}  // namespace mirab::testing
