#pragma once

#include <string>
#include <vector>

#include <mirab/audit/properties.hpp>

namespace mirab {

/// A problem as it was described: what a witness holds.
Cluster cluster_of(const Problem& problem);

/// What the outcome's certificate leaves open, and the least that counts: from here on a relative difference
/// is a violation. A gap or regret bounds an objective; amounts may be off by its square root.
double slack(const Outcome& outcome, const Tolerances& tolerances);

/// A relative violation by how much `low` falls short of `high`; 0 when it does not.
double shortfall(double low, double high);

/// A number of tasks or an amount in a sentence: `15.0`, `1.368`.
std::string number_words(double value);

/// The two of them with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> told_apart(double a, double b);

/// `its half of`, `its third of`, `its 28.6% of`.
std::string part_words(double part);

/// `cpu 1, memory 4`.
std::string amounts_words(const std::vector<std::string>& resources, const ResourceVector& amounts);

/// The verdict that a property does not hold.
Verdict violated(Property property, Witness witness);

/// The verdict that a property asks for nothing here.
Verdict vacuous(Property property, std::string why);

/// The verdict that nothing can be said.
Verdict undecided(Property property, std::string why);

}  // namespace mirab
