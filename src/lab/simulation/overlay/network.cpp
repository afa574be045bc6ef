// Blocks of 2^k units with a list of unused ones for each k.
#include "lab/simulation/overlay/network.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::simulation {
namespace {

constexpr std::size_t kHead = 8;  // bytes: the letter's length and its class

struct Head {
  std::uint32_t length = 0;
  std::uint32_t size_class = 0;
};
static_assert(sizeof(Head) == kHead);

}  // namespace

MessageStore::Id MessageStore::put(std::span<const std::uint8_t> bytes) {
  const std::size_t units = (kHead + bytes.size() + kUnit - 1) / kUnit;
  const auto size_class = static_cast<std::uint32_t>(std::bit_width(units - 1));
  Id letter = 0;
  if (free_[size_class].empty()) {
    letter = static_cast<Id>(buffer_.size() / kUnit);
    buffer_.resize(buffer_.size() + (kUnit << size_class));
  } else {
    letter = free_[size_class].back();
    free_[size_class].pop_back();
  }
  const Head head{static_cast<std::uint32_t>(bytes.size()), size_class};
  std::uint8_t* const block = buffer_.data() + letter * kUnit;
  std::memcpy(block, &head, kHead);
  std::copy(bytes.begin(), bytes.end(), block + kHead);
  return letter;
}

std::span<std::uint8_t> MessageStore::at(Id letter) {
  Head head;
  std::uint8_t* const block = buffer_.data() + letter * kUnit;
  std::memcpy(&head, block, kHead);
  return {block + kHead, head.length};
}

void MessageStore::drop(Id letter) {
  Head head;
  std::memcpy(&head, buffer_.data() + letter * kUnit, kHead);
  MIRAB_ASSERT(head.size_class < free_.size(), "a block has its class");
  free_[head.size_class].push_back(letter);
}

void MessageStore::prefetch(Id letter) const {
  constexpr std::size_t kLine = 64;  // bytes of a line of the cache; nearly all letters take three at most
  const std::uint8_t* const block = buffer_.data() + letter * kUnit;
  for (std::size_t line = 0; line < 3; ++line) __builtin_prefetch(block + line * kLine);
}

// Latency, loss, duplication, reordering, corruption and cuts, drawn for each letter by itself. All that a
// node hears has been bytes: what decode does not take is dropped and counted.

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

std::span<const Delivery> Network::post(const overlay::AddressedMessage& letter, Time now, double factor) {
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
  const MessageStore::Id id = store_.put(bytes_);
  if (noisy && chance(random_, setting_.corrupt)) {
    ++losses_.corrupted;
    change_a_byte(store_.at(id), random_);
  }
  deliveries_.push_back({now + part_of(way, factor), id});
}

const overlay::AddressedMessage* Network::open(MessageStore::Id letter, overlay::NodeId reader, Time now) {
  auto read = overlay::decode(store_.at(letter), reader, now, setting_.wire);
  store_.drop(letter);
  if (const auto* drop = std::get_if<overlay::Drop>(&read)) {
    ++losses_.dropped[static_cast<std::size_t>(*drop)];
    return nullptr;
  }
  opened_ = std::move(std::get<overlay::AddressedMessage>(read));
  if (!severed(opened_.from, reader)) return &opened_;
  ++losses_.lost;
  return nullptr;
}

void Network::lose(MessageStore::Id letter) {
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
