// What a server schedules: the tasks and users that come to it (submit, walk, accept), and whose turn it is
// by the rule of the scheduler, with the questions that the rule asks of other servers.
#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

#include "overlay/server_state.hpp"
#include "overlay/turn_rules.hpp"

namespace mirab::overlay {

// The users of a server and the tasks that come to it: submitting, walking, accepting.

namespace {

HopContext hop_context(const ServerState& server, const Walk& walk, Random& random) {
  HopContext here;
  here.self = server.setting.self;
  here.fits = server.host.fits(walk.task.demand);
  here.peer = server.peers.any(random);
  if (here.fits && server.options.search == Search::best_fit)
    here.distance = drfh_distance(walk.task.demand, server.host.free(), server.total);
  if (server.freer) {
    here.room = room_descriptor(server).utility;
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
  const HopContext here = hop_context(server, walk, moment.random);
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
  return Coordinator::share({.user = task.id.user, .task = task}, server.total);
}

}  // namespace

const UserEntry* next_in_turn(const ServerState& server) {
  if (server.total.empty() || server.leaving) return nullptr;
  const UserEntry* poorest = server.home.poorest(server.total);
  return poorest && poorest->waits() ? poorest : nullptr;
}

const UserEntry* next_that_waits(const ServerState& server) {
  if (server.total.empty() || server.leaving) return nullptr;
  return server.home.poorest_waiting(server.total);
}

void serve(ServerState& server, const UserEntry& resident, std::uint64_t round, Moment moment) {
  const UserEntry& served = server.home.serve(moment.now, resident.user, round, moment.effects);
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

// Whose turn it is at a server: the rules of the schedulers, and what they ask of other servers.

namespace {

/// Used part of one resource (eq. 4.1).
double load(const ServerState& server) {
  const std::int64_t capacity = server.host.capacity()[server.setting.load];
  if (capacity == 0) return 1;
  return static_cast<double>(capacity - server.host.free()[server.setting.load]) /
         static_cast<double>(capacity);
}

/// Whom gossip has found.
std::span<const Descriptor> found_by_gossip(const ServerState& server) {
  return server.poorest ? server.poorest->view() : server.peers.view();
}

/// The fixed neighbours of DDRF: given ones, or those that gossip has found until the first tick by which it
/// has found any: a server that joins may tick before it has heard of any other.
void choose_neighbours(const ServerState& server, Ddrf& ddrf) {
  std::vector<NodeId> neighbours = server.setting.neighbours;
  if (neighbours.empty()) {
    for (const Descriptor& entry : found_by_gossip(server)) neighbours.push_back(entry.node);
  }
  if (!neighbours.empty()) ddrf.choose(neighbours);
}

/// Is all of the cluster here? Then there is no server to wait for.
bool is_whole_cluster(const ServerState& server) {
  return std::ranges::equal(server.host.capacity(), server.total);
}

void tick(ServerState& server, Follower& follower, Moment moment) {
  const std::span<const std::int64_t> free = server.host.free();
  const bool said_again = server.ticks % server.options.again == 0;
  if (!server.setting.central || (std::ranges::equal(free, follower.told) && !said_again)) return;
  follower.told.assign(free.begin(), free.end());
  moment.effects.sends.push_back(
      {*server.setting.central,
       Free{.incarnation = server.incarnation, .sequence = ++follower.sequence, .free = follower.told}});
}

void tick(ServerState& server, Probes& probes, Moment moment) {
  probes.forget_silent(moment.now);
  probes.ask(moment.effects);
  const std::optional<Task> task = probes.next(server.host.free());
  if (!task) return;
  moment.effects.facts.push_back(Served{.task = task->id});
  server.host.propose(moment.now, *task, moment.effects);
}

void tick(ServerState& server, Ddrf& ddrf, Moment moment) {
  if (!ddrf.chosen()) choose_neighbours(server, ddrf);
  if (!ddrf.chosen() && !is_whole_cluster(server)) return;
  const UserEntry* poorest = next_in_turn(server);
  if (poorest && ddrf_may_serve(user_descriptor(server), ddrf.neighbours()))
    serve(server, *poorest, 0, moment);
  ddrf.ask(moment.effects);
}

void tick(ServerState& server, Dgdrf& dgdrf, Moment moment) {
  const UserEntry* poorest = next_in_turn(server);
  if (!poorest) return;
  const auto round = dgdrf.on_tick(user_descriptor(server), server.poorest->view(), moment.effects);
  if (round) serve(server, *poorest, *round, moment);
}

void tick(ServerState& server, Pdgdrf& /*pdgdrf*/, Moment moment) {
  const UserEntry* poorest = next_in_turn(server);
  if (!poorest) return;
  UserEntry after = *poorest;
  after.served = after.placed = true;
  if (pdgdrf_may_serve(user_descriptor(server), Coordinator::share(after, server.total),
                       server.poorest->view()))
    serve(server, *poorest, 0, moment);
}

void tick(ServerState& server, Level& /*level*/, Moment moment) {
  const UserEntry* next = next_that_waits(server);
  if (!next) return;
  const double least = min_known_share(user_descriptor(server), server.poorest->view());
  const double share = Coordinator::share(*next, server.total);
  if (level_may_serve(share, Coordinator::step(*next, server.total), least, server.options.slack))
    serve(server, *next, 0, moment);
}

}  // namespace

Rule rule_of(Scheduler scheduler, const ServerSetting& setting, const OverlayOptions& options, Time start) {
  switch (scheduler) {
    case Scheduler::centralised_drf:
    case Scheduler::centralised_fifo:
      return Follower{};
    case Scheduler::probes:
      return Probes(setting.neighbours, options.patience.user * setting.tick);
    case Scheduler::ddrf_random:
      return Ddrf(Ddrf::Neighbours::random);
    case Scheduler::ddrf_gradient:
      return Ddrf(Ddrf::Neighbours::gradient);
    case Scheduler::dgdrf:
      return Dgdrf(options.confirm, start);
    case Scheduler::pdgdrf:
      return Pdgdrf{};
    case Scheduler::level:
      return Level{};
  }
  MIRAB_ASSERT(false, "every scheduler has its rule");
  return Follower{};
}

bool needs_gradient(const Rule& rule) {
  if (const Ddrf* ddrf = std::get_if<Ddrf>(&rule)) return ddrf->kind() == Ddrf::Neighbours::gradient;
  return std::holds_alternative<Dgdrf>(rule) || std::holds_alternative<Pdgdrf>(rule) ||
         std::holds_alternative<Level>(rule);
}

void decide(ServerState& server, Moment moment) {
  std::visit([&](auto& rule) { tick(server, rule, moment); }, server.rule);
}

void hear(ServerState& server, NodeId from, const ShareRequest& /*request*/, Moment moment) {
  moment.effects.sends.push_back({from, ShareAnswer{.utility = user_descriptor(server).utility}});
}

void hear(ServerState& server, NodeId from, const ShareAnswer& answer, Moment /*moment*/) {
  if (auto* ddrf = std::get_if<Ddrf>(&server.rule)) ddrf->hear(from, answer);
}

void hear(ServerState& server, NodeId from, const LoadRequest& /*request*/, Moment moment) {
  moment.effects.sends.push_back({from, LoadAnswer{.load = load(server)}});
}

void hear(ServerState& server, NodeId from, const LoadAnswer& answer, Moment /*moment*/) {
  if (auto* probes = std::get_if<Probes>(&server.rule)) probes->hear(from, answer);
}

void hear(ServerState& server, NodeId from, const ConfirmRequest& request, Moment moment) {
  if (!server.poorest || server.leaving) return;
  const bool confirmed = confirms(server.poorest->view(), request);
  moment.effects.sends.push_back({from, ConfirmAnswer{.round = request.round, .confirmed = confirmed}});
}

void hear(ServerState& server, NodeId from, const ConfirmAnswer& answer, Moment moment) {
  auto* dgdrf = std::get_if<Dgdrf>(&server.rule);
  const UserEntry* poorest = next_in_turn(server);
  if (!dgdrf || !poorest) return;
  const auto round = dgdrf->on_answer(from, answer, user_descriptor(server), server.poorest->view());
  if (round) serve(server, *poorest, *round, moment);
}

}  // namespace mirab::overlay
