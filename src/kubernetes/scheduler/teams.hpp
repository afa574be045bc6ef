// The teams of a cluster of Kubernetes: groups of the engine, and in which of them each namespace is.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "kubernetes/node_rows.hpp"
#include "kubernetes/objects.hpp"
#include "model/teams_file.hpp"
#include "model/unit_quotas.hpp"
#include "scheduling/persistence/logged_engine.hpp"

namespace mirab::kubernetes {

/// Who decides which namespaces are a team.
struct TeamRules {
  std::optional<LiveTeams> file = {};  ///< groups, and their namespaces by name
  /// A label of a namespace whose value names its group, where the file does not name the namespace. Without
  /// a file each value is a group of weight 1. Empty: none.
  std::string label = {};

  bool has_groups() const { return file || !label.empty(); }
};

/// What the scheduler reads of a namespace.
struct SeenSpace {
  std::string name;
  std::string team = {};  ///< the value of the label; empty: none
};

/// Errors: no name.
Result<SeenSpace> read_seen_space(const Object& space, const std::string& label);

/// A group of the engine, with what it has for the cluster of now.
struct KnownTeam {
  scheduling::GroupId id;
  std::string name;
  std::string parent = {};  ///< empty: the cluster
  Quantity weight{1};
  std::optional<scheduling::Amounts> guarantee = {}, limit = {}, reserved = {};
};

/// The groups of the engine. What is guaranteed of `pods` where a guarantee does not name them: the largest
/// part that it is of any resource. While all guarantees together are more than the cluster has, each is cut
/// in the same proportion.
class Teams {
 public:
  explicit Teams(TeamRules rules) : rules_(std::move(rules)) {}
  bool has_groups() const { return rules_.has_groups(); }

  /// In a new engine: the groups of the file, yet without guarantees and limits. Errors: a weight with more
  /// digits than the engine compares shares with; in every engine alike.
  Check begin(scheduling::LoggedEngine& engine, Time now);
  /// Guarantees and limits for what the cluster has now. False: nothing changes by it. O(groups), where the
  /// capacity has changed.
  bool fit(scheduling::LoggedEngine& engine, std::span<const std::string> resources, Time now);

  /// The label of a namespace was seen. False: nothing changes by it.
  bool see(const SeenSpace& space);
  /// The namespace is gone.
  bool lose(const std::string& space) { return labels_.erase(space) > 0; }
  /// Namespaces with a label.
  std::vector<std::string> labelled() const;

  /// A user of the namespace comes: into which group. `leave` when it goes.
  scheduling::GroupId join(const std::string& space, scheduling::LoggedEngine& engine, Time now);
  void leave(scheduling::GroupId group, scheduling::LoggedEngine& engine, Time now);

  /// Each after its parent.
  std::vector<KnownTeam> groups() const;

  /// What could not be taken over, since the last call.
  std::vector<std::string> take_notices();
  /// Resources that the file names.
  std::span<const std::string> resources() const;

 private:
  static std::vector<UnitQuota> fitted(const std::vector<Group>& groups,
                                       std::span<const std::string> resources,
                                       std::span<const std::int64_t> pool);
  const std::string* label_of(const std::string& space) const;

  TeamRules rules_;
  std::vector<scheduling::GroupId> of_file_ = {};   // [group of the file]
  std::vector<UnitQuota> fitted_ = {};              // the same, as the engine has them
  scheduling::Amounts pool_ = {};                   // for which they were fitted
  std::map<std::string, std::string> labels_ = {};  // of namespaces
  struct OfLabel {
    scheduling::GroupId id;
    std::int64_t users = 0;
  };
  std::map<std::string, OfLabel> of_labels_ = {};  // groups by the value of the label, without a file
  std::vector<std::string> notices_ = {};
};

}  // namespace mirab::kubernetes
