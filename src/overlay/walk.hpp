#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/message.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// Does the demand fit in what is free? An exact fit fits (table 3.1, step 7; Algorithm 5 prints <).
bool fits_in(std::span<const std::int64_t> demand, std::span<const std::int64_t> free);

/// DRFH's distance between a demand and what a server has free (2.1.4), as parts of the total C:
///
///     H(i, l) = ‖ D_i/D_i1 − c̄_l/c̄_l1 ‖_1
///
/// where 1 is the first resource that is demanded. An empty C: amounts as they are. Requires that the demand
/// fits. Cost: O(m).
double drfh_distance(std::span<const std::int64_t> demand, std::span<const std::int64_t> free,
                     std::span<const double> total);

/// How much room a server has for whatever comes: min_r c̄_lr / C_r, over the resources that the cluster has.
/// The utility of the second gradient, which directed walks climb. Requires a total. Cost: O(m).
double room(std::span<const std::int64_t> free, std::span<const double> total);

/// The hops that a walk begins with: OverlayOptions::hops, which best-fit walks round down to whole legs. A
/// leg is `best_of` servers, the home being the first of the first one; its return to the best is no hop.
/// What is less than a leg is one short leg.
std::uint32_t hops_of(const OverlayOptions& options);

/// What a walk finds at a server; at its home first of all.
struct HopContext {
  NodeId self = 0;
  bool fits = false;
  double distance = 0;  ///< H(i, l), when it fits
  double room = 0;
  std::span<const Descriptor> freer;  ///< the view of the gradient by room
  std::optional<NodeId> peer;         ///< one drawn from the peer-sampling view
};

struct Step {
  enum class What { propose, pass, no_room };
  What what = What::no_room;
  NodeId to = 0;  ///< pass
};

/// The next step of a walk (4.3), and the walk as it goes on.
///
/// `walk`: the first server where it fits, drawn from the peers. `best_fit`: of every `best_of` servers on
/// the walk the one of least distance, if it still fits on the return. `directed`: up the gradient of free
/// capacity, as long as it rises above what was seen; from the top on a random walk. A walk without hops
/// left, or without a server to go to, has found no room. Cost: O(view).
Step walk_step(Search search, const HopContext& here, std::uint32_t best_of, Walk& walk);

/// The walks that came to a server last. A walk that the network doubles must go on once: were both passed
/// on, and their copies doubled again, 400 hops at 5 % would make e²⁰ of it. Doubles come close together, so
/// a few are enough. 68 bytes; one step in 10⁸ is taken for another, and its walk given up (Patience::walk).
class RecentWalks {
 public:
  /// Is this step of the walk new here? Notes it.
  bool is_news(const Walk& walk) {
    const std::uint32_t step = name_of(walk);
    if (std::find(seen_.begin(), seen_.end(), step) != seen_.end()) return false;
    seen_[next_] = step;
    next_ = (next_ + 1) % static_cast<std::uint32_t>(seen_.size());
    return true;
  }

 private:
  /// Hardly two steps have the same.
  static std::uint32_t name_of(const Walk& walk) {
    std::uint64_t name = 0;
    for (const std::uint64_t part : {std::uint64_t{walk.home}, std::uint64_t{walk.task.id.user},
                                     walk.task.id.number, walk.attempt, std::uint64_t{walk.hops_left} + 1}) {
      name = (name ^ part) * 0x9E3779B97F4A7C15U;
      name ^= name >> 32;
    }
    return static_cast<std::uint32_t>(name >> 32);
  }

  std::array<std::uint32_t, 16> seen_{};
  std::uint32_t next_ = 0;
};

}  // namespace mirab::overlay
