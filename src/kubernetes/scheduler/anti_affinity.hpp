#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/objects.hpp"
#include "kubernetes/placement_rules.hpp"

namespace mirab::kubernetes {

/// A required anti-affinity of a pod that runs: no pod that the selector picks may come to a node with the
/// same value of the label `topology`. It holds for pods without any wish of their own too.
struct AntiAffinity {
  std::string topology;
  std::vector<std::string> spaces;    ///< namespaces whose pods it is about
  bool all_spaces = false;            ///< any namespace: one selected by its labels counts as that
  std::vector<Requirement> selector;  ///< on labels of pods, all of them; empty with `none`: no pod
  bool none = false;                  ///< without a selector: it picks no pod
};

/// A label selector: all of it has to hold. An expression that is not understood is left out, so that it
/// picks more.
std::vector<Requirement> read_selector(const Node& selector);

/// The anti-affinities of a pod. What cannot be understood picks every pod, so that nothing is placed
/// wrongly.
std::vector<AntiAffinity> anti_affinities_of(const Object& pod);

/// Does it pick a pod of this namespace with these labels?
bool picks(const AntiAffinity& term, std::string_view space, const NodeLabels& labels);

/// The term in words that no other term has.
std::string words_of(const AntiAffinity& term);

}  // namespace mirab::kubernetes
