// How servers and users join (Östman, chapter 4): the list of registered servers, the bootstrap server that
// reads it for servers, and the gateway that reads it for users.
#include "overlay/membership.hpp"

#include <algorithm>

#include <mirab/overlay/gateway.hpp>

#include "overlay/table_limits.hpp"

namespace mirab::overlay {

// The list of servers behind the gateway and the bootstrap server (Östman, chapter 4).
//
// Known failure: a server that crashed is still named until it is forgotten, at the latest 5/4 · `forgotten`
// after it was last heard; who is sent to it finds it silent and asks again. Cost: O(1) to draw one, expected
// O(count²) to draw some, O(K) four times in `forgotten` to forget.

void Membership::enter(Time now, NodeId server) {
  forget(now);
  const auto place = place_of(server);
  if (place != lines_.end() && place->server == server)
    place->heard_at = now;
  else if (lines_.size() < kMaxServers)
    lines_.insert(place, {server, now});
}

void Membership::remove(NodeId server) {
  const auto place = place_of(server);
  if (place != lines_.end() && place->server == server) lines_.erase(place);
}

std::optional<NodeId> Membership::any(Time now, Random& random) {
  forget(now);
  if (lines_.empty()) return {};
  return lines_[random.below(lines_.size())].server;
}

std::vector<NodeId> Membership::sample_excluding(NodeId server, std::size_t count, Time now, Random& random) {
  forget(now);
  std::vector<NodeId> drawn;
  if (lines_.size() <= 2 * count + 1) {  // few: the first of all, shuffled
    drawn = all_but(server);
    const std::size_t some = std::min(count, drawn.size());
    for (std::size_t k = 0; k < some; ++k) std::swap(drawn[k], drawn[k + random.below(drawn.size() - k)]);
    drawn.resize(some);
    return drawn;
  }
  while (drawn.size() < count) {
    const NodeId one = *any(now, random);
    if (one != server && std::find(drawn.begin(), drawn.end(), one) == drawn.end()) drawn.push_back(one);
  }
  return drawn;
}

std::vector<NodeId> Membership::all_but(NodeId server) const {
  std::vector<NodeId> others;
  for (const Line& line : lines_) {
    if (line.server != server) others.push_back(line.server);
  }
  return others;
}

void Membership::forget(Time now) {
  if (now - looked_at_ < forgotten_ / 4) return;
  looked_at_ = now;
  std::erase_if(lines_, [&](const Line& line) { return now - line.heard_at >= forgotten_; });
}

std::vector<Membership::Line>::iterator Membership::place_of(NodeId server) {
  return std::lower_bound(lines_.begin(), lines_.end(), server,
                          [](const Line& line, NodeId id) { return line.server < id; });
}

// The bootstrap server (Östman, chapter 4): who joins hears of a few servers, and gossip finds the others.

struct Bootstrap::State {
  std::size_t peers = 0;
  Membership servers;
};

Bootstrap::Bootstrap(std::size_t peers, const Patience& patience, Duration tick)
    : state_(std::make_unique<State>(State{peers, Membership(patience.user * tick)})) {}

Bootstrap::~Bootstrap() = default;
Bootstrap::Bootstrap(Bootstrap&&) noexcept = default;
Bootstrap& Bootstrap::operator=(Bootstrap&&) noexcept = default;

void Bootstrap::on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects) {
  const auto* here = std::get_if<Register>(&message);
  if (here == nullptr) return;
  if (here->leaving) {
    state_->servers.remove(from);
    return;
  }
  std::vector<NodeId> others = state_->servers.sample_excluding(from, state_->peers, now, random);
  state_->servers.enter(now, from);
  effects.sends.push_back({from, Peers{std::move(others)}});
}

// The gateway (Östman, chapter 4): tells users where to go. A user keeps its home until that is silent; with
// probes (4.2) every task has another, and with a centre (4.1) all have the same.

struct Gateway::State {
  Direction direction = Direction::home;
  std::optional<NodeId> central;
  Membership servers;

  std::optional<NodeId> direct(Time now, NodeId user, const ServerRequest& request, Random& random) {
    if (direction == Direction::central) return central;
    const bool belongs = request.home != user && !request.silent;
    if (direction == Direction::home && belongs) return request.home;
    if (request.silent) servers.remove(request.home);  // until it registers again
    return servers.any(now, random);
  }
};

Gateway::Gateway(Direction direction, std::optional<NodeId> central, const Patience& patience, Duration tick)
    : state_(std::make_unique<State>(State{direction, central, Membership(patience.user * tick)})) {}

Gateway::~Gateway() = default;
Gateway::Gateway(Gateway&&) noexcept = default;
Gateway& Gateway::operator=(Gateway&&) noexcept = default;

void Gateway::on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects) {
  if (const auto* here = std::get_if<Register>(&message)) {
    if (here->leaving)
      state_->servers.remove(from);
    else
      state_->servers.enter(now, from);
  }
  if (const auto* request = std::get_if<ServerRequest>(&message)) {
    const std::optional<NodeId> server = state_->direct(now, from, *request, random);
    if (server) effects.sends.push_back({from, ServerAnswer{request->request, *server}});
  }
}

}  // namespace mirab::overlay
