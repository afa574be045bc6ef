// What is known of a cluster of Kubernetes, and the engine that follows it: nodes are servers, namespaces
// users, pods jobs of one task. The engine can be made again from the rest at any time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "kubernetes/node_rows.hpp"
#include "kubernetes/scheduler/budgets.hpp"
#include "kubernetes/scheduler/node_sets.hpp"
#include "kubernetes/scheduler/seen_pod.hpp"
#include "kubernetes/scheduler/teams.hpp"
#include "scheduling/persistence/logged_engine.hpp"

namespace mirab::kubernetes {

/// Where a pod stands.
enum class Standing {
  foreign,    ///< bound, of another scheduler: its room is held
  gated,      ///< not to be scheduled yet
  refused,    ///< wants what Mirab cannot honour
  lacking,    ///< asks for a resource that no node has
  resting,    ///< not to be placed for a while, or deleted before it was placed
  gathering,  ///< of a gang that has not all its pods, or is of another kind than they
  waiting,    ///< to be placed
  nominated,  ///< decided, and pods that are to end for it still stand there
  placed,     ///< decided, and not yet known to be bound
  bound,      ///< known to be bound
  ending,     ///< to end for another pod: its room is held
  homeless,   ///< bound, and not in the engine, such as on a node that is not known
};

struct PodRecord {
  SeenPod seen = {};
  Standing standing = Standing::waiting;
  std::string on = {};   ///< the node whose room it takes; empty: none
  std::string set = {};  ///< the set of nodes that it uses
  std::optional<scheduling::JobId> job = {};
  std::optional<scheduling::TaskId> task = {};
  std::optional<Time> since = {};  ///< when it got its node, as far as was seen
  bool is_together = false;        ///< its job has other pods of its gang
  std::string apart = {};          ///< of a gathering pod: in what it differs from its gang
  bool may_end = false;            ///< its job may be preempted
  std::string ends_for = {};       ///< of one that ends: for which pod; empty: that one has given up
};

/// How the pods share the cluster.
struct Policy {
  Choice discipline = {};
  Choice placement = {};
  std::map<std::string, Quantity> share_scale = {};  ///< by resource; 1 for those left out
  std::string scheduler = "mirab";                   ///< pods that name it are to be placed
  TeamRules teams = {};
  std::optional<scheduling::Preempting> preempting = {};
};

class KnownCluster {
 public:
  /// Errors: a discipline or placement that there is not, an option that it does not honour, or teams.
  /// `seed`: of what its engines draw; `log`: takes the event log of each of them, one after the other.
  static Result<KnownCluster> from(Policy policy, std::uint64_t seed = 0,
                                   scheduling::LoggedEngine::Write log = {});

  // What the API server says. An object of no interest changes nothing.
  void see_node(NodeRow node, Time now);
  void lose_node(const std::string& name, Time now);
  void see_pod(SeenPod pod, Time now);
  void lose_pod(const std::string& uid, Time now);
  void see_space(const SeenSpace& space, Time now);
  void lose_space(const std::string& name, Time now);
  void see_budget(Budget budget, Time now);
  void lose_budget(const std::string& space, const std::string& name, Time now);

  /// While a list of pods is read, which anti-affinities there are changes with each of them: the sets of
  /// those who wait are looked up again once, at its end. Nothing may be decided meanwhile.
  void begin_list() { is_listing_ = true; }
  void end_list(Time now);

  /// A pod to be bound, and where. It counts as there from now on.
  struct Decision {
    std::string uid;
    std::string node;
    std::vector<std::string> victims = {};  ///< uids of pods that are to end there first
  };
  /// The next one; of a gang one for each of its pods. Empty: none.
  std::vector<Decision> decide(Time now);

  /// Has a pod that is decided still its place on a node that may take it?
  bool may_stay(const std::string& uid, Time now);
  /// The other pods of its gang that have their nodes; and all of the gang.
  struct Companions {
    std::vector<std::string> under_way = {};  ///< uids: decided, and not yet known to be bound
    std::size_t bound = 0, all = 0;
  };
  Companions companions(const std::string& uid) const;

  // Of a decision with victims.
  /// Pods on the node that still are to end for it.
  std::vector<std::string> victims_of(const std::string& uid) const;
  /// They are gone: it is to be bound.
  void take_room(const std::string& uid);
  /// A victim runs on after all.
  void spare(const std::string& victim, Time now);
  /// It gives up its place and waits again. What still ends holds its room until it is gone.
  void give_up(const std::string& uid, Time now);
  /// Until then the pod does not end for others, no pod of the node does, or the node takes no pods.
  void protect_pod(const std::string& uid, Time until, Time now);
  void protect_node(const std::string& node, Time until, Time now);
  void rest_node(const std::string& node, Time until, Time now);
  const Budgets& budgets() const { return budgets_; }
  /// Ends what has held until now. O(nodes), when something ends.
  void expire(Time now);
  std::optional<Time> due() const { return expiry_; }

  /// It is known to be bound there.
  void confirm(const std::string& uid, Time now);
  /// It was not bound: it is not placed again before resume().
  void put_aside(const std::string& uid, Time now);
  void resume(const std::string& uid, Time now);

  const PodRecord* pod(const std::string& uid) const;
  /// In no order.
  const std::unordered_map<std::string, PodRecord>& pods() const { return pods_; }
  std::vector<std::string> nodes() const;
  std::size_t node_count() const;  ///< O(nodes)
  std::vector<std::string> labelled_spaces() const { return teams_.labelled(); }

  /// Why a waiting pod is not placed now; nothing when it does not wait. O(nodes).
  std::optional<scheduling::WhyWaiting> why(const std::string& uid, Time now) const;
  /// The resource that a lacking pod asks for, and no node has.
  std::string lacks(const std::string& uid) const;

  const scheduling::Engine& engine() const { return engine_->engine(); }

  // For who follows it with a copy of the engine.
  struct KnownNode {
    std::optional<NodeRow> row = {};  // none: pods stand on it, and it is not known
    std::optional<scheduling::ServerId> server = {};
    bool is_leaving = false;  // deleted, and pods still stand on it
    Amounts held = {};        // by pods of others, and by those that are to end
    std::optional<Time> rests_until = {}, protected_until = {};
    std::set<std::string> pods = {};  // uids: whose `on` it is
  };
  struct User {
    scheduling::UserId id;
    scheduling::GroupId group = scheduling::kCluster;
    std::int64_t jobs = 0;
  };
  /// By name, pods by uid.
  struct Changed {
    std::set<std::string> pods = {}, nodes = {}, sets = {};
    bool is_of_teams = false;  ///< users moved, or groups have other guarantees and limits
    bool is_everything = false;
    bool is_nothing() const {
      return !is_everything && !is_of_teams && pods.empty() && nodes.empty() && sets.empty();
    }
  };
  /// What is another since the last call; at the first call everything. Nothing is noted before that.
  Changed take_changed();
  /// Null: not known.
  const KnownNode* node(const std::string& name) const;
  /// By namespace, in the upper tier or not.
  const std::map<std::pair<std::string, bool>, User>& users() const { return users_; }
  const NodeSets& sets() const { return sets_; }
  /// The teams, each after its parent.
  std::vector<KnownTeam> groups() const { return teams_.groups(); }

  const std::vector<std::string>& resources() const { return resources_; }
  std::size_t waiting() const { return waiting_; }

  /// Resources that the policy names and no node has become notices.
  void note_unknown_resources();
  /// What could not be taken over, since the last call: a sentence each.
  std::vector<std::string> take_notices();
  /// The first invariant that does not hold, in words; empty when all do. O(everything).
  std::string broken_invariant() const;

 private:
  KnownCluster(Policy policy, std::uint64_t seed, scheduling::LoggedEngine::Write log)
      : policy_(std::move(policy)), teams_(policy_.teams), seed_(seed), log_(std::move(log)) {}
  Check make_engine();
  void make_again(Time now);
  bool is_ours(const SeenPod& pod) const { return pod.scheduler == policy_.scheduler; }

  void add_server(const std::string& name, KnownNode& node, Time now);
  void tell_held(const KnownNode& node, Time now);
  void tell(const std::vector<NodeSetChange>& changes, Time now);
  void remove_if_left(const std::string& name, Time now);
  scheduling::Amounts amounts_of(const Amounts& amounts) const;
  bool knows_resources(const Amounts& amounts) const;
  scheduling::UserId user_of(const SeenPod& pod, Time now);
  void leave_user(const SeenPod& pod, Time now);
  void move_users(const std::string& space, Time now);

  void enter(PodRecord& pod, Time now);
  void leave(PodRecord& pod, Time now);
  void cancel(PodRecord& pod, Time now);
  Check submit(const std::vector<PodRecord*>& together, Time now);
  void wait_together(const std::vector<PodRecord*>& together, Time now);
  void gather(const PodRecord& member, Time now);
  void part(const PodRecord& member, Time now);
  std::string difference(const PodRecord& pod, const PodRecord& first) const;
  void adopt(PodRecord& pod, Standing standing, Time now);
  void settle(PodRecord& pod, Time now);
  void hold(PodRecord& pod, bool holds, Time now);
  Amounts held_on(const KnownNode& node, const std::string& but) const;
  void make_end(PodRecord& pod, const std::string& newcomer, Time now);
  bool may_end(const PodRecord& pod) const;
  void ask_protection(PodRecord& pod, Time now);
  void ask_protections(const std::string& space, Time now);
  void ask_again(Time now);
  bool is_in_upper_tier(const SeenPod& pod) const { return has_tiers_ && pod.priority >= kSystemCritical; }
  void set_standing(PodRecord& pod, Standing standing);
  /// By uid, so that the same news gives the same decisions.
  template <class Holds>
  std::vector<PodRecord*> pods_where(const Holds& holds) {
    std::vector<PodRecord*> found;
    for (auto& [uid, pod] : pods_) {
      if (holds(pod)) found.push_back(&pod);
    }
    std::sort(found.begin(), found.end(),
              [](const PodRecord* a, const PodRecord* b) { return a->seen.uid < b->seen.uid; });
    return found;
  }

  Policy policy_;
  Teams teams_;
  std::vector<std::string> resources_ = {"cpu", "memory", kPodsResource};
  std::optional<scheduling::LoggedEngine> engine_ = {};
  std::uint64_t seed_ = 0;
  scheduling::LoggedEngine::Write log_ = {};
  NodeSets sets_ = {};
  std::map<std::string, KnownNode> nodes_ = {};
  std::unordered_map<std::string, PodRecord> pods_ = {};  // by uid; others point into it
  std::map<std::string, SeenPod> newest_ = {};            // of placed pods, by uid: as they were seen since
  std::unordered_map<std::string, const PodRecord*> called_ = {};  // of `pods_`, by label
  std::map<std::pair<std::string, std::string>, std::set<std::string>> gangs_ =
      {};  // uids by namespace, name
  Budgets budgets_ = {};
  std::map<std::string, Time> protected_ = {};  // pods: until when
  std::optional<Time> expiry_ = {};             // when the first of what holds for some time is over
  std::map<std::pair<std::string, bool>, User> users_ = {};  // by namespace, in the upper tier or not
  bool has_tiers_ = true;                                    // the discipline knows them
  std::unordered_map<scheduling::JobId, std::vector<PodRecord*>> job_pods_ = {};  // of a gang while it waits
  std::unordered_map<scheduling::ServerId, std::string> server_nodes_ = {};
  std::vector<std::string> notices_ = {};
  std::size_t waiting_ = 0;
  bool is_listing_ = false, has_question_ = false;
  std::optional<Changed> changed_ = {};  // none: no one follows
};

}  // namespace mirab::kubernetes
