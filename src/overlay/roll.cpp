// The list of servers behind the gateway and the bootstrap server (Östman, chapter 4).
//
// Known failure: a server that crashed is still named until it is forgotten, at the latest 5/4 · `forgotten`
// after it was last heard; who is sent to it finds it silent and asks again. Cost: O(1) to draw one, expected
// O(count²) to draw some, O(K) four times in `forgotten` to forget.

#include "overlay/roll.hpp"

#include <algorithm>

#include "overlay/limits.hpp"

namespace mirab::overlay {

void Roll::enter(Time now, NodeId server) {
  forget(now);
  const auto place = place_of(server);
  if (place != lines_.end() && place->server == server)
    place->heard_at = now;
  else if (lines_.size() < kMostServers)
    lines_.insert(place, {server, now});
}

void Roll::strike(NodeId server) {
  const auto place = place_of(server);
  if (place != lines_.end() && place->server == server) lines_.erase(place);
}

std::optional<NodeId> Roll::any(Time now, Random& random) {
  forget(now);
  if (lines_.empty()) return {};
  return lines_[random.below(lines_.size())].server;
}

std::vector<NodeId> Roll::some_but(NodeId server, std::size_t count, Time now, Random& random) {
  forget(now);
  std::vector<NodeId> drawn;
  if (lines_.size() <= 2 * count + 1) {  // few: the first of all, shuffled
    drawn = all_but(server);
    const std::size_t some = std::min(count, drawn.size());
    for (std::size_t k = 0; k < some; ++k) std::swap(drawn[k], drawn[k + random.below(drawn.size() - k)]);
    drawn.resize(some);
    return drawn;
  }
  while (drawn.size() < count) {
    const NodeId one = *any(now, random);
    if (one != server && std::find(drawn.begin(), drawn.end(), one) == drawn.end()) drawn.push_back(one);
  }
  return drawn;
}

std::vector<NodeId> Roll::all_but(NodeId server) const {
  std::vector<NodeId> others;
  for (const Line& line : lines_) {
    if (line.server != server) others.push_back(line.server);
  }
  return others;
}

void Roll::forget(Time now) {
  if (now - looked_at_ < forgotten_ / 4) return;
  looked_at_ = now;
  std::erase_if(lines_, [&](const Line& line) { return now - line.heard_at >= forgotten_; });
}

std::vector<Roll::Line>::iterator Roll::place_of(NodeId server) {
  return std::lower_bound(lines_.begin(), lines_.end(), server,
                          [](const Line& line, NodeId id) { return line.server < id; });
}

}  // namespace mirab::overlay
