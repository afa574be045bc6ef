#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/replay/input.hpp"

namespace mirab::simulation {

/// What is free on each server during a replay, and what all have and grant together. Servers have the
/// numbers of the engine. Outlived by its input.
class ReplayServers {
 public:
  explicit ReplayServers(const ReplayInput& input);

  void add(std::uint32_t server, std::uint32_t kind);
  /// Requires that nothing is taken there.
  void remove(std::uint32_t server);
  void take(std::uint32_t server, std::span<const std::int64_t> demand);
  void give(std::uint32_t server, std::span<const std::int64_t> demand);

  std::span<const std::int64_t> pool() const { return pool_; }        ///< C_r of all that are there, units
  std::span<const std::int64_t> granted() const { return granted_; }  ///< what runs takes of it, units

  /// The expected part of what is free that a typical task could not use,
  ///
  ///   Σ_i Σ_w p_w Σ_{r ∈ U_w(f_i)} f_{i,r} / C_r  /  Σ_i Σ_r f_{i,r} / C_r,
  ///
  /// U_w(f) every r where w does not fit or may not run, else the r that w does not demand: the fragmentation
  /// of Weng et al. (FGD, USENIX ATC 2023, section 4.1), as a part of what is free. 0 when nothing is.
  /// O(servers), and O(typical tasks × m) for each server where something has changed since it was asked; for
  /// all when the pool has.
  double fragmentation();

 private:
  static constexpr std::uint32_t kGone = UINT32_MAX;
  struct Room {
    double free = 0;      // Σ_r f_r / C_r
    double unusable = 0;  // of it, expected
  };

  std::span<std::int64_t> free(std::uint32_t server) {
    return std::span(free_).subspan(server * pool_.size(), pool_.size());
  }
  void touch(std::uint32_t server);
  Room room(std::uint32_t server);

  const ReplayInput& input_;
  Amounts pool_, granted_;            // [m]
  std::vector<std::uint32_t> kinds_;  // [server], or kGone
  Amounts free_;                      // [server × m]
  std::vector<Room> rooms_;           // [server], as of the latest question
  std::vector<std::uint32_t> touched_;
  std::vector<bool> is_touched_;  // [server]
  bool pool_changed_ = false;     // since the latest question
};

}  // namespace mirab::simulation
