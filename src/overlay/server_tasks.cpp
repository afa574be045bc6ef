// The users of a server and the tasks that come to it: submitting, walking, accepting.

#include <algorithm>
#include <utility>

#include "overlay/server_state.hpp"

namespace mirab::overlay {
namespace {

Station station(const ServerState& server, const Walk& walk, Random& random) {
  Station here;
  here.self = server.setting.self;
  here.fits = server.host.fits(walk.task.demand);
  here.peer = server.peers.any(random);
  if (here.fits && server.options.search == Search::best_fit)
    here.distance = drfh_distance(walk.task.demand, server.host.free(), server.total);
  if (server.freer) {
    here.room = told_of_room(server).utility;
    here.freer = server.freer->view();
  }
  return here;
}

/// What became of the walk, to its home: which may be this server.
template <typename News>
void tell_home(ServerState& server, const Walk& walk, Moment moment) {
  const News news{.task = walk.task.id, .attempt = walk.attempt};
  if (walk.home == server.setting.self)
    hear(server, walk.home, news, moment);
  else
    moment.effects.sends.push_back({walk.home, news});
}

void walk_on(ServerState& server, Walk walk, Moment moment) {
  const Station here = station(server, walk, moment.random);
  const Step step = walk_step(server.options.search, here, server.options.best_of, walk);
  switch (step.what) {
    case Step::What::propose:
      server.host.propose(moment.now, walk.task, moment.effects);
      return tell_home<Placed>(server, walk, moment);
    case Step::What::no_room:
      return tell_home<NoRoom>(server, walk, moment);
    case Step::What::pass:
      moment.effects.sends.push_back({step.to, std::move(walk)});
  }
}

/// Accept and Reject: a probe that was answered waits no longer, whatever the host makes of it.
template <typename Answer>
void answered(ServerState& server, NodeId from, const Answer& answer, Moment moment) {
  if (auto* probes = std::get_if<Probes>(&server.rule))
    probes->answered({.user = from, .number = answer.number});
  server.host.on_message(moment.now, from, answer, moment.effects);
}

double share_of(const ServerState& server, const Task& task) {
  if (server.total.empty()) return 0;
  return Home::share({.user = task.id.user, .task = task}, server.total);
}

}  // namespace

const Resident* next_in_turn(const ServerState& server) {
  if (server.total.empty() || server.leaving) return nullptr;
  const Resident* poorest = server.home.poorest(server.total);
  return poorest && poorest->waits() ? poorest : nullptr;
}

const Resident* next_that_waits(const ServerState& server) {
  if (server.total.empty() || server.leaving) return nullptr;
  return server.home.poorest_waiting(server.total);
}

void serve(ServerState& server, const Resident& resident, std::uint64_t round, Moment moment) {
  const Resident& served = server.home.serve(moment.now, resident.user, round, moment.effects);
  walk_on(server,
          {.task = served.task,
           .home = server.setting.self,
           .attempt = served.attempt,
           .hops_left = server.options.hops},
          moment);
}

void hear(ServerState& server, NodeId from, const Submit& submit, Moment moment) {
  const Task& task = submit.task;
  if (task.id.user != from || task.demand.size() != server.host.capacity().size()) return;
  if (server.leaving) {
    moment.effects.sends.push_back({from, Received{.number = task.id.number, .gone = true}});
  } else if (auto* probes = std::get_if<Probes>(&server.rule)) {
    moment.effects.sends.push_back({from, Received{.number = task.id.number}});
    probes->on_submit(moment.now, task, share_of(server, task), moment.effects);
  } else {
    server.home.on_submit(moment.now, submit, moment.effects);
  }
}

void hear(ServerState& server, NodeId from, const Pause& pause, Moment moment) {
  if (pause.demand.size() != server.host.capacity().size()) return;
  if (server.leaving || std::holds_alternative<Probes>(server.rule))
    moment.effects.sends.push_back({from, Received{.number = pause.number, .gone = server.leaving}});
  else
    server.home.on_pause(moment.now, from, pause, moment.effects);
}

void hear(ServerState& server, NodeId /*from*/, const Walk& walk, Moment moment) {
  if (walk.task.demand.size() != server.host.capacity().size() || !server.walks.is_news(walk)) return;
  Walk bounded = walk;  // whatever it says, it goes no further than a walk does
  bounded.hops_left = std::min(walk.hops_left, server.options.hops);
  walk_on(server, std::move(bounded), moment);
}

void hear(ServerState& server, NodeId /*from*/, const Placed& placed, Moment /*moment*/) {
  server.home.on_placed(placed.task, placed.attempt);
}

void hear(ServerState& server, NodeId /*from*/, const NoRoom& no_room, Moment moment) {
  server.home.on_no_room(no_room.task, no_room.attempt, moment.effects);
}

void hear(ServerState& server, NodeId /*from*/, const Copy& copy, Moment moment) {
  auto* probes = std::get_if<Probes>(&server.rule);
  if (probes && !server.leaving && copy.task.demand.size() == server.host.capacity().size())
    probes->on_copy(moment.now, copy.task, share_of(server, copy.task));
}

void hear(ServerState& server, NodeId from, const Accept& accept, Moment moment) {
  answered(server, from, accept, moment);
}

void hear(ServerState& server, NodeId from, const Reject& reject, Moment moment) {
  answered(server, from, reject, moment);
}

void hear(ServerState& server, NodeId from, const EndSeen& seen, Moment moment) {
  server.host.on_message(moment.now, from, seen, moment.effects);
}

void hear(ServerState& server, NodeId from, const Renew& renew, Moment moment) {
  server.host.on_message(moment.now, from, renew, moment.effects);
}

}  // namespace mirab::overlay
