#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// The bootstrap server (Östman, chapter 4): who registers hears of `peers` servers (or as many as there are)
/// drawn at random among the others that registered of late. All that it knows is sent again and again, so
/// that it may be lost at any time; a server that was silent for Patience::user ticks is forgotten.
///
/// Cost: O(peers + log K) a Register (O(K) of one that is new); 16 bytes a server, 1,048,576 at the most.
class Bootstrap {
 public:
  /// `tick`: the unit of `patience`, > 0.
  Bootstrap(std::size_t peers, const Patience& patience, Duration tick);
  ~Bootstrap();
  Bootstrap(Bootstrap&&) noexcept;
  Bootstrap& operator=(Bootstrap&&) noexcept;

  /// Register, which is answered with Peers; others are ignored. Appends to `effects`.
  void on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Which server the gateway names.
enum class Direction : std::uint8_t {
  home,     ///< always the same for a user, drawn uniformly at its first request and when that one is silent
  any,      ///< one drawn uniformly for every task (probes)
  central,  ///< the central server
};

/// The gateway node (Östman, chapter 4): directs users to servers. It only knows which servers have
/// registered of late (Patience::user ticks), and may lose that at any time: while it knows none, it does not
/// answer.
///
/// Cost: O(1) a request, O(log K) a Register (O(K) of one that is new); 16 bytes a server, 1,048,576 at the
/// most.
class Gateway {
 public:
  /// `central` is needed with Direction::central only. `tick`: the unit of `patience`, > 0.
  Gateway(Direction direction, std::optional<NodeId> central, const Patience& patience, Duration tick);
  ~Gateway();
  Gateway(Gateway&&) noexcept;
  Gateway& operator=(Gateway&&) noexcept;

  /// ServerRequest, which is answered with ServerAnswer, and Register; others are ignored. Appends to
  /// `effects`.
  void on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mirab::overlay
