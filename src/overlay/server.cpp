// A resource node: its gossip (peer sampling, gradients, push-sum, climbing news), and how its parts are put
// together. Turns and tasks are in server_scheduling.cpp.
//
// A tick runs the timers of the host and the coordinator first, then the rule; so the next decision can use a
// reservation that has just been given back.
#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

#include "overlay/server_state.hpp"

namespace mirab::overlay {

// The gossip of a server: peer sampling, the gradients, push-sum, and news that climbs.

namespace {

/// A Climb is handed on so often at the most: each hop goes up by up to P places, so twice the logarithm of a
/// million servers is plenty, and news that would run in a circle of stale views ends.
constexpr std::uint32_t kClimbHops = 40;

void hand_up(const ServerState& server, const Descriptor& own, const Climb& climb, Effects& effects) {
  const std::span<const Descriptor> view = server.poorest->view();
  const auto best = std::ranges::min_element(view, ranks_before);
  if (best == view.end() || best->node == climb.risen.node) return;
  if (climb.hops == 0 || ranks_before(*best, own)) effects.sends.push_back({best->node, climb});
}

/// Of no mean that others make up: something that can be shared.
bool is_capacity(const std::vector<double>& mean) {
  return std::ranges::all_of(mean, [](double c) { return c >= 0 && std::isfinite(c); }) &&
         std::ranges::any_of(mean, [](double c) { return c > 0; });
}

}  // namespace

Descriptor user_descriptor(const ServerState& server) {
  Descriptor own{.node = server.setting.self};
  if (server.total.empty() || server.leaving) return own;
  if (const UserEntry* poorest = server.home.poorest(server.total))
    own.utility = -Coordinator::share(*poorest, server.total);
  return own;
}

Descriptor room_descriptor(const ServerState& server) {
  Descriptor own{.node = server.setting.self};
  if (!server.total.empty() && !server.leaving) own.utility = room(server.host.free(), server.total);
  return own;
}

void announce(const ServerState& server, Effects& effects) {
  effects.sends.push_back({server.setting.bootstrap, Register{}});
  effects.sends.push_back({server.setting.gateway, Register{}});
}

void shuffle(ServerState& server, Moment moment) {
  if (std::holds_alternative<Follower>(server.rule) || std::holds_alternative<Probes>(server.rule)) return;
  if (server.peers.view().empty()) announce(server, moment.effects);
  if (server.push_sum) {
    server.push_sum->round(server.peers.any(moment.random), moment.effects);
    if (is_capacity(server.push_sum->estimate())) server.total = server.push_sum->estimate();
  }
  const Descriptor own = user_descriptor(server);
  const Ddrf* ddrf = std::get_if<Ddrf>(&server.rule);
  const bool frozen = ddrf && ddrf->chosen();
  if (server.poorest && !frozen)
    server.poorest->shuffle(own, server.peers.view(), moment.random, moment.effects);
  if (server.freer)
    server.freer->shuffle(room_descriptor(server), server.peers.view(), moment.random, moment.effects);
  // Last: it takes its partner out of the view, and of two servers that is the only one the gradients hear
  // of.
  server.peers.shuffle(own, moment.random, moment.effects);
  climb_if_risen(server, moment.effects);
}

void climb_if_risen(ServerState& server, Effects& effects) {
  if (server.options.rise != Rise::climb || !server.poorest) return;
  const Descriptor own = user_descriptor(server);
  if (own.utility > server.reported_utility) hand_up(server, own, Climb{.risen = own}, effects);
  server.reported_utility = own.utility;
}

void hear(ServerState& server, NodeId from, const PeerRequest& request, Moment moment) {
  server.peers.on_request(from, request, moment.random, moment.effects);
}

void hear(ServerState& server, NodeId from, const PeerAnswer& answer, Moment /*moment*/) {
  server.peers.on_answer(from, answer);
}

void hear(ServerState& server, NodeId from, const GradientRequest& request, Moment moment) {
  if (request.slope == Slope::poorest && server.poorest)
    server.poorest->on_request(from, request, user_descriptor(server), moment.effects);
  if (request.slope == Slope::free && server.freer)
    server.freer->on_request(from, request, room_descriptor(server), moment.effects);
}

void hear(ServerState& server, NodeId from, const GradientAnswer& answer, Moment /*moment*/) {
  if (answer.slope == Slope::poorest && server.poorest)
    server.poorest->on_answer(from, answer, user_descriptor(server));
  if (answer.slope == Slope::free && server.freer)
    server.freer->on_answer(from, answer, room_descriptor(server));
}

void hear(ServerState& server, NodeId /*from*/, const PushSumShare& share, Moment /*moment*/) {
  if (server.push_sum) server.push_sum->on_share(share);
}

void hear(ServerState& server, NodeId /*from*/, const Climb& climb, Moment moment) {
  if (!server.poorest || climb.risen.node == server.setting.self) return;
  const Descriptor own = user_descriptor(server);
  server.poorest->learn(climb.risen, own);
  if (climb.hops < kClimbHops)
    hand_up(server, own, {.risen = climb.risen, .hops = climb.hops + 1}, moment.effects);
}

void hear(ServerState& server, NodeId from, const Peers& peers, Moment /*moment*/) {
  if (from == server.setting.bootstrap) server.peers.introduce(peers.servers);
}

void hear(ServerState& server, NodeId from, const Register& goodbye, Moment /*moment*/) {
  if (!goodbye.leaving) return;
  if (server.poorest) server.poorest->forget(from);
  if (server.freer) server.freer->forget(from);
  if (auto* ddrf = std::get_if<Ddrf>(&server.rule)) ddrf->forget(from);
  if (auto* probes = std::get_if<Probes>(&server.rule)) probes->forget(from);
}

// A resource node: how its parts are put together, and its gossip. Whose turn it is, tasks and users are in
// server_scheduling.cpp.
//
// A tick: first the timers of the host and the home, then the rule; so a reservation that is given back can
// be taken by the very next decision.

namespace {

/// Nothing, when C is to be estimated.
std::vector<double> known_total(const Amounts& total) {
  if (std::ranges::all_of(total, [](std::int64_t amount) { return amount == 0; })) return {};
  return {total.begin(), total.end()};
}

/// Does it exchange views or sums?
template <class What>
constexpr bool is_gossip(const What&) {
  return std::is_same_v<What, PeerRequest> || std::is_same_v<What, PeerAnswer> ||
         std::is_same_v<What, GradientRequest> || std::is_same_v<What, GradientAnswer> ||
         std::is_same_v<What, PushSumShare> || std::is_same_v<What, Climb>;
}

KeptOptions kept_of(const OverlayOptions& chosen) {
  return {.search = chosen.search,
          .rise = chosen.rise,
          .best_of = chosen.best_of,
          .hops = hops_of(chosen),
          .again = std::max(chosen.patience.again, 1U),
          .announce = std::max(chosen.patience.user / 4, 1U),
          .slack = chosen.slack};
}

void fetch(const void* begin, std::size_t bytes) {
  constexpr std::size_t kLine = 64;  // bytes of a line of the cache
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(static_cast<const char*>(begin) + at);
}

}  // namespace

ServerState::ServerState(const ServerSetting& given, Scheduler scheduler, const OverlayOptions& chosen,
                         Time start)
    : setting{.self = given.self,
              .bootstrap = given.bootstrap,
              .gateway = given.gateway,
              .central = given.central,
              .neighbours = given.neighbours,
              .load = given.load},
      options(kept_of(chosen)),
      incarnation(static_cast<std::uint64_t>(start.time_since_epoch().count())),
      total(chosen.total == Total::known ? known_total(given.total) : std::vector<double>{}),
      peers(given.self, chosen.gossip),
      home(chosen, given.tick),
      host(given.capacity, start, chosen.patience, given.tick),
      rule(rule_of(scheduler, given, chosen, start)) {
  if (needs_gradient(rule)) poorest.emplace(given.self, Slope::poorest, chosen.gossip);
  if (chosen.search == Search::directed)
    freer = std::make_unique<Gradient>(given.self, Slope::free, chosen.gossip);
  if (chosen.total == Total::push_sum)
    push_sum = std::make_unique<PushSum>(std::vector<double>(given.capacity.begin(), given.capacity.end()),
                                         chosen.push_sum_epoch);
}

Server::Server(ServerSetting setting, Scheduler scheduler, const OverlayOptions& options, Time start)
    : state_(std::make_unique<ServerState>(setting, scheduler, options, start)) {}
Server::~Server() = default;
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

void Server::on_start(Effects& effects) { announce(*state_, effects); }

// Who leaves gossips no more: its views, which no shuffle ages, would keep old news alive, and its answers
// its own name.
void Server::on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects) {
  const auto take = [&](const auto& what) {
    if (state_->leaving && is_gossip(what)) return;
    if constexpr (requires(Moment moment) { hear(*state_, from, what, moment); })
      hear(*state_, from, what, {.now = now, .random = random, .effects = effects});
    // At once, not at the next tick: meanwhile others would be served out of turn.
    if (!is_gossip(what)) climb_if_risen(*state_, effects);
  };
  std::visit(take, message);
}

void Server::on_shuffle(Time now, Random& random, Effects& effects) {
  if (!state_->leaving) shuffle(*state_, {.now = now, .random = random, .effects = effects});
}

void Server::on_tick(Time now, Random& random, Effects& effects) {
  ServerState& server = *state_;
  server.host.on_tick(now, effects);
  server.home.on_tick(now, effects);
  if (server.leaving) return;

  // The bootstrap server and the gateway forget who is silent for Patience::user; not all say it in the same
  // tick.
  const std::uint64_t period = server.options.announce;
  if (++server.ticks % period == server.setting.self % period) announce(server, effects);
  climb_if_risen(server, effects);
  decide(server, {.now = now, .random = random, .effects = effects});
}

void Server::leave(Time now, Effects& effects) {
  ServerState& server = *state_;
  server.leaving = true;
  for (const NodeId to : {server.setting.bootstrap, server.setting.gateway})
    effects.sends.push_back({to, Register{.leaving = true}});
  for (const Descriptor& peer : peers()) effects.sends.push_back({peer.node, Register{.leaving = true}});
  for (const Descriptor& neighbour : view()) {
    if (std::ranges::find(peers(), neighbour.node, &Descriptor::node) == peers().end())
      effects.sends.push_back({neighbour.node, Register{.leaving = true}});
  }
  for (const UserEntry& resident : server.home.user_entries())
    effects.sends.push_back({resident.user, Received{.number = resident.task.id.number, .gone = true}});
  server.host.close(now, effects);
}

void Server::prefetch_state() const { fetch(state_.get(), sizeof(ServerState)); }

void Server::prefetch_views() const {
  fetch(peers().data(), peers().size_bytes());
  fetch(view().data(), view().size_bytes());
}

NodeId Server::self() const { return state_->setting.self; }
double Server::utility() const { return user_descriptor(*state_).utility; }
std::span<const Descriptor> Server::view() const {
  return state_->poorest ? state_->poorest->view() : std::span<const Descriptor>{};
}
std::span<const Descriptor> Server::peers() const { return state_->peers.view(); }
std::span<const std::int64_t> Server::free() const { return state_->host.free(); }

}  // namespace mirab::overlay
