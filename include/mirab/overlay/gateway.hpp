#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// Which server the gateway names.
enum class Direction : std::uint8_t {
  home,     ///< always the same for a user, drawn uniformly at its first request and when that one is silent
  any,      ///< one drawn uniformly for every task (probes)
  central,  ///< the central server
};

/// The gateway node: directs users to servers. It only knows which servers have registered of late, and may
/// lose that at any time: while it knows none, it does not answer.
///
/// Cost: O(1) a request, O(log K) a Register (O(K) of one that is new).
class Gateway {
 public:
  /// `central` is needed with Direction::central only.
  Gateway(NodeId self, Direction direction, std::optional<NodeId> central, const Patience& patience,
          Duration tick);
  ~Gateway();
  Gateway(Gateway&&) noexcept;
  Gateway& operator=(Gateway&&) noexcept;

  /// ServerRequest and Register; others are ignored.
  void on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mirab::overlay
