#pragma once

#include <cstddef>
#include <memory>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// The bootstrap server: who registers hears of `peers` servers (or as many as there are) drawn at random
/// among the others that registered of late. Soft, as the gateway.
///
/// Cost: O(peers + log K) a Register (O(K) of one that is new).
class Bootstrap {
 public:
  Bootstrap(NodeId self, std::size_t peers, const Patience& patience, Duration tick);
  ~Bootstrap();
  Bootstrap(Bootstrap&&) noexcept;
  Bootstrap& operator=(Bootstrap&&) noexcept;

  /// Register; others are ignored.
  void on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mirab::overlay
