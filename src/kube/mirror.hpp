// A scheduler's cluster as a live state, for questions: with a copy of its engine and under the names of
// service and clients. A namespace is a queue, a node a server, a pod a job of one task; the pods of a
// gang that start together are one job.
//
//   thread that decides ── Picture ──▶ Mirror (live::State) ──▶ views, explanations, what-ifs, events
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "kubernetes/scheduler/reporting.hpp"
#include "kubernetes/scheduler/scheduler.hpp"
#include "live/records.hpp"
#include "live/state.hpp"

namespace mirab::kube {

/// A cluster as it stands, with what is another of it since the picture before.
struct Picture {
  struct Node {
    std::string name;
    std::optional<kubernetes::KnownCluster::KnownNode> known;  ///< none: it is gone; without its pods
  };
  struct Pod {
    std::string uid;
    bool is_known = false;  ///< else it is gone, or another scheduler's
    std::string space = {}, name = {}, node = {}, set = {};
    kubernetes::Standing standing = {};
    bool is_ending = false;
    std::int64_t priority = 0;
    Wall created = {};
    kubernetes::Amounts requests = {};
    std::string gang = {};  ///< where it starts together with others
    std::optional<scheduling::JobId> job = {};
    std::optional<scheduling::TaskId> task = {};
    std::string reason = {}, report = {};  ///< its condition, where the engine knows nothing of it
  };

  scheduling::Engine engine;
  Time now;
  Wall wall;
  std::vector<Node> nodes = {};
  std::vector<Pod> pods = {};
  std::map<std::string, std::set<std::string>> sets = {};  ///< those that have changed; empty: gone
  std::map<std::pair<std::string, bool>, kubernetes::KnownCluster::User> users = {};
  std::vector<kubernetes::KnownTeam> groups = {};               ///< each after its parent
  std::map<std::string, kubernetes::PlacementRule> rules = {};  ///< of the sets of `pods` that wait
};

/// Nothing when it is as it was. On the thread that decides: O(engine + what has changed).
std::optional<Picture> take_picture(kubernetes::Scheduler& scheduler, Time now, Wall wall);

/// One thread. Revisions rise by one with each pod and node that has changed.
class Mirror {
 public:
  /// From the first sight of a pod to its end.
  enum class Phase { absent, waits, placed, runs };

  /// `first`: the revision of the first picture. A process that follows another takes a higher one, such as
  /// its wall clock's milliseconds.
  static Result<Mirror> from(std::string cluster_id, live::Revision first);

  /// What has happened; the first picture has no changes.
  std::vector<live::Change> follow(Picture picture);

  /// It is so at this time too.
  void stand_at(Time now, Wall wall);

  const live::State& state() const { return state_; }
  bool is_there() const { return has_picture_; }

  /// The job of the name, or of the pod of the name. O(pods).
  std::string job_called(const std::string& space, const std::string& name) const;

  /// The condition that the pod has, or is about to get, while it waits: `reason` and `message`; null: none.
  /// O(nodes + pods that wait outside of the engine).
  live::Json condition_of(const std::string& space, const std::string& name) const;

  /// Which nodes a job that waits asks for: its selector, affinity and tolerations, for people. Empty: it
  /// waits for something else.
  std::string wishes_of(const std::string& space, const std::string& name) const;
  /// Why its wishes exclude the node, as one clause. Empty: they do not, or it cannot be told.
  std::string objection(const std::string& space, const std::string& name, const std::string& node) const;
  std::size_t rule_count() const { return rules_.size(); }  ///< that are kept for this

 private:
  struct Known {
    live::Job* job;         // of `state_`
    std::string name = {};  // of a pod of a gang only: else the job has it
    kubernetes::Standing standing;
    std::string node = {};
    std::optional<scheduling::TaskId> task = {};

    const std::string& space() const { return job->queue; }
    const std::string& pod_name() const { return name.empty() ? job->name : name; }
  };
  struct Condition {
    std::string reason, message;
  };

  explicit Mirror(live::State state) : state_(std::move(state)) {}
  void follow_resources();
  void follow_node(Picture::Node node);
  void follow_common_set();
  void forget(const std::string& uid);
  void follow_pod(const Picture::Pod& pod);
  void count(live::Job& job, Phase phase, std::int64_t sign);
  void take_out(const Known& known);
  void follow_groups(const Picture& picture);
  void follow_users(const Picture& picture);
  std::string name_of_group(scheduling::GroupId id) const;
  void say(std::vector<live::Event> events);
  void forget_rules();
  const kubernetes::PlacementRule* rule_of(const std::string& space, const std::string& name) const;

  live::State state_;
  bool has_picture_ = false;
  std::map<std::string, kubernetes::NodeRow> rows_ = {};
  std::map<std::string, Known> pods_ = {};            // by uid
  std::map<std::string, Condition> conditions_ = {};  // by uid: of pods that wait outside of the engine
  std::map<std::string, kubernetes::PlacementRule> rules_ = {};  // by set of nodes: of pods that wait, or did
  std::size_t most_rules_ = 0;              // until those that no pod needs are forgotten
  std::vector<live::Change> changes_ = {};  // of the picture that is followed
};

}  // namespace mirab::kube
