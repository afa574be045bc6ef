#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>

#include "audit/cluster_view.hpp"

namespace mirab {

/// By resource: times what the user needs of it; for a resource that it does not need, times what would be as
/// large a part of the cluster as what it needs most.
using Factors = std::map<std::string, double>;

/// What a user may report instead of the truth, relative to the truth, so that it can be reported on a
/// smaller cluster too.
struct Misreport {
  std::string user;
  std::vector<Factors> demands = {{}};   ///< one, or two for a user that appears as two of half the weight
  std::vector<std::string> hidden = {};  ///< servers that it reports it may not use
  std::optional<double> tasks = {};      ///< times its number of tasks; infinite: no limit
};

/// The cluster with a lie in it.
struct ReportedCluster {
  Cluster cluster;
  std::vector<std::size_t> liars;  ///< the user, and its double
  std::string words;               ///< `by reporting cpu 2, memory 2.214 instead of cpu 2, memory 4`
};

/// Reports it; nothing when that makes no cluster, or hides nothing that there is. Demands have four
/// significant digits.
std::optional<ReportedCluster> report(const Problem& problem, const Misreport& lie);

/// Every move of one user: one demand up and down on a log grid, one up against another down, a little of
/// what it does not need, nothing of what it needs, a kind of server hidden or all but one, its cap inflated,
/// itself in two.
std::vector<Misreport> misreports_of(const Problem& problem, Scope scope, std::size_t user);

/// A lie about all demands at once, each by a factor from 1/8 to 8.
Misreport random_misreport(const Problem& problem, Random& random);

/// The tasks of the truth that the bundles of the liars run, at most as many as the user has.
double true_tasks(const ClusterView& ground, std::size_t user, const std::vector<std::size_t>& liars,
                  const Allocation& allocation);

/// Does a cluster with a misreport in it meet the conditions that a misreport could break?
bool meets(const Conditions& conditions, const Problem& problem);

}  // namespace mirab
