// A resource node: how its parts are put together. Gossip is in server_gossip.cpp, whose turn it is in
// server_rules.cpp, tasks and users in server_tasks.cpp.
//
// A tick: first the timers of the host and the home, then the rule; so a reservation that is given back can
// be taken by the very next decision.

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "overlay/server_state.hpp"

namespace mirab::overlay {
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
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(static_cast<const char*>(begin) + at);
}

}  // namespace

ServerState::ServerState(const ServerSetting& given, Scheduler scheduler, const OverlayOptions& chosen,
                         Time start)
    : setting{.self = given.self,
              .bootstrap = given.bootstrap,
              .gateway = given.gateway,
              .central = given.central,
              .neighbours = given.neighbours},
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
  for (const Resident& resident : server.home.residents())
    effects.sends.push_back({resident.user, Received{.number = resident.task.id.number, .gone = true}});
  server.host.close(now, effects);
}

void Server::foresee_state() const { fetch(state_.get(), sizeof(ServerState)); }

void Server::foresee_views() const {
  fetch(peers().data(), peers().size_bytes());
  fetch(view().data(), view().size_bytes());
}

NodeId Server::self() const { return state_->setting.self; }
double Server::utility() const { return told_of_users(*state_).utility; }
std::span<const Descriptor> Server::view() const {
  return state_->poorest ? state_->poorest->view() : std::span<const Descriptor>{};
}
std::span<const Descriptor> Server::peers() const { return state_->peers.view(); }
std::span<const std::int64_t> Server::free() const { return state_->host.free(); }

}  // namespace mirab::overlay
