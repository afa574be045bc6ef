#pragma once

#include <algorithm>
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
  void set(ServerIndex server, std::span<const std::int64_t> free);

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

inline constexpr ServerIndex kFirstServer{0};

/// One way to run a task. A task has several where its demand differs by server; their servers are disjoint.
struct SearchAlternative {
  std::span<const std::int64_t> demand;  ///< [m], units
  const ServerSet* among;                ///< the servers on which it may run so; nullptr: all
};

/// The servers: what each has and what is free on it, in exact units, laid out so that a search looks at many
/// at once. Indices are 0 … size() - 1; those of removed servers are vacant until they are given again.
///
/// Of a server's capacity tasks take a part, and others hold a part: free is what neither has, and 0 where
/// they have more than there is.
///
/// Invariants: free = max(0, capacity − taken − held) for every server; the pool is the sum of the capacities
/// of those present. Of memory a server takes 34 m bytes and a little.
class ServerPool {
 public:
  /// Requires at least one resource.
  explicit ServerPool(std::size_t resources);

  std::size_t resource_count() const { return pool_.size(); }
  std::size_t size() const { return states_.size(); }
  Indices<ServerIndex> indices() const { return states_.indices(); }

  /// A new server, open and empty, with the lowest vacant number, else the next new one. Requires amounts of
  /// at least 0 with which the pool does not pass INT64_MAX. Amortised O(m + log vacant); O(size m) when the
  /// largest capacity becomes some powers of two larger than it was.
  ServerIndex add(std::span<const std::int64_t> capacity);
  /// Requires that nothing is taken there. O(m + log vacant); O(size m) when the largest capacity becomes
  /// some powers of two smaller.
  void remove(ServerIndex server);
  /// Requires that what is taken there fits in the new capacity; resize_below_use() takes any. Cost as for
  /// add().
  void resize(ServerIndex server, std::span<const std::int64_t> capacity);
  void resize_below_use(ServerIndex server, std::span<const std::int64_t> capacity);

  /// A closed server keeps its tasks and takes no new ones.
  void close(ServerIndex server);
  void open(ServerIndex server);

  bool is_present(ServerIndex server) const {
    return states_.holds(server) && states_[server] != State::vacant;
  }
  bool is_open(ServerIndex server) const { return states_.holds(server) && states_[server] == State::open; }

  /// [m], units; of closed servers too
  std::span<const std::int64_t> capacity(ServerIndex server) const { return capacity_[server]; }
  std::span<const std::int64_t> free(ServerIndex server) const { return free_[server]; }
  std::span<const std::int64_t> taken(ServerIndex server) const { return taken_[server]; }
  std::span<const std::int64_t> held(ServerIndex server) const { return held_[server]; }

  /// capacity − taken − held, also below 0; INT64_MIN where it is less than that. [m]
  std::vector<std::int64_t> balance(ServerIndex server) const;

  /// No present server has more of a resource than this, which is at most about twice what the largest has,
  /// or a few ten thousands. [m], units
  std::span<const std::int64_t> capacity_bound() const { return capacity_bound_; }

  /// C_r: what all present servers have. [m], units
  std::span<const std::int64_t> pool() const { return pool_; }

  /// Places a task on the server, which has room for it, or ends one there. Requires that it is present; that
  /// and the room are asserted. O(m).
  void take(ServerIndex server, std::span<const std::int64_t> demand);
  void give(ServerIndex server, std::span<const std::int64_t> demand);

  /// What tasks take beyond capacities: Σ_i max(0, taken − capacity). With the pool it can be counted, and
  /// bounds what all tasks take: a task that is placed changes neither. [m]
  std::span<const std::int64_t> excess() const { return excess_; }

  /// A task is known to run there, room or not. Requires that pool and excess together stay below 2^63. O(m).
  void adopt(ServerIndex server, std::span<const std::int64_t> demand);
  /// Others hold this much there from now on. Requires amounts of at least 0. O(m).
  void hold(ServerIndex server, std::span<const std::int64_t> amounts);

  /// Is the server open, and is so much free? An exact fit fits.
  bool has_room(ServerIndex server, std::span<const std::int64_t> demand) const {
    return is_open(server) && is_within(demand, free(server));
  }

  /// Visits every server from `from` on that has room for the alternative, in order, until a visit returns
  /// true. Returns whether one did. O(size × demanded resources), many servers at once.
  template <class Visit>
  bool any_with_room(const SearchAlternative& alternative, ServerIndex from, Visit visit) const {
    return rounded_free_.any(rounded_free_.at_least(alternative.demand), from.number(), alternative.among,
                             [&](std::size_t row) {
                               const ServerIndex server(static_cast<std::uint32_t>(row));
                               return is_within(alternative.demand, free(server)) && visit(server);
                             });
  }

  /// Visits every block of 64 servers that may have room, in order: some of its servers may have none after
  /// all.
  template <class Visit>
  void for_each_block_with_room(const SearchAlternative& alternative, Visit visit) const {
    const Columns::Query query = rounded_free_.at_least(alternative.demand);
    for (Columns::Block block = rounded_free_.next(query, 0, alternative.among); block.rows != 0;
         block = rounded_free_.next(query, block.index + 1, alternative.among)) {
      visit(block);
    }
  }

  /// The same for some blocks: what is asked of each, and the servers 64 block … 64 block + 63 that are open
  /// and may have room, the first in the lowest bit.
  Columns::Query room_for(std::span<const std::int64_t> demand) const {
    return rounded_free_.at_least(demand);
  }
  std::uint64_t may_have_room(const Columns::Query& query, std::size_t block) const {
    return rounded_free_.rows(query, block);
  }

  /// The first server from `from` on that has room for the alternative.
  std::optional<ServerIndex> first_with_room(const SearchAlternative& alternative,
                                             ServerIndex from = kFirstServer) const;

  /// The proportions of what is free on each server. From the first call on the pool keeps them, which makes
  /// take() and give() a little slower; the first call, and the first after the pool has changed, cost
  /// O(size m). Only placements call it, as part of a step: no two threads may call it at once.
  const Proportions& proportions(FitDistance distance) const;

 private:
  enum class State : std::uint8_t { vacant, closed, open };

  struct Kept {
    Proportions proportions;
    bool current = false;  // every server's are those of what is free
  };

  ServerIndex next_index();
  std::int64_t room(ServerIndex server, std::size_t r) const;
  std::int64_t excess(ServerIndex server, std::size_t r) const {
    return std::max<std::int64_t>(0, taken_[server][r] - capacity_[server][r]);
  }
  void set_capacity(ServerIndex server, std::span<const std::int64_t> capacity);
  void count(std::span<const std::int64_t> capacity);
  void count_no_longer(std::span<const std::int64_t> capacity);
  bool bound_capacities();
  void show(ServerIndex server);
  void show_all();
  void show_change(ServerIndex server);

  std::vector<std::int64_t> pool_;    // [m]
  std::vector<std::int64_t> excess_;  // [m]
  IndexedVector<ServerIndex, State> states_;
  IndexedAmounts<ServerIndex> capacity_;
  IndexedAmounts<ServerIndex> taken_;
  IndexedAmounts<ServerIndex> held_;
  IndexedAmounts<ServerIndex> free_;
  Columns rounded_free_;  // of the open servers
  // [m][how coarse its capacity makes a column] present servers, and what follows.
  std::vector<std::array<std::uint32_t, Columns::kCoarsest + 1>> by_coarseness_;
  std::vector<std::int64_t> capacity_bound_;  // [m]
  mutable std::array<Kept, 2> proportions_;   // [distance]
  std::priority_queue<ServerIndex, std::vector<ServerIndex>, std::greater<>> vacant_;
};

/// The servers that take tasks: those that are open in the pool, but for a few that are taken to be
/// otherwise. A value: the pool stays as it is. Requires the pool to outlive it.
class OpenServers {
 public:
  explicit OpenServers(const ServerPool& pool) : pool_(&pool) {}

  void open(ServerIndex server) { opened_.insert(server), closed_.erase(server); }
  void close(ServerIndex server) { closed_.insert(server), opened_.erase(server); }

  bool contains(ServerIndex server) const {
    return opened_.contains(server) || (pool_->is_open(server) && !closed_.contains(server));
  }

  /// Visits those that have room for the alternative, each once, until a visit returns true. Returns whether
  /// one did. As ServerPool::any_with_room, and O(m) for each that is taken to be open.
  template <class Visit>
  bool any_with_room(const SearchAlternative& alternative, Visit visit) const {
    for (std::size_t index = 0; index < opened_.words().size(); ++index) {
      std::uint64_t word = opened_.word(index);
      if (alternative.among != nullptr) word &= alternative.among->word(index);
      for (; word != 0; word &= word - 1) {
        const ServerIndex server = ServerSet::first_of(index, word);
        if (is_within(alternative.demand, pool_->free(server)) && visit(server)) return true;
      }
    }
    return pool_->any_with_room(alternative, kFirstServer, [&](ServerIndex server) {
      return !closed_.contains(server) && !opened_.contains(server) && visit(server);
    });
  }
  bool any_with_room(const SearchAlternative& alternative) const {
    return any_with_room(alternative, [](ServerIndex /*server*/) { return true; });
  }

  /// As ServerPool::may_have_room().
  std::uint64_t may_have_room(const Columns::Query& query, std::size_t block) const {
    return (pool_->may_have_room(query, block) & ~closed_.word(block)) | opened_.word(block);
  }

 private:
  const ServerPool* pool_;
  ServerSet opened_;
  ServerSet closed_;
};

}  // namespace mirab::scheduling
