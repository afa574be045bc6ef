#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/ledger/columns.hpp"
#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/share_context.hpp"
#include "scheduling/order/tournament.hpp"

namespace mirab::scheduling {

/// The servers on which something was freed since the shapes that are set aside were last tried there.
class ReleasedServers {
 public:
  void add(std::uint32_t server) {
    if (server >= is_freed_.size()) is_freed_.resize(server + 1, false);
    if (is_freed_[server]) return;
    is_freed_[server] = true;
    servers_.push_back(server);
  }

  bool contains(std::uint32_t server) const { return server < is_freed_.size() && is_freed_[server]; }
  bool empty() const { return servers_.empty(); }
  std::size_t size() const { return servers_.size(); }
  std::uint32_t operator[](std::size_t index) const { return servers_[index]; }

  /// The last one takes its index. O(1).
  void drop(std::size_t index) {
    is_freed_[servers_[index]] = false;
    servers_[index] = servers_.back();
    servers_.pop_back();
  }

  /// The server is gone. O(size).
  void forget(std::uint32_t server) {
    const auto at = std::find(servers_.begin(), servers_.end(), server);
    if (at != servers_.end()) drop(static_cast<std::size_t>(at - servers_.begin()));
  }

 private:
  std::vector<std::uint32_t> servers_;
  std::vector<bool> is_freed_;  // [server]
};

/// The shapes of a lane whose tasks fit nowhere, until something is freed: laid out so that those that fit
/// into what was freed, and of these the one that is next, are found without looking at each.
class UnschedulableClasses {
 public:
  explicit UnschedulableClasses(std::size_t resources) : resources_(resources), rows_(resources) {}

  std::size_t size() const { return shapes_.size(); }
  std::uint32_t shape(std::size_t at) const { return shapes_[at]; }
  double key(std::size_t at) const { return keys_[at]; }
  void set_key(std::size_t at, double key) { keys_[at] = key; }

  /// `least` is what a task of the shape takes at the least, [m]. O(m) amortised.
  void add(std::uint32_t shape, double key, std::span<const std::int64_t> least);

  /// The shape that stands there goes, and the last one takes its place. O(m).
  void remove(std::size_t at);

  /// Visits, in no particular order, all places whose shapes may fit into what is free, and some others.
  /// O(size m), many at once.
  template <class Visit>
  void for_each_that_may_fit(std::span<const std::int64_t> free, Visit visit) const {
    rows_.any(rows_.at_most(free), 0, nullptr, [&](std::size_t at) {
      visit(at);
      return false;
    });
  }

 private:
  std::span<const std::int64_t> amounts(std::size_t at) const {
    return std::span(amounts_).subspan(at * resources_, resources_);
  }

  std::size_t resources_;  // m
  std::vector<std::uint32_t> shapes_;
  std::vector<double> keys_;
  std::vector<std::int64_t> amounts_;  // [place × m]
  Columns rows_;
};

/// Who is next: the queues with waiting tasks in the order of their keys, in every lane that they belong to.
///
/// Queues of one shape stand together, since their tasks fit or do not fit together: a shape that fits
/// nowhere in a lane is set aside there with all its queues in O(log shapes), however many they are, and is
/// looked at again when something is freed. So there are two rounds of tournaments, first among the queues of
/// a shape, then among the shapes of a lane.
class ReadyQueue {
 public:
  /// Requires the standing to outlive the race.
  ReadyQueue(const Discipline& discipline, Tie tie, const Standing& standing)
      : discipline_(&discipline), tie_(tie), standing_(&standing) {}

  /// The queue, of a shape with these lanes, has waiting tasks from now on. O(lanes log N).
  void enter(std::uint32_t queue, std::vector<std::uint32_t> lanes);
  void leave(std::uint32_t queue);

  bool holds(std::uint32_t queue) const { return queue < places_.size() && places_[queue] != kNone; }

  /// Of a queue that waits.
  const std::vector<std::uint32_t>& lanes_of(std::uint32_t queue) const {
    return members_[standing_->accounts.queues[queue].shape].lanes;
  }

  /// The keys of some queues may have changed; those that do not wait are passed over. O(lanes log N) each.
  void rekey(std::span<const std::uint32_t> queues);

  /// All keys may have changed. O(lanes N).
  void rekey_all();

  /// A queue with the lowest key of those not set aside. Draws one number when the tie is random and there is
  /// one. O(lanes); with random ties O(lanes + users that tie).
  std::optional<Entry> next(Random& random) const;

  /// Is a served before b? A strict order.
  bool before(Entry a, Entry b) const { return precedence().before(keyed(a), keyed(b)); }

  /// The first of the shape's queues in the lane. Requires that some wait.
  Entry first(std::uint32_t shape, std::uint32_t lane) const {
    return {.queue = lanes_[lane].of_shape[shape].first, .lane = lane};
  }

  void set_aside(std::uint32_t shape, std::uint32_t lane);
  void retry(std::uint32_t shape, std::uint32_t lane);

  /// The shape is brought back from every lane in which it is aside. O(lanes).
  void retry(std::uint32_t shape);

  /// Is a shape with terms aside anywhere?
  bool has_constrained_parked() const { return parked_constrained_count_ > 0; }

  /// All with terms are brought back. O(those aside with terms).
  void retry_constrained();

  /// Of those with terms, and tasks that may fit into what is free, all that pass the test are brought back.
  template <class Fits>
  void retry_constrained_if(std::span<const std::int64_t> free, Fits fits) {
    for (std::uint32_t lane = 0; lane < lane_count(); ++lane) {
      std::vector<std::uint32_t> back;
      parked_constrained_[lane].for_each_that_may_fit(free, [&](std::size_t at) {
        const std::uint32_t shape = parked_constrained_[lane].shape(at);
        if (fits(shape)) back.push_back(shape);
      });
      for (const std::uint32_t shape : back) retry(shape, lane);
    }
  }

  bool is_parked(std::uint32_t shape, std::uint32_t lane) const;
  std::vector<std::uint32_t> aside(std::uint32_t lane) const;  ///< the shapes, in order

  /// Does a queue of the shape wait in the lane?
  bool waits(std::uint32_t shape, std::uint32_t lane) const {
    return lane < lanes_.size() && shape < lanes_[lane].of_shape.size() &&
           !lanes_[lane].of_shape[shape].queues.empty();
  }

  /// Of the shapes without terms that are set aside in the lane and pass the test, all with tasks that may
  /// fit into what is free, the first one's first queue. `fits(shape)` is asked as seldom as possible.
  template <class Fits>
  std::optional<Entry> next_parked(std::uint32_t lane, std::span<const std::int64_t> free, Fits fits) const {
    const UnschedulableClasses& aside = lanes_[lane].aside;
    std::optional<Entry> next;
    aside.for_each_that_may_fit(free, [&](std::size_t at) {
      if (next && aside.key(at) > lanes_[lane].keys[next->queue] * (1 + kRounding)) return;
      const Entry entry = first(aside.shape(at), lane);
      if ((!next || before(entry, *next)) && fits(aside.shape(at))) next = entry;
    });
    return next;
  }

  /// Brings back all shapes without terms that are set aside in the lane and pass the test. O(those set
  /// aside).
  template <class Fits>
  void retry_if(std::uint32_t lane, Fits fits) {
    for (std::size_t at = lanes_[lane].aside.size(); at-- > 0;) {
      const std::uint32_t shape = lanes_[lane].aside.shape(at);
      if (fits(shape)) retry(shape, lane);
    }
  }

  std::uint32_t lane_count() const { return static_cast<std::uint32_t>(lanes_.size()); }

 private:
  struct OfShape {
    Tournament queues;                // by their places in the shape
    std::uint32_t parked_at = kNone;  // its place among those set aside
    std::uint32_t first = kNone;      // the first of its queues
    double first_key = 0;             // and that one's key
  };
  struct Lane {
    explicit Lane(std::size_t resources) : aside(resources) {}
    Tournament shapes;
    std::vector<OfShape> of_shape;  // [shape]
    std::vector<double> keys;       // [queue]
    UnschedulableClasses aside;     // shapes without terms: what is freed on a server helps them there alone
  };
  struct Members {
    std::vector<std::uint32_t> queues;  // [place]
    std::vector<std::uint32_t> vacant;
    std::vector<std::uint32_t> lanes;
    std::uint32_t waiting = 0;
  };

  auto before_in_shape(std::uint32_t shape, std::uint32_t lane) const {
    return [this, &queues = members_[shape].queues, lane](std::uint32_t a, std::uint32_t b) {
      return before({.queue = queues[a], .lane = lane}, {.queue = queues[b], .lane = lane});
    };
  }
  auto before_in_lane(std::uint32_t lane) const {
    return [this, lane, &of_shape = lanes_[lane].of_shape](std::uint32_t a, std::uint32_t b) {
      const double key_a = of_shape[a].first_key;
      const double key_b = of_shape[b].first_key;
      if (std::abs(key_a - key_b) > kRounding * std::max(key_a, key_b)) return key_a < key_b;
      return before(first(a, lane), first(b, lane));
    };
  }
  Precedence precedence() const { return {.discipline = discipline_, .tie = tie_, .standing = standing_}; }
  Keyed keyed(Entry entry) const { return {.entry = entry, .key = lanes_[entry.lane].keys[entry.queue]}; }
  /// Are the keys equal, whatever the tie rule?
  bool ties(Entry a, Entry b) const { return precedence().ties(keyed(a), keyed(b)); }
  Entry drawn_from_tied(Entry lowest, Random& random) const;
  void set_key(std::uint32_t queue, std::uint32_t lane);
  void replay(std::uint32_t queue, std::uint32_t lane);
  void set_first(std::uint32_t shape, std::uint32_t lane);
  UnschedulableClasses& parked_of(std::uint32_t shape, std::uint32_t lane) {
    return standing_->accounts.shapes.terms(shape) == nullptr ? lanes_[lane].aside
                                                              : parked_constrained_[lane];
  }
  void set_parked_key(std::uint32_t shape, std::uint32_t lane);
  void remove_parked(std::uint32_t shape, std::uint32_t lane);

  const Discipline* discipline_;
  Tie tie_;
  const Standing* standing_;
  std::vector<Lane> lanes_;
  std::vector<UnschedulableClasses> parked_constrained_;  // [lane], the shapes with terms that are aside
  std::size_t parked_constrained_count_ = 0;              // in all lanes
  std::vector<Members> members_;                          // [shape]
  std::vector<std::uint32_t> places_;  // [queue], its place in its shape; kNone when it does not wait
};

}  // namespace mirab::scheduling
