#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// What the users below one node of Problem::tree() have together. Letters: docs/explanation/teams.md. m
/// resources.
struct GroupFigures {
  std::vector<double> used;       ///< what their tasks take, u_{v,r} C_r, [m]
  double share = 0;               ///< max_r u_{v,r}
  double beyond = 0;              ///< max(0, max_r (u_{v,r} - ĝ_{v,r} / C_r)): κ φ
  double key = 0;                 ///< κ = beyond / φ; beyond where φ is 0
  std::vector<double> guarantee;  ///< ĝ, effective, [m]
  std::vector<double> unused;     ///< max(0, ĝ - used): of the guarantee, [m]
  std::vector<double> lent;       ///< the part of it that is not reserved, and others may use, [m]
  std::vector<double> borrowed;  ///< max(0, used - ĝ), [m]; 0 of a resource of which no node has a guarantee
};

/// Of every node of Problem::tree(), [node]: the cluster, the groups, then the users, each as a group of one.
/// O((N + G) m + grants m).
std::vector<GroupFigures> group_figures(const Problem& problem, const Allocation& allocation);

/// What keeps a user from having more.
enum class StopKind {
  tasks,     ///< it has all its tasks
  limit,     ///< limits on its path: if these were higher there is room, or somebody better off gives way
  capacity,  ///< a full resource everywhere it may run; of a filling: its next task fits nowhere
  reserve,   ///< what is free is reserved for others
  order      ///< none of these: the mechanism gives it no more, or what runs was placed so
};

/// The word for it, as in JSON: `tasks`, `limit`, `capacity`, `reserve`, `order`.
std::string_view stop_name(StopKind kind);

/// Whether a whole task of a user has room beside what runs. What runs on an entry of several servers is
/// known of all of them together: then a task has room where it fits into an even part of what is free.
struct Room {
  enum class Kind {
    server,     ///< on a server of this entry
    unknown,    ///< in what is free on an entry, and perhaps on none of its servers
    fragments,  ///< on no server, though some of all that it needs is free on one
  };
  Kind kind;
  std::size_t server = 0;  ///< the entry: the first with room, or the first of which it is unknown
};

struct Stop {
  StopKind kind;
  std::size_t node = 0;                     ///< of Problem::tree(): whose limit, the nearest to the user
  std::vector<std::size_t> also = {};       ///< groups around it whose limits have to rise with it
  std::vector<std::size_t> resources = {};  ///< that are full, or at the limit
  std::vector<std::vector<std::size_t>> reached = {};  ///< of a limit: these at each node of nodes_of()
  std::optional<Room> room =
      {};  ///< of a user whom `order` stops, where no rule divides: what runs, as given
  /// With `capacity`: the user may run nowhere, since none of its servers has any of these; without resources
  /// it is allowed no server.
  bool is_missing = false;
  bool is_together = false;  ///< then: each is on some of its servers, and no server has all
  /// Of another kind than `limit`: a limit on its path is reached too, and to raise that alone brings
  /// nothing.
  bool reaches_limit = false;
};

/// Whose limits stop a user whom limits stop: from the nearest to it.
std::vector<std::size_t> nodes_of(const Stop& stop);

/// Is a limit on the path of the user reached, whether or not it would have more with a higher one?
bool is_at_limit(const Stop& stop);

/// Answers what stops users under one outcome of a problem. Both must outlive it.
class Stops {
 public:
  /// O((N + G) m + grants m).
  Stops(const Problem& problem, const Outcome& outcome);

  /// O(K m + depth m); of a user at a limit also O((N + G) m + grants).
  Stop of(std::size_t user) const;

 private:
  std::optional<Stop> at_limit(std::size_t user) const;
  Stop within_limits(std::size_t user) const;
  bool is_whole() const;
  std::vector<std::vector<std::size_t>> better_off(std::size_t node, std::size_t around) const;
  std::vector<std::vector<bool>> users_below(const std::vector<std::vector<std::size_t>>& nodes) const;
  bool is_reserved(std::size_t user, std::size_t r) const;
  bool comes_last(std::size_t user, const Stop& limit) const;
  bool would_gain_without(std::size_t user, const Stop& limit) const;

  const Problem& problem_;
  const Outcome& outcome_;
  Satisfaction satisfaction_;
  std::vector<std::vector<double>> used_;     // by the users below each node, [node][m]
  std::vector<double> keys_;                  // κ of each node, [node]
  std::vector<std::vector<double>> charged_;  // with what is reserved, [node][m]
  std::vector<std::vector<Grant>> grants_;    // [server]
  std::vector<bool> is_short_;                // is somebody below short of tasks who may run? [node]
  std::vector<bool> is_eligible_;             // somewhere, [n]
  bool by_rule_;                              // or else it is what runs
};

}  // namespace mirab
