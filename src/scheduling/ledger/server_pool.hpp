#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "fairness/fit_distance.hpp"
#include "scheduling/ledger/columns.hpp"

namespace mirab::scheduling {

using fairness::FitDistance;

/// The proportions of what is free on every server, p_i = f_i / |f_i|, all amounts as parts of the pool and
/// |·| that of the distance of fit, and the distances ‖a − p_i‖₁ of blocks of 64 servers at once. In doubles,
/// always in the same order; 0/0 where nothing is free. 8 m bytes a server.
class Proportions {
 public:
  using Distances = std::array<double, Columns::kBlock>;

  /// Requires at least one resource, a distance that does not depend on the demand, and instructions that the
  /// processor has.
  Proportions(std::size_t resources, FitDistance distance,
              Columns::Instructions instructions = Columns::best_instructions());

  /// The parts of this many servers and of this pool; every server must be set. [m], units
  void reset(std::size_t servers, std::span<const std::int64_t> pool);

  /// v / |v|, where v are the amounts as parts of the pool. O(m).
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

  FitDistance distance_;
  Kernel kernel_;
  std::vector<double> per_unit_;  // 1 / C_r; 0 for a resource that the pool lacks
  std::vector<Lane> lanes_;       // [block × m]
};

/// Is there room for the demand? An exact fit fits. [m], units
inline bool is_within(std::span<const std::int64_t> demand, std::span<const std::int64_t> room) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > room[r]) return false;
  }
  return true;
}

/// One way to run a task. A task has several where its demand differs by server; their servers are disjoint.
struct SearchAlternative {
  std::span<const std::int64_t> demand;  ///< [m], units
  const ServerSet* among;                ///< the servers on which it may run so; nullptr: all
};

/// The servers: what each has and what is free on it, in exact units, laid out so that a search looks at many
/// at once. Numbers are 0 … size() - 1; those of removed servers are vacant until they are given again.
///
/// Invariants: 0 ≤ free ≤ capacity for every server; the pool is the sum of the capacities of those present.
/// Of memory a server takes 18 m bytes and a little.
class ServerPool {
 public:
  /// Requires at least one resource.
  explicit ServerPool(std::size_t resources);

  std::size_t resource_count() const { return pool_.size(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(states_.size()); }

  /// A new server, open and empty, with the lowest vacant number, else the next new one. Requires amounts of
  /// at least 0 with which the pool does not pass INT64_MAX. Amortised O(m + log vacant); O(size m) when it
  /// is by some powers of two larger than all before.
  std::uint32_t add(std::span<const std::int64_t> capacity);
  /// Requires that nothing is taken there.
  void remove(std::uint32_t server);
  /// Requires that what is taken there fits in the new capacity. Cost as for add().
  void resize(std::uint32_t server, std::span<const std::int64_t> capacity);

  /// A closed server keeps its tasks and takes no new ones.
  void close(std::uint32_t server);
  void open(std::uint32_t server);

  bool is_present(std::uint32_t server) const { return server < size() && states_[server] != State::vacant; }
  bool is_open(std::uint32_t server) const { return server < size() && states_[server] == State::open; }

  /// [m], units; of closed servers too
  std::span<const std::int64_t> capacity(std::uint32_t server) const { return row(capacity_, server); }
  std::span<const std::int64_t> free(std::uint32_t server) const { return row(free_, server); }

  /// C_r: what all present servers have. [m], units
  std::span<const std::int64_t> pool() const { return pool_; }

  /// Places a task on the server, or ends one there. Requires that it is present and that 0 ≤ free ≤ capacity
  /// afterwards; that is asserted. O(m).
  void take(std::uint32_t server, std::span<const std::int64_t> demand);
  void give(std::uint32_t server, std::span<const std::int64_t> demand);

  /// Is the server open, and is so much free? An exact fit fits.
  bool has_room(std::uint32_t server, std::span<const std::int64_t> demand) const {
    return is_open(server) && is_within(demand, free(server));
  }

  /// Visits every server from `from` on that has room for the variant, in order, until a visit says true.
  /// Says whether one did. O(size × demanded resources), many servers at once.
  template <class Visit>
  bool any_with_room(const SearchAlternative& variant, std::uint32_t from, Visit visit) const {
    return rounded_free_.any(rounded_free_.at_least(variant.demand), from, variant.among,
                             [&](std::size_t row) {
                               const auto server = static_cast<std::uint32_t>(row);
                               return is_within(variant.demand, free(server)) && visit(server);
                             });
  }

  /// Visits every block of 64 servers that may have room, in order: some of its servers may have none after
  /// all.
  template <class Visit>
  void for_each_block_with_room(const SearchAlternative& variant, Visit visit) const {
    const Columns::Query query = rounded_free_.at_least(variant.demand);
    for (Columns::Block block = rounded_free_.next(query, 0, variant.among); block.rows != 0;
         block = rounded_free_.next(query, block.index + 1, variant.among)) {
      visit(block);
    }
  }

  /// The first server from `from` on that has room for the variant.
  std::optional<std::uint32_t> first_with_room(const SearchAlternative& variant, std::uint32_t from) const;

  /// The proportions of what is free on each server. From the first call on the park keeps them, which makes
  /// take() and give() a little slower; the first call, and the first after the pool has changed, cost
  /// O(size m). Only placements call it, as part of a step: no two threads may call it at once.
  const Proportions& proportions(FitDistance distance) const;

 private:
  enum class State : std::uint8_t { vacant, closed, open };

  struct Kept {
    Proportions proportions;
    bool current = false;  // every server's are those of what is free
  };

  std::span<const std::int64_t> row(const std::vector<std::int64_t>& rows, std::uint32_t server) const {
    return std::span(rows).subspan(server * resource_count(), resource_count());
  }
  std::uint32_t next_number();
  void set_capacity(std::uint32_t server, std::span<const std::int64_t> capacity);
  void show(std::uint32_t server);
  void show_change(std::uint32_t server);

  std::vector<std::int64_t> pool_;           // [m]
  std::vector<State> states_;                // [server]
  std::vector<std::int64_t> capacity_;       // [server × m]
  std::vector<std::int64_t> free_;           // [server × m]
  Columns rounded_free_;                     // of the open servers
  mutable std::array<Kept, 2> proportions_;  // [distance]
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> vacant_;
};

/// The servers that take tasks: those that are open in the pool, but for a few that are taken to be
/// otherwise. A value: the pool stays as it is. Requires the pool to outlive it.
class OpenServers {
 public:
  explicit OpenServers(const ServerPool& pool) : pool_(&pool) {}

  void open(std::uint32_t server) { opened_.insert(server), closed_.erase(server); }
  void close(std::uint32_t server) { closed_.insert(server), opened_.erase(server); }

  bool contains(std::uint32_t server) const {
    return opened_.contains(server) || (pool_->is_open(server) && !closed_.contains(server));
  }

  /// Has any of them room for the variant? As ServerPool::first_with_room, and O(m) for each that is taken to
  /// be open.
  bool any_with_room(const SearchAlternative& variant) const;

 private:
  const ServerPool* pool_;
  ServerSet opened_;
  ServerSet closed_;
};

}  // namespace mirab::scheduling
