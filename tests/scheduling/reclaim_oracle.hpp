// Who may end whose tasks (docs/explanation/teams.md), by brute force from the definitions: everything is
// worked out again from the tasks that run, in exact fractions. It knows nothing of the engine.
#pragma once

#include <gmpxx.h>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling::oracle {

/// A user or a group. The cluster is node 0, and parents come before their members.
struct Node {
  std::size_t parent = 0;
  bool is_user = false;
  mpq_class weight = 1;                   ///< φ
  std::optional<Amounts> guarantee = {};  ///< g
  std::optional<Amounts> limit = {};      ///< L
  std::optional<Amounts> reserved = {};   ///< k
  std::vector<Amounts> kinds = {};        ///< of a user: the demands of its tasks, those that wait too
  std::vector<Amounts> seen = {};         ///< s: the demands that tasks below it ever had
};

/// A task with this demand comes below the node.
void see(Node& node, const Amounts& demand);

/// What does not change as tasks start and end.
struct Cluster {
  std::vector<Amounts> servers;  ///< what tasks may take there
  std::vector<Node> nodes;
  Amounts pool = {};                                    ///< C
  std::vector<std::size_t> users = {};                  ///< nodes
  std::vector<std::vector<std::size_t>> members = {};   ///< [node]
  std::vector<std::vector<std::size_t>> paths = {};     ///< [node], from it up, without the cluster
  std::vector<Amounts> guarantees = {}, reserves = {};  ///< ĝ and k̂, [node]
  std::vector<std::set<std::vector<std::size_t>>> guaranteed_together = {};  ///< the sets R of σ, [node]
  std::size_t depth = 0;                                                     ///< of the longest path
};

/// Tasks of the `kinds` count in `seen` too.
Cluster cluster(std::vector<Amounts> servers, std::vector<Node> nodes);

struct Task {
  std::size_t user;
  std::size_t server;
  Amounts demand;
  bool may_end = true;  ///< for others: it started before the latest event
};

/// As they started.
using Running = std::vector<Task>;

/// Is it of a node of weight 0 beyond its guarantee, which comes after all others? And the share per weight.
using Key = std::pair<bool, mpq_class>;
/// From the top, continued with the last to the depth of the tree.
using Keys = std::vector<Key>;

/// What tasks use, [node][r], and the parts of the pool beyond the guarantees.
struct Use {
  std::vector<Amounts> used;
  std::vector<std::vector<mpq_class>> over;
};
Use use(const Cluster& cluster, const Running& running);

/// K_v.
Key whole_key(const Cluster& cluster, const Use& use, std::size_t node);

enum class View { exact, task };
/// The levels t along the user's path, from the user up.
Keys view(const Cluster& cluster, const Use& use, std::size_t user, View how);

/// V of the user.
Keys standing(const Cluster& cluster, const Use& use, std::size_t user);

/// Γ.
mpq_class satisfaction(const Cluster& cluster, const Use& use);

/// Φ: Γ, and the standings of all users in order.
using Potential = std::pair<mpq_class, std::vector<Keys>>;
Potential potential(const Cluster& cluster, const Use& use);

struct Waiting {
  std::size_t user;
  Amounts demand;
};

/// Tasks on a server end, by their places in `Running`, and the one that waits starts there.
struct Move {
  Waiting gains;
  std::size_t server;
  std::vector<std::size_t> ended;
};

/// The first condition that does not hold, 1 to 5; 0 where all do. And the right by which each user loses
/// tasks.
struct Verdict {
  int broken = 0;
  std::vector<std::pair<std::size_t, Right>> rights = {};
};
Verdict judged(const Cluster& cluster, const Running& running, const Move& move);

/// All legal moves that end at most four tasks. Of tasks of one user that take the same on a server, the
/// newest end.
std::vector<Move> legal_moves(const Cluster& cluster, const Running& running, const Waiting& waiting);

/// The move that the greedy choice of victims finds; nothing where it finds none.
std::optional<Move> greedy_move(const Cluster& cluster, const Running& running, const Waiting& waiting);

Running after(const Running& running, const Move& move);

/// What is free on the server.
Amounts free_on(const Cluster& cluster, const Running& running, std::size_t server);
bool is_within(const Amounts& demand, const Amounts& room);

/// Do limits and reserves let it start?
bool is_allowed(const Cluster& cluster, const Use& use, const Waiting& waiting);

/// Does the guarantee of a node on its path hold what would be used with it?
bool is_covered(const Cluster& cluster, const Use& use, const Waiting& waiting);

/// Those that wait, the next first, by "Task by task: who is next" and the order in which they are given.
std::vector<Waiting> in_order(const Cluster& cluster, const Use& use, std::vector<Waiting> waiting);

}  // namespace mirab::scheduling::oracle
