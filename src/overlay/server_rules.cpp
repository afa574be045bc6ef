// Whose turn it is at a server: the rules of the schedulers, and what they ask of other servers.

#include <algorithm>

#include <mirab/model/assert.hpp>

#include "overlay/level.hpp"
#include "overlay/pdgdrf.hpp"
#include "overlay/server_state.hpp"

namespace mirab::overlay {
namespace {

/// Used part of the first resource (eq. 4.1).
double load(const ServerState& server) {
  const std::int64_t capacity = server.host.capacity().front();
  if (capacity == 0) return 1;
  return static_cast<double>(capacity - server.host.free().front()) / static_cast<double>(capacity);
}

/// Whom gossip has found.
std::span<const Descriptor> found_by_gossip(const ServerState& server) {
  return server.poorest ? server.poorest->view() : server.peers.view();
}

/// The fixed neighbours of DDRF: given ones, or those that gossip has found until the first tick by which it
/// has found any: a server that joins may tick before it has heard of anybody.
void choose_neighbours(const ServerState& server, Ddrf& ddrf) {
  std::vector<NodeId> neighbours = server.setting.neighbours;
  if (neighbours.empty()) {
    for (const Descriptor& entry : found_by_gossip(server)) neighbours.push_back(entry.node);
  }
  if (!neighbours.empty()) ddrf.choose(neighbours);
}

/// Is all of the cluster here? Then there is nobody to wait for.
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
  const Resident* poorest = next_in_turn(server);
  if (poorest && ddrf_may_serve(told_of_users(server), ddrf.neighbours())) serve(server, *poorest, 0, moment);
  ddrf.ask(moment.effects);
}

void tick(ServerState& server, Dgdrf& dgdrf, Moment moment) {
  const Resident* poorest = next_in_turn(server);
  if (!poorest) return;
  const auto round = dgdrf.on_tick(told_of_users(server), server.poorest->view(), moment.effects);
  if (round) serve(server, *poorest, *round, moment);
}

void tick(ServerState& server, Pdgdrf& /*pdgdrf*/, Moment moment) {
  const Resident* poorest = next_in_turn(server);
  if (!poorest) return;
  Resident after = *poorest;
  after.served = after.placed = true;
  if (pdgdrf_may_serve(told_of_users(server), Home::share(after, server.total), server.poorest->view()))
    serve(server, *poorest, 0, moment);
}

void tick(ServerState& server, Level& /*level*/, Moment moment) {
  const Resident* next = next_that_waits(server);
  if (!next) return;
  const double least = least_known(told_of_users(server), server.poorest->view());
  const double share = Home::share(*next, server.total);
  if (level_may_serve(share, Home::step(*next, server.total), least, server.options.slack))
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
  moment.effects.sends.push_back({from, ShareAnswer{.utility = told_of_users(server).utility}});
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
  const Resident* poorest = next_in_turn(server);
  if (!dgdrf || !poorest) return;
  const auto round = dgdrf->on_answer(from, answer, told_of_users(server), server.poorest->view());
  if (round) serve(server, *poorest, *round, moment);
}

}  // namespace mirab::overlay
