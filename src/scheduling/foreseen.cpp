// What a step does to reservations before it places anything, done and undone for a question: those that
// lasted end, and servers are kept for who is due. Only what places are searched by changes, whether servers
// are open; who races with whom, and what was freed, stay as they are.
//
// Cost: as the part of a step that it foresees (reservations.cpp), and O(servers kept + tasks that started
// where one was kept for them).
#include "scheduling/foreseen.hpp"

#include <algorithm>

namespace mirab::scheduling {

Engine::State::Foreseen::Foreseen(State& state, Time at)
    : state_(state), now_(state.now), reservations_(state.reservations) {
  state_.now = at;
  if (!state_.reservations) return;
  end_those_that_lasted();
  state_.keep_where_due();
}

void Engine::State::Foreseen::end_those_that_lasted() {
  std::erase_if(state_.reservations->kept, [&](const Reservations::Kept& kept) {
    if (!state_.has_lasted(kept)) return false;
    Time& since = state_.accounts.queues[kept.queue].since;
    began_to_wait_.emplace_back(kept.queue, since);
    since = state_.now;
    state_.accounts.park.open(kept.server);
    return true;
  });
}

Engine::State::Foreseen::~Foreseen() {
  state_.now = now_;
  if (!reservations_) return;
  for (const Reservations::Kept& kept : state_.reservations->kept) state_.accounts.park.open(kept.server);
  for (const Reservations::Kept& kept : reservations_->kept) state_.accounts.park.close(kept.server);
  for (const auto& [queue, since] : began_to_wait_) state_.accounts.queues[queue].since = since;
  state_.reservations = std::move(reservations_);
}

}  // namespace mirab::scheduling
