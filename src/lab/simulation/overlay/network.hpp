#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/wire.hpp>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {

/// Bytes of letters on their way: blocks of 2^k bytes in one growing buffer, reused when a letter has
/// arrived, so that a run allocates nothing once its busiest moment is over. O(bytes) to put, O(1) to take.
class MessageStore {
 public:
  /// Names a letter until it is dropped.
  using Id = std::uint32_t;

  Id put(std::span<const std::uint8_t> bytes);
  /// Valid until the next put.
  std::span<std::uint8_t> at(Id letter);
  void drop(Id letter);
  /// It will be read soon: fetches the first of its bytes into the cache.
  void prefetch(Id letter) const;

  std::size_t bytes_held() const { return buffer_.capacity(); }

 private:
  // A block begins with the letter's length (4 bytes) and its class (4 bytes); an Id is its place in units of
  // the smallest block.
  static constexpr std::size_t kUnit = 32;
  std::array<std::vector<Id>, 32> free_;  // by class: blocks of kUnit · 2^class bytes
  std::vector<std::uint8_t> buffer_;
};

/// A message that is held back comes later by at most this many largest latencies.
inline constexpr std::int64_t kHeldBack = 10;

/// What was sent, by kind of message.
struct Traffic {
  static constexpr std::size_t kKinds = std::variant_size_v<overlay::Message>;
  std::array<std::int64_t, kKinds> messages{};
  std::array<std::int64_t, kKinds> bytes{};

  std::int64_t all_messages() const;
  std::int64_t all_bytes() const;
};

/// What became of messages on the way.
struct Losses {
  std::int64_t lost = 0;        ///< by chance, by a partition, or because its receiver was gone
  std::int64_t duplicated = 0;  ///< came twice
  std::int64_t held_back = 0;   ///< to come after later ones
  std::int64_t corrupted = 0;
  std::array<std::int64_t, overlay::kDropCount> dropped{};  ///< bytes that a node did not take, by Drop
};

/// A letter that will be there at that time.
struct Delivery {
  Time at{};
  MessageStore::Id letter = 0;
};

/// The network between nodes. Messages travel as bytes. The caller says when partitions begin and end; the
/// rest is drawn: each message by itself is lost, duplicated, held back or corrupted, and takes its time.
class Network {
 public:
  struct Setting {
    Latency latency = {};
    overlay::WireLimits wire = {};
    double loss = 0, duplicate = 0, reorder = 0, corrupt = 0;
    Time calm = Time::max();  ///< when loss … corrupt end
  };
  Network(Setting setting, Random random);

  /// Encodes the letter and sends it: none, one or two deliveries, valid until the next call. `now`: the true
  /// time, whatever its sender's clock shows. `factor` stretches the latency (a slow sender).
  std::span<const Delivery> post(const overlay::AddressedMessage& letter, Time now, double factor);

  /// The letter as its reader takes it, by the reader's clock, or nothing (dropped, and counted). Its bytes
  /// are gone afterwards.
  const overlay::AddressedMessage* open(MessageStore::Id letter, overlay::NodeId reader, Time now);
  /// It will be opened soon.
  void prefetch(MessageStore::Id letter) const { store_.prefetch(letter); }
  /// Its receiver was gone.
  void lose(MessageStore::Id letter);

  /// These nodes cannot reach the others until the cut is healed; cuts may overlap. `inside` [node]; nodes
  /// beyond its end are outside. Must outlive the cut.
  void cut(const std::vector<bool>& inside);
  void heal(const std::vector<bool>& inside);

  const Traffic& sent() const { return sent_; }
  const Losses& losses() const { return losses_; }

 private:
  bool severed(overlay::NodeId a, overlay::NodeId b) const;
  void deliver(Time now, double factor);

  Setting setting_;
  Random random_;
  MessageStore store_;
  std::vector<const std::vector<bool>*> cuts_;
  std::vector<std::uint8_t> bytes_;   // of the letter being posted
  std::vector<Delivery> deliveries_;  // of the letter being posted
  overlay::AddressedMessage opened_;
  Traffic sent_;
  Losses losses_;
};

}  // namespace mirab::simulation
