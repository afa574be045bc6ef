// A scheduler for Kubernetes, without a network: what the API server says goes in, requests come out. The
// same input, times and seed give the same requests.
//
//   nodes, pods ──▶ KnownCluster (engine) ──▶ decisions ──▶ Binding ──▶ requests ──▶ API server
//                          │                                   ▲                          │
//                          └── why ──▶ Reporting ──▶ requests  └───────── replies ────────┘
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "kubernetes/scheduler/binding.hpp"
#include "kubernetes/scheduler/evicting.hpp"
#include "kubernetes/scheduler/known_cluster.hpp"
#include "kubernetes/scheduler/reporting.hpp"
#include "kubernetes/scheduler/requests.hpp"
#include "model/rate.hpp"

namespace mirab::kubernetes {

struct SchedulerOptions {
  Policy policy = {};
  std::string holder = {};                   ///< the process, in decisions and events
  std::uint64_t seed = 0;                    ///< of placements that draw
  bool is_dry_run = false;                   ///< decides, and asks for nothing
  bool looks_first = false;                  ///< see Binding::Options
  std::size_t in_flight = 64;                ///< binds under way, at most
  double binds_per_s = 0;                    ///< 0: as many as there are
  std::string eviction_version = "v1";       ///< of policy, or `v1beta1`
  scheduling::LoggedEngine::Write log = {};  ///< takes the event logs of the engines
};

/// What happened, for a log or a person.
struct Happening {
  enum class What { decided, bound, refused, parked, evicted, spared, notice };
  What what;
  std::string pod = {};  ///< `ml/train-0`
  std::string node = {};
  std::string why = {};
  std::string newcomer = {};  ///< of a pod that is to end: for which one
};

/// How things stand, for a monitor.
struct SchedulerGauges {
  std::size_t nodes = 0;
  std::size_t pods = 0;  ///< that hold room or want it
  std::size_t waiting = 0;
  std::size_t refused = 0;           ///< they want what Mirab cannot honour
  std::size_t with_preferences = 0;  ///< pods of its own with preferences, which are not honoured
  std::size_t under_way = 0;         ///< binds
  std::size_t in_doubt = 0;          ///< binds of unknown fate
  std::uint64_t decided = 0;         ///< since the beginning
  std::uint64_t bound = 0;           ///< the same
  std::uint64_t failed = 0;          ///< binds that the API server refused
  std::size_t gathering = 0;         ///< pods of gangs that have not all their pods
  std::size_t making_room = 0;       ///< pods for which others are to end
  std::uint64_t evicted = 0;         ///< since the beginning
  std::uint64_t rejected = 0;        ///< pods that were bound, and that a kubelet refused
};

class Scheduler {
 public:
  /// Errors: those of KnownCluster.
  static Result<Scheduler> from(SchedulerOptions options);

  // What the API server says of nodes, of pods, and of namespaces where a label of theirs names their team. A
  // list begins, is put object by object, and ends: what was not put is gone.
  void begin_nodes();
  void put_node(NodeRow node, Time now);
  void remove_node(const std::string& name, Time now);
  void end_nodes(Time now);
  void begin_pods();
  void put_pod(SeenPod pod, Time now);
  void remove_pod(const std::string& uid, Time now);
  /// The same of a pod that its kubelet refused: its node rests for a while.
  void reject_pod(const std::string& uid, Time now);
  void end_pods(Time now);
  void begin_spaces() { listed_spaces_.emplace(); }
  void put_space(const SeenSpace& space, Time now);
  void remove_space(const std::string& name, Time now);
  void end_spaces(Time now);
  // Of disruption budgets, where pods may end for others.
  void begin_budgets() { listed_budgets_.emplace(); }
  void put_budget(Budget budget, Time now);
  void remove_budget(const std::string& space, const std::string& name, Time now);
  void end_budgets(Time now);

  void answer(const Reply& reply, Time now, Wall wall);

  /// Decides as far as binds may be under way, and hands out what is to be sent, in this order. Nothing is
  /// decided before all lists are there or while one is read, and nothing while `may_decide` is false: then
  /// what is known may be old.
  std::vector<Request> work(Time now, Wall wall, bool may_decide);
  /// When work() has something to do again, if nothing else happens.
  std::optional<Time> due() const;
  std::size_t under_way() const { return binding_.under_way(); }
  /// The API server refuses binds since it does not know who asks.
  bool is_locked_out() const { return binding_.is_locked_out(); }

  std::vector<Happening> take_happenings();
  const KnownCluster& cluster() const { return cluster_; }
  KnownCluster::Changed take_changed() { return cluster_.take_changed(); }
  bool has_lists() const {
    return has_nodes_ && has_pods_ && (has_spaces_ || options_.policy.teams.label.empty()) &&
           (has_budgets_ || !options_.policy.preempting);
  }
  SchedulerGauges gauges() const;

 private:
  Scheduler(SchedulerOptions options, KnownCluster cluster);
  void decide(Time now);
  void take_notices();
  void take_outcome(const BindOutcome& outcome, Wall wall);
  void take_ended(Wall wall);
  void take(const KnownCluster::Decision& decision, Time now);

  SchedulerOptions options_;
  KnownCluster cluster_;
  Binding binding_;
  Evicting evicting_;
  Reporting reporting_;
  Bucket<CallerClock> binds_;
  Time not_before_ = {};  // no bind is within the budget until then
  std::uint64_t number_ = 0;
  // While a list is read.
  std::optional<std::set<std::string>> listed_nodes_ = {}, listed_spaces_ = {};
  std::optional<std::unordered_set<std::string>> listed_pods_ = {};
  std::optional<std::set<Budgets::Key>> listed_budgets_ = {};
  bool has_nodes_ = false, has_pods_ = false, has_spaces_ = false, has_budgets_ = false;
  bool may_decide_ = false;  // at the latest work()
  std::vector<Request> events_ = {};
  std::vector<Happening> happenings_ = {};
  std::uint64_t decided_ = 0, bound_ = 0, failed_ = 0, rejected_ = 0;
};

}  // namespace mirab::kubernetes
