// The gateway (Östman, chapter 4): tells users where to go. A user keeps its home until that is silent; with
// probes (4.2) every task has another, and with a centre (4.1) all have the same.

#include <mirab/overlay/gateway.hpp>

#include "overlay/roll.hpp"

namespace mirab::overlay {

struct Gateway::State {
  Direction direction = Direction::home;
  std::optional<NodeId> central;
  Roll servers;

  std::optional<NodeId> direct(Time now, NodeId user, const ServerRequest& request, Random& random) {
    if (direction == Direction::central) return central;
    const bool belongs = request.home != user && !request.silent;
    if (direction == Direction::home && belongs) return request.home;
    if (request.silent) servers.strike(request.home);  // until it registers again
    return servers.any(now, random);
  }
};

Gateway::Gateway(Direction direction, std::optional<NodeId> central, const Patience& patience, Duration tick)
    : state_(std::make_unique<State>(State{direction, central, Roll(patience.user * tick)})) {}

Gateway::~Gateway() = default;
Gateway::Gateway(Gateway&&) noexcept = default;
Gateway& Gateway::operator=(Gateway&&) noexcept = default;

void Gateway::on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects) {
  if (const auto* here = std::get_if<Register>(&message)) {
    if (here->leaving)
      state_->servers.strike(from);
    else
      state_->servers.enter(now, from);
  }
  if (const auto* request = std::get_if<ServerRequest>(&message)) {
    const std::optional<NodeId> server = state_->direct(now, from, *request, random);
    if (server) effects.sends.push_back({from, ServerAnswer{request->request, *server}});
  }
}

}  // namespace mirab::overlay
