#pragma once

#include <Eigen/Core>
#include <chrono>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>

namespace mirab {

/// One server and the users who may run there. N of them, m resources.
struct SharedServer {
  std::vector<std::size_t> users;      ///< among the problem's
  Eigen::ArrayXXd demand;              ///< φ_n d_{n,r}: a user of weight 2 counts as two users, [n][r]
  Eigen::ArrayXd capacity;             ///< c, [r]
  Eigen::ArrayXd weight;               ///< φ, [n]
  std::vector<Eigen::Index> dominant;  ///< argmax_r d_{n,r} / c_r, the first of equals, [n]
};

/// One server of every entry.
std::vector<SharedServer> shared_servers(const Problem& problem);

/// First grants of MLF-DRS: max(d_{n,r}, f_{n,r}) where r is dominant for n and min(d_{n,r}, f_{n,r})
/// elsewhere, with the fair share f_{n,r} = φ_n c_r / Φ; [n][r].
/// Source: Hamzeh, algorithm 2, and what it leaves open (both above f) by the same rule.
Eigen::ArrayXXd first_grants(const SharedServer& server);

/// What is in demand comes in units as people write it, or in parts of the server's capacity.
enum class DemandUnits { raw, normalised };

/// In which units raw demands are added up, [r]: as they are given. Where a server has 2^20 or more of a
/// resource, it is taken for bytes and counted in Mi, and all other resources in thousandths, as Kubernetes
/// writes them.
struct RawUnits {
  Eigen::ArrayXd unit;
  bool as_given = true;
};
RawUnits raw_units(const std::vector<SharedServer>& servers);

/// `q adds up cpu in thousandths and memory in Mi`; nothing where it adds up what is given.
std::string units_notice(const Problem& problem, const RawUnits& units);

/// Σ of dominant demands, and Σ of all demands, on one server.
struct DemandSums {
  double dominant = 0;
  double all = 0;
};
DemandSums demand_sums(const SharedServer& server, DemandUnits units, const RawUnits& raw);

/// How a group divides its part of a resource, and what becomes of a part that has no group.
struct GroupRule {
  enum class Surplus { proportional, equal } surplus;  ///< to first grants, or demand and equal parts
  bool spill;                                          ///< it goes to the other group
};

/// The cut of FFMRA: of every resource the part q goes to those whom it dominates and 1 - q to the others;
/// bundles, [n][r]. Source: Hamzeh, section 4.3.2, equations 4.15 to 4.17.
Eigen::ArrayXXd cut_by_groups(const SharedServer& server, double q, const GroupRule& rule);

/// The outcome in which the users of every server hold these bundles; bundles[i] is [n of server i][r], of
/// one server of entry i. A user runs min_r bundle / demand tasks with one.
Outcome outcome_of_bundles(const Problem& problem, const Choice& choice,
                           const std::vector<SharedServer>& servers,
                           const std::vector<Eigen::ArrayXXd>& bundles);

/// The whole way: times `divide(servers)`, which gives the bundles.
template <class Divide>
Outcome share_bundles(const Problem& problem, const Choice& choice, const Divide& divide) {
  const std::vector<SharedServer> servers = shared_servers(problem);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Eigen::ArrayXXd> bundles = divide(servers);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  Outcome outcome = outcome_of_bundles(problem, choice, servers, bundles);
  outcome.seconds = spent.count();
  return outcome;
}

/// The options of FFMRA and H-FFMRA, and their values.
std::span<const OptionInfo> group_options();
struct GroupOptions {
  DemandUnits units;
  GroupRule rule;
};
Result<GroupOptions> group_options(const Choice& choice);
Check check_group_options(const Choice& choice);

}  // namespace mirab
