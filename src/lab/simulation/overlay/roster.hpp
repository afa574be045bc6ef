#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/overlay/message.hpp>

namespace mirab::simulation {

/// Who takes part in an overlay, in whole units, and at which address: servers 0 … K - 1, every copy of an
/// entry for itself, in the cluster's order; users K … K + N - 1; then the gateway, the bootstrap server and
/// the central one.
struct Roster {
  std::vector<overlay::Amounts> capacity;  ///< c_l of a server. [K][m]
  overlay::Amounts total;                  ///< C_r = Σ_l c_lr. [m]
  std::size_t load = 0;                    ///< the resource `cpu`, or the first where none has that name
  std::vector<std::string> names;          ///< of the users. [N]
  std::vector<overlay::Amounts> demand;    ///< D_i of a task. [N][m]
  std::vector<std::uint64_t> tasks;        ///< how many a user has; UINT64_MAX: without limit. [N]
  std::vector<double> dominant;            ///< max_r D_ir / C_r: what one task adds to the share. [N]

  overlay::NodeId servers() const { return static_cast<overlay::NodeId>(capacity.size()); }
  overlay::NodeId users() const { return static_cast<overlay::NodeId>(demand.size()); }
  overlay::NodeId user(overlay::NodeId n) const { return servers() + n; }
  overlay::NodeId gateway() const { return servers() + users(); }
  overlay::NodeId bootstrap() const { return gateway() + 1; }
  overlay::NodeId central() const { return gateway() + 2; }
  overlay::NodeId nodes() const { return gateway() + 3; }

  bool is_server(overlay::NodeId node) const { return node < servers(); }
  bool is_user(overlay::NodeId node) const { return node >= servers() && node < gateway(); }
};

/// Of a cluster without constraints, weights or demands per server (check.hpp).
Roster roster_of(const Problem& cluster);

}  // namespace mirab::simulation
