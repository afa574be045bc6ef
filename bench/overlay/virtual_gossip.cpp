#include "overlay/virtual_gossip.hpp"

#include <utility>

namespace mirab::bench {

using overlay::NodeId;

namespace {

simulation::Network::Setting quiet_network() {
  simulation::Network::Setting setting;
  setting.latency = {.min = kGossipLatency, .max = kGossipLatency};
  return setting;
}

}  // namespace

VirtualGossip::VirtualGossip(std::size_t nodes, std::uint64_t seed)
    : random_(seed), nodes_(gossipers(nodes, random_)), network_(quiet_network(), Random(seed)) {
  NodeId node = 0;
  for (const Duration offset : offsets(nodes, random_))
    agenda_.schedule(Time(offset), {.node = node++, .shuffle = true});
}

void VirtualGossip::run(std::int64_t ticks) {
  end_ += ticks * kGossipTick;
  while (agenda_.next() < end_) happen(agenda_.take());
}

void VirtualGossip::happen(const Event& event) {
  const Time now = agenda_.now();
  if (event.shuffle) {
    agenda_.schedule(now + kGossipTick, event);
    nodes_[event.node].shuffle(random_, effects_);
  } else if (const overlay::AddressedMessage* letter = network_.open(event.letter, event.node, now)) {
    ++heard_;
    nodes_[event.node].hear(letter->from, letter->message, effects_);
  }
  send(event.node);
}

void VirtualGossip::send(NodeId from) {
  for (overlay::Send& each : effects_.sends) {
    const overlay::AddressedMessage letter{from, each.to, agenda_.now(), std::move(each.message)};
    for (const simulation::Delivery& delivery : network_.post(letter, letter.sent, 1))
      agenda_.schedule(delivery.at, {.node = letter.to, .letter = delivery.letter});
  }
  effects_.sends.clear();
}

}  // namespace mirab::bench
