// Latency, loss, duplication, reordering, corruption and cuts, drawn for each letter by itself. All that a
// node hears has been bytes: what decode does not take is dropped and counted.
#include "simulation/overlay/network.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mirab::simulation {
namespace {

bool chance(Random& random, double probability) { return probability > 0 && random.unit() < probability; }

Duration part_of(Duration whole, double part) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(whole.count()) * part));
}

void change_a_byte(std::span<std::uint8_t> bytes, Random& random) {
  std::uint8_t& byte = bytes[random.below(bytes.size())];
  byte = static_cast<std::uint8_t>(byte ^ (1 + random.below(255)));
}

bool is_inside(const std::vector<bool>& inside, overlay::NodeId node) {
  return node < inside.size() && inside[node];
}

}  // namespace

std::int64_t Traffic::all_messages() const {
  return std::accumulate(messages.begin(), messages.end(), std::int64_t{0});
}

std::int64_t Traffic::all_bytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

Network::Network(Setting setting, Random random) : setting_(setting), random_(std::move(random)) {}

std::span<const Delivery> Network::post(const overlay::Letter& letter, Time now, double factor) {
  deliveries_.clear();
  bytes_.clear();
  const std::size_t size = overlay::encode(letter, bytes_);
  ++sent_.messages[letter.message.index()];
  sent_.bytes[letter.message.index()] += static_cast<std::int64_t>(size);
  const bool noisy = now < setting_.calm;
  if (severed(letter.from, letter.to) || (noisy && chance(random_, setting_.loss))) {
    ++losses_.lost;
    return deliveries_;
  }
  deliver(now, factor);
  if (noisy && chance(random_, setting_.duplicate)) {
    ++losses_.duplicated;
    deliver(now, factor);
  }
  return deliveries_;
}

void Network::deliver(Time now, double factor) {
  const Latency& latency = setting_.latency;
  const bool noisy = now < setting_.calm;
  Duration way = latency.min + part_of(latency.max - latency.min, random_.unit());
  if (noisy && chance(random_, setting_.reorder)) {
    ++losses_.held_back;
    way += part_of(latency.max, static_cast<double>(kHeldBack) * random_.unit());
  }
  const LetterStore::Id id = store_.put(bytes_);
  if (noisy && chance(random_, setting_.corrupt)) {
    ++losses_.corrupted;
    change_a_byte(store_.at(id), random_);
  }
  deliveries_.push_back({now + part_of(way, factor), id});
}

const overlay::Letter* Network::open(LetterStore::Id letter, overlay::NodeId reader, Time now) {
  auto read = overlay::decode(store_.at(letter), reader, now, setting_.wire);
  store_.drop(letter);
  if (const auto* drop = std::get_if<overlay::Drop>(&read)) {
    ++losses_.dropped[static_cast<std::size_t>(*drop)];
    return nullptr;
  }
  opened_ = std::move(std::get<overlay::Letter>(read));
  if (!severed(opened_.from, reader)) return &opened_;
  ++losses_.lost;
  return nullptr;
}

void Network::lose(LetterStore::Id letter) {
  store_.drop(letter);
  ++losses_.lost;
}

void Network::cut(const std::vector<bool>& inside) { cuts_.push_back(&inside); }

void Network::heal(const std::vector<bool>& inside) { std::erase(cuts_, &inside); }

bool Network::severed(overlay::NodeId a, overlay::NodeId b) const {
  return std::any_of(cuts_.begin(), cuts_.end(),
                     [&](const auto* inside) { return is_inside(*inside, a) != is_inside(*inside, b); });
}

}  // namespace mirab::simulation
