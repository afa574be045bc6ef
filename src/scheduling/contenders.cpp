// All who wait, as the next step would find them: nothing in the engine changes, so that the question may be
// put at any time, and as often as one likes. What a step would bring up to date first, the prices, what
// tasks would run alone, the lanes and the usage, is brought up to date in a copy.
#include "scheduling/contenders.hpp"

#include <algorithm>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

/// The standing as a step at this time would see it; nothing when it is that already.
std::optional<Standing> Engine::State::refreshed_standing(Time at) const {
  const bool usage_is_due = standing.usage && standing.usage->is_due(at);
  if (!usage_is_due && !keys_are_stale) return {};
  std::optional<Standing> fresh(standing);
  if (usage_is_due) fresh->usage->refresh(at);
  if (keys_are_stale && whom.discipline->priced) fresh->prices = pool_prices(accounts);
  // Shapes that have gone since may have been the last ones.
  const std::size_t shapes = std::min<std::size_t>(fresh->alone.size(), accounts.shapes.end());
  for (std::uint32_t shape = 0; keys_are_stale && shape < shapes; ++shape) {
    if (accounts.shapes.ways(shape).empty()) continue;
    fresh->alone[shape] = tasks_alone(accounts, kinds, shape);
    fresh->alone_value[shape] = fresh->alone[shape].get_d();
  }
  return fresh;
}

/// The lanes in which the queue waits, and whether its next task has room there, or all that start together.
std::vector<Engine::State::LaneRoom> Engine::State::rooms_of(std::uint32_t queue) {
  const std::uint32_t shape = accounts.queues[queue].shape;
  const std::uint32_t job = accounts.queues[queue].first_job;
  std::vector<LaneRoom> rooms;
  for (const std::uint32_t lane : lanes_of(shape)) {
    if (accounts.shapes.terms(shape) != nullptr) {
      rooms.push_back({.lane = lane, .has_room = batch_fits(job, kind_of_lane(lane))});
      continue;
    }
    const std::span<const Variant> ways = variants_in_lane(shape, lane);
    rooms.push_back({.lane = lane, .has_room = std::any_of(ways.begin(), ways.end(), [&](const Variant& way) {
                                     return accounts.park.first_with_room(way, 0).has_value();
                                   })});
  }
  return rooms;
}

std::vector<Contender> Engine::State::contenders(const Precedence& precedence) {
  std::vector<std::optional<std::vector<LaneRoom>>> rooms(accounts.shapes.end());
  // With freeze whoever has the lowest key is next, with room or without.
  const auto is_better = [&](const Contender& a, const Contender& b) {
    if (whom.blocking == Blocking::skip && a.has_room != b.has_room) return a.has_room;
    return precedence.before(a.keyed, b.keyed);
  };
  std::vector<Contender> all;
  for (std::uint32_t queue = 0; queue < accounts.queues.size(); ++queue) {
    if (!race.holds(queue)) continue;
    const std::uint32_t shape = accounts.queues[queue].shape;
    if (!rooms[shape]) rooms[shape] = rooms_of(queue);
    std::optional<Contender> best;
    for (const auto& [lane, has_room] : *rooms[shape]) {
      const Entry entry{.queue = queue, .lane = lane};
      const double key = whom.discipline->key(*precedence.standing, entry);
      const Contender here{.keyed = {.entry = entry, .key = key}, .has_room = has_room};
      if (!best || is_better(here, *best)) best = here;
    }
    if (best) all.push_back(*best);
  }
  return all;
}

WhyWaiting::Other Engine::State::named(const Contender& contender) const {
  const QueueRow& queue = accounts.queues[contender.keyed.entry.queue];
  return {.user = accounts.users.id(queue.user),
          .user_name = accounts.users[queue.user].name,
          .job = accounts.jobs.id(queue.first_job),
          .key = contender.keyed.key};
}

}  // namespace mirab::scheduling
