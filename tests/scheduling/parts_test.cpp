// The parts of the engine without the engine: each decides and starts nothing.
#include <gtest/gtest.h>

#include "scheduling/dispatch/dispatcher.hpp"
#include "scheduling/engines.hpp"
#include "scheduling/starvation/preemption.hpp"
#include "scheduling/starvation/reservations.hpp"

namespace mirab::scheduling {
namespace {

/// A server of 4 units, drf and first-fit.
struct Parts {
  Ledger ledger{1};
  DisciplineChoice discipline = *discipline_choice(choice("drf"));
  Shares shares{ledger, *discipline.discipline, fairness::ShareScale(1), {}};
  PlacementSearch placement{ledger, *where(choice("first-fit")), false};
  RoomSearch room_search{ledger, shares.tournaments, placement};
  Dispatcher dispatcher{ledger, shares, room_search, discipline, Tie::first};
  Random random{1};

  Parts() {
    const ServerIndex server = ledger.add_server({.name = "s", .labels = {}}, {4});
    dispatcher.room_released(server);
  }

  /// The queue of a new user with tasks that wait.
  QueueIndex queue(std::int64_t demand, std::int64_t tasks) {
    const TaskClassIndex task_class =
        ledger.task_classes.hold({.user = {}, .demand = {demand}, .tasks = tasks});
    const UserIndex user = ledger.add_user({.name = "u", .weight = {}});
    const QueueIndex queue = ledger.add_queue(user, task_class);
    const JobIndex job =
        ledger.jobs.add({.queue = queue, .waiting = tasks, .sequence = ledger.jobs_before++});
    ledger.enqueue(job);
    ++ledger.queues[queue].jobs;
    dispatcher.queue_waits(queue);
    return queue;
  }

  void start(const Dispatch& next) {
    const QueueRow& queue = ledger.queues[next.entry.queue];
    placement.task_started(ledger.start(queue.first_job, next.server, Time()));
    dispatcher.task_placed(next.entry);
  }
  void start_all() {
    while (const std::optional<Dispatch> next = dispatcher.next(random)) start(*next);
  }
};

TEST(Dispatcher, DecidesAgainInTheSameWayUntilTheTaskHasStarted) {
  Parts parts;
  const QueueIndex first = parts.queue(1, 3);
  const QueueIndex second = parts.queue(1, 3);
  for (int asked = 0; asked < 2; ++asked) {
    const std::optional<Dispatch> next = parts.dispatcher.next(parts.random);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->entry.queue, first);
    EXPECT_EQ(parts.ledger.tasks.size(), 0U);
  }
  parts.start(*parts.dispatcher.next(parts.random));
  EXPECT_EQ(parts.dispatcher.next(parts.random)->entry.queue, second);
  parts.start_all();
  EXPECT_EQ(parts.ledger.tasks.size(), 4U);
  EXPECT_EQ(broken_invariant(parts.ledger), "");
}

TEST(ReservationPolicy, IntendsToKeepAServerAndClosesNone) {
  Parts parts;
  parts.queue(1, 4);
  parts.start_all();
  const QueueIndex starves = parts.queue(4, 1);
  ReservationPolicy policy({.after = Duration(10)});
  const auto preview = [&](std::int64_t at) {
    return policy.preview(parts.ledger, parts.dispatcher.waiting(), Time(Duration(at)));
  };
  EXPECT_TRUE(preview(9).begun.empty());
  const ReservationPreview intended = preview(10);
  ASSERT_EQ(intended.begun.size(), 1U);
  EXPECT_EQ(intended.begun[0].queue, starves);
  EXPECT_FALSE(intended.open.contains(intended.begun[0].server));
  EXPECT_TRUE(parts.ledger.server_pool.is_open(intended.begun[0].server));
  EXPECT_TRUE(policy.present().kept.empty());
  policy.begun(intended);
  EXPECT_NE(policy.present().of_queue(starves), nullptr);
}

TEST(PreemptionPolicy, IntendsToEndTasksWithinItsBudgetAndEndsNone) {
  Parts parts;
  parts.queue(1, 4);
  parts.start_all();
  const QueueIndex poor = parts.queue(1, 2);
  const OpenServers open(parts.ledger.server_pool);
  const Reservations none;
  const std::set<TaskIndex> spared;
  PreemptionPolicy policy({.tasks = 1, .per = Duration(100)});
  const auto intend = [&](std::int64_t at) {
    return policy.intend({.waiting = parts.dispatcher.waiting(),
                          .tournaments = parts.shares.tournaments,
                          .precedence = parts.dispatcher.precedence(),
                          .blocking = parts.discipline.blocking,
                          .open = open,
                          .reservations = none,
                          .spared = spared},
                         Time(Duration(at)));
  };
  const std::optional<PreemptionCandidate> candidate = intend(0);
  ASSERT_TRUE(candidate);
  EXPECT_EQ(candidate->queue, poor);
  EXPECT_EQ(candidate->victims.tasks.size(), 1U);
  EXPECT_EQ(parts.ledger.tasks.size(), 4U);
  policy.ended(1, Time());
  EXPECT_FALSE(intend(99));
  EXPECT_TRUE(intend(100));
}

int keys_computed = 0;
int keys_compared = 0;

// Of a user with many queues one key is computed, and none is compared with another of its own.
TEST(ReadyQueue, ComputesTheKeyOfAUserOnceForAllItsQueues) {
  Parts parts;
  const KeyFunction counting{.rounded =
                                 [](const ShareContext& context, TournamentEntry entry) {
                                   ++keys_computed;
                                   return kDrfKey.rounded(context, entry);
                                 },
                             .compare =
                                 [](const ShareContext& context, TournamentEntry a, TournamentEntry b) {
                                   ++keys_compared;
                                   return kDrfKey.compare(context, a, b);
                                 }};
  Discipline drf = *parts.discipline.discipline;
  drf.key = &counting;
  ReadyQueue ready({.discipline = &drf, .tie = Tie::first, .context = &parts.shares.context});
  const UserIndex user = parts.ledger.add_user({.name = "u", .weight = {}});
  for (std::int64_t demand = 1; demand <= 100; ++demand) {
    const TaskClassIndex task_class =
        parts.ledger.task_classes.hold({.user = {}, .demand = {demand}, .tasks = 1});
    const QueueIndex queue = parts.ledger.add_queue(user, task_class);
    const JobIndex job =
        parts.ledger.jobs.add({.queue = queue, .waiting = 1, .sequence = parts.ledger.jobs_before++});
    parts.ledger.enqueue(job);
    ready.enter(queue, parts.shares.tournaments.of(task_class));
  }
  keys_computed = keys_compared = 0;
  ready.rekey(parts.ledger.users[user].queues);
  EXPECT_EQ(keys_computed, 1);
  EXPECT_EQ(keys_compared, 0);
  EXPECT_EQ(ready.next(parts.random)->entry.queue, parts.ledger.users[user].queues.front());
}

TEST(Ledger, FindsWhatNoLongerFollowsFromTheRest) {
  const auto broken = [](auto change) {
    Parts parts;
    parts.queue(1, 2);
    parts.queue(2, 1);
    change(parts);
    return broken_invariant(parts.ledger);
  };
  constexpr ServerIndex kServer{0};
  constexpr UserIndex kUser{0};
  constexpr TaskClassIndex kTaskClass{0};
  EXPECT_EQ(broken([](Parts& /*parts*/) {}), "");
  EXPECT_EQ(broken([&](Parts& parts) { parts.ledger.server_pool.resize(kServer, Amounts{5}); }),
            "server 0 is not of its server class");
  EXPECT_EQ(broken([&](Parts& parts) { parts.ledger.server_classes.hold(ServerIndex(7), Amounts{4}); }),
            "server class 0 has other servers than it counts");
  EXPECT_EQ(broken([&](Parts& parts) { parts.ledger.server_pool.add(Amounts{5}); }),
            "the pool is not the sum of the servers");
  EXPECT_EQ(broken([&](Parts& parts) {
              parts.ledger.task_classes.eligibility.hold({.servers = std::vector<std::string>{"s"}});
              const_cast<ServerSet*>(parts.ledger.task_classes.eligibility.servers(SelectionIndex(1)))
                  ->erase(kServer);
            }),
            "a selection has other servers than it admits");
  EXPECT_EQ(broken([&](Parts& parts) { parts.ledger.users[kUser].queues.clear(); }),
            "queue 0 is not with its user");
  EXPECT_EQ(broken([&](Parts& parts) { parts.ledger.users[kUser].queues.push_back(QueueIndex(1)); }),
            "user 0 lists queue 1, which is not its own");
  EXPECT_EQ(broken([&](Parts& parts) { parts.ledger.task_classes.retain(kTaskClass); }),
            "task class 0 has other queues than it counts");
}

TEST(Dispatcher, FindsAQueueThatWaitsAndIsNotInTheOrder) {
  Parts parts;
  const QueueIndex queue = parts.queue(1, 2);
  EXPECT_EQ(parts.dispatcher.broken(), "");
  parts.dispatcher.queue_left(queue);
  EXPECT_EQ(parts.dispatcher.broken(), "queue 0 has waiting tasks and is not in the order");
  parts.dispatcher.queue_waits(queue);
  parts.ledger.dequeue(parts.ledger.queues[queue].first_job);
  EXPECT_EQ(parts.dispatcher.broken(), "queue 0 is in the order without a task");
}

}  // namespace
}  // namespace mirab::scheduling
