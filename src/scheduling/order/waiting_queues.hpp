#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>

#include "scheduling/ledger/index.hpp"
#include "scheduling/order/share_context.hpp"
#include "scheduling/order/tournament_rules.hpp"

namespace mirab::scheduling {

/// The queues with waiting tasks, by task class. Those of one class stand together, since their tasks fit or
/// do not fit together, and play in the same tournaments.
class WaitingQueues {
 public:
  using Member = Index<struct MemberTag>;  ///< of a queue among those of its task class

  /// `tournaments` are those of the task class from now on.
  void enter(QueueIndex queue, TaskClassIndex task_class, std::vector<TournamentId> tournaments);
  void leave(QueueIndex queue, TaskClassIndex task_class);

  bool holds(QueueIndex queue) const { return members_.holds(queue) && members_[queue] != kNone; }
  bool any_of(TaskClassIndex task_class) const {
    return classes_.holds(task_class) && classes_[task_class].waiting > 0;
  }

  /// All queues that there have been.
  Indices<QueueIndex> indices() const { return members_.indices(); }

  Member member(QueueIndex queue) const { return members_[queue]; }
  const IndexedVector<Member, QueueIndex>& queues(TaskClassIndex task_class) const {
    return classes_[task_class].queues;
  }
  const std::vector<TournamentId>& tournaments(TaskClassIndex task_class) const {
    return classes_[task_class].tournaments;
  }
  const QueuesByPlace& by_place() const { return by_place_; }

 private:
  struct OfClass {
    IndexedVector<Member, QueueIndex> queues;
    std::vector<Member> vacant;
    std::vector<TournamentId> tournaments;
    std::uint32_t waiting = 0;  // queues
  };
  IndexedVector<TaskClassIndex, OfClass> classes_;
  IndexedVector<QueueIndex, Member> members_;  // kNone when it does not wait
  QueuesByPlace by_place_;
};

}  // namespace mirab::scheduling
