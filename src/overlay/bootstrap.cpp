// The bootstrap server (Östman, chapter 4): who joins hears of a few servers, and gossip finds the others.

#include <mirab/overlay/bootstrap.hpp>

#include "overlay/roll.hpp"

namespace mirab::overlay {

struct Bootstrap::State {
  std::size_t peers = 0;
  Roll servers;
};

Bootstrap::Bootstrap(std::size_t peers, const Patience& patience, Duration tick)
    : state_(std::make_unique<State>(State{peers, Roll(patience.user * tick)})) {}

Bootstrap::~Bootstrap() = default;
Bootstrap::Bootstrap(Bootstrap&&) noexcept = default;
Bootstrap& Bootstrap::operator=(Bootstrap&&) noexcept = default;

void Bootstrap::on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects) {
  const auto* here = std::get_if<Register>(&message);
  if (here == nullptr) return;
  if (here->leaving) {
    state_->servers.strike(from);
    return;
  }
  std::vector<NodeId> others = state_->servers.some_but(from, state_->peers, now, random);
  state_->servers.enter(now, from);
  effects.sends.push_back({from, Peers{std::move(others)}});
}

}  // namespace mirab::overlay
