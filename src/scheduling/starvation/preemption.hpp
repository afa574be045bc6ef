#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <gmpxx.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>

#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/share_context.hpp"
#include "scheduling/starvation/reservations.hpp"

namespace mirab::scheduling {

/// How many more tasks may end by force, and whether it is worth looking for some. The rule itself:
/// preemption.cpp.
class Preemption {
 public:
  explicit Preemption(Preempting rule) : rule_(rule) {}

  /// How many may end now: with those that ended in the time `per` up to now no more than `tasks`. What is
  /// older is forgotten. O(1) amortised.
  std::int64_t left(Time now);
  void ended(std::int64_t tasks, Time now);

  /// Nothing was found, and nothing will be until something changes, or until the tasks that may end come in
  /// another order; or, where the victims would have been too many, until some more may end.
  void found_nothing(Time next_order) { again_ = next_order, is_futile_ = true; }
  void found_too_many(Time next_order);
  void something_changed() { is_futile_ = false; }
  bool is_futile(Time now) const { return is_futile_ && now < again_; }

  /// What a snapshot keeps.
  struct Memory {
    std::deque<std::pair<Time, std::int64_t>> ended = {};  ///< when, and how many tasks then
    bool is_futile = false;
    Time again = {};
  };
  Memory memory() const { return {.ended = ended_, .is_futile = is_futile_, .again = again_}; }
  void set_memory(Memory memory);  ///< requires times in order and tasks above 0, no more than the rule says

 private:
  Time end_of_window(Time ended) const;

  Preempting rule_;
  std::deque<std::pair<Time, std::int64_t>> ended_;
  std::int64_t recent_ = 0;  // Σ of those
  bool is_futile_ = false;
  Time again_ = {};  // when it is futile: until then
};

/// Errors: a number of tasks or a time that is not above 0.
Check check(const Preempting& rule);

/// Tasks of one server that end so that another one fits there.
struct Victims {
  std::uint32_t server;
  std::vector<std::uint32_t> tasks;  ///< those with least work lost first
  mpq_class work;                    ///< lost, all together: ns times parts of the pool
};

/// Who may lose tasks to whom, as things stand. See preemption.cpp.
class VictimSearch {
 public:
  /// Requires the share context, the share function and the reservations, if there are any, to stay as they
  /// are. O(queues m).
  VictimSearch(const ShareContext& context, const ShareFunction& share, const Reservations* reservations,
               Time now);

  /// May some other user lose a task for one of the queue? False only when none may. O(m).
  bool may_gain(std::uint32_t queue) const;

  /// The victims for the next task of the queue, at most this many, on servers that it may use. O(tasks on
  /// eligible servers), and for those of users who may lose some O(log tasks of a server) rationals.
  std::optional<Victims> find(std::uint32_t queue, std::int64_t most,
                              const std::function<bool(std::uint32_t server)>& may_use);

  /// Would there have been victims, had they not been too many?
  bool found_too_many() const { return found_too_many_; }

  /// Of a search that found nothing: before this time, while nothing else changes, another one finds nothing
  /// either. Time::max() when no time changes that.
  Time next_order() const { return next_order_; }

 private:
  struct PreemptionCandidate;  // of the user who is to get a task
  struct Loss;                 // of a task that may end

  void note_spare(std::uint32_t user);
  double rounded(const UsageAfter& after) const;
  std::weak_ordering compare(const UsageAfter& a, const UsageAfter& b) const;
  bool is_protected(std::uint32_t task) const;
  bool may_lose(std::uint32_t user, double key) const;
  bool is_at_least(const UsageAfter& after, const PreemptionCandidate& gain) const;
  mpq_class work_rate(std::span<const std::int64_t> demand) const;
  Loss loss_of(std::uint32_t task, std::uint32_t server, std::size_t place) const;
  bool can_spare(std::uint32_t job, std::int64_t tasks) const;
  std::vector<Loss> losses_on(std::uint32_t server, const PreemptionCandidate& gain) const;
  std::vector<Loss> taken_on(std::uint32_t server, const PreemptionCandidate& gain, std::int64_t most);
  void note_next_order(const std::vector<Loss>& losses);
  void consider(std::uint32_t server, const PreemptionCandidate& gain, std::int64_t most,
                std::optional<Victims>& best);

  const ShareContext& context_;
  const Ledger& ledger_;
  const ShareFunction& share_;
  const Reservations* reservations_;
  Time now_;
  std::vector<double> spare_;  // the highest key of the user after the loss of one task; -1 without tasks
  double most_spare_ = -1;
  bool found_too_many_ = false;
  Time next_order_ = Time::max();
};

}  // namespace mirab::scheduling
