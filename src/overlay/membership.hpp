#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

/// The servers that said of late that they are here. Who was not heard for `forgotten` is soon no more on it.
class Membership {
 public:
  explicit Membership(Duration forgotten) : forgotten_(forgotten) {}

  /// Who is new is not entered when there is no room for more (table_limits.hpp).
  void enter(Time now, NodeId server);
  void remove(NodeId server);
  /// One drawn uniformly; none: there is none.
  std::optional<NodeId> any(Time now, Random& random);
  /// `count` different ones drawn uniformly among the others, or all when they are fewer.
  std::vector<NodeId> sample_excluding(NodeId server, std::size_t count, Time now, Random& random);

 private:
  struct Line {
    NodeId server = 0;
    Time heard_at{};
  };
  std::vector<Line>::iterator place_of(NodeId server);
  std::vector<NodeId> all_but(NodeId server) const;
  void forget(Time now);

  Duration forgotten_;
  Time looked_at_{};
  std::vector<Line> lines_;  ///< ascending by server
};

}  // namespace mirab::overlay
