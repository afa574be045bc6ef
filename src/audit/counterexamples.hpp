#pragma once

#include <functional>
#include <optional>
#include <string>

#include <mirab/audit/audit.hpp>
#include <mirab/audit/properties.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>

namespace mirab {

/// factor · amount, with this many significant digits; nothing when that is no amount.
std::optional<Quantity> times(const Quantity& amount, double factor, int digits = 12);

/// Takes out users or servers, and what names them; with a user the groups that have no other member. The
/// rest keeps its order.
void remove_user(Cluster& cluster, std::size_t user);
void remove_server(Cluster& cluster, std::size_t server);
void remove_resource(Cluster& cluster, std::size_t resource);

/// Takes out a group: its members become members of its parent, with the weights that they have.
void dissolve_group(Cluster& cluster, std::size_t group);

/// Draws a cluster in this style: users A, B, …, servers s1, s2, …, resources cpu, memory, disk; groups G1,
/// G2, … with guarantees, limits and reserves where the mechanism honours them.
Problem random_cluster(const RandomStyle& style, Random& random);

/// Looks for a violation in a cluster.
using Violates = std::function<std::optional<Witness>(const Problem&)>;

/// The witness on a cluster that is as small as can be found: fewer users, servers and resources, no
/// constraints, small whole numbers, as long as `violates` finds a violation. At most this many clusters are
/// tried. Deterministic when `violates` is.
Witness shrink(Witness witness, const Violates& violates, std::size_t tries);

}  // namespace mirab
