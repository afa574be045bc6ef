// An overlay in virtual time: the state of a world, how it begins, how each event happens, and what is
// planned to change. One queue holds all events; the effects of an event happen before the next one.
#include "lab/simulation/overlay/world.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/overlay/central_scheduler.hpp>
#include <mirab/overlay/gateway.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/base/event_queue.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/overlay/faults.hpp"

namespace mirab::simulation {

/// What lives in a world. An event belongs to one node; what it does goes into `effects`, and settle() lets
/// that happen.
struct World::State {
  State(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario, std::uint64_t seed);

  struct Event {
    enum class What : std::uint8_t { letter, begin, tick, shuffle, change };
    overlay::NodeId node = 0;
    std::uint32_t index = 0;  // the letter, or the change in the plan
    What what = What::letter;
  };

  /// A server's place: the server is nothing before it joins and while it is dead.
  struct Place {
    std::optional<overlay::Server> server;
    float slowness = 1;
    bool up = false;
    bool fallen = false;  ///< it crashed and is not back
    bool gone = false;    ///< it was told to leave
  };

  // From the seed to the first event.
  void settle_in();
  void schedule_rounds(std::uint64_t seed);

  overlay::Gateway new_gateway() const;
  overlay::Bootstrap new_bootstrap() const;

  // From each event to the next.
  void prefetch() const;
  void happen(const Event& event);
  void deliver(overlay::NodeId to, std::uint32_t letter);
  void tick(overlay::NodeId node);
  void shuffle(overlay::NodeId node);
  void settle(overlay::NodeId node);
  Duration runtime_of(overlay::NodeId user, std::uint64_t number) const;
  Duration slowed(Duration length, overlay::NodeId node) const;
  Time clock(overlay::NodeId node) const { return agenda.now() + ahead[node]; }

  // Planned changes.
  void change(const Change& change);
  void start(overlay::NodeId node);
  void crash(const Crash& crash);
  void come_back(const Crash& crash);
  void leave(overlay::NodeId node);
  void set_slowness(overlay::NodeId node);
  void tell(overlay::NodeId node, ServerEvent server_event);

  const Roster& roster;
  const OverlayRules& rules;
  const OverlayScenario& scenario;
  Duration shuffle_period;
  Time opening;  // servers begin to shuffle, users to ask
  Time first_tick;
  FaultPlan plan;
  Time last_change;
  std::vector<std::vector<overlay::NodeId>> neighbours;  // fixed ones; empty: those that gossip finds. [K]

  Network network;
  Random random;           // of the nodes
  Random homes;            // of the gateway: contenders direct users alike
  std::uint64_t runtimes;  // a seed
  CalendarQueue<Event> agenda;

  std::vector<Duration> ahead;       // of its clock, up to the skew. [node]
  std::vector<Place> places;         // [K]
  std::vector<overlay::User> users;  // [N]
  overlay::Gateway gateway;
  overlay::Bootstrap bootstrap;
  std::optional<overlay::CentralScheduler> central;
  overlay::Effects effects;

  std::vector<std::function<void(Time, overlay::NodeId, const overlay::Fact&)>> on_fact;
  std::vector<std::function<void(Time, const overlay::AddressedMessage&)>> on_message;
  std::vector<std::function<void(Time, overlay::NodeId, ServerEvent)>> on_server_event;
  std::vector<std::function<void(Time, overlay::NodeId)>> after_event;
};

// A world before its first event: who is there, who knows whom, when they tick.

namespace {

using overlay::NodeId;
using overlay::Scheduler;

overlay::Direction direction_of(Scheduler scheduler) {
  if (overlay::row_of(scheduler).is_central) return overlay::Direction::central;
  return scheduler == Scheduler::probes ? overlay::Direction::any : overlay::Direction::home;
}

// Long enough for everyone to register before the first shuffle, and before users ask who is there.
Time opening_of(const OverlayScenario& scenario, Duration shuffle_period) {
  return Time{} + std::max(shuffle_period, 4 * scenario.latency.max);
}

bool is_noisy(const Faults& faults) {
  return faults.loss > 0 || faults.duplicate > 0 || faults.reorder > 0 || faults.corrupt > 0;
}

Network::Setting network_setting(const OverlayScenario& scenario, Time first_tick) {
  const Faults& faults = scenario.faults;
  return {.latency = scenario.latency,
          .wire = scenario.wire,
          .loss = faults.loss,
          .duplicate = faults.duplicate,
          .reorder = faults.reorder,
          .corrupt = faults.corrupt,
          .calm = faults.until == Duration::zero() ? Time::max() : first_tick + faults.until};
}

Time last_of(const FaultPlan& plan, const Faults& faults, Time first_tick) {
  const Time planned = plan.changes.empty() ? first_tick : plan.changes.back().at;
  return is_noisy(faults) ? std::max(planned, first_tick + faults.until) : planned;
}

// P others for every server, drawn uniformly, for schedulers whose neighbours are fixed from the start.
std::vector<std::vector<NodeId>> drawn_neighbours(const OverlayRules& rules, NodeId servers, Random random) {
  if (rules.scheduler != Scheduler::probes && rules.scheduler != Scheduler::ddrf_random) return {};
  const std::size_t count = std::min<std::size_t>(rules.options.gossip.view, servers - 1);
  std::vector<std::vector<NodeId>> neighbours(servers);
  for (NodeId self = 0; self < servers; ++self)
    while (neighbours[self].size() < count) {
      const auto other = static_cast<NodeId>(random.below(servers));
      if (other != self && std::ranges::find(neighbours[self], other) == neighbours[self].end())
        neighbours[self].push_back(other);
    }
  return neighbours;
}

// Each is ahead of the true time: what counts is by how much any two differ, and no clock shows less than 0.
std::vector<Duration> drawn_clocks(Duration skew, NodeId nodes, Random random) {
  std::vector<Duration> ahead(nodes);
  for (Duration& clock : ahead)
    clock = Duration(static_cast<Duration::rep>(random.unit() * static_cast<double>(skew.count())));
  return ahead;
}

}  // namespace

World::State::State(const Roster& roster_, const OverlayRules& rules_, const OverlayScenario& scenario_,
                    std::uint64_t seed)
    : roster(roster_),
      rules(rules_),
      scenario(scenario_),
      shuffle_period(stretched(scenario.tick, 1 / scenario.shuffles_per_tick)),
      opening(opening_of(scenario, shuffle_period)),
      first_tick(opening + scenario.warm_up * shuffle_period),
      plan(plan_of(scenario, roster, seed, first_tick)),
      last_change(last_of(plan, scenario.faults, first_tick)),
      neighbours(drawn_neighbours(rules, roster.servers(), stream(seed, "neighbours"))),
      network(network_setting(scenario, first_tick), stream(seed, "network")),
      random(stream(seed, "nodes")),
      homes(stream(seed, "homes")),
      runtimes(stream_seed(seed, "runtimes")),
      ahead(drawn_clocks(scenario.wire.skew, roster.nodes(), stream(seed, "clocks"))),
      places(roster.servers()),
      gateway(new_gateway()),
      bootstrap(new_bootstrap()) {
  settle_in();
  schedule_rounds(seed);
}

overlay::Gateway World::State::new_gateway() const {
  return {direction_of(rules.scheduler),
          overlay::row_of(rules.scheduler).is_central ? std::optional(roster.central()) : std::nullopt,
          rules.options.patience, scenario.tick};
}

overlay::Bootstrap World::State::new_bootstrap() const {
  return {rules.options.gossip.peers, rules.options.patience, scenario.tick};
}

void World::State::settle_in() {
  const overlay::OverlayOptions& options = rules.options;
  users.reserve(roster.users());
  for (NodeId n = 0; n < roster.users(); ++n) {
    const auto runtime = [this, user = roster.user(n)](std::uint64_t number) {
      return runtime_of(user, number);
    };
    users.emplace_back(overlay::UserSetting{.self = roster.user(n),
                                            .gateway = roster.gateway(),
                                            .demand = roster.demand[n],
                                            .tasks = roster.tasks[n],
                                            .tick = scenario.tick,
                                            .runtime = runtime},
                       options.patience, scenario.wire.lifetime + scenario.wire.skew);
  }
  if (overlay::row_of(rules.scheduler).is_central)
    central.emplace(overlay::CentralScheduler::Setting{.self = roster.central(),
                                                       .capacity = roster.capacity,
                                                       .total = roster.total,
                                                       .tick = scenario.tick},
                    rules.scheduler, options);
}

// Offsets are drawn in the order of addresses, tick before shuffle, whatever the scheduler.
void World::State::schedule_rounds(std::uint64_t seed) {
  using What = Event::What;
  Random offsets = stream(seed, "offsets");
  const auto offset = [&](Duration period) {
    const double part = offsets.unit();
    return scenario.ticks == Ticks::in_step
               ? Duration{}
               : Duration(static_cast<Duration::rep>(part * static_cast<double>(period.count())));
  };
  std::vector<bool> comes_later(roster.servers(), false);
  for (const Join& join : scenario.faults.joins) comes_later[join.node] = true;
  for (NodeId node = 0; node < roster.servers(); ++node) {
    if (!comes_later[node]) agenda.schedule(Time{}, {.node = node, .what = What::begin});
    agenda.schedule(first_tick + offset(scenario.tick), {.node = node, .what = What::tick});
    agenda.schedule(opening + offset(shuffle_period), {.node = node, .what = What::shuffle});
  }
  for (NodeId n = 0; n < roster.users(); ++n)
    agenda.schedule(opening + offset(scenario.tick), {.node = roster.user(n), .what = What::begin});
  if (central)
    agenda.schedule(first_tick + offset(scenario.tick), {.node = roster.central(), .what = What::tick});
  for (std::uint32_t i = 0; i < plan.changes.size(); ++i)
    agenda.schedule(plan.changes[i].at, {.index = i, .what = What::change});
}

// Virtual time: one queue of events, each of one node; what a node wants done happens before the next event.

using overlay::NodeId;

// Nodes and letters lie all over the memory: the wait for them is most of the time of a large world, unless
// they are asked for before.
void World::State::prefetch() const {
  const auto place_of = [&](const Event* event) {
    return event && roster.is_server(event->node) ? &places[event->node] : nullptr;
  };
  if (const Event* const event = agenda.coming(5)) {
    __builtin_prefetch(place_of(event));
    if (event->what == Event::What::letter) network.prefetch(event->index);
  }
  if (const Place* const place = place_of(agenda.coming(3)); place && place->server)
    place->server->prefetch_state();
  if (const Place* const place = place_of(agenda.coming(1)); place && place->server)
    place->server->prefetch_views();
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
  const overlay::AddressedMessage* const read = network.open(letter, to, now);
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

// Observers get the true time, also of the end of a lease.
void World::State::settle(NodeId node) {
  const Time now = agenda.now();
  for (overlay::Fact& fact : effects.facts) {
    if (auto* leased = std::get_if<overlay::Leased>(&fact)) leased->until -= ahead[node];
    for (const auto& watch : on_fact) watch(now, node, fact);
  }
  const double slowness = roster.is_server(node) ? places[node].slowness : 1;
  for (overlay::Send& send : effects.sends) {
    const overlay::AddressedMessage letter{
        .from = node, .to = send.to, .sent = clock(node), .message = std::move(send.message)};
    for (const Delivery& delivery : network.post(letter, now, slowness))
      agenda.schedule(delivery.at,
                      {.node = letter.to, .index = delivery.letter, .what = Event::What::letter});
  }
  effects.facts.clear();
  effects.sends.clear();
  for (const auto& watch : after_event) watch(now, node);
}

// Exponential of the scenario's mean, by user and number: the same under every scheduler. At least 1 ns: zero
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
  if (observer.server_event) state_->on_server_event.push_back(std::move(observer.server_event));
  if (observer.after_event) state_->after_event.push_back(std::move(observer.after_event));
}

void World::step() {
  const State::Event event = state_->agenda.take();
  state_->prefetch();
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

// What is planned to happen to servers, the network and users.

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
                               .tick = scenario.tick,
                               .load = roster.load},
        rules.scheduler, rules.options, now);
  place.up = true;
  place.fallen = false;
  tell(node, ServerEvent::started);
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
  tell(crash.node, dies ? ServerEvent::died : ServerEvent::silenced);
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
  tell(node, ServerEvent::left);
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

void World::State::tell(NodeId node, ServerEvent server_event) {
  for (const auto& watch : on_server_event) watch(agenda.now(), node, server_event);
}

}  // namespace mirab::simulation
