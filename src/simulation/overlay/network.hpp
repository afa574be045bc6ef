#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/wire.hpp>
#include <mirab/simulation/overlay.hpp>

#include "simulation/overlay/letter_store.hpp"

namespace mirab::simulation {

/// A letter that is held back comes up to so many largest latencies later.
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
  std::int64_t lost = 0;        ///< by chance, by a partition, or because nobody was there
  std::int64_t duplicated = 0;  ///< came twice
  std::int64_t held_back = 0;   ///< to come after later ones
  std::int64_t corrupted = 0;
  std::array<std::int64_t, overlay::kDropCount> dropped{};  ///< bytes that a node did not take, by Drop
};

/// A letter that will be there at that time.
struct Delivery {
  Time at{};
  LetterStore::Id letter = 0;
};

/// The network between nodes. Letters travel as bytes. It is told when partitions begin and end; the rest it
/// draws: each letter for itself is lost, doubled, held back, corrupted, and takes its time.
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
  std::span<const Delivery> post(const overlay::Letter& letter, Time now, double factor);

  /// The letter as its reader takes it, by the reader's clock, or nothing (dropped, and counted). Its bytes
  /// are gone afterwards.
  const overlay::Letter* open(LetterStore::Id letter, overlay::NodeId reader, Time now);
  /// It will be opened soon.
  void foresee(LetterStore::Id letter) const { store_.foresee(letter); }
  /// Nobody was there to take it.
  void lose(LetterStore::Id letter);

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
  LetterStore store_;
  std::vector<const std::vector<bool>*> cuts_;
  std::vector<std::uint8_t> bytes_;   // of the letter being posted
  std::vector<Delivery> deliveries_;  // of the letter being posted
  overlay::Letter opened_;
  Traffic sent_;
  Losses losses_;
};

}  // namespace mirab::simulation
