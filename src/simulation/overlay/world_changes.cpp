// What is planned to happen to servers, the network and users.
#include <algorithm>

#include <mirab/model/assert.hpp>

#include "simulation/overlay/world_state.hpp"

namespace mirab::simulation {

using overlay::NodeId;

void World::State::change(const Change& change) {
  const Faults& faults = scenario.faults;
  const auto user_of = [&](const UserPause& pause) {
    const auto at = std::ranges::find(roster.names, pause.user);
    MIRAB_ASSERT(at != roster.names.end(), "a pause is of a user who is there");
    return static_cast<NodeId>(at - roster.names.begin());
  };
  switch (change.what) {
    case Change::What::cut:
      return network.cut(plan.inside[change.index]);
    case Change::What::heal:
      return network.heal(plan.inside[change.index]);
    case Change::What::crash:
      return crash(faults.crashes[change.index]);
    case Change::What::back:
      return come_back(faults.crashes[change.index]);
    case Change::What::slow:
    case Change::What::fast:
      return set_slowness(faults.slow[change.index].node);
    case Change::What::join:
      return start(faults.joins[change.index].node);
    case Change::What::leave:
      return leave(faults.leaves[change.index].node);
    case Change::What::restart:
      gateway = new_gateway();
      bootstrap = new_bootstrap();
      return;
    case Change::What::pause: {
      const NodeId n = user_of(scenario.pauses[change.index]);
      users[n].pause(clock(roster.user(n)), effects);
      return settle(roster.user(n));
    }
    case Change::What::resume: {
      const NodeId n = user_of(scenario.pauses[change.index]);
      users[n].resume(clock(roster.user(n)), effects);
      return settle(roster.user(n));
    }
  }
}

// A user begins, and ticks from now on; a server is there, new or as it was.
void World::State::start(NodeId node) {
  const Time now = clock(node);
  if (roster.is_user(node)) {
    users[node - roster.servers()].on_start(now, effects);
    agenda.schedule(agenda.now() + scenario.tick, {.node = node, .what = Event::What::tick});
    return settle(node);
  }
  Place& place = places[node];
  if (!place.server)
    place.server.emplace(
        overlay::ServerSetting{.self = node,
                               .capacity = roster.capacity[node],
                               .total = rules.options.total == overlay::Total::known
                                            ? roster.total
                                            : overlay::Amounts(roster.total.size(), 0),
                               .bootstrap = roster.bootstrap(),
                               .gateway = roster.gateway(),
                               .central = central ? std::optional(roster.central()) : std::nullopt,
                               .neighbours = neighbours.empty() ? std::vector<NodeId>{} : neighbours[node],
                               .tick = scenario.tick},
        rules.scheduler, rules.options, now);
  place.up = true;
  place.fallen = false;
  tell(node, Fate::started);
  if (!place.gone) place.server->on_start(effects);
  settle(node);
}

void World::State::crash(const Crash& crash) {
  Place& place = places[crash.node];
  if (!place.server) return;
  place.up = false;
  place.fallen = true;
  const bool dies = crash.memory == Memory::lost;
  if (dies) place.server.reset();
  tell(crash.node, dies ? Fate::died : Fate::silenced);
  settle(crash.node);
}

// One that was leaving and is dead stays away.
void World::State::come_back(const Crash& crash) {
  const Place& place = places[crash.node];
  if (!place.fallen || (place.gone && !place.server)) return;
  start(crash.node);
}

// One that is down cannot leave in peace.
void World::State::leave(NodeId node) {
  Place& place = places[node];
  if (!place.up) return;
  place.gone = true;
  place.server->leave(clock(node), effects);
  tell(node, Fate::left);
  settle(node);
}

// Slow for several reasons at once: their factors multiply.
void World::State::set_slowness(NodeId node) {
  const Duration since = agenda.now() - first_tick;
  double slowness = 1;
  for (const Slow& slow : scenario.faults.slow)
    if (slow.node == node && slow.from <= since && since < slow.to) slowness *= slow.factor;
  places[node].slowness = static_cast<float>(slowness);
}

void World::State::tell(NodeId node, Fate fate) {
  for (const auto& watch : on_fate) watch(agenda.now(), node, fate);
}

}  // namespace mirab::simulation
