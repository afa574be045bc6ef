#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// What a verdict rests on.
enum class VerdictScope {
  instance,  ///< a proof, for the cluster that was looked at
  searched   ///< no counterexample was found in so many attempts, which is not a proof
};

/// Why a property does not hold: something that a person can check.
struct Witness {
  std::string words;  ///< one sentence: `B could run 15.0 tasks on its half of the cluster, asset gives it
                      ///< 12.0`
  Cluster problem;    ///< where it happens
  std::optional<Cluster> changed = {};  ///< the other cluster that is compared: as misreported,
                                        ///< without a user, with more capacity
  std::string user = {};                ///< who loses, envies or lies; empty where nobody does
  std::string other = {};               ///< whom it envies, or who left
  std::vector<std::pair<std::string, double>> numbers = {};  ///< by name: `tasks`, `alone`
  double size = 0;                                           ///< of the violation, relative; > 0
  /// The same lie, departure, growth or size of tasks on another cluster, divided by the same rule: a
  /// violation there, if it is one. Empty for the properties of a single allocation.
  std::function<std::optional<Witness>(const Problem&)> again = {};
};

/// Does a property hold?
struct Verdict {
  Property property;
  bool decided = true;  ///< else `holds` says nothing, and `note` why
  bool holds = true;
  bool vacuous = false;  ///< it holds because it asks for nothing here; `note` says why
  VerdictScope scope = VerdictScope::instance;
  std::uint64_t tried = 1;  ///< divisions that were looked at, or compared with the cluster's own; none when
                            ///< vacuous or not decided
  std::string note = {};
  std::optional<Witness> witness = {};   ///< when it does not hold
  std::optional<Witness> smallest = {};  ///< the same on the smallest cluster that was found to show it
};

/// From which size on a violation counts.
struct Tolerances {
  double certificates = 10;  ///< so many times what the outcome's certificate leaves open …
  double least = 1e-6;       ///< … plus this
  double least_gain = 1e-3;  ///< of a misreport, relative
};

}  // namespace mirab
