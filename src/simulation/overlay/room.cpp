// The omniscient question of the stop rule, from the pair that answered it last.
#include "simulation/overlay/room.hpp"

#include <algorithm>

namespace mirab::simulation {

using overlay::NodeId;

bool Room::is_left() {
  const Roster& roster = world_.roster();
  for (NodeId tried = 0; tried < roster.users(); ++tried) {
    if (wants(user_))
      for (NodeId looked = 0; looked < roster.servers(); ++looked) {
        if (fits(user_, server_)) return true;
        server_ = (server_ + 1) % roster.servers();
      }
    user_ = (user_ + 1) % roster.users();
  }
  return false;
}

bool Room::wants(NodeId n) const {
  const overlay::User& user = world_.user(world_.roster().user(n));
  return user.present().has_value() || user.running() != ledger_.running(n);
}

bool Room::fits(NodeId n, NodeId server) const {
  return world_.up(server) &&
         std::ranges::equal(world_.roster().demand[n], ledger_.free(server), std::less_equal{});
}

}  // namespace mirab::simulation
