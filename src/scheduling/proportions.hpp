#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduling/columns.hpp"

namespace mirab::scheduling {

/// What amounts are divided by to become proportions.
enum class Scale { sum, first };

/// The proportions of what is free on every server, p_i = f_i / scale(f_i), all amounts as parts of the pool,
/// and the distances ‖a − p_i‖₁ of blocks of 64 servers at once. In doubles, always in the same order; 0/0
/// where nothing is free. 8 m bytes a server.
class Proportions {
 public:
  using Distances = std::array<double, Columns::kBlock>;

  /// Requires at least one resource, and instructions that the processor has.
  Proportions(std::size_t resources, Scale scale,
              Columns::Instructions instructions = Columns::best_instructions());

  /// The parts of so many servers and of this pool; every server must be set. [m], units
  void reset(std::size_t servers, std::span<const std::int64_t> pool);

  /// v / scale(v), where v are the amounts as parts of the pool. O(m).
  void of(std::span<const std::int64_t> amounts, std::span<double> result) const;
  void set(std::size_t server, std::span<const std::int64_t> free);

  /// The servers 64 block … 64 block + 63 with a distance less than `than`, the first in the lowest bit. All
  /// their distances are written. O(64 m).
  std::uint64_t nearer(std::size_t block, std::span<const double> a, double than, Distances& distances) const;

  struct Lane {
    alignas(64) std::array<double, Columns::kBlock> parts;  // a block's proportions of one resource
  };
  using Kernel = std::uint64_t (*)(const Lane* lanes, std::span<const double> a, double than,
                                   Distances& distances);

 private:
  template <class Write>
  void divide(std::span<const std::int64_t> amounts, Write write) const;

  Scale scale_;
  Kernel kernel_;
  std::vector<double> per_unit_;  // 1 / C_r; 0 for a resource that the pool lacks
  std::vector<Lane> lanes_;       // [block × m]
};

}  // namespace mirab::scheduling
