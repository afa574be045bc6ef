#include "service/heartbeats.hpp"

#include <chrono>

namespace mirab::service {

void Heartbeats::set_server(const std::string& server, const std::optional<ServerState>& state,
                            Clock::time_point now) {
  if (!state) {
    servers_.erase(server);
    // A token may be there before its server is: one that is expected stays so, but is not counted.
    if (const auto beat = beats_.find(server); beat != beats_.end()) {
      beat->second.state.reset();
      forget_if_gone(beat);
    }
    return;
  }
  servers_[server] = *state;
  // A silent server was expected before: it runs out, whether a token is there or not.
  if (state->is_silent) known(server, now);
  const auto found = beats_.find(server);
  if (found == beats_.end()) return;
  Beat& beat = found->second;
  const bool begins = !beat.state || (beat.state->is_lost && !state->is_lost);
  if (begins) beat.last = now;
  beat.state = *state;
}

Heartbeats::Beat& Heartbeats::known(const std::string& server, Clock::time_point now) {
  const auto [beat, is_new] = beats_.try_emplace(server);
  if (!is_new) return beat->second;
  beat->second.last = now;
  if (const auto state = servers_.find(server); state != servers_.end()) beat->second.state = state->second;
  return beat->second;
}

void Heartbeats::forget_if_gone(std::map<std::string, Beat>::iterator beat) {
  if (beat->second.tokens <= 0 && !beat->second.state) beats_.erase(beat);
}

void Heartbeats::expect(const std::string& server, Clock::time_point now) { ++known(server, now).tokens; }

void Heartbeats::release(const std::string& server) {
  const auto beat = beats_.find(server);
  if (beat == beats_.end()) return;
  --beat->second.tokens;
  forget_if_gone(beat);
}

void Heartbeats::beat(const std::string& server, Clock::time_point now) {
  Beat& beat = known(server, now);
  beat.last = now;
  beat.was_heard = true;
}

std::vector<Heartbeats::Saying> Heartbeats::check(Clock::time_point now) {
  std::vector<Saying> sayings;
  const auto say = [&](live::Do what, const std::string& server, Beat& beat) {
    if (may_say(beat, what, now)) sayings.push_back({.what = what, .server = server});
  };
  for (auto& [server, beat] : beats_) {
    if (!is_expected(beat)) continue;
    const auto quiet = now - beat.last;
    if (quiet < silence_.silent_after) {
      if (beat.was_heard && beat.state->is_silent) say(live::Do::server_back, server, beat);
      continue;
    }
    if (!beat.state->is_silent) say(live::Do::server_silent, server, beat);
    if (quiet < silence_.lost_after || fell_silent_with_others(beat, now)) continue;
    say(live::Do::server_lost, server, beat);
  }
  return sayings;
}

bool Heartbeats::fell_silent_with_others(const Beat& beat, Clock::time_point now) const {
  std::size_t all = 0;
  std::size_t together = 0;
  for (const auto& [server, other] : beats_) {
    if (!is_expected(other)) continue;
    ++all;
    const bool is_silent = now - other.last >= silence_.silent_after;
    if (is_silent && std::chrono::abs(other.last - beat.last) <= kTogether) ++together;
  }
  return together >= 3 && together * 3 >= all;
}

bool Heartbeats::may_say(Beat& beat, live::Do what, Clock::time_point now) {
  const auto [said, is_first] = beat.said.try_emplace(what, now);
  if (!is_first && now - said->second < kAgain) return false;
  said->second = now;
  return true;
}

}  // namespace mirab::service
