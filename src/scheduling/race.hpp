#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/aside.hpp"
#include "scheduling/disciplines.hpp"
#include "scheduling/precedence.hpp"
#include "scheduling/standing.hpp"
#include "scheduling/tournament.hpp"

namespace mirab::scheduling {

/// Who is next: the queues with waiting tasks in the order of their keys, in every lane that they belong to.
///
/// Queues of one shape stand together, since their tasks fit or do not fit together: a shape that fits
/// nowhere in a lane is set aside there with all its queues in O(log shapes), however many they are, and is
/// looked at again when something is freed. So there are two rounds of tournaments, first among the queues of
/// a shape, then among the shapes of a lane.
class Race {
 public:
  /// Requires the standing to outlive the race.
  Race(const Discipline& discipline, Tie tie, const Standing& standing)
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
  void bring_back(std::uint32_t shape, std::uint32_t lane);

  /// The shape is brought back from every lane in which it is aside. O(lanes).
  void bring_back(std::uint32_t shape);

  /// Is a shape with terms aside anywhere?
  bool has_terms_aside() const { return terms_aside_ > 0; }

  /// All with terms are brought back. O(those aside with terms).
  void bring_back_terms();

  /// Of those with terms, and tasks that may fit into what is free, all that pass the test are brought back.
  template <class Fits>
  void bring_back_terms_if(std::span<const std::int64_t> free, Fits fits) {
    for (std::uint32_t lane = 0; lane < lane_count(); ++lane) {
      std::vector<std::uint32_t> back;
      with_terms_[lane].for_each_that_may_fit(free, [&](std::size_t at) {
        const std::uint32_t shape = with_terms_[lane].shape(at);
        if (fits(shape)) back.push_back(shape);
      });
      for (const std::uint32_t shape : back) bring_back(shape, lane);
    }
  }

  bool is_aside(std::uint32_t shape, std::uint32_t lane) const;
  std::vector<std::uint32_t> aside(std::uint32_t lane) const;  ///< the shapes, in order

  /// Does a queue of the shape wait in the lane?
  bool waits(std::uint32_t shape, std::uint32_t lane) const {
    return lane < lanes_.size() && shape < lanes_[lane].of_shape.size() &&
           !lanes_[lane].of_shape[shape].queues.empty();
  }

  /// Of the shapes without terms that are set aside in the lane and pass the test, all with tasks that may
  /// fit into what is free, the first one's first queue. `fits(shape)` is asked as seldom as possible.
  template <class Fits>
  std::optional<Entry> next_aside(std::uint32_t lane, std::span<const std::int64_t> free, Fits fits) const {
    const Aside& aside = lanes_[lane].aside;
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
  void bring_back_if(std::uint32_t lane, Fits fits) {
    for (std::size_t at = lanes_[lane].aside.size(); at-- > 0;) {
      const std::uint32_t shape = lanes_[lane].aside.shape(at);
      if (fits(shape)) bring_back(shape, lane);
    }
  }

  std::uint32_t lane_count() const { return static_cast<std::uint32_t>(lanes_.size()); }

 private:
  struct OfShape {
    Tournament queues;               // by their places in the shape
    std::uint32_t aside_at = kNone;  // its place among those set aside
    std::uint32_t first = kNone;     // the first of its queues
    double first_key = 0;            // and that one's key
  };
  struct Lane {
    explicit Lane(std::size_t resources) : aside(resources) {}
    Tournament shapes;
    std::vector<OfShape> of_shape;  // [shape]
    std::vector<double> keys;       // [queue]
    Aside aside;                    // shapes without terms: what is freed on a server helps them there alone
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
  Aside& aside_of(std::uint32_t shape, std::uint32_t lane) {
    return standing_->accounts.shapes.terms(shape) == nullptr ? lanes_[lane].aside : with_terms_[lane];
  }
  void set_aside_key(std::uint32_t shape, std::uint32_t lane);
  void take_aside_out(std::uint32_t shape, std::uint32_t lane);

  const Discipline* discipline_;
  Tie tie_;
  const Standing* standing_;
  std::vector<Lane> lanes_;
  std::vector<Aside> with_terms_;      // [lane], the shapes with terms that are aside
  std::size_t terms_aside_ = 0;        // in all lanes
  std::vector<Members> members_;       // [shape]
  std::vector<std::uint32_t> places_;  // [queue], its place in its shape; kNone when it does not wait
};

}  // namespace mirab::scheduling
