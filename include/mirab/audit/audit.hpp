#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mirab/audit/properties.hpp>
#include <mirab/mechanisms/mechanism.hpp>

namespace mirab {

/// Which of its properties a mechanism has.
struct MechanismAudit {
  std::string mechanism;          ///< as it was asked for, with its options
  std::optional<Error> refused;   ///< why it cannot divide this cluster: then there are no verdicts
  Status status = Status::exact;  ///< of the cluster's own division
  std::vector<Verdict> verdicts;  ///< in the order in which the properties were asked for
};

/// What the registry says of a mechanism, and what was found.
struct ClaimAudit {
  std::string mechanism;
  Claim claim;
  Verdict verdict;  ///< on random clusters that meet the claim's conditions
};

struct AuditOptions {
  std::vector<Property> properties = {};  ///< empty: all; those of groups where there are some, or, on
                                          ///< random clusters, where a mechanism honours them
  std::uint64_t budget = 10'000;  ///< attempts in all (Search), spread evenly over what has to be searched;
                                  ///< one each at least
  std::uint64_t seed = 1;
  Conditions conditions = {};  ///< that random clusters meet; claims bring their own
  int threads = 1;
  std::size_t shrink_tries = 500;  ///< smaller clusters that are tried for each violation, at most
  Tolerances tolerances = {};
  AuditProgress progress = {};
  /// The seconds that are left for searches, asked from several threads; empty: no end. They are shared
  /// evenly: what one search does not need is left to those after it, and a quarter is kept for smaller
  /// clusters. Searches may end before their attempts then, and the result depends on the machine.
  std::function<double()> seconds_left = {};
};

/// Every mechanism of the registry that divides any problem; one whose options must be given takes 2 for
/// each.
std::vector<Choice> all_mechanisms();

/// What is asked where the options name no property: of groups only when there are some.
std::vector<Property> asked_properties(const AuditOptions& options, bool groups);

/// Do some of these mechanisms honour groups?
bool any_honours_groups(const std::vector<Choice>& mechanisms);

/// Holds the mechanisms against the properties, on one cluster. A violation is shown on it, and on the
/// smallest cluster that could be found. Deterministic for a seed, with any number of threads.
std::vector<MechanismAudit> audit(const Problem& problem, const std::vector<Choice>& mechanisms,
                                  const AuditOptions& options = {});

/// The same of one rule, which may be the caller's own; `name` stands for it. Its `divide` is called from
/// several threads when the options say so.
MechanismAudit audit(const Problem& problem, const std::string& name, const Rule& rule,
                     const AuditOptions& options = {});

/// How random clusters look: at most 4 users, 3 servers and 3 resources, in small whole numbers.
struct RandomStyle {
  Accepts accepts;
  Scope scope;
  Conditions conditions = {};
  Property property;  ///< on which it is not vacuous
};

/// Tests one mechanism against one property on this many random clusters, until it fails; the witness is the
/// smallest cluster found. `search.attempts` are spread over the clusters.
Verdict audit_random(const Choice& mechanism, const RandomStyle& style, std::uint64_t clusters,
                     const Search& search, std::size_t shrink_tries);

/// The same for every mechanism and property, on clusters that the mechanism accepts.
std::vector<MechanismAudit> audit_random(const std::vector<Choice>& mechanisms, std::uint64_t clusters,
                                         const AuditOptions& options = {});

/// The same for every claim of these mechanisms, on clusters that meet its conditions.
std::vector<ClaimAudit> audit_claims(const std::vector<Choice>& mechanisms, std::uint64_t clusters,
                                     const AuditOptions& options = {});

}  // namespace mirab
