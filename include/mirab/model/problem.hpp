#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/placement.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/tree.hpp>

namespace mirab {

/// One amount per resource, in the order of Cluster::resources.
using ResourceVector = std::vector<Quantity>;

/// `count` identical servers.
struct Server {
  std::string name;         ///< unique
  ResourceVector capacity;  ///< of one of them
  std::int64_t count = 1;   ///< ≥ 1
  std::map<std::string, std::string> labels = {};
  std::vector<Taint> taints = {};
  /// It runs more than such a server has, and `capacity` is what runs there. Plans and what-ifs buy no copy.
  bool is_overfull = false;

  friend bool operator==(const Server&, const Server&) = default;
};

/// What a group or a user is promised, and what bounds it: docs/explanation/teams.md. Amounts of the whole
/// cluster; each [m], or empty.
struct Quota {
  std::optional<ResourceVector> guarantee = {};     ///< g: used first; without a value: Σ g of the members
  std::vector<std::optional<Quantity>> limit = {};  ///< L: never more; without a value: no limit
  ResourceVector reserved = {};                     ///< k ≤ g: the part of the guarantee that is not lent

  friend bool operator==(const Quota&, const Quota&) = default;
};

/// Users and other groups that share what they get.
struct Group {
  std::string name;                        ///< unique among groups and users
  std::optional<std::string> parent = {};  ///< a group declared before; without a value: the cluster
  Quantity weight{1};                      ///< φ ≥ 0, among the members of the parent
  Quota quota = {};
  bool is_user = false;  ///< a user with several task shapes, which are its members

  friend bool operator==(const Group&, const Group&) = default;
};

/// A user, who runs identical tasks; or one task shape of a user with several.
struct User {
  std::string name;                    ///< unique; of a shape `user/shape`
  ResourceVector demand;               ///< per task; at least one amount > 0
  Quantity weight{1};                  ///< φ ≥ 0; of 0: gets what no sibling with a weight can take
  std::optional<Quantity> tasks = {};  ///< how many tasks there are; without a value: no limit
  std::optional<std::vector<std::string>> servers = {};  ///< eligible servers by name; without a value: all
  std::vector<std::string> not_servers = {};             ///< servers that are not eligible, by name, of those
  std::map<std::string, LabelCondition> select = {};     ///< eligible servers by label
  std::vector<Toleration> tolerates = {};                ///< taints of servers that are eligible all the same
  std::map<std::string, ResourceVector> demand_on = {};  ///< another demand per task on one server, by name
  bool may_fit_nowhere = false;  ///< where it is eligible on no server it waits for one, instead of an error
  std::optional<std::string> group = {};  ///< whose member it is; without a value: of the cluster
  std::optional<std::string> shape = {};  ///< the shape's own name: then `group` is its user
  Quota quota = {};

  friend bool operator==(const User&, const User&) = default;
};

/// The most resources, and the most amounts (users or servers times resources), that one problem may have:
/// more is a slip or an attack, and would not fit into memory.
inline constexpr std::size_t kMostResources = 1'000;
inline constexpr std::size_t kMostAmounts = 50'000'000;

/// Servers that are alike were counted together, each with the least amount of each resource that one of
/// them has: what is divided is less than there is.
struct Merged {
  std::int64_t nodes = 0;         ///< servers in entries that stand for unlike amounts, > 0
  std::int64_t classes = 0;       ///< those entries, from 1 to `nodes`
  double largest_difference = 0;  ///< the largest part of a resource of one of them that is not counted, < 1

  friend bool operator==(const Merged&, const Merged&) = default;
};

/// Tasks that are placed now, as a caller describes them.
struct Running {
  std::string user;                       ///< by its own name
  std::optional<std::string> shape = {};  ///< which of its task shapes, of a user who has some
  std::string server;                     ///< by name; of an entry with a count: on all its servers together
  Quantity tasks{1};

  friend bool operator==(const Running&, const Running&) = default;
};

/// A cluster as a caller describes it, unchecked: the content of a cluster file.
struct Cluster {
  std::vector<std::string> resources;  ///< the order of every ResourceVector
  std::vector<Server> servers;
  std::vector<User> users;
  std::vector<Group> groups = {};                    ///< each after its parent
  std::optional<std::vector<Running>> running = {};  ///< what is placed now; without a value: not known
  std::string title = {};                            ///< what people call the cluster; may be empty
  std::optional<Merged> merged = {};                 ///< without a value: servers are as they stand here
};

/// Tasks of a user, or of a task shape, on a server entry.
struct PlacedTasks {
  std::size_t user;
  std::size_t server;
  double tasks;  ///< > 0

  friend bool operator==(const PlacedTasks&, const PlacedTasks&) = default;
};

/// A validated cluster: N users, K server entries, m resources. Immutable.
///
/// Every name is unique; every amount fits its vector; every user demands something, and is eligible
/// somewhere: its constraints allow the server, and the server has some of every resource that the user
/// demands there. One who may fit nowhere may be eligible nowhere, and then gets nothing; not all are.
class Problem {
 public:
  /// Validates. Errors carry the key (`users[3].demand`), never a file or line: a reader adds these. O(N K m)
  /// at worst.
  static Result<Problem> from(Cluster cluster);

  const std::vector<std::string>& resources() const { return cluster_.resources; }
  const std::vector<Server>& servers() const { return cluster_.servers; }
  const std::vector<User>& users() const { return cluster_.users; }
  const std::vector<Group>& groups() const { return cluster_.groups; }

  /// What is placed now, by user and then by server, each pair once; without a value: not known. It fits, to
  /// a relative 1e-9: on the servers of an entry together, where the user may run, within the user's tasks.
  const std::optional<std::vector<PlacedTasks>>& running() const { return running_; }

  /// All of it, as it was given: to change a copy. A copy in which users, servers or amounts change takes
  /// `running` away first, which would no longer hold.
  const Cluster& cluster() const { return cluster_; }

  /// Groups and users as nodes, with effective guarantees and reserves.
  const Tree& tree() const { return tree_; }

  std::size_t resource_count() const { return cluster_.resources.size(); }  ///< m
  std::size_t server_count() const {
    return cluster_.servers.size();
  }                                                                 ///< K, entries: an entry may have a count
  std::size_t user_count() const { return cluster_.users.size(); }  ///< N

  /// May user n run on server entry i? δ_{n,i} of the papers.
  bool eligible(std::size_t user, std::size_t server) const {
    return eligibility_rows_[eligibility_of_user_[user]][server];
  }
  /// Users with the same number may run on exactly the same servers.
  std::size_t eligibility_class(std::size_t user) const { return eligibility_of_user_[user]; }

  /// d_{n,i}: what one task of the user takes on that server.
  const ResourceVector& demand(std::size_t user, std::size_t server) const;

  /// Does a `servers` or `select` of some user, or a taint, exclude a server?
  bool has_placement_constraints() const { return has_placement_constraints_; }
  /// The same of one user.
  bool is_constrained(std::size_t user) const { return constrained_[user]; }
  bool has_demand_on() const { return has_demand_on_; }
  /// Has a user or group weight 0?
  bool has_zero_weight() const { return has_zero_weight_; }

  /// C_r = Σ_i count_i c_{i,r}, the pool. [m]
  const std::vector<double>& pool() const { return pool_; }

 private:
  explicit Problem(Cluster cluster) : cluster_(std::move(cluster)) {}
  Check find_eligible_servers();
  Check build_tree();
  Check find_quotas();
  Check find_running();

  Cluster cluster_;
  std::vector<double> pool_;
  std::vector<std::size_t> eligibility_of_user_;     // [n], an index into eligibility_rows_
  std::vector<std::vector<bool>> eligibility_rows_;  // [class][i]
  std::vector<bool> constrained_;                    // [n]
  bool has_placement_constraints_ = false;
  bool has_demand_on_ = false;
  bool has_zero_weight_ = false;
  std::optional<std::vector<PlacedTasks>> running_;
  Tree tree_;
};

}  // namespace mirab
