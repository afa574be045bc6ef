// What people see of pods that wait: the condition PodScheduled and events, within a budget.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <mirab/model/time.hpp>

#include "kubernetes/scheduler/binding.hpp"
#include "kubernetes/scheduler/evicting.hpp"
#include "kubernetes/scheduler/known_cluster.hpp"
#include "kubernetes/scheduler/requests.hpp"
#include "model/rate.hpp"

namespace mirab::kubernetes {

/// Why a pod is not placed: for its condition, and for an event.
struct WaitingReport {
  std::string reason;     ///< a word: `Unschedulable`, `NotSupported`, `WaitingForGang`
  std::string first;      ///< what has to change before the pod is reported again at once
  std::string text = {};  ///< for people
};

/// The report of a pod as it stands; nothing where there is nothing to say. O(nodes).
std::optional<WaitingReport> report_of(const std::string& uid, const KnownCluster& cluster, Time now);

/// Reports a pod some time after it began to wait, again when the first reason changes, and else ever more
/// seldom, from each 5 to each 30 minutes.
class Reporting {
 public:
  struct Options {
    double per_s = 20;  ///< conditions and events about waiting pods
    std::string reporter = "mirab";
    std::string instance = {};
  };
  explicit Reporting(Options options) : options_(std::move(options)), bucket_(rate()) {}

  /// The pod stands elsewhere than before, or is new: it is looked at again soon.
  void changed(const std::string& uid, Time now);
  void forget(const std::string& uid);

  /// What came of a report. One that the server did not take is made again after a pause.
  void answer(const Reply& reply, Time now);

  /// What is due and within the budget. A pod that waits no more is forgotten.
  std::vector<Request> work(const KnownCluster& cluster, Time now, Wall wall, std::uint64_t& number);
  std::optional<Time> due() const;

  /// An event about what became of a bind.
  Request outcome_event(const BindOutcome& outcome, Wall wall, std::uint64_t& number) const;
  /// An event about a pod that ends for another one.
  Request preempted_event(const Ended& ended, Wall wall, std::uint64_t& number) const;

 private:
  struct Entry {
    Time due = {};
    std::string first = {};  // of the latest report; empty: none yet
    Time written = {};
    Duration look_pause = {};  // until it is looked at again
    Duration write_pause = {};
  };
  Request numbered(const PodName& pod, const PodEvent& event, Wall wall, std::uint64_t& number) const;
  Rate rate() const { return {options_.per_s, options_.per_s}; }
  void look_again(const std::string& uid, Entry& entry, Time when);
  void take_out(const std::string& uid, const Entry& entry);

  Options options_;
  Bucket<CallerClock> bucket_;
  Time not_before_ = {};  // the budget is used up until then
  std::map<std::string, Entry> entries_ = {};
  std::map<std::uint64_t, std::string> asked_ = {};                 // conditions without a reply, and of whom
  std::set<std::pair<Time, std::string>> first_ = {}, again_ = {};  // when due, uid: not yet reported; others
};

}  // namespace mirab::kubernetes
