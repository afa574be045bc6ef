#pragma once

#include <optional>
#include <string>

#include <mirab/model/problem.hpp>

namespace mirab {

/// factor · amount, with so many significant digits; nothing when that is no amount.
std::optional<Quantity> times(const Quantity& amount, double factor, int digits = 12);

/// Takes out users or servers, and what names them. The rest keeps its order.
void remove_user(Cluster& cluster, std::size_t user);
void remove_server(Cluster& cluster, std::size_t server);
void remove_resource(Cluster& cluster, std::size_t resource);

}  // namespace mirab
