#pragma once

#include <utility>
#include <vector>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

/// The reservations as a step at this time would find them, for as long as this lives; then all is as it was.
/// Requires that nothing else changes meanwhile. Without the option a branch.
class Engine::State::Foreseen {
 public:
  Foreseen(State& state, Time at);
  ~Foreseen();
  Foreseen(const Foreseen&) = delete;
  Foreseen& operator=(const Foreseen&) = delete;

  /// Have reservations ended by their time?
  bool some_ended() const { return !began_to_wait_.empty(); }

 private:
  void end_those_that_lasted();

  State& state_;
  Time now_;
  std::optional<Reservations> reservations_;
  std::vector<std::pair<std::uint32_t, Time>> began_to_wait_;  // of queues: when, before
};

}  // namespace mirab::scheduling
