#pragma once

#include <cstddef>
#include <memory>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// The bootstrap server (Östman, chapter 4): who registers hears of `peers` servers (or as many as there are)
/// drawn at random among the others that registered of late. All that it knows is said again, so that it may
/// be lost at any time; who was silent for Patience::user ticks is forgotten.
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

}  // namespace mirab::overlay
