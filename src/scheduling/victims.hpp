#pragma once

#include <cstdint>
#include <functional>
#include <gmpxx.h>
#include <optional>
#include <vector>

#include <mirab/model/time.hpp>

#include "scheduling/level.hpp"
#include "scheduling/reservations.hpp"
#include "scheduling/standing.hpp"

namespace mirab::scheduling {

/// Tasks of one server that end so that another one fits there.
struct Victims {
  std::uint32_t server;
  std::vector<std::uint32_t> tasks;  ///< those with least work lost first
  mpq_class work;                    ///< lost, all together: ns times parts of the pool
};

/// Who may lose tasks to whom, as things stand. See victims.cpp.
class VictimSearch {
 public:
  /// Requires the standing, the level and the reservations, if there are any, to stay as they are.
  /// O(queues m).
  VictimSearch(const Standing& standing, const Level& level, const Reservations* reservations, Time now);

  /// May some other user lose a task for one of the queue? False only when none may. O(m).
  bool may_gain(std::uint32_t queue) const;

  /// The victims for the next task of the queue, at most so many, on servers that it may use. O(tasks on
  /// eligible servers), and for those of users who may lose some O(log tasks of a server) rationals.
  std::optional<Victims> find(std::uint32_t queue, std::int64_t most,
                              const std::function<bool(std::uint32_t server)>& may_use);

  /// Would there have been victims, had they not been too many?
  bool found_too_many() const { return found_too_many_; }

 private:
  struct Gain;  // of the user who is to get a task
  struct Loss;  // of a task that may end

  void note_spare(std::uint32_t user);
  bool is_protected(std::uint32_t task) const;
  bool may_lose(std::uint32_t user, double level) const;
  bool is_at_least(const Holding& holding, const Gain& gain) const;
  Loss loss_of(std::uint32_t task, std::uint32_t server) const;
  bool can_spare(std::uint32_t job, std::int64_t tasks) const;
  std::vector<Loss> losses_on(std::uint32_t server, const Gain& gain) const;
  std::vector<Loss> taken_on(std::uint32_t server, const Gain& gain) const;
  void consider(std::uint32_t server, const Gain& gain, std::int64_t most, std::optional<Victims>& best);

  const Standing& standing_;
  const Accounts& accounts_;
  const Level& level_;
  const Reservations* reservations_;
  Time now_;
  std::vector<double> spare_;  // the highest level of the user after the loss of one task; -1 without tasks
  double most_spare_ = -1;
  bool found_too_many_ = false;
};

}  // namespace mirab::scheduling
