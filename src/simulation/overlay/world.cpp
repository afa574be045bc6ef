// Virtual time: one queue of events, each of one node; what a node wants done happens before the next event.
#include "simulation/overlay/world.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulation/overlay/world_state.hpp"
#include "simulation/streams.hpp"

namespace mirab::simulation {

using overlay::NodeId;

// Nodes and letters lie all over the memory: the wait for them is most of the time of a large world, unless
// they are asked for before.
void World::State::foresee() const {
  const auto place_of = [&](const Event* event) {
    return event && roster.is_server(event->node) ? &places[event->node] : nullptr;
  };
  if (const Event* const event = agenda.coming(5)) {
    __builtin_prefetch(place_of(event));
    if (event->what == Event::What::letter) network.foresee(event->index);
  }
  if (const Place* const place = place_of(agenda.coming(3)); place && place->server)
    place->server->foresee_state();
  if (const Place* const place = place_of(agenda.coming(1)); place && place->server)
    place->server->foresee_views();
}

void World::State::happen(const Event& event) {
  switch (event.what) {
    case Event::What::letter:
      return deliver(event.node, event.index);
    case Event::What::begin:
      return start(event.node);
    case Event::What::tick:
      return tick(event.node);
    case Event::What::shuffle:
      return shuffle(event.node);
    case Event::What::change:
      return change(plan.changes[event.index]);
  }
}

void World::State::deliver(NodeId to, std::uint32_t letter) {
  const bool nobody = to >= roster.nodes() || (roster.is_server(to) && !places[to].up) ||
                      (to == roster.central() && !central);
  if (nobody) return network.lose(letter);
  const Time now = clock(to);
  const overlay::Letter* const read = network.open(letter, to, now);
  if (read == nullptr) return;
  for (const auto& watch : on_message) watch(agenda.now(), *read);
  if (roster.is_server(to))
    places[to].server->on_message(now, read->from, read->message, random, effects);
  else if (roster.is_user(to))
    users[to - roster.servers()].on_message(now, read->from, read->message, effects);
  else if (to == roster.gateway())
    gateway.on_message(now, read->from, read->message, homes, effects);
  else if (to == roster.bootstrap())
    bootstrap.on_message(now, read->from, read->message, random, effects);
  else
    central->on_message(now, read->from, read->message, effects);
  settle(to);
}

void World::State::tick(NodeId node) {
  const Time now = clock(node);
  agenda.schedule(agenda.now() + slowed(scenario.tick, node), {.node = node, .what = Event::What::tick});
  if (roster.is_user(node))
    users[node - roster.servers()].on_tick(now, effects);
  else if (node == roster.central())
    central->on_tick(now, effects);
  else if (places[node].up)
    places[node].server->on_tick(now, random, effects);
  else
    return;
  settle(node);
}

void World::State::shuffle(NodeId node) {
  agenda.schedule(agenda.now() + slowed(shuffle_period, node), {.node = node, .what = Event::What::shuffle});
  if (!places[node].up) return;
  places[node].server->on_shuffle(clock(node), random, effects);
  settle(node);
}

// Who watches is told the true time, also of the end of a lease.
void World::State::settle(NodeId node) {
  const Time now = agenda.now();
  for (overlay::Fact& fact : effects.facts) {
    if (auto* leased = std::get_if<overlay::Leased>(&fact)) leased->until -= ahead[node];
    for (const auto& watch : on_fact) watch(now, node, fact);
  }
  const double slowness = roster.is_server(node) ? places[node].slowness : 1;
  for (overlay::Send& send : effects.sends) {
    const overlay::Letter letter{
        .from = node, .to = send.to, .sent = clock(node), .message = std::move(send.message)};
    for (const Delivery& delivery : network.post(letter, now, slowness))
      agenda.schedule(delivery.at,
                      {.node = letter.to, .index = delivery.letter, .what = Event::What::letter});
  }
  effects.facts.clear();
  effects.sends.clear();
  for (const auto& watch : after_event) watch(now, node);
}

// Exponential of the scenario's mean, by user and number: the same whoever schedules it. At least 1 ns: zero
// is without end.
Duration World::State::runtime_of(NodeId user, std::uint64_t number) const {
  if (!scenario.runtime) return {};
  const double unit = static_cast<double>(stream_seed(runtimes, "of", {user, number}) >> 11) * 0x1p-53;
  return std::max(stretched(*scenario.runtime, -std::log1p(-unit)), Duration(1));
}

Duration World::State::slowed(Duration length, NodeId node) const {
  return roster.is_server(node) && places[node].slowness > 1 ? stretched(length, places[node].slowness)
                                                             : length;
}

World::World(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario,
             std::uint64_t seed)
    : state_(std::make_unique<State>(roster, rules, scenario, seed)) {}

World::~World() = default;

void World::watch(Observer observer) {
  if (observer.fact) state_->on_fact.push_back(std::move(observer.fact));
  if (observer.message) state_->on_message.push_back(std::move(observer.message));
  if (observer.fate) state_->on_fate.push_back(std::move(observer.fate));
  if (observer.after_event) state_->after_event.push_back(std::move(observer.after_event));
}

void World::step() {
  const State::Event event = state_->agenda.take();
  state_->foresee();
  state_->happen(event);
}

void World::run_until(Time end) {
  while (next() < end) step();
}

Time World::now() const { return state_->agenda.now(); }
Time World::next() const { return state_->agenda.next(); }
Time World::first_tick() const { return state_->first_tick; }
Time World::last_change() const { return state_->last_change; }
const Roster& World::roster() const { return state_->roster; }
const Network& World::network() const { return state_->network; }

const overlay::Server* World::server(NodeId node) const {
  const auto& server = state_->places[node].server;
  return server ? &*server : nullptr;
}

bool World::up(NodeId node) const { return state_->places[node].up; }
bool World::leaving(NodeId node) const { return state_->places[node].gone; }

const overlay::User& World::user(NodeId node) const { return state_->users[node - roster().servers()]; }

}  // namespace mirab::simulation
