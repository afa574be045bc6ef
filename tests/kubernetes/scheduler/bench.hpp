#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kubernetes/scheduler/model_server.hpp"
#include "kubernetes/scheduler/scheduler.hpp"

namespace mirab::kubernetes::testing {

/// A server and a scheduler without faults between them.
struct Bench {
  explicit Bench(SchedulerOptions given = options()) : scheduler(*Scheduler::from(std::move(given))) {}

  /// All that happens until this time.
  void run(double until, const std::function<Fate(const Request&)>& fate = {}) {
    if (!has_list) server.list(scheduler, at(now));
    has_list = true;
    for (; now <= until; now += 0.1) {
      server.pass(now);
      for (int i = 0; i < 1000; ++i) {
        while (server.tell(scheduler, at(now))) {
        }
        const std::vector<Request> requests = scheduler.work(at(now), kWall, true);
        if (requests.empty()) break;
        for (const Request& each : requests) {
          sent.push_back(each);
          scheduler.answer(server.take(each, fate ? fate(each) : Fate::done), at(now), kWall);
        }
      }
      const std::string broken = scheduler.cluster().broken_invariant();
      ASSERT_EQ(broken, "") << "after " << now << " s";
    }
  }
  std::string node_of(const std::string& uid) const { return server.pods.at(uid).seen.node; }
  std::size_t bound(const std::string& space) const {
    std::size_t count = 0;
    for (const auto& [uid, each] : server.pods)
      count += each.seen.space == space && !each.seen.node.empty() ? 1 : 0;
    return count;
  }

  ModelServer server;
  Scheduler scheduler;
  std::vector<Request> sent = {};
  double now = 0;
  bool has_list = false;
};

}  // namespace mirab::kubernetes::testing
