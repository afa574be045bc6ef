#pragma once

#include <gmpxx.h>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>

namespace mirab::testing {

/// The tasks of every user under drfh, tsf or cmmf, by rounds of linear programs in rational numbers: dense
/// tableaus and Bland's rule, nothing merged, nothing rounded. For a handful of users and servers.
std::vector<mpq_class> exact_levels(const Problem& problem, std::string_view mechanism);

/// The farthest that any of these tasks is from them, as a part of the larger of the two; 1 at most.
double error_of(const std::vector<double>& tasks, const std::vector<mpq_class>& exact);

enum class DemandOn { none, some };

/// A few servers and users whose amounts are one digit times 10^-orders to 10^orders, some of them 0; some
/// users with weights, caps and placement constraints, some with another demand on a server.
Problem ill_scaled(Random& random, int orders, DemandOn demand_on);

}  // namespace mirab::testing
