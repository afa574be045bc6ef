#pragma once

#include <functional>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab::testing {

// Small clusters in plain numbers, for the tests of every layer.

/// Amounts as plain numbers; aborts when one is no amount.
ResourceVector amounts(const std::vector<double>& values);

/// Servers s1, s2, … and the users A, B, C, …, who demand what is given.
Cluster cluster_of(const std::vector<std::vector<double>>& capacities,
                   const std::vector<std::vector<double>>& demands);

/// The slides on DRF: one server `pool` of 9 CPUs and 18 GB; tasks of A take (1, 4), tasks of B (3, 1).
Cluster slides();

/// The problem; aborts when it is none.
Problem problem_of(const Cluster& cluster);

/// One server s1 and the users A, B, C, …
Problem pool_of(const std::vector<double>& capacity, const std::vector<std::vector<double>>& demands);

/// A grant that can be changed.
struct EditedGrant {
  std::size_t user;
  std::size_t server;
  double tasks;
  std::vector<double> resources;
};
std::vector<EditedGrant> rows_of(const Grants& grants);
Grants grants_of(const std::vector<EditedGrant>& rows);

/// The grants after `edit` of each.
Grants edited(const Grants& grants, const std::function<void(EditedGrant&)>& edit);

}  // namespace mirab::testing
