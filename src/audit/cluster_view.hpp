#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <mirab/audit/properties.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// A cluster in numbers, as a mechanism sees it: its server entries, or the one pool, where every user may
/// run who may run on some server. N users, K places, m resources. A view of the problem.
class ClusterView {
 public:
  ClusterView(const Problem& problem, Scope scope);

  const Problem& problem() const { return problem_; }
  std::size_t users() const { return problem_.user_count(); }
  std::size_t places() const { return capacity_.size(); }
  std::size_t resources() const { return problem_.resource_count(); }

  const std::string& user_name(std::size_t n) const { return problem_.users()[n].name; }
  /// `the pool`, or the server's name.
  std::string place_name(std::size_t i) const;

  const std::vector<double>& capacity(std::size_t i) const { return capacity_[i]; }
  const std::vector<double>& demand(std::size_t n, std::size_t i) const;
  bool eligible(std::size_t n, std::size_t i) const;
  double weight(std::size_t n) const { return problem_.users()[n].weight.value(); }
  double total_weight() const { return total_weight_; }
  double cap(std::size_t n) const;  ///< infinite where there is none

  /// min_r a_r / d_{n,i,r}; 0 where n may not run.
  double tasks_with(std::size_t n, std::size_t i, std::span<const double> bundle) const;
  /// Σ_i γ_{n,i}, the tasks that n could run on everything, whatever its cap.
  double alone_everywhere(std::size_t n) const;

 private:
  const Problem& problem_;
  bool is_pool_;
  std::vector<bool> in_pool_;  // may it run there? [n]; of a pool
  double total_weight_ = 0;
  std::vector<std::vector<double>> capacity_;                                     // [i][r]
  std::vector<std::vector<double>> demand_;                                       // [n][r]
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> demand_on_;  // (n, i)
};

/// Of users who are alike: `A and 2 like it`.
std::string names_of(const ClusterView& ground, const std::vector<std::size_t>& users);

/// Of the tasks that a user could run alone: what rounding may leave of none. Derived: thousands of roundings
/// of a part of the cluster.
inline constexpr double kDustOfTasks = 1e-12;

/// May these tasks be what rounding leaves of none: less than kDustOfTasks of what the user could run alone?
/// O((N + K) m).
bool is_rounding(const Division& division, std::size_t user, double tasks);

/// q_v, [node][m], of what is used below each node: from the leaves up, of each resource at least what is
/// reserved. O((N + G) m).
std::vector<std::vector<double>> charged(const Tree& tree, const std::vector<std::vector<double>>& used);

/// The quota of a group's or user's node, of a cluster that may be changed or not.
template <class Described>
auto& quota_at(Described& cluster, const Tree& tree, std::size_t node) {
  return tree.is_user(node) ? cluster.users[tree.user_at(node)].quota
                            : cluster.groups[tree.group_at(node)].quota;
}

/// Is one of them above 0?
bool has_some(std::span<const double> amounts);

/// Π φ_w/W_w over the nodes w from the top to each node, [node]; the root has 1. O(N + G).
std::vector<double> parts_of_the_tree(const Tree& tree);

/// The nodes whose members are teams that are compared: the root and the groups. Not users with several task
/// shapes, of which a shape is no team.
std::vector<std::size_t> parents_of_teams(const Problem& problem);

/// The users at or below a node, ascending. O(nodes below it).
std::vector<std::size_t> users_below(const Tree& tree, std::size_t node);

/// The users below a group, or the task shapes of a user, by its name; empty: there is none. O(G + N).
std::vector<std::size_t> users_of_team(const Problem& problem, const std::string& team);

/// The name of a group's or user's node.
const std::string& node_name(const Problem& problem, std::size_t node);

}  // namespace mirab
